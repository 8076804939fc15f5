/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients over samples. They are never divided by the size of a sample, an empty one is released like any other, and none is cut
 * off. Proof: sampled.proof.md. */
#include "learn/sampled.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { PIECE = 1024 };

void learn_sample_close(learn_sample *sample)
{
    if (sample->piece.rows.x) sample->piece.rows.rows = PIECE; /* all of it is wiped */
    learn_matrix_clear(&sample->piece);
    learn_draw_close(&sample->draw);
    *sample = (learn_sample){ 0 };
}

dusk_status learn_sample_open(learn_sample *out, const learn_matrix *matrix, const learn_sampler *sampler,
                              dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_sample sample = { .from = matrix };
    float *x = NULL;

    *out = (learn_sample){ 0 };
    sample.piece.rows.width = matrix->rows.width;
    sample.piece.bound = matrix->bound;
    DUSK_NEW(x, PIECE * matrix->rows.width);
    sample.piece.rows.x = x;
    DUSK_NEW(sample.piece.length, PIECE);
    if (matrix->code) DUSK_NEW(sample.piece.code, PIECE);
    if (matrix->target) DUSK_NEW(sample.piece.target, PIECE);
    DUSK_TRY(learn_draw_open(&sample.draw, sampler, matrix->rows.rows, gen, err));
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
                                 uint64_t step, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t count;
    DUSK_TRY(learn_draw_take(&sample->draw, step, &count, err));
    learn_gradient_round(work->whole, weights, gradient->vectors, gradient->width);
    tensor_sum_reset(&work->sum);
    sample->piece.rows.rows = 0;
    for (size_t i = 0; i < count; i++) {
        take_row(&sample->piece, sample->from, sample->draw.row[i]);
        if (sample->piece.rows.rows < PIECE) continue;
        learn_gradient_add(work, gradient, &sample->piece, work->whole);
        sample->piece.rows.rows = 0;
    }
    learn_gradient_add(work, gradient, &sample->piece, work->whole);
    DUSK_TRY(learn_noise_release(&gradient->noise, out, tensor_sum_totals(&work->sum), gen, err));
done:
    return status;
}
