/* SPDX-License-Identifier: Apache-2.0 */
/* The noisy power method on whole numbers. Proof: power.proof.md. */
#include "learn/power.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "random/generator.h"

#define POWER_ONE 0x1p18 /* steps of 1 in V */

/* --- plan ------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(learn_plan_power)
dusk_status learn_plan_power(learn_job *job, learn_power *out, size_t vectors, size_t iterations,
                             double share, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = job->features.width;
    const double square =
        DUSK_MUTATE(POWER_ROWS_ARE_SHORT, LEARN_BALL * LEARN_BALL, LEARN_BALL * LEARN_BALL / 2);
    learn_power power = { .width = d, .vectors = vectors, .iterations = iterations };

    if (d * vectors > 1u << 26)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer components",
                         "%zu vectors of %zu columns are too many", vectors, d);
    DUSK_TRY(learn_budget_noise(&job->budget, &power.total, 1, LEARN_BALL * LEARN_BALL, -2 * LEARN_BALL_BITS,
                                share * 0.01, 1, err));
    DUSK_TRY(learn_budget_noise(&job->budget, &power.noise, (uint32_t)(d * vectors), square,
                                -2 * LEARN_BALL_BITS, share * 0.99, iterations, err));
    learn_say(job,
              "%zu times X^T X V for a matrix V of %zu vectors, %zu numbers with noise of deviation %.4g; "
              "the sum of squares, "
              "with noise of deviation %.4g",
              iterations, vectors, d * vectors, power.noise.deviation, power.total.deviation);
    *out = power;
done:
    return status;
}

/* --- rows --------------------------------------------------------------------------------------------------- */

static double square_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

/* Products of a row with the vectors, in steps of POWER_ONE * LEARN_BALL, become whole steps of the ball, together no longer than it. */
DUSK_PROVEN(make_coefficients)
static void make_coefficients(double *c, size_t k)
{
    double factor = 1 / POWER_ONE;
    do {
        for (size_t j = 0; j < k; j++) c[j] = (double)(int64_t)(c[j] * factor);
        factor = 1 - 0x1p-10;
    } while (square_of(c, k) > LEARN_BALL * LEARN_BALL);
}

typedef struct power_sums {
    tensor_sum products, squares;
    double *vectors; /* V^T in whole steps */
} power_sums;

static void add_block(power_sums *sums, const tensor_block *block, double *coefficients, size_t k, size_t d)
{
    tensor_block_multiply(block, coefficients, sums->vectors, k);
    for (size_t i = 0; i < block->rows; i++) make_coefficients(coefficients + i * k, k);
    tensor_sum_combine(&sums->products, block, coefficients, k, LEARN_BALL * LEARN_BALL);
    for (size_t i = 0; i < block->rows; i++) {
        double square = square_of(block->x + i * d, d);
        tensor_sum_add(&sums->squares, 0, &square, 1, LEARN_BALL * LEARN_BALL);
    }
}

DUSK_PROVEN(add_up)
static dusk_status add_up(power_sums *sums, const learn_power *power, const learn_ball *ball,
                          const learn_matrix *matrix, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = power->vectors, d = power->width;
    tensor_block block = { 0 };
    double *coefficients = NULL;
    tensor_sum_reset(&sums->products);
    tensor_sum_reset(&sums->squares);
    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    DUSK_NEW(coefficients, block.room * k);
    while (tensor_block_advance(&block)) {
        learn_ball_map(ball, &block);
        add_block(sums, &block, coefficients, k, d);
    }
    dusk_wipe(coefficients, block.room * k * sizeof *coefficients);
done:
    tensor_block_close(&block);
    dusk_deallocate(coefficients);
    return status;
}

/* --- released vectors ------------------------------------------------------------------------------------------- */

/* From what was released, k rows of d numbers: perpendicular rows of length 1, by falling size, and how long they were together
 * (singular values). */
static dusk_status straighten(double *rows, double *values, size_t k, size_t d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *turned = NULL, *rest = NULL;
    DUSK_NEW(turned, k * k);
    DUSK_NEW(rest, k);
    /* rows in memory are the columns of a d * k matrix: 'O' puts its left singular vectors back there */
    lapack_int info = LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'O', 'N', (lapack_int)d, (lapack_int)k, rows,
                                     (lapack_int)d, values, NULL, 1, turned, (lapack_int)k, rest);
    if (info == LAPACK_WORK_MEMORY_ERROR) status = dusk_fail_memory(err);
    if (info == 0 || status != DUSK_OK) goto done;
    memset(rows, 0, k * d * sizeof *rows);
    memset(values, 0, k * sizeof *values);
    for (size_t c = 0; c < k; c++) rows[c * d + c] = 1;
done:
    dusk_deallocate(turned);
    dusk_deallocate(rest);
    return status;
}

static dusk_status start(double *rows, double *values, size_t k, size_t d, dusk_generator *gen,
                         dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t *words = NULL;
    DUSK_NEW(words, k * d);
    DUSK_TRY(dusk_generator_words(gen, words, k * d, 64, err));
    for (size_t i = 0; i < k * d; i++) rows[i] = (double)(words[i] >> 11) * 0x1p-52 - 1;
    DUSK_TRY(straighten(rows, values, k, d, err));
done:
    dusk_deallocate(words);
    return status;
}

DUSK_PROVEN(iterate)
static dusk_status iterate(const learn_power *power, power_sums *sums, const learn_ball *ball, double *rows,
                           double *values, const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = power->vectors, d = power->width;
    for (size_t i = 0; i < k * d; i++)
        sums->vectors[i] = fmin(fmax(rint(rows[i] * POWER_ONE), -POWER_ONE), POWER_ONE); /* NaN is -1 */
    DUSK_TRY(add_up(sums, power, ball, matrix, err));
    DUSK_TRY(learn_noise_release(&power->noise, rows, tensor_sum_totals(&sums->products), gen, err));
    DUSK_TRY(straighten(rows, values, k, d, err));
done:
    return status;
}

dusk_status learn_fit_power(const learn_job *job, const learn_power *power, const learn_ball *ball,
                            double *components, double *values, double *total, const learn_matrix *matrix,
                            dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = power->vectors, d = power->width;
    power_sums sums = { .vectors = NULL };

    DUSK_TRY(tensor_sum_init(&sums.products, k * d, err));
    DUSK_TRY(tensor_sum_init(&sums.squares, 1, err));
    DUSK_NEW(sums.vectors, k * d);
    DUSK_TRY(start(components, values, k, d, gen, err));
    for (size_t t = 0; t < power->iterations; t++) {
        DUSK_TRY(iterate(power, &sums, ball, components, values, matrix, gen, err));
        learn_progress(job, (double)(t + 1) / (double)power->iterations);
    }
    DUSK_TRY(learn_noise_release(&power->total, total, tensor_sum_totals(&sums.squares), gen, err));
    *total /= ball->count;
    for (size_t c = 0; c < k; c++) /* noise of a column is about sqrt(d) deviations long, and perpendicular */
        values[c] =
            sqrt(fmax(values[c] * values[c] - (double)d * power->noise.deviation * power->noise.deviation,
                      0)) /
            ball->count;
done:
    tensor_sum_clear(&sums.products);
    tensor_sum_clear(&sums.squares);
    dusk_deallocate(sums.vectors);
    return status;
}
