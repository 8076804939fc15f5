/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_MECHANISM_H
#define DUSK_AUDIT_MECHANISM_H

/* Opening an audit: everything that may be asked is checked before the first draw. And its last
 * step: counts on fresh draws. */

#include "audit/select.h"

DUSK_MUST_USE dusk_status audit_options_check(const dusk_audit_options *options, dusk_error *err);
DUSK_MUST_USE dusk_status audit_job_open(audit_job *job, const dusk_sampler *sampler,
                                         const dusk_input_pair *pairs, size_t pair_count,
                                         const dusk_audit_options *options, dusk_error *err);

/* Draws of the last step, a side, at most. */
uint64_t audit_most_draws(const dusk_audit_options *options);

/* hits[i]: how many of n fresh draws on one input lie in events[i], for each of `count` sets that
 * are fixed. The same draws serve all sets. */
DUSK_MUST_USE dusk_status audit_count_fresh(uint64_t *hits, audit_job *job, const audit_scores *scores,
                                            const audit_event *events, size_t count, const double *input,
                                            uint64_t n, dusk_error *err);

/* --- claims that are a composition (claim.c) ------------------------------------------- */

/* Its trade-off curve at some places, for the choice of a set. */
DUSK_MUST_USE dusk_status audit_tradeoff_of(audit_tradeoff *out, const dusk_audit_options *options,
                                            dusk_error *err);
/* Whether every pair of laws with that corner breaks the claim. */
DUSK_MUST_USE dusk_status audit_claim_refuted(bool *out, const dusk_composition *claim, audit_corner corner,
                                              dusk_error *err);

#endif
