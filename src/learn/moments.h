/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_MOMENTS_H
#define DUSK_LEARN_MOMENTS_H

/* The matrix of second moments X^T X with noise: what PCA, linear regression and Bayesian regression share. */

#include "learn/ball.h"
#include "learn/learner.h"

typedef struct learn_moments {
    learn_noise noise;
    size_t width;    /* of the matrix */
    double bound;    /* of rows, in steps */
    double constant; /* steps of a constant column that comes after the others; 0: none */
} learn_moments;

/* Take `share` of the budget for one noisy X^T X of job->features. */
DUSK_MUST_USE dusk_status learn_plan_moments(learn_job *job, learn_moments *out, double share,
                                             dusk_error *err);
/* out: width * width numbers, symmetric, of rows as vectors (steps over LEARN_ONE); noise of deviation
 * noise.deviation on the diagonal and 1/sqrt(2) of that off it (the same off it without delta). */
DUSK_MUST_USE dusk_status learn_fit_moments(const learn_moments *moments, double *out,
                                            const learn_matrix *matrix, dusk_generator *gen, dusk_error *err);
/* The same from the exact sums of x x^T in steps, width * width of them, for those who add more up in the same pass. */
DUSK_MUST_USE dusk_status learn_moments_release(const learn_moments *moments, double *out,
                                                const dusk_int128 *totals, dusk_generator *gen,
                                                dusk_error *err);

/* The same of rows in a ball (ball.h), whose radius is the unit then; `constant` (a part of the radius, such as 0.25; 0: none)
 * adds a column of it, and width is one more: sums of rows, and their number. */
DUSK_MUST_USE dusk_status learn_plan_ball_moments(learn_job *job, learn_moments *out, double constant,
                                                  double share, dusk_error *err);
DUSK_MUST_USE dusk_status learn_fit_ball_moments(const learn_moments *moments, const learn_ball *ball,
                                                 double *out, const learn_matrix *matrix, dusk_generator *gen,
                                                 dusk_error *err);

#endif
