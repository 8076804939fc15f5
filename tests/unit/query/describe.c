/* SPDX-License-Identifier: Apache-2.0 */
/* Plans as text: the normal text differs whenever the question does, and does not otherwise; and what
 * people read names tables, paths and keys. */
#include "base/memory.h"
#include "query_nodes.h"

static dusk_schema *make_schema(void)
{
    static const char *const facts[][3] = {
        { "customer", "source", "a.csv" },
        { "customer.id", "type", "integer" },
        { "customer.id", "unique", "yes" },
        { "customer.city", "type", "text" },
        { "customer.city", "domain", "a,b,c" },
        { "orders", "source", "b.csv" },
        { "orders.customer", "type", "integer" },
        { "orders.amount", "type", "real" },
        { "orders.amount", "bounds", "0:500" },
        { "orders.customer", "link", "customer.id" },
        { "", "unit", "customer.id" },
    };
    dusk_schema *schema;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_schema_new(&schema, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (dusk_schema_declare(schema, facts[i][0], facts[i][1], facts[i][2], &err) != DUSK_OK)
            fail_msg("%s", err.message);
    return schema;
}

static char *text_of(const dusk_schema *schema, const char *sql, bool people)
{
    dusk_error err = { .message = "" };
    query_plan *plan;
    char *text = NULL;
    if (query_plan_new(&plan, schema, sql, &err) != DUSK_OK) fail_msg("%s: %s", sql, err.message);
    assert_int_equal(people ? query_plan_describe(plan, &text, &err) : query_plan_normal(plan, &text, &err),
                     DUSK_OK);
    query_plan_free(plan);
    return text;
}

static void normal_texts_differ_with_the_question(void **state)
{
    /* Those of a line are the same question, all others are not. */
    static const char *const questions[][3] = {
        { "SELECT COUNT(*) FROM orders", "select  count(*) from Orders", "SELECT COUNT(*) FROM orders AS o" },
        { "SELECT COUNT(*) AS n FROM orders", "SELECT COUNT(*) AS n FROM orders o" },
        { "SELECT COUNT(*) AS \"n 1:x\" FROM orders" },
        { "SELECT COUNT(amount) FROM orders" },
        { "SELECT SUM(amount) FROM orders", "SELECT SUM(o.amount) FROM orders o" },
        { "SELECT AVG(amount) FROM orders" },
        { "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY amount) FROM orders" },
        { "SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY amount) FROM orders" },
        { "SELECT SUM(amount) FROM orders WHERE amount > 1" },
        { "SELECT SUM(amount) FROM orders WHERE amount > 1.5" },
        { "SELECT SUM(amount) FROM orders WHERE amount >= 1" },
        { "SELECT city, COUNT(*) FROM customer GROUP BY city",
          "SELECT c.city, COUNT(*) FROM customer c GROUP BY 1" },
        { "SELECT city, COUNT(*) FROM customer GROUP BY city ORDER BY 2" },
        { "SELECT city, COUNT(*) FROM customer GROUP BY city ORDER BY 2 DESC" },
        { "SELECT city, COUNT(*) FROM customer GROUP BY city LIMIT 2" },
        { "SELECT city, COUNT(*) FROM customer GROUP BY city HAVING COUNT(*) > 3" },
        { "SELECT COUNT(*) FROM customer WHERE city = 'a'" },
        { "SELECT COUNT(*) FROM customer WHERE city = 'b'" },
        { "SELECT COUNT(*) FROM customer WHERE city IN ('a', 'b')" },
        { "SELECT COUNT(*) FROM customer WHERE city = 'a 1:b'" },
        { "SELECT COUNT(*) FROM customer JOIN orders ON customer.id = orders.customer" },
        { "SELECT COUNT(*) FROM customer LEFT JOIN orders ON customer.id = orders.customer" },
    };
    enum { N = sizeof questions / sizeof *questions };
    char *text[N][3] = { { NULL } };
    dusk_schema *schema = make_schema();
    (void)state;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 3 && questions[i][k]; k++)
            text[i][k] = text_of(schema, questions[i][k], false);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 3 && questions[i][k]; k++) {
            if (strcmp(text[i][0], text[i][k]) != 0)
                fail_msg("%s: %s, %s", questions[i][k], text[i][0], text[i][k]);
            for (size_t j = 0; j < i; j++)
                if (strcmp(text[j][0], text[i][k]) == 0)
                    fail_msg("%s is %s", questions[i][k], questions[j][0]);
        }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 3; k++) dusk_deallocate(text[i][k]);
    dusk_schema_free(schema);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" is not in\n%s", part, text);
}

static void people_see_tables_paths_and_keys(void **state)
{
    (void)state;
    dusk_schema *schema = make_schema();
    char *text =
        text_of(schema,
                "SELECT city, SUM(amount) AS total, COUNT(*) FROM customer JOIN orders ON customer.id = "
                "orders.customer WHERE amount > 3 GROUP BY city",
                true);
    has(text, "scan orders, unit: orders.customer");
    has(text, "scan customer, unit: customer.id");
    has(text, "join inner, rows of the same unit");
    has(text, "city (public,");
    has(text, "total = sum of amount");
    has(text, "clamped to 3 .. 500");
    dusk_deallocate(text);
    dusk_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_texts_differ_with_the_question),
        cmocka_unit_test(people_see_tables_paths_and_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
