/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ENGINE_ROWS_H
#define TESTS_ENGINE_ROWS_H

/* The same hostile rows through every engine and kind of source. Fields are texts, or NULL; the answer
 * of SQLite on the text file is what all others are compared with. */

#include <stdbool.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "failing_memory.h"
#include "table_asks.h"

enum { ROW_COLUMNS = 9 };
static const char *const row_columns[ROW_COLUMNS][2] = {
    { "Id", "integer" }, { "amount", "real" }, { "na\"me", "text" },
    { "b", "boolean" },  { "d", "date" },      { "seen at", "timestamp" },
    { "kind", "text" },  { "n", "integer" },   { "x", "real" },
};
#define ROW_TYPES                                                                                            \
    "irtittti"                                                                                               \
    "r"
static const char row_select[] = "SELECT c0, c1, c2, c3, c4, c5, c6, c7, c8 FROM t0";

static const char *const rows_hostile[][ROW_COLUMNS] = {
    { "1", "2.5", "plain", "true", "2020-02-29", "2020-02-29 01:02:03", "red", "1", "1" },
    { "-9223372036854775808", "1e400", "", "FALSE", "0001-01-01", "0001-01-01 00:00:00", "green", "3", "-1" },
    { "9223372036854775807", "-1e400", "a longer text that is not inlined", "t", "9999-12-31",
      "9999-12-31 23:59:59", "blue", "03", "0" },
    { "9223372036854775808", "inf", "quote \" and 'apostrophe'", "F", "10000-01-01", "10000-01-01 00:00:00",
      "Red", "2", "-0" },
    { " 7 ", " -Infinity ", "line\nbreak, comma; \\ back\tslash", "yes", "0000-12-31", "2020-02-30 00:00:00",
      "redder", "x", "7" },
    { "+7", "nan", "twelve bytes", "no", "2021-02-29", "2020-01-01 24:00:00", "", "1.0", "6.5" },
    { "1.0", "NaN", "thirteen byte", "on", "2020-13-01", "2020-01-01 23:60:00", NULL, "", "2" },
    { "1e3", "1e-400", "null", "off", "20200101", "2020-01-01T12:34:56.789Z", "red", NULL, NULL },
    { "", "", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "1", "", "", "green", "1", "" },
    { NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL },
    { "0x10", "0x10", "0", "0", "1969-12-31", "1969-12-31 23:59:59.999", "blue", "3", "1e300" },
    { "12abc", "1,5", "a b", "2", "2020-1-1", "2020-01-01 1:02:03", "gre\"en", "0", "1e-320" },
    { "--1", "1.5.5", "%_", "maybe", "infinity", "infinity", "red\n", "4", "0.1" },
    { "00012", "-0", "\\N", "y", "epoch", "now", "green", "1", "123456789.123456789" },
    { "99999999999999999999999999999999999999999999", "4.9e-324", "NULL", "n", "2020-02-29 10:00",
      "2020-02-29", "blue", "3", "9007199254740993" },
    { "-0", "1.7976931348623157e308", "t", "T", "1900-02-29", "2000-02-29 00:00", "red", "1", "1e15" },
};
enum { ROWS_HOSTILE = sizeof rows_hostile / sizeof *rows_hostile, ROWS_TIMES = 300 };

/* Every row `ROWS_TIMES` times, so that there is more than one chunk. */
static inline const char *rows_csv(void)
{
    dusk_buffer out = { .data = NULL };
    for (size_t c = 0; c < ROW_COLUMNS; c++)
        dusk_buffer_add(&out, "%s%s", c ? "," : "", c == 2 ? "\"na\"\"me\"" : row_columns[c][0]);
    dusk_buffer_add(&out, "\r\n");
    for (size_t r = 0; r < (size_t)ROWS_HOSTILE * ROWS_TIMES; r++) {
        for (size_t c = 0; c < ROW_COLUMNS; c++) {
            const char *field = rows_hostile[r % ROWS_HOSTILE][c];
            if (c) dusk_buffer_add(&out, ",");
            if (!field) continue;
            dusk_buffer_add(&out, "\"");
            for (; *field; field++) dusk_buffer_add(&out, *field == '"' ? "\"\"" : "%c", *field);
            dusk_buffer_add(&out, "\"");
        }
        dusk_buffer_add(&out, r % 2 ? "\n" : "\r\n");
    }
    const char *path = files_write("rows.csv", out.data, out.length);
    dusk_buffer_clear(&out);
    return path;
}

