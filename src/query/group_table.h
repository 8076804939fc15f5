/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_GROUP_TABLE_H
#define DUSK_QUERY_GROUP_TABLE_H

/* An exact dictionary of tuples: each different tuple of cells gets a code 0, 1, 2, ... in the order in
 * which they come. Tuples are equal when they are equal in every cell: integers as numbers, texts byte
 * by byte, reals as numbers with -0.0 = 0.0, and NULL (NaN is NULL) only with NULL. Hashes, under a key
 * of the caller, say where to look and never decide. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"
#include "query/expression.h"
#include "table/engine.h"

#define GROUP_NONE UINT32_MAX /* no code: the tuple is not in the table */

typedef struct group_table group_table;

/* `types` is copied. */
DUSK_MUST_USE dusk_status group_table_new(group_table **out, const dusk_cell_type *types, size_t columns,
                                          const uint64_t key[2], dusk_error *err);
/* Everything is wiped; NULL is fine. */
void group_table_free(group_table *table);

/* code[i] = that of row i. A tuple that is not there is added where `grow`, and GROUP_NONE otherwise.
 * On failure some rows may have been added. */
DUSK_MUST_USE dusk_status group_table_codes(group_table *table, uint32_t *code, const dusk_cells *cells,
                                            size_t rows, bool grow, dusk_error *err);
/* Add one tuple; *is_new says whether it was not there yet. */
DUSK_MUST_USE dusk_status group_table_add(group_table *table, uint32_t *code, bool *is_new,
                                          const query_value *tuple, dusk_error *err);
/* Add all tuples of another table of the same types. */
DUSK_MUST_USE dusk_status group_table_merge(group_table *table, const group_table *other, dusk_error *err);

uint32_t group_table_count(const group_table *table);
/* The tuple of a code; texts live as long as the table and do not end in '\0'. */
void group_table_tuple(const group_table *table, query_value *tuple, uint32_t code);
/* place[code]: the codes in an order that depends on the tuples and the key alone, so that how two tuples
 * stand to each other does not depend on when they came or on what others there are. */
DUSK_MUST_USE dusk_status group_table_order(const group_table *table, uint32_t *place, dusk_error *err);

#ifdef DUSK_TESTING
/* From now on there are four hashes only; for a table that is empty. */
void group_table_collide(group_table *table);
#endif

#endif
