/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TABLE_ASKS_H
#define TESTS_TABLE_ASKS_H

/* Schemas over real files, engines on them, and their answers as text. */

#include <sqlite3.h>

#include "base/text.h"
#include "table/engine.h"
#include "table_files.h"

static dusk_error err;

static inline void declare(dusk_schema *s, const char *subject, const char *property, const char *value)
{
    if (dusk_schema_declare(s, subject, property, value, &err) != DUSK_OK)
        fail_msg("%s %s=%s: %s", subject, property, value, err.message);
}

static inline void database(const char *path, const char *sql)
{
    sqlite3 *db;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) fail_msg("%s", message);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static inline dusk_engine *open_engine(const dusk_schema *s)
{
    const dusk_engine_class *class = NULL;
    dusk_engine *engine = NULL;
    assert_int_equal(dusk_engine_choose(&class, s, "sqlite", &err), DUSK_OK);
    if (class->open(&engine, s, &err) != DUSK_OK) fail_msg("%s", err.message);
    return engine;
}

static inline void put_cell(dusk_text *out, const dusk_cells *cells, size_t row)
{
    if (cells->null && cells->null[row])
        dusk_text_add(out, "-");
    else if (cells->type == DUSK_CELL_INTEGER)
        dusk_text_add(out, "%lld", (long long)cells->integers[row]);
    else if (cells->type == DUSK_CELL_REAL)
        dusk_text_number(out, cells->reals[row]);
    else
        dusk_text_add(out, "[%.*s]", (int)cells->lengths[row], cells->texts[row]);
}

/* The answer as text: cells with blanks between them, rows with / between them. Types as letters: i r t. */
static inline const char *ask(dusk_engine *engine, const char *types, const char *sql)
{
    static char text[8192];
    dusk_cell_type wanted[16];
    dusk_cursor *cursor;
    dusk_chunk chunk;
    dusk_text out;
    size_t n = strlen(types), rows = 0;
    for (size_t i = 0; i < n; i++)
        wanted[i] = types[i] == 'i' ? DUSK_CELL_INTEGER : types[i] == 'r' ? DUSK_CELL_REAL : DUSK_CELL_TEXT;
    if (engine->class->query(engine, &cursor, sql, wanted, n, &err) != DUSK_OK) return "refused";
    dusk_text_init(&out, text, sizeof text);
    for (;;) {
        if (engine->class->next(cursor, &chunk, &err) != DUSK_OK) {
            engine->class->end(cursor);
            return "failed";
        }
        if (chunk.rows == 0) break;
        assert_int_equal(chunk.columns, n);
        for (size_t r = 0; r < chunk.rows; r++) {
            if (rows++) dusk_text_add(&out, "/");
            for (size_t c = 0; c < n; c++) {
                if (c) dusk_text_add(&out, " ");
                put_cell(&out, &chunk.column[c], r);
            }
        }
    }
    engine->class->end(cursor);
    return text;
}

static inline dusk_schema *schema_of(const char *source, const char *const (*columns)[2], size_t n)
{
    dusk_schema *s;
    char subject[64];
    assert_int_equal(dusk_schema_new(&s, &err), DUSK_OK);
    declare(s, "t", "source", source);
    for (size_t i = 0; i < n; i++) {
        snprintf(subject, sizeof subject, "t.%s", columns[i][0]);
        declare(s, subject, "type", columns[i][1]);
    }
    return s;
}

#endif
