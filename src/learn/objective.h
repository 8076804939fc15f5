/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_OBJECTIVE_H
#define DUSK_LEARN_OBJECTIVE_H

/* A regularised sum of losses with a linear term,
 *
 *     J(w) = sum over rows of loss(w; row) + strength / 2 |w|^2 + <linear, w>,
 *
 * its gradient with a bound on the length of the *true* gradient, and a point where that bound is as small as asked for. What
 * perturbed objectives rest on: their proofs speak of exact minimisers, and w is within |gradient of J at w| / strength of
 * the exact one, J being strongly convex. Proof: objective.proof.md.
 *
 * Weights are whole numbers in up to LEARN_LIMBS limbs, so that margins are exact; slopes are rounded once to limbs and
 * summed exactly. What is left is the error of one slope, times the rows. */

#include "learn/features.h"
#include "learn/loss.h"
#include "tensor/exact.h"

#define LEARN_LIMBS 3
#define LEARN_LIMB_BITS 26
#define LEARN_OBJECTIVE_WIDTH 4096         /* columns at most */
#define LEARN_OBJECTIVE_ROWS 0x1p32        /* rows at most */
#define LEARN_OBJECTIVE_LINEAR_MOST 0x1p38 /* of a number of the linear term */

typedef struct learn_objective {
    const learn_matrix *matrix;
    learn_loss loss;      /* of one output: logistic, huber_svm, huber with a knee of at most 1 */
    size_t outputs;       /* 1, or the number of classes of a multinomial loss */
    double strength;      /* above 0, by learn_strength_up */
    const double *linear; /* outputs * width numbers */
} learn_objective;

/* The least number >= strength that is a whole number below 2^24 times a power of two. */
double learn_strength_up(double strength);
/* A length that the minimiser reaches whatever the rows are: twice the evaluation error of 2^32 rows of length `norm`. */
double learn_certified_reachable(const learn_loss *loss, size_t outputs, double norm);

/* A point: weight c is the sum over l of part[l * cells + c] 2^(exponent - LEARN_LIMB_BITS l). */
typedef struct learn_point {
    size_t cells;
    double *part; /* LEARN_LIMBS * cells whole numbers */
    int exponent;
} learn_point;
DUSK_MUST_USE dusk_status learn_point_init(learn_point *out, size_t cells, dusk_error *err);
void learn_point_clear(learn_point *point);
/* out[c] = weight c in steps of 2^grid, rounded: at most half a step off. Ends at +-2^120. */
void learn_point_steps(const learn_point *point, dusk_int128 *out, int grid);
/* As near to hi + lo as `limbs` limbs allow. */
void learn_point_set(learn_point *point, const learn_objective *objective, const double *hi, const double *lo,
                     size_t limbs);
double learn_point_weight(const learn_point *point, size_t cell);

/* The gradient at a point. */
typedef struct learn_certified {
    const learn_objective *objective;
    size_t cells;
    tensor_block block;
    tensor_sum sum;
    double *margins, *slopes; /* of a block, all limbs */
    double *value;            /* the gradient, about */
    double length_up;         /* at least the length of the true gradient */
    double losses;            /* their sum over the rows, about */
} learn_certified;
DUSK_MUST_USE dusk_status learn_certified_init(learn_certified *out, const learn_objective *objective,
                                               dusk_error *err);
void learn_certified_clear(learn_certified *gradient);
/* `limbs` as the point was set with. */
void learn_certified_at(learn_certified *gradient, const learn_point *point, size_t limbs);
/* How far length_up is from the length of `value` at most, for a point of about this exponent. */
double learn_certified_error(const learn_objective *objective, int exponent, size_t limbs);

/* minimum.c: a point with a gradient of length at most `gamma` >= learn_certified_reachable. Only memory fails. */
DUSK_MUST_USE dusk_status learn_minimise(const learn_objective *objective, learn_point *out, double gamma,
                                         dusk_error *err);

#endif
