/* SPDX-License-Identifier: Apache-2.0 */
/* The sufficient statistics of linear regression with noise: X^T X, X^T y, y^T y and the number of rows, exact sums of one
 * pass. They are released apart, each with a share of the budget: with delta the squares of what they cost add up, so
 * that this is the same as one release of all of them with each scaled for itself [Dong, Roth & Su 2022], and
 * tighter than the matrix of (x, y) as one row, whose products x y would have to share one scale with x x^T.
 * Everything after that is post-processing. Proof: regression.proof.md. */
#include "learn/regression.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/blocks.h"
#include "learn/scaling.h"

/* --- plan -------------------------------------------------------------------------------------------- */

/* Of what is left: X^T X and X^T y matter about equally [Wang 2018]; the other two are single numbers. */
static const double share_moments = 0.46, share_products = 0.5, share_squares = 0.02, share_count = 0.02;

DUSK_PROVEN(learn_plan_regression)
dusk_status learn_plan_regression(learn_job *job, learn_regression *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double bound = job->features.bound, left = job->budget.left;
    const uint32_t width = (uint32_t)job->features.width;
    const double unused = job->rows > 0 ? share_count : 0; /* a declared number of rows costs nothing */

    DUSK_TRY(learn_plan_moments(job, &out->moments, left * (share_moments + unused), err));
    DUSK_TRY(learn_budget_noise(&job->budget, &out->products, width,
                                DUSK_MUTATE(REGRESSION_LABEL_IS_SMALL, bound * LEARN_ONE, bound),
                                -2 * LEARN_BITS, left * share_products, 1, err));
    learn_say(job, "the sums of columns times label, %u numbers, with noise of deviation %.4g", width,
              out->products.deviation);
    DUSK_TRY(learn_budget_noise(&job->budget, &out->squares, 1, LEARN_ONE * LEARN_ONE, -2 * LEARN_BITS,
                                left * share_squares, 1, err));
    learn_say(job, "the sum of the label's squares, with noise of deviation %.4g", out->squares.deviation);
    DUSK_TRY(learn_plan_count(job, &out->count, left * share_count, err));
done:
    return status;
}

/* --- one pass ------------------------------------------------------------------------------------------- */

DUSK_PROVEN(learn_sum_products)
dusk_status learn_sum_products(tensor_sum *out, size_t *rows, const learn_features *features,
                               const dusk_frame *frame, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double most = fmax(features->bound, LEARN_ONE);
    learn_blocks blocks = { .at = 0 };
    DUSK_TRY(learn_blocks_open(&blocks, features, frame, LEARN_BLOCKS_JOINED, err));
    DUSK_TRY(tensor_sum_init(out, blocks.shape.width * blocks.shape.width, err));
    while (learn_blocks_next(&blocks)) tensor_sum_gram(out, &blocks.block, most * most);
    *rows = blocks.used;
done:
    learn_blocks_close(&blocks);
    return status;
}

/* totals, (d + 1)^2 of them, become x x^T, d * d in a row; x y goes to `products`, y y is returned. */
static dusk_int128 take_apart(dusk_int128 *totals, dusk_int128 *products, size_t d)
{
    dusk_int128 square = totals[(d + 1) * (d + 1) - 1];
    for (size_t i = 0; i < d; i++) products[i] = totals[i * (d + 1) + d];
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) totals[i * d + j] = totals[i * (d + 1) + j];
    return square;
}

void learn_statistics_clear(learn_statistics *statistics)
{
    dusk_deallocate(statistics->moments);
    dusk_deallocate(statistics->products);
    *statistics = (learn_statistics){ .width = 0 };
}

static void describe_noise(learn_statistics *out, const learn_regression *regression)
{
    out->moment_noise = regression->moments.noise.deviation;
    out->corner_noise = out->moment_noise * (regression->moments.noise.gaussian ? M_SQRT1_2 : 1);
    out->product_noise = regression->products.deviation;
    out->square_noise = regression->squares.deviation;
}

