/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_PAIR_MAKE_H
#define DUSK_ACCOUNTING_PAIR_MAKE_H

/* How dusk_pairs_resolve makes its pairs: laws with finitely many losses from
 * the parameters of an event, and what sampling does to a pair. Each function
 * fills or changes the law of one pair; kind, infinite, absent and tight are
 * set, times and tree are not touched. On failure (memory, or what its own
 * words say) the pair owns nothing new. */

#include "accounting/pair.h"

/* More atoms are refused (discrete Gaussian) or not worth it (discrete Laplace). */
#define DUSK_ATOMS_MAX (1u << 20)
#define DUSK_DISCRETE_LAPLACE_MAX 4096

/* Free what the pair owns. */
void dusk_pair_clear(dusk_pair *pair);
/* Room for n atoms; the pair must own none. */
DUSK_MUST_USE dusk_status dusk_atoms_new(dusk_pair *pair, size_t n, dusk_error *err);
/* Put atoms into the form that pair.h asks for after they were written:
 * increasing ends, an infinite end moved to `infinite`. */
void dusk_atoms_finish(dusk_pair *pair);

/* pair_atoms.c */
/* The worst pair of (epsilon, delta)-privacy [Kairouz, Oh & Viswanath 2017,
 * Theorem 3.3's four-point laws]; epsilon >= 0 finite, delta in [0, 1]. */
DUSK_MUST_USE dusk_status dusk_atoms_approx(dusk_pair *pair, dusk_bound epsilon, dusk_bound delta,
                                            dusk_error *err);
/* k-ary randomized response, answers >= 2. */
DUSK_MUST_USE dusk_status dusk_atoms_response(dusk_pair *pair, double epsilon, uint64_t answers,
                                              dusk_error *err);
/* Law ~ exp(-|k|/scale) on the integers at a distance 1 .. DUSK_DISCRETE_LAPLACE_MAX. */
DUSK_MUST_USE dusk_status dusk_atoms_discrete_laplace(dusk_pair *pair, double scale, uint64_t distance,
                                                      dusk_error *err);
/* Law ~ exp(-k^2/(2 sigma^2)) on the integers at a distance >= 1;
 * requires dusk_atoms_gaussian_fits. */
bool dusk_atoms_gaussian_fits(double sigma);
DUSK_MUST_USE dusk_status dusk_atoms_discrete_gaussian(dusk_pair *pair, double sigma, uint64_t distance,
                                                       dusk_error *err);
/* Losses in an interval of length epsilon, wherever it lies: bounded range [Dong,
 * Durfee & Rogers 2020]; epsilon > 0 finite. (pair_curve.c) */
DUSK_MUST_USE dusk_status dusk_atoms_bounded_range(dusk_pair *pair, double epsilon, dusk_error *err);
/* Staircase noise at distance 1 [Geng & Viswanath 2014]. */
DUSK_MUST_USE dusk_status dusk_atoms_staircase(dusk_pair *pair, double epsilon, double gamma,
                                               dusk_error *err);
/* pair_monitor.c: one contribution of a threshold monitor; REMOVE or ADD, epsilon > 0. */
DUSK_MUST_USE dusk_status dusk_atoms_monitor(dusk_pair *pair, double epsilon, dusk_direction direction,
                                             dusk_error *err);
/* pair_table.c: tables given as points below an fdp or a pld. */
DUSK_MUST_USE dusk_status dusk_atoms_tradeoff(dusk_pair *pair, const dusk_event_node *table, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_atoms_losses(dusk_pair *pair, const dusk_event_node *table, dusk_error *err);

/* pair_curve.c */
/* A symmetric pair whose curve is delta[i] or more at epsilon[i] (0 = epsilon[0] <
 * epsilon[1] < ...), the lower convex hull in exp(epsilon) between them and the
 * last delta beyond: it dominates whatever has, in both directions, a curve of
 * at most delta[i] at epsilon[i]. Not tight. n >= 1. */
DUSK_MUST_USE dusk_status dusk_atoms_curve(dusk_pair *pair, const double *epsilon, const double *delta,
                                           size_t n, dusk_error *err);
/* The same at up to `points` points, chosen so that straight lines
 * between them lose little. delta_up(eps) falls, and is 0 from `top` on (+inf:
 * never). */
typedef double dusk_delta_up(double epsilon, const void *context);
DUSK_MUST_USE dusk_status dusk_atoms_sample_curve(dusk_pair *pair, dusk_delta_up *delta_up,
                                                  const void *context, double top, size_t points,
                                                  dusk_error *err);

/* pair_sampling.c; 0 < rate < 1. On failure the pair is as it was. */
/* ATOMS, for REMOVE or ADD: e on a sample [Zhu, Dong & Wang 2022, Theorem 11]. */
DUSK_MUST_USE dusk_status dusk_atoms_sample(dusk_pair *pair, dusk_bound rate, dusk_direction direction,
                                            dusk_error *err);
/* ATOMS: whether e ran at all is seen, which bounds any sampling. */
DUSK_MUST_USE dusk_status dusk_atoms_reveal(dusk_pair *pair, dusk_bound rate, dusk_error *err);
/* ATOMS: keep L > 0, mirror it, put the rest at 0: what a symmetric relation
 * makes of a curve that is known for eps >= 0. */
DUSK_MUST_USE dusk_status dusk_atoms_fold(dusk_pair *pair, dusk_error *err);
/* GAUSSIAN to MIXTURE with one shift. */
void dusk_gaussian_sample(dusk_pair *pair, double rate, dusk_direction direction);
/* MIXTURE of one shift, weight q, to `count` <= 31 units each with chance q. */
void dusk_mixture_group(dusk_pair *pair, uint64_t count);
/* GAUSSIAN (REMOVE or ADD) to m draws with replacement of one of n >= 2 units;
 * false when the multiplicities do not fit. */
bool dusk_gaussian_draws(dusk_pair *pair, uint64_t m, uint64_t n, dusk_direction direction);

/* pair_draws.c: m draws with replacement of one of n units, where one of them is replaced, with Gaussian noise of
 * deviation sigma over the distance of that; n >= 2, m >= 1, both below 2^53. DUSK_ERR_UNSUPPORTED where m is many times n. */
DUSK_MUST_USE dusk_status dusk_atoms_draws(dusk_pair *pair, double sigma, uint64_t m, uint64_t n,
                                           dusk_error *err);

/* pair_shuffle.c: of the tree of a pair that is `shuffled`. */
double dusk_shuffled_delta_up(const dusk_event_node *tree, double epsilon);
double dusk_shuffled_epsilon_up(const dusk_event_node *tree, double delta);

/* pair_delta.c: the ends of dusk_pair_delta; eps >= 0. */
double dusk_pair_delta_up(const dusk_pair *pair, double epsilon);
double dusk_pair_delta_down(const dusk_pair *pair, double epsilon);
/* pair_mixture.c: delta(eps) of the mixture of a MIXTURE, without `infinite`;
 * eps >= 0 finite. */
double dusk_mixture_delta_up(const dusk_pair *pair, double epsilon);
double dusk_mixture_delta_down(const dusk_pair *pair, double epsilon);
/* A lower bound of delta(eps) of N(1, sigma^2) and N(0, sigma^2). */
double dusk_gaussian_delta_down(double sigma, double epsilon);

#endif
