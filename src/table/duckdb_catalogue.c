/* SPDX-License-Identifier: Apache-2.0 */
/* What a source has, before it has a schema: columns of a Parquet file, tables of a DuckDB file with their
 * columns, names of a text file's header line. No row is read, but for one thing: Parquet promises that text is
 * UTF-8, DuckDB fails where it is not, and that must not be found out by a query. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "table/csv.h"
#include "table/duckdb_engine.h"
#include "table/name_list.h"
#include "table/rule_sql.h"
#include "table/schema.h"

/* --- files -------------------------------------------------------------------------------------- */

/* DuckDB takes names with * ? [ for patterns, and some with a colon for remote files: an absolute path of
 * a file that is there is neither. */
dusk_status duckdb_file(char **out, const char *path, dusk_error *err)
{
    struct stat info;
    char *real = realpath(path, NULL);
    if (!real || stat(real, &info) != 0 || !S_ISREG(info.st_mode)) {
        free(real);
        return dusk_fail(err, DUSK_ERR_IO, "see that the file is there and can be read",
                         "%.150s is not a file that can be opened", path);
    }
    bool is_pattern = strpbrk(real, "*?[") != NULL;
    *out = is_pattern ? NULL : table_copy(real, strlen(real));
    free(real);
    if (is_pattern)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "rename the file or its folder",
                         "the path of %.150s has *, ? or [ in it, which DuckDB takes for a pattern", path);
    return *out ? DUSK_OK : dusk_fail_memory(err);
}

dusk_status duckdb_attach(duckdb_engine *e, const char *path, const char *database, dusk_error *err)
{
    dusk_buffer sql = { .data = NULL };
    char doing[200];
    snprintf(doing, sizeof doing, "opening %.180s", path);
    dusk_buffer_add(&sql, "ATTACH ");
    table_put_quoted(&sql, path, '\'');
    dusk_buffer_add(&sql, " AS %s (TYPE duckdb, READ_ONLY)", database);
    dusk_status status = duckdb_run(e, &sql, doing, err);
    dusk_buffer_clear(&sql);
    return status;
}

/* --- small answers -------------------------------------------------------------------------------- */

/* Texts of the first column, one after the other, each with its '\0'; *n of them. */
static dusk_status texts_of(duckdb_engine *e, const char *sql, dusk_buffer *out, size_t *n, dusk_error *err)
{
    static const dusk_cell_type text = DUSK_CELL_TEXT;
    dusk_status status = DUSK_OK;
    dusk_cursor *cursor = NULL;
    dusk_chunk chunk;
    *n = 0;
    DUSK_TRY(duckdb_query(&e->engine, &cursor, sql, &text, 1, err));
    for (;;) {
        DUSK_TRY(duckdb_next(cursor, &chunk, err));
        if (chunk.rows == 0) break;
        for (size_t i = 0; i < chunk.rows; i++) {
            if (memchr(chunk.column[0].texts[i], '\0', chunk.column[0].lengths[i])) continue;
            dusk_buffer_bytes(out, chunk.column[0].texts[i], chunk.column[0].lengths[i]);
            dusk_buffer_bytes(out, "", 1);
            ++*n;
        }
    }
    if (out->failed) status = dusk_fail_memory(err);
done:
    duckdb_end(cursor);
    return status;
}

/* --- tables of a database --------------------------------------------------------------------------- */

/* Tables and views of an attached database: how a person writes them (visits, or other.visits outside of the
 * main schema), and how SQL does ("other"."visits"). */
static void put_known(dusk_buffer *sql, const char *database)
{
    dusk_buffer_add(
        sql,
        "(SELECT CASE WHEN schema_name = 'main' THEN name ELSE schema_name || '.' || name END AS shown, "
        "format('\"{}\".\"{}\"', replace(schema_name, '\"', '\"\"'), replace(name, '\"', '\"\"')) "
        "AS written, is_view FROM (SELECT database_name, schema_name, table_name AS name, false AS is_view "
        "FROM "
        "duckdb_tables() "
        "WHERE NOT internal UNION ALL SELECT database_name, schema_name, view_name, true FROM duckdb_views() "
        "WHERE NOT internal) WHERE database_name = '%s')",
        database);
}

