/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_QUERY_GRID_H
#define TESTS_QUERY_GRID_H

/* A table of nasty values of every type, and the check of an expression over its rows, or over pairs of
 * them, on a real engine: no error, and the value of the reference. PostgreSQL may have another value, but no
 * error, where numbers beyond 1e100 or below 1e-100 go into arithmetic. */

#include "base/memory.h"
#include "query_engines.h"
#include "query_nodes.h"

enum { ID, WHOLE, REAL, TEXT, TRUTH, DATE, STAMP, COLUMNS };
static const dusk_type types_of[COLUMNS] = { DUSK_TYPE_INTEGER,  DUSK_TYPE_INTEGER, DUSK_TYPE_REAL,
                                             DUSK_TYPE_TEXT,     DUSK_TYPE_BOOLEAN, DUSK_TYPE_DATE,
                                             DUSK_TYPE_TIMESTAMP };

static const int64_t wholes[] = { 0,         1,         -1,           2,          -2,
                                  7,         -7,        10,           1000000007, 9007199254740993,
                                  INT64_MAX, INT64_MIN, INT64_MAX - 1 };
static const double reals[] = { 0,        -0.0,
                                1,        -1,
                                0.5,      -0.5,
                                1.5,      2.5,
                                -2.5,     0.49999999999999994,
                                2.675,    1234.5,
                                1e15,     1e16,
                                1e-5,     3.25,
                                1e99,     1e-99,
                                1e100,    1e200,
                                1e-200,   1e308,
                                -1e308,   5e-324,
                                -5e-324,  2.2e-308,
                                INFINITY, -INFINITY,
                                710,      -746,
                                -0.1,     9.3e18,
                                -9.3e18,  4503599627370497.5,
                                1e300 };
static const char *const texts[] = { "",
                                     "abc",
                                     "ABC äÖ",
                                     " 12 ",
                                     "12",
                                     "-7",
                                     "+5",
                                     "12.7",
                                     "1e3",
                                     "1e90",
                                     "1e999",
                                     "-1e400",
                                     "inf",
                                     "nan",
                                     "0x10",
                                     "1_000",
                                     "9223372036854775807",
                                     "9223372036854775808",
                                     "-9223372036854775808",
                                     "true",
                                     " Yes",
                                     "off",
                                     "2",
                                     "2020-02-29",
                                     "2021-02-29",
                                     "2020-02-30",
                                     "1900-02-29",
                                     "2000-02-29",
                                     "0000-01-01",
                                     "0001-01-01",
                                     "9999-12-31",
                                     "10000-01-01",
                                     "2020-1-1",
                                     "2020-01-01 12:34:56",
                                     "2020-01-01T23:59",
                                     "2020-01-01 24:00:00",
                                     "2020-01-01 12:34:56.789",
                                     "2020-04-31",
                                     " 2020-01-02\t",
                                     "2020-01-01T00:00:00Z",
                                     "2020-13-01",
                                     "日本語",
                                     "it's",
                                     "a\\b",
                                     "%s",
                                     "100%",
                                     "a_b",
                                     "'; DROP TABLE t0; --",
                                     "  x  ",
                                     "\t",
                                     ".5",
                                     "5.",
                                     ".",
                                     "1e",
                                     "e5",
                                     "-",
                                     "--5",
                                     "1 2",
                                     "infinity",
                                     "epoch",
                                     "now",
                                     "today",
                                     "1.5e-3",
                                     "007",
                                     "-0",
                                     "2020-01-01 12:34:60",
                                     "2020-01-01 12",
                                     "12e+2" };
static const char *const dates[] = { "0001-01-01", "0001-01-31", "1582-10-10", "1900-02-28", "1970-01-01",
                                     "1999-12-31", "2000-02-29", "2020-01-31", "2021-01-03", "2024-12-30",
                                     "2020-03-31", "9999-12-01", "9999-12-31" };
static const char *const stamps[] = { "0001-01-01 00:00:00", "1969-12-31 23:59:59", "2000-02-29 12:34:56",
                                      "2021-01-03 00:00:00", "2020-01-31 23:59:59", "9999-12-31 23:59:59",
                                      "2024-12-30 06:07:08" };

#define COUNT(list) (sizeof(list) / sizeof *(list))
enum { ROWS = COUNT(texts) + 1 };

static ref_value grid[ROWS][COLUMNS];

static inline void fill_grid(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t c = 0; c < COLUMNS; c++) grid[i][c] = ref_null();
        grid[i][ID] = ref_whole((int64_t)i);
        if (i < COUNT(wholes)) grid[i][WHOLE] = ref_whole(wholes[i]);
        if (i < COUNT(reals)) grid[i][REAL] = (ref_value){ .real = reals[i] };
        if (i < COUNT(texts)) grid[i][TEXT] = ref_text(texts[i]);
        if (i < 4) grid[i][TRUTH] = ref_truth(i % 2);
        if (i < COUNT(dates)) grid[i][DATE] = ref_text(dates[i]);
        if (i < COUNT(stamps)) grid[i][STAMP] = ref_text(stamps[i]);
    }
}

