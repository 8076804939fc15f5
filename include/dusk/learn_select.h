/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_SELECT_H
#define DUSK_LEARN_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/learn.h"

/* The best of several settings of a learner, privately: the only way to "the best of several" here, as trying them one after the
 * other and keeping the best costs as much as all of them, and looking at held-out rows costs, too.
 *
 *     dusk_search_prepare    candidates, promise -> plan and price; no row is looked at
 *     dusk_search_run        charge (where there is a ledger), search, give the model
 *
 * One run takes one of the candidates at random, holds out some rows by a coin for each, trains on the others, and scores
 * the model on the rows held out, with noise. The number of runs is random as well, and nobody learns it; the
 * best run is the answer [Liu & Talwar 2019; Papernot & Steinke 2022]. It costs about two to three runs, however many there
 * were on average: select_best(eta, gamma, run), or pure epsilon without delta. The promise is kept as a whole: what a run
 * may cost is worked out from it. */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dusk_search_options {
    size_t size; /* set by _init                                                          */
    const char *const
        *candidates;         /* settings of each, "name=value name=value"; "" for the defaults         */
    size_t candidates_count; /* 1 to 4096                                                             */
    double runs; /* on average; 0: twice as many as candidates. More find better ones and cost little */
    double eta;  /* above -1, at most 100. 0: a logarithmic number of runs; 1: geometric, closer to its mean
                                      and dearer */
    double held_out;    /* 0.2: share of rows to score by                                        */
    double score_share; /* 0.1: of what a run costs, for its score                               */
    uint64_t
        padding; /* 0: see dusk_candidates, dusk/mechanisms_choice.h: the time tells how many runs there were,
                                      unless it is as large as they may be */
} dusk_search_options;
DUSK_API void dusk_search_options_init(dusk_search_options *options);

typedef struct dusk_search dusk_search;

/* `train` is as for dusk_training_prepare; its settings are common to all candidates, its promise is that of the whole
 * search. For learners of categories (by accuracy) and of numbers (by squared error). DUSK_ERR_UNSUPPORTED: with a delta, a
 * learner whose price has a delta of its own: a certified minimiser, or a training that counts rows. */
DUSK_API DUSK_MUST_USE dusk_status dusk_search_prepare(dusk_search **out, const char *learner,
                                                       const dusk_fields *fields,
                                                       const dusk_train_options *train,
                                                       const dusk_search_options *options, dusk_error *err);
DUSK_API void dusk_search_free(dusk_search *search);
/* What a search will cost; borrowed. */
DUSK_API const dusk_statement *dusk_search_statement(const dusk_search *search);
/* What it will do, in words; to be freed with dusk_ledger_free_text. */
DUSK_API DUSK_MUST_USE dusk_status dusk_search_explain(const dusk_search *search, char **text,
                                                       dusk_error *err);

typedef struct dusk_search_result {
    dusk_model *model; /* of the best run, with the statement of the whole search; to be freed */
    size_t candidate;  /* its number */
    double score;      /* its noisy score: accuracy, or minus the mean squared error */
} dusk_search_result;
/* After the first row was read only memory and entropy can fail. */
DUSK_API DUSK_MUST_USE dusk_status dusk_search_run(dusk_search *search, dusk_search_result *out,
                                                   const dusk_frame *frame, dusk_generator *gen,
                                                   dusk_error *err);
/* The same, charged to a ledger before the frame is looked at; an idealised learner is refused. */
DUSK_API DUSK_MUST_USE dusk_status dusk_search_run_charged(dusk_search *search, dusk_search_result *out,
                                                           const dusk_frame *frame, dusk_ledger *ledger,
                                                           const char *analyst, uint64_t version,
                                                           dusk_generator *gen, dusk_error *err);

/* ---- Validation by stability ---------------------------------------------------------------------------- */

/* The best of several settings of a learner whose weights hardly move when a row changes [Chaudhuri & Vinterbo 2013]. Every candidate is trained
 * once, in private, with noise of its own, and scored on rows held out; the scores are stable, so that one noisy choice among
 * them is cheap however many there are; the candidate that was chosen is trained again, with fresh noise, and released.
 *
 *     dusk_validation_prepare    candidates, promise -> plan and price; no row is looked at
 *     dusk_validation_run        charge (where there is a ledger), rehearse, choose, train
 *
 * The price is one choice and one training, whatever the number of candidates. How far a score may move is found from the settings, not
 * assumed: by strong convexity of the objective for a row to learn from, and as 1 over their number for a row held out. A candidate with a weak
 * regularisation is not stable, and makes the choice noisy for all: with few rows, or an epsilon below 1, give strong ones only.
 *
 * For amp_logistic, amp_svm and amp_huber with form=output and scaling=bounds; DUSK_ERR_UNSUPPORTED for others. A row's score is a ramp of its
 * margin (1 at -1, 0 at 1), or the absolute error as a share of the label's range. Without a delta the whole is pure. */
