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
    /* Names of the tables of a database source, a NULL-terminated list in one allocation. Views are not among them:
     * a row of one may hold other units' rows, and may make it fail. Who names a view answers for it. */
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
    bool remote; /* rows come from another machine */
};
struct dusk_cursor {
    const dusk_engine_class *class;
};

/* How generated SQL names a table and a column in every engine: table `t` of the schema is t<t>
 * (a view or an attached table that the engine makes in `open`), its column c is c<c>, of the declared
 * type in the engine's own types (SQLite: dates and timestamps are ISO text, booleans 0 and 1), with
 * fields that do not parse as NULL, text outside a declared domain as NULL, and NULLs of a column that
 * is not nullable replaced as dusk/table.h says. Of text files, blanks (space, tab) at both ends of a
 * field do not count, quoted or not; databases are not touched. NaN is NULL; infinite numbers stay. Texts are cut at
 * 2^18 bytes, so that no row is too long for an engine. Bounds are not applied here. */

/* Functions that generated SQL may call in SQLite, besides abs avg coalesce count ifnull iif instr length
 * lower ltrim max min nullif replace rtrim sign substr sum total trim typeof upper, window functions,
 * and operators. All are deterministic and total: NULL where there is no value, and never an error
 * (SQLite's own sum raises one when whole numbers overflow: use dusk_sum). Numbers that are text
 * are read as fields are.
 *
 *   dusk_to_integer(x)       nearest, halves away from 0; NULL beyond 64 bits; text: whole numbers only
 *   dusk_to_real(x)          a double
 *   dusk_to_text(x)          numbers in the fewest digits that read back as the same number
 *   dusk_to_boolean(x)       0 or 1; of numbers: other than 0
 *   dusk_to_date(x)          of a date or timestamp in text
 *   dusk_to_timestamp(x)
 *   dusk_field(t, c, x)      x as column c of table t of the schema: type, domain, NULL
 *   dusk_finite(x)           a double that is not infinite
 *   dusk_divide(a, b) dusk_modulo(a, b) dusk_power(a, b)
 *   dusk_ln(x) dusk_exp(x) dusk_sqrt(x) dusk_floor(x) dusk_ceil(x)
 *                            doubles; NULL when not finite; modulo: of whole numbers, sign of a
 *   dusk_round(x, digits)    halves away from 0, a double
 *   dusk_lower(x) dusk_upper(x)   of ASCII letters
 *   dusk_like(x, pattern)    % and _ (a character); case counts, '\' escapes
 *   dusk_extract(unit, x)    year quarter month week day hour minute second dow
 *   dusk_trunc(unit, x)      a date stays a date
 *   dusk_add(x, months, days)     the end of a month stays in it; a date stays a date
 *   dusk_days(a, b)          days from the date of b to the date of a
 *   dusk_sum(x) dusk_avg(x)  aggregates of doubles: exact, rounded once, so the order of rows does
 *                            not matter; NULL of no rows; what is not finite is left out
 *
 * DuckDB has of these: dusk_sum and dusk_avg of doubles, dusk_to_* of text, and dusk_number_text(x), the text
 * of a double. Its own sum of doubles must not be used: it depends on the order in which threads see the rows
 * of other units.
 *
 * SQLite makes no index for a join of t<t>: each table of a join should be read by a common table
 * expression AS MATERIALIZED (SELECT the columns that are wanted FROM t<t>), which it indexes by itself;
 * otherwise a join takes the product of the sizes. */

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
    char *header;   /* of text without a header line: its columns, ',' between them; else NULL */
} dusk_location;
DUSK_MUST_USE dusk_status dusk_location_parse(dusk_location *out, const char *uri, dusk_error *err);
void dusk_location_clear(dusk_location *location);

/* A failure of an engine in words that hold nothing private: what was being done, and the source. */
dusk_status dusk_engine_failed(dusk_error *err, const char *engine, const char *doing);

#endif
