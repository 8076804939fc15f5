/* SPDX-License-Identifier: Apache-2.0 */
/* Means and deviations that are paid for. A deviation that the noise could have made is not believed: variances end at
 * what the noise of their estimate is, so that a column of no spread is not blown up. Proof: scaling.proof.md. */
#include "learn/scaling.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/rounding.h"

static bool is_number(const learn_feature *f) { return f->column != DUSK_NO_LINK && f->code < 0; }

static size_t count_numbers(const learn_features *features)
{
    size_t n = 0;
    for (size_t i = 0; i < features->width; i++) n += is_number(&features->feature[i]);
    return n;
}

double learn_typical_length(const learn_features *features)
{
    double square = 0;
    for (size_t i = 0; i < features->width; i++) square += features->feature[i].code <= 0;
    return sqrt(square);
}

DUSK_PROVEN(learn_plan_scaling)
dusk_status learn_plan_scaling(learn_job *job, double share, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t numbers = count_numbers(&job->features), cells = 2 * numbers + 1;
    const double length = DUSK_MUTATE(LEARN_SCALING_IS_ONE_NUMBER, dusk_sqrt_up((double)(numbers + 1)), 1);

    if (cells == 1) return DUSK_OK;
    DUSK_TRY(learn_budget_noise(&job->budget, &job->scaling, (uint32_t)cells,
                                ceil(dusk_mul_up(length, LEARN_ONE)), -LEARN_BITS, share, 1, err));
    job->scaling_is_paid = true;
    learn_say(job,
              "the sums and sums of squares of %zu numbers in [-1, 1], and the number of rows, with noise of "
              "deviation %.4g: numbers are scaled to mean 0 and deviation 1",
              numbers, job->scaling.deviation);
done:
    return status;
}

/* What was released of one number, about its bounds: its mean and deviation. The squares are less one each. */
static void rescale(learn_job *job, size_t feature, double sum, double squares, double count)
{
    const learn_feature *f = &job->features.feature[feature];
    double mean = fmin(fmax(sum / count, -1), 1);
    double least = fmax(2 * job->scaling.deviation / count, 1e-4);
    double variance = fmin(fmax(squares / count + 1 - mean * mean, least), 1);
    learn_features_rescale(&job->features, feature, f->centre + mean / f->factor, f->factor / sqrt(variance));
}

DUSK_PROVEN(learn_fit_scaling)
dusk_status learn_fit_scaling(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t cells = job->scaling.dimension, width = job->features.width;
    dusk_int128 *totals = NULL;
    double *released = NULL;
    size_t at = 0;

    if (!job->scaling_is_paid) return DUSK_OK;
    DUSK_NEW(totals, cells);
    DUSK_NEW(released, cells);
    for (size_t i = 0; i < width; i++) {
        int64_t sum, squares;
        if (!is_number(&job->features.feature[i])) continue;
        learn_number_sums(&job->features.feature[i], frame, &sum, &squares);
        totals[at++] = sum;
        totals[at++] = squares;
    }
    totals[at] = (dusk_int128)frame->rows * (dusk_int128)LEARN_ONE;
    DUSK_TRY(learn_noise_release(&job->scaling, released, totals, gen, err));
    at = 0;
    for (size_t i = 0; i < width; i++) {
        if (!is_number(&job->features.feature[i])) continue;
        rescale(job, i, released[at], released[at + 1], fmax(released[cells - 1], 1));
        at += 2;
    }
done:
    if (totals) dusk_wipe(totals, cells * sizeof *totals);
    dusk_deallocate(totals);
    dusk_deallocate(released);
    return status;
}