typedef struct dusk_validation_options {
    size_t size; /* set by _init                                                    */
    const char *const
        *candidates;         /* settings of each, "name=value name=value"; "" for the defaults         */
    size_t candidates_count; /* 1 to 4096                                                            */
    double held_out;         /* 0.2: share of rows to score by                                       */
    double choice_share;     /* 0.3: of epsilon, for the choice                                      */
} dusk_validation_options;
DUSK_API void dusk_validation_options_init(dusk_validation_options *options);

typedef struct dusk_validation dusk_validation;

/* `train` is as for dusk_search_prepare; `rows` must be declared: scores are means over that many rows held out, at least. When there are other
 * numbers of rows the promise is kept all the same. */
DUSK_API DUSK_MUST_USE dusk_status dusk_validation_prepare(dusk_validation **out, const char *learner,
                                                           const dusk_fields *fields,
                                                           const dusk_train_options *train,
                                                           const dusk_validation_options *options,
                                                           dusk_error *err);
DUSK_API void dusk_validation_free(dusk_validation *validation);
DUSK_API const dusk_statement *dusk_validation_statement(const dusk_validation *validation);
DUSK_API DUSK_MUST_USE dusk_status dusk_validation_explain(const dusk_validation *validation, char **text,
                                                           dusk_error *err);
/* *model: of the candidate that was chosen, *candidate, with the statement of the whole; to be freed. After the first row was read only memory and
 * entropy can fail. */
DUSK_API DUSK_MUST_USE dusk_status dusk_validation_run(dusk_validation *validation, dusk_model **model,
                                                       size_t *candidate, const dusk_frame *frame,
                                                       dusk_generator *gen, dusk_error *err);
/* The same, charged to a ledger before the frame is looked at. */
DUSK_API DUSK_MUST_USE dusk_status dusk_validation_run_charged(dusk_validation *validation,
                                                               dusk_model **model, size_t *candidate,
                                                               const dusk_frame *frame, dusk_ledger *ledger,
                                                               const char *analyst, uint64_t version,
                                                               dusk_generator *gen, dusk_error *err);

/* ---- As much noise as a target allows ------------------------------------------------------------------- */

/* A model in versions, each with less noise than the one before, up to the first that is good enough [Ligett, Neel, Roth, Waggoner & Wu 2017,
 * "Accuracy first"; with Gaussian noise: Whitehouse, Ramdas, Wu & Rogers 2022].
 *
 *     dusk_ladder_prepare    target, promise -> versions and their prices; no row is looked at
 *     dusk_ladder_charge     where there is a ledger, before rows are read
 *     dusk_ladder_run        version after version, until one meets the target or all were made
 *
 * A version draws fresh noise for what its price has more than that of the version before and averages what it releases with what is
 * known. Gaussian noise composes without loss, so that each version is as good as a training at its epsilon alone, and all
 * versions up to it cost no more than it does.
 *
 * A version is good enough by rows that are public, or by a comparison on private rows that were held out: those are asked by the sparse vector
 * technique (AboveThreshold), which is paid for once however many versions there are. The comparison is noisy; a version that
 * is said to meet the target may miss it by the noise. Of numbers a row's error counts as four targets at most there.
 *
 * What is charged:
 *   the maximum     before a row is read, what all versions and the check cost. What stops early was paid for nevertheless. The
 *                   statement of the run is this one, always
 *   version by version (`each`)  every version is charged before it is drawn, the check with the first; versions that are not needed are not
 *                   charged. Sound with any filter for fully adaptive composition, as versions are releases of their own; refused by a ledger
 *                   with the basic filter (DUSK_ERR_UNSUPPORTED), which would add up epsilons of versions to more than the maximum. When
 *                   the budget ends before the target is met, the last version that was paid for is the answer.
 * Nothing is ever given back.
 *
 * For learners that release sums once: linear, lasso, bayes_linear, functional, naive_bayes, density (structure=independent) and
 * covariance, with scaling=bounds; DUSK_ERR_UNSUPPORTED for others. Needs a delta. */
