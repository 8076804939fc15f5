/* SPDX-License-Identifier: Apache-2.0 */
/* Relations as SQL, run by real engines: the rule of plan.h as a property, and what paths, joins, groups and
 * sums mean. */
#include "relation_world.h"

/* Columns: customer 0 id 1 city 2 unit; orders 0 id 1 customer 2 amount 3 unit; items 0 order 1 part 2 unit. */
static void tables_are_read_with_their_unit(void **state)
{
    for (uint64_t seed = 1; seed < 6; seed++) {
        world w = open_world(state, seed);
        query_relation *items = scan(&w.m, w.schema, ITEMS);
        check_means(&w, scan(&w.m, w.schema, CUSTOMER), "SELECT c0, c1, c0 FROM b0 WHERE c0 IS NOT NULL",
                    "customer");
        check_means(&w, items,
                    "SELECT b2.c0, b2.c1, b1.c1 FROM b2, b1 WHERE b2.c0 = b1.c0 AND b1.c1 IS NOT NULL",
                    "items");
        check_means(
            &w, filter(&w.m, items, LESS(INT(1), whole(&w.m, 2))),
            "SELECT b2.c0, b2.c1, b1.c1 FROM b2, b1 WHERE b2.c0 = b1.c0 AND b1.c1 IS NOT NULL AND b2.c1 < 2",
            "items filtered");
        check_means(&w, scan(&w.m, w.schema, CITIES), "SELECT * FROM t3", "cities");
        close_world(&w);
    }
}

/* The analyst's condition pairs rows of different units; the generated one does not. */
static void joins_stay_within_a_unit(void **state)
{
    for (uint64_t seed = 1; seed < 6; seed++) {
        world w = open_world(state, seed);
        query_relation *c = scan(&w.m, w.schema, CUSTOMER), *o = scan(&w.m, w.schema, ORDERS);
        query_relation *i = scan(&w.m, w.schema, ITEMS), *p = scan(&w.m, w.schema, CITIES);
        check_means(&w, join(&w.m, QUERY_INNER, c, o, EQUAL(INT(0), INT(4))),
                    "SELECT b0.c0, b0.c1, b0.c0, b1.c0, b1.c1, b1.c2, b1.c1 FROM b0, b1 WHERE b0.c0 = b1.c1",
                    "customer, orders");
        check_rule(&w, join(&w.m, QUERY_INNER, o, o, NULL), "orders, orders");
        check_rule(&w, join(&w.m, QUERY_INNER, i, o, LESS(INT(1), INT(5))), "items, orders");
        check_means(&w, join(&w.m, QUERY_LEFT, c, filter(&w.m, o, LESS(INT(2), whole(&w.m, 2))), NULL),
                    "SELECT b0.c0, b0.c1, b0.c0, b1.c0, b1.c1, b1.c2, b1.c1 FROM b0 LEFT JOIN b1 ON b0.c0 = "
                    "b1.c1 AND b1.c2 < 2 WHERE b0.c0 IS NOT NULL",
                    "customer left orders");
        check_rule(&w, join(&w.m, QUERY_LEFT, c, i, LESS(INT(0), INT(4))), "customer left items");
        check_means(
            &w, join(&w.m, QUERY_SEMI, c, o, LESS(INT(5), whole(&w.m, 2))),
            "SELECT c0, c1, c0 FROM b0 WHERE EXISTS (SELECT 1 FROM b1 WHERE b1.c1 = b0.c0 AND b1.c2 < 2)",
            "customer with orders");
        check_means(
            &w, join(&w.m, QUERY_ANTI, o, i, EQUAL(INT(5), whole(&w.m, 1))),
            "SELECT c0, c1, c2, c1 FROM b1 WHERE c1 IS NOT NULL AND c1 NOT IN (SELECT x.c1 FROM b1 x, b2 "
            "WHERE b2.c0 = x.c0 AND b2.c1 = 1 AND x.c1 IS NOT NULL)",
            "orders of units without part 1");
        check_means(
            &w, join(&w.m, QUERY_INNER, p, c, EQUAL(TEXT(0), TEXT(3))),
            "SELECT t3.c0, t3.c1, b0.c0, b0.c1, b0.c0 FROM t3, b0 WHERE t3.c0 = b0.c1 AND b0.c0 IS NOT NULL",
            "cities, customer");
        check_rule(&w, join(&w.m, QUERY_LEFT, c, p, EQUAL(TEXT(1), TEXT(3))), "customer left cities");
        check_rule(&w, join(&w.m, QUERY_ANTI, c, p, EQUAL(TEXT(1), TEXT(3))), "customer without cities");
        check_rule(
            &w,
            filter(&w.m,
                   join(&w.m, QUERY_LEFT, join(&w.m, QUERY_INNER, i, o, EQUAL(INT(0), INT(3))), c, NULL),
                   call(&w.m, QUERY_IS_NULL, DUSK_TYPE_BOOLEAN, 1, INT(1))),
            "filter over left");
        close_world(&w);
    }
}

