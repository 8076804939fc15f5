/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_MECHANISMS_H
#define DUSK_AUDIT_MECHANISMS_H

/* Auditing a mechanism: from independent draws on neighbouring inputs to a lower bound of
 * its epsilon.
 *
 * Three steps, each with fresh draws: choose the pair of inputs; choose a set S of outputs
 * on which they differ most; count how often S happens on either side. Only the counts of
 * the last step enter the bound (Clopper & Pearson 1934, the error level shared by a union
 * bound), so that it holds whatever the first two steps did:
 *     epsilon >= ln((P(S) - delta) / Q(S)),  P(S) bounded below and Q(S) above.
 * S may be a half-line of one number, a set of values or words, a product of half-lines, or
 * a level set of a small learned score, whichever is best on the draws of the second step.
 * A set that never happened on one side is no special case: the bound of a count of zero is
 * exact. After DP-Sniper (Bichsel et al. 2021) and Delta-Siege (Lokna et al. 2023), without
 * their floor on the probability of S. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/accounting.h"
#include "dusk/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A mechanism under audit. `draw` writes `n` independent outputs on `input`, each of
 * `output_length` numbers, one after the other. NaN stands for "nothing here" (an answer
 * that ended early) and is a value like any other. Inputs are `input_length` numbers, whose
 * meaning is the sampler's own. `log_density` may be NULL; it writes for each of n outputs
 * the logarithm of its density on `input` (with respect to any one measure, the same for
 * all inputs; -INFINITY where it cannot happen). */
typedef struct dusk_sampler {
    void *context;
    size_t input_length, output_length;
    dusk_status (*draw)(void *context, double *out, size_t n, const double *input, dusk_error *err);
    dusk_status (*log_density)(void *context, double *out, const double *outputs, size_t n,
                               const double *input, dusk_error *err);
} dusk_sampler;

/* Two neighbouring inputs, and what to call them. Both directions are audited. */
typedef struct dusk_input_pair {
    const double *input[2];
    const char *name;
} dusk_input_pair;

/* How the numbers of an input may differ between neighbours. */
typedef enum dusk_distance {
    DUSK_ONE_MOVES = 1, /* one of them, by at most 1: counts of disjoint groups */
    DUSK_ALL_MOVE = 2   /* each of them, by at most 1: queries                  */
} dusk_distance;

/* Standard pairs of inputs of `length` numbers (Ding et al. 2018: one above, one below, one
 * above and the rest below, half and half, all above, x shape, ...). A handle: `list` has
 * `count` pairs, which end with it. */
typedef struct dusk_input_pairs {
    const dusk_input_pair *list;
    size_t count;
} dusk_input_pairs;
DUSK_API DUSK_MUST_USE dusk_status dusk_input_pairs_new(dusk_input_pairs **out, size_t length,
                                                        dusk_distance distance, dusk_error *err);
DUSK_API void dusk_input_pairs_free(dusk_input_pairs *pairs);

/* What is made of an exported density. */
typedef enum dusk_density_use {
    DUSK_DENSITY_UNUSED = 0, /* black box                                            */
    DUSK_DENSITY_SCORE = 1,  /* the set S is a level set of the likelihood ratio; the
                                bound rests on counts all the same                   */
    DUSK_DENSITY_TRUSTED = 2 /* the density is believed: Q(S) is had from the draws of
                                P by their likelihood ratios, however small it is. L, the
                                difference of two logarithms, must be right to
                                5e-10 (1 + |L|)                                      */
} dusk_density_use;

typedef struct dusk_audit_options {
    size_t size;                   /* set by _init */
    double epsilon, delta;         /* the claim                                       */
    const dusk_composition *event; /* or the claim is its whole trade-off curve (NULL:
                                      not); epsilon is then found at delta            */
    double confidence;             /* of the bound that is printed: 0.95              */
    double alarm;                  /* chance of accusing a right mechanism: 1e-6      */
    double worth;                  /* a pass must be able to see a true epsilon this share
                                      above the claim: 0.25. Smaller costs more draws */
    uint64_t draws;                /* of the last step, a side, at most, and of each
                                      choice before it, which has 256 at least; 0: as
                                      many as the claim needs, up to 2^26             */
    dusk_distance search;          /* 0: only the pairs given; otherwise the best of
                                      them is varied (local search), in steps of 1, and
                                      inputs may leave the range of those given       */
    dusk_density_use density;      /* DUSK_DENSITY_SCORE where there is one           */
    uint64_t seed;                 /* of the audit's own choices; 0: from the system  */
} dusk_audit_options;
DUSK_API void dusk_audit_options_init(dusk_audit_options *options);