typedef struct dusk_ladder_options {
    size_t size; /* set by _init                                                                   */
    double
        target; /* no default. Categories: an accuracy to reach, between 0 and 1. Numbers: a root mean squared error not to exceed.
                      Densities: a mean log likelihood to reach, on public rows */
    double
        first; /* 0: a 32nd of the promise's. The epsilon of the first version; those between are in equal ratios of noise */
    uint32_t versions;      /* 6: 2 to 16                                                             */
    const dusk_frame *rows; /* NULL. Public rows to check by, with the fields of the training; borrowed */
    double held_out;        /* 0.2: without `rows`, the share of private rows to check by                 */
    double check_share;     /* 0.1: and of the budget (of mu^2), for that check                         */
    bool each;              /* false: charge the maximum                                                */
} dusk_ladder_options;
DUSK_API void dusk_ladder_options_init(dusk_ladder_options *options);

typedef struct dusk_ladder dusk_ladder;

/* `train` is as for dusk_training_prepare; its promise is that of all versions and the check together. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ladder_prepare(dusk_ladder **out, const char *learner,
                                                       const dusk_fields *fields,
                                                       const dusk_train_options *train,
                                                       const dusk_ladder_options *options, dusk_error *err);
DUSK_API void dusk_ladder_free(dusk_ladder *ladder);
/* What a run costs at most; borrowed. */
DUSK_API const dusk_statement *dusk_ladder_statement(const dusk_ladder *ladder);
/* What it will do, in words; to be freed with dusk_ledger_free_text. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ladder_explain(const dusk_ladder *ladder, char **text,
                                                       dusk_error *err);
/* Charge the next run: its maximum, or with `each` its first version; later ones are then charged by the run, to the ledger, which is borrowed
 * until its end. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ladder_charge(dusk_ladder *ladder, dusk_ledger *ledger,
                                                      const char *analyst, uint64_t version, dusk_error *err);

typedef struct dusk_ladder_result {
    dusk_model
        *model; /* the last version that was made, with the statement of the whole ladder; to be freed */
    uint32_t version; /* its number, from 1 */
    bool met;         /* whether it is good enough, as far as the check can tell */
    dusk_budget
        spent; /* what was made costs together: this version, those before, the check. By answers: a promise that was
                          made before is the statement */
} dusk_ladder_result;
/* After the first row was read only memory, entropy and the ledger's file can fail. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ladder_run(dusk_ladder *ladder, dusk_ladder_result *out,
                                                   const dusk_frame *frame, dusk_generator *gen,
                                                   dusk_error *err);

/* ---- A holdout that can be used again ------------------------------------------------------------------ */

/* Private rows that many models are checked on [Dwork, Feldman, Hardt, Pitassi, Reingold & Roth 2015, "Thresholdout"]. Whoever has
 * a model says how accurate it is, from wherever that is known; the answer is "about right", or a noisy accuracy on these
 * rows when it is not. Claims that are right cost nothing more, however many there are; those that are wrong are counted, and
 * after `hits` of them there are no more answers. Models and claims may depend on all earlier answers. */
typedef struct dusk_holdout_options {
    size_t size;                /* set by _init                                                      */
    double epsilon;             /* of all answers together; pure. No default                          */
    dusk_neighbours neighbours; /* no default                                                         */
    uint64_t rows;              /* about how many rows there are, declared; no default                */
    double tolerance;           /* 0.05: how far a claim may be off, before noise                     */
    uint32_t hits;              /* 10: wrong claims that are answered                                 */
} dusk_holdout_options;
DUSK_API void dusk_holdout_options_init(dusk_holdout_options *options);

typedef struct dusk_holdout dusk_holdout;

/* Opening it is when the whole is to be charged: dusk_holdout_statement. The frame is borrowed until the end. */
DUSK_API DUSK_MUST_USE dusk_status dusk_holdout_new(dusk_holdout **out, const dusk_frame *frame,
                                                    const dusk_holdout_options *options, dusk_generator *gen,
                                                    dusk_error *err);
DUSK_API void dusk_holdout_free(dusk_holdout *holdout);
DUSK_API const dusk_statement *dusk_holdout_statement(const dusk_holdout *holdout);
DUSK_API uint32_t dusk_holdout_hits_left(const dusk_holdout *holdout);
/* Is a claim about the accuracy of a model (of categories) right? *right, and *accuracy: the claim, or when it is wrong a noisy
 * one. Of rows without a label nothing is asked. DUSK_ERR_BUDGET once there are no more answers. */
DUSK_API DUSK_MUST_USE dusk_status dusk_holdout_release(dusk_holdout *holdout, bool *right, double *accuracy,
                                                        const dusk_model *model, double claim,
                                                        dusk_generator *gen, dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
