/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of SQLite as chunks of columns. A value that is of another type than the one asked for is
 * converted, or NULL. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "table/sqlite_engine.h"

enum { CHUNK_ROWS = 2048, CHUNK_BYTES = 4 << 20 }; /* a chunk ends early when its texts are long */

typedef struct column_room {
    uint8_t *null;
    int64_t *integers;
    double *reals;
    const char **texts;
    uint32_t *lengths;
    size_t *offsets; /* of texts, until the chunk is full */
    bool has_null;
} column_room;

typedef struct sqlite_cursor {
    dusk_cursor cursor;
    sqlite3_stmt *row;
    size_t columns;
    dusk_cells *cells;
    column_room *room;
    char *bytes;
    size_t used, capacity;
    bool ended;
} sqlite_cursor;

static dusk_status make_column(dusk_cells *cells, column_room *room, dusk_cell_type type, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    cells->type = type;
    DUSK_NEW(room->null, CHUNK_ROWS);
    if (type == DUSK_CELL_INTEGER) DUSK_NEW(room->integers, CHUNK_ROWS);
    if (type == DUSK_CELL_REAL) DUSK_NEW(room->reals, CHUNK_ROWS);
    if (type == DUSK_CELL_TEXT) {
        DUSK_NEW(room->texts, CHUNK_ROWS);
        DUSK_NEW(room->lengths, CHUNK_ROWS);
        DUSK_NEW(room->offsets, CHUNK_ROWS);
    }
    cells->integers = room->integers;
    cells->reals = room->reals;
    cells->texts = room->texts;
    cells->lengths = room->lengths;
done:
    return status;
}

dusk_status sqlite_query(dusk_engine *engine, dusk_cursor **out, const char *sql, const dusk_cell_type *types,
                         size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    sqlite_cursor *c = NULL;
    *out = NULL;
    DUSK_NEW(c, 1);
    c->cursor.class = engine->class;
    DUSK_NEW(c->cells, n);
    DUSK_NEW(c->room, n);
    c->columns = n;
    for (size_t i = 0; i < n; i++) DUSK_TRY(make_column(&c->cells[i], &c->room[i], types[i], err));
    c->capacity = 1 << 16;
    DUSK_NEW(c->bytes, c->capacity);
    int code = sqlite3_prepare_v2(((sqlite_engine *)engine)->db, sql, -1, &c->row, NULL);
    if (code != SQLITE_OK || !c->row || (size_t)sqlite3_column_count(c->row) != n) {
        status = sqlite_failed(code == SQLITE_OK ? SQLITE_ERROR : code, "preparing a query", err);
        goto done;
    }
    *out = &c->cursor;
    c = NULL;
done:
    if (c) sqlite_end(&c->cursor);
    return status;
}

void sqlite_end(dusk_cursor *cursor)
{
    sqlite_cursor *c = (sqlite_cursor *)cursor;
    if (!c) return;
    (void)sqlite3_finalize(c->row);
    for (size_t i = 0; c->room && i < c->columns; i++) {
        dusk_deallocate(c->room[i].null);
        dusk_deallocate(c->room[i].integers);
        dusk_deallocate(c->room[i].reals);
        dusk_deallocate(c->room[i].texts);
        dusk_deallocate(c->room[i].lengths);
        dusk_deallocate(c->room[i].offsets);
    }
    dusk_deallocate(c->cells);
    dusk_deallocate(c->room);
    dusk_deallocate(c->bytes);
    dusk_deallocate(c);
}

/* --- one value ----------------------------------------------------------------------------------- */

static dusk_status keep_text(sqlite_cursor *c, column_room *room, size_t i, const table_value *value,
                             dusk_error *err)
{
    if (c->capacity - c->used < value->length) {
        size_t larger = 2 * c->capacity + value->length;
        char *moved = dusk_larger(c->bytes, c->used, larger, 1);
        if (!moved) return dusk_fail_memory(err);
        c->bytes = moved;
        c->capacity = larger;
    }
    if (value->length) memcpy(c->bytes + c->used, value->text, value->length);
    room->offsets[i] = c->used;
    room->lengths[i] = (uint32_t)value->length; /* SQLite's texts are shorter than 2^31 */
    c->used += value->length;
    return DUSK_OK;
}

static dusk_status keep_value(sqlite_cursor *c, size_t column, size_t i, dusk_error *err)
{
    static const dusk_type type_of[] = { [DUSK_CELL_INTEGER] = DUSK_TYPE_INTEGER,
                                         [DUSK_CELL_REAL] = DUSK_TYPE_REAL,
                                         [DUSK_CELL_TEXT] = DUSK_TYPE_TEXT };
    column_room *room = &c->room[column];
    dusk_cell_type type = c->cells[column].type;
    table_value value;
    sqlite_argument(&value, type_of[type], sqlite3_column_value(c->row, (int)column));
    room->null[i] = value.null;
    room->has_null |= value.null;
    if (type == DUSK_CELL_INTEGER) room->integers[i] = value.null ? 0 : value.integer;
    if (type == DUSK_CELL_REAL) room->reals[i] = value.null ? 0 : value.real;
    if (type != DUSK_CELL_TEXT) return DUSK_OK;
    if (value.null) value.length = 0;
    return keep_text(c, room, i, &value, err);
}

dusk_status sqlite_next(dusk_cursor *cursor, dusk_chunk *chunk, dusk_error *err)
{
    sqlite_cursor *c = (sqlite_cursor *)cursor;
    size_t rows = 0;
    c->used = 0;
    for (size_t i = 0; i < c->columns; i++) c->room[i].has_null = false;
    while (!c->ended && rows < CHUNK_ROWS && c->used < CHUNK_BYTES) {
        int code = sqlite3_step(c->row);
        if (code == SQLITE_DONE) c->ended = true;
        if (code == SQLITE_DONE) break;
        if (code != SQLITE_ROW) return sqlite_failed(code, "reading rows", err);
        for (size_t i = 0; i < c->columns; i++) {
            dusk_status status = keep_value(c, i, rows, err);
            if (status != DUSK_OK) return status;
        }
        rows++;
    }
    for (size_t i = 0; i < c->columns; i++) {
        column_room *room = &c->room[i];
        c->cells[i].null = room->has_null ? room->null : NULL;
        for (size_t r = 0; room->texts && r < rows; r++) room->texts[r] = c->bytes + room->offsets[r];
    }
    *chunk = (dusk_chunk){ .rows = rows, .columns = c->columns, .column = c->cells };
    return DUSK_OK;
}
