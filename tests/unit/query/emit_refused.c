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

/* Memory that runs out anywhere is an error, and nothing is left behind. */
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
        cmocka_unit_test_prestate(memory_may_run_out, state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
