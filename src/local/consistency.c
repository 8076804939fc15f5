/* SPDX-License-Identifier: Apache-2.0 */
/* Which estimates are more than noise [Benjamini & Hochberg 1995], and counts that can be counts [Wang et al. 2020]. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/local_estimates.h"
#include "numeric/special.h"

static int increasing(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The chance that noise alone is as large. */
static double tail(double count, double deviation)
{
    return deviation > 0 ? dusk_normal_sf(count / deviation) : count > 0 ? 0 : 1;
}

dusk_status dusk_counts_found(bool *found, const double *counts, const double *deviations, size_t n,
                              double rate, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *sorted = NULL, limit = -1;
    if (!(rate > 0 && rate < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 0.05",
                         "a rate of false discoveries lies between 0 and 1");
    DUSK_NEW(sorted, n);
    for (size_t i = 0; i < n; i++) sorted[i] = tail(counts[i], deviations[i]);
    if (n > 0) qsort(sorted, n, sizeof *sorted, increasing);
    for (size_t i = 0; i < n; i++)
        if (sorted[i] <= DUSK_MUTATE(FOUND_EACH_BY_ITSELF, rate * (double)(i + 1) / (double)n, rate))
            limit = sorted[i];
    for (size_t i = 0; i < n; i++) found[i] = tail(counts[i], deviations[i]) <= limit;
done:
    dusk_deallocate(sorted);
    return status;
}

/* The nearest point of the simplex: what is above a threshold, less the threshold, with the threshold that makes the sum right [Duchi et al. 2008]. */
static dusk_status norm_sub(double *counts, size_t n, double total, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *sorted = NULL, sum = 0, threshold = 0;
    DUSK_NEW(sorted, n);
    memcpy(sorted, counts, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, increasing);
    for (size_t i = n; i-- > 0;) {
        const double next = (sum + sorted[i] - total) / (double)(n - i);
        if (i + 1 < n && !(sorted[i] > next)) break;
        sum += sorted[i];
        threshold = next;
    }
    for (size_t i = 0; i < n; i++) counts[i] = fmax(counts[i] - threshold, 0);
done:
    dusk_deallocate(sorted);
    return status;
}

static dusk_status base_cut(double *counts, const double *deviations, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool *found = NULL;
    DUSK_NEW(found, n);
    DUSK_TRY(dusk_counts_found(found, counts, deviations, n, 0.05, err));
    for (size_t i = 0; i < n; i++)
        if (!found[i]) counts[i] = 0;
done:
    dusk_deallocate(found);
    return status;
}

dusk_status dusk_counts_consistent(double *counts, const double *deviations, size_t n, double total,
                                   dusk_consistency way, dusk_error *err)
{
    if (!(total >= 0 && total < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give how many reports there were",
                         "the total must be a number of people");
    if (n == 0) return DUSK_OK;
    switch (way) {
    case DUSK_NORM_SUB: return norm_sub(counts, n, total, err);
    case DUSK_BASE_POS:
        for (size_t i = 0; i < n; i++) counts[i] = fmax(counts[i], 0);
        return DUSK_OK;
    case DUSK_BASE_CUT: return base_cut(counts, deviations, n, err);
    }
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example DUSK_NORM_SUB",
                     "there is no such way to make counts consistent");
}
