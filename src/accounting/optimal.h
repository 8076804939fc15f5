/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_OPTIMAL_H
#define DUSK_ACCOUNTING_OPTIMAL_H

/* The inside of the optimal accountant: exact privacy curves of compositions,
 *     delta(eps) = P(L = inf) + E_P[(1 - exp(eps - L))+; L finite],
 * each made once, then looked at as often as an inversion needs. */

#include "accounting/pair.h"

/* What is known of a curve at one eps >= 0. */
typedef struct dusk_curve_look {
    dusk_bound delta;
    double slope; /* about -d delta / d eps; steers a search, nothing rests on it */
} dusk_curve_look;

/* `look` gives certified bounds: delta.lower <= delta(eps) <= delta.upper. A
 * curve that is not tight has delta.lower = 0. */
typedef struct dusk_loss_curve {
    dusk_curve_look (*look)(const void *curve, double epsilon);
    void (*free)(void *curve); /* NULL is fine */
    void *curve;
    dusk_bound infinite; /* P(L = inf) */
    dusk_bound top;      /* the largest finite loss; at least 0 */
    bool tight;
    bool cut;               /* a tail of the losses counts as infinite */
    double mean, deviation; /* of the finite losses, about; where a search starts */
} dusk_loss_curve;

void dusk_loss_curve_free(dusk_loss_curve *curve);

/* binomial_curve.c: one pair of two atoms, any number of times [Kairouz, Oh &
 * Viswanath 2017, Theorem 3.3]. */
bool dusk_binomial_curve_fits(const dusk_pair *pair);
DUSK_MUST_USE dusk_status dusk_binomial_curve(dusk_loss_curve *out, const dusk_pair *pair, dusk_error *err);

/* murtagh_vadhan.c: atoms of any kind, as long as the losses of all together
 * fall into two lists of moderate length [Murtagh & Vadhan 2018]. */
bool dusk_product_curve_fits(const dusk_pairs *pairs);
DUSK_MUST_USE dusk_status dusk_product_curve(dusk_loss_curve *out, const dusk_pairs *pairs, dusk_error *err);
/* P(L = inf) and the largest finite loss of ATOMS, all together. */
dusk_bound dusk_pairs_infinite(const dusk_pairs *pairs);
dusk_bound dusk_pairs_top(const dusk_pairs *pairs);

/* loss_grid.c: atoms, a few thousand runs of them, on a lattice; losses above a tail
 * of about that probability count as infinite. */
bool dusk_grid_curve_fits(const dusk_pairs *pairs);
DUSK_MUST_USE dusk_status dusk_grid_curve(dusk_loss_curve *out, const dusk_pairs *pairs, double tail,
                                          dusk_error *err);

/* laplace_sum.c: one Laplace pair, moderately many times. */
bool dusk_laplace_curve_fits(const dusk_pair *pair);
DUSK_MUST_USE dusk_status dusk_laplace_curve(dusk_loss_curve *out, const dusk_pair *pair, dusk_error *err);

#endif
