/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_ROW_CHUNK_H
#define DUSK_TABLE_ROW_CHUNK_H

/* A chunk that is made of rows, for engines that have their answers by rows. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table/engine.h"

typedef struct row_chunk_column row_chunk_column;

typedef struct row_chunk {
    size_t columns, rows;
    dusk_cells *cells;
    row_chunk_column *column;
    char *bytes; /* of texts */
    size_t used, capacity;
} row_chunk;

DUSK_MUST_USE dusk_status row_chunk_init(row_chunk *out, const dusk_cell_type *types, size_t n,
                                         dusk_error *err);
void row_chunk_clear(row_chunk *chunk);
/* No row, for a new chunk. */
void row_chunk_begin(row_chunk *chunk);
/* Whether the chunk should be handed over: it has many rows, or much text. */
bool row_chunk_is_full(const row_chunk *chunk);
/* Cells of the row that is made, each once, then the end of the row. */
void row_chunk_null(row_chunk *chunk, size_t column);
void row_chunk_integer(row_chunk *chunk, size_t column, int64_t x);
void row_chunk_real(row_chunk *chunk, size_t column, double x);
DUSK_MUST_USE dusk_status row_chunk_text(row_chunk *chunk, size_t column, const char *text, uint32_t length,
                                         dusk_error *err);
void row_chunk_end_row(row_chunk *chunk);
/* What was made, valid until row_chunk_begin. */
dusk_chunk row_chunk_made(row_chunk *chunk);

#endif
