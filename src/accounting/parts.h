/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_PARTS_H
#define DUSK_ACCOUNTING_PARTS_H

/* A composition as a list of parts that are priced one by one as (epsilon,
 * delta), for the basic and the advanced accountant. A part with a largest
 * privacy loss has a price of its own; one without (Gaussian noise) claims a
 * share of delta for every run. What has Renyi curves only is kept together:
 * those curves add up, so that it claims one share. */

#include "accounting/renyi.h"

typedef struct dusk_part {
    dusk_pair pair[2];                   /* one run, in each direction; owned           */
    uint64_t times;                      /* how often it runs                           */
    bool claims;                         /* needs a delta: own_epsilon says nothing     */
    double own_epsilon_up, own_delta_up; /* of one run                                */
} dusk_part;

typedef struct dusk_parts {
    dusk_neighbours neighbours;
    size_t count;
    dusk_part *part;
    dusk_composition renyi; /* trees without a dominating pair; .node is owned, no index */
    dusk_renyi curves;      /* of those, ready; empty where there is no price */
} dusk_parts;

/* With `merge`, all Gaussian parts are one that runs once. */
DUSK_MUST_USE dusk_status dusk_parts_make(dusk_parts *out, const dusk_composition *composition, bool merge,
                                          const char *accountant, dusk_error *err);
void dusk_parts_free(dusk_parts *parts);

/* How many shares of delta are claimed, rounded up; 0 when none is. */
double dusk_parts_claims_up(const dusk_parts *parts);

/* What the parts with a price of their own cost together, all their runs. */
dusk_budget dusk_parts_own_total(const dusk_parts *parts);
/* The same of a composition; *claims: others in it need a delta. */
DUSK_MUST_USE dusk_status dusk_parts_own(dusk_budget *out, bool *claims, const dusk_composition *composition,
                                         dusk_error *err);

/* (result, delta) is a price of one run of the part, in both directions. */
DUSK_MUST_USE dusk_status dusk_part_epsilon(double *epsilon_up, const dusk_parts *parts,
                                            const dusk_part *part, double delta, dusk_error *err);
/* The same to about seven digits, for one run of many: faster where the curve is
 * costly. *guess > 0 is where to begin, and then where the answer was. */
DUSK_MUST_USE dusk_status dusk_part_share(double *epsilon_up, const dusk_parts *parts, const dusk_part *part,
                                          double delta, double *guess, dusk_error *err);
/* The same for all parts that have Renyi curves only; there must be some. */
DUSK_MUST_USE dusk_status dusk_parts_renyi_epsilon(double *epsilon_up, const dusk_parts *parts, double delta,
                                                   dusk_error *err);
DUSK_MUST_USE dusk_status dusk_parts_renyi_delta(double *delta_up, const dusk_parts *parts, double epsilon,
                                                 dusk_error *err);
DUSK_MUST_USE dusk_status dusk_part_delta(double *delta_up, const dusk_parts *parts, const dusk_part *part,
                                          double epsilon, dusk_error *err);

/* The least delta that was found with question(delta) <= epsilon, looked for
 * above `least`; 1 when there is none. The question must be certified for each
 * delta by itself; that it falls as delta grows only makes the answer small. */
typedef dusk_status dusk_epsilon_question(double *epsilon_up, const dusk_parts *parts, double delta,
                                          dusk_error *err);
DUSK_MUST_USE dusk_status dusk_parts_delta(double *delta_up, const dusk_parts *parts,
                                           dusk_epsilon_question *question, double least, double epsilon,
                                           dusk_error *err);

#endif
