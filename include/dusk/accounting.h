/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_H
#define DUSK_ACCOUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"

/* What was released, and what it costs. An event says which mechanism ran with
 * which public parameters, never anything about the data. A composition is any
 * number of events, declared beforehand; accountants price it. A filter watches
 * over choices that depend on earlier answers. A statement puts an event beside
 * the promise that follows from it.
 *
 * Text form of events (it round-trips; the ledger stores it):
 *   pure(eps)  approx(eps, delta)  gdp(mu)
 *   metric(eps, r)                eps per unit of distance, for values at most r apart
 *   zcdp(rho[, xi])               D_alpha <= xi + rho alpha for every alpha > 1
 *   mcdp(mu, tau)                 mean-concentrated [Dwork & Rothblum 2016]
 *   tcdp(rho, omega)              truncated: D_alpha <= rho alpha for alpha < omega
 *   rdp(alpha: eps, ...)          Renyi divergence of each order alpha at most eps
 *   fdp(a: b, ...)                trade-off function, straight between points (a, b)
 *   pld(loss: p, ...)             privacy losses and their probabilities; "inf: p". A pair that
 *                                 dominates both orders of any two neighbours
 *   laplace(b)                    noise scale over l1 sensitivity
 *   gaussian(sigma)               noise deviation over l2 sensitivity
 *   staircase(eps, gamma)         piecewise constant noise [Geng & Viswanath 2014]
 *   discrete_laplace(b[, s])      law ~ exp(-|k|/b), integer sensitivity s (1)
 *   discrete_gaussian(sigma[, s]) law ~ exp(-k^2/(2 sigma^2)), sensitivity s (1)
 *   randomized_response(eps, k)   k answers
 *   exponential(eps)              bounded range eps
 *   permute_and_flip(eps)
 *   noisy_max(eps)                Laplace noise
 *   svt(eps1, eps2, c)            sparse vector, threshold and query shares, c hits
 *   svt_gaussian(sigma1, sigma2, n)  the same with Gaussian noise, one hit, at most n queries
 *   threshold_monitor(eps, k)     any number of eps-private comparisons of counts with
 *                                 thresholds; a unit is removed after k answers above
 *                                 that it was counted in [Kaplan, Mansour & Stemmer 2021]
 *   tree(sigma, n)                sums of a stream of n items by a binary tree
 *   matrix(sigma, s)              matrix factorisation of column norm s
 *   shuffle(n, eps0)              n reports by one eps0-private local randomizer, shuffled
 *   shuffle_response(n, k, eps0)  the same by randomized response with k answers
 *   poisson(q, e)                 e on a sample that takes each unit with chance q
 *   without_replacement(m, n, e)  e on a sample of exactly m of n units
 *   with_replacement(m, n, e)     m draws of one of n units
 *   group(k, e)                   k units together
 *   parallel(e, e, ...)           e's on disjoint parts of the data
 *   select_best(eta, gamma, e)    the best of a random number of runs, truncated negative
 *                                 binomial [Papernot & Steinke 2022]; eta = 1: geometric
 *   select_poisson(mu, e)         the same, Poisson number of runs
 *   e * n    e + e    (e)         n times; one after the other
 * An event is kept in a normal form: sums and repetitions are multiplied out,
 * (a + b) * 2 being a * 2 + b * 2, and equal parts are counted together, up to
 * 2^62 times. The order of parts does not matter to any price.
 *
 * The neighbouring relation is explicit and has no default. Parameters of noise
 * (sigma, b, and the sensitivity of discrete noise) are relative to what adding
 * or removing a unit can change; under replace-one such an event has twice the
 * distance, and poisson(q, e) compares "x or nothing" with "x' or nothing".
 * Parameters that are promises themselves (pure, approx, zcdp, gdp, ...,
 * exponential, svt) hold for the relation that is asked about; randomized
 * response, metric, without_replacement and shuffle are about replacing by nature:
 * metric(eps, r) says that two values of a unit that are x <= r apart cannot be told
 * apart beyond eps x [Chatzikokolakis et al. 2013], is priced at r, and has no price
 * where units are added or removed. Who asks so about randomized response says that
 * for whoever is absent some fixed answer is randomized. */