typedef enum dusk_verdict {
    DUSK_PASS = 1,         /* no fault shown, and one of a size worth showing would have been */
    DUSK_VIOLATION = 2,    /* the claim is wrong, but for a chance of `alarm`                 */
    DUSK_INCONCLUSIVE = 3, /* no fault shown, but a larger one might have hidden              */
} dusk_verdict;
/* "pass", "violation", "inconclusive". */
DUSK_API const char *dusk_verdict_name(dusk_verdict verdict);

/* What an attacker reaches with the score whose level set decided: as the set grows, its share of
 * draws on the side of Q and on that of P, from (0, 0) to (1, 1); neither falls. Estimates on
 * `draws` draws a side, those that chose the set: to be looked at, no part of a bound. */
#define DUSK_AUDIT_ROC_MAX 33
typedef struct dusk_audit_roc {
    size_t count; /* 0: there is none, as where a density was believed */
    uint64_t draws;
    double q[DUSK_AUDIT_ROC_MAX], p[DUSK_AUDIT_ROC_MAX];
} dusk_audit_roc;

/* What was found. The verdict is a violation where epsilon_sure is above the claim (or the
 * counts lie below the claimed curve at 1 - alarm), else a pass where `detectable` is at most
 * claimed (1 + worth) + 0.04 worth, else inconclusive. `event` says the deciding set in words ("output <= -1.25"). */
typedef struct dusk_audit_report {
    dusk_verdict verdict;
    double claimed, delta;       /* epsilon as claimed, at delta                         */
    double epsilon;              /* the true one is at least this, at `confidence`       */
    double epsilon_sure;         /* the same at 1 - alarm: what the verdict rests on     */
    double detectable;           /* the smallest true epsilon that these draws on this
                                        set would have shown, nine times in ten; where outputs
                                        never vary: on a set of half of them                 */
    double mu;                   /* the Gaussian mu is at least this, at `confidence`    */
    size_t pair;                 /* in the list that was given                           */
    bool swapped;                /* P is the second input of the pair                    */
    bool varied;                 /* the pair was changed by local search                 */
    dusk_density_use density;    /* what the bound rests on                              */
    uint64_t hits[2], trials[2]; /* of S, on the side of P and of Q, in the last step    */
    uint64_t draws;              /* in all steps                                         */
    char family[24];             /* "half-line", "table", "product", "score", "pattern",
                                        "density"                                            */
    char event[200];
    dusk_audit_roc roc;
} dusk_audit_report;

/* Audit. Fails where the sampler fails, for lack of memory, or for options out of range. */
DUSK_API DUSK_MUST_USE dusk_status dusk_audit_run(dusk_audit_report *out, const dusk_sampler *sampler,
                                                  const dusk_input_pair *pairs, size_t pair_count,
                                                  const dusk_audit_options *options, dusk_error *err);

/* A whole curve on one pair: lower bounds of epsilon at each of `n` deltas, which hold all
 * together at `confidence`; and of the Renyi divergences at `n` orders above 1 (both
 * directions; the larger). `sure`, unless it is NULL, has what the same counts show all
 * together at 1 - alarm. */
DUSK_API DUSK_MUST_USE dusk_status dusk_audit_curve(double *epsilons, double *sure, const double *deltas,
                                                    size_t n, const dusk_sampler *sampler,
                                                    const dusk_input_pair *pair,
                                                    const dusk_audit_options *options, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_audit_renyi(double *divergences, double *sure, const double *orders,
                                                    size_t n, const dusk_sampler *sampler,
                                                    const dusk_input_pair *pair,
                                                    const dusk_audit_options *options, dusk_error *err);

/* The bounds themselves, for counts that were had elsewhere. `error` is the chance of being
 * wrong, 0 < error < 1. A set happened `p_hits` times in `p_trials` on one side and
 * `q_hits` times in `q_trials` on the other: lower bounds of epsilon at delta, of the
 * Renyi divergence of an order above 1, and of the Gaussian mu. Never negative. */
DUSK_API double dusk_clopper_pearson_down(uint64_t hits, uint64_t trials, double error);
DUSK_API double dusk_clopper_pearson_up(uint64_t hits, uint64_t trials, double error);
DUSK_API double dusk_epsilon_down(uint64_t p_hits, uint64_t p_trials, uint64_t q_hits, uint64_t q_trials,
                                  double delta, double error);
DUSK_API double dusk_renyi_down(uint64_t p_hits, uint64_t p_trials, uint64_t q_hits, uint64_t q_trials,
                                double order, double error);
DUSK_API double dusk_gaussian_mu_down(uint64_t p_hits, uint64_t p_trials, uint64_t q_hits, uint64_t q_trials,
                                      double error);

#ifdef __cplusplus
}
#endif
#endif
