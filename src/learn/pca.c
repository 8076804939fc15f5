/* SPDX-License-Identifier: Apache-2.0 */
/* Principal components of rows about a released mean.
 *   gauss  of a noisy matrix of second moments ("Analyze Gauss") [Dwork, Talwar, Thakurta & Zhang 2014]. A row x of length at
 *          most R adds x x^T, of Frobenius norm at most R^2; noise is sigma on the diagonal and sigma / sqrt(2) off it. A small constant column
 *          in the same release tells the mean once more, so that a poor first centre does not pass for a component.
 *   power  by the noisy power method [Hardt & Price 2014], for rows too wide for a matrix.
 * Rows farther from the centre than a released median distance count as if they were that far (ball.h): directions stay, and noise is
 * for the rows that are there, not for those that bounds allow. Variances are those of rows as they count. Proofs: ball.proof.md,
 * moments.proof.md, power.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/learner.h"
#include "learn/moments.h"
#include "learn/power.h"
#include "learn/spectrum.h"

#define CONSTANT 0.25 /* of the radius: costs 6 % more noise */

enum { GAUSS, POWER };

typedef struct pca_plan {
    size_t components;
    bool centred, power;
    learn_ball_plan ball;
    learn_moments moments;
    learn_power iterations;
} pca_plan;

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    pca_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, false, err));
    job->features.unmeasured = true;
    DUSK_NEW(p, 1);
    job->plan = p;
    const size_t d = job->features.width, k = (size_t)learn_setting(job, "components");
    p->components = k;
    p->centred = learn_choice(job, "centre") == 0;
    p->power = learn_choice(job, "method") == POWER;
    if (k > d)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer", "there are %zu columns, and %zu components",
                         d, k);
    if (!p->power && d >= 8192)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use method=power",
                         "a matrix of %zu columns is too large: at most 8191", d);
    DUSK_TRY(learn_plan_ball(job, &p->ball, p->centred ? learn_setting(job, "centre_share") : 0,
                             learn_choice(job, "radius") == 0 ? 0.03 : 0, err));
    if (p->power)
        status = learn_plan_power(job, &p->iterations, 2 * k + 4 < d ? 2 * k + 4 : d,
                                  (size_t)learn_setting(job, "iterations"), job->budget.left, err);
    else
        status = learn_plan_ball_moments(job, &p->moments, p->centred ? CONSTANT : 0, job->budget.left, err);
done:
    return status;
}

/* From (X, constant)^T (X, constant) to the covariance of X, in place; `shift` gets the mean, no longer than rows. */
static void take_mean_out(double *moments, double *shift, size_t d, double *count, bool count_is_declared)
{
    const size_t wide = d + 1;
    double square = 0;
    if (!count_is_declared) *count = fmax(moments[d * wide + d] / (CONSTANT * CONSTANT), 1);
    for (size_t j = 0; j < d; j++) {
        shift[j] = moments[j * wide + d] / CONSTANT / *count;
        square += shift[j] * shift[j];
    }
    for (size_t j = 0; j < d; j++) shift[j] /= fmax(sqrt(square), 1);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            moments[i * d + j] = moments[i * wide + j] - *count * shift[i] * shift[j];
}

/* Overwrites the matrix. */
static dusk_status put_spectrum(learn_job *job, const learn_ball *ball, double *matrix, const double *shift,
                                double count, double noise, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const pca_plan *p = job->plan;
    const size_t d = job->features.width, k = p->components;
    double *values = NULL, *parts = NULL, total = 0;

    DUSK_NEW(values, k);
    DUSK_NEW(parts, k * d);
    for (size_t j = 0; j < d; j++) total += matrix[j * d + j] / count;
    DUSK_TRY(learn_eigenvectors(matrix, d, k, values, parts, err));
    DUSK_TRY(
        learn_model_put(job->model, "moments", 1, k, values, err)); /* as released, in units of the radius */
    for (size_t c = 0; c < k; c++) values[c] = learn_value_without_noise(values[c], noise, d) / count;
    DUSK_TRY(learn_put_components(job->model, ball, shift, parts, k, values, total, err));
done:
    dusk_deallocate(values);
    dusk_deallocate(parts);
    return status;
}

static dusk_status fit_gauss(learn_job *job, const learn_ball *ball, const learn_matrix *matrix,
                             dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const pca_plan *p = job->plan;
    const size_t d = job->features.width, wide = p->moments.width;
    double *moments = NULL, *shift = NULL, count = ball->count;
    double off = p->moments.noise.gaussian ? M_SQRT1_2 : 1;

    DUSK_NEW(moments, wide * wide);
    DUSK_NEW(shift, d);
    DUSK_TRY(learn_fit_ball_moments(&p->moments, ball, moments, matrix, gen, err));
    if (p->centred) take_mean_out(moments, shift, d, &count, job->rows > 0);
    DUSK_TRY(put_spectrum(job, ball, moments, shift, count, p->moments.noise.deviation * off, err));
done:
    dusk_deallocate(moments);
    dusk_deallocate(shift);
    return status;
}

static dusk_status fit_power(learn_job *job, const learn_ball *ball, const learn_matrix *matrix,
                             dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const pca_plan *p = job->plan;
    const size_t d = job->features.width, vectors = p->iterations.vectors;
    double *values = NULL, *parts = NULL, total;

    DUSK_NEW(values, vectors);
    DUSK_NEW(parts, vectors * d);
    DUSK_TRY(learn_fit_power(job, &p->iterations, ball, parts, values, &total, matrix, gen, err));
    DUSK_TRY(learn_put_components(job->model, ball, NULL, parts, p->components, values, total, err));
done:
    dusk_deallocate(values);
    dusk_deallocate(parts);
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const pca_plan *p = job->plan;
    learn_matrix matrix = { .bound = 0 };
    learn_ball ball = { 0 };

    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(learn_fit_ball(job, &p->ball, &ball, &matrix, gen, err));
    DUSK_TRY((p->power ? fit_power : fit_gauss)(job, &ball, &matrix, gen, err));
done:
    learn_ball_clear(&ball);
    learn_matrix_clear(&matrix);
    return status;
}

static const dusk_setting settings[] = {
    { "components", "2", NULL, 1, 4096, true, "how many" },
    { "method", "gauss", "gauss|power", 0, 0, false,
      "a noisy matrix of second moments, or the noisy power method for very wide rows" },
    { "centre", "yes", "yes|no", 0, 0, false, "about a released mean, or about the middle of the bounds" },
    { "centre_share", "0.07", NULL, 0.001, 0.9, false, "of the budget, for the mean" },
    { "radius", "median", "median|bounds", 0, 0, false,
      "rows farther away than a released median distance count as if they were that far, or none does" },
    { "iterations", "4", NULL, 1, 100, true, "of method=power" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_pca = {
    .shown = { "pca", DUSK_TASK_VECTOR, DUSK_NUMERICS_EXACT,
               "principal components of rows, by a noisy matrix of second moments or the noisy power method",
               "Dwork, Talwar, Thakurta & Zhang 2014; Hardt & Price 2014", settings },
    .plan = plan,
    .fit = fit,
    .outputs = learn_components_outputs,
    .predict = learn_components_predict,
    .complete = learn_components_complete,
};
