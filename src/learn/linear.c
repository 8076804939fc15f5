/* SPDX-License-Identifier: Apache-2.0 */
/* Linear regression on noisy sufficient statistics. AdaSSP [Wang 2018] adds lambda I to the noisy X^T X, just so much that
 * the least eigenvalue stands out of the noise. Here that eigenvalue is read off the noisy matrix, which costs nothing and
 * needs no bound on the error of an eigenvalue of private sums; negative ones, which noise alone can make, count as 0; and
 * half of Wang's lambda is used, which is a constant. Also: the plain solution (ssp), and a given lambda (ridge).
 *
 * Standard errors: with w = M^-1 (X^T y + e), M = X^T X + E + lambda, and y = X w0 + residuals of variance s2,
 * to first order w - w0 = M^-1 (X^T residuals + e - E w - lambda w), so that the mean square is
 * M^-1 (s2 X^T X + cov(e - E w) + lambda^2 w w^T) M^-1. That is approximate: it wants noise that is small beside
 * the least eigenvalue of M ("noise_ratio" below 1/2 or so), and takes the bias of lambda as if it were one more error.
 * The promise: regression.proof.md. */
#include <cblas.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/learner.h"
#include "learn/regression.h"

enum { METHOD_ADASSP, METHOD_SSP, METHOD_RIDGE };

typedef struct linear_plan {
    learn_regression regression;
    int method;
    double lambda, confidence;
} linear_plan;

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    linear_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, learn_choice(job, "intercept") == 0, err));
    DUSK_NEW(p, 1);
    job->plan = p;
    p->method = learn_choice(job, "method");
    p->lambda = learn_setting(job, "lambda");
    p->confidence = learn_setting(job, "confidence");
    if (p->method != METHOD_RIDGE && p->lambda != 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "add method=ridge, or leave lambda out",
                         "lambda is for method=ridge: other methods choose it themselves");
    DUSK_TRY(learn_plan_regression(job, &p->regression, err));
done:
    return status;
}

/* --- fit ------------------------------------------------------------------------------------------------ */

/* All d long, but for the matrices. */
typedef struct work {
    double *values, *inverse, *kept, *weights, *turned;
    double *vectors, *middle, *solver, *scratch;
} work;

static dusk_status work_init(work *w, double **room, size_t d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *at;
    DUSK_NEW(*room, 5 * d + 4 * d * d);
    at = *room;
    double **parts[] = { &w->values, &w->inverse, &w->kept, &w->weights, &w->turned };
    for (size_t i = 0; i < 5; i++, at += d) *parts[i] = at;
    double **squares[] = { &w->vectors, &w->middle, &w->solver, &w->scratch };
    for (size_t i = 0; i < 4; i++, at += d * d) *squares[i] = at;
done:
    return status;
}

/* How much each direction bends: inverse[k] is 1 over that, or 0 where there is nothing to divide by; kept[k] is what counts as
 * the eigenvalue of X^T X. Returns lambda. */
static double choose_curvature(const linear_plan *p, const learn_statistics *s, work *w)
{
    const size_t d = s->width;
    double lambda = p->lambda, most = 0;
    if (p->method == METHOD_ADASSP) lambda = learn_adaptive_ridge(s, w->values[0]);
    for (size_t k = 0; k < d; k++) most = fmax(most, fabs(w->values[k]));
    for (size_t k = 0; k < d; k++) {
        w->kept[k] = fmax(w->values[k], 0);
        double bend = (p->method == METHOD_ADASSP ? w->kept[k] : w->values[k]) + lambda;
        w->inverse[k] = fabs(bend) > most * 0x1p-40 ? 1 / bend : 0;
    }
    return lambda;
}

