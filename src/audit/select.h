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
    audit_scores scores;
    audit_event event;
} audit_selection;
void audit_selection_clear(audit_selection *selection);

/* Choose the set for one pair with `n` training and n validating draws a side. The old
 * content of `out` is not looked at; it needs clearing on success only. */
DUSK_MUST_USE dusk_status audit_select_set(audit_selection *out, audit_job *job, const dusk_input_pair *pair,
                                           size_t n, dusk_error *err);
/* Choose among pairs, with more draws for those that promise more, and then the set. */
DUSK_MUST_USE dusk_status audit_select(audit_selection *out, audit_job *job, const dusk_input_pair *pairs,
                                       size_t count, dusk_error *err);

#endif
