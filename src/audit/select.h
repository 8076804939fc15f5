/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_SELECT_H
#define DUSK_AUDIT_SELECT_H

/* The first two steps of an audit: the pair of inputs and the set. */

#include "audit/score.h"

/* An audit under way. */
typedef struct audit_job {
    const dusk_sampler *sampler;
    const dusk_audit_options *options;
    double claimed;          /* epsilon                         */
    audit_forecast forecast; /* of the last step                */
    uint64_t draws;          /* made so far, in all steps       */
    uint64_t seed;           /* of the audit's own choices      */
} audit_job;

/* n outputs on an input, counted. */
DUSK_MUST_USE dusk_status audit_draw(audit_job *job, double *out, size_t n, const double *input,
                                     dusk_error *err);

/* ln p - ln q of n outputs, p on the first input; NaN where neither can happen. */
DUSK_MUST_USE dusk_status audit_log_ratios(double *out, const dusk_sampler *sampler,
                                           const double *const input[2], const double *outputs, size_t n,
                                           dusk_error *err);
DUSK_MUST_USE dusk_status audit_propose_density(audit_scores *scores, const dusk_sampler *sampler,
                                                const double *const input[2], dusk_error *err);

/* What was chosen: a pair (its inputs are borrowed), the set, and the scores it is made of. */
typedef struct audit_selection {
    size_t pair;
    const double *input[2];
    double *varied; /* its inputs, where the pair was changed; owned */
    audit_scores scores;
    audit_event event;
    dusk_audit_roc roc;
} audit_selection;
void audit_selection_clear(audit_selection *selection);

/* A choice once more, with `draws` draws a side, and the curve that they give. */
typedef struct audit_again {
    size_t draws;
    dusk_audit_roc roc;
} audit_again;

/* Choose the best set for each of `count` forecasts, from the same scores, which are made
 * anew with n training and n validating draws a side; the first is then chosen again among the
 * best, NULL for not. */
DUSK_MUST_USE dusk_status audit_select_sets(audit_scores *scores, audit_event *events,
                                            const audit_forecast *forecasts, size_t count, audit_job *job,
                                            const dusk_input_pair *pair, size_t n, audit_again *again,
                                            dusk_error *err);
/* Choose the set for one pair with `n` training and n validating draws a side. The old
 * content of `out` is not looked at; it needs clearing on success only. */
DUSK_MUST_USE dusk_status audit_select_set(audit_selection *out, audit_job *job, const dusk_input_pair *pair,
                                           size_t n, dusk_error *err);
/* Vary the pair of `chosen` within the relation, with fresh draws for each attempt, and
 * choose its set anew if a better one was found. */
DUSK_MUST_USE dusk_status audit_vary(audit_selection *chosen, audit_job *job, dusk_error *err);
/* What a pair promises, by n draws of each kind. */
DUSK_MUST_USE dusk_status audit_promise(double *out, audit_job *job, const dusk_input_pair *pair, size_t n,
                                        dusk_error *err);
/* Choose the set for one pair with as many draws as the last choice deserves. */
DUSK_MUST_USE dusk_status audit_select_well(audit_selection *out, audit_job *job, const dusk_input_pair *pair,
                                            dusk_error *err);
/* Draws of the last choice. */
size_t audit_last_round(const audit_job *job);
/* Choose among pairs, with more draws for those that promise more, and then the set. */
DUSK_MUST_USE dusk_status audit_select(audit_selection *out, audit_job *job, const dusk_input_pair *pairs,
                                       size_t count, dusk_error *err);

#endif
