/* SPDX-License-Identifier: Apache-2.0 */
/* Every function over a grid of nasty values on real engines (A13). SQLite always; DuckDB and PostgreSQL
 * where they are (query_engines.h). */
#include "query_grid.h"

static void check_numbers(bench *b)
{
    static const query_function unary[] = { QUERY_NEGATE, QUERY_ABS,   QUERY_SIGN,
                                            QUERY_ROUND,  QUERY_FLOOR, QUERY_CEIL };
    static const query_function curved[] = { QUERY_SQRT, QUERY_LN, QUERY_EXP };
    static const query_function binary[] = { QUERY_ADD,   QUERY_SUBTRACT, QUERY_MULTIPLY,
                                             QUERY_LEAST, QUERY_GREATEST, QUERY_NULLIF };
    for (size_t c = WHOLE; c <= REAL; c++) {
        for (size_t i = 0; i < COUNT(unary); i++) check(b, CALL(unary[i], types_of[c], COL(c)), 0);
        for (size_t i = 0; i < COUNT(curved); i++) check(b, CALL(curved[i], DUSK_TYPE_REAL, COL(c)), 0);
        for (int64_t digits = -15; digits <= 15; digits += 3)
            check(b, CALL(QUERY_ROUND, types_of[c], COL(c), whole(&b->m, digits)), 0);
        for (size_t i = 0; i < COUNT(binary); i++)
            check(b, CALL(binary[i], types_of[c], COL(c), SECOND(c)), ROWS);
        check(b, CALL(QUERY_DIVIDE, DUSK_TYPE_REAL, COL(c), SECOND(c)), ROWS);
        check(b, CALL(QUERY_POWER, DUSK_TYPE_REAL, COL(c), SECOND(c)), ROWS);
        /* Constants, which a planner may fold. */
        for (size_t i = 0; i < COUNT(reals); i++) {
            if (isinf(reals[i])) continue;
            check(b, CALL(QUERY_MULTIPLY, DUSK_TYPE_REAL, COL(REAL), real(&b->m, reals[i])), 0);
            check(b, CALL(QUERY_POWER, DUSK_TYPE_REAL, real(&b->m, reals[i]), COL(REAL)), 0);
            check(b, CALL(QUERY_DIVIDE, DUSK_TYPE_REAL, real(&b->m, 1), real(&b->m, reals[i])), 0);
            check(b, CALL(QUERY_POWER, DUSK_TYPE_REAL, real(&b->m, reals[i]), real(&b->m, -1)), 0);
            check(b, CALL(QUERY_EXP, DUSK_TYPE_REAL, real(&b->m, reals[i])), 0);
            check(b, CALL(QUERY_LN, DUSK_TYPE_REAL, real(&b->m, reals[i])), 0);
            check(b,
                  CALL(QUERY_SQRT, DUSK_TYPE_REAL,
                       CALL(QUERY_SUBTRACT, DUSK_TYPE_REAL, real(&b->m, reals[i]), real(&b->m, 1))),
                  0);
        }
    }
    check(b, CALL(QUERY_MODULO, DUSK_TYPE_INTEGER, COL(WHOLE), SECOND(WHOLE)), ROWS);
    check(b, CALL(QUERY_ADD, DUSK_TYPE_REAL, COL(WHOLE), SECOND(REAL)), ROWS);
}

