/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation fails, for every n until the plan is made: DUSK_ERR_MEMORY with one sentence, no
 * plan, nothing leaked (the sanitizer build looks); never another plan. */
#include "support.h"

#include "base/memory.h"
#include "plan_print.h"

static void memory_fails_everywhere(void **state)
{
    static const char *const queries[] = {
        "SELECT country, sex, COUNT(*), SUM(spent * age) FROM visits JOIN place USING (city) "
        "WHERE EXISTS (SELECT 1 FROM visits b WHERE b.user_id = visits.user_id AND b.open) GROUP BY 1, 2 "
        "ORDER BY 3",
        "WITH t AS (SELECT user_id, grade, LEAST(COUNT(*), 5) n FROM visits GROUP BY user_id, grade) "
        "SELECT grade, AVG(n) FROM (SELECT * FROM t UNION ALL SELECT * FROM t WHERE n > 1) x GROUP BY grade",
        "SELECT COUNT(*) FROM visits WHERE nothing",
    };
    static char first[20000], again[20000];
    dusk_schema *schema = visits_schema();
    (void)state;
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        query_plan *plan = NULL;
        dusk_error err = { .message = "" };
        dusk_status expected = query_plan_new(&plan, schema, queries[i], &err), status = DUSK_ERR_MEMORY;
        first[0] = again[0] = '\0';
        if (plan) print_plan(first, sizeof first, plan);
        query_plan_free(plan);
        long n = 0;
        while (status == DUSK_ERR_MEMORY) {
            plan = NULL;
            dusk_memory_fail_at(++n);
            status = query_plan_new(&plan, schema, queries[i], &err);
            dusk_memory_fail_at(0);
            if (status != DUSK_ERR_MEMORY) break;
            assert_null(plan);
            assert_true(err.message[0] != '\0');
        }
        assert_int_equal(status, expected);
        if (plan) print_plan(again, sizeof again, plan);
        query_plan_free(plan);
        assert_string_equal(first, again);
        assert_true(n > 2);
    }
    dusk_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(memory_fails_everywhere) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
