/* SPDX-License-Identifier: Apache-2.0 */
/* Clipped gradients as exact sums, with noise [Song, Chaudhuri & Sarwate 2013; Bassily, Smith & Thakurta 2014; Abadi et al.
 * 2016 for clipping]. Proof: gradient.proof.md. */
#include "learn/gradient.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* puts loops over rows into lanes */
#endif

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"

#define SLOPE_ONE 32768.0   /* steps of a slope of 1 */
#define MARGIN_STEP 0x1p-35 /* of a product of a weight and a number */
#define SHIFTER 0x1.8p52    /* rounds numbers below 2^51 to whole ones */

DUSK_PROVEN(learn_plan_gradient)
dusk_status learn_plan_gradient(learn_job *job, learn_gradient *out, const learn_loss *loss, size_t classes,
                                double clip, double share, const learn_sampler *sampler, uint64_t times,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_budget *budget = &job->budget;
    learn_gradient gradient = { .loss = *loss, .classes = classes, .vectors = classes ? classes : 1 };
    gradient.width = job->features.width;
    gradient.clip = fmax(floor(ldexp(clip, -LEARN_GRADIENT_GRID)), 1);
    if (gradient.vectors > (1u << 24) / gradient.width)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fewer categories",
                         "%zu classes of %zu columns are too many weights (at most 2^24)", gradient.vectors,
                         gradient.width);
    const uint32_t cells = (uint32_t)(gradient.vectors * gradient.width);
    double steps = DUSK_MUTATE(GRADIENT_NOISE_FOR_HALF, gradient.clip, ceil(gradient.clip / 2));
    DUSK_TRY(learn_budget_sampled(budget, &gradient.noise, cells, steps, LEARN_GRADIENT_GRID, share, sampler,
                                  times, err));
    *out = gradient;
done:
    return status;
}

void learn_gradient_close(learn_gradient_work *work)
{
    if (work->margin && work->sum.cells > 0) /* a number for each vector of weights */
        dusk_wipe(work->margin,
                  work->block.room * (work->sum.cells / work->block.source->width) * sizeof *work->margin);
    dusk_deallocate(work->margin);
    dusk_deallocate(work->whole);
    tensor_sum_clear(&work->sum);
    tensor_block_close(&work->block);
    *work = (learn_gradient_work){ 0 };
}

dusk_status learn_gradient_open(learn_gradient_work *out, const learn_gradient *gradient,
                                const learn_matrix *matrix, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_gradient_work work = { 0 };
    const size_t cells = gradient->vectors * gradient->width;
    *out = (learn_gradient_work){ 0 };
    DUSK_TRY(tensor_block_open(&work.block, &matrix->rows, err));
    DUSK_NEW(work.margin, work.block.room * gradient->vectors);
    DUSK_NEW(work.whole, cells);
    DUSK_TRY(tensor_sum_init(&work.sum, cells, err));
    *out = work;
    work = (learn_gradient_work){ 0 };
done:
    learn_gradient_close(&work);
    return status;
}

DUSK_PROVEN(learn_gradient_round)
void learn_gradient_round(double *whole, const double *weights, size_t vectors, size_t width)
{
    const double most = LEARN_WEIGHT_MOST * 0x1p20;
    for (size_t k = 0; k < vectors; k++, whole += width, weights += width) {
        double square = 0;
        for (size_t j = 0; j < width; j++) {
            double steps = weights[j] * 0x1p20;
            whole[j] = steps > most ? most : steps > -most ? steps : -most; /* NaN: -most */
            square += whole[j] * whole[j];
        }
        double factor = square > most * most ? most / sqrt(square) : 1;
        for (size_t j = 0; j < width; j++) whole[j] = nearbyint(whole[j] * factor);
    }
}

/* --- coefficients of one number a row ------------------------------------------------------------------------- */

/* How large a coefficient of a row may be: floor(clip / length). Exact: below 2^53 a quotient that rounds up to a whole number is
 * one, and the nearest whole number is the floor or one more. */
static inline double limit_of(double clip, float length)
{
    double over = length > 1 ? (double)length : 1;
    double limit = clip / over;
    double nearest = (limit + SHIFTER) - SHIFTER;
    return nearest - (nearest > limit ? 1 : 0);
}