/* The releases, of sums that learn_sum_products made. */
static dusk_status release(const learn_regression *regression, learn_statistics *out,
                           const dusk_int128 *totals, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = out->width, cells = (d + 1) * (d + 1);
    dusk_int128 *moments = NULL, *products = NULL, square = 0;
    DUSK_NEW(moments, cells);
    DUSK_NEW(products, d);
    memcpy(moments, totals, cells * sizeof *moments);
    square = take_apart(moments, products, d);
    DUSK_TRY(learn_moments_release(&regression->moments, out->moments, moments, gen, err));
    DUSK_TRY(learn_noise_release(&regression->products, out->products, products, gen, err));
    DUSK_TRY(learn_noise_release(&regression->squares, &out->squares, &square, gen, err));
    if (DUSK_MUTATE(REGRESSION_SQUARES_ARE_BARE, false, true))
        out->squares = ldexp((double)square, -2 * LEARN_BITS);
done:
    if (moments) dusk_wipe(moments, cells * sizeof *moments);
    if (products) dusk_wipe(products, d * sizeof *products);
    dusk_deallocate(moments);
    dusk_deallocate(products);
    return status;
}

DUSK_PROVEN(learn_fit_regression)
dusk_status learn_fit_regression(learn_job *job, const learn_regression *regression, learn_statistics *out,
                                 const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = job->features.width;
    learn_statistics made = { .width = d };
    tensor_sum sum = { 0 };
    size_t rows = 0;

    *out = made;
    DUSK_NEW(made.moments, d * d);
    DUSK_NEW(made.products, d);
    DUSK_TRY(learn_fit_scaling(job, frame, gen, err));
    DUSK_TRY(learn_sum_products(&sum, &rows, &job->features, frame, err));
    DUSK_TRY(release(regression, &made, tensor_sum_totals(&sum), gen, err));
    DUSK_TRY(learn_fit_count(job, &regression->count, &made.rows, rows, gen, err));
    describe_noise(&made, regression);
    *out = made;
    made = (learn_statistics){ .width = 0 };
done:
    learn_statistics_clear(&made);
    tensor_sum_clear(&sum);
    return status;
}

/* --- of what was released ---------------------------------------------------------------------------------- */

/* (E w)_i has the variance sum_k var(E_ik) w_k^2; E_ij is all that rows i and j of the symmetric E share, so their
 * covariance is var(E_ij) w_i w_j. */
void learn_noise_covariance(const learn_statistics *s, const double *second, double *out)
{
    const size_t d = s->width;
    const double corner = s->corner_noise * s->corner_noise,
                 more = s->moment_noise * s->moment_noise - corner;
    double square = 0;
    if (DUSK_MUTATE(LINEAR_ERRORS_FORGET_NOISE, false, true)) {
        memset(out, 0, d * d * sizeof *out);
        return;
    }
    for (size_t i = 0; i < d; i++) square += second[i * d + i];
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) out[i * d + j] = corner * second[i * d + j];
        out[i * d + i] = corner * square + more * second[i * d + i] + s->product_noise * s->product_noise;
    }
}

double learn_adaptive_ridge(const learn_statistics *s, double least)
{
    double d = (double)s->width, level = s->moment_noise * sqrt(d * log(2 * d * d / 0.05)) / 2;
    return fmax(level - fmax(least, 0), 0);
}

double learn_residual_variance(const learn_statistics *s, const double *weights, const double *kept)
{
    const size_t d = s->width;
    double square = 0, sum = s->squares;
    for (size_t i = 0; i < d; i++) {
        double row = 0;
        for (size_t j = 0; j < d; j++) row += kept[i * d + j] * weights[j];
        sum += weights[i] * (row - 2 * s->products[i]);
        square += weights[i] * weights[i];
    }
    double noise = s->square_noise * s->square_noise + 4 * square * s->product_noise * s->product_noise +
                   square * square * s->moment_noise * s->moment_noise;
    return fmax(sum, sqrt(noise)) / fmax(s->rows - (double)d, 1);
}

void learn_spectrum(size_t width, const double *matrix, double *values, double *vectors)
{
    if (vectors != matrix) memcpy(vectors, matrix, width * width * sizeof *vectors);
    if (LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', (int)width, vectors, (int)width, values) == 0) return;
    memset(values, 0, width * sizeof *values);
    memset(vectors, 0, width * width * sizeof *vectors);
    for (size_t i = 0; i < width; i++) vectors[i * width + i] = 1;
}

void learn_from_spectrum(size_t width, const double *vectors, const double *values, double *scratch,
                         double *out)
{
    const int d = (int)width;
    for (size_t i = 0; i < width; i++)
        for (size_t k = 0; k < width; k++) scratch[i * width + k] = vectors[i * width + k] * values[k];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, d, d, d, 1, scratch, d, vectors, d, 0, out, d);
}
