/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_AGREEMENT_H
#define DUSK_DEEP_AGREEMENT_H

/* What answers would cost by how much teachers agreed [Papernot et al. 2018, theorem 6]: where one class leads by far, or where far too few agree for an answer, what comes of a question hardly depends on one teacher, and the
 * divergence from what would have come of it at any neighbour is far below what noise alone guarantees. That number follows from votes and is private itself. It is
 * released with noise, at a price that is paid beforehand, as a report: what is promised and charged stays what noise guarantees. Proofs: agreement.proof.md, agreement_report.proof.md.
 *
 * A question counts by one number, in whole steps: its lead, votes of the first class above the others, or where it is asked first whether enough teachers agree, or contradict the student, by how far they do, or do not, if that is less. How far one
 * change of the data moves it is known exactly, so that the sensitivity of the total, for all votes or for votes like these, is read from one table of prices. Noise is the lesser of two, if teachers agree as is likely: Gaussian
 * for the largest sensitivity, or Student's t for a smooth one [Nissim, Raskhodnikova & Smith 2007], made for the smoothness that suits these prices. Gaussian noise for a smooth sensitivity, as the paper has it, is not there: its
 * smoothness is so small a part of epsilon that it never won (docs/learning/pate.md).
 *
 * Of gnmax, confident and lnmax all questions count, asked or not. What interactive asks follows from earlier answers, which are released: there the report is about the answers as they came, and those questions that were asked. What the number means then: agreement.proof.md. */

#include "deep/votes.h"

typedef struct deep_agreement {
    bool laplace;
    double noise;  /* deviation of a count, or the scale of Laplace noise, in votes */
    double need;   /* the lead after noise that an answer needs, in votes */
    double screen; /* deviation of the noise of whether to answer, in votes; 0: that is not asked */
    double enough; /* votes that are enough */
    double
        square; /* what a change costs at order 1 in one question, rounded up: of an answer (teachers that change / noise)^2, and half of that of the screening */
    double always; /* the same of all that may be released */
    double delta;  /* at which the report says an epsilon: that of the promise, or half */
    bool as_asked; /* questions follow from earlier answers; only those that were asked count */
    size_t classes, questions;
    double order;        /* of Renyi's divergence */
    int unit;            /* leads are in steps of 2^unit votes */
    size_t steps, moved; /* the largest lead, and how far one change moves it */
    size_t zero;         /* cells before that of lead 0: of questions that too few agree on */
    int grid;            /* prices are in steps of 2^grid */
    int64_t *price;      /* of each cell, zero + steps + 1 of them */
    int64_t *moves;      /* how far one change moves it */
    bool smoothly;
    learn_noise total;      /* of the total of prices; or */
    dusk_smooth smooth;     /* the same by its smooth sensitivity, and */
    learn_noise log_noise;  /* of the logarithm of that */
    double multiple, reach; /* of these: with 97.5 % each less than that above, or of `total` with 95 % */
    double alone,
        known; /* epsilon of the answers by their noise: at the delta of the promise, and at `delta` */
} deep_agreement;

/* For plans, when votes are planned: takes all that is left. Refused where a report would say hardly less than noise does if all teachers agreed. */
DUSK_MUST_USE dusk_status deep_agreement_plan(learn_job *job, deep_agreement *out, const deep_votes *votes,
                                              dusk_error *err);
/* What follows from votes and an order, without noise for a report. */
DUSK_MUST_USE dusk_status deep_agreement_of(deep_agreement *out, const learn_budget *budget,
                                            const deep_votes *votes, double order, dusk_error *err);
/* The same with steps of 2^unit votes, or more where teachers are many. */
DUSK_MUST_USE dusk_status deep_agreement_make(deep_agreement *out, const learn_budget *budget,
                                              const deep_votes *votes, double order, int unit,
                                              dusk_error *err);
void deep_agreement_tabulate(deep_agreement *agreement); /* prices and moves anew, for another order */
void deep_agreement_clear(deep_agreement *agreement);    /* fine on a zeroed one */

/* The divergence of order `order` > 1 from any neighbour of a release where a change costs square * order at every order without further knowledge, and that has one
 * outcome with probability 1 - q at least; rounded up. */
double deep_agreed_price_up(double q, double square, double order);
/* The cell of a question with these counts, that are `over` what the student says (deep_votes_over). */
size_t deep_agreement_cell(const deep_agreement *agreement, const int32_t *count, double over);
#define DEEP_NOT_ASKED SIZE_MAX
size_t deep_agreement_cells(const deep_agreement *agreement);
size_t
deep_agreement_reach(const deep_agreement *agreement); /* so many changes, and all cells are within reach */
/* Add what `times` questions of one cell contribute: the furthest move of a price within reach of k changes, to local[k], k < n. */
void deep_agreement_add_local(const deep_agreement *agreement, size_t cell, double times, double *local,
                              size_t n);
/* The total of prices in steps, of questions by their cells, and how far one change moves it when `k` others came before, local[k], `n` of them (made here). */
DUSK_MUST_USE dusk_status deep_agreement_total(const deep_agreement *agreement, const size_t *cell,
                                               double *total, double **local, size_t *n, dusk_error *err);

/* Puts "report" into the model: the order, the total with noise, what it is at most (at 95 %), the epsilon of that at the delta of the promise or that of noise alone if it is less, that delta, and the epsilon of
 * the answers by noise alone. (Where questions follow from answers the fourth is the lesser of two at half of the delta each, and may be a little above the last.) `cell` of each question: where questions do not follow from answers, of all of them. */
DUSK_MUST_USE dusk_status deep_agreement_report(learn_job *job, const deep_agreement *agreement,
                                                const size_t *cell, dusk_generator *gen, dusk_error *err);

#endif
