/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_TRUSTED_DENSITY_H
#define DUSK_AUDIT_TRUSTED_DENSITY_H

/* Bounds that believe an exported density; see trusted_density.c. */

#include "audit/select.h"

enum { AUDIT_RUNGS = 64 };

/* Places t_k, increasing, and how many of `trials` draws from P had a log ratio beyond each,
 * the ratio being at least t_k also where the density was rounded. */
typedef struct audit_ladder {
    size_t count;
    double place[AUDIT_RUNGS], cut[AUDIT_RUNGS]; /* counted is L > cut, which is above place */
    uint64_t hits[AUDIT_RUNGS], trials;
    double most; /* the largest ratio seen, no part of a bound */
} audit_ladder;

/* Lower bounds of delta at epsilon e (for all e at once) and of epsilon at delta, which hold
 * with probability at least 1 - error. */
double audit_ladder_delta(const audit_ladder *ladder, double e, double error);
double audit_ladder_epsilon(const audit_ladder *ladder, double delta, double error);

/* Places from log ratios of draws from P that are not counted; `sorted` has n, increasing. */
void audit_ladder_set(audit_ladder *ladder, const double *sorted, size_t n);

/* What a ladder of `trial` draws shows of a pair, the better direction: no bound. */
DUSK_MUST_USE dusk_status audit_ladder_promise(double *out, audit_job *job, const double *const input[2],
                                               size_t trial, dusk_error *err);

/* The last step of an audit with a density that is believed: n draws from P of the better
 * direction of `chosen`. Sets the direction, too. */
DUSK_MUST_USE dusk_status audit_trusted(audit_ladder *ladder, bool *swapped, audit_job *job,
                                        const double *const input[2], uint64_t n, dusk_error *err);

#endif
