/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_TABLE_H
#define DUSK_MECHANISMS_TABLE_H

/* What the mechanisms for tables share: checks of what is public, exact counts, and
 * sums of cells over some columns. */

#include "dusk/mechanisms.h"

#define DUSK_TABLE_COLUMNS_MAX 64

DUSK_MUST_USE dusk_status dusk_table_check(const dusk_table *domain, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_marginal_check(const dusk_table *domain, const dusk_marginal *marginal,
                                              dusk_error *err);
/* Cells of a marginal that has been checked; at most DUSK_CELLS_MAX. */
size_t dusk_marginal_cells(const dusk_table *domain, const dusk_marginal *marginal);
/* Cells of the whole domain; DUSK_ERR_ARGUMENT beyond DUSK_CELLS_MAX. */
DUSK_MUST_USE dusk_status dusk_table_cells(size_t *cells, const dusk_table *domain, dusk_error *err);

/* exact[i]: how many rows are in cell i; every row is in one. */
void dusk_marginal_count(uint64_t *exact, const dusk_table *table, const dusk_marginal *marginal);

/* What one unit changes in n marginals together: in l1, or in l2 where how->delta is above 0. */
double dusk_marginals_change(const dusk_aggregate *how, size_t n);

/* Walks the cells of a product of columns in order, and says where each one lies in a
 * sum over some of them: `at`. */
typedef struct dusk_cell_walk {
    size_t columns;
    uint32_t size[DUSK_TABLE_COLUMNS_MAX], digit[DUSK_TABLE_COLUMNS_MAX];
    size_t step[DUSK_TABLE_COLUMNS_MAX]; /* 0 for columns that are summed over */
    size_t at;
} dusk_cell_walk;

/* Of the columns in `from`, in their order; those that are also in `to` count. */
dusk_cell_walk dusk_cell_walk_start(const dusk_table *domain, const dusk_marginal *from,
                                    const dusk_marginal *to);
/* The same over all columns of the domain. */
dusk_cell_walk dusk_cell_walk_all(const dusk_table *domain, const dusk_marginal *to);

static inline void dusk_cell_walk_next(dusk_cell_walk *walk)
{
    for (size_t j = walk->columns; j-- > 0;) {
        if (++walk->digit[j] < walk->size[j]) {
            walk->at += walk->step[j];
            return;
        }
        walk->digit[j] = 0;
        walk->at -= walk->step[j] * (walk->size[j] - 1);
    }
}

#endif
