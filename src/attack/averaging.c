/* SPDX-License-Identifier: Apache-2.0 */
/* Averaging: what the same question, asked n times, gives away. The interval is between order
 * statistics (Thompson 1936): it holds for fresh noise of any law whose median is 0, and gets
 * narrower like 1/sqrt(n). It is not for answers that were kept and given again in part: those
 * are not independent, and only the case that all are the same can be seen from outside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "dusk/attack_releases.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* At least P(Binomial(n, 1/2) < k), 1 <= k <= n. */
static double below_up(size_t n, size_t k)
{
    double p = dusk_beta_inc((double)(n - k + 1), (double)k, 0.5);
    return p * (1 + 1e-9) + 1e-290;
}

/* The largest k for which the k-th smallest and the k-th largest of n answers are outside of the
 * truth with probability at most `error`; 0 where there is none. */
DUSK_PROVEN(interval_rank)
static size_t interval_rank(size_t n, double error)
{
    size_t low = 0, high = n / 2 + 1; /* low is right or 0, high is wrong or beyond the middle */
    double each = DUSK_MUTATE(ATTACK_INTERVAL_ONE_SIDED, 0.5 * error, error);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (below_up(n, middle) <= each)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The multiple of `step` next to the median, and whether it is the only one in the interval. */
static void pin(dusk_average *out, double step)
{
    out->value = out->median;
    if (step == 0) return;
    out->value = step * nearbyint(out->median / step);
    double low = out->low / step, high = out->high / step;
    /* a little wider: multiples of a step such as 0.1 are rounded */
    double first = ceil(low - 0x1p-50 * fabs(low)), last = floor(high + 0x1p-50 * fabs(high));
    out->pinned = isfinite(first) && first == last;
    if (out->pinned) out->value = step * first;
}

static void summarise(dusk_average *out, const double *sorted, size_t n)
{
    double sum = 0, parts = 0; /* the second for sums that overflow */
    *out = (dusk_average){ .answers = n, .distinct = 1, .low = -INFINITY, .high = INFINITY };
    for (size_t i = 0; i < n; i++) {
        sum += sorted[i];
        parts += sorted[i] / (double)n;
        out->distinct += i && sorted[i] != sorted[i - 1];
    }
    out->mean = isfinite(sum) ? sum / (double)n : parts;
    out->median = 0.5 * sorted[(n - 1) / 2] + 0.5 * sorted[n / 2];
}

dusk_status dusk_average_answers(dusk_average *out, const double *answers, size_t n, double step,
                                 double confidence, dusk_error *err)
{
    double *sorted = NULL;
    dusk_status status = DUSK_OK;
    if (n < 1) return dusk_fail(err, DUSK_ERR_ARGUMENT, "give at least one", "there are no answers");
    if (!(step >= 0 && isfinite(step)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "1 for counts, 0 for anything",
                         "the step must be a number of at least 0");
    if (!(confidence > 0 && confidence < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 0.95",
                         "the confidence must be above 0 and below 1");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(answers[i]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out what was not answered",
                             "answer %zu is not a finite number", i + 1);
    DUSK_NEW(sorted, n);
    memcpy(sorted, answers, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_size);
    summarise(out, sorted, n);
    size_t k = interval_rank(n, dusk_sub_down(1, confidence));
    if (k && DUSK_MUTATE(ATTACK_TRUSTS_KEPT_ANSWERS, out->distinct > 1, true)) {
        out->low = sorted[k - 1];
        out->high = sorted[n - k];
    }
    pin(out, step);
done:
    dusk_deallocate(sorted);
    return status;
}
