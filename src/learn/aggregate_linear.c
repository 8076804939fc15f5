/* SPDX-License-Identifier: Apache-2.0 */
/* Linear regression by subsample and aggregate [Nissim, Raskhodnikova & Smith 2007; Smith 2011]: rows go to blocks by coins of
 * their own, each block is solved by itself without noise, its weights are scaled down into a declared ball, and their mean
 * or their medians are released. A row is in one block, so it moves one of them, within the ball, whatever it is: no bound on
 * how the solution depends on rows is needed. Proof: aggregate_linear.proof.md. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/learner.h"
#include "learn/regression.h"
#include "mechanisms/quantile.h"
#include "random/keyed.h"
#include "table/numbers.h"

enum { COMBINE_MEAN, COMBINE_MEDIAN, FINE = 20 };

typedef struct aggregate_plan {
    size_t blocks;
    double bound; /* of weights, in steps of 2^-FINE */
    double ridge;
    bool median;
    learn_noise noise;  /* of the sum */
    dusk_aggregate how; /* of a median */
} aggregate_plan;

/* --- plan -------------------------------------------------------------------------------------------------- */

/* As many that a block has two rows a column, if the number of rows is declared: blocks are worth more than rows in them, since
 * the noise is that of one block. */
static size_t choose_blocks(const learn_job *job)
{
    double asked = learn_setting(job, "blocks");
    if (asked > 0) return (size_t)asked;
    if (job->rows == 0) return 100;
    return (size_t)fmin(fmax((double)job->rows / (2 * (double)job->features.width), 4), 4096);
}

DUSK_PROVEN(plan_mean)
static dusk_status plan_mean(learn_job *job, aggregate_plan *p, dusk_error *err)
{
    double moved = DUSK_MUTATE(AGGREGATE_MOVES_HALF_THE_BALL, 2, 1) * p->bound;
    dusk_status status = learn_budget_noise(&job->budget, &p->noise, (uint32_t)job->features.width, moved,
                                            -FINE, job->budget.left, 1, err);
    if (status == DUSK_OK)
        learn_say(job, "the mean of the weights of %zu blocks of rows, with noise of deviation %.4g",
                  p->blocks, p->noise.deviation / (double)p->blocks);
    return status;
}

DUSK_PROVEN(plan_medians)
static dusk_status plan_medians(learn_job *job, aggregate_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double median = 0.5;
    dusk_statement unused;
    dusk_aggregate_init(&p->how);
    p->how.neighbours = DUSK_REPLACE_ONE;
    p->how.upper = ldexp(p->bound, -FINE);
    p->how.lower = -p->how.upper;
    p->how.rows_per_unit = (uint32_t)job->budget.factor;
    DUSK_TRY(learn_budget_choices(&job->budget, &p->how.epsilon, job->features.width, err));
    DUSK_TRY(dusk_quantiles_state(&unused, &p->how, &median, 1, err));
    learn_say(job, "the medians of the weights of %zu blocks of rows, by ranks, epsilon %s each", p->blocks,
              dusk_shown_up(p->how.epsilon, 4).text);
done:
    return status;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    aggregate_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, learn_choice(job, "intercept") == 0, err));
    if (job->features.width > 4096)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fewer fields, or fewer categories",
                         "there are %zu columns, and 4096 at most are solved a block", job->features.width);
    DUSK_NEW(p, 1);
    job->plan = p;
    p->blocks = choose_blocks(job);
    p->bound = floor(learn_setting(job, "longest") * ldexp(1, FINE));
    p->ridge = learn_setting(job, "ridge");
    p->median = learn_choice(job, "combine") == COMBINE_MEDIAN;
    DUSK_TRY(p->median ? plan_medians(job, p, err) : plan_mean(job, p, err));
done:
    return status;
}

/* --- blocks ------------------------------------------------------------------------------------------------- */

/* Which rows of the frame have a label, and the block of each of them: by the coins of its number in the frame. */
DUSK_PROVEN(assign)
static dusk_status assign(const learn_job *job, uint64_t *block, const dusk_frame *frame, size_t blocks,
                          dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_frame_column *label = &frame->column[job->label];
    dusk_keyed_coins *coins = NULL;
    size_t kept = 0;
    DUSK_TRY(dusk_keyed_new(&coins, gen, err));
    DUSK_TRY(dusk_keyed_below(coins, 0, NULL, block, frame->rows, blocks, err));
    for (size_t i = 0; i < frame->rows; i++) /* rows without a label are not in the matrix */
        if (isfinite(table_number(label, i))) block[kept++] = block[i];
done:
    dusk_keyed_free(coins);
    return status;
}

