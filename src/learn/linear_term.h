/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_LINEAR_TERM_H
#define DUSK_LEARN_LINEAR_TERM_H

/* The random linear term of objective perturbation [Chaudhuri, Monteleoni & Sarwate 2011; Kifer, Smith & Thakurta 2012; Jain &
 * Thakurta 2014]: what it costs, and how it is drawn. The minimiser of sum of losses + strength / 2 |w|^2 + <b, w> is
 * private by the law of b: Gaussian, or of density ~ exp(-|b| / scale) where there is no delta.
 *
 * The price is that of the noise alone (the change of one row's gradient, as a Gaussian or K-norm mechanism) plus what the
 * change of variables from b to w adds, the logarithm of a determinant. The losses are of linear models, so that the
 * direction of a row's gradient is known beforehand, and no dimension enters. For the logistic loss, where the slope is
 * large the curvature is small, and the second part is nothing at all once strength >= norm^2 / epsilon.
 * Proof: linear_term.proof.md. */

#include <stdbool.h>

#include "dusk/mechanisms.h"
#include "learn/budget.h"
#include "learn/loss.h"

/* What one row does to the objective, at any w. */
typedef struct learn_row_facts {
    double norm;       /* of rows, at most */
    double lipschitz;  /* the gradient is at most lipschitz * norm long */
    double smoothness; /* eigenvalues of the second derivative are at most smoothness * norm^2 */
    size_t rank;       /* of the second derivative */
    size_t
        alternatives; /* the gradient lies in the convex hull of 0 and so many vectors that depend on the row only */
    bool logistic;    /* of the second derivative: slope (1 - slope) norm^2 at most, the slope from 0 to 1 */
    unsigned rows;    /* of one change of the data */
    unsigned removed; /* of those, at most so many leave in one direction of the comparison */
} learn_row_facts;
/* `norm` is exact; outputs 1, or k of a multinomial loss. */
learn_row_facts learn_row_facts_of(const learn_loss *loss, size_t outputs, double norm,
                                   const learn_budget *budget);

/* What is left of epsilon for the noise once the determinant is paid for; not above 0: nothing. */
double learn_linear_left_down(const learn_row_facts *facts, double epsilon, double strength);
/* A deviation (over norm * lipschitz) of Gaussian noise that makes the minimiser (epsilon, delta)-private; infinite: none does. */
double learn_linear_multiplier_up(const learn_row_facts *facts, double epsilon, double delta,
                                  double strength);

/* A value. */
typedef struct learn_linear_term {
    bool gaussian;
    dusk_noise gauss;
    dusk_knorm knorm;
    uint32_t dimension;
    double deviation; /* of a number */
    double rounding;  /* what is drawn is at most so far from an ideal term, in l2 */
} learn_linear_term;

/* delta 0: pure. On a grid so fine that `rounding` is at most about `fine` / 8. DUSK_ERR_ARGUMENT when epsilon is too small for the
 * strength, or the strength too small for the term that it needs. */
DUSK_MUST_USE dusk_status learn_linear_term_init(learn_linear_term *out, const learn_row_facts *facts,
                                                 uint32_t dimension, double epsilon, double delta,
                                                 double strength, double fine, dusk_error *err);
/* out: dimension numbers. */
DUSK_MUST_USE dusk_status learn_linear_term_draw(const learn_linear_term *term, double *out,
                                                 dusk_generator *gen, dusk_error *err);

/* The strength that is `ratio` times the deviation of a number of the term which it then needs. */
double learn_linear_strength(const learn_row_facts *facts, uint32_t dimension, double epsilon, double delta,
                             double ratio);

#endif