static inline double whole_within(double x, double limit)
{
    x = (x * SLOPE_ONE + SHIFTER) - SHIFTER;
    x = x > -limit ? x : -limit;
    return x < limit ? x : limit;
}

/* 1 for the second class, else -1. */
static inline double sign_of(int32_t code) { return (double)(2 * (code == 1) - 1); }

DUSK_PROVEN(take_slopes)
static void take_slopes(const learn_gradient *g, double *m, const learn_matrix *matrix, size_t first,
                        size_t rows)
{
    const float *length = matrix->length + first;
    const double clip = DUSK_MUTATE(GRADIENT_CLIPS_NOTHING, g->clip, 0x1p42);
    if (g->loss.margin) {
        const int32_t *code = matrix->code + first;
        for (size_t i = 0; i < rows; i++) m[i] *= MARGIN_STEP * sign_of(code[i]);
        learn_loss_slopes(&g->loss, m, m, rows);
        for (size_t i = 0; i < rows; i++)
            m[i] = whole_within(m[i], limit_of(clip, length[i])) * sign_of(code[i]);
    } else {
        const float *target = matrix->target + first;
        for (size_t i = 0; i < rows; i++) m[i] = m[i] * MARGIN_STEP - (double)target[i] / LEARN_ONE;
        learn_loss_slopes(&g->loss, m, m, rows);
        for (size_t i = 0; i < rows; i++) m[i] = whole_within(m[i], limit_of(clip, length[i]));
    }
}

/* --- coefficients of k scores a row ----------------------------------------------------------------------------- */

/* Whole numbers whose length is at most `limit`; squares of at most k (2^15)^2 add exactly. */
DUSK_PROVEN(fit_slopes)
static void fit_slopes(double *c, size_t k, double limit)
{
    double factor = SLOPE_ONE;
    for (;;) {
        double square = 0;
        for (size_t j = 0; j < k; j++) {
            c[j] = trunc(c[j] * factor);
            square += c[j] * c[j];
        }
        double length = ceil(sqrt(square));
        if (length <= limit) return;
        factor = limit / length * (1 - 0x1p-40);
    }
}

static void take_softmax(const learn_gradient *g, double *m, const learn_matrix *matrix, size_t first,
                         size_t rows)
{
    const size_t k = g->classes;
    for (size_t i = 0; i < rows; i++, m += k) {
        for (size_t j = 0; j < k; j++) m[j] *= MARGIN_STEP;
        learn_softmax_slopes(m, m, k, (size_t)matrix->code[first + i]);
        fit_slopes(m, k, limit_of(g->clip, matrix->length[first + i]));
    }
}

/* --- the sum ------------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(learn_gradient_add)
void learn_gradient_add(learn_gradient_work *work, const learn_gradient *gradient, const learn_matrix *matrix,
                        const double *whole)
{
    tensor_block *block = &work->block;
    while (gradient->classes ? tensor_block_next(block) : tensor_block_advance(block)) {
        tensor_block_multiply(block, work->margin, whole, gradient->vectors);
        if (gradient->classes)
            take_softmax(gradient, work->margin, matrix, block->first, block->rows);
        else
            take_slopes(gradient, work->margin, matrix, block->first, block->rows);
        tensor_sum_combine(&work->sum, block, work->margin, gradient->vectors, gradient->clip);
    }
}

DUSK_PROVEN(learn_gradient_sum)
const dusk_int128 *learn_gradient_sum(learn_gradient_work *work, const learn_gradient *gradient,
                                      const learn_matrix *matrix, const double *whole)
{
    tensor_sum_reset(&work->sum);
    learn_gradient_add(work, gradient, matrix, whole);
    return tensor_sum_totals(&work->sum);
}

DUSK_PROVEN(learn_gradient_release)
dusk_status learn_gradient_release(learn_gradient_work *work, const learn_gradient *gradient, double *out,
                                   const learn_matrix *matrix, const double *weights, dusk_generator *gen,
                                   dusk_error *err)
{
    learn_gradient_round(work->whole, weights, gradient->vectors, gradient->width);
    return learn_noise_release(&gradient->noise, out, learn_gradient_sum(work, gradient, matrix, work->whole),
                               gen, err);
}
