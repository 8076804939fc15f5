/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_DUCKDB_ENGINE_H
#define DUSK_TABLE_DUCKDB_ENGINE_H

/* Inside of the DuckDB engine: its tables, and the files that make it up.
 *
 *   engine_duckdb.c      opening, the lock, closing
 *   duckdb_api.c         where the library is
 *   duckdb_catalogue.c   which tables and columns a file has
 *   duckdb_view.c        views of declared columns over what a file has
 *   duckdb_cursor.c      answers as chunks
 *   duckdb_functions.c   SQL functions: text to values, exact sums
 *   duckdb_text.c        text files as table functions, by our own reader */

#include <stdatomic.h>

#include "base/buffer.h"
#include "table/cast.h"
#include "table/duckdb_api.h"
#include "table/engine.h"

typedef struct duckdb_engine duckdb_engine;

/* A table of the schema. */
typedef struct duckdb_source {
    duckdb_engine *engine;
    dusk_location location;
    char *path; /* of the file: absolute, without links */
    size_t columns;
    table_rule *rule;                /* one a column */
    size_t *in_file;                 /* of text: which column of the file it is */
    char (*name)[DUSK_NAME_MAX + 1]; /* of text: of the columns */
} duckdb_source;

struct duckdb_engine {
    dusk_engine engine;
    const duckdb_api *api;
    duckdb_database db;
    duckdb_connection connection;
    duckdb_source *source;
    size_t sources;
    char *folder;              /* for temporary files, of its own; removed at the end */
    atomic_bool out_of_memory; /* in a function that DuckDB called */
};

/* --- engine_duckdb.c */

/* A database without any file: no extension, nothing fetched, its own folder for temporary files. */
DUSK_MUST_USE dusk_status duckdb_begin(duckdb_engine **out, dusk_error *err);
void duckdb_end_engine(dusk_engine *engine);
/* What a failure means to us. DuckDB's own words may hold private values and are not passed on. */
dusk_status duckdb_failed(duckdb_engine *engine, duckdb_result *result, const char *doing, dusk_error *err);
/* Run SQL whose rows are not wanted; `sql` is taken out of the buffer. */
DUSK_MUST_USE dusk_status duckdb_run(duckdb_engine *engine, dusk_buffer *sql, const char *doing,
                                     dusk_error *err);

/* --- duckdb_catalogue.c */

/* The absolute path of a plain file that can be read; to be freed with dusk_deallocate. */
DUSK_MUST_USE dusk_status duckdb_file(char **out, const char *path, dusk_error *err);
/* FROM what: a Parquet file, or a table of a database that is attached as `database`. */
DUSK_MUST_USE dusk_status duckdb_from(duckdb_engine *engine, dusk_buffer *out, const duckdb_source *source,
                                      const char *database, const char *table, dusk_error *err);
typedef struct duckdb_found {
    char name[DUSK_NAME_MAX + 1];
    duckdb_type_id type;
} duckdb_found;
/* The columns of what stands behind FROM; no row is read. To be freed with dusk_deallocate. */
DUSK_MUST_USE dusk_status duckdb_columns(duckdb_engine *engine, const char *from, duckdb_found **out,
                                         size_t *n, dusk_error *err);
DUSK_MUST_USE dusk_status duckdb_attach(duckdb_engine *engine, const char *path, const char *database,
                                        dusk_error *err);
dusk_status duckdb_describe(const char *source, dusk_found_column **columns, size_t *n, dusk_error *err);
dusk_status duckdb_tables(const char *source, char ***names, dusk_error *err);

/* --- duckdb_view.c */

/* CREATE VIEW t<i> with the declared columns. */
DUSK_MUST_USE dusk_status duckdb_view(dusk_buffer *out, size_t i, const dusk_table_schema *t,
                                      const duckdb_source *source, const char *from,
                                      const duckdb_found *found, const size_t *at, dusk_error *err);

/* --- duckdb_functions.c */

/* Values into a vector of the engine's type for `type`. */
typedef struct duckdb_writer {
    const duckdb_api *api;
    duckdb_vector vector;
    dusk_type type;
    void *data;
    uint64_t *valid; /* NULL: nothing is NULL so far */
} duckdb_writer;
void duckdb_writer_begin(duckdb_writer *out, const duckdb_api *api, duckdb_vector vector, dusk_type type);
void duckdb_put_null(duckdb_writer *writer, size_t row);
void duckdb_put(duckdb_writer *writer, size_t row, const table_value *value);
/* The engine's type for a declared one. */
duckdb_type_id duckdb_type_of(dusk_type type);
DUSK_MUST_USE dusk_status duckdb_functions_register(duckdb_engine *engine, dusk_error *err);

/* --- duckdb_text.c: dusk_text_<i>() gives the declared columns of table i, a text file. */
DUSK_MUST_USE dusk_status duckdb_text_register(duckdb_engine *engine, size_t i, dusk_error *err);

/* --- duckdb_cursor.c */
dusk_status duckdb_query(dusk_engine *engine, dusk_cursor **out, const char *sql, const dusk_cell_type *types,
                         size_t n, dusk_error *err);
dusk_status duckdb_next(dusk_cursor *cursor, dusk_chunk *chunk, dusk_error *err);
void duckdb_end(dusk_cursor *cursor);

#endif