/* weights = V diag(inverse) V^T products */
static void solve(const learn_statistics *s, work *w)
{
    const int d = (int)s->width;
    cblas_dgemv(CblasRowMajor, CblasTrans, d, d, 1, w->vectors, d, s->products, 1, 0, w->turned, 1);
    for (size_t k = 0; k < s->width; k++) w->turned[k] *= w->inverse[k];
    cblas_dgemv(CblasRowMajor, CblasNoTrans, d, d, 1, w->vectors, d, w->turned, 1, 0, w->weights, 1);
}

/* solver * middle * solver, into vectors; returns the variance of residuals. */
static double find_covariance(const learn_statistics *s, work *w, double lambda)
{
    const size_t d = s->width;
    const int n = (int)d;
    for (size_t i = 0; i < d * d; i++) w->scratch[i] = w->weights[i / d] * w->weights[i % d];
    learn_noise_covariance(s, w->scratch, w->middle);
    learn_from_spectrum(d, w->vectors, w->kept, w->scratch,
                        w->solver); /* X^T X without what noise made negative */
    double variance = learn_residual_variance(s, w->weights, w->solver);
    for (size_t i = 0; i < d * d; i++)
        w->middle[i] += variance * w->solver[i] + lambda * lambda * w->weights[i / d] * w->weights[i % d];
    learn_from_spectrum(d, w->vectors, w->inverse, w->scratch, w->solver);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, w->solver, n, w->middle, n, 0,
                w->scratch, n);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, w->scratch, n, w->solver, n, 0,
                w->vectors, n);
    return variance;
}

/* What the length of the noise in X^T X is expected to be, beside the least curvature. */
static double noise_ratio(const learn_statistics *s, const work *w)
{
    double steepest = 0;
    for (size_t k = 0; k < s->width; k++) steepest = fmax(steepest, fabs(w->inverse[k]));
    return 2 * s->corner_noise * sqrt((double)s->width) * steepest;
}

static dusk_status put_model(learn_job *job, const linear_plan *p, const learn_statistics *s, work *w,
                             double lambda, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_field *label = job->label_field;
    DUSK_TRY(learn_put_number(job, "noise_ratio", noise_ratio(s, w), err));
    double variance = find_covariance(s, w, lambda);
    DUSK_TRY(learn_put_linear(job, w->weights, w->vectors, p->confidence, err));
    DUSK_TRY(learn_put_number(job, "lambda", lambda, err));
    DUSK_TRY(learn_put_number(job, "residual", sqrt(variance) * (label->upper / 2 - label->lower / 2), err));
    DUSK_TRY(learn_put_number(job, "rows", s->rows, err));
done:
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const linear_plan *p = job->plan;
    learn_statistics s = { .width = 0 };
    double *room = NULL;
    work w = { .values = NULL };

    DUSK_TRY(work_init(&w, &room, job->features.width, err));
    DUSK_TRY(learn_fit_regression(job, &p->regression, &s, frame, gen, err));
    learn_spectrum(s.width, s.moments, w.values, w.vectors);
    double lambda = choose_curvature(p, &s, &w);
    solve(&s, &w);
    DUSK_TRY(put_model(job, p, &s, &w, lambda, err));
done:
    learn_statistics_clear(&s);
    dusk_deallocate(room);
    return status;
}

static const dusk_setting settings[] = {
    { "method", "adassp", "adassp|ssp|ridge", 0, 0, false,
      "lambda by the noise, none at all, or the one that is given" },
    { "lambda", "0", NULL, 0, 1e12, false,
      "added to sums of squares of columns in [-1, 1]; of method=ridge" },
    { "intercept", "yes", "yes|no", 0, 0, false, "a constant column" },
    { "confidence", "0.95", NULL, 0.5, 0.9999, false, "of intervals" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_linear = {
    .shown = { "linear", DUSK_TASK_NUMBER, DUSK_NUMERICS_EXACT,
               "linear regression on noisy sums of squares and products, with standard errors",
               "Wang 2018 (AdaSSP)", settings },
    .plan = plan,
    .fit = fit,
    .versions = true,
    .outputs = learn_linear_outputs,
    .predict = learn_linear_predict,
    .complete = learn_linear_complete,
};