dusk_status duckdb_from(duckdb_engine *e, dusk_buffer *out, const duckdb_source *source, const char *database,
                        const char *table, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer sql = { .data = NULL }, names = { .data = NULL };
    char *text = NULL;
    size_t n = 0;
    if (source->location.kind == DUSK_SOURCE_PARQUET) {
        dusk_buffer_add(out, "read_parquet(");
        table_put_quoted(out, source->path, '\'');
        dusk_buffer_add(out, ")");
        return DUSK_OK;
    }
    dusk_buffer_add(&sql, "SELECT written FROM ");
    put_known(&sql, database);
    dusk_buffer_add(&sql, " WHERE lower(shown) = lower(");
    table_put_quoted(&sql, table, '\'');
    dusk_buffer_add(&sql, ")");
    DUSK_TRY(dusk_buffer_take(&sql, &text, err));
    DUSK_TRY(texts_of(e, text, &names, &n, err));
    if (n == 0) {
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "write the table behind #, as in clinic.duckdb#visits",
                           "%.120s has no table %.100s", source->location.path, table);
        goto done;
    }
    dusk_buffer_add(out, "%s.%s", database, names.data);
done:
    dusk_buffer_clear(&sql);
    dusk_buffer_clear(&names);
    dusk_deallocate(text);
    return status;
}

/* --- columns -------------------------------------------------------------------------------------------- */

static dusk_status copy_columns(const duckdb_api *api, duckdb_result *result, duckdb_found **out, size_t *n,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    duckdb_found *found = NULL;
    size_t columns = (size_t)api->column_count(result);
    DUSK_NEW(found, columns);
    for (size_t c = 0; c < columns; c++) {
        const char *name = api->column_name(result, c);
        if (!name || strlen(name) > DUSK_NAME_MAX) {
            status = dusk_fail(err, DUSK_ERR_ARGUMENT, "give it a shorter name in a view",
                               "the name of column %zu has more than %d bytes", c + 1, DUSK_NAME_MAX);
            goto done;
        }
        memcpy(found[c].name, name, strlen(name));
        found[c].type = api->column_type(result, c);
    }
    *out = found;
    *n = columns;
    found = NULL;
done:
    dusk_deallocate(found);
    return status;
}

dusk_status duckdb_columns(duckdb_engine *e, const char *from, duckdb_found **out, size_t *n, dusk_error *err)
{
    dusk_buffer sql = { .data = NULL };
    duckdb_result result = { .internal = NULL };
    char *text = NULL;
    dusk_buffer_add(&sql, "SELECT * FROM %s LIMIT 0", from);
    dusk_status status = dusk_buffer_take(&sql, &text, err);
    if (status != DUSK_OK) return status;
    if (e->api->query(e->connection, text, &result) != 0)
        status = duckdb_failed(e, &result, "reading a catalogue", err);
    else
        status = copy_columns(e->api, &result, out, n, err);
    e->api->destroy_result(&result);
    dusk_deallocate(text);
    return status;
}

static dusk_type declared_of(duckdb_type_id type)
{
    switch (type) {
    case DUCKDB_BOOLEAN: return DUSK_TYPE_BOOLEAN;
    case DUCKDB_TINYINT:
    case DUCKDB_SMALLINT:
    case DUCKDB_INTEGER:
    case DUCKDB_BIGINT:
    case DUCKDB_UTINYINT:
    case DUCKDB_USMALLINT:
    case DUCKDB_UINTEGER:
    case DUCKDB_UBIGINT:
    case DUCKDB_HUGEINT:
    case DUCKDB_UHUGEINT: return DUSK_TYPE_INTEGER;
    case DUCKDB_FLOAT:
    case DUCKDB_DOUBLE:
    case DUCKDB_DECIMAL: return DUSK_TYPE_REAL;
    case DUCKDB_DATE: return DUSK_TYPE_DATE;
    case DUCKDB_TIMESTAMP:
    case DUCKDB_TIMESTAMP_S:
    case DUCKDB_TIMESTAMP_MS:
    case DUCKDB_TIMESTAMP_NS:
    case DUCKDB_TIMESTAMP_TZ: return DUSK_TYPE_TIMESTAMP;
    case DUCKDB_VARCHAR: return DUSK_TYPE_TEXT;
    }
    return DUSK_TYPE_TEXT;
}

