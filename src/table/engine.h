/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_ENGINE_H
#define DUSK_TABLE_ENGINE_H

/* Engines behind one table of functions. An engine opens the sources of a schema, says what
 * columns a table has, and runs SQL that Dusk generated, as chunks of columns. It gets no
 * text of an analyst, and no text of its errors leaves it: what an engine says may hold private
 * values. Whether it fails must depend on files, memory and the network only, never on rows: SQL is
 * generated so that every expression is total.
 *
 * Before the first query an engine is locked: read only, no extension, no file or network
 * access beyond the declared sources, no change of its configuration. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/table.h"

/* How a column of an answer is handed over. */
typedef enum dusk_cell_type {
    DUSK_CELL_INTEGER = 1, /* int64_t; booleans are 0 and 1                                */
    DUSK_CELL_REAL = 2,    /* double; may be NaN or infinite                               */
    DUSK_CELL_TEXT = 3     /* UTF-8 bytes; dates as 1998-12-01, timestamps as 1998-12-01 12:34:56 */
} dusk_cell_type;

typedef struct dusk_cells {
    dusk_cell_type type;
    const uint8_t *null; /* null[i] != 0: row i is NULL; the pointer itself is NULL when no row is */
    const int64_t *integers;
    const double *reals;
    const char *const *texts;
    const uint32_t *lengths;
} dusk_cells;

/* Up to a few thousand rows; valid until the next call on the cursor. */
typedef struct dusk_chunk {
    size_t rows;
    size_t columns;
    const dusk_cells *column;
} dusk_chunk;

typedef enum dusk_dialect {
    DUSK_DIALECT_SQLITE = 1,
    DUSK_DIALECT_DUCKDB = 2,
    DUSK_DIALECT_POSTGRES = 3
} dusk_dialect;

typedef struct dusk_engine dusk_engine;
typedef struct dusk_cursor dusk_cursor;

/* A column as the engine's own catalogue has it: metadata, no row is read. Text files have no
 * catalogue: their columns are those of the header line, all text. */
typedef struct dusk_found_column {
    char name[DUSK_NAME_MAX + 1];
    dusk_type type;
} dusk_found_column;

typedef struct dusk_engine_class {
    const char *name; /* "sqlite", "duckdb", "postgres" */
    dusk_dialect dialect;
    /* Open all sources of the schema (tables are known to the engine by dusk_engine_name afterwards) and lock. */
    dusk_status (*open)(dusk_engine **out, const dusk_schema *schema, dusk_error *err);
    void (*close)(dusk_engine *engine);
    /* Columns of a source before it has a schema: *columns is to be freed with dusk_deallocate. */
    dusk_status (*describe)(const char *source, dusk_found_column **columns, size_t *n, dusk_error *err);
    /* Names of the tables of a database source, a NULL-terminated list in one allocation. */
    dusk_status (*tables)(const char *source, char ***names, dusk_error *err);
    /* Run a query with `n` output columns of these types. */
    dusk_status (*query)(dusk_engine *engine, dusk_cursor **out, const char *sql, const dusk_cell_type *types,
                         size_t n, dusk_error *err);
    /* The next rows; chunk->rows is 0 at the end. */
    dusk_status (*next)(dusk_cursor *cursor, dusk_chunk *chunk, dusk_error *err);
    void (*end)(dusk_cursor *cursor);
} dusk_engine_class;

extern const dusk_engine_class dusk_engine_sqlite, dusk_engine_duckdb, dusk_engine_postgres;

/* The first member of every engine's own struct. */
struct dusk_engine {
    const dusk_engine_class *class;
};
struct dusk_cursor {
    const dusk_engine_class *class;
};

/* How generated SQL names a table and a column in every engine: table `t` of the schema is t<t>
 * (a view or an attached table that the engine makes in `open`), its column c is c<c>, of the declared
 * type in the engine's own types (SQLite: dates and timestamps are ISO text, booleans 0 and 1), with fields that do not parse as NULL, text
 * outside a declared domain as NULL, and NULLs of a column that is not nullable replaced as dusk/table.h
 * says. */

/* Which engine serves these sources: `wanted` by name, or NULL for the best that does. All tables of
 * a schema must be served by one engine. */
DUSK_MUST_USE dusk_status dusk_engine_choose(const dusk_engine_class **out, const dusk_schema *schema,
                                             const char *wanted, dusk_error *err);
/* The same for one source, for describe and tables. */
DUSK_MUST_USE dusk_status dusk_engine_for_source(const dusk_engine_class **out, const char *source,
                                                 const char *wanted, dusk_error *err);

/* What kind of source a URI names, with its parts. `path` of a file; `table` after '#', or "". */
typedef enum dusk_source_kind {
    DUSK_SOURCE_CSV = 1,
    DUSK_SOURCE_SQLITE,
    DUSK_SOURCE_PARQUET,
    DUSK_SOURCE_DUCKDB,
    DUSK_SOURCE_POSTGRES
} dusk_source_kind;
typedef struct dusk_location {
    dusk_source_kind kind;
    char *path;     /* file, or the whole postgres URI without #table */
    char *table;    /* NULL: none given */
    char delimiter; /* of text: ',' unless ?delimiter= says otherwise ("tab" is a tab) */
    char *
        header; /* of text: names of columns, ',' between them, when the file has no header line (?header=a,b,c); else NULL */
} dusk_location;
DUSK_MUST_USE dusk_status dusk_location_parse(dusk_location *out, const char *uri, dusk_error *err);
void dusk_location_clear(dusk_location *location);

/* A failure of an engine in words that hold nothing private: what was being done, and the source. */
dusk_status dusk_engine_failed(dusk_error *err, const char *engine, const char *doing);

#endif
