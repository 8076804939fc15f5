/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of PostgreSQL as chunks, streamed by COPY in its binary format: a row at a time is in memory, and
 * numbers are not written as text in between. The columns of a query are asked for first, so that each can be
 * cast to what is wanted. https://www.postgresql.org/docs/current/sql-copy.html, Binary Format. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "table/postgres_engine.h"
#include "table/row_chunk.h"

typedef struct postgres_cursor {
    dusk_cursor cursor;
    postgres_engine *engine;
    row_chunk chunk;
    bool has_savepoint, streams, saw_header, ended;
} postgres_cursor;

/* --- the statement -------------------------------------------------------------------------------------- */

static dusk_type value_of(dusk_cell_type type)
{
    return type == DUSK_CELL_INTEGER ? DUSK_TYPE_INTEGER
           : type == DUSK_CELL_REAL  ? DUSK_TYPE_REAL
                                     : DUSK_TYPE_TEXT;
}

static void put_query(dusk_buffer *out, const postgres_engine *e, const char *sql,
                      const postgres_found *found, const dusk_cell_type *types, size_t n)
{
    dusk_buffer_add(out, "COPY (%s SELECT ", e->tables);
    for (size_t i = 0; i < n; i++) {
        char column[32];
        snprintf(column, sizeof column, "a%zu", i);
        dusk_buffer_add(out, "%s", i ? ", " : "");
        postgres_put_cast(out, found[i].type, value_of(types[i]), column);
    }
    dusk_buffer_add(out, " FROM (%s) AS q(", sql);
    for (size_t i = 0; i < n; i++) dusk_buffer_add(out, "%sa%zu", i ? ", " : "", i);
    dusk_buffer_add(out, ")) TO STDOUT (FORMAT binary)");
}

static dusk_status start(postgres_cursor *c, const char *sql, const dusk_cell_type *types, size_t n,
                         dusk_error *err)
{
    dusk_status status = DUSK_OK;
    postgres_engine *e = c->engine;
    dusk_buffer plain = { .data = NULL }, copy = { .data = NULL };
    postgres_found *found = NULL;
    PGresult *result = NULL;
    size_t columns = 0;
    /* Back to here after a failure: the transaction, and with it the state that is seen, must live on. */
    DUSK_TRY(postgres_run(e, NULL, "SAVEPOINT query", NULL, "preparing a query", err));
    c->has_savepoint = true;
    dusk_buffer_add(&plain, "%s SELECT * FROM (%s) AS q", e->tables, sql);
    DUSK_TRY(plain.failed ? dusk_fail_memory(err)
                          : postgres_columns(e, plain.data, &found, &columns, "preparing a query", err));
    if (columns != n) {
        status = postgres_failed(e, "preparing a query", err);
        goto done;
    }
    put_query(&copy, e, sql, found, types, n);
    if (copy.failed) {
        status = dusk_fail_memory(err);
        goto done;
    }
    result = PQexecParams(e->connection, copy.data, 0, NULL, NULL, NULL, NULL, 0);
    c->streams = PQresultStatus(result) == PGRES_COPY_OUT;
    if (!c->streams) status = postgres_failed(e, "starting a query", err);
done:
    PQclear(result);
    dusk_buffer_clear(&plain);
    dusk_buffer_clear(&copy);
    dusk_deallocate(found);
    return status;
}

dusk_status postgres_query(dusk_engine *engine, dusk_cursor **out, const char *sql,
                           const dusk_cell_type *types, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    postgres_engine *e = (postgres_engine *)engine;
    postgres_cursor *c = NULL;
    *out = NULL;
    if (e->busy)
        return dusk_fail(err, DUSK_ERR_BUSY, "end it first",
                         "a connection to PostgreSQL runs one query at a time");
    DUSK_NEW(c, 1);
    c->cursor.class = engine->class;
    c->engine = e;
    e->busy = true;
    DUSK_TRY(row_chunk_init(&c->chunk, types, n, err));
    DUSK_TRY(start(c, sql, types, n, err));
    *out = &c->cursor;
    c = NULL;
done:
    if (c) postgres_end(&c->cursor);
    return status;
}

/* What is still on its way is not wanted: have the server stop, then read what it had sent. */
static void stop(PGconn *connection)
{
    char message[256], *row;
    PGcancel *cancel = PQgetCancel(connection);
    if (cancel) (void)PQcancel(cancel, message, sizeof message);
    PQfreeCancel(cancel);
    while (PQgetCopyData(connection, &row, 0) > 0) PQfreemem(row);
    for (PGresult *result; (result = PQgetResult(connection));) PQclear(result);
}

