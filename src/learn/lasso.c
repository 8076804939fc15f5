/* SPDX-License-Identifier: Apache-2.0 */
/* The Lasso [Tibshirani 1996] on noisy sufficient statistics: the least of
 *
 *     w^T moments w / 2 - products^T w + ridge |w|^2 / 2 + lambda |w|_1,
 *
 * the constant column left out of the last sum, by coordinate descent. Moments have lost what noise made negative, and the
 * ridge is AdaSSP's (linear.c), so that the problem is convex and bounded whatever the noise was. With lambda=0 the
 * penalty is what the largest of the products would be by noise alone, sqrt(2 ln 2d) deviations: columns that are
 * not above the noise get weight 0. It does not choose lambda by validation: that would have to be paid for. Being
 * post-processing of exact releases, its promise is exact: regression.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/learner.h"
#include "learn/regression.h"

enum { SWEEPS = 2000 };

typedef struct lasso_plan {
    learn_regression regression;
    double lambda;
} lasso_plan;

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    lasso_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, learn_choice(job, "intercept") == 0, err));
    DUSK_NEW(p, 1);
    job->plan = p;
    p->lambda = learn_setting(job, "lambda");
    DUSK_TRY(learn_plan_regression(job, &p->regression, err));
done:
    return status;
}

static double shrink(double x, double by) { return copysign(fmax(fabs(x) - by, 0), x); }

/* One turn over all columns; slope = matrix * weights is kept up to date. Returns the largest step. */
static double sweep(const learn_features *features, const double *matrix, const double *products,
                    double lambda, double *weights, double *slope)
{
    const size_t d = features->width;
    double largest = 0;
    for (size_t j = 0; j < d; j++) {
        double bend = matrix[j * d + j], penalty = features->feature[j].column == DUSK_NO_LINK ? 0 : lambda;
        if (!(bend > 0)) continue;
        double wanted = shrink(products[j] - slope[j] + bend * weights[j], penalty) / bend;
        double step = wanted - weights[j];
        if (step == 0) continue;
        weights[j] = wanted;
        for (size_t i = 0; i < d; i++) slope[i] += step * matrix[j * d + i];
        largest = fmax(largest, fabs(step));
    }
    return largest;
}

/* matrix = moments without what is negative, and the ridge; vectors and values are scratch. Returns the ridge. */
static double make_convex(const learn_statistics *s, double *matrix, double *vectors, double *scratch,
                          double *values)
{
    const size_t d = s->width;
    learn_spectrum(d, s->moments, values, vectors);
    double ridge = learn_adaptive_ridge(s, values[0]);
    for (size_t k = 0; k < d; k++) values[k] = fmax(values[k], 0) + ridge;
    learn_from_spectrum(d, vectors, values, scratch, matrix);
    return ridge;
}

static dusk_status put_model(learn_job *job, const double *weights, double lambda, double ridge, double rows,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(learn_put_linear(job, weights, NULL, 0, err));
    DUSK_TRY(learn_put_number(job, "lambda", lambda, err));
    DUSK_TRY(learn_put_number(job, "ridge", ridge, err));
    DUSK_TRY(learn_put_number(job, "rows", rows, err));
done:
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const lasso_plan *p = job->plan;
    const size_t d = job->features.width;
    learn_statistics s = { .width = 0 };
    double *room = NULL, *matrix, *vectors, *scratch, *values, *weights, *slope;

    DUSK_NEW(room, 3 * d * d + 3 * d);
    matrix = room;
    vectors = matrix + d * d;
    scratch = vectors + d * d;
    values = scratch + d * d;
    weights = values + d;
    slope = weights + d;
    DUSK_TRY(learn_fit_regression(job, &p->regression, &s, frame, gen, err));
    double ridge = make_convex(&s, matrix, vectors, scratch, values);
    double lambda = p->lambda > 0 ? p->lambda : s.product_noise * sqrt(2 * log(2 * (double)d));
    for (int k = 0; k < SWEEPS; k++)
        if (!(sweep(&job->features, matrix, s.products, lambda, weights, slope) > 1e-9)) break;
    DUSK_TRY(put_model(job, weights, lambda, ridge, s.rows, err));
done:
    learn_statistics_clear(&s);
    dusk_deallocate(room);
    return status;
}

static const dusk_setting settings[] = {
    { "lambda", "0", NULL, 0, 1e12, false,
      "penalty of the sum of |weight|, columns and label being in [-1, 1]; 0: by the noise" },
    { "intercept", "yes", "yes|no", 0, 0, false, "a constant column, which has no penalty" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_lasso = {
    .shown = { "lasso", DUSK_TASK_NUMBER, DUSK_NUMERICS_EXACT,
               "linear regression with few columns, on noisy sums of squares and products", "Tibshirani 1996",
               settings },
    .plan = plan,
    .fit = fit,
    .versions = true,
    .outputs = learn_linear_outputs,
    .predict = learn_linear_predict,
    .complete = learn_linear_complete,
};
