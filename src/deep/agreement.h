/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_AGREEMENT_H
#define DUSK_DEEP_AGREEMENT_H

/* What answers would cost by how much teachers agreed [Papernot et al. 2018, theorem 6]: where one class leads by far the answer hardly depends on one teacher, and the
 * divergence from what any neighbour would have been answered is far below what noise alone guarantees. That number follows from votes and is private itself. It is
 * released with noise, at a price that is paid beforehand, as a report: what is promised and charged stays what noise guarantees. For answers with Gaussian noise that
 * are not screened. Proof: agreement.proof.md.
 *
 * A question counts by its lead: votes of the first class above the others, in whole steps. How far one change of the data moves it is known exactly, so that the
 * sensitivity of the total, for all votes or for votes like these, is read from one table of prices. Noise is the lesser of two, if teachers agree as is likely: Gaussian
 * for the largest sensitivity, or Student's t for a smooth one [Nissim, Raskhodnikova & Smith 2007], which wins where the report has much of the budget. */

#include "deep/votes.h"

typedef struct deep_agreement {
    double noise;  /* deviation, in votes */
    double need;   /* the lead after noise that an answer needs, in votes */
    double square; /* what a change costs at order 1, rounded up: (teachers that change / noise)^2 */
    size_t classes, questions;
    double order;        /* of Renyi's divergence */
    int unit;            /* leads are in steps of 2^unit votes */
    size_t steps, moved; /* the largest lead, and how far one change moves it */
    int grid;            /* prices are in steps of 2^grid */
    int64_t *price;      /* of a question with a lead of so many steps; never rises */
    bool smoothly;
    learn_noise total;      /* of the total of prices; or */
    dusk_smooth smooth;     /* the same by its smooth sensitivity, and */
    dusk_noise log_noise;   /* of the logarithm of that */
    double multiple, reach; /* of these: with 97.5 % each less than that above */
} deep_agreement;

/* For plans, when votes are planned: takes all that is left. */
DUSK_MUST_USE dusk_status deep_agreement_plan(learn_job *job, deep_agreement *out, const deep_votes *votes,
                                              dusk_error *err);
void deep_agreement_clear(deep_agreement *agreement); /* fine on a zeroed one */

/* The divergence of order `order` > 1 from any neighbour of a release that is Gaussian, where a change costs square * order without further knowledge, and that has one
 * outcome with probability 1 - q at least; rounded up. */
double deep_agreed_price_up(double q, double square, double order);
/* Steps that the first of `classes` counts leads by. */
size_t deep_agreement_lead(const deep_agreement *agreement, const int32_t *count);
/* The total of prices in steps, and how far one change moves it when `k` others came before, local[k], `n` of them (made here). */
DUSK_MUST_USE dusk_status deep_agreement_total(const deep_agreement *agreement, const int32_t *count,
                                               double *total, double **local, size_t *n, dusk_error *err);

/* Puts "report" into the model: the order, the total with noise, what it is at most (at 95 %), and the epsilon of that at the delta of the budget. */
DUSK_MUST_USE dusk_status deep_agreement_report(learn_job *job, const deep_agreement *agreement,
                                                const int32_t *count, dusk_generator *gen, dusk_error *err);

#endif