/* order = rows by block, start[b] = where block b begins. */
static void sort_by_block(const uint64_t *block, size_t rows, size_t blocks, size_t *order, size_t *start)
{
    memset(start, 0, (blocks + 1) * sizeof *start);
    for (size_t i = 0; i < rows; i++) start[block[i] + 1]++;
    for (size_t b = 0; b < blocks; b++) start[b + 1] += start[b];
    for (size_t i = 0; i < rows; i++) order[start[block[i]]++] = i;
    for (size_t b = blocks; b > 0; b--) start[b] = start[b - 1];
    start[0] = 0;
}

static void add_row(const learn_matrix *matrix, size_t row, double *x, double *square, double *weights)
{
    const size_t d = matrix->rows.width;
    for (size_t j = 0; j < d; j++) x[j] = (double)matrix->rows.x[row * d + j] / LEARN_ONE;
    double y = (double)matrix->target[row] / LEARN_ONE;
    for (size_t i = 0; i < d; i++) {
        weights[i] += y * x[i];
        for (size_t j = i; j < d; j++) square[i * d + j] += x[i] * x[j];
    }
}

/* Whole steps within the ball, checked in integers; what is not finite counts as 0. */
DUSK_PROVEN(shorten)
static void shorten(double *weights, size_t d, double bound)
{
    double length = 0;
    for (size_t j = 0; j < d; j++)
        length = hypot(length, weights[j] = isfinite(weights[j]) ? ldexp(weights[j], FINE) : 0);
    double factor =
        length <= bound ? 1 : DUSK_MUTATE(AGGREGATE_KEEPS_LENGTH, isfinite(length) ? bound / length : 0, 1);
    for (;;) {
        dusk_uint128 square = 0;
        for (size_t j = 0; j < d; j++) {
            weights[j] = trunc(fmin(fmax(weights[j] * factor, -0x1p40), 0x1p40));
            square += (dusk_uint128)(weights[j] * weights[j]);
        }
        if (square <= (dusk_uint128)DUSK_MUTATE(AGGREGATE_KEEPS_LENGTH, bound * bound, 0x1p100)) return;
        factor = 1 - 0x1p-20;
    }
}

/* The upper triangle of a symmetric matrix becomes its Cholesky factor; false: it is not positive definite. Not by LAPACK, which
 * may round by where its arguments lie: what other blocks hold must not matter. */
static bool factor(double *square, size_t d)
{
    for (size_t k = 0; k < d; k++) {
        double *row = square + k * d;
        if (!(row[k] > 0)) return false;
        const double root = sqrt(row[k]);
        for (size_t j = k; j < d; j++) row[j] /= root;
        for (size_t i = k + 1; i < d; i++)
            for (size_t j = i; j < d; j++) square[i * d + j] -= row[i] * row[j];
    }
    return true;
}

/* weights = (U^T U)^-1 weights */
static void solve(const double *upper, double *weights, size_t d)
{
    for (size_t k = 0; k < d; k++) {
        weights[k] /= upper[k * d + k];
        for (size_t j = k + 1; j < d; j++) weights[j] -= upper[k * d + j] * weights[k];
    }
    for (size_t k = d; k-- > 0;) {
        for (size_t j = k + 1; j < d; j++) weights[k] -= upper[k * d + j] * weights[j];
        weights[k] /= upper[k * d + k];
    }
}

/* The weights of one block, in whole steps; `square` has d * d numbers, x d. */
DUSK_PROVEN(solve_block)
static void solve_block(const learn_matrix *matrix, const size_t *rows, size_t n, const aggregate_plan *p,
                        double *square, double *x, double *weights)
{
    const size_t d = matrix->rows.width;
    memset(square, 0, d * d * sizeof *square);
    memset(weights, 0, d * sizeof *weights);
    for (size_t i = 0; i < n; i++) add_row(matrix, rows[i], x, square, weights);
    for (size_t i = 0; i < d; i++) square[i * d + i] += p->ridge;
    if (factor(square, d))
        solve(square, weights, d);
    else
        memset(weights, 0, d * sizeof *weights); /* nothing to be said */
    shorten(weights, d, p->bound);
}

/* --- fit ------------------------------------------------------------------------------------------------------ */

