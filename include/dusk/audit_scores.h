/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_SCORES_H
#define DUSK_AUDIT_SCORES_H

/* Auditing a model from scores: an attacker has given each of some examples (canaries) a
 * number, larger where it looks more like a member of the training data, and it is known
 * which were members. From that alone: lower bounds of epsilon, and how well the attack
 * tells members from others.
 *
 * Two experiments make such scores, and they allow different things to be said:
 *   one run     each canary was put in by a fair coin of its own, one model was trained,
 *               and all canaries were scored on it. The scores depend on each other, so
 *               only the one-run bounds hold (Steinke, Nasr & Jagielski 2023; Mahloujifar,
 *               Melis & Chaudhuri 2024).
 *   many runs   each score comes from a run of its own, with the canary in or out. The
 *               scores are independent, and counts have exact intervals (Clopper & Pearson).
 *
 * A bound over the best of many thresholds is no bound. What is chosen here is chosen in
 * one of three ways: by the caller beforehand; from a list made beforehand, the error level
 * shared by all of it; or on a random half of the scores, and counted on the other half. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/accounting.h"
#include "dusk/audit_mechanisms.h"
#include "dusk/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- bounds from counts, one run --------------------------------------------------- */

/* Of `canaries`, each in by a fair coin, the auditor guessed exactly `guesses`, and
 * `correct` were right. Which to guess may depend on everything but the coins. Neighbours
 * differ in one canary: added or removed.
 *
 * An upper bound of the chance that a mechanism that is (epsilon, delta)-DP allows so many
 * right guesses or more (Steinke et al. 2023, Theorem 5.2); 1 where the counts make no sense. */
DUSK_API double dusk_one_run_chance_up(uint64_t canaries, uint64_t guesses, uint64_t correct, double epsilon,
                                       double delta);
/* Epsilon at delta is at least this, but for a chance of `error`. Never negative. */
DUSK_API double dusk_one_run_epsilon_down(uint64_t canaries, uint64_t guesses, uint64_t correct, double delta,
                                          double error);

/* A whole promise: no attacker's errors lie below its trade-off curve. Points of a privacy
 * curve (epsilons[i], deltas[i]), i < n; or, with n = 0, mu-Gaussian DP. */
typedef struct dusk_promise {
    double mu;
    const double *epsilons, *deltas;
    size_t n;
} dusk_promise;

/* Whether so many right guesses have a chance of at most `error` under every mechanism that
 * keeps the promise (Mahloujifar et al. 2024, by their recursion on the number of right guesses). */
DUSK_API bool dusk_one_run_refutes(const dusk_promise *promise, uint64_t canaries, uint64_t guesses,
                                   uint64_t correct, double error);
/* By that test: epsilon at delta is at least this; and if the mechanism is mu-Gaussian DP, mu
 * is at least this. Each but for a chance of `error`. */
DUSK_API double dusk_one_run_fdp_epsilon_down(uint64_t canaries, uint64_t guesses, uint64_t correct,
                                              double delta, double error);
DUSK_API double dusk_one_run_mu_down(uint64_t canaries, uint64_t guesses, uint64_t correct, double error);

/* Epsilon at delta of a Gaussian mechanism of that mu, rounded down: what a bound of mu is
 * worth *if the trade-off is Gaussian*, which no count can show. INFINITY at delta 0, mu > 0. */
DUSK_API double dusk_mu_epsilon_down(double mu, double delta);

/* --- scores ------------------------------------------------------------------------ */

/* Scores and what is known of them. Copies its arguments. NaN is refused; infinities are not. */
typedef struct dusk_scores dusk_scores;
DUSK_API DUSK_MUST_USE dusk_status dusk_scores_new(dusk_scores **out, const double *score, const bool *member,
                                                   size_t n, dusk_error *err);
DUSK_API void dusk_scores_free(dusk_scores *scores);
DUSK_API size_t dusk_scores_members(const dusk_scores *scores);
DUSK_API size_t dusk_scores_others(const dusk_scores *scores);

/* The attack as a test for membership, one point a different score: the share of members
 * (tpr) and of others (fpr) with at least that score, from (0, 0) to (1, 1). Arrays of
 * so many numbers as dusk_scores_roc_size says. A description of these scores, not a bound. */
