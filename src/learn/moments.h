/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_MOMENTS_H
#define DUSK_LEARN_MOMENTS_H

/* The matrix of second moments X^T X with noise: what PCA, linear regression and Bayesian regression share. */

#include "learn/learner.h"

typedef struct learn_moments {
    learn_noise
        noise; /* for d (d + 1) / 2 numbers: the upper triangle row by row, off the diagonal times sqrt(2) */
    size_t width;
    double bound; /* of rows, in steps */
} learn_moments;

/* Take `share` of the budget for one noisy X^T X of job->features. */
DUSK_MUST_USE dusk_status learn_plan_moments(learn_job *job, learn_moments *out, double share,
                                             dusk_error *err);
/* out: width * width numbers, symmetric, of rows as vectors (steps over LEARN_ONE); noise of deviation
 * noise.deviation on the diagonal and 1/sqrt(2) of that off it. */
DUSK_MUST_USE dusk_status learn_fit_moments(const learn_moments *moments, double *out,
                                            const learn_matrix *matrix, dusk_generator *gen, dusk_error *err);
/* The same from the exact sums of x x^T in steps, width * width of them, for those who add more up in the same pass. */
DUSK_MUST_USE dusk_status learn_moments_release(const learn_moments *moments, double *out,
                                                const dusk_int128 *totals, dusk_generator *gen,
                                                dusk_error *err);

#endif