static inline void put_sql_text(dusk_buffer *out, const char *text)
{
    if (!text) {
        dusk_buffer_add(out, "NULL");
        return;
    }
    dusk_buffer_add(out, "'");
    for (; *text; text++) dusk_buffer_add(out, *text == '\'' ? "''" : "%c", *text);
    dusk_buffer_add(out, "'");
}

/* CREATE TABLE name and its rows, all text: for any dialect. `type` is the word for text. */
static inline char *rows_sql(const char *name, const char *type)
{
    dusk_buffer out = { .data = NULL };
    char *text;
    dusk_buffer_add(&out, "CREATE TABLE %s (", name);
    for (size_t c = 0; c < ROW_COLUMNS; c++)
        dusk_buffer_add(&out, "%s\"%s\" %s", c ? ", " : "", c == 2 ? "na\"\"me" : row_columns[c][0], type);
    dusk_buffer_add(&out, "); INSERT INTO %s VALUES ", name);
    for (size_t r = 0; r < (size_t)ROWS_HOSTILE * ROWS_TIMES; r++) {
        dusk_buffer_add(&out, "%s(", r ? ", " : "");
        for (size_t c = 0; c < ROW_COLUMNS; c++) {
            if (c) dusk_buffer_add(&out, ", ");
            put_sql_text(&out, rows_hostile[r % ROWS_HOSTILE][c]);
        }
        dusk_buffer_add(&out, ")");
    }
    assert_int_equal(dusk_buffer_take(&out, &text, &err), DUSK_OK);
    return text;
}

/* The schema over a source. `strict`: domains, bounds and columns that are not nullable; 2: with
 * a domain of numbers in a row. */
static inline dusk_schema *rows_schema(const char *source, int strict)
{
    dusk_schema *s = schema_of(source, row_columns, ROW_COLUMNS);
    if (!strict) return s;
    declare(s, "t.kind", "domain", "red,green,blue,gre\"en");
    declare(s, "t.n", "domain", strict == 2 ? "2,1,3" : "3,1");
    declare(s, "t.x", "bounds", "2:7");
    for (size_t c = 0; c < ROW_COLUMNS; c++) {
        char subject[64];
        snprintf(subject, sizeof subject, "t.%s", row_columns[c][0]);
        if (c % 2 == 0 || c == 7 || c == 5) declare(s, subject, "nullable", "no");
    }
    return s;
}

static inline dusk_engine *open_by(const dusk_schema *s, const char *wanted)
{
    const dusk_engine_class *class = NULL;
    dusk_engine *engine = NULL;
    if (dusk_engine_choose(&class, s, wanted, &err) != DUSK_OK) fail_msg("%s", err.message);
    if (class->open(&engine, s, &err) != DUSK_OK) fail_msg("%s", err.message);
    return engine;
}

static inline int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All rows of an answer as one text: sorted, a line each, with the number of rows before. NULL when the
 * query fails. */
static inline char *sorted_rows(dusk_engine *engine, const char *types, const char *sql)
{
    dusk_cell_type wanted[16];
    dusk_cursor *cursor = NULL;
    dusk_chunk chunk;
    dusk_buffer out = { .data = NULL };
    size_t n = strlen(types), rows = 0, room = 0;
    char **line = NULL, *text, cell[8192];
    for (size_t i = 0; i < n; i++)
        wanted[i] = types[i] == 'i' ? DUSK_CELL_INTEGER : types[i] == 'r' ? DUSK_CELL_REAL : DUSK_CELL_TEXT;
    if (engine->class->query(engine, &cursor, sql, wanted, n, &err) != DUSK_OK) return NULL;
    for (;;) {
        if (engine->class->next(cursor, &chunk, &err) != DUSK_OK) {
            engine->class->end(cursor);
            return NULL;
        }
        if (chunk.rows == 0) break;
        for (size_t r = 0; r < chunk.rows; r++) {
            dusk_text row;
            dusk_text_init(&row, cell, sizeof cell);
            for (size_t c = 0; c < n; c++) {
                put_cell(&row, &chunk.column[c], r);
                dusk_text_add(&row, "|");
            }
            if (rows == room) line = realloc(line, (room = 2 * room + 64) * sizeof *line);
            assert_non_null(line);
            line[rows] = strdup(cell);
            assert_non_null(line[rows++]);
        }
    }
    engine->class->end(cursor);
    if (rows) qsort(line, rows, sizeof *line, by_text);
    dusk_buffer_add(&out, "%zu rows\n", rows);
    for (size_t r = 0; r < rows; r++) {
        dusk_buffer_add(&out, "%s\n", line[r]);
        free(line[r]);
    }
    free(line);
    assert_int_equal(dusk_buffer_take(&out, &text, &err), DUSK_OK);
    return text;
}

