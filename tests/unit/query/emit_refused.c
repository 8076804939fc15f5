/* SPDX-License-Identifier: Apache-2.0 */
/* Plans that SQL is not made of: those that break the rule, those that are too deep; and memory that runs
 * out. */
#include "relation_world.h"

static void refused(world *w, query_relation *r)
{
    dusk_cell_type types[32];
    char *sql = NULL;
    for (int dialect = 1; dialect <= 3; dialect++)
        assert_int_equal(query_emit(&sql, types, &w->plan, r, (dusk_dialect)dialect, NULL),
                         DUSK_ERR_INTERNAL);
    assert_null(sql);
}

static void plans_that_break_the_rule_are_refused(void **state)
{
    static const query_inner count[] = { QUERY_INNER_COUNT };
    world w = open_world(state, 1);
    query_relation *c = scan(&w.m, w.schema, CUSTOMER), *o = scan(&w.m, w.schema, ORDERS);
    query_relation *p = scan(&w.m, w.schema, CITIES), *r;
    refused(&w, project(&w.m, c, QUERY_NONE, 1, TEXT(1)));
    refused(&w, project(&w.m, o, 0, 1, INT(0)));                     /* another column as the unit */
    refused(&w, filter(&w.m, project(&w.m, o, 0, 1, INT(0)), NULL)); /* below */
    refused(&w, group(&w.m, o, QUERY_NONE, 1, 2, count, INT(2), NULL));
    refused(&w, group(&w.m, o, 1, 1, 2, count, INT(2), INT(3))); /* the unit is no key */
    refused(&w, join(&w.m, QUERY_LEFT, p, c, NULL));
    refused(&w, join(&w.m, QUERY_ANTI, p, c, NULL));
    refused(&w, join(&w.m, QUERY_SEMI, p, c, NULL));
    r = scan(&w.m, w.schema, ORDERS);
    r->unit = QUERY_NONE;
    refused(&w, r);
    r = scan(&w.m, w.schema, ORDERS);
    r->from[3] = 0;
    refused(&w, r);
    r = scan(&w.m, w.schema, ITEMS);
    r->path.steps = 1;
    r->path.step[0].table = ORDERS;
    refused(&w, r);
    r = scan(&w.m, w.schema, ITEMS);
    r->path.step[1].table = CUSTOMER;
    refused(&w, r);
    r = over(&w.m, QUERY_UNION, c);
    r->other = project(&w.m, c, QUERY_NONE, 3, INT(0), TEXT(1), INT(0));
    refused(&w, r);
    close_world(&w);
}

static void deep_expressions_are_refused(void **state)
{
    dusk_cell_type types[4];
    char *sql = NULL;
    world w = open_world(state, 1);
    query_expression *e = INT(2);
    for (int i = 0; i < 1000; i++) e = call(&w.m, QUERY_ADD, DUSK_TYPE_INTEGER, 2, e, INT(2));
    query_relation *r = project(&w.m, scan(&w.m, w.schema, ORDERS), 0, 2, INT(3), e);
    for (int dialect = 1; dialect <= 3; dialect++)
        assert_int_equal(query_emit(&sql, types, &w.plan, r, (dusk_dialect)dialect, NULL),
                         DUSK_ERR_UNSUPPORTED);
    close_world(&w);
}