static inline dusk_schema *make_schema(void)
{
    static const char *const names[COLUMNS] = { "t.id", "t.i", "t.r", "t.t", "t.b", "t.d", "t.s" };
    dusk_schema *schema;
    assert_int_equal(dusk_schema_new(&schema, NULL), DUSK_OK);
    assert_int_equal(dusk_schema_declare(schema, "t", "source", "t.csv", NULL), DUSK_OK);
    assert_int_equal(dusk_schema_declare(schema, "t", "public", "yes", NULL), DUSK_OK);
    for (size_t c = 0; c < COLUMNS; c++)
        assert_int_equal(dusk_schema_declare(schema, names[c], "type", dusk_type_name(types_of[c]), NULL),
                         DUSK_OK);
    return schema;
}

static inline void put_cell(char *out, size_t size, const real_engine *engine, size_t c, const ref_value *v)
{
    bool sqlite = engine->dialect == DUSK_DIALECT_SQLITE;
    if (v->null)
        snprintf(out, size, "NULL");
    else if (types_of[c] == DUSK_TYPE_INTEGER)
        snprintf(out, size, "%lld", (long long)v->integer);
    else if (types_of[c] == DUSK_TYPE_BOOLEAN)
        snprintf(out, size, "%s", sqlite ? (v->integer ? "1" : "0") : v->integer ? "true" : "false");
    else if (types_of[c] == DUSK_TYPE_REAL && isinf(v->real))
        snprintf(out, size, sqlite ? "%s9e999" : "'%sinfinity'", v->real < 0 ? "-" : "");
    else if (types_of[c] == DUSK_TYPE_REAL)
        snprintf(out, size, sqlite ? "%.17g" : "'%.17g'", v->real);
    else {
        size_t n = 0;
        out[n++] = '\'';
        for (const char *s = v->text; *s && n + 4 < size; s++) {
            if (*s == '\'') out[n++] = '\'';
            out[n++] = *s;
        }
        out[n++] = '\'';
        out[n] = '\0';
    }
}

/* Rows that no reference speaks of: they must raise no error. */
static inline void load_extra(real_engine *engine)
{
    static const char *const sqlite[] = {
        "NULL, NULL, replace(hex(zeroblob(1500)), '0', '9'), 7, 'infinity', ''",
        "NULL, 9e999, hex(zeroblob(70000)), NULL, '2020-99-99', '10000-01-01 00:00:00'"
    };
    static const char *const others[] = {
        "NULL, 'nan', repeat('9', 3000), NULL, 'infinity', 'infinity'",
        "NULL, '-infinity', repeat('x', 140000), NULL, '-infinity', '-infinity'",
        "NULL, NULL, '1e' || repeat('9', 300), NULL, '4700-01-01 (BC)', '4700-01-01 (BC) 00:00:00'",
        "NULL, NULL, '0.' || repeat('0', 400) || '1', NULL, '290000-12-31', '290000-12-31 12:34:56.789'",
        "NULL, NULL, repeat('0', 200) || '5', NULL, '10000-01-01', '0001-01-01 00:00:00.5'"
    };
    bool lite = engine->dialect == DUSK_DIALECT_SQLITE;
    for (size_t i = 0; i < (lite ? COUNT(sqlite) : COUNT(others)); i++) {
        char sql[400], *era;
        snprintf(sql, sizeof sql, "INSERT INTO t0 VALUES (%d, %s)", (int)(ROWS + i),
                 lite ? sqlite[i] : others[i]);
        if (engine->dialect == DUSK_DIALECT_POSTGRES)
            while ((era = strstr(sql, "(BC)"))) memcpy(era, " BC ", 4);
        must(engine, sql);
    }
}

static inline void load(real_engine *engine)
{
    char sql[2000], cell[800];
    must(engine,
         engine->dialect == DUSK_DIALECT_SQLITE
             ? "CREATE TABLE t0(c0 INTEGER, c1 INTEGER, c2 REAL, c3 TEXT, c4 INTEGER, c5 TEXT, c6 TEXT)"
             : "CREATE TABLE t0(c0 BIGINT, c1 BIGINT, c2 DOUBLE PRECISION, c3 TEXT, c4 BOOLEAN, c5 DATE, "
               "c6 TIMESTAMP)");
    for (size_t i = 0; i < ROWS; i++) {
        size_t n = (size_t)snprintf(sql, sizeof sql, "INSERT INTO t0 VALUES (");
        for (size_t c = 0; c < COLUMNS; c++) {
            put_cell(cell, sizeof cell, engine, c, &grid[i][c]);
            n += (size_t)snprintf(sql + n, sizeof sql - n, "%s%s", c ? ", " : "", cell);
        }
        snprintf(sql + n, sizeof sql - n, ")");
        must(engine, sql);
    }
    load_extra(engine);
}