/* Both texts are equal; else the first line that is not. */
static inline void assert_same_rows(const char *what, const char *got, const char *wanted)
{
    assert_non_null(wanted);
    if (!got) fail_msg("%s: the query failed", what);
    size_t same = 0, begin = 0;
    while (got[same] && got[same] == wanted[same]) {
        if (got[same++] == '\n') begin = same;
    }
    if (got[same] || wanted[same])
        fail_msg("%s: got\n%.300s\nwanted\n%.300s", what, got + begin, wanted + begin);
}

/* What SQLite answers on the text file. */
static inline char *rows_reference(int strict)
{
    dusk_schema *s = rows_schema(rows_csv(), strict);
    dusk_engine *engine = open_by(s, "sqlite");
    char *rows = sorted_rows(engine, ROW_TYPES, row_select);
    engine->class->close(engine);
    dusk_schema_free(s);
    assert_non_null(rows);
    return rows;
}

/* VALUES (...), ... of what SQLite makes of the rows, as texts: to be stored by types of an engine's own. */
static inline char *rows_values(void)
{
    dusk_schema *s = rows_schema(rows_csv(), 0);
    dusk_engine *engine = open_by(s, "sqlite");
    dusk_buffer out = { .data = NULL };
    dusk_cursor *cursor;
    dusk_chunk chunk;
    dusk_cell_type text[ROW_COLUMNS];
    const char *between = "VALUES ";
    char *made;
    for (size_t c = 0; c < ROW_COLUMNS; c++) text[c] = DUSK_CELL_TEXT;
    assert_int_equal(engine->class->query(engine, &cursor, row_select, text, ROW_COLUMNS, &err), DUSK_OK);
    for (;;) {
        assert_int_equal(engine->class->next(cursor, &chunk, &err), DUSK_OK);
        if (chunk.rows == 0) break;
        for (size_t r = 0; r < chunk.rows; r++, between = ", ") {
            dusk_buffer_add(&out, "%s(", between);
            for (size_t c = 0; c < ROW_COLUMNS; c++) {
                const dusk_cells *cells = &chunk.column[c];
                char field[200];
                snprintf(field, sizeof field, "%.*s", (int)cells->lengths[r], cells->texts[r]);
                if (c) dusk_buffer_add(&out, ", ");
                put_sql_text(&out, cells->null && cells->null[r] ? NULL : field);
            }
            dusk_buffer_add(&out, ")");
        }
    }
    engine->class->end(cursor);
    engine->class->close(engine);
    dusk_schema_free(s);
    assert_int_equal(dusk_buffer_take(&out, &made, &err), DUSK_OK);
    return made;
}

/* CREATE TABLE v of them; `types` one a column, booleans from "0" and "1" by way of `truth`. */
static inline char *rows_typed_sql(const char *const *types, const char *truth)
{
    dusk_buffer out = { .data = NULL };
    char *values = rows_values(), *made;
    dusk_buffer_add(&out, "CREATE TABLE v AS SELECT ");
    for (size_t c = 0; c < ROW_COLUMNS; c++)
        dusk_buffer_add(&out, "%sCAST(CAST(a%zu AS %s) AS %s) AS \"%s\"", c ? ", " : "", c,
                        c == 3 ? truth : types[c], types[c], c == 2 ? "na\"\"me" : row_columns[c][0]);
    dusk_buffer_add(&out, " FROM (%s) AS q(a0, a1, a2, a3, a4, a5, a6, a7, a8)", values);
    dusk_deallocate(values);
    assert_int_equal(dusk_buffer_take(&out, &made, &err), DUSK_OK);
    return made;
}

/* An engine on a source gives the rows of the reference, with and without rules. */
static inline void assert_reads_rows(const char *what, const char *source, const char *wanted_engine)
{
    for (int strict = 0; strict < 3; strict++) {
        char *wanted = rows_reference(strict);
        dusk_schema *s = rows_schema(source, strict);
        dusk_engine *engine = open_by(s, wanted_engine);
        char *got = sorted_rows(engine, ROW_TYPES, row_select);
        assert_same_rows(what, got, wanted);
        engine->class->close(engine);
        dusk_schema_free(s);
        dusk_deallocate(got);
        dusk_deallocate(wanted);
    }
}

#endif
