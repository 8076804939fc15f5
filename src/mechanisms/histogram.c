/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over public bins or keys: every count gets noise, empty ones too, so
 * that the shape of the answer says nothing. Laplace noise is calibrated to the
 * l1 norm of what one unit changes, Gaussian noise to the l2 norm. Which bins
 * there are is the caller's public choice; private keys are key_selection.c.
 * Proof: histogram.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"
#include "random/rounded.h"

typedef struct counts_plan {
    dusk_noise noise;
    double half_width;
    dusk_statement statement;
} counts_plan;

/* A unit's rows are a vector of counts whose sum is at most m. Adding it: m in
 * both norms. Exchanging a for b: |a - b|_1 <= 2m, |a - b|_2^2 <= |a|^2 + |b|^2
 * <= 2 m^2; in a single bin |a - b| <= m. */
static dusk_status make_plan(counts_plan *plan, const dusk_aggregate *how, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    double m = how->rows_per_unit;
    bool two_sided = DUSK_MUTATE(HISTOGRAM_ONE_SIDED, how->neighbours == DUSK_REPLACE_ONE && n > 1, false);

    DUSK_TRY(dusk_aggregate_check(how, false, err));
    if (n < 1 || n > UINT32_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give at least one bin and fewer than 2^32",
                         "the number of bins must be between 1 and 2^32 - 1");
    DUSK_TRY(dusk_aggregate_count_noise(&plan->noise, how, 1, (uint32_t)n, two_sided ? 2 * m : m,
                                        two_sided ? dusk_mul_up(m, dusk_sqrt_up(2)) : m, err));
    DUSK_TRY(dusk_aggregate_interval(&plan->half_width, how, 1, &plan->noise, err));
    plan->half_width = floor(plan->half_width); /* counts are whole; nothing was rounded */
    DUSK_TRY(dusk_noise_event(&plan->noise, &event, err));
    DUSK_TRY(dusk_aggregate_state(&plan->statement, how, false, &event, err));
done:
    return status;
}

static dusk_status release_counts(double *counts, const counts_plan *plan, const uint64_t *exact,
                                  dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pool pool = { 0 };
    size_t n = plan->noise.dimension;

    DUSK_TRY(dusk_pool_draw(&pool, &plan->noise, n, DUSK_WIDTH_FULL, gen, err));
    for (size_t i = 0; i < n; i++) {
        bool noisy = DUSK_MUTATE(REPLAY_EMPTY_BINS_SKIPPED, true, exact[i] > 0);
        counts[i] = noisy ? (double)dusk_pool_add(&pool, i, exact[i]) : 0;
    }
done:
    dusk_pool_clear(&pool);
    return status;
}

DUSK_PROVEN(dusk_counts_release)
dusk_status dusk_counts_release(double *counts, double *half_width, dusk_statement *statement,
                                const dusk_aggregate *how, const uint64_t *exact, size_t n,
                                dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    counts_plan plan;

    DUSK_TRY(make_plan(&plan, how, n, err));
    DUSK_TRY(release_counts(counts, &plan, exact, gen, err));
    *half_width = plan.half_width;
    *statement = plan.statement;
done:
    return status;
}

static dusk_status check_edges(const double *edges, size_t bins, dusk_error *err)
{
    for (size_t i = 0; i <= bins; i++)
        if (!isfinite(edges[i]) || (i > 0 && !(edges[i - 1] < edges[i])))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give public edges from low to high",
                             "edge %zu must be finite and above the one before it", i);
    return DUSK_OK;
}

/* exact[i]: rows in [edges[i], edges[i + 1]), the last bin closed. */
static void fill_bins(uint64_t *exact, const double *edges, size_t bins, const double *rows, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        size_t low = 0, high = bins;
        if (!(rows[r] >= edges[0] && rows[r] <= edges[bins])) continue;
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (rows[r] >= edges[middle])
                low = middle;
            else
                high = middle;
        }
        exact[low]++;
    }
}

DUSK_PROVEN(dusk_histogram_release)
dusk_status dusk_histogram_release(double *counts, double *half_width, dusk_statement *statement,
                                   const dusk_aggregate *how, const double *edges, size_t bins,
                                   const double *rows, size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t *exact = NULL;
    counts_plan plan;

    DUSK_TRY(make_plan(&plan, how, bins, err));
    DUSK_TRY(check_edges(edges, bins, err));
    DUSK_NEW(exact, bins);
    fill_bins(exact, edges, bins, rows, n);
    DUSK_TRY(release_counts(counts, &plan, exact, gen, err));
    *half_width = plan.half_width;
    *statement = plan.statement;
done:
    if (exact) dusk_wipe(exact, bins * sizeof *exact);
    dusk_deallocate(exact);
    return status;
}
