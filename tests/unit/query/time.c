/* SPDX-License-Identifier: Apache-2.0 */
/* The guard around sums of dates: it lets through exactly the days whose sum stays within the years 1 to
 * 9999, so that no engine goes past the end of its calendar. */
#include "base/memory.h"
#include "query_nodes.h"
#include "query_reference.h"

static bool stays(int64_t day, int64_t months, int64_t days)
{
    table_time t = { 0 };
    return table_from_days(&t, day) && ref_shift(&t, months, days);
}

static int64_t day_behind(const char *sql, const char *word)
{
    table_time t;
    const char *at = strstr(sql, word);
    assert_non_null(at);
    assert_true(table_read_time(&t, at + strlen(word), 10));
    return table_days(&t);
}

static void the_guard_is_exact(void **state)
{
    static const int64_t shifts[][2] = { { 0, 0 },       { 1, 0 },       { -1, 0 },      { 0, 1 },
                                         { 0, -1 },      { 12, 30 },     { -13, -45 },   { 1, -31 },
                                         { 119987, 30 }, { -119987, 5 }, { 0, 3652058 }, { 5, -3652000 } };
    dusk_schema *schema;
    (void)state;
    assert_int_equal(dusk_schema_new(&schema, NULL), DUSK_OK);
    assert_int_equal(dusk_schema_declare(schema, "t", "source", "t.csv", NULL), DUSK_OK);
    assert_int_equal(dusk_schema_declare(schema, "t", "public", "yes", NULL), DUSK_OK);
    assert_int_equal(dusk_schema_declare(schema, "t.d", "type", "date", NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        maker m = { 0 };
        query_plan plan = { .schema = schema };
        dusk_cell_type type;
        char *sql = NULL;
        query_expression *sum = call(&m, QUERY_DATE_ADD, DUSK_TYPE_DATE, 3, column(&m, DUSK_TYPE_DATE, 0),
                                     whole(&m, shifts[i][0]), whole(&m, shifts[i][1]));
        query_expression *year =
            call(&m, QUERY_EXTRACT, DUSK_TYPE_INTEGER, 2, words(&m, DUSK_TYPE_TEXT, "year"), sum);
        query_relation *r = project(&m, scan(&m, schema, 0), QUERY_NONE, 1, year);
        assert_int_equal(query_emit(&sql, &type, &plan, r, DUSK_DIALECT_POSTGRES, NULL), DUSK_OK);
        const char *guard = strstr(sql, "r1.c0 BETWEEN ");
        assert_non_null(guard);
        int64_t from = day_behind(guard, "BETWEEN DATE '"), to = day_behind(guard, " AND DATE '");
        assert_true(stays(from, shifts[i][0], shifts[i][1]) && stays(to, shifts[i][0], shifts[i][1]));
        assert_false(stays(from - 1, shifts[i][0], shifts[i][1]) ||
                     stays(to + 1, shifts[i][0], shifts[i][1]));
        dusk_deallocate(sql);
        maker_free(&m);
    }
    dusk_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_guard_is_exact) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