static size_t mentions(const char *text, const char *word)
{
    size_t n = 0;
    for (; (text = strstr(text, word)); text++) n++;
    return n;
}

/* The way from an item to its unit leads through the order that it is joined with. */
static void a_table_on_the_way_is_read_once(void **state)
{
    for (uint64_t seed = 1; seed < 6; seed++) {
        world w = open_world(state, seed);
        query_relation *c = scan(&w.m, w.schema, CUSTOMER), *o = scan(&w.m, w.schema, ORDERS);
        query_relation *i = scan(&w.m, w.schema, ITEMS);
        query_expression *same = EQUAL(INT(0), INT(3)), *turned = EQUAL(INT(4), INT(0));
        struct {
            query_relation *r;
            const char *sql;
        } cases[] = {
            { join(&w.m, QUERY_INNER, i, o, same), "SELECT b2.c0, b2.c1, b1.c1, b1.c0, b1.c1, b1.c2, b1.c1 "
                                                   "FROM b2, b1 WHERE b2.c0 = b1.c0 AND b1.c1 IS "
                                                   "NOT NULL" },
            { join(&w.m, QUERY_INNER, o, i, turned), "SELECT b1.c0, b1.c1, b1.c2, b1.c1, b2.c0, b2.c1, b1.c1 "
                                                     "FROM b2, b1 WHERE b2.c0 = b1.c0 AND b1.c1 IS "
                                                     "NOT NULL" },
            { filter(&w.m, join(&w.m, QUERY_INNER, o, i, NULL), turned),
              "SELECT b1.c0, b1.c1, b1.c2, b1.c1, b2.c0, b2.c1, b1.c1 FROM b2, b1 WHERE b2.c0 = b1.c0 AND "
              "b1.c1 IS "
              "NOT NULL" },
            { join(&w.m, QUERY_SEMI, o, i, turned),
              "SELECT c0, c1, c2, c1 FROM b1 WHERE c1 IS NOT NULL AND c0 IN (SELECT c0 FROM b2)" },
            { join(&w.m, QUERY_ANTI, o, i, turned), "SELECT c0, c1, c2, c1 FROM b1 WHERE c1 IS NOT NULL AND "
                                                    "NOT EXISTS (SELECT 1 FROM b2 WHERE b2.c0 = "
                                                    "b1.c0)" },
        };
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            dusk_cell_type types[32];
            char *sql = emit(&w, cases[k].r, types);
            size_t reads = mentions(sql, "t1 AS r");
            dusk_deallocate(sql);
            assert_int_equal(reads, 1);
            check_means(&w, cases[k].r, cases[k].sql, cases[k].sql);
        }
        /* Not where that would be wrong. */
        check_means(&w, join(&w.m, QUERY_LEFT, o, i, turned),
                    "SELECT b1.c0, b1.c1, b1.c2, b1.c1, b2.c0, b2.c1, CASE WHEN b2.c0 IS NOT NULL THEN b1.c1 "
                    "END FROM b1 "
                    "LEFT JOIN b2 ON b2.c0 = b1.c0 WHERE b1.c1 IS NOT NULL",
                    "orders left items");
        check_rule(&w, join(&w.m, QUERY_INNER, join(&w.m, QUERY_LEFT, i, o, same), c, NULL), "left, inner");
        check_rule(&w, join(&w.m, QUERY_INNER, i, join(&w.m, QUERY_LEFT, c, o, NULL), EQUAL(INT(0), INT(6))),
                   "inner of left");
        close_world(&w);
    }
}

