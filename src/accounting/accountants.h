/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_ACCOUNTANTS_H
#define DUSK_ACCOUNTING_ACCOUNTANTS_H

/* What each accountant offers to account.c: two questions, the same for all.
 *   epsilon at delta in [0, 1): least eps >= 0 with delta(eps) <= delta
 *   delta at epsilon >= 0
 * Bounds are certified: lower <= truth <= upper, 0 <= lower, NaN never. Those
 * on pairs answer for one direction; account.c takes the worse one. Those on
 * compositions answer for the neighbouring relation. DUSK_ERR_UNSUPPORTED when
 * the accountant has nothing sound to say. A wide but sound bound is an answer. */

#include "accounting/pair.h"

/* exact.c: one pair, run once; or Gaussians alone, however many. */
DUSK_MUST_USE dusk_status dusk_exact_epsilon(dusk_bound *out, const dusk_pairs *pairs, double delta,
                                             dusk_error *err);
DUSK_MUST_USE dusk_status dusk_exact_delta(dusk_bound *out, const dusk_pairs *pairs, double epsilon,
                                           dusk_error *err);

/* optimal.c: ATOMS with two losses (pure, approx, randomized response, ...) any
 * number of times; few different ones exactly. laplace_sum.c: Laplace. */
DUSK_MUST_USE dusk_status dusk_optimal_epsilon(dusk_bound *out, const dusk_pairs *pairs, double delta,
                                               dusk_error *err);
DUSK_MUST_USE dusk_status dusk_optimal_delta(dusk_bound *out, const dusk_pairs *pairs, double epsilon,
                                             dusk_error *err);

/* lattice.c: any pairs. */
DUSK_MUST_USE dusk_status dusk_lattice_epsilon(dusk_bound *out, const dusk_pairs *pairs, double delta,
                                               dusk_error *err);
DUSK_MUST_USE dusk_status dusk_lattice_delta(dusk_bound *out, const dusk_pairs *pairs, double epsilon,
                                             dusk_error *err);

/* contour.c: pairs of which enough have a density. */
DUSK_MUST_USE dusk_status dusk_contour_epsilon(dusk_bound *out, const dusk_pairs *pairs, double delta,
                                               dusk_error *err);
DUSK_MUST_USE dusk_status dusk_contour_delta(dusk_bound *out, const dusk_pairs *pairs, double epsilon,
                                             dusk_error *err);

/* basic.c, advanced.c, zcdp.c (with mcdp), tcdp.c, rdp.c, moments.c, gdp.c (with clt). */
DUSK_MUST_USE dusk_status dusk_basic_epsilon(dusk_bound *out, const dusk_composition *composition,
                                             double delta, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_basic_delta(dusk_bound *out, const dusk_composition *composition,
                                           double epsilon, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_advanced_epsilon(dusk_bound *out, const dusk_composition *composition,
                                                double delta, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_advanced_delta(dusk_bound *out, const dusk_composition *composition,
                                              double epsilon, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_zcdp_epsilon(dusk_bound *out, const dusk_composition *composition,
                                            double delta, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_zcdp_delta(dusk_bound *out, const dusk_composition *composition,
                                          double epsilon, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_mcdp_epsilon(dusk_bound *out, const dusk_composition *composition,
                                            double delta, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_mcdp_delta(dusk_bound *out, const dusk_composition *composition,
                                          double epsilon, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_tcdp_epsilon(dusk_bound *out, const dusk_composition *composition,
                                            double delta, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_tcdp_delta(dusk_bound *out, const dusk_composition *composition,
                                          double epsilon, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_rdp_epsilon(dusk_bound *out, const dusk_composition *composition, double delta,
                                           dusk_error *err);
DUSK_MUST_USE dusk_status dusk_rdp_delta(dusk_bound *out, const dusk_composition *composition, double epsilon,
                                         dusk_error *err);
DUSK_MUST_USE dusk_status dusk_moments_epsilon(dusk_bound *out, const dusk_composition *composition,
                                               double delta, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_moments_delta(dusk_bound *out, const dusk_composition *composition,
                                             double epsilon, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_gdp_epsilon(dusk_bound *out, const dusk_composition *composition, double delta,
                                           dusk_error *err);
DUSK_MUST_USE dusk_status dusk_gdp_delta(dusk_bound *out, const dusk_composition *composition, double epsilon,
                                         dusk_error *err);
DUSK_MUST_USE dusk_status dusk_clt_epsilon(dusk_bound *out, const dusk_composition *composition, double delta,
                                           dusk_error *err);
DUSK_MUST_USE dusk_status dusk_clt_delta(dusk_bound *out, const dusk_composition *composition, double epsilon,
                                         dusk_error *err);

/* rdp.c: upper bound of the Renyi divergence of order alpha > 1 of one tree, run
 * `times` of it, both directions; +inf when there is none. */
DUSK_MUST_USE dusk_status dusk_rdp_of_tree(double *epsilon_up, const dusk_event_node *tree,
                                           dusk_neighbours neighbours, double alpha, dusk_error *err);
/* The smallest epsilon that (alpha, rdp)-privacy gives at delta in (0, 1), and the
 * smallest delta at epsilon, by the best known conversion; rounded up. */
double dusk_rdp_to_epsilon_up(double alpha, double rdp, double delta);
double dusk_rdp_to_delta_up(double alpha, double rdp, double epsilon);
/* zcdp.c, gdp.c: the parameters of one tree, all its times; +inf when there is none. */
DUSK_MUST_USE dusk_status dusk_zcdp_of_tree(double *xi_up, double *rho_up, const dusk_event_node *tree,
                                            dusk_neighbours neighbours, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_gdp_of_tree(double *mu_squared_up, const dusk_event_node *tree,
                                           dusk_neighbours neighbours, dusk_error *err);
/* basic.c: (epsilon, delta) of one tree, all its times: the least epsilon at a delta. */
DUSK_MUST_USE dusk_status dusk_basic_of_tree(double *epsilon_up, const dusk_event_node *tree,
                                             dusk_neighbours neighbours, double delta, dusk_error *err);

/* shuffle.c: delta of shuffle(n, eps0) at epsilon >= 0 (replace one), upper bound,
 * and epsilon at delta. */
double dusk_shuffle_delta_up(uint64_t n, double local_epsilon, double epsilon);
double dusk_shuffle_epsilon_up(uint64_t n, double local_epsilon, double delta);
/* The same of shuffle_response(n, answers, eps0). */
double dusk_shuffle_response_delta_up(uint64_t n, double local_epsilon, uint64_t answers, double epsilon);
double dusk_shuffle_response_epsilon_up(uint64_t n, double local_epsilon, uint64_t answers, double delta);

/* mixture.c: ln E_P[e^{sL}] of a MIXTURE pair for real s > 0. */
DUSK_MUST_USE dusk_status dusk_mixture_log_moment(dusk_bound *out, const dusk_pair *pair, double s,
                                                  dusk_error *err);

#endif