void postgres_end(dusk_cursor *cursor)
{
    postgres_cursor *c = (postgres_cursor *)cursor;
    if (!c) return;
    if (c->streams) stop(c->engine->connection);
    if (c->has_savepoint) {
        PQclear(PQexec(c->engine->connection, "ROLLBACK TO SAVEPOINT query"));
        PQclear(PQexec(c->engine->connection, "RELEASE SAVEPOINT query"));
    }
    c->engine->busy = false;
    row_chunk_clear(&c->chunk);
    dusk_deallocate(c);
}

/* --- rows ----------------------------------------------------------------------------------------------- */

/* Numbers have their highest byte first. */
static uint64_t number_at(const char *at, size_t bytes)
{
    uint64_t x = 0;
    for (size_t i = 0; i < bytes; i++) x = x << 8 | (unsigned char)at[i];
    return x;
}

static dusk_status bad_row(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_IO, "see that it is a PostgreSQL server, 12 or later",
                     "engine postgres was sent rows in another form than it asked for");
}

static dusk_status take_field(postgres_cursor *c, size_t column, const char *at, uint32_t length,
                              dusk_error *err)
{
    dusk_cell_type type = c->chunk.cells[column].type;
    if (type == DUSK_CELL_TEXT) return row_chunk_text(&c->chunk, column, at, length, err);
    if (length != 8) return bad_row(err);
    uint64_t bits = number_at(at, 8);
    if (type == DUSK_CELL_INTEGER) {
        int64_t x;
        memcpy(&x, &bits, sizeof x);
        row_chunk_integer(&c->chunk, column, x);
    } else {
        double x;
        memcpy(&x, &bits, sizeof x);
        row_chunk_real(&c->chunk, column, x);
    }
    return DUSK_OK;
}

/* A row: how many fields, then each by its length, -1 for NULL. */
static dusk_status take_row(postgres_cursor *c, const char *at, size_t left, dusk_error *err)
{
    if (left < 2 || number_at(at, 2) != c->chunk.columns) return bad_row(err);
    at += 2, left -= 2;
    for (size_t i = 0; i < c->chunk.columns; i++) {
        if (left < 4) return bad_row(err);
        uint32_t length = (uint32_t)number_at(at, 4);
        at += 4, left -= 4;
        if (length == UINT32_MAX) {
            row_chunk_null(&c->chunk, i);
            continue;
        }
        if (left < length) return bad_row(err);
        dusk_status status = take_field(c, i, at, length, err);
        if (status != DUSK_OK) return status;
        at += length, left -= length;
    }
    row_chunk_end_row(&c->chunk);
    return DUSK_OK;
}

/* The first message begins with a header of 11 bytes, flags, and the length of an extension; rows may follow in it.
 * -1 as the number of fields is the end. */
static dusk_status take_message(postgres_cursor *c, const char *at, size_t length, dusk_error *err)
{
    if (!c->saw_header) {
        if (length < 19 || memcmp(at, "PGCOPY\n\377\r\n", 11) != 0) return bad_row(err);
        size_t skip = 19 + (size_t)number_at(at + 15, 4);
        if (skip > length) return bad_row(err);
        c->saw_header = true;
        at += skip, length -= skip;
        if (length == 0) return DUSK_OK;
    }
    if (length == 2 && number_at(at, 2) == 0xFFFF) return DUSK_OK;
    return take_row(c, at, length, err);
}

/* The stream is over: whether the query has succeeded is only known now. */
static dusk_status finish(postgres_cursor *c, int code, dusk_error *err)
{
    bool fine = code == -1;
    c->streams = false;
    for (PGresult *result; (result = PQgetResult(c->engine->connection));) {
        fine = fine && PQresultStatus(result) == PGRES_COMMAND_OK;
        PQclear(result);
    }
    c->ended = DUSK_MUTATE(POSTGRES_FAILURE_IS_END, fine, true);
    return c->ended ? DUSK_OK : postgres_failed(c->engine, "reading rows", err);
}

dusk_status postgres_next(dusk_cursor *cursor, dusk_chunk *chunk, dusk_error *err)
{
    postgres_cursor *c = (postgres_cursor *)cursor;
    dusk_status status = DUSK_OK;
    row_chunk_begin(&c->chunk);
    if (!c->streams && !c->ended) return postgres_failed(c->engine, "reading rows", err);
    while (status == DUSK_OK && c->streams && !row_chunk_is_full(&c->chunk)) {
        char *message = NULL;
        int length = PQgetCopyData(c->engine->connection, &message, 0);
        status = length > 0 ? take_message(c, message, (size_t)length, err) : finish(c, length, err);
        PQfreemem(message);
    }
    if (status != DUSK_OK) return status;
    *chunk = row_chunk_made(&c->chunk);
    return DUSK_OK;
}
