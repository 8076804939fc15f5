/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_QUERY_ENGINES_H
#define TESTS_QUERY_ENGINES_H

/* Real engines for generated SQL: SQLite in memory with Dusk's functions, the same of DuckDB where
 * DUSK_TEST_DUCKDB is set and its library found, PostgreSQL where DUSK_TEST_POSTGRES has a connection string. An engine
 * that is not there is skipped with a message. */

#include <libpq-fe.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "query_reference.h"
#include "table/duckdb_engine.h"
#include "table/engine.h"
#include "table/sqlite_engine.h"

typedef struct answer {
    ref_value *cell; /* rows * columns */
    size_t rows, columns;
} answer;

typedef struct real_engine {
    const char *name;
    dusk_dialect dialect;
    void *handle;
    /* Give NULL, or what went wrong; out is to be freed when columns > 0. */
    const char *(*run)(struct real_engine *engine, const char *sql, const dusk_cell_type *types,
                       size_t columns, answer *out);
} real_engine;

static inline void answer_free(answer *a)
{
    free(a->cell);
    *a = (answer){ 0 };
}

static inline ref_value *answer_row(answer *a)
{
    if ((a->rows & (a->rows - 1)) == 0)
        a->cell = realloc(a->cell, (a->rows ? 2 * a->rows : 1) * a->columns * sizeof *a->cell);
    assert_non_null(a->cell);
    ref_value *row = a->cell + a->rows++ * a->columns;
    memset(row, 0, a->columns * sizeof *row);
    return row;
}

/* SQL that gives no rows. */
static inline void must(real_engine *engine, const char *sql)
{
    answer none;
    const char *wrong = engine->run(engine, sql, NULL, 0, &none);
    if (wrong) fail_msg("%s: %s: %s", engine->name, wrong, sql);
}

/* --- SQLite --- */

static inline const char *run_sqlite(real_engine *engine, const char *sql, const dusk_cell_type *types,
                                     size_t columns, answer *out)
{
    sqlite3 *db = ((sqlite_engine *)engine->handle)->db;
    sqlite3_stmt *s;
    int code;
    *out = (answer){ .columns = columns };
    if (columns == 0) return sqlite3_exec(db, sql, NULL, NULL, NULL) ? sqlite3_errmsg(db) : NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) return sqlite3_errmsg(db);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        ref_value *row = answer_row(out);
        for (int i = 0; i < (int)columns; i++) {
            row[i].null = sqlite3_column_type(s, i) == SQLITE_NULL;
            row[i].integer = sqlite3_column_int64(s, i);
            row[i].real = sqlite3_column_double(s, i);
            int kind = sqlite3_column_type(s, i);
            if (!row[i].null && kind != (types[i] == DUSK_CELL_INTEGER ? SQLITE_INTEGER
                                         : types[i] == DUSK_CELL_REAL  ? SQLITE_FLOAT
                                                                       : SQLITE_TEXT)) {
                sqlite3_finalize(s);
                return "a cell of another type";
            }
            const char *text = (const char *)sqlite3_column_text(s, i);
            if (text) snprintf(row[i].text, sizeof row[i].text, "%s", text);
        }
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? NULL : sqlite3_errmsg(db);
}

static inline bool open_sqlite(real_engine *out)
{
    sqlite_engine *engine = calloc(1, sizeof *engine);
    assert_non_null(engine);
    assert_int_equal(sqlite3_open(":memory:", &engine->db), SQLITE_OK);
    assert_int_equal(sqlite_functions_register(engine, NULL), DUSK_OK);
    *out = (real_engine){
        .name = "SQLite", .dialect = DUSK_DIALECT_SQLITE, .handle = engine, .run = run_sqlite
    };
    return true;
}

/* --- PostgreSQL --- */

static inline const char *run_postgres(real_engine *engine, const char *sql, const dusk_cell_type *types,
                                       size_t columns, answer *out)
{
    static char error[400];
    *out = (answer){ .columns = columns };
    PGresult *result = PQexec(engine->handle, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
        snprintf(error, sizeof error, "%s", PQresultErrorMessage(result));
        PQclear(result);
        return error;
    }
    for (int r = 0; columns && r < PQntuples(result); r++) {
        ref_value *row = answer_row(out);
        for (int i = 0; i < (int)columns; i++) {
            const char *text = PQgetvalue(result, r, i);
            row[i].null = PQgetisnull(result, r, i);
            snprintf(row[i].text, sizeof row[i].text, "%s", text);
            row[i].integer = strtoll(text, NULL, 10);
            row[i].real = strtod(text, NULL);
            Oid type = PQftype(result, i); /* 20 bigint, 701 float8, 25 text */
            if (type != (types[i] == DUSK_CELL_INTEGER ? 20u : types[i] == DUSK_CELL_REAL ? 701u : 25u)) {
                PQclear(result);
                return "a cell of another type";
            }
        }
    }
    PQclear(result);
    return NULL;
}

