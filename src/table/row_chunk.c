/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks out of rows; see row_chunk.h. Texts are kept one after the other, and get their addresses when the chunk
 * is complete, since the bytes move while it grows. */
#include "table/row_chunk.h"

#include <string.h>

#include "base/memory.h"

enum { CHUNK_ROWS = 2048, CHUNK_BYTES = 4 << 20 };

struct row_chunk_column {
    uint8_t *null;
    int64_t *integers;
    double *reals;
    const char **texts;
    uint32_t *lengths;
    size_t *offsets; /* of texts */
    bool has_null;
};

static dusk_status make_column(dusk_cells *cells, row_chunk_column *column, dusk_cell_type type,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    cells->type = type;
    DUSK_NEW(column->null, CHUNK_ROWS);
    if (type == DUSK_CELL_INTEGER) DUSK_NEW(column->integers, CHUNK_ROWS);
    if (type == DUSK_CELL_REAL) DUSK_NEW(column->reals, CHUNK_ROWS);
    if (type == DUSK_CELL_TEXT) {
        DUSK_NEW(column->texts, CHUNK_ROWS);
        DUSK_NEW(column->lengths, CHUNK_ROWS);
        DUSK_NEW(column->offsets, CHUNK_ROWS);
    }
    cells->integers = column->integers;
    cells->reals = column->reals;
    cells->texts = column->texts;
    cells->lengths = column->lengths;
done:
    return status;
}

dusk_status row_chunk_init(row_chunk *out, const dusk_cell_type *types, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    row_chunk made = { .capacity = 1 << 16 };
    DUSK_NEW(made.cells, n);
    DUSK_NEW(made.column, n);
    made.columns = n;
    for (size_t i = 0; i < n; i++) DUSK_TRY(make_column(&made.cells[i], &made.column[i], types[i], err));
    DUSK_NEW(made.bytes, made.capacity);
    *out = made;
    made = (row_chunk){ .columns = 0 };
done:
    row_chunk_clear(&made);
    return status;
}

void row_chunk_clear(row_chunk *chunk)
{
    for (size_t i = 0; i < chunk->columns; i++) {
        dusk_deallocate(chunk->column[i].null);
        dusk_deallocate(chunk->column[i].integers);
        dusk_deallocate(chunk->column[i].reals);
        dusk_deallocate(chunk->column[i].texts);
        dusk_deallocate(chunk->column[i].lengths);
        dusk_deallocate(chunk->column[i].offsets);
    }
    dusk_deallocate(chunk->cells);
    dusk_deallocate(chunk->column);
    dusk_deallocate(chunk->bytes);
    *chunk = (row_chunk){ .columns = 0 };
}

void row_chunk_begin(row_chunk *chunk)
{
    chunk->rows = chunk->used = 0;
    for (size_t i = 0; i < chunk->columns; i++) chunk->column[i].has_null = false;
}

bool row_chunk_is_full(const row_chunk *chunk)
{
    return chunk->rows == CHUNK_ROWS || chunk->used >= CHUNK_BYTES;
}

void row_chunk_null(row_chunk *chunk, size_t column)
{
    row_chunk_column *to = &chunk->column[column];
    to->null[chunk->rows] = 1;
    to->has_null = true;
    if (to->integers) to->integers[chunk->rows] = 0;
    if (to->reals) to->reals[chunk->rows] = 0;
    if (to->lengths) to->lengths[chunk->rows] = 0, to->offsets[chunk->rows] = 0;
}

void row_chunk_integer(row_chunk *chunk, size_t column, int64_t x)
{
    chunk->column[column].null[chunk->rows] = 0;
    chunk->column[column].integers[chunk->rows] = x;
}

void row_chunk_real(row_chunk *chunk, size_t column, double x)
{
    chunk->column[column].null[chunk->rows] = 0;
    chunk->column[column].reals[chunk->rows] = x;
}

dusk_status row_chunk_text(row_chunk *chunk, size_t column, const char *text, uint32_t length,
                           dusk_error *err)
{
    row_chunk_column *to = &chunk->column[column];
    if (chunk->capacity - chunk->used < length) {
        size_t larger = 2 * chunk->capacity + length;
        char *moved = dusk_larger(chunk->bytes, chunk->used, larger, 1);
        if (!moved) return dusk_fail_memory(err);
        chunk->bytes = moved;
        chunk->capacity = larger;
    }
    if (length) memcpy(chunk->bytes + chunk->used, text, length);
    to->null[chunk->rows] = 0;
    to->offsets[chunk->rows] = chunk->used;
    to->lengths[chunk->rows] = length;
    chunk->used += length;
    return DUSK_OK;
}

void row_chunk_end_row(row_chunk *chunk) { chunk->rows++; }

dusk_chunk row_chunk_made(row_chunk *chunk)
{
    for (size_t i = 0; i < chunk->columns; i++) {
        row_chunk_column *column = &chunk->column[i];
        chunk->cells[i].null = column->has_null ? column->null : NULL;
        for (size_t r = 0; column->texts && r < chunk->rows; r++)
            column->texts[r] = chunk->bytes + column->offsets[r];
    }
    return (dusk_chunk){ .rows = chunk->rows, .columns = chunk->columns, .column = chunk->cells };
}