#ifdef __cplusplus
extern "C" {
#endif

/* A bound, plain and copyable: epsilon >= 0, delta in [0, 1). */
typedef struct dusk_budget {
    double epsilon;
    double delta;
} dusk_budget;

/* Which two data sets a promise compares. */
typedef enum dusk_neighbours {
    DUSK_ADD_REMOVE = 1, /* one unit's data is there or is not           */
    DUSK_REPLACE_ONE = 2 /* one unit's data is exchanged for other data; the
                            number of units is the same, hence public    */
} dusk_neighbours;

/* "add-remove" or "replace-one". */
DUSK_API const char *dusk_neighbours_name(dusk_neighbours neighbours);

#define DUSK_EVENT_NODES_MAX 128

/* An event. The bytes are private: make one with the functions below or by
 * dusk_event_parse, read it with dusk_event_format. Every event that exists
 * is valid. */
typedef struct dusk_event {
    uint64_t opaque[1 + 6 * DUSK_EVENT_NODES_MAX];
} dusk_event;

DUSK_API DUSK_MUST_USE dusk_status dusk_event_pure(dusk_event *out, double epsilon, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_approx(dusk_event *out, double epsilon, double delta,
                                                     dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_zcdp(dusk_event *out, double rho, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_gdp(dusk_event *out, double mu, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_laplace(dusk_event *out, double scale_over_sensitivity,
                                                      dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_gaussian(dusk_event *out, double sigma_over_sensitivity,
                                                       dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_discrete_laplace(dusk_event *out, double scale,
                                                               uint64_t sensitivity, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_discrete_gaussian(dusk_event *out, double sigma,
                                                                uint64_t sensitivity, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_randomized_response(dusk_event *out, double epsilon,
                                                                  uint64_t answers, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_exponential(dusk_event *out, double epsilon, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_permute_and_flip(dusk_event *out, double epsilon,
                                                               dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_noisy_max(dusk_event *out, double epsilon, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_svt(dusk_event *out, double epsilon_threshold,
                                                  double epsilon_queries, uint64_t hits, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_metric(dusk_event *out, double epsilon, double distance,
                                                     dusk_error *err);

/* The other mechanisms, curves and tables. A table has at most
 * DUSK_EVENT_NODES_MAX - 1 points; `infinite` is the probability of an infinite
 * loss (0: none). */
DUSK_API DUSK_MUST_USE dusk_status dusk_event_approximate_zcdp(dusk_event *out, double rho, double xi,
                                                               dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_mcdp(dusk_event *out, double mu, double tau, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_tcdp(dusk_event *out, double rho, double omega,
                                                   dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_rdp(dusk_event *out, const double *orders,
                                                  const double *epsilons, size_t n, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_fdp(dusk_event *out, const double *type_one,
                                                  const double *type_two, size_t n, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_pld(dusk_event *out, const double *losses,
                                                  const double *probabilities, size_t n, double infinite,
                                                  dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_staircase(dusk_event *out, double epsilon, double gamma,
                                                        dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_svt_gaussian(dusk_event *out, double sigma_threshold,
                                                           double sigma_queries, uint64_t queries,
                                                           dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_threshold_monitor(dusk_event *out, double epsilon,
                                                                uint64_t contributions, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_tree(dusk_event *out, double sigma, uint64_t items,
                                                   dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_matrix(dusk_event *out, double sigma, double column_norm,
                                                     dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_shuffle(dusk_event *out, uint64_t reports, double local_epsilon,
                                                      dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_shuffle_response(dusk_event *out, uint64_t reports,
                                                               uint64_t answers, double local_epsilon,
                                                               dusk_error *err);

/* Wrappers; `out` may be the event that is wrapped. DUSK_ERR_ARGUMENT when the
 * result has more than DUSK_EVENT_NODES_MAX parts, each wrapper, branch and
 * point being one, a text of more than 8191 bytes, or is more than 64 deep. */
DUSK_API DUSK_MUST_USE dusk_status dusk_event_poisson(dusk_event *out, double rate, const dusk_event *event,
                                                      dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_without_replacement(dusk_event *out, uint64_t sample,
                                                                  uint64_t units, const dusk_event *event,
                                                                  dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_with_replacement(dusk_event *out, uint64_t draws,
                                                               uint64_t units, const dusk_event *event,
                                                               dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_group(dusk_event *out, uint64_t size, const dusk_event *event,
                                                    dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_parallel(dusk_event *out, const dusk_event *events, size_t n,
                                                       dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_select_best(dusk_event *out, double eta, double gamma,
                                                          const dusk_event *event, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_select_poisson(dusk_event *out, double mu,
                                                             const dusk_event *event, dusk_error *err);

/* a, then b (adaptively). `out` may be one of the inputs. DUSK_ERR_ARGUMENT
 * when the two together have more than DUSK_EVENT_NODES_MAX different parts or
 * a text of more than 8191 bytes. */
DUSK_API DUSK_MUST_USE dusk_status dusk_event_add(dusk_event *out, const dusk_event *a, const dusk_event *b,
                                                  dusk_error *err);
/* The same event `times` times, times >= 1. */
DUSK_API DUSK_MUST_USE dusk_status dusk_event_repeat(dusk_event *out, const dusk_event *event, uint64_t times,
                                                     dusk_error *err);

/* Write the text form with its '\0' into `text`; DUSK_ERR_ARGUMENT when `size`
 * is too small (8192 always suffices). */
DUSK_API DUSK_MUST_USE dusk_status dusk_event_format(const dusk_event *event, char *text, size_t size,
                                                     dusk_error *err);
/* Read the text form. DUSK_ERR_PARSE names the column of a mistake. Whole
 * numbers may be written as 1e6. */
DUSK_API DUSK_MUST_USE dusk_status dusk_event_parse(dusk_event *out, const char *text, dusk_error *err);

/* An upper bound on the epsilon of the event at `delta` in [0, 1), by basic
 * composition over its parts, each part priced exactly (Gaussian: Balle & Wang
 * 2018, Theorem 8; discrete Gaussian: Canonne, Kamath & Steinke 2020, Theorem
 * 7; zCDP: Proposition 12 there). All Gaussian parts are first merged into one,
 * and so are all zCDP parts. Approx parts take their own delta; what is left is
 * shared equally among the parts that need one, and goes unused when none does
 * (unless the event is a single laplace or randomized_response, which gets a
 * smaller epsilon for it). +inf when no finite epsilon exists at this delta (a
 * Gaussian at delta 0). DUSK_ERR_UNSUPPORTED for wrappers and for mechanisms that
 * basic composition knows no price of: dusk_account_epsilon is for them. */
DUSK_API DUSK_MUST_USE dusk_status dusk_event_epsilon_up(const dusk_event *event, double *epsilon,
                                                         double delta, dusk_error *err);

/* Bounds that hold: lower <= truth <= upper. */
typedef struct dusk_bound {
    double lower, upper;
} dusk_bound;

/* The accountants, each also by name: "best", "exact", ... Values are pinned.
 *   best      the smallest upper bound of all that apply, the largest lower one; basic and
 *             advanced are not asked about more than 1000 different samples
 *   exact     the curve of a single mechanism, run once
 *   basic     epsilons and deltas add up
 *   advanced  Dwork, Rothblum & Vadhan 2010 (as in Kairouz, Oh & Viswanath 2017)
 *   optimal   Kairouz, Oh & Viswanath 2017; heterogeneous: Murtagh & Vadhan 2018
 *   zcdp mcdp tcdp  concentrated privacy, converted with the best known theorem
 *   rdp       Renyi divergences at the best real order
 *   moments   Abadi et al. 2016, closed form; where its conditions hold
 *   gdp       Gaussian privacy: mu^2 adds up
 *   clt       the central limit theorem of GDP: an approximation, not a bound
 *   lattice   convolution of privacy losses on a lattice, certified
 *   contour   the contour integral of the moment generating function, certified */
typedef enum dusk_accountant {
    DUSK_BEST = 1,
    DUSK_EXACT = 2,
    DUSK_BASIC = 3,
    DUSK_ADVANCED = 4,
    DUSK_OPTIMAL = 5,
    DUSK_ZCDP = 6,
    DUSK_MCDP = 7,
    DUSK_TCDP = 8,
    DUSK_RDP = 9,
    DUSK_MOMENTS = 10,
    DUSK_GDP = 11,
    DUSK_CLT = 12,
    DUSK_LATTICE = 13,
    DUSK_CONTOUR = 14
} dusk_accountant;
#define DUSK_ACCOUNTANTS 14

/* "contour", ...; never NULL. */
DUSK_API const char *dusk_accountant_name(dusk_accountant accountant);
/* The accountant of that name; DUSK_ERR_ARGUMENT lists the names. */
DUSK_API DUSK_MUST_USE dusk_status dusk_accountant_named(dusk_accountant *out, const char *name,
                                                         dusk_error *err);

/* A composition that is declared beforehand: a list of events of any length,
 * each with how often it runs, and the neighbouring relation. An empty one
 * costs nothing. */
typedef struct dusk_composition dusk_composition;
DUSK_API DUSK_MUST_USE dusk_status dusk_composition_new(dusk_composition **out, dusk_neighbours neighbours,
                                                        dusk_error *err);
DUSK_API void dusk_composition_free(dusk_composition *composition);
DUSK_API DUSK_MUST_USE dusk_status dusk_composition_add(dusk_composition *composition,
                                                        const dusk_event *event, uint64_t times,
                                                        dusk_error *err);
/* Add the sum that `text` says; it may have any number of terms and a count of
 * 0 (e * 0). DUSK_ERR_PARSE names the column of a mistake and adds nothing. */
DUSK_API DUSK_MUST_USE dusk_status dusk_composition_parse(dusk_composition *composition, const char *text,
                                                          dusk_error *err);
/* The same where `text` has the name `variable` (letters and '_') in the place
 * of a number, once or more, which stands for `value`; as a count or a whole
 * number it is rounded down. DUSK_ERR_PARSE when the name is not there. */
DUSK_API DUSK_MUST_USE dusk_status dusk_composition_parse_with(dusk_composition *composition,
                                                               const char *text, const char *variable,
                                                               double value, dusk_error *err);

/* An answer: bounds, who says so, and whether it is only an approximation
 * (clt), which must not be charged. A lower bound says that no smaller number
 * is right for mechanisms of which only the event is known; it is 0 for
 * accountants that give none. */
typedef struct dusk_account {
    dusk_bound bound;
    dusk_accountant accountant;
    int approximation;
} dusk_account;

/* Epsilon at delta in [0, 1) (+inf when none is finite), delta at epsilon >= 0,
 * the type II error that an attacker who allows himself a type I error of
 * alpha in [0, 1] must accept (bound.lower is what is promised), and the
 * largest advantage (true positives minus false positives) of any test for a
 * unit's presence. DUSK_ERR_UNSUPPORTED says which part the accountant cannot
 * price; `best` takes whoever can. */
DUSK_API DUSK_MUST_USE dusk_status dusk_account_epsilon(dusk_account *out,
                                                        const dusk_composition *composition, double delta,
                                                        dusk_accountant accountant, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_account_delta(dusk_account *out, const dusk_composition *composition,
                                                      double epsilon, dusk_accountant accountant,
                                                      dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_account_tradeoff(dusk_account *out,
                                                         const dusk_composition *composition, double alpha,
                                                         dusk_accountant accountant, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_account_advantage(dusk_account *out,
                                                          const dusk_composition *composition,
                                                          dusk_accountant accountant, dusk_error *err);
/* The odds that an attacker gives to a fact about a unit after the answer, at
 * most, when they were `odds` before, except with probability `delta`. */
DUSK_API DUSK_MUST_USE dusk_status dusk_account_posterior_odds(double *out,
                                                               const dusk_composition *composition,
                                                               double odds, double delta, dusk_error *err);

/* Calibrate: the value of `variable` in `text` at which the promise is
 * (epsilon, delta), rounded to the safe side; the promise is then checked at
 * that value. More noise or fewer steps is found by trying which way privacy
 * grows. DUSK_ERR_UNSUPPORTED when no value reaches the target. */
DUSK_API DUSK_MUST_USE dusk_status dusk_account_solve(double *out, const char *text, const char *variable,
                                                      dusk_budget target, dusk_neighbours neighbours,
                                                      dusk_accountant accountant, dusk_error *err);

/* Filters, for choices that depend on earlier answers: only those with a proof
 * for fully adaptive composition. A charge is refused with DUSK_ERR_BUDGET, and
 * then spends nothing, when all charges together would no longer be within the
 * budget. It costs O(1) (RDP: O(orders)), whatever went before; pricing an event
 * is extra, and done once for a few events that take turns.
 *
 * An event is charged before it runs, and whole: a run that may stop early or
 * change its schedule by looking at its own answers is charged its planned
 * maximum, or charges the filter step by step. How an event enters:
 *   basic  with its largest privacy loss and its own delta. One that has no
 *          largest loss (Gaussian noise) is refused with DUSK_ERR_UNSUPPORTED:
 *          dusk_filter_charge_at gives it a delta.
 *   zcdp   with its (xi, rho), at one order that is fixed by the budget
 *   rdp    with its Renyi divergences at some twenty orders, fixed by the budget.
 *          The order that counts in the end may depend on answers, and delta is
 *          shared among the orders for that: for Gaussian noise zcdp and gdp have
 *          a little more room, for anything else rdp has.
 *   gdp    with its mu: Gaussian noise, also in trees, groups and the like; what
 *          has a largest loss and no delta has a mu, too
 * DUSK_ERR_UNSUPPORTED when the event has no such price. All but basic need a
 * delta above 0. What the contour or lattice accountant says about a whole run
 * enters a basic filter as (epsilon, delta). */
typedef enum dusk_filter_kind {
    DUSK_FILTER_BASIC = 1, /* Rogers et al. 2016; epsilons and deltas          */
    DUSK_FILTER_ZCDP = 2,  /* Feldman & Zrnic 2021; rho                        */
    DUSK_FILTER_RDP = 3,   /* Feldman & Zrnic 2021; at each of several orders  */
    DUSK_FILTER_GDP = 4    /* Smith & Thakurta 2022, Koskela et al. 2023; mu^2 */
} dusk_filter_kind;
typedef struct dusk_filter dusk_filter;
DUSK_API DUSK_MUST_USE dusk_status dusk_filter_new(dusk_filter **out, dusk_filter_kind kind,
                                                   dusk_budget budget, dusk_neighbours neighbours,
                                                   dusk_error *err);
DUSK_API void dusk_filter_free(dusk_filter *filter);
DUSK_API DUSK_MUST_USE dusk_status dusk_filter_charge(dusk_filter *filter, const dusk_event *event,
                                                      dusk_error *err);
/* Charge a basic filter (epsilon, delta), epsilon being what dusk_account_epsilon
 * says of the event at this delta with DUSK_BEST. */
DUSK_API DUSK_MUST_USE dusk_status dusk_filter_charge_at(dusk_filter *filter, const dusk_event *event,
                                                         double delta, dusk_error *err);
/* The share of the budget that is spent, from 0 to 1, rounded up. */
DUSK_API double dusk_filter_spent(const dusk_filter *filter);

/* An odometer: no budget, but at any time a bound on what was spent so far. Stop
 * whenever you like, also at a time chosen by looking at answers: with E the
 * epsilon at that time, P(S) <= E_Q[exp(E); S] + delta for any set S of what can
 * be seen on which E is finite; so whoever stops before E is above some e has had (e, delta) privacy
 * [after Feldman & Zrnic 2021 and Whitehouse et al. 2023]. Events enter as in a
 * filter of the same kind. Basic: +inf once the deltas are more than delta. */
typedef struct dusk_odometer dusk_odometer;
DUSK_API DUSK_MUST_USE dusk_status dusk_odometer_new(dusk_odometer **out, dusk_filter_kind kind, double delta,
                                                     dusk_neighbours neighbours, dusk_error *err);
DUSK_API void dusk_odometer_free(dusk_odometer *odometer);
DUSK_API DUSK_MUST_USE dusk_status dusk_odometer_charge(dusk_odometer *odometer, const dusk_event *event,
                                                        dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_odometer_epsilon(const dusk_odometer *odometer, double *epsilon,
                                                         dusk_error *err);

/* How the numbers of a release were made. */
typedef enum dusk_numerics {
    DUSK_NUMERICS_EXACT = 1,     /* the law is exactly that of the proof        */
    DUSK_NUMERICS_CERTIFIED = 2, /* but for an event whose probability is in delta */
    DUSK_NUMERICS_IDEALISED = 3  /* the law holds for real numbers only         */
} dusk_numerics;

/* A promise: what was released, how, and what follows from it. The noise of `event`
 * is relative to what a change of `neighbours` can do: under replace-one the two sides
 * of a replacement are in it already, and a composition that is to price it again
 * compares by add-remove. Where a part of it samples, shuffles, responds or divides, all
 * of its noise is relative to a unit that comes or goes, and a composition compares by
 * `neighbours`. */
typedef struct dusk_statement {
    dusk_event event;
    dusk_numerics numerics;
    double numerics_delta; /* with CERTIFIED: contained in delta           */
    double epsilon, delta; /* an upper bound, by `accountant`              */
    char accountant[24];   /* "basic", ...                                 */
    dusk_neighbours neighbours;
    char unit[64];     /* whose privacy: "row", "person", ...          */
    char assumed[256]; /* declared facts it rests on, "; " between them */
} dusk_statement;

/* Make a statement for an event: epsilon at delta by the best accountant, numerics
 * exact, nothing assumed. `unit` NULL means "unit". An event that samples, shuffles
 * or responds is priced for `neighbours` itself, noise and all. */
DUSK_API DUSK_MUST_USE dusk_status dusk_statement_init(dusk_statement *out, const dusk_event *event,
                                                       double delta, dusk_neighbours neighbours,
                                                       const char *unit, dusk_error *err);
/* What is said of a release without any privacy: delta is 1, which is true of everything, and epsilon the largest number; it is marked as a fact, too.
 * For baselines; ledgers refuse it. */
DUSK_API DUSK_MUST_USE dusk_status dusk_statement_none(dusk_statement *out, dusk_neighbours neighbours,
                                                       const char *unit, dusk_error *err);
/* Does it promise nothing, as the one above? */
DUSK_API bool dusk_statement_is_none(const dusk_statement *statement);
/* Is it for labels alone, all other columns being taken for public? Its unit then begins with DUSK_LABEL_OF. This is no promise about rows or
 * persons; ledgers refuse it. */
#define DUSK_LABEL_OF "label of "
DUSK_API bool dusk_statement_is_for_labels(const dusk_statement *statement);
/* Append a declared fact ("; " between facts); what does not fit is DUSK_ERR_ARGUMENT. */
DUSK_API DUSK_MUST_USE dusk_status dusk_statement_assume(dusk_statement *statement, const char *fact,
                                                         dusk_error *err);
/* One line of text (epsilon to six digits, rounded up), or one JSON object (all digits); 16384 bytes always suffice. */
DUSK_API DUSK_MUST_USE dusk_status dusk_statement_format(const dusk_statement *statement, char *text,
                                                         size_t size, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_statement_json(const dusk_statement *statement, char *text,
                                                       size_t size, dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
