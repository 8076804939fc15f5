/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_ACCOUNT_H
#define DUSK_ACCOUNTING_ACCOUNT_H

/* Asking the accountants: a composition is made ready once, and then priced at
 * as many points as wanted. */

#include "accounting/accountants.h"

#define DUSK_DIRECTIONS_MAX 2

/* What is asked: epsilon at delta = `at`, or delta at epsilon = `at`. */
typedef struct dusk_question {
    bool of_delta;
    double at;
} dusk_question;

typedef struct dusk_pricing {
    const dusk_composition *composition; /* borrowed */
    dusk_accountant accountant;
    size_t directions;                         /* REMOVE and ADD; or REPLACE alone */
    dusk_pairs pairs[DUSK_DIRECTIONS_MAX];     /* where resolved; all count as tight, */
    bool resolved[DUSK_DIRECTIONS_MAX];        /* else the parts have no dominating pairs */
    bool tight[DUSK_DIRECTIONS_MAX];           /* but their lower bounds are of the event only if this */
    bool alike;                                /* both directions have the same law of losses */
    dusk_error refusal;                        /* why not resolved */
    dusk_accountant lead[DUSK_DIRECTIONS_MAX]; /* who answered last in that direction: tried first */
    double goal; /* `best` stops when it knows on which side of this the truth is; NAN: never */
} dusk_pricing;

/* Make ready; ends with dusk_pricing_end, also after a failure. A composition
 * that has no dominating pairs is no failure: others may price it. */
DUSK_MUST_USE dusk_status dusk_pricing_begin(dusk_pricing *pricing, const dusk_composition *composition,
                                             dusk_accountant accountant, dusk_error *err);
void dusk_pricing_end(dusk_pricing *pricing);

/* The answer of the accountant for all directions. */
DUSK_MUST_USE dusk_status dusk_pricing_ask(dusk_account *out, dusk_pricing *pricing, dusk_question question,
                                           dusk_error *err);
/* The same for one direction; an accountant that does not tell directions apart
 * answers for all. */
DUSK_MUST_USE dusk_status dusk_pricing_ask_direction(dusk_account *out, dusk_pricing *pricing,
                                                     size_t direction, dusk_question question,
                                                     dusk_error *err);

/* What an event alone costs: dusk_account_epsilon of a composition of nothing else. */
DUSK_MUST_USE dusk_status dusk_account_event(dusk_account *out, const dusk_event *event, double delta,
                                             dusk_neighbours neighbours, dusk_accountant accountant,
                                             dusk_error *err);

/* The event of a statement as filters and compositions of its own relation read one, so that they price what the statement
 * says: noise relative to what a unit that comes or goes changes, not to a replacement. */
DUSK_MUST_USE dusk_status dusk_statement_as_charged(const dusk_statement *statement, dusk_event *out,
                                                    dusk_error *err);

/* Checks shared by all that ask. */
DUSK_MUST_USE dusk_status dusk_check_delta(double delta, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_check_epsilon(double epsilon, dusk_error *err);

#endif
