/* SPDX-License-Identifier: Apache-2.0 */
/* The rule on finished plans: those of real queries pass, and every way to break one node of them is
 * seen. */
#include "support.h"

#include "plan_print.h"
#include "query/release_plan.h"

static const char *const queries[] = {
    "SELECT city, COUNT(*) FROM visits WHERE open GROUP BY city",
    "SELECT COUNT(*) FROM visits a JOIN visits b USING (user_id)",
    "SELECT country, COUNT(*) FROM visits LEFT JOIN place ON place.city = visits.city GROUP BY country",
    "SELECT COUNT(*) FROM place JOIN visits ON place.size = visits.age",
    "SELECT COUNT(*) FROM visits a WHERE NOT EXISTS (SELECT 1 FROM visits b WHERE a.user_id = b.user_id AND "
    "b.open)",
    "SELECT SUM(LEAST(n, 9)) FROM (SELECT user_id, city, COUNT(*) n FROM visits GROUP BY user_id, city) t",
    "SELECT COUNT(*) FROM (SELECT DISTINCT city, user_id FROM visits) t",
    "SELECT COUNT(*) FROM (SELECT city FROM visits UNION ALL SELECT note FROM visits) t",
    "SELECT country, open, COUNT(*) FROM visits JOIN place USING (city) GROUP BY country, open",
};

/* The number of nodes, and the n-th of them. */
static size_t count_nodes(query_relation *r, size_t n, query_relation **found)
{
    size_t seen = 1;
    if (!r) return 0;
    if (n == 0) *found = r;
    seen += count_nodes(r->input, n >= seen ? n - seen : SIZE_MAX, found);
    seen += count_nodes(r->other, n >= seen ? n - seen : SIZE_MAX, found);
    return seen;
}

static void must_fail(const query_plan *plan, const char *sql, const char *what)
{
    dusk_error err = { .message = "" };
    if (query_plan_check(plan, &err) != DUSK_ERR_INTERNAL) fail_msg("%s: %s passes", sql, what);
}

static bool is_private(const query_relation *r) { return r->unit != QUERY_NONE; }

/* Break one node in every way that concerns units, and mend it. */
static void break_node(const query_plan *plan, query_relation *r, const char *sql)
{
    query_relation kept = *r;
    if (is_private(r)) {
        r->unit = QUERY_NONE;
        must_fail(plan, sql, "a node without its unit");
        r->unit = r->columns;
        must_fail(plan, sql, "a unit that is no column");
        for (size_t i = 0; i < r->columns; i++) {
            query_expression *e = r->expression && i < r->columns ? r->expression[i] : NULL;
            bool also = (r->kind == QUERY_PROJECT || r->kind == QUERY_GROUP) && e &&
                        e->kind == QUERY_COLUMN && e->index == r->input->unit;
            if (i == kept.unit || also) continue;
            r->unit = i;
            must_fail(plan, sql, "another column as the unit");
        }
    } else {
        r->unit = 0;
        must_fail(plan, sql, "a public node with a unit");
    }
    *r = kept;
    if (r->kind == QUERY_GROUP && is_private(r)) {
        r->keys = r->unit;
        must_fail(plan, sql, "a group without the unit among its keys");
    }
    if (r->kind == QUERY_JOIN && !is_private(r->input) && is_private(r->other))
        for (query_join join = QUERY_LEFT; join <= QUERY_ANTI; join++) {
            r->join = join;
            must_fail(plan, sql, "public rows that stay");
        }
    *r = kept;
    if (r->condition) {
        query_expression beyond = { .kind = QUERY_COLUMN, .type = DUSK_TYPE_BOOLEAN, .index = 1000 };
        r->condition = &beyond;
        must_fail(plan, sql, "a condition over a column that is not there");
    }
    *r = kept;
}

static void broken_nodes_are_seen(void **state)
{
    dusk_schema *schema = visits_schema();
    size_t nodes = 0;
    (void)state;
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        query_plan *plan = NULL;
        query_relation *node = NULL;
        dusk_error err = { .message = "" };
        if (query_plan_new(&plan, schema, queries[i], &err) != DUSK_OK)
            fail_msg("%s: %s", queries[i], err.message);
        size_t n = count_nodes(plan->input, SIZE_MAX, &node);
        for (size_t k = 0; k < n; k++) {
            count_nodes(plan->input, k, &node);
            break_node(plan, node, queries[i]);
            assert_int_equal(query_plan_check(plan, &err), DUSK_OK);
        }
        nodes += n;
        query_plan_free(plan);
    }
    assert_true(nodes > 30);
    dusk_schema_free(schema);
}

/* What reading would refuse: the private table as if it were public. */
static void tables_are_what_the_schema_says(void **state)
{
    dusk_schema *schema = visits_schema();
    query_plan *plan = NULL;
    dusk_error err = { .message = "" };
    (void)state;
    assert_int_equal(query_plan_new(&plan, schema, "SELECT COUNT(*) FROM visits", &err), DUSK_OK);
    schema->table[0].is_public = true;
    must_fail(plan, "a scan", "a public table with a unit");
    schema->table[0].is_public = false;
    plan->input->input->path.steps = 0;
    must_fail(plan, "a scan", "a private table without a way to the unit");
    query_plan_free(plan);
    dusk_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_nodes_are_seen),
        cmocka_unit_test(tables_are_what_the_schema_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
