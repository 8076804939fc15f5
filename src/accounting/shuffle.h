/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_SHUFFLE_H
#define DUSK_ACCOUNTING_SHUFFLE_H

/* Privacy amplification by shuffling: n units report, each through the same
 * eps0-private local randomizer, and only the multiset of reports is seen.
 * Neighbours replace one unit's data. All results are upper bounds.
 * The best bound for any randomizer and that for randomized response, in which
 * the true answer is e^eps0 times as likely as each other, are in accountants.h;
 * here are the bounds by name. */

#include "accounting/blanket.h"

/* A bound; `variation` and `answers` as blanket.h has them. */
typedef struct dusk_shuffle_bound {
    dusk_blanket_kind kind;
    double variation;
    uint64_t answers;
} dusk_shuffle_bound;

/* delta at epsilon, epsilon at delta. Any doubles: outside of n >= 1,
 * local_epsilon >= 0, epsilon >= 0, delta >= 0 the answer is 1 or +inf. */
double dusk_shuffle_bound_delta_up(dusk_shuffle_bound bound, uint64_t n, double local_epsilon,
                                   double epsilon);
double dusk_shuffle_bound_epsilon_up(dusk_shuffle_bound bound, uint64_t n, double local_epsilon,
                                     double delta);

#endif
