/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_NEWTON_H
#define DUSK_LEARN_NEWTON_H

/* The second derivative of a sum of losses with noise, and the step that it makes of a noisy gradient: method=newton. Proof:
 * newton.proof.md. */

#include "learn/gradient.h"

typedef struct learn_curvature {
    learn_noise noise; /* for width^2 numbers, averaged over the diagonal afterwards */
    size_t width;
    double clip; /* of coefficient * length^2, in steps of the grid; a whole number */
    double one;  /* steps of a second derivative of 1 */
} learn_curvature;

/* Take `share` for `times` second derivatives of a loss of one number; `length` is that of most rows, longer ones count
 * less. Refused without delta. */
DUSK_MUST_USE dusk_status learn_plan_curvature(learn_job *job, learn_curvature *out, const learn_loss *loss,
                                               double length, double share, uint64_t times, dusk_error *err);
/* One of them, at these weights: width * width numbers, symmetric. The work is that of the gradient. */
DUSK_MUST_USE dusk_status learn_curvature_release(const learn_curvature *curvature, double *out,
                                                  const learn_gradient *gradient, learn_gradient_work *work,
                                                  const learn_matrix *matrix, const double *weights,
                                                  dusk_generator *gen, dusk_error *err);
/* gradient = (curvature + l2)^-1 gradient, where eigenvalues that noise could have made count as what it could have made: never
 * longer than the gradient over that. The curvature is used up. */
DUSK_MUST_USE dusk_status learn_newton_step(const learn_curvature *curvature, double *gradient,
                                            double *second, double l2, dusk_error *err);

#endif
