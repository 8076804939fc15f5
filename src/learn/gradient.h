/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_GRADIENT_H
#define DUSK_LEARN_GRADIENT_H

/* The gradient of a sum of losses, clipped row by row, with noise: the one release that noisy descent is made of.
 *
 * A row adds coefficient * x, where the coefficient is the slope of the loss at this row's margin (times y), rounded to a whole
 * number of steps of 2^-LEARN_SLOPE_BITS and held down so that coefficient * length of x is within the clip, in integers. With k
 * classes it is a vector of k coefficients, and its length is held down. Weights are rounded to steps of 2^-LEARN_WEIGHT_BITS
 * first, so that margins are exact: a row's part depends on the row and on released numbers alone. Proof: gradient.proof.md. */

#include "learn/learner.h"
#include "learn/loss.h"
#include "learn/sampler.h"

#define LEARN_SLOPE_BITS 15
#define LEARN_WEIGHT_BITS 20
#define LEARN_GRADIENT_GRID (-(LEARN_BITS + LEARN_SLOPE_BITS))
#define LEARN_WEIGHT_MOST 0x1p11 /* how long a vector of weights may be */

typedef struct learn_gradient {
    learn_loss loss;
    size_t classes; /* 0: `loss` of one number a row; else softmax of so many */
    size_t vectors; /* of weights: 1, or as many as classes */
    size_t width;
    double clip; /* steps of the gradient's grid, a whole number */
    learn_noise noise;
} learn_gradient;

/* Take `share` of the budget for `times` gradients, of rows of job->features; `clip` is a length, above 0 and at most
 * LEARN_NORM_MOST; each is over a sample of rows, for which `share` must be
 * all that is left; NULL: over all of them. */
DUSK_MUST_USE dusk_status learn_plan_gradient(learn_job *job, learn_gradient *out, const learn_loss *loss,
                                              size_t classes, double clip, double share,
                                              const learn_sampler *sampler, uint64_t times, dusk_error *err);

/* What a sum needs besides. */
typedef struct learn_gradient_work {
    tensor_block block;
    tensor_sum sum;
    double *margin, *whole;
} learn_gradient_work;
DUSK_MUST_USE dusk_status learn_gradient_open(learn_gradient_work *out, const learn_gradient *gradient,
                                              const learn_matrix *matrix, dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void learn_gradient_close(learn_gradient_work *work);

/* Whole steps, each of `vectors` vectors of at most LEARN_WEIGHT_MOST: what margins are made of. */
void learn_gradient_round(double *whole, const double *weights, size_t vectors, size_t width);
/* The exact sum at whole weights, vectors * width totals, borrowed from the work. */
const dusk_int128 *learn_gradient_sum(learn_gradient_work *work, const learn_gradient *gradient,
                                      const learn_matrix *matrix, const double *whole);
/* Add these rows to the sum; the work is of the same matrix, which may have changed since. */
void learn_gradient_add(learn_gradient_work *work, const learn_gradient *gradient, const learn_matrix *matrix,
                        const double *whole);
/* The sum at these weights, with noise, in the unit of the loss and of rows as vectors: one of `times`. */
DUSK_MUST_USE dusk_status learn_gradient_release(learn_gradient_work *work, const learn_gradient *gradient,
                                                 double *out, const learn_matrix *matrix,
                                                 const double *weights, dusk_generator *gen, dusk_error *err);

#endif