/* Of every shape, what is not refused can be run: SQLite's parser has a stack of 100 places. */
static void what_is_not_refused_can_be_run(void **state)
{
    world w = open_world(state, 1);
    for (int shape = 0; shape < 10; shape++) {
        bool refused_once = false;
        for (int n = 1; n < 150; n++) {
            query_expression *e = INT(2), *c = INT(1), *t = TEXT(1);
            dusk_cell_type types[4];
            dusk_error err = { .message = "" };
            char *sql = NULL;
            maker *m = &w.m;
            for (int i = 0; i < n; i++) switch (shape) {
                case 0: e = call(m, QUERY_ADD, DUSK_TYPE_INTEGER, 2, e, c); break;
                case 1: e = call(m, QUERY_ADD, DUSK_TYPE_INTEGER, 2, c, e); break;
                case 2: e = call(m, QUERY_POWER, DUSK_TYPE_REAL, 2, c, e); break;
                case 3: e = call(m, QUERY_SQRT, DUSK_TYPE_REAL, 1, e); break;
                case 4: e = call(m, QUERY_LEAST, DUSK_TYPE_INTEGER, 2, c, e); break;
                case 5: e = call(m, QUERY_CASE, DUSK_TYPE_INTEGER, 3, truth(m, true), e, c); break;
                case 6: e = call(m, QUERY_CASE, DUSK_TYPE_INTEGER, 3, truth(m, true), c, e); break;
                case 7: e = call(m, QUERY_COALESCE, DUSK_TYPE_INTEGER, 3, c, c, e); break;
                case 8:
                    e = call(m, QUERY_LENGTH, DUSK_TYPE_INTEGER, 1,
                             t = call(m, QUERY_CONCAT, DUSK_TYPE_TEXT, 2, TEXT(1), t));
                    break;
                default: e = call(m, QUERY_CASE, DUSK_TYPE_INTEGER, 3, EQUAL(c, e), c, c);
                }
            query_relation *r =
                join(m, QUERY_INNER, scan(m, w.schema, CUSTOMER), scan(m, w.schema, CUSTOMER), EQUAL(e, e));
            dusk_status status =
                query_emit(&sql, types, &w.plan, project(m, r, 0, 1, INT(2)), DUSK_DIALECT_SQLITE, &err);
            if (status == DUSK_OK) {
                answer got;
                const char *wrong = w.engine.run(&w.engine, sql, types, 1, &got);
                if (wrong) fail_msg("shape %d, %d levels: %s", shape, n, wrong);
                answer_free(&got);
            } else {
                assert_int_equal(status, DUSK_ERR_UNSUPPORTED);
                if (!refused_once && n <= 3) fail_msg("shape %d: %d levels are refused", shape, n);
                refused_once = true;
            }
            dusk_deallocate(sql);
            if (n > 40) n += 30;
        }
        assert_true(refused_once);
    }
    close_world(&w);
}

/* Memory that runs out anywhere is an error, and nothing is left behind. */
/* SQLite joins 64 tables, be they side by side or in subselects that it joins into one. */
static void joins_of_many_tables_are_refused(void **state)
{
    static const int most[] = { 64, 32 };
    world w = open_world(state, 1);
    for (int computed = 0; computed < 2; computed++) {
        query_relation *o = scan(&w.m, w.schema, ORDERS), *part = project(&w.m, o, 0, 1, INT(3));
        query_relation *none = filter(&w.m, part, LESS(INT(0), INT(0))), *r = none;
        if (computed)
            part = project(&w.m, join(&w.m, QUERY_INNER, part, part, NULL), 0, 2, INT(0),
                           call(&w.m, QUERY_ADD, DUSK_TYPE_INTEGER, 2, INT(0), INT(1)));
        for (int n = 1; n <= 70; n++) {
            dusk_cell_type types[2];
            char *sql = NULL;
            query_relation *all = computed ? project(&w.m, r, 0, 2, INT(0), INT(0)) : r;
            dusk_status status = query_emit(&sql, types, &w.plan, all, DUSK_DIALECT_SQLITE, NULL);
            assert_int_equal(status, n <= most[computed] ? DUSK_OK : DUSK_ERR_UNSUPPORTED);
            if (status == DUSK_OK) {
                rows got = of_relation(&w, all);
                assert_int_equal(got.used, 0);
                rows_free(&got);
            }
            dusk_deallocate(sql);
            r = project(&w.m, join(&w.m, QUERY_INNER, r, part, NULL), 0, 1, INT(0));
        }
    }
    close_world(&w);
}

static void memory_may_run_out(void **state)
{
    world w = open_world(state, 1);
    query_relation *c = scan(&w.m, w.schema, CUSTOMER), *i = scan(&w.m, w.schema, ITEMS);
    query_relation *r =
        filter(&w.m, join(&w.m, QUERY_LEFT, c, i, NULL),
               call(&w.m, QUERY_LIKE, DUSK_TYPE_BOOLEAN, 2, TEXT(1), words(&w.m, DUSK_TYPE_TEXT, "a%")));
    for (int dialect = 1; dialect <= 3; dialect++) {
        dusk_status status = DUSK_ERR_MEMORY;
        for (long n = 1; status != DUSK_OK; n++) {
            dusk_cell_type types[8];
            char *sql = NULL;
            dusk_memory_fail_at(n);
            status = query_emit(&sql, types, &w.plan, r, (dusk_dialect)dialect, NULL);
            dusk_memory_fail_at(0);
            if (status != DUSK_OK) assert_int_equal(status, DUSK_ERR_MEMORY);
            dusk_deallocate(sql);
            assert_true(n < 500);
        }
    }
    close_world(&w);
}

int main(void)
{
    static opener *const engine = open_sqlite;
    void *state = (void *)(uintptr_t)&engine;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(plans_that_break_the_rule_are_refused, state),
        cmocka_unit_test_prestate(deep_expressions_are_refused, state),
        cmocka_unit_test_prestate(what_is_not_refused_can_be_run, state),
        cmocka_unit_test_prestate(joins_of_many_tables_are_refused, state),
        cmocka_unit_test_prestate(memory_may_run_out, state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
