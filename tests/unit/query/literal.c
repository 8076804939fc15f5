/* SPDX-License-Identifier: Apache-2.0 */
/* Constants in SQL: hostile texts stay texts, numbers keep their value, patterns mean the same
 * everywhere. Run by SQLite; the other dialects are read as text. */
#include <math.h>
#include <sqlite3.h>

#include "base/memory.h"
#include "query_nodes.h"

static const char *const hostile[] = { "",
                                       "'",
                                       "''",
                                       "it's",
                                       "'; DROP TABLE t0; --",
                                       "\\",
                                       "\\'",
                                       "a\\",
                                       "%s%n%d",
                                       "$1 $u $$",
                                       "r1.c0",
                                       "\"x\"",
                                       "ünï日本",
                                       "/* ' */",
                                       "--",
                                       "E'\\x27'",
                                       "\n\t\r",
                                       "%",
                                       "{}[]()|*+",
                                       "' OR 1=1 --",
                                       "\xef\xbb\xbf",
                                       "$$a$$",
                                       "U&'\\0027" };

static char *emit(query_expression *e, dusk_dialect dialect, maker *m)
{
    dusk_schema *schema;
    dusk_error err = { .message = "" };
    dusk_cell_type types[1];
    char *sql = NULL;
    assert_int_equal(dusk_schema_new(&schema, NULL), DUSK_OK);
    assert_int_equal(dusk_schema_declare(schema, "t", "source", "t.csv", NULL), DUSK_OK);
    assert_int_equal(dusk_schema_declare(schema, "t", "public", "yes", NULL), DUSK_OK);
    assert_int_equal(dusk_schema_declare(schema, "t.c", "type", "text", NULL), DUSK_OK);
    query_plan plan = { .schema = schema };
    if (query_emit(&sql, types, &plan, project(m, scan(m, schema, 0), QUERY_NONE, 1, e), dialect, &err))
        fail_msg("%s", err.message);
    dusk_schema_free(schema);
    return sql;
}

static void run(char *out, size_t size, const char *sql, const char *row)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE t0(c0 TEXT)", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "INSERT INTO t0 VALUES (?)", -1, &s, NULL), SQLITE_OK);
    sqlite3_bind_text(s, 1, row, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(s), SQLITE_DONE);
    sqlite3_finalize(s);
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) fail_msg("%s: %s", sqlite3_errmsg(db), sql);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    const char *text = (const char *)sqlite3_column_text(s, 0);
    snprintf(out, size, "%s", text ? text : "NULL");
    assert_int_equal(sqlite3_step(s), SQLITE_DONE);
    sqlite3_finalize(s);
    sqlite3_close(db);
}

static void texts_stay_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        maker m = { 0 };
        char got[100];
        char *sql = emit(words(&m, DUSK_TYPE_TEXT, hostile[i]), DUSK_DIALECT_SQLITE, &m);
        run(got, sizeof got, sql, "x");
        assert_string_equal(got, hostile[i]);
        dusk_deallocate(sql);
        sql = emit(call(&m, QUERY_EQUAL, DUSK_TYPE_BOOLEAN, 2, column(&m, DUSK_TYPE_TEXT, 0),
                        words(&m, DUSK_TYPE_TEXT, hostile[i])),
                   DUSK_DIALECT_SQLITE, &m);
        run(got, sizeof got, sql, hostile[i]);
        assert_string_equal(got, "1");
        dusk_deallocate(sql);
        maker_free(&m);
    }
}

/* What stands outside of quotes is the same for every text. */
static void outside(char *out, const char *sql)
{
    bool quoted = false;
    for (; *sql; sql++) {
        if (*sql == '\'') quoted = !quoted;
        if (!quoted && *sql != '\'') *out++ = *sql;
    }
    assert_false(quoted);
    *out = '\0';
}

static void no_text_leaves_its_quotes(void **state)
{
    char first[1000], other[1000];
    (void)state;
    for (int dialect = 1; dialect <= 3; dialect++)
        for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
            maker m = { 0 };
            char *a = emit(words(&m, DUSK_TYPE_TEXT, "x"), (dusk_dialect)dialect, &m);
            char *b = emit(words(&m, DUSK_TYPE_TEXT, hostile[i]), (dusk_dialect)dialect, &m);
            outside(first, a);
            outside(other, b);
            assert_string_equal(first, other);
            dusk_deallocate(a);
            dusk_deallocate(b);
            maker_free(&m);
        }
}

static void numbers_keep_their_value(void **state)
{
    static const int64_t wholes[] = { 0, 1, -1, INT64_MAX, INT64_MIN, 9007199254740993 };
    static const double reals[] = {
        0, 1, -1.5, 0.1, 1e300, -1e-300, 1.2345678901234568e17, 5e-324, 1.7976931348623157e308
    };
    (void)state;
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        maker m = { 0 };
        char got[100], expected[100];
        char *sql = emit(whole(&m, wholes[i]), DUSK_DIALECT_SQLITE, &m);
        run(got, sizeof got, sql, "x");
        snprintf(expected, sizeof expected, "%lld", (long long)wholes[i]);
        assert_string_equal(got, expected);
        dusk_deallocate(sql);
        maker_free(&m);
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        maker m = { 0 };
        char *sql = emit(real(&m, reals[i]), DUSK_DIALECT_DUCKDB, &m);
        double back = NAN;
        assert_int_equal(sscanf(sql, "SELECT CAST(%lf AS DOUBLE)", &back), 1);
        assert_true(back == reals[i]);
        dusk_deallocate(sql);
        maker_free(&m);
    }
}

/* PostgreSQL and DuckDB raise an error when a pattern ends in its escape. */
static void patterns_are_normal(void **state)
{
    static const char *const patterns[][2] = { { "a%", "'a%'" },     { "a\\", "'a\\\\'" },
                                               { "\\", "'\\\\'" },   { "a\\%", "'a\\%'" },
                                               { "a\\b", "'ab'" },   { "\\\\", "'\\\\'" },
                                               { "\\_x", "'\\_x'" }, { "\\\\\\", "'\\\\\\\\'" },
                                               { "'", "''''" } };
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (int dialect = 1; dialect <= 3; dialect++) {
            maker m = { 0 };
            char *sql = emit(call(&m, QUERY_LIKE, DUSK_TYPE_BOOLEAN, 2, column(&m, DUSK_TYPE_TEXT, 0),
                                  words(&m, DUSK_TYPE_TEXT, patterns[i][0])),
                             (dusk_dialect)dialect, &m);
            const char *at = strchr(sql, '\'');
            assert_non_null(at);
            assert_memory_equal(at, patterns[i][1], strlen(patterns[i][1]));
            assert_true(at[strlen(patterns[i][1])] != '\'');
            dusk_deallocate(sql);
            maker_free(&m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_stay_texts),
        cmocka_unit_test(no_text_leaves_its_quotes),
        cmocka_unit_test(numbers_keep_their_value),
        cmocka_unit_test(patterns_are_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