static void check_choices(bench *b)
{
    static const query_function compare[] = { QUERY_EQUAL,      QUERY_UNEQUAL, QUERY_LESS,
                                              QUERY_LESS_EQUAL, QUERY_GREATER, QUERY_GREATER_EQUAL };
    for (size_t c = WHOLE; c < COLUMNS; c++) {
        for (size_t i = 0; i < COUNT(compare); i++)
            if (c != TRUTH || i < 2) check(b, CALL(compare[i], DUSK_TYPE_BOOLEAN, COL(c), SECOND(c)), 20);
        check(b, CALL(QUERY_IS_NULL, DUSK_TYPE_BOOLEAN, COL(c)), 0);
        check(b, CALL(QUERY_COALESCE, types_of[c], COL(c), SECOND(c)), ROWS);
        check(b, CALL(QUERY_NULLIF, types_of[c], COL(c), SECOND(c)), ROWS);
        if (c != TRUTH) check(b, CALL(QUERY_LEAST, types_of[c], COL(c), SECOND(c)), ROWS);
        if (c != TRUTH)
            check(b, CALL(QUERY_GREATEST, types_of[c], COL(c), SECOND(c), nothing(&b->m, types_of[c])), ROWS);
        check(b,
              CALL(QUERY_CASE, types_of[c], COL(TRUTH), COL(c), SECOND(TRUTH), SECOND(c),
                   nothing(&b->m, types_of[c])),
              ROWS);
    }
    check(b, CALL(QUERY_AND, DUSK_TYPE_BOOLEAN, COL(TRUTH), SECOND(TRUTH)), ROWS);
    check(b, CALL(QUERY_OR, DUSK_TYPE_BOOLEAN, COL(TRUTH), SECOND(TRUTH), truth(&b->m, false)), ROWS);
    check(b, CALL(QUERY_NOT, DUSK_TYPE_BOOLEAN, COL(TRUTH)), 0);
    check(b,
          CALL(QUERY_IN, DUSK_TYPE_BOOLEAN, COL(WHOLE), whole(&b->m, 1), whole(&b->m, INT64_MIN),
               nothing(&b->m, DUSK_TYPE_INTEGER)),
          0);
    check(b,
          CALL(QUERY_IN, DUSK_TYPE_BOOLEAN, COL(TEXT), words(&b->m, DUSK_TYPE_TEXT, "it's"),
               words(&b->m, DUSK_TYPE_TEXT, "a\\b")),
          0);
    check(b,
          CALL(QUERY_IN, DUSK_TYPE_BOOLEAN, COL(DATE), words(&b->m, DUSK_TYPE_DATE, "2000-02-29"),
               words(&b->m, DUSK_TYPE_DATE, "0001-01-01")),
          0);
}

static void check_words(bench *b)
{
    static const char *const patterns[] = { "",     "%",   "_",   "a%", "%b",     "a\\_b", "a\\", "\\",
                                            "%\\%", "a_b", "%'%", "__", "a\\\\b", "\\a%",  "%s%", "___" };
    for (size_t i = 0; i < COUNT(patterns); i++)
        check(b, CALL(QUERY_LIKE, DUSK_TYPE_BOOLEAN, COL(TEXT), words(&b->m, DUSK_TYPE_TEXT, patterns[i])),
              0);
    for (size_t i = 0; i < COUNT(texts); i++) /* hostile constants stay constants */
        check(b, CALL(QUERY_EQUAL, DUSK_TYPE_BOOLEAN, COL(TEXT), words(&b->m, DUSK_TYPE_TEXT, texts[i])), 0);
    check(b, CALL(QUERY_LOWER, DUSK_TYPE_TEXT, COL(TEXT)), 0);
    check(b, CALL(QUERY_UPPER, DUSK_TYPE_TEXT, COL(TEXT)), 0);
    check(b, CALL(QUERY_TRIM, DUSK_TYPE_TEXT, COL(TEXT)), 0);
    check(b, CALL(QUERY_LENGTH, DUSK_TYPE_INTEGER, COL(TEXT)), 0);
    check(b, CALL(QUERY_CONCAT, DUSK_TYPE_TEXT, COL(TEXT), SECOND(TEXT), words(&b->m, DUSK_TYPE_TEXT, "!")),
          ROWS);
    for (int64_t from = 1; from < 5; from++)
        for (int64_t n = 0; n < 3; n++)
            check(b, CALL(QUERY_SUBSTRING, DUSK_TYPE_TEXT, COL(TEXT), whole(&b->m, from), whole(&b->m, n)),
                  0);
    check(b, CALL(QUERY_SUBSTRING, DUSK_TYPE_TEXT, COL(TEXT), whole(&b->m, 2), whole(&b->m, INT64_MAX)), 0);
    check(b,
          CALL(QUERY_SUBSTRING, DUSK_TYPE_TEXT, COL(TEXT), whole(&b->m, INT64_MAX), whole(&b->m, INT64_MAX)),
          0);
}