/* Looks at every text, and keeps nothing of what it sees. */
static dusk_status check_texts(duckdb_engine *e, const char *from, const duckdb_found *found, size_t n,
                               const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer sql = { .data = NULL };
    duckdb_result result = { .internal = NULL };
    char *text = NULL;
    dusk_buffer_add(&sql, "SELECT count(*)");
    for (size_t c = 0; c < n; c++) {
        if (declared_of(found[c].type) != DUSK_TYPE_TEXT) continue; /* lists of texts are texts here */
        dusk_buffer_add(&sql, ", max(strlen(CAST(");
        table_put_quoted(&sql, found[c].name, '"');
        dusk_buffer_add(&sql, " AS VARCHAR)))");
    }
    dusk_buffer_add(&sql, " FROM %s", from);
    DUSK_TRY(dusk_buffer_take(&sql, &text, err));
    if (e->api->query(e->connection, text, &result) != 0)
        status = dusk_fail(err, DUSK_ERR_CORRUPT, "write it anew, with text as UTF-8",
                           "%.150s cannot be read to its end, or has text that is not UTF-8", path);
    e->api->destroy_result(&result);
done:
    dusk_deallocate(text);
    return status;
}

static dusk_status describe_here(duckdb_engine *e, duckdb_source *source, dusk_found_column **columns,
                                 size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer from = { .data = NULL };
    duckdb_found *found = NULL;
    dusk_found_column *list = NULL;
    DUSK_TRY(duckdb_file(&source->path, source->location.path, err));
    if (source->location.kind == DUSK_SOURCE_DUCKDB) DUSK_TRY(duckdb_attach(e, source->path, "s", err));
    DUSK_TRY(duckdb_from(e, &from, source, "s", source->location.table ? source->location.table : "", err));
    DUSK_TRY(from.failed ? dusk_fail_memory(err) : duckdb_columns(e, from.data, &found, n, err));
    if (source->location.kind == DUSK_SOURCE_PARQUET && DUSK_MUTATE(PARQUET_TEXT_TRUSTED, true, false))
        DUSK_TRY(check_texts(e, from.data, found, *n, source->location.path, err));
    DUSK_NEW(list, *n);
    for (size_t c = 0; c < *n; c++) {
        memcpy(list[c].name, found[c].name, sizeof list[c].name);
        list[c].type = declared_of(found[c].type);
    }
    *columns = list;
done:
    dusk_buffer_clear(&from);
    dusk_deallocate(found);
    return status;
}

static dusk_status refuse_kind(const char *source, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "leave the engine to Dusk",
                     "engine duckdb does not read %.150s so", source);
}

dusk_status duckdb_describe(const char *source, dusk_found_column **columns, size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    duckdb_engine *e = NULL;
    duckdb_source from = { .path = NULL };
    DUSK_TRY(dusk_location_parse(&from.location, source, err));
    if (from.location.kind == DUSK_SOURCE_CSV) {
        status = dusk_engine_sqlite.describe(source, columns, n, err); /* a header line is the same for all */
    } else if (from.location.kind != DUSK_SOURCE_PARQUET && from.location.kind != DUSK_SOURCE_DUCKDB) {
        status = refuse_kind(source, err);
    } else {
        DUSK_TRY(duckdb_begin(&e, err));
        DUSK_TRY(describe_here(e, &from, columns, n, err));
    }
done:
    if (e) duckdb_end_engine(&e->engine);
    dusk_deallocate(from.path);
    dusk_location_clear(&from.location);
    return status;
}

/* --- names of tables ---------------------------------------------------------------------------------- */

static dusk_status names_of(duckdb_engine *e, char ***names, dusk_error *err)
{
    dusk_buffer sql = { .data = NULL }, all = { .data = NULL };
    char *text = NULL;
    size_t n = 0;
    dusk_buffer_add(&sql, "SELECT shown FROM ");
    put_known(&sql, "s");
    dusk_buffer_add(&sql, " WHERE NOT is_view ORDER BY lower(shown)");
    dusk_status status = dusk_buffer_take(&sql, &text, err);
    if (status == DUSK_OK) status = texts_of(e, text, &all, &n, err);
    if (status == DUSK_OK) status = table_name_list(names, all.data, all.length, n, err);
    dusk_buffer_clear(&all);
    dusk_deallocate(text);
    return status;
}

dusk_status duckdb_tables(const char *source, char ***names, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    duckdb_engine *e = NULL;
    dusk_location location = { .path = NULL };
    char *path = NULL;
    DUSK_TRY(dusk_location_parse(&location, source, err));
    if (location.kind != DUSK_SOURCE_DUCKDB) {
        status = refuse_kind(source, err);
        goto done;
    }
    DUSK_TRY(duckdb_file(&path, location.path, err));
    DUSK_TRY(duckdb_begin(&e, err));
    DUSK_TRY(duckdb_attach(e, path, "s", err));
    DUSK_TRY(names_of(e, names, err));
done:
    if (e) duckdb_end_engine(&e->engine);
    dusk_deallocate(path);
    dusk_location_clear(&location);
    return status;
}
