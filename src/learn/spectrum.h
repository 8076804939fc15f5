/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_SPECTRUM_H
#define DUSK_LEARN_SPECTRUM_H

/* Eigenvalues of released matrices, and what learners of components share. All of it is post-processing of what was released. */

#include "learn/ball.h"
#include "learn/learner.h"

/* The k largest eigenvalues of a symmetric matrix of d * d finite numbers, largest first, with k * d numbers of eigenvectors; the largest
 * number of each is positive. The matrix is overwritten. Where LAPACK does not converge: 0, and columns of the identity. */
DUSK_MUST_USE dusk_status learn_eigenvectors(double *matrix, size_t d, size_t k, double *values,
                                             double *vectors, dusk_error *err);
/* Noise off the diagonal of deviation `noise` makes large eigenvalues larger and gives others out of nothing: what `value` was likely
 * without it [Baik, Ben Arous & Peche 2005; Benaych-Georges & Nadakuditi 2011], 0 where it may be noise alone. */
double learn_value_without_noise(double value, double noise, size_t d);
bool learn_all_finite(const double *x, size_t n);

/* Put "components" (k rows), "centre", "variance" and "explained" (a number for each component) into the model. `values` are mean squares
 * a row along each component and `total` over all columns, all in units of the ball's radius; `shift` is where the mean of rows in the
 * ball is, or NULL. */
DUSK_MUST_USE dusk_status learn_put_components(dusk_model *model, const learn_ball *ball, const double *shift,
                                               const double *components, size_t k, const double *values,
                                               double total, dusk_error *err);
/* Functions of a learner that has done so. */
size_t learn_components_outputs(const dusk_model *model);
dusk_status learn_components_predict(const dusk_model *model, const dusk_frame *frame, double *out,
                                     dusk_error *err);
bool learn_components_complete(const dusk_model *model);

#endif
