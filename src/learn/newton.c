/* SPDX-License-Identifier: Apache-2.0 */
/* Newton steps with noise [Avella-Medina, Bradshaw & Loh 2023; Ganesh et al. 2023]. A noisy second derivative may have eigenvalues
 * near 0 or below, of which a step would be anything: they count as the size of the noise. */
#include "learn/newton.h"

#include <lapacke.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"

#define MARGIN_STEP 0x1p-35

/* Bits of a coefficient, so that what a row adds to a cell is at most TENSOR_ROW_MOST. */
static int coefficient_bits(double clip)
{
    int bits = 43 - 2 * LEARN_BITS - (int)ceil(log2(clip));
    return bits > 12 ? 12 : bits;
}

DUSK_PROVEN(learn_plan_curvature)
dusk_status learn_plan_curvature(learn_job *job, learn_curvature *out, const learn_loss *loss, double length,
                                 double share, uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double clip = loss->smoothness * length * length;
    const int bits = coefficient_bits(clip), grid = -2 * LEARN_BITS - bits;
    learn_curvature c = { .width = job->features.width, .one = ldexp(1, bits) };

    if (!(job->budget.delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a delta, or use method=full",
                         "noisy second derivatives need a delta");
    if (c.width > 2048)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use method=full",
                         "method=newton is for at most 2048 columns, and there are %zu", c.width);
    c.clip = fmax(floor(ldexp(clip, -grid)), 1);
    DUSK_TRY(learn_budget_noise(&job->budget, &c.noise, (uint32_t)(c.width * c.width),
                                DUSK_MUTATE(CURVATURE_NOISE_FOR_HALF, c.clip, ceil(c.clip / 2)), grid, share,
                                times, err));
    learn_say(job, "%llu second derivatives of %zu numbers, with noise of deviation %.4g",
              (unsigned long long)times, c.width * (c.width + 1) / 2, c.noise.deviation);
    *out = c;
done:
    return status;
}

/* From margins to whole coefficients of at most clip / length^2. */
DUSK_PROVEN(take_curvatures)
static void take_curvatures(const learn_curvature *c, const learn_gradient *g, double *m,
                            const learn_matrix *matrix, size_t first, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        double length = fmax((double)matrix->length[first + i], 1), at = m[i] * MARGIN_STEP;
        if (g->loss.margin)
            at = matrix->code[first + i] == 1 ? at : -at;
        else
            at -= (double)matrix->target[first + i] / LEARN_ONE;
        double limit = floor(c->clip / (length * length));
        m[i] = fmin(floor(learn_loss_curvature(&g->loss, at) * c->one),
                    DUSK_MUTATE(CURVATURE_CLIPS_NOTHING, limit, INFINITY));
    }
}

static void average_triangles(double *out, size_t d)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++)
            out[i * d + j] = out[j * d + i] = (out[i * d + j] + out[j * d + i]) / 2;
}

DUSK_PROVEN(learn_curvature_release)
dusk_status learn_curvature_release(const learn_curvature *curvature, double *out,
                                    const learn_gradient *gradient, learn_gradient_work *work,
                                    const learn_matrix *matrix, const double *weights, dusk_generator *gen,
                                    dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = curvature->width;
    tensor_block *block = &work->block;
    tensor_sum sum = { 0 };
    double *scratch = NULL;

    DUSK_TRY(tensor_sum_init(&sum, d * d, err));
    DUSK_NEW(scratch, block->room * d);
    learn_gradient_round(work->whole, weights, 1, d);
    while (tensor_block_next(block)) {
        tensor_block_multiply(block, work->margin, work->whole, 1);
        take_curvatures(curvature, gradient, work->margin, matrix, block->first, block->rows);
        tensor_sum_weighted_gram(&sum, block, work->margin, scratch, curvature->clip);
    }
    DUSK_TRY(learn_noise_release(&curvature->noise, out, tensor_sum_totals(&sum), gen, err));
    average_triangles(out, d);
done:
    if (scratch) dusk_wipe(scratch, block->room * d * sizeof *scratch);
    dusk_deallocate(scratch);
    tensor_sum_clear(&sum);
    return status;
}

dusk_status learn_newton_step(const learn_curvature *curvature, double *gradient, double *second, double l2,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = curvature->width;
    const double least =
        curvature->noise.deviation * sqrt(2 * (double)d); /* the edge of the noise's spectrum */
    double *values = NULL, *parts = NULL;

    DUSK_NEW(values, d);
    DUSK_NEW(parts, d);
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', (int)d, second, (int)d, values) != 0) {
        for (size_t j = 0; j < d; j++) gradient[j] = 0; /* of what was released: no step at all */
        goto done;
    }
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++) parts[k] += second[j * d + k] * gradient[j];
    for (size_t k = 0; k < d; k++) parts[k] /= fmax(values[k], least) + l2;
    for (size_t j = 0; j < d; j++) {
        gradient[j] = 0;
        for (size_t k = 0; k < d; k++) gradient[j] += second[j * d + k] * parts[k];
    }
done:
    dusk_deallocate(values);
    dusk_deallocate(parts);
    return status;
}