/* solved: blocks * d numbers, in steps. */
static dusk_status solve_blocks(const learn_job *job, double *solved, const dusk_frame *frame,
                                dusk_generator *gen, const learn_matrix *matrix, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const aggregate_plan *p = job->plan;
    const size_t d = job->features.width;
    uint64_t *block = NULL;
    size_t *order = NULL, *start = NULL;
    double *square = NULL, *x = NULL;

    DUSK_NEW(block, frame->rows);
    DUSK_NEW(order, matrix->rows.rows);
    DUSK_NEW(start, p->blocks + 1);
    DUSK_NEW(square, d * d);
    DUSK_NEW(x, d);
    DUSK_TRY(assign(job, block, frame, p->blocks, gen, err));
    sort_by_block(block, matrix->rows.rows, p->blocks, order, start);
    for (size_t b = 0; b < p->blocks; b++)
        solve_block(matrix, order + start[b], start[b + 1] - start[b], p, square, x, solved + b * d);
done:
    dusk_deallocate(block);
    dusk_deallocate(order);
    dusk_deallocate(start);
    if (square) dusk_wipe(square, d * d * sizeof *square);
    dusk_deallocate(square);
    if (x) dusk_wipe(x, d * sizeof *x);
    dusk_deallocate(x);
    return status;
}

DUSK_PROVEN(release_mean)
static dusk_status release_mean(const aggregate_plan *p, const double *solved, double *weights, size_t d,
                                dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 *totals = NULL;
    DUSK_NEW(totals, d);
    for (size_t i = 0; i < p->blocks * d; i++) totals[i % d] += (int64_t)solved[i];
    DUSK_TRY(learn_noise_release(&p->noise, weights, totals, gen, err));
    for (size_t j = 0; j < d; j++) weights[j] /= (double)p->blocks;
done:
    if (totals) dusk_wipe(totals, d * sizeof *totals);
    dusk_deallocate(totals);
    return status;
}

DUSK_PROVEN(release_medians)
static dusk_status release_medians(const aggregate_plan *p, const double *solved, double *weights, size_t d,
                                   dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double median = 0.5;
    double *column = NULL, unused;
    dusk_statement statement;
    DUSK_NEW(column, p->blocks);
    for (size_t j = 0; j < d; j++) {
        for (size_t b = 0; b < p->blocks; b++) column[b] = ldexp(solved[b * d + j], -FINE);
        DUSK_TRY(dusk_quantiles_release(&weights[j], &unused, &statement, &p->how, &median, 1, column,
                                        p->blocks, gen, err));
    }
done:
    if (column) dusk_wipe(column, p->blocks * sizeof *column);
    dusk_deallocate(column);
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const aggregate_plan *p = job->plan;
    const size_t d = job->features.width;
    learn_matrix matrix = { .bound = 0 };
    double *solved = NULL, *weights = NULL;

    DUSK_NEW(solved, p->blocks * d);
    DUSK_NEW(weights, d);
    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(solve_blocks(job, solved, frame, gen, &matrix, err));
    DUSK_TRY(p->median ? release_medians(p, solved, weights, d, gen, err)
                       : release_mean(p, solved, weights, d, gen, err));
    DUSK_TRY(learn_put_linear(job, weights, NULL, 0, err));
    DUSK_TRY(learn_put_number(job, "blocks", (double)p->blocks, err));
done:
    learn_matrix_clear(&matrix);
    if (solved) dusk_wipe(solved, p->blocks * d * sizeof *solved);
    dusk_deallocate(solved);
    dusk_deallocate(weights);
    return status;
}

static const dusk_setting settings[] = {
    { "blocks", "0", NULL, 0, 65536, true,
      "of rows; 0: two rows a column and block if rows are declared, else 100" },
    { "combine", "mean", "mean|median", 0, 0, false, "of the blocks' weights" },
    { "longest", "1", NULL, 0x1p-10, 64, false,
      "the length that weights end at, columns and label being in [-1, 1]" },
    { "ridge", "0.1", NULL, 1e-6, 1e9, false, "added to the sums of squares of a block" },
    { "intercept", "yes", "yes|no", 0, 0, false, "a constant column" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_aggregate_linear = {
    .shown = { "aggregate_linear", DUSK_TASK_NUMBER, DUSK_NUMERICS_EXACT,
               "linear regression on blocks of rows without noise; the mean or medians of their weights",
               "Nissim, Raskhodnikova & Smith 2007; Smith 2011", settings },
    .plan = plan,
    .fit = fit,
    .outputs = learn_linear_outputs,
    .predict = learn_linear_predict,
    .complete = learn_linear_complete,
};
