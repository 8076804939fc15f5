/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_TREE_MODEL_H
#define DUSK_MECHANISMS_TREE_MODEL_H

/* A model of a table in which every column depends on one other, its parent: the root's
 * probabilities, and those of every other column given its parent. Public: it is made from
 * what was released, in doubles. */

#include "mechanisms/table.h"

typedef struct dusk_tree_model {
    size_t columns;
    uint32_t sizes[DUSK_TABLE_COLUMNS_MAX];
    uint32_t parent[DUSK_TABLE_COLUMNS_MAX]; /* the root is its own */
    uint32_t order[DUSK_TABLE_COLUMNS_MAX];  /* parents before children */
    /* chance[c][x * sizes[c] + y]: of y in column c when its parent has x; of the root
     * there is one row. Each row adds up to 1. */
    double *chance[DUSK_TABLE_COLUMNS_MAX];
} dusk_tree_model;

/* An edge of the tree with its counts, those of the second column changing fastest. */
typedef struct dusk_tree_edge {
    uint32_t first, second;
    const double *counts;
} dusk_tree_edge;

/* From counts >= 0 of single columns, singles[c], and of the columns - 1 edges of a tree.
 * Where a parent's value has no counts its child has the probabilities of its single
 * counts, and where these are all 0 all values alike. `model` is empty on failure. */
DUSK_MUST_USE dusk_status dusk_tree_model_make(dusk_tree_model *model, const dusk_table *domain,
                                               const double *const *singles, const dusk_tree_edge *edges,
                                               dusk_error *err);
void dusk_tree_model_clear(dusk_tree_model *model);

/* The probabilities of all cells of a marginal, exactly (but for doubles): sums over the
 * columns that are not in it go from the leaves to the root. */
DUSK_MUST_USE dusk_status dusk_tree_model_marginal(const dusk_tree_model *model, double *chances,
                                                   const dusk_marginal *marginal, dusk_error *err);

/* `rows` rows, row by row. In each column, among the rows of each value of its parent, a value
 * comes as often as it should, up or down to a whole number at random. */
DUSK_MUST_USE dusk_status dusk_tree_model_draw(const dusk_tree_model *model, uint32_t *codes, size_t rows,
                                               dusk_generator *gen, dusk_error *err);

#endif
