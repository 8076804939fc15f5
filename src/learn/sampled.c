/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson samples, priced as what they are [Abadi et al. 2016; Balle, Barthe & Gaboardi 2018]. Batches are never divided by their
 * size, an empty one is released like any other, and none is cut off. Proof: sampled.proof.md. */
#include "learn/sampled.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"

enum { PIECE = 1024 };

/* --- the price ----------------------------------------------------------------------------------------------- */

static dusk_status check(const learn_budget *budget, dusk_error *err)
{
    if (!(budget->delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a delta, or use method=full",
                         "sampled gradients need a delta");
    if (budget->factor != 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use method=full",
                         "sampled gradients are priced for one row a unit that is added or removed");
    return DUSK_OK;
}

/* The noise multiplier with which all that was taken and `times` samples are what was asked for. */
static dusk_status find_multiplier(double *out, const learn_budget *budget, double rate, uint64_t times,
                                   dusk_error *err)
{
    char text[160], before[64] = "";
    double taken = budget->mu * sqrt(fmax(1 - budget->left, 0));
    if (budget->any) snprintf(before, sizeof before, "gaussian(%.17g) + ", 1 / taken * (1 - 0x1p-40));
    snprintf(text, sizeof text, "%spoisson(%.17g, gaussian(x)) * %llu", before, rate,
             (unsigned long long)times);
    return dusk_account_solve(out, text, "x", (dusk_budget){ budget->epsilon, budget->delta },
                              budget->neighbours, DUSK_BEST, err);
}

DUSK_PROVEN(learn_budget_sampled)
dusk_status learn_budget_sampled(learn_budget *budget, learn_noise *out, uint32_t dimension, double steps,
                                 int grid, double rate, uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_noise noise = { .gaussian = true, .dimension = dimension, .grid = grid };
    dusk_event event, sampled;
    double multiplier;

    DUSK_TRY(check(budget, err));
    DUSK_TRY(find_multiplier(&multiplier, budget, rate, times, err));
    DUSK_TRY(dusk_gaussian_multiplier_init(&noise.gauss, dimension, ldexp(steps, grid),
                                           multiplier * (1 + 0x1p-30), grid, err));
    DUSK_TRY(dusk_noise_for_total(&noise.gauss, err));
    DUSK_TRY(dusk_noise_event(&noise.gauss, &event, err));
    DUSK_TRY(dusk_event_poisson(&sampled, rate, &event, err));
    DUSK_TRY(learn_budget_event(budget, &sampled, budget->left, times, err));
    noise.deviation = noise.gauss.scale;
    *out = noise;
done:
    return status;
}

/* --- samples ---------------------------------------------------------------------------------------------------- */

void learn_sample_close(learn_sample *sample)
{
    if (sample->in) dusk_wipe(sample->in, sample->from->rows.rows * sizeof *sample->in);
    dusk_deallocate(sample->in);
    if (sample->piece.rows.x) sample->piece.rows.rows = PIECE; /* all of it is wiped */
    learn_matrix_clear(&sample->piece);
    dusk_keyed_free(sample->coins);
    *sample = (learn_sample){ 0 };
}

dusk_status learn_sample_open(learn_sample *out, const learn_matrix *matrix, double rate, dusk_generator *gen,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_sample sample = { .from = matrix, .rate = dusk_keyed_rate_down(rate) };
    float *x = NULL;

    *out = (learn_sample){ 0 };
    sample.piece.rows.width = matrix->rows.width;
    sample.piece.bound = matrix->bound;
    DUSK_NEW(x, PIECE * matrix->rows.width);
    sample.piece.rows.x = x;
    DUSK_NEW(sample.piece.length, PIECE);
    if (matrix->code) DUSK_NEW(sample.piece.code, PIECE);
    if (matrix->target) DUSK_NEW(sample.piece.target, PIECE);
    DUSK_NEW(sample.in, matrix->rows.rows + 1);
    DUSK_TRY(dusk_keyed_new(&sample.coins, gen, err));
    *out = sample;
    sample = (learn_sample){ 0 };
done:
    learn_sample_close(&sample);
    return status;
}

static void take_row(learn_matrix *piece, const learn_matrix *from, size_t row)
{
    const size_t width = from->rows.width, at = piece->rows.rows++;
    float *x = (float *)(uintptr_t)piece->rows.x; /* owned by the sample */
    memcpy(x + at * width, from->rows.x + row * width, width * sizeof *x);
    piece->length[at] = from->length[row];
    if (from->code) piece->code[at] = from->code[row];
    if (from->target) piece->target[at] = from->target[row];
}

DUSK_PROVEN(learn_sample_release)
dusk_status learn_sample_release(learn_sample *sample, learn_gradient_work *work,
                                 const learn_gradient *gradient, double *out, const double *weights,
                                 uint32_t step, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t rows = sample->from->rows.rows;
    const uint32_t stream = DUSK_MUTATE(SAMPLE_IS_DRAWN_ONCE, step, 0);
    DUSK_TRY(dusk_keyed_include(sample->coins, stream, NULL, sample->in, rows, sample->rate, err));
    learn_gradient_round(work->whole, weights, gradient->vectors, gradient->width);
    tensor_sum_reset(&work->sum);
    sample->piece.rows.rows = 0;
    for (size_t i = 0; i < rows; i++) {
        if (!sample->in[i]) continue;
        take_row(&sample->piece, sample->from, i);
        if (sample->piece.rows.rows < PIECE) continue;
        learn_gradient_add(work, gradient, &sample->piece, work->whole);
        sample->piece.rows.rows = 0;
    }
    learn_gradient_add(work, gradient, &sample->piece, work->whole);
    DUSK_TRY(learn_noise_release(&gradient->noise, out, tensor_sum_totals(&work->sum), gen, err));
done:
    return status;
}
