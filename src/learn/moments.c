/* SPDX-License-Identifier: Apache-2.0 */
/* Second moments with noise. Gaussian noise is drawn for all d^2 numbers, each off the diagonal twice, and the two are
 * averaged afterwards: the least noise for x x^T of a bounded Frobenius norm, since mirroring one triangle would waste a factor
 * of sqrt(2). Without delta the noise grows with the number of coordinates, and one triangle is released. Proof:
 * moments.proof.md. */
#include "learn/moments.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"

static size_t triangle(size_t d) { return d * (d + 1) / 2; }

DUSK_PROVEN(learn_plan_moments)
dusk_status learn_plan_moments(learn_job *job, learn_moments *out, double share, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = job->features.width, cells = job->budget.delta > 0 ? d * d : triangle(d);
    const double bound = job->features.bound;

    if (d > 8192)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fewer fields, or fewer categories",
                         "a matrix of second moments of %zu columns is too large (at most 8192)", d);
    out->width = d;
    out->bound = bound;
    DUSK_TRY(learn_budget_noise(&job->budget, &out->noise, (uint32_t)cells,
                                DUSK_MUTATE(MOMENTS_ROWS_ARE_SHORT, bound * bound, bound * LEARN_ONE),
                                -2 * LEARN_BITS, share, 1, err));
    learn_say(job, "the matrix of second moments, %zu numbers, with noise of deviation %.4g", triangle(d),
              out->noise.deviation);
done:
    return status;
}

/* The upper triangle only, one row after the other. */
static void take_triangle(dusk_int128 *out, const dusk_int128 *totals, size_t d)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = i; j < d; j++) *out++ = totals[i * d + j];
}

static void spread_triangle(double *out, const double *released, size_t d)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = i; j < d; j++) out[i * d + j] = out[j * d + i] = *released++;
}

static void average_triangles(double *out, size_t d)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++)
            out[i * d + j] = out[j * d + i] = (out[i * d + j] + out[j * d + i]) / 2;
}

static dusk_status add_up(tensor_sum *sum, const learn_matrix *matrix, double bound, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    tensor_block block = { 0 };
    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    while (tensor_block_next(&block)) tensor_sum_gram(sum, &block, bound * bound);
done:
    tensor_block_close(&block);
    return status;
}

DUSK_PROVEN(learn_moments_release)
dusk_status learn_moments_release(const learn_moments *moments, double *out, const dusk_int128 *totals,
                                  dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = moments->width;
    dusk_int128 *half = NULL;
    double *released = NULL;

    if (moments->noise.gaussian) {
        DUSK_TRY(learn_noise_release(&moments->noise, out, totals, gen, err));
        average_triangles(out, d);
        return DUSK_OK;
    }
    DUSK_NEW(half, triangle(d));
    DUSK_NEW(released, triangle(d));
    take_triangle(half, totals, d);
    DUSK_TRY(learn_noise_release(&moments->noise, released, half, gen, err));
    spread_triangle(out, released, d);
done:
    if (half) dusk_wipe(half, triangle(d) * sizeof *half);
    dusk_deallocate(half);
    dusk_deallocate(released);
    return status;
}

DUSK_PROVEN(learn_fit_moments)
dusk_status learn_fit_moments(const learn_moments *moments, double *out, const learn_matrix *matrix,
                              dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    tensor_sum sum = { 0 };
    DUSK_TRY(tensor_sum_init(&sum, moments->width * moments->width, err));
    DUSK_TRY(add_up(&sum, matrix, moments->bound, err));
    DUSK_TRY(learn_moments_release(moments, out, tensor_sum_totals(&sum), gen, err));
done:
    tensor_sum_clear(&sum);
    return status;
}
