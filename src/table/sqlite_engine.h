/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_SQLITE_ENGINE_H
#define DUSK_TABLE_SQLITE_ENGINE_H

/* Inside of the SQLite engine: its tables, and the files that make it up.
 *
 *   engine_sqlite.c      opening, the lock, closing
 *   sqlite_catalogue.c   which tables and columns a database has
 *   sqlite_cursor.c      answers as chunks
 *   sqlite_functions.c   SQL functions: casts, numbers, text, exact sums
 *   sqlite_times.c       SQL functions of dates and timestamps
 *   csv_module.c         text files as virtual tables */

#include <sqlite3.h>

#include "table/cast.h"
#include "table/engine.h"

typedef struct sqlite_table {
    dusk_location location;
    size_t columns;
    table_rule *rule; /* one a column */
    size_t *in_file;  /* of text: which column of the file it is, and its name there */
    char (*name)[DUSK_NAME_MAX + 1];
    uint64_t bytes; /* of text: of the file; for SQLite's guesses */
} sqlite_table;

typedef struct sqlite_engine {
    dusk_engine engine;
    sqlite3 *db;
    sqlite_table *table;
    size_t tables;
} sqlite_engine;

/* What a code of SQLite means to us. Its own words may hold private values and are not passed on. */
dusk_status sqlite_failed(int code, const char *doing, dusk_error *err);
/* Open a database file in a fresh connection, attached read-only as `name`. */
DUSK_MUST_USE dusk_status sqlite_attach(sqlite3 *db, const char *path, const char *name, dusk_error *err);
/* A connection without any file, with everything switched off that can be. */
DUSK_MUST_USE dusk_status sqlite_connect(sqlite3 **out, dusk_error *err);
/* Run SQL that gives no rows. `doing` is for the sentence when it fails. */
DUSK_MUST_USE dusk_status sqlite_run(sqlite3 *db, const char *sql, const char *doing, dusk_error *err);

/* Make the functions of table/engine.h known to the engine's connection. */
DUSK_MUST_USE dusk_status sqlite_functions_register(sqlite_engine *engine, dusk_error *err);
int sqlite_times_register(sqlite3 *db);
/* Hand a value over as the result of a function or column; text is copied, and repaired. */
void sqlite_result(sqlite3_context *context, dusk_type type, const table_value *value);
/* The value of `type` that an argument is. */
void sqlite_argument(table_value *out, dusk_type type, sqlite3_value *argument);
/* Register a function that is deterministic and harmless. */
typedef void sqlite_function(sqlite3_context *, int, sqlite3_value **);
int sqlite_add_function(sqlite3 *db, const char *name, int arguments, void *data, sqlite_function *function);

DUSK_MUST_USE dusk_status sqlite_csv_register(sqlite_engine *engine, dusk_error *err);

/* The functions of dusk_engine_class. */
dusk_status sqlite_describe(const char *source, dusk_found_column **columns, size_t *n, dusk_error *err);
dusk_status sqlite_tables(const char *source, char ***names, dusk_error *err);
dusk_status sqlite_query(dusk_engine *engine, dusk_cursor **out, const char *sql, const dusk_cell_type *types,
                         size_t n, dusk_error *err);
dusk_status sqlite_next(dusk_cursor *cursor, dusk_chunk *chunk, dusk_error *err);
void sqlite_end(dusk_cursor *cursor);
/* Columns of a table of the attached database `name`. */
DUSK_MUST_USE dusk_status sqlite_columns(sqlite3 *db, const char *name, const dusk_location *location,
                                         const char *table, dusk_found_column **columns, size_t *n,
                                         dusk_error *err);

#endif
