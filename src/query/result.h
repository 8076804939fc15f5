/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_RESULT_H
#define DUSK_QUERY_RESULT_H

/* The inside of dusk_result: a table of cells that owns its texts. */

#include "dusk/query.h"
#include "query/expression.h"

struct dusk_result {
    size_t rows, columns, room; /* room: for so many rows */
    char **name;
    dusk_cell *cell; /* row by row */
    query_arena *texts;
};

DUSK_MUST_USE dusk_status query_result_new(dusk_result **out, size_t columns, dusk_error *err);
/* Bytes that are no UTF-8 become U+FFFD: that a text is odd must not make a release fail. */
DUSK_MUST_USE dusk_status query_result_set_name(dusk_result *result, size_t column, const char *name,
                                                dusk_error *err);
/* Append a row of result->columns cells, texts copied. */
DUSK_MUST_USE dusk_status query_result_add(dusk_result *result, const dusk_cell *row, dusk_error *err);

/* Texts are for these types; all others are numbers. */
bool query_type_is_text(dusk_type type);
/* The integer of an exact cell that is one; false where it is known as a double only. */
bool query_cell_integer(const dusk_cell *cell, int64_t *out);
/* Set `integer` of a cell to what dusk/query.h says of it. */
void query_cell_settle(dusk_cell *cell);

#endif