static inline bool open_postgres(real_engine *out)
{
    const char *where = getenv("DUSK_TEST_POSTGRES");
    if (!where || !*where) {
        print_message("PostgreSQL: skipped, DUSK_TEST_POSTGRES has no connection string\n");
        return false;
    }
    PGconn *connection = PQconnectdb(where);
    if (PQstatus(connection) != CONNECTION_OK) fail_msg("%s", PQerrorMessage(connection));
    *out = (real_engine){
        .name = "PostgreSQL", .dialect = DUSK_DIALECT_POSTGRES, .handle = connection, .run = run_postgres
    };
    /* A schema of this process's own: tests run beside each other. */
    char sql[200];
    snprintf(sql, sizeof sql,
             "SET standard_conforming_strings = on; SET client_min_messages = error; DROP SCHEMA IF EXISTS "
             "dusk_%ld "
             "CASCADE; CREATE SCHEMA dusk_%ld; SET search_path = dusk_%ld",
             (long)getpid(), (long)getpid(), (long)getpid());
    must(out, sql);
    return true;
}

/* --- DuckDB --- */

/* What DuckDB itself says to a statement, or NULL. */
static inline const char *say_duckdb(duckdb_engine *e, const char *sql)
{
    static char error[400];
    duckdb_result result = { .internal = NULL };
    bool failed = e->api->query(e->connection, sql, &result) != 0;
    if (failed) snprintf(error, sizeof error, "%s", e->api->result_error(&result));
    e->api->destroy_result(&result);
    return failed ? error : NULL;
}

static inline bool has_types_duckdb(duckdb_engine *e, const char *sql, const dusk_cell_type *types,
                                    size_t columns)
{
    duckdb_found *found = NULL;
    size_t n = 0;
    dusk_buffer from = { .data = NULL };
    dusk_buffer_add(&from, "(%s)", sql);
    bool fine = duckdb_columns(e, from.data, &found, &n, NULL) == DUSK_OK && n == columns;
    for (size_t i = 0; fine && i < n; i++)
        fine = found[i].type == (types[i] == DUSK_CELL_INTEGER ? DUCKDB_BIGINT
                                 : types[i] == DUSK_CELL_REAL  ? DUCKDB_DOUBLE
                                                               : DUCKDB_VARCHAR);
    dusk_deallocate(found);
    dusk_buffer_clear(&from);
    return fine;
}

static inline void take_duckdb(answer *out, const dusk_chunk *chunk)
{
    for (size_t r = 0; r < chunk->rows; r++) {
        ref_value *row = answer_row(out);
        for (size_t i = 0; i < chunk->columns; i++) {
            const dusk_cells *cells = &chunk->column[i];
            row[i].null = cells->null && cells->null[r];
            if (row[i].null) continue;
            if (cells->type == DUSK_CELL_INTEGER) row[i].integer = cells->integers[r];
            if (cells->type == DUSK_CELL_REAL) row[i].real = cells->reals[r];
            if (cells->type == DUSK_CELL_TEXT)
                snprintf(row[i].text, sizeof row[i].text, "%.*s", (int)cells->lengths[r], cells->texts[r]);
        }
    }
}

static inline const char *run_duckdb(real_engine *engine, const char *sql, const dusk_cell_type *types,
                                     size_t columns, answer *out)
{
    duckdb_engine *e = engine->handle;
    dusk_cursor *cursor = NULL;
    dusk_chunk chunk = { .rows = 1 };
    *out = (answer){ .columns = columns };
    if (columns == 0) return say_duckdb(e, sql);
    dusk_status status = duckdb_query(&e->engine, &cursor, sql, types, columns, NULL);
    if (status == DUSK_OK && !has_types_duckdb(e, sql, types, columns)) {
        duckdb_end(cursor);
        return "a cell of another type";
    }
    while (status == DUSK_OK && chunk.rows) {
        status = duckdb_next(cursor, &chunk, NULL);
        if (status == DUSK_OK) take_duckdb(out, &chunk);
    }
    duckdb_end(cursor);
    if (status == DUSK_OK) return NULL;
    const char *said = say_duckdb(e, sql);
    return said ? said : "failed";
}

static inline bool open_duckdb(real_engine *out)
{
    const char *wanted = getenv("DUSK_TEST_DUCKDB");
    duckdb_engine *e = NULL;
    *out = (real_engine){ .name = "DuckDB", .dialect = DUSK_DIALECT_DUCKDB, .run = run_duckdb };
    if (!wanted || !*wanted || !duckdb_is_usable()) {
        print_message("DuckDB: skipped, DUSK_TEST_DUCKDB is not set, or its library is not found\n");
        return false;
    }
    assert_int_equal(duckdb_begin(&e, NULL), DUSK_OK);
    assert_int_equal(duckdb_functions_register(e, NULL), DUSK_OK);
    out->handle = e;
    return true;
}

static inline void close_engine(real_engine *engine)
{
    if (engine->dialect == DUSK_DIALECT_DUCKDB) duckdb_end_engine(engine->handle);
    if (engine->dialect == DUSK_DIALECT_SQLITE) {
        sqlite3_close(((sqlite_engine *)engine->handle)->db);
        free(engine->handle);
    } else if (engine->dialect == DUSK_DIALECT_POSTGRES) {
        char sql[80];
        snprintf(sql, sizeof sql, "DROP SCHEMA IF EXISTS dusk_%ld CASCADE", (long)getpid());
        must(engine, sql);
        PQfinish(engine->handle);
    }
}

#endif
