/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_POWER_H
#define DUSK_LEARN_POWER_H

/* The noisy power method [Hardt & Price 2014]: an iteration is one release of X^T (X V) for rows X in a ball and a matrix V of
 * perpendicular columns that was released before. It takes memory for the components only, and noise on d * p numbers an iteration
 * instead of d * d once. Proof: power.proof.md. */

#include "learn/ball.h"

typedef struct learn_power {
    learn_noise noise; /* of an iteration */
    learn_noise total; /* of the sum of squares of all rows */
    size_t width, vectors, iterations;
} learn_power;

/* `vectors` may be more than the components that are wanted: that costs nothing, and converges faster. */
DUSK_MUST_USE dusk_status learn_plan_power(learn_job *job, learn_power *out, size_t vectors,
                                           size_t iterations, double share, dusk_error *err);
/* components: `vectors` rows of width, values: their mean squares a row, largest first; *total: mean square a row over all columns.
 * The unit is the radius of the ball. */
DUSK_MUST_USE dusk_status learn_fit_power(const learn_job *job, const learn_power *power,
                                          const learn_ball *ball, double *components, double *values,
                                          double *total, const learn_matrix *matrix, dusk_generator *gen,
                                          dusk_error *err);

#endif
