/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_POSTGRES_ENGINE_H
#define DUSK_TABLE_POSTGRES_ENGINE_H

/* Inside of the PostgreSQL engine, and the files that make it up.
 *
 *   engine_postgres.c      connections, opening, closing
 *   postgres_catalogue.c   which tables and columns a database has
 *   postgres_view.c        declared columns over what a table has
 *   postgres_cursor.c      answers as chunks */

#include <libpq-fe.h>

#include "base/buffer.h"
#include "table/cast.h"
#include "table/engine.h"

typedef struct postgres_engine {
    dusk_engine engine;
    PGconn *connection;
    char *shown;  /* the database in words, without user and password */
    char *tables; /* WITH t0 AS ..., t1 AS ... */
    bool busy;    /* a cursor is open */
} postgres_engine;

/* --- engine_postgres.c */

/* Connect, fix what answers depend on, and begin a transaction that reads one state of the database. */
DUSK_MUST_USE dusk_status postgres_begin(postgres_engine **out, const dusk_location *location,
                                         dusk_error *err);
void postgres_close(dusk_engine *engine);
/* A failure in our own words: the server's may hold private values. */
dusk_status postgres_failed(const postgres_engine *engine, const char *doing, dusk_error *err);
/* Run one statement, with at most one text for $1; *out may be NULL. Of answers with rows all are fetched, as
 * text. */
DUSK_MUST_USE dusk_status postgres_run(postgres_engine *engine, PGresult **out, const char *sql,
                                       const char *parameter, const char *doing, dusk_error *err);

/* --- postgres_catalogue.c */
typedef struct postgres_found {
    char name[DUSK_NAME_MAX + 1];
    Oid type;
} postgres_found;
/* A table as SQL names it: "public"."visits". To be freed with dusk_deallocate. */
DUSK_MUST_USE dusk_status postgres_table(postgres_engine *engine, char **out, const char *table,
                                         dusk_error *err);
/* The columns of a query; it is not run. To be freed with dusk_deallocate. */
DUSK_MUST_USE dusk_status postgres_columns(postgres_engine *engine, const char *sql, postgres_found **out,
                                           size_t *n, const char *doing, dusk_error *err);
dusk_status postgres_describe(const char *source, dusk_found_column **columns, size_t *n, dusk_error *err);
dusk_status postgres_tables(const char *source, char ***names, dusk_error *err);

/* --- postgres_view.c */

/* The type that a column of the database has to us. */
dusk_type postgres_type_of(Oid type);
/* A column of a type of PostgreSQL as a value of ours, or NULL; total. */
void postgres_put_cast(dusk_buffer *out, Oid from, dusk_type to, const char *column);
/* SELECT the declared columns as c0, c1, ... */
void postgres_view(dusk_buffer *out, const dusk_table_schema *t, const table_rule *rules, const char *table,
                   const postgres_found *found, const size_t *at);

/* --- postgres_cursor.c */
dusk_status postgres_query(dusk_engine *engine, dusk_cursor **out, const char *sql,
                           const dusk_cell_type *types, size_t n, dusk_error *err);
dusk_status postgres_next(dusk_cursor *cursor, dusk_chunk *chunk, dusk_error *err);
void postgres_end(dusk_cursor *cursor);

#endif
