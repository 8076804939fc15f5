/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_REGRESSION_H
#define DUSK_LEARN_REGRESSION_H

/* What linear learners of a number share: the sufficient statistics with noise, the model they end in, and its
 * prediction. Rows x and labels y are in the unit of vectors (steps over LEARN_ONE): |y| <= 1. */

#include "learn/learner.h"
#include "learn/moments.h"

/* --- statistics -------------------------------------------------------------------------------------- */

/* The noise of one set of statistics. A value. */
typedef struct learn_regression {
    learn_moments moments; /* X^T X */
    learn_noise products;  /* X^T y */
    learn_noise squares;   /* y^T y */
    learn_noise count;     /* how many rows; dimension 0: declared */
} learn_regression;

/* What was released, and what the noise in it is like. */
typedef struct learn_statistics {
    size_t width;
    double *moments;  /* width * width, symmetric, not always positive */
    double *products; /* width */
    double squares, rows;
    double moment_noise; /* deviation on the diagonal */
    double corner_noise; /* deviation off it: less with delta, the same without */
    double product_noise, square_noise;
} learn_statistics;

/* Take all that is left of the budget. `job->features` are made. */
DUSK_MUST_USE dusk_status learn_plan_regression(learn_job *job, learn_regression *out, dusk_error *err);
/* One pass over the rows and one release of each. */
DUSK_MUST_USE dusk_status learn_fit_regression(learn_job *job, const learn_regression *regression,
                                               learn_statistics *out, const dusk_frame *frame,
                                               dusk_generator *gen, dusk_error *err);
void learn_statistics_clear(learn_statistics *statistics);
/* The exact sums of (x, y) (x, y)^T in steps over rows with a label, (width + 1)^2 cells, and the number of those rows:
 * private. *out is to be cleared by the caller, on failure too. */
DUSK_MUST_USE dusk_status learn_sum_products(tensor_sum *out, size_t *rows, const learn_features *features,
                                             const dusk_frame *frame, dusk_error *err);

/* out = the covariance, width * width, of what noise makes of products - moments * w. `second` is w w^T, or its mean
 * where w itself is uncertain (but does not depend on the noise). */
void learn_noise_covariance(const learn_statistics *statistics, const double *second, double *out);
/* What AdaSSP adds to the moments, whose least eigenvalue (of those with noise) is `least`: so much that they stand out of
 * the noise. Half of what Wang's bound on the length of the noise says, at probability 0.95. */
double learn_adaptive_ridge(const learn_statistics *statistics, double least);
/* The variance of residuals of these weights, by moments `kept` (without what noise made negative). The sum of squares is
 * not taken for less than the deviation of its own noise. */
double learn_residual_variance(const learn_statistics *statistics, const double *weights, const double *kept);

/* Eigenvalues, the least first, and vectors (column k for value k) of a symmetric matrix of finite numbers. Should LAPACK
 * fail: zeros, and the unit vectors. `vectors` may hold the matrix. */
void learn_spectrum(size_t width, const double *matrix, double *values, double *vectors);
/* out = V diag(values) V^T. `scratch`: width * width. */
void learn_from_spectrum(size_t width, const double *vectors, const double *values, double *scratch,
                         double *out);

/* --- models --------------------------------------------------------------------------------------------- */

/* Put into job->model: "weights" (of encoded columns), "coefficients" and "intercept" (in the units of the data); with a
 * covariance of the weights (width * width, or NULL) also "standard_error", "low", "high" and "p_value" of the coefficients,
 * by the normal law, `confidence` being that of an interval. */
DUSK_MUST_USE dusk_status learn_put_linear(learn_job *job, const double *weights, const double *covariance,
                                           double confidence, dusk_error *err);
DUSK_MUST_USE dusk_status learn_put_number(learn_job *job, const char *name, double value, dusk_error *err);

/* outputs, predict and complete of every linear learner. A prediction ends at the declared bounds of the label. */
size_t learn_linear_outputs(const dusk_model *model);
DUSK_MUST_USE dusk_status learn_linear_predict(const dusk_model *model, const dusk_frame *frame, double *out,
                                               dusk_error *err);
bool learn_linear_complete(const dusk_model *model);

#endif