/* A filter above an outer join is not one of its right side. */
static void filters_above_an_outer_join_stay_above(void **state)
{
    world w = open_world(state, 3);
    query_relation *c = scan(&w.m, w.schema, CUSTOMER), *o = scan(&w.m, w.schema, ORDERS);
    query_relation *left = join(&w.m, QUERY_LEFT, c, o, LESS(INT(5), whole(&w.m, 1)));
    check_means(&w, filter(&w.m, left, call(&w.m, QUERY_IS_NULL, DUSK_TYPE_BOOLEAN, 1, INT(3))),
                "SELECT b0.c0, b0.c1, b0.c0, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS "
                "BIGINT), CAST(NULL AS BIGINT) FROM b0 WHERE c0 IS NOT NULL AND NOT EXISTS "
                "(SELECT 1 FROM b1 WHERE b1.c1 = b0.c0 AND b1.c2 < 1)",
                "customers without small orders");
    close_world(&w);
}

static void groups_and_the_rest(void **state)
{
    static const query_inner inner[] = { QUERY_INNER_COUNT, QUERY_INNER_COUNT_DISTINCT, QUERY_INNER_MIN,
                                         QUERY_INNER_MAX };
    for (uint64_t seed = 1; seed < 6; seed++) {
        world w = open_world(state, seed);
        query_relation *o = scan(&w.m, w.schema, ORDERS), *i = scan(&w.m, w.schema, ITEMS);
        query_relation *g = group(&w.m, i, 0, 2, 6, inner, INT(2), INT(1), NULL, INT(0), INT(0), INT(0));
        check_means(
            &w, g,
            "SELECT b1.c1, b2.c1, COUNT(*), COUNT(DISTINCT b2.c0), MIN(b2.c0), MAX(b2.c0) FROM b2, b1 WHERE "
            "b2.c0 = b1.c0 AND b1.c1 IS NOT NULL GROUP BY 1, 2",
            "group");
        check_rule(&w, filter(&w.m, g, LESS(whole(&w.m, 1), INT(2))), "having");
        check_rule(&w, join(&w.m, QUERY_LEFT, o, g, EQUAL(INT(2), INT(6))), "join of groups");
        check_rule(&w, join(&w.m, QUERY_SEMI, o, g, NULL), "semi join of groups");
        check_rule(&w, filter(&w.m, join(&w.m, QUERY_INNER, o, g, NULL), LESS(INT(2), INT(7))),
                   "filter of a table and groups");
        query_relation *narrow = project(&w.m, i, 1, 2, INT(1), INT(2));
        check_means(&w, over(&w.m, QUERY_DISTINCT, narrow),
                    "SELECT DISTINCT b2.c1, b1.c1 FROM b2, b1 WHERE b2.c0 = b1.c0 AND b1.c1 IS NOT NULL",
                    "distinct");
        query_relation *both = over(&w.m, QUERY_UNION, narrow);
        both->other = project(&w.m, o, 1, 2, INT(2), INT(3));
        check_means(&w, both,
                    "SELECT b2.c1, b1.c1 FROM b2, b1 WHERE b2.c0 = b1.c0 AND b1.c1 IS NOT NULL UNION ALL "
                    "SELECT c2, c1 FROM b1 WHERE c1 IS NOT NULL",
                    "union");
        query_relation *computed =
            project(&w.m, o, 0, 2, INT(3), call(&w.m, QUERY_IS_NULL, DUSK_TYPE_BOOLEAN, 1, INT(2)));
        check_rule(&w, filter(&w.m, computed, column(&w.m, DUSK_TYPE_BOOLEAN, 1)), "filter of computed");
        check_rule(&w, join(&w.m, QUERY_INNER, computed, computed, NULL), "join of computed");
        close_world(&w);
    }
}

