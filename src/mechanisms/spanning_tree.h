/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_SPANNING_TREE_H
#define DUSK_MECHANISMS_SPANNING_TREE_H

#include "dusk/mechanisms.h"

/* Two columns, first < second. */
typedef struct dusk_column_pair {
    uint32_t first, second;
} dusk_column_pair;

/* How far a pair's counts are from those of independent columns, in counts: the l1 norm of the
 * difference, singles[c] being public counts >= 0 of column c and `total` their sum. Adding a row
 * moves it by at most 1, exchanging one by at most 2, exactly. `exact` has room for the
 * pair's cells. */
double dusk_pair_score(uint64_t *exact, const dusk_table *table, dusk_column_pair pair,
                       const double *const *singles, double total);

/* A spanning tree of `columns` >= 2 columns, an edge at a time by the exponential mechanism among
 * the pairs that join two parts [Kruskal's method; McKenna, Miklau & Sheldon 2021, Algorithm 2].
 * `scores` has one number a pair: (0,1), (0,2), ..., (1,2), ... */
DUSK_MUST_USE dusk_status dusk_spanning_tree_release(dusk_column_pair *edges, size_t columns,
                                                     const double *scores, const dusk_selection *selection,
                                                     dusk_generator *gen, dusk_error *err);

#endif
