/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_QUERY_ENGINES_H
#define TESTS_QUERY_ENGINES_H

/* Real engines for generated SQL: SQLite in memory with Dusk's functions, DuckDB in memory where
 * DUSK_DUCKDB names its library, PostgreSQL where DUSK_TEST_POSTGRES has a connection string. An engine
 * that is not there is skipped with a message. */

#include <dlfcn.h>
#include <libpq-fe.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "query_reference.h"
#include "table/engine.h"
#include "table/sqlite_engine.h"

typedef struct answer {
    ref_value *cell; /* rows * columns */
    size_t rows, columns;
} answer;

typedef struct real_engine {
    const char *name;
    dusk_dialect dialect;
    void *handle, *library, *database;
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

typedef struct duck_result {
    uint64_t word[6];
} duck_result;

#define DUCK(engine, type, name) (*(type *)duck_symbol((engine)->library, (name)))
static inline void *duck_symbol(void *library, const char *name)
{
    static _Thread_local void *symbol;
    symbol = dlsym(library, name);
    assert_non_null(symbol);
    return &symbol;
}

static inline const char *run_duckdb(real_engine *engine, const char *sql, const dusk_cell_type *types,
                                     size_t columns, answer *out)
{
    typedef int query_type(void *, const char *, duck_result *);
    typedef const char *error_type(duck_result *);
    typedef uint64_t count_type(duck_result *);
    typedef bool null_type(duck_result *, uint64_t, uint64_t);
    typedef int64_t whole_type(duck_result *, uint64_t, uint64_t);
    typedef double real_type(duck_result *, uint64_t, uint64_t);
    typedef char *text_type(duck_result *, uint64_t, uint64_t);
    typedef int kind_type(duck_result *, uint64_t);
    typedef void free_type(void *);
    typedef void destroy_type(duck_result *);
    static char error[400];
    duck_result result = { { 0 } };
    const char *wrong = NULL;
    *out = (answer){ .columns = columns };
    if (DUCK(engine, query_type *, "duckdb_query")(engine->handle, sql, &result) != 0) {
        snprintf(error, sizeof error, "%s", DUCK(engine, error_type *, "duckdb_result_error")(&result));
        DUCK(engine, destroy_type *, "duckdb_destroy_result")(&result);
        return error;
    }
    uint64_t rows = columns ? DUCK(engine, count_type *, "duckdb_row_count")(&result) : 0;
    null_type *is_null = DUCK(engine, null_type *, "duckdb_value_is_null");
    whole_type *whole_at = DUCK(engine, whole_type *, "duckdb_value_int64");
    real_type *real_at = DUCK(engine, real_type *, "duckdb_value_double");
    text_type *text_at = DUCK(engine, text_type *, "duckdb_value_varchar");
    kind_type *kind_at = DUCK(engine, kind_type *, "duckdb_column_type");
    free_type *free_text = DUCK(engine, free_type *, "duckdb_free");
    for (uint64_t i = 0; i < columns; i++) /* 5 BIGINT, 11 DOUBLE, 17 VARCHAR */
        if (kind_at(&result, i) != (types[i] == DUSK_CELL_INTEGER ? 5 : types[i] == DUSK_CELL_REAL ? 11 : 17))
            wrong = "a cell of another type";
    for (uint64_t r = 0; r < rows && !wrong; r++) {
        ref_value *row = answer_row(out);
        for (uint64_t i = 0; i < columns; i++) {
            row[i].null = is_null(&result, i, r);
            if (row[i].null) continue;
            if (types[i] == DUSK_CELL_INTEGER) row[i].integer = whole_at(&result, i, r);
            if (types[i] == DUSK_CELL_REAL) row[i].real = real_at(&result, i, r);
            char *text = text_at(&result, i, r);
            if (text) snprintf(row[i].text, sizeof row[i].text, "%s", text);
            free_text(text);
        }
    }
    DUCK(engine, destroy_type *, "duckdb_destroy_result")(&result);
    return wrong;
}

static inline bool open_duckdb(real_engine *out)
{
    typedef int open_type(const char *, void **);
    typedef int connect_type(void *, void **);
    const char *path = getenv("DUSK_DUCKDB");
    *out = (real_engine){ .name = "DuckDB", .dialect = DUSK_DIALECT_DUCKDB, .run = run_duckdb };
    if (path && *path) out->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!out->library) {
        print_message("DuckDB: skipped, DUSK_DUCKDB names no library\n");
        return false;
    }
    assert_int_equal(DUCK(out, open_type *, "duckdb_open")(NULL, &out->database), 0);
    assert_int_equal(DUCK(out, connect_type *, "duckdb_connect")(out->database, &out->handle), 0);
    return true;
}

static inline void close_engine(real_engine *engine)
{
    typedef void close_type(void **);
    if (engine->dialect == DUSK_DIALECT_DUCKDB) {
        DUCK(engine, close_type *, "duckdb_disconnect")(&engine->handle);
        DUCK(engine, close_type *, "duckdb_close")(&engine->database);
    }
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
