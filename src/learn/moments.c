/* SPDX-License-Identifier: Apache-2.0 */
/* Second moments with noise. Gaussian noise is drawn for all d^2 numbers, each off the diagonal twice, and the two are
 * averaged afterwards: the least noise for x x^T of a bounded Frobenius norm, since mirroring one triangle would waste a factor
 * of sqrt(2). Without delta the noise grows with the number of coordinates, and one triangle is released. Proof:
 * moments.proof.md. */
#include "learn/moments.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"

static size_t triangle(size_t d) { return d * (d + 1) / 2; }

/* `square`: of the longest row, in steps of 2^grid. */
static dusk_status plan_matrix(learn_job *job, learn_moments *out, double square, int grid, double share,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = out->width, cells = job->budget.delta > 0 ? d * d : triangle(d);
    if (d > 8192)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fewer fields, or fewer categories",
                         "a matrix of second moments of %zu columns is too large (at most 8192)", d);
    DUSK_TRY(learn_budget_noise(&job->budget, &out->noise, (uint32_t)cells, square, grid, share, 1, err));
    learn_say(job, "the matrix of second moments, %zu numbers, with noise of deviation %.4g", triangle(d),
              out->noise.deviation);
done:
    return status;
}

DUSK_PROVEN(learn_plan_moments)
dusk_status learn_plan_moments(learn_job *job, learn_moments *out, double share, dusk_error *err)
{
    const double bound = job->features.bound;
    *out = (learn_moments){ .width = job->features.width, .bound = bound };
    return plan_matrix(job, out, DUSK_MUTATE(MOMENTS_ROWS_ARE_SHORT, bound * bound, bound * LEARN_ONE),
                       -2 * LEARN_BITS, share, err);
}

DUSK_PROVEN(learn_plan_ball_moments)
dusk_status learn_plan_ball_moments(learn_job *job, learn_moments *out, double constant, double share,
                                    dusk_error *err)
{
    const double steps = floor(constant * LEARN_BALL);
    *out = (learn_moments){ .width = job->features.width + (constant > 0),
                            .bound = LEARN_BALL,
                            .constant = steps };
    return plan_matrix(job, out,
                       LEARN_BALL * LEARN_BALL + DUSK_MUTATE(MOMENTS_CONSTANT_IS_FREE, steps * steps, 0),
                       -2 * LEARN_BALL_BITS, share, err);
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

/* All that is added up: X^T X, and the sums of columns where there is a constant. */
typedef struct matrix_sums {
    tensor_sum gram, columns;
} matrix_sums;

static dusk_status add_up(matrix_sums *sums, const learn_moments *moments, const learn_ball *ball,
                          const learn_matrix *matrix, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double bound = moments->bound, constant = moments->constant;
    tensor_block block = { 0 };
    double *constants = NULL;
    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    DUSK_NEW(constants, block.room);
    for (size_t i = 0; i < block.room; i++) constants[i] = constant;
    while (ball ? tensor_block_advance(&block) : tensor_block_next(&block)) {
        if (ball) learn_ball_map(ball, &block);
        tensor_sum_gram(&sums->gram, &block, bound * bound);
        if (constant > 0) tensor_sum_combine(&sums->columns, &block, constants, 1, bound * constant);
    }
done:
    tensor_block_close(&block);
    dusk_deallocate(constants);
    return status;
}

/* The matrix with the column of the constant. */
static void put_together(dusk_int128 *out, matrix_sums *sums, const learn_moments *moments, size_t rows)
{
    const size_t d = moments->width, inner = d - (moments->constant > 0);
    const dusk_int128 *gram = tensor_sum_totals(&sums->gram);
    for (size_t i = 0; i < inner; i++)
        for (size_t j = 0; j < inner; j++) out[i * d + j] = gram[i * inner + j];
    if (inner == d) return;
    const dusk_int128 *columns = tensor_sum_totals(&sums->columns);
    for (size_t j = 0; j < inner; j++) out[j * d + inner] = out[inner * d + j] = columns[j];
    out[inner * d + inner] = (dusk_int128)(moments->constant * moments->constant) * (dusk_int128)rows;
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

DUSK_PROVEN(fit_matrix)
static dusk_status fit_matrix(const learn_moments *moments, const learn_ball *ball, double *out,
                              const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = moments->width, inner = matrix->rows.width;
    matrix_sums sums = { .gram = { 0 } };
    dusk_int128 *totals = NULL;

    DUSK_TRY(tensor_sum_init(&sums.gram, inner * inner, err));
    DUSK_TRY(tensor_sum_init(&sums.columns, inner, err));
    DUSK_NEW(totals, d * d);
    DUSK_TRY(add_up(&sums, moments, ball, matrix, err));
    put_together(totals, &sums, moments, matrix->rows.rows);
    DUSK_TRY(learn_moments_release(moments, out, totals, gen, err));
done:
    tensor_sum_clear(&sums.gram);
    tensor_sum_clear(&sums.columns);
    if (totals) dusk_wipe(totals, d * d * sizeof *totals);
    dusk_deallocate(totals);
    return status;
}

dusk_status learn_fit_moments(const learn_moments *moments, double *out, const learn_matrix *matrix,
                              dusk_generator *gen, dusk_error *err)
{
    return fit_matrix(moments, NULL, out, matrix, gen, err);
}

dusk_status learn_fit_ball_moments(const learn_moments *moments, const learn_ball *ball, double *out,
                                   const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    return fit_matrix(moments, ball, out, matrix, gen, err);
}
