/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_WISHART_H
#define DUSK_LEARN_WISHART_H

/* X^T X plus N^T N for a matrix N of normal numbers, as many rows of it as the promise needs [Sheffet 2015]: noise that keeps the matrix positive. With a
 * delta; for real numbers only. Proof: wishart.proof.md. */

#include "learn/learner.h"

typedef struct learn_wishart {
    size_t width, rows; /* of N */
    double scale;       /* of N^T N */
} learn_wishart;

/* Rows of N, and its scale, for out->width columns, such that adding one row of length 1 at most is (epsilon, delta)-DP; false: there are none. */
bool learn_wishart_find(double epsilon, double delta, learn_wishart *out);
/* What is left of the budget for one release. DUSK_ERR_ARGUMENT without a delta, and where more than one row is added or removed. */
DUSK_MUST_USE dusk_status learn_plan_wishart(learn_job *job, learn_wishart *out, dusk_error *err);
/* Add noise to a matrix whose rows are at most 1 long, and take its mean off. */
DUSK_MUST_USE dusk_status learn_fit_wishart(const learn_wishart *wishart, double *matrix, dusk_generator *gen,
                                            dusk_error *err);

#endif
