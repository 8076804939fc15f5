/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_WEIGHTS_H
#define DUSK_MECHANISMS_WEIGHTS_H

/* Multiplicative weights over the cells of a domain: the public half of MWEM. Everything
 * here is made from what was released, in doubles. */

#include "mechanisms/table.h"

/* A counting query: the cells whose values in the marginal's columns are those of its
 * cell first = last, or, for a marginal of one column, any of first .. last. */
typedef struct dusk_cell_query {
    const dusk_marginal *marginal;
    size_t first, last;
    double measured;
} dusk_cell_query;

typedef struct dusk_weights {
    const dusk_table *domain;
    size_t cells;
    double *weight; /* of the caller */
    double total;   /* what they add up to, above 0 */
} dusk_weights;

/* All weights alike. */
void dusk_weights_start(dusk_weights *weights);
/* Go `replays` times through the queries, multiplying the cells of each by exp((measured -
 * answer) / (2 total)) [Hardt, Ligett & McSherry 2012, Figure 1 and section 3.1]; then
 * bring the sum back to the total. */
void dusk_weights_learn(dusk_weights *weights, const dusk_cell_query *queries, size_t n, uint32_t replays);

#endif
