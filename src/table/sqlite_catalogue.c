/* SPDX-License-Identifier: Apache-2.0 */
/* What a source has, before it has a schema: tables of a SQLite file with their columns, names of a text
 * file's header line. No row is read. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "table/csv.h"
#include "table/name_list.h"
#include "table/schema.h"
#include "table/sqlite_engine.h"

static bool says(const char *declared, const char *word)
{
    size_t n = strlen(word);
    for (; *declared; declared++)
        if (sqlite3_strnicmp(declared, word, (int)n) == 0) return true;
    return false;
}

/* The type that a declaration means. SQLite itself takes any words: https://sqlite.org/datatype3.html. */
static dusk_type type_of(const char *declared)
{
    static const struct {
        const char *word;
        dusk_type type;
    } words[] = {
        { "BOOL", DUSK_TYPE_BOOLEAN },       { "TIMESTAMP", DUSK_TYPE_TIMESTAMP },
        { "DATETIME", DUSK_TYPE_TIMESTAMP }, { "DATE", DUSK_TYPE_DATE },
        { "INT", DUSK_TYPE_INTEGER },        { "CHAR", DUSK_TYPE_TEXT },
        { "CLOB", DUSK_TYPE_TEXT },          { "TEXT", DUSK_TYPE_TEXT },
        { "REAL", DUSK_TYPE_REAL },          { "FLOA", DUSK_TYPE_REAL },
        { "DOUB", DUSK_TYPE_REAL },          { "NUM", DUSK_TYPE_REAL },
        { "DEC", DUSK_TYPE_REAL },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (says(declared, words[i].word)) return words[i].type;
    return DUSK_TYPE_TEXT;
}

static dusk_status add_found(dusk_found_column **columns, size_t *room, size_t *n, sqlite3_stmt *row,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char *name = (const char *)sqlite3_column_text(row, 0),
               *type = (const char *)sqlite3_column_text(row, 1);
    if (!name) return dusk_fail_memory(err);
    if (strlen(name) > DUSK_NAME_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give it a shorter name in a view",
                         "the name of a column has more than %d bytes", DUSK_NAME_MAX);
    DUSK_GROW(*columns, *room, *n);
    memcpy((*columns)[*n].name, name, strlen(name));
    (*columns)[(*n)++].type = type_of(type ? type : "");
done:
    return status;
}

dusk_status sqlite_columns(sqlite3 *db, const char *name, const dusk_location *location, const char *table,
                           dusk_found_column **columns, size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    sqlite3_stmt *row = NULL;
    dusk_found_column *found = NULL;
    size_t room = 0, used = 0;
    char doing[200];
    snprintf(doing, sizeof doing, "reading the catalogue of %.150s", location->path);
    /* hidden: 1 is a column of a virtual table that is not for reading; 2 and 3 are computed ones. */
    int code = sqlite3_prepare_v2(db, "SELECT name, type FROM pragma_table_xinfo(?1, ?2) WHERE hidden <> 1",
                                  -1, &row, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_text(row, 1, table, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_bind_text(row, 2, name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        while ((code = sqlite3_step(row)) == SQLITE_ROW) DUSK_TRY(add_found(&found, &room, &used, row, err));
    if (code != SQLITE_DONE) {
        status = sqlite_failed(code, doing, err);
        goto done;
    }
    if (used == 0) {
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "write the table behind #, as in clinic.db#visits",
                           "%.120s has no table %.100s", location->path, table);
        goto done;
    }
    *columns = found;
    *n = used;
    found = NULL;
done:
    (void)sqlite3_finalize(row);
    dusk_deallocate(found);
    return status;
}

static dusk_status describe_text(const dusk_location *location, dusk_found_column **columns, size_t *n,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table_csv *csv = NULL;
    dusk_found_column *found = NULL;
    DUSK_TRY(table_csv_open(&csv, location, 0, err));
    DUSK_NEW(found, table_csv_columns(csv));
    for (size_t c = 0; c < table_csv_columns(csv); c++) {
        memcpy(found[c].name, table_csv_name(csv, c), strlen(table_csv_name(csv, c)));
        found[c].type = DUSK_TYPE_TEXT;
    }
    *n = table_csv_columns(csv);
    *columns = found;
done:
    table_csv_close(csv);
    return status;
}

static dusk_status refuse_kind(const char *source, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "leave the engine to Dusk",
                     "engine sqlite does not read %.150s so", source);
}

dusk_status sqlite_describe(const char *source, dusk_found_column **columns, size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_location location = { .path = NULL };
    sqlite3 *db = NULL;
    DUSK_TRY(dusk_location_parse(&location, source, err));
    if (location.kind == DUSK_SOURCE_CSV) {
        status = describe_text(&location, columns, n, err);
    } else if (location.kind != DUSK_SOURCE_SQLITE) {
        status = refuse_kind(source, err);
    } else {
        DUSK_TRY(sqlite_connect(&db, err));
        DUSK_TRY(sqlite_attach(db, location.path, "s", err));
        DUSK_TRY(sqlite_columns(db, "s", &location, location.table ? location.table : "", columns, n, err));
    }
done:
    (void)sqlite3_close_v2(db);
    dusk_location_clear(&location);
    return status;
}

static dusk_status collect_names(sqlite3 *db, char ***names, dusk_error *err)
{
    static const char sql[] = "SELECT name FROM s.sqlite_schema WHERE type = 'table' AND name NOT "
                              "LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name COLLATE NOCASE";
    dusk_status status = DUSK_OK;
    sqlite3_stmt *row = NULL;
    sqlite3_str *all = sqlite3_str_new(NULL);
    size_t n = 0;
    int code = sqlite3_prepare_v2(db, sql, -1, &row, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(row);
        if (code != SQLITE_ROW) break;
        const char *name = (const char *)sqlite3_column_text(row, 0);
        if (!name) continue;
        sqlite3_str_append(all, name, (int)strlen(name) + 1);
        n++;
    }
    if (code != SQLITE_DONE)
        status = sqlite_failed(code, "reading a catalogue", err);
    else if (sqlite3_str_errcode(all) != SQLITE_OK)
        status = dusk_fail_memory(err);
    else
        status = table_name_list(names, sqlite3_str_value(all), (size_t)sqlite3_str_length(all), n, err);
    (void)sqlite3_finalize(row);
    sqlite3_free(sqlite3_str_finish(all));
    return status;
}

dusk_status sqlite_tables(const char *source, char ***names, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_location location = { .path = NULL };
    sqlite3 *db = NULL;
    DUSK_TRY(dusk_location_parse(&location, source, err));
    if (location.kind != DUSK_SOURCE_SQLITE) {
        status = refuse_kind(source, err);
        goto done;
    }
    DUSK_TRY(sqlite_connect(&db, err));
    DUSK_TRY(sqlite_attach(db, location.path, "s", err));
    DUSK_TRY(collect_names(db, names, err));
done:
    (void)sqlite3_close_v2(db);
    dusk_location_clear(&location);
    return status;
}
