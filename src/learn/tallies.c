/* SPDX-License-Identifier: Apache-2.0 */
/* Noisy counts. Proof: tallies.proof.md. */
#include "learn/tallies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"

#define SCALE_BITS 10 /* counts are so many times finer, so that sqrt(touched) is hardly rounded */

/* --- counts --------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(learn_plan_tally)
dusk_status learn_plan_tally(learn_job *job, learn_tally *out, size_t touched, double share, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_tally tally = { .deviation = 0 };
    const double moved = DUSK_MUTATE(TALLY_TOUCHES_ONE, (double)touched, 1);
    if (touched > 1u << 20)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fewer columns", "a row is in too many counts (%zu)",
                         touched);
    if (job->budget.delta > 0)
        status = learn_budget_noise(&job->budget, &tally.noise, 1, ceil(ldexp(sqrt(moved), SCALE_BITS)),
                                    -SCALE_BITS, share, 1, err);
    else
        status = learn_budget_counts(&job->budget, &tally.noise, moved, share, err);
    if (status != DUSK_OK) goto done;
    tally.deviation = tally.noise.deviation;
    *out = tally;
done:
    return status;
}

DUSK_PROVEN(learn_fit_tally)
dusk_status learn_fit_tally(const learn_tally *tally, double *out, int64_t *counts, size_t cells,
                            dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_noise noise = tally->noise;
    const dusk_int128 scale = noise.gaussian ? (dusk_int128)1 << SCALE_BITS : 1;
    dusk_int128 *totals = NULL;
    DUSK_NEW(totals, cells);
    for (size_t i = 0; i < cells; i++) totals[i] = counts[i] * scale;
    noise.dimension = (uint32_t)cells;
    if (noise.gaussian)
        status = learn_noise_release(&noise, out, totals, gen, err);
    else
        status = learn_counts_release(&noise, out, totals, cells, gen, err);
done:
    if (totals) dusk_wipe(totals, cells * sizeof *totals);
    dusk_deallocate(totals);
    dusk_wipe(counts, cells * sizeof *counts);
    return status;
}

/* --- afterwards ------------------------------------------------------------------------------------------------- */

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* max(x - t, 0) for the one t with which they add to the total [Duchi et al. 2008]. */
void learn_project_total(double *x, size_t n, double total, double *scratch)
{
    double sum = 0, shift = 0;
    memcpy(scratch, x, n * sizeof *scratch);
    qsort(scratch, n, sizeof *scratch, falling);
    for (size_t i = 0; i < n; i++) {
        double least = ((sum += scratch[i]) - total) / (double)(i + 1);
        if (i == 0 || scratch[i] > least) shift = least;
    }
    for (size_t i = 0; i < n; i++) x[i] = fmax(x[i] - shift, 0);
}