static void check_times(bench *b)
{
    static const char *const units[] = { "year", "quarter", "month",  "week", "day",
                                         "hour", "minute",  "second", "dow" };
    static const int64_t shifts[][2] = { { 0, 0 },
                                         { 1, 0 },
                                         { -1, 0 },
                                         { 0, 1 },
                                         { 0, -1 },
                                         { 12, 30 },
                                         { -13, -45 },
                                         { 119988, 0 },
                                         { -119988, 0 },
                                         { 120000, 0 },
                                         { 0, 3652058 },
                                         { 0, -3652058 },
                                         { 0, 3652059 },
                                         { INT64_MAX, INT64_MIN },
                                         { 119988, -3652058 },
                                         { 1, -1 } };
    for (size_t c = DATE; c <= STAMP; c++) {
        for (size_t i = 0; i < COUNT(units); i++) {
            check(b, CALL(QUERY_EXTRACT, DUSK_TYPE_INTEGER, words(&b->m, DUSK_TYPE_TEXT, units[i]), COL(c)),
                  0);
            if (i < 8)
                check(b, CALL(QUERY_DATE_TRUNC, types_of[c], words(&b->m, DUSK_TYPE_TEXT, units[i]), COL(c)),
                      0);
        }
        for (size_t i = 0; i < COUNT(shifts); i++)
            check(b,
                  CALL(QUERY_DATE_ADD, types_of[c], COL(c), whole(&b->m, shifts[i][0]),
                       whole(&b->m, shifts[i][1])),
                  0);
        check(b, CALL(QUERY_DATE_DIFF, DUSK_TYPE_INTEGER, COL(c), SECOND(c)), ROWS);
        check(b, COL(c), 0);
    }
}

static void check_casts(bench *b)
{
    static const query_function to[] = {
        [DUSK_TYPE_INTEGER] = QUERY_TO_INTEGER, [DUSK_TYPE_REAL] = QUERY_TO_REAL,
        [DUSK_TYPE_TEXT] = QUERY_TO_TEXT,       [DUSK_TYPE_BOOLEAN] = QUERY_TO_BOOLEAN,
        [DUSK_TYPE_DATE] = QUERY_TO_DATE,       [DUSK_TYPE_TIMESTAMP] = QUERY_TO_TIMESTAMP
    };
    static const bool possible[][7] = {
        [DUSK_TYPE_INTEGER] = { 0, 1, 1, 1, 1, 0, 0 }, [DUSK_TYPE_REAL] = { 0, 1, 1, 0, 1, 0, 0 },
        [DUSK_TYPE_TEXT] = { 0, 1, 1, 1, 1, 1, 1 },    [DUSK_TYPE_BOOLEAN] = { 0, 1, 1, 1, 1, 0, 0 },
        [DUSK_TYPE_DATE] = { 0, 0, 0, 1, 0, 1, 1 },    [DUSK_TYPE_TIMESTAMP] = { 0, 0, 0, 1, 0, 1, 1 }
    };
    for (size_t c = WHOLE; c < COLUMNS; c++)
        for (dusk_type type = 1; type <= DUSK_TYPE_TIMESTAMP; type++)
            if (possible[types_of[c]][type]) check(b, CALL(to[type], type, COL(c)), 0);
    for (size_t i = 0; i < COUNT(texts); i++) /* folded by a planner */
        for (dusk_type type = 1; type <= DUSK_TYPE_TIMESTAMP; type++)
            check(b, CALL(to[type], type, words(&b->m, DUSK_TYPE_TEXT, texts[i])), 0);
    check(b, CALL(QUERY_ADD, DUSK_TYPE_REAL, CALL(QUERY_TO_REAL, DUSK_TYPE_REAL, COL(TEXT)), real(&b->m, 1)),
          0);
    check(b,
          CALL(QUERY_TO_INTEGER, DUSK_TYPE_INTEGER,
               CALL(QUERY_MULTIPLY, DUSK_TYPE_REAL, COL(REAL), SECOND(REAL))),
          ROWS);
}

static void check_all(bench *b)
{
    check_numbers(b);
    check_choices(b);
    check_words(b);
    check_times(b);
    check_casts(b);
}

static void sqlite(void **state) { (void)state, on_engine(open_sqlite, check_all); }
static void duckdb(void **state) { (void)state, on_engine(open_duckdb, check_all); }
static void postgres(void **state) { (void)state, on_engine(open_postgres, check_all); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sqlite),
        cmocka_unit_test(duckdb),
        cmocka_unit_test(postgres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