DUSK_API DUSK_MUST_USE dusk_status dusk_scores_roc_size(size_t *out, const dusk_scores *scores,
                                                        dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_scores_roc(double *fpr, double *tpr, const dusk_scores *scores,
                                                   dusk_error *err);

/* Figures of the attack. The area is the chance that a member is scored above another, ties
 * counted half; accuracy and advantage are those of the best threshold on these same scores,
 * so they flatter the attack: about 1/sqrt(n) without any leak. The exposures are of members as planted
 * secrets, by their ranks among the others (dusk_exposure), in bits: about 1 in the middle without any
 * leak, and at most log2(others + 1). */
typedef struct dusk_attack_figures {
    double area, accuracy, advantage;
    double exposure_median, exposure_largest;
} dusk_attack_figures;
DUSK_API DUSK_MUST_USE dusk_status dusk_scores_figures(dusk_attack_figures *out, const dusk_scores *scores,
                                                       dusk_error *err);

/* The share of members that are found when a share of `fpr` of the others is accused. The
 * threshold is chosen on one random half and both shares are counted on the other, with
 * two-sided intervals at `confidence` for independent scores; `whole` is the plain figure of
 * all scores, as the literature prints it. */
typedef struct dusk_tpr {
    double whole;
    double tpr, tpr_down, tpr_up;
    double fpr, fpr_down, fpr_up;
} dusk_tpr;
DUSK_API DUSK_MUST_USE dusk_status dusk_scores_tpr(dusk_tpr *out, const dusk_scores *scores, double fpr,
                                                   double confidence, uint64_t seed, dusk_error *err);

/* How the guesses (or the threshold) are chosen. */
typedef enum dusk_choice_rule {
    DUSK_CHOICE_LIST = 1,  /* from a list fixed by the number of scores; the error is shared */
    DUSK_CHOICE_SPLIT = 2, /* on a random half, counted on the other                         */
    DUSK_CHOICE_FIXED = 3  /* by the caller                                                  */
} dusk_choice_rule;

typedef struct dusk_score_options {
    size_t size;                   /* set by _init                                       */
    double epsilon, delta;         /* the claim; NaN: none, only measure                 */
    const dusk_composition *event; /* or the claim is its whole curve (NULL: not)        */
    double confidence, alarm;      /* 0.95 and 1e-6, as in dusk_audit_options            */
    bool many_runs;                /* each score is a run of its own: independent        */
    bool fair_coins;               /* one run: the caller declares that each canary was put in
                                      by a fair coin of its own, also where half are members
                                      (see dusk_scores_audit)                            */
    dusk_choice_rule rule;         /* of guesses in one run: DUSK_CHOICE_LIST            */
    uint64_t positives, negatives; /* DUSK_CHOICE_FIXED: so many highest scores are guessed
                                      to be members, so many lowest ones not             */
    double threshold;              /* many runs, DUSK_CHOICE_FIXED: members have at least
                                      this score                                         */
    bool assume_gaussian;          /* let bounds that assume a Gaussian trade-off decide */
    uint64_t seed;                 /* of the random half and of ties. A fixed one, so that
                                      nobody looks for a lucky one: 1                    */
} dusk_score_options;
DUSK_API void dusk_score_options_init(dusk_score_options *options);

typedef enum dusk_score_method {
    DUSK_ONE_RUN = 1,         /* Steinke et al.                                             */
    DUSK_ONE_RUN_FDP = 2,     /* Mahloujifar et al., of (epsilon, delta)                    */
    DUSK_ONE_RUN_GDP = 3,     /* the same of mu; its epsilon assumes a Gaussian trade-off   */
    DUSK_CLOPPER_PEARSON = 4, /* independent scores: both rates at one threshold            */
    DUSK_THRESHOLD_GDP = 5,   /* the same of mu (Nasr et al. 2023); epsilon assumes Gaussian */
    DUSK_ONE_RUN_EVENT = 6    /* the recursion on the curve of the claimed event            */
} dusk_score_method;
#define DUSK_SCORE_METHODS 6
/* "one run", "one run f-DP", ... */
DUSK_API const char *dusk_score_method_name(dusk_score_method method);

/* What a bound takes for granted beyond the experiment that was declared. */
enum dusk_assumes {
    DUSK_ASSUMES_NOTHING = 0,
    DUSK_ASSUMES_GAUSSIAN = 1,   /* the trade-off is Gaussian; the bound of mu itself does not need it */
    DUSK_ASSUMES_INDEPENDENT = 2 /* scores of one run are independent of each other                    */
};

/* One line of an audit. Each holds at `confidence` by itself. */
typedef struct dusk_score_bound {
    dusk_score_method method;
    unsigned assumes;    /* dusk_assumes, added up                                       */
    double epsilon;      /* at least this, at `confidence`                               */
    double epsilon_sure; /* at the level that the verdict needs                          */
    double mu;           /* of the methods that bound it, at `confidence`; else NaN      */
    bool decides;        /* it may speak for the verdict                                 */
    bool refutes;        /* it shows that the claim is wrong                             */
    bool could;          /* a perfect attack on so many scores would have shown it       */
    dusk_choice_rule rule;
    size_t choices;                                  /* that shared the error           */
    uint64_t canaries;                               /* that were counted               */
    uint64_t positives, negatives, guesses, correct; /* one run: the best choice        */
    double threshold;                                /* counts at a threshold           */
    bool below;                                      /* the set is "below it": what speaks for others       */
    uint64_t hits[2], trials[2];                     /* of the set: members, others                         */
} dusk_score_bound;

typedef struct dusk_score_report {
    dusk_verdict verdict; /* 0 where nothing was claimed; inconclusive where no attack could have
                             refuted the claim (see `could`)                              */
    double claimed, delta;
    double epsilon;      /* by all methods that assume nothing, together, at `confidence` */
    double epsilon_sure; /* the same at 1 - alarm                                        */
    double detectable;   /* what a perfect attack on so many scores would have shown     */
    size_t members, others;
    size_t count; /* of bounds */
    dusk_score_bound bound[DUSK_SCORE_METHODS];
} dusk_score_report;

/* Audit. One run: DUSK_ERR_UNSUPPORTED where the number of members is one that fair coins do
 * not give (but for a chance of 1e-9), since its bounds are about fair coins. Where half are members (of n, an odd
 * one aside) their number may have been fixed, and who they are drawn at random: the errors are then
 * divided by sqrt(2 (n + 1)), with which the bounds hold for that, too; not where `fair_coins` are
 * declared, and then they hold for coins only. */
DUSK_API DUSK_MUST_USE dusk_status dusk_scores_audit(dusk_score_report *out, const dusk_scores *scores,
                                                     const dusk_score_options *options, dusk_error *err);

/* --- attacks that make scores ------------------------------------------------------- */

/* Confidence p of the true class to an unbounded, roughly normal scale: ln(p / (1 - p)),
 * p moved into [1e-12, 1 - 1e-12]. */
DUSK_API double dusk_logit_confidence(double p);

/* LiRA (Carlini et al. 2022): `models` shadow models, each trained on a random subset. For
 * example e and model k, confidence[e * models + k] is the scaled confidence of the model
 * and in[e * models + k] whether it was trained on e; target[e] is that of the audited model. Writes
 * score[e], larger for members: the logarithm of the likelihood ratio of two normal laws
 * (online), or how far the target's confidence lies above that of models without e (offline).
 * `global_variance` pools the variances over examples, better below some 64 models. With `relative` the
 * score is RMIA's instead (Zarifzadeh, Liu & Shokri 2024): the logarithm of the target's probability of the true class
 * over the mean of those of models without e, confidences being ln(p / (1 - p)); their test against a
 * population, the same for all examples, keeps this order. Examples with too few models of a kind (2; with
 * global_variance or relative 1) get a score of -INFINITY, and *unscored counts them (may be NULL). */
typedef struct dusk_lira_options {
    size_t size;
    bool offline, global_variance, relative;
} dusk_lira_options;
DUSK_API void dusk_lira_options_init(dusk_lira_options *options);
DUSK_API DUSK_MUST_USE dusk_status dusk_lira(double *score, size_t *unscored, const double *target,
                                             const double *confidence, const bool *in, size_t examples,
                                             size_t models, const dusk_lira_options *options,
                                             dusk_error *err);

/* --- exposure ------------------------------------------------------------------------ */

/* Exposure of a planted secret (Carlini et al. 2019, "The Secret Sharer"), in bits: of `space` equally likely
 * secrets, `rank` - 1 look more likely to the model than the planted one. log2(space / rank); 0 where
 * the rank makes no sense. */
DUSK_API double dusk_exposure(uint64_t rank, uint64_t space);
/* The same from `sample` other secrets drawn at random, `above` of which look at least as
 * likely: the exposure in the whole space is at least this, but for a chance of `error`. */
DUSK_API double dusk_exposure_down(uint64_t above, uint64_t sample, double error);

/* --- canaries ------------------------------------------------------------------------ */

/* Data to be planted, from a seed; the trainer's side is the caller's. The same seed and
 * index give the same canary. */

/* Whether canary `index` goes in: a fair coin. */
DUSK_API bool dusk_canary_member(uint64_t seed, uint64_t index);
/* A random direction of `dimension` numbers with Euclidean norm `norm` (to 1e-12 of it): a
 * gradient canary. In high dimension any two are nearly at right angles. */
DUSK_API void dusk_canary_direction(double *out, size_t dimension, double norm, uint64_t seed,
                                    uint64_t index);
/* Gradient canaries at exactly right angles: canary `index` is `norm` at one coordinate, a
 * different one for each index below `dimension`, and 0 elsewhere (Nasr et al. 2023: a Dirac canary). */
DUSK_API DUSK_MUST_USE dusk_status dusk_canary_coordinate(double *out, size_t dimension, double norm,
                                                          uint64_t seed, uint64_t index, dusk_error *err);
/* An input canary: uniform noise between `low` and `high`. */
DUSK_API void dusk_canary_input(double *out, size_t dimension, double low, double high, uint64_t seed,
                                uint64_t index);
/* A mislabelled canary: one of the other `classes` - 1 labels, all equally likely. `label` itself when
 * there is no other. */
DUSK_API uint64_t dusk_canary_label(uint64_t label, uint64_t classes, uint64_t seed, uint64_t index);

#ifdef __cplusplus
}
#endif
#endif