/* --- checks --- */

typedef struct bench {
    real_engine engine;
    dusk_schema *schema;
    query_plan plan;
    maker m;
    unsigned wrong;
} bench;

static inline bool same(dusk_type type, const ref_value *a, const ref_value *b)
{
    if (a->null || b->null) return a->null == b->null;
    if (type == DUSK_TYPE_INTEGER || type == DUSK_TYPE_BOOLEAN) return a->integer == b->integer;
    if (type != DUSK_TYPE_REAL) return strcmp(a->text, b->text) == 0;
    return a->real == b->real || fabs(a->real - b->real) <= 1e-13 * fabs(b->real) ||
           fabs(a->real - b->real) < 1e-299;
}

static inline void show(char *out, size_t size, dusk_type type, const ref_value *v)
{
    if (v->null)
        snprintf(out, size, "NULL");
    else if (type == DUSK_TYPE_INTEGER || type == DUSK_TYPE_BOOLEAN)
        snprintf(out, size, "%lld", (long long)v->integer);
    else if (type == DUSK_TYPE_REAL)
        snprintf(out, size, "%.17g", v->real);
    else
        snprintf(out, size, "'%.60s'", v->text);
}

/* The expression over one row, or over pairs of rows whose second is below `second`. */
static inline void check(bench *b, query_expression *e, size_t second)
{
    dusk_error err = { .message = "" };
    dusk_cell_type types[3];
    char *sql = NULL;
    answer got;
    query_relation *one = scan(&b->m, b->schema, 0), *input = one;
    if (second)
        input = join(&b->m, QUERY_INNER, one,
                     filter(&b->m, scan(&b->m, b->schema, 0),
                            call(&b->m, QUERY_LESS, DUSK_TYPE_BOOLEAN, 2,
                                 column(&b->m, DUSK_TYPE_INTEGER, ID), whole(&b->m, (int64_t)second))),
                     NULL);
    query_relation *r = project(&b->m, input, QUERY_NONE, 3, column(&b->m, DUSK_TYPE_INTEGER, ID),
                                column(&b->m, DUSK_TYPE_INTEGER, second ? COLUMNS + ID : ID), e);
    if (query_emit(&sql, types, &b->plan, r, b->engine.dialect, &err) != DUSK_OK) fail_msg("%s", err.message);
    const char *wrong = b->engine.run(&b->engine, sql, types, 3, &got);
    if (wrong) fail_msg("%s: %s\n%s", b->engine.name, wrong, sql);
    size_t rows = 0;
    for (size_t i = 0; i < got.rows; i++) {
        const ref_value *cell = got.cell + 3 * i;
        ref_value row[2 * COLUMNS];
        ref how = { .row = row };
        if (cell[0].integer >= ROWS || cell[1].integer >= ROWS) continue;
        rows++;
        memcpy(row, grid[cell[0].integer], sizeof *grid);
        memcpy(row + COLUMNS, grid[cell[1].integer], sizeof *grid);
        ref_value expected = reference(&how, e);
        bool loose = how.extreme && b->engine.dialect == DUSK_DIALECT_POSTGRES;
        if (same(e->type, &cell[2], &expected) || loose) continue;
        char left[100], right[100];
        show(left, sizeof left, e->type, &cell[2]);
        show(right, sizeof right, e->type, &expected);
        if (b->wrong++ < 10)
            print_error("%s: rows %d, %d: %s, not %s: %.600s\n", b->engine.name, (int)cell[0].integer,
                        (int)cell[1].integer, left, right, sql);
    }
    assert_int_equal(rows, second ? ROWS * (second < ROWS ? second : ROWS) : ROWS);
    answer_free(&got);
    dusk_deallocate(sql);
    maker_free(&b->m);
}

/* On every engine that is there. */
static inline void on_engine(bool (*open)(real_engine *), void (*checks)(bench *))
{
    bench b = { .schema = make_schema() };
    fill_grid();
    b.plan.schema = b.schema;
    if (!open(&b.engine)) {
        dusk_schema_free(b.schema);
        skip();
    }
    load(&b.engine);
    checks(&b);
    close_engine(&b.engine);
    dusk_schema_free(b.schema);
    assert_int_equal(b.wrong, 0);
}

#define COL(c) column(&b->m, types_of[(c) % COLUMNS], (c))
#define SECOND(c) COL(COLUMNS + (c))
#define CALL(f, type, ...)                                                                                   \
    call(&b->m, f, type, sizeof((query_expression *[]){ __VA_ARGS__ }) / sizeof(void *), __VA_ARGS__)

#endif
