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
 * learner whose price is not that of noise and choices alone, such as one that samples rows. */
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
