/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_PAIR_H
#define DUSK_ACCOUNTING_PAIR_H

/* Dominating pairs [Zhu, Dong & Wang 2022]. Whatever a mechanism does on two
 * neighbouring data sets can be simulated from a pair of laws (P, Q) that
 * depends on the event alone, and composition multiplies the pairs. All that
 * matters of a pair is the law of its privacy loss L = ln(dP/dQ) under P:
 *     delta(eps) = E_P[(1 - exp(eps - L))+],
 * where L = +inf counts 1. Adding and removing a unit are two directions with a
 * pair each; the answer is the worse of the two. Replacing is symmetric.
 *
 * A list of pairs is what the contour, lattice and optimal accountants read.
 * Numbers that are not exact come as bounds. */

#include <stdbool.h>

#include "accounting/composition.h"

typedef enum dusk_direction {
    DUSK_REMOVE = 1, /* P: the unit is there; Q: it is not */
    DUSK_ADD = 2,    /* the other way round                */
    DUSK_REPLACE = 3 /* P: it is x; Q: it is x'            */
} dusk_direction;

typedef enum dusk_pair_kind {
    DUSK_PAIR_ATOMS = 1, /* finitely many losses                              */
    DUSK_PAIR_GAUSSIAN,  /* N(mu, 1) and N(0, 1): L ~ N(mu^2/2, mu^2)         */
    DUSK_PAIR_MIXTURE,   /* Gaussian location mixtures, see below             */
    DUSK_PAIR_LAPLACE    /* Laplace laws at distance 1, maybe sampled         */
} dusk_pair_kind;

typedef struct dusk_pair {
    dusk_pair_kind kind;
    uint64_t times;
    bool tight;                  /* lower bounds of this pair are lower bounds of the event */
    dusk_bound infinite;         /* P(L = +inf), for one time */
    dusk_bound absent;           /* ATOMS: mass of Q on no atom: where P has nothing or next to it, */
    double absent_at;            /* and losses are at most this (-inf: all at L = -inf) */
    bool folded;                 /* the law below is that of L > 0; a mass m at l there has its
                                    mirror image, m exp(-l) at -l, and the rest is at 0 */
    const dusk_event_node *tree; /* for messages; borrowed */
    bool shuffled;               /* ATOMS: `tree` is shuffled reports, and these its curve at points */

    /* ATOMS: P(L in loss[i]) = mass[i], losses finite and increasing. The law of
     * the upper ends, with infinite.upper, is one that is at least as bad; the
     * law of the lower ends, which may have less than mass 1, at most as bad.
     * When `lattice`, loss[i] encloses origin + i step; some atoms may have mass
     * 0. Never folded. Owned by the pair. */
    size_t atoms;
    dusk_bound *loss, *mass;
    bool lattice;
    dusk_bound origin, step;

    /* GAUSSIAN: mu^2 of one time; sigma below is 1/mu when that is exact, else 0. */
    dusk_bound mu_squared;

    /* MIXTURE: with r(x) = 1 + sum_{j>=1} weight[j] (exp((2 j x - j^2)/(2 sigma^2)) - 1),
     * the density ratio of sum_j weight[j] N(j, sigma^2) to N(0, sigma^2),
     *   REMOVE   P = the mixture, Q = N(0, sigma^2):    L = ln r(x)
     *   ADD      the other way round:                   L = -ln r(x)
     *   REPLACE  P = the mixture, Q = its mirror image: L = ln r(x) - ln r(-x).
     * The weight of no shift is 1 minus the others; weight[0] is 0, or that weight
     * where cancellation would spoil it (groups). Weights are right to a relative
     * 2^-50. */
    dusk_direction direction;
    double sigma;
    size_t shifts; /* weight[1..shifts] */
    double weight[32];

    /* LAPLACE: as MIXTURE with one shift of weight `rate`,
     *   r(x) = 1 + rate (exp((|x| - |x - 1|)/scale) - 1) against Laplace(0, scale),
     * and with `direction` as there. At rate 1 direction is REMOVE or ADD, which
     * are the same law, L = (|x - 1| - |x|)/scale for x of Laplace(0, scale). The
     * rate is right to a relative 2^-50. */
    dusk_bound scale; /* of Laplace noise over distance */
    double rate;
} dusk_pair;

typedef struct dusk_pairs {
    dusk_direction direction;
    size_t count;
    dusk_pair *pair;
} dusk_pairs;

/* The pairs of a composition in one direction. GAUSSIAN parts are merged into
 * one pair (mu^2 adds up, times = 1); times of the others are as in the
 * composition; trees without effect are left out. DUSK_ERR_UNSUPPORTED, naming
 * `accountant`, when a part has no dominating pair (zcdp, mcdp, tcdp, rdp,
 * select_*, svt_gaussian): such parts have Renyi curves only.
 *
 * parallel(e, ...) becomes the pairs of the branch that dominates all others run
 * by run, or, where curves of single runs cross, one pair of atoms whose curve is
 * the largest of all, in both directions: no choice of branches is left to the
 * accountants, and the part that a unit is in may depend on earlier answers. (For
 * Renyi divergences that is the largest one over the branches, order by order.)
 * Where a unit is replaced it may move from one part to another, which only
 * additive noise promises anything about; being replaced in the worst part is then
 * the worst. shuffle and shuffle_response are atoms on their certified curve, for
 * replacing only. Shuffles and crossing curves are not tight. */
DUSK_MUST_USE dusk_status dusk_pairs_resolve(dusk_pairs *out, const dusk_composition *composition,
                                             dusk_direction direction, const char *accountant,
                                             dusk_error *err);
void dusk_pairs_free(dusk_pairs *pairs);

/* delta(eps) of one pair, run once, for eps >= 0. */
DUSK_MUST_USE dusk_status dusk_pair_delta(dusk_bound *delta, const dusk_pair *pair, double epsilon,
                                          dusk_error *err);
/* ln E_P[exp(s L); L < inf] of one pair, run once, for s > 0: s = alpha - 1 gives
 * (alpha - 1) times the Renyi divergence. +inf when infinite.upper > 0. */
DUSK_MUST_USE dusk_status dusk_pair_log_moment(dusk_bound *out, const dusk_pair *pair, double s,
                                               dusk_error *err);

#endif