/* Sums and means of doubles: no overflow of whole numbers or of doubles, NULL for no values. */
static void sums_are_of_doubles(void **state)
{
    static const query_inner inner[] = { QUERY_INNER_SUM, QUERY_INNER_AVG, QUERY_INNER_SUM, QUERY_INNER_AVG };
    static const double big[] = { 9e18, 0, 1e290, -1e308, 5e-324, 1, 2 };
    world w = open_world(state, 1);
    must(&w.engine, "DELETE FROM b1");
    must(&w.engine,
         "INSERT INTO b1 VALUES (1, 1, 9223372036854775807), (2, 1, 9223372036854775807), (3, 2, 5), (4, 2, "
         "6), (5, 3, NULL), (6, 4, -9223372036854775807), (7, 4, NULL)");
    query_relation *o = scan(&w.m, w.schema, ORDERS);
    for (size_t i = 0; i < sizeof big / sizeof *big; i++) {
        query_expression *times = call(&w.m, QUERY_MULTIPLY, DUSK_TYPE_REAL, 2, INT(2), real(&w.m, big[i]));
        if (i % 2) /* more than is said twice */
            times =
                call(&w.m, QUERY_NULLIF, DUSK_TYPE_REAL, 2, call(&w.m, QUERY_ABS, DUSK_TYPE_REAL, 1, times),
                     call(&w.m, QUERY_SQRT, DUSK_TYPE_REAL, 1, times));
        query_relation *g = group(&w.m, o, 0, 1, 5, inner, INT(3), INT(2), INT(2), times, times);
        rows got = of_relation(&w, g);
        assert_int_equal(got.used, 4);
        const char *expected[] = { "1|-|9.22337203685e+18|", "2|11|5.5|", "3|-|-|-|-|",
                                   "4|-9223372036854775808|-9.22337203685e+18|" };
        for (size_t k = 0; k < 4; k++) assert_memory_equal(got.row[k], expected[k], strlen(expected[k]));
        if (big[i] == 2) assert_string_equal(got.row[1], "2|11|5.5|22|11|");
        rows_free(&got);
        check_rule(&w, g, "sums");
    }
    close_world(&w);
}

/* 0 and -0 are one value: which of them stands for it is no matter of the order of rows. */
static void zero_has_no_sign(void **state)
{
    static const query_inner inner[] = { QUERY_INNER_MIN, QUERY_INNER_MAX };
    world w = open_world(state, 1);
    must(&w.engine, "DELETE FROM b1");
    must(&w.engine, "INSERT INTO b1 VALUES (1, 1, 0), (2, 1, 1), (3, 2, 1), (4, 2, 0), (5, 3, 0), (6, 4, 1)");
    query_relation *o = scan(&w.m, w.schema, ORDERS);
    query_expression *none = call(&w.m, QUERY_MULTIPLY, DUSK_TYPE_REAL, 2, INT(2), real(&w.m, 0));
    query_expression *half = call(&w.m, QUERY_SUBTRACT, DUSK_TYPE_REAL, 2, INT(2), real(&w.m, 0.5));
    query_expression *zero = call(&w.m, QUERY_MULTIPLY, DUSK_TYPE_REAL, 2, none, half); /* -0 of 0, 0 of 1 */
    query_relation *cases[] = { group(&w.m, o, 0, 2, 2, inner, INT(3), zero),
                                group(&w.m, o, 0, 1, 3, inner, INT(3), zero, zero),
                                over(&w.m, QUERY_DISTINCT, project(&w.m, o, 0, 2, INT(3), zero)) };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rows got = of_relation(&w, cases[i]);
        assert_int_equal(got.used, 4);
        for (size_t k = 0; k < got.used; k++) assert_null(strstr(got.row[k], "-0"));
        rows_free(&got);
        check_rule(&w, cases[i], "zeros");
    }
    close_world(&w);
}

int main(void)
{
    static opener *const engines[] = { open_sqlite, open_duckdb, open_postgres };
    int failed = 0;
    for (size_t i = 0; i < 3; i++) {
        void *engine = (void *)(uintptr_t)&engines[i];
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(tables_are_read_with_their_unit, engine),
            cmocka_unit_test_prestate(joins_stay_within_a_unit, engine),
            cmocka_unit_test_prestate(a_table_on_the_way_is_read_once, engine),
            cmocka_unit_test_prestate(filters_above_an_outer_join_stay_above, engine),
            cmocka_unit_test_prestate(groups_and_the_rest, engine),
            cmocka_unit_test_prestate(sums_are_of_doubles, engine),
            cmocka_unit_test_prestate(zero_has_no_sign, engine),
        };
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
