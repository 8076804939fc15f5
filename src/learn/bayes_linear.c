/* SPDX-License-Identifier: Apache-2.0 */
/* Bayesian linear regression on noisy sufficient statistics, aware of the noise. Bernstein & Sheldon 2019 sample the
 * posterior; this is a Gaussian approximation of it. With the prior w ~ N(0, t^2) for every weight,
 *
 *     products - moments w = X^T residuals + e - E w,
 *
 * whose right side is taken as normal, with covariance S = s2 X^T X + cov(e - E w). Then w is normal with precision
 * moments S^-1 moments + I / t^2. S depends on w, through its mean and covariance, and on the variance of residuals s2, which is
 * set by the released statistics (empirical Bayes); a dozen rounds of both settle them. Without noise it is the textbook posterior
 * of a known s2. Being post-processing of exact releases, its promise is exact: regression.proof.md. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/learner.h"
#include "learn/regression.h"

enum { ROUNDS = 12 };

typedef struct bayes_plan {
    learn_regression regression;
    double prior, confidence;
} bayes_plan;

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bayes_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, learn_choice(job, "intercept") == 0, err));
    DUSK_NEW(p, 1);
    job->plan = p;
    p->prior = learn_setting(job, "prior");
    p->confidence = learn_setting(job, "confidence");
    DUSK_TRY(learn_plan_regression(job, &p->regression, err));
done:
    return status;
}

/* --- fit ------------------------------------------------------------------------------------------------ */

/* mean and right: d long; the others d * d. */
typedef struct work {
    double *mean, *right;
    double *kept, *covariance, *spread, *product;
} work;

static dusk_status work_init(work *w, double **room, size_t d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(*room, 2 * d + 4 * d * d);
    w->mean = *room;
    w->right = w->mean + d;
    w->kept = w->right + d;
    w->covariance = w->kept + d * d;
    w->spread = w->covariance + d * d;
    w->product = w->spread + d * d;
done:
    return status;
}

/* Moments without what noise made negative. */
static void keep_positive(const learn_statistics *s, work *w)
{
    learn_spectrum(s->width, s->moments, w->mean, w->covariance);
    for (size_t k = 0; k < s->width; k++) w->mean[k] = fmax(w->mean[k], 0);
    learn_from_spectrum(s->width, w->covariance, w->mean, w->spread, w->kept);
}

/* Symmetric and positive definite, in place; false when it is not, to the last bits. */
static bool invert(double *matrix, size_t width)
{
    const int d = (int)width;
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', d, matrix, d) != 0) return false;
    if (LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'U', d, matrix, d) != 0) return false;
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < i; j++) matrix[i * width + j] = matrix[j * width + i];
    return true;
}

/* The posterior for what S was at the last round; mean and covariance stay as they are when a matrix is singular to the
 * last bits. */
static bool improve(const learn_statistics *s, work *w, double variance, double prior)
{
    const size_t d = s->width;
    const int n = (int)d;
    for (size_t i = 0; i < d * d; i++) w->product[i] = w->mean[i / d] * w->mean[i % d] + w->covariance[i];
    learn_noise_covariance(s, w->product, w->spread);
    for (size_t i = 0; i < d * d; i++) w->spread[i] += variance * w->kept[i];
    if (!invert(w->spread, d)) return false;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, s->moments, n, w->spread, n, 0,
                w->product, n);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, w->product, n, s->moments, n, 0,
                w->spread, n);
    for (size_t i = 0; i < d; i++) w->spread[i * d + i] += 1 / (prior * prior);
    if (!invert(w->spread, d)) return false;
    memcpy(w->covariance, w->spread, d * d * sizeof *w->covariance);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, w->product, n, s->products, 1, 0, w->right, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, w->covariance, n, w->right, 1, 0, w->mean, 1);
    return true;
}

static double find_posterior(const learn_statistics *s, work *w, double prior)
{
    keep_positive(s, w);
    memset(w->mean, 0, s->width * sizeof *w->mean);
    memset(w->covariance, 0, s->width * s->width * sizeof *w->covariance);
    double variance = learn_residual_variance(s, w->mean, w->kept);
    for (int round = 0; round < ROUNDS && improve(s, w, variance, prior); round++)
        variance = fmin(learn_residual_variance(s, w->mean, w->kept), 4); /* no residual is larger than 2 */
    return variance;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bayes_plan *p = job->plan;
    const dusk_field *label = job->label_field;
    learn_statistics s = { .width = 0 };
    double *room = NULL;
    work w = { .mean = NULL };

    DUSK_TRY(work_init(&w, &room, job->features.width, err));
    DUSK_TRY(learn_fit_regression(job, &p->regression, &s, frame, gen, err));
    double variance = find_posterior(&s, &w, p->prior);
    DUSK_TRY(learn_put_linear(job, w.mean, w.covariance, p->confidence, err));
    DUSK_TRY(learn_model_put(job->model, "covariance", s.width, s.width, w.covariance, err));
    DUSK_TRY(learn_put_number(job, "residual", sqrt(variance) * (label->upper / 2 - label->lower / 2), err));
    DUSK_TRY(learn_put_number(job, "rows", s.rows, err));
done:
    learn_statistics_clear(&s);
    dusk_deallocate(room);
    return status;
}

static const dusk_setting settings[] = {
    { "prior", "0.5", NULL, 1e-3, 1e3, false,
      "deviation of weights before anything is known, columns and label being in [-1, 1]" },
    { "intercept", "yes", "yes|no", 0, 0, false, "a constant column" },
    { "confidence", "0.95", NULL, 0.5, 0.9999, false, "of intervals" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_bayes_linear = {
    .shown = { "bayes_linear", DUSK_TASK_NUMBER, DUSK_NUMERICS_EXACT,
               "Bayesian linear regression that knows of the noise: a normal posterior",
               "Bernstein & Sheldon 2019", settings },
    .plan = plan,
    .fit = fit,
    .versions = true,
    .outputs = learn_linear_outputs,
    .predict = learn_linear_predict,
    .complete = learn_linear_complete,
};
