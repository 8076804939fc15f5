/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of DuckDB as chunks of columns, streamed: at most a few chunks wait in memory. Numbers are handed
 * over where DuckDB has them; NULLs become bytes, and texts get a pointer each. Every cursor has a connection
 * of its own, since a connection streams one answer at a time. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "table/duckdb_engine.h"

typedef struct column_room {
    uint8_t *null;
    const char **texts;
    uint32_t *lengths;
} column_room;

typedef struct duckdb_cursor {
    dusk_cursor cursor;
    duckdb_engine *engine;
    duckdb_connection connection;
    duckdb_statement statement;
    duckdb_result result;
    duckdb_chunk chunk; /* the one that was handed over */
    size_t columns;
    dusk_cells *cells;
    column_room *room;
    bool ended;
} duckdb_cursor;

static const char *const types_of[] = {
    [DUSK_CELL_INTEGER] = "BIGINT", [DUSK_CELL_REAL] = "DOUBLE", [DUSK_CELL_TEXT] = "VARCHAR"
};

/* The query as a table whose columns are of the wanted types: what is of another type is converted, or NULL. */
static dusk_status wrap(char **out, const char *sql, const dusk_cell_type *types, size_t n, dusk_error *err)
{
    dusk_buffer text = { .data = NULL };
    dusk_buffer_add(&text, "SELECT ");
    for (size_t i = 0; i < n; i++)
        dusk_buffer_add(&text, "%sTRY_CAST(a%zu AS %s)", i ? ", " : "", i, types_of[types[i]]);
    dusk_buffer_add(&text, " FROM (%s) AS q(", sql);
    for (size_t i = 0; i < n; i++) dusk_buffer_add(&text, "%sa%zu", i ? ", " : "", i);
    dusk_buffer_add(&text, ")");
    return dusk_buffer_take(&text, out, err);
}

static dusk_status make_room(duckdb_cursor *c, const dusk_cell_type *types, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t rows = (size_t)c->engine->api->vector_size();
    for (size_t i = 0; i < c->columns; i++) {
        c->cells[i].type = types[i];
        DUSK_NEW(c->room[i].null, rows);
        if (types[i] != DUSK_CELL_TEXT) continue;
        DUSK_NEW(c->room[i].texts, rows);
        DUSK_NEW(c->room[i].lengths, rows);
        c->cells[i].texts = c->room[i].texts;
        c->cells[i].lengths = c->room[i].lengths;
    }
done:
    return status;
}

static dusk_status start(duckdb_cursor *c, const char *sql, dusk_error *err)
{
    const duckdb_api *api = c->engine->api;
    if (api->connect(c->engine->db, &c->connection) != 0 ||
        api->prepare(c->connection, sql, &c->statement) != 0)
        return duckdb_failed(c->engine, NULL, "preparing a query", err);
    if (api->execute_prepared_streaming(c->statement, &c->result) != 0)
        return duckdb_failed(c->engine, &c->result, "starting a query", err);
    if (api->column_count(&c->result) != c->columns)
        return duckdb_failed(c->engine, NULL, "starting a query", err);
    return DUSK_OK;
}

dusk_status duckdb_query(dusk_engine *engine, dusk_cursor **out, const char *sql, const dusk_cell_type *types,
                         size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    duckdb_cursor *c = NULL;
    char *wrapped = NULL;
    *out = NULL;
    DUSK_NEW(c, 1);
    c->cursor.class = engine->class;
    c->engine = (duckdb_engine *)engine;
    DUSK_NEW(c->cells, n);
    DUSK_NEW(c->room, n);
    c->columns = n;
    DUSK_TRY(make_room(c, types, err));
    DUSK_TRY(wrap(&wrapped, sql, types, n, err));
    DUSK_TRY(start(c, wrapped, err));
    *out = &c->cursor;
    c = NULL;
done:
    if (c) duckdb_end(&c->cursor);
    dusk_deallocate(wrapped);
    return status;
}

void duckdb_end(dusk_cursor *cursor)
{
    duckdb_cursor *c = (duckdb_cursor *)cursor;
    if (!c) return;
    const duckdb_api *api = c->engine->api;
    if (c->chunk) api->destroy_data_chunk(&c->chunk);
    api->destroy_result(&c->result);
    if (c->statement) api->destroy_prepare(&c->statement);
    if (c->connection) api->disconnect(&c->connection);
    for (size_t i = 0; c->room && i < c->columns; i++) {
        dusk_deallocate(c->room[i].null);
        dusk_deallocate(c->room[i].texts);
        dusk_deallocate(c->room[i].lengths);
    }
    dusk_deallocate(c->cells);
    dusk_deallocate(c->room);
    dusk_deallocate(c);
}

/* --- one column ------------------------------------------------------------------------------------- */

/* Whether some row is NULL; then bytes say which. */
static bool take_nulls(uint8_t *null, const uint64_t *valid, size_t rows)
{
    bool all = true;
    for (size_t i = 0; i < rows && all; i += 64) {
        uint64_t wanted = rows - i < 64 ? ((uint64_t)1 << (rows - i)) - 1 : UINT64_MAX;
        all = (valid[i / 64] & wanted) == wanted;
    }
    if (all) return false;
    for (size_t i = 0; i < rows; i++) null[i] = !(valid[i / 64] >> (i % 64) & 1);
    return true;
}

/* Texts of up to 12 bytes lie in the vector itself. What a NULL has is not looked at. */
static void take_texts(column_room *room, const duckdb_text *texts, const uint8_t *null, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        bool none = null && null[i];
        room->lengths[i] = none ? 0 : texts[i].length;
        room->texts[i] = none ? "" : DUCKDB_TEXT(texts[i]);
    }
}

static void take_column(duckdb_cursor *c, size_t i, size_t rows)
{
    const duckdb_api *api = c->engine->api;
    dusk_cells *cells = &c->cells[i];
    duckdb_vector vector = api->data_chunk_get_vector(c->chunk, i);
    const void *data = api->vector_get_data(vector);
    const uint64_t *valid = api->vector_get_validity(vector);
    cells->null = valid && take_nulls(c->room[i].null, valid, rows) ? c->room[i].null : NULL;
    if (cells->type == DUSK_CELL_INTEGER) cells->integers = data;
    if (cells->type == DUSK_CELL_REAL) cells->reals = data;
    if (cells->type == DUSK_CELL_TEXT) take_texts(&c->room[i], data, cells->null, rows);
}

static bool has_failed(duckdb_cursor *c)
{
    return c->engine->api->result_error(&c->result) || atomic_load(&c->engine->out_of_memory);
}

dusk_status duckdb_next(dusk_cursor *cursor, dusk_chunk *chunk, dusk_error *err)
{
    duckdb_cursor *c = (duckdb_cursor *)cursor;
    const duckdb_api *api = c->engine->api;
    size_t rows = 0;
    while (!c->ended && rows == 0) {
        if (c->chunk) api->destroy_data_chunk(&c->chunk);
        c->chunk = api->fetch_chunk(c->result);
        /* At the end and at a failure there is no chunk. */
        if (!c->chunk && DUSK_MUTATE(DUCKDB_FAILURE_IS_END, has_failed(c), false))
            return duckdb_failed(c->engine, &c->result, "reading rows", err);
        c->ended = !c->chunk;
        if (c->chunk) rows = (size_t)api->data_chunk_get_size(c->chunk);
    }
    for (size_t i = 0; rows && i < c->columns; i++) take_column(c, i, rows);
    *chunk = (dusk_chunk){ .rows = rows, .columns = c->columns, .column = c->cells };
    return DUSK_OK;
}
