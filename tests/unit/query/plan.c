/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and their plans, as one line each. */
#include "support.h"

#include "plan_print.h"

static const char *const facts[] = {
    "visits source visits.csv", "visits.user_id type integer", "visits.city type text",
    "visits.sex type text",     "visits.sex domain F,M",       "visits.age type integer",
    "visits.age bounds 0:120",  "visits.spent type real",      "visits.spent bounds -50:500",
    "visits.day type date",     "visits.at type timestamp",    "visits.open type boolean",
    "visits.note type text",    "visits.raw type real",        "visits.grade type integer",
    "visits.grade bounds 1:5",  "visits.grade nullable no",    "visits rows_per_unit 20",
    "- unit visits.user_id",
};

static void plan_is(const dusk_schema *schema, const char *sql, const char *expected)
{
    static char text[20000];
    query_plan *plan = NULL;
    dusk_error err = { .message = "" };
    if (query_plan_new(&plan, schema, sql, &err) != DUSK_OK)
        fail_msg("%s\n%s (%s)", sql, err.message, err.hint);
    print_plan(text, sizeof text, plan);
    query_plan_free(plan);
    if (strcmp(text, expected) != 0) fail_msg("%s\n    is %s\nnot %s", sql, text, expected);
}

static void refused(const dusk_schema *schema, const char *sql, const char *message)
{
    query_plan *plan = NULL;
    dusk_error err = { .message = "" };
    dusk_status status = query_plan_new(&plan, schema, sql, &err);
    if (status == DUSK_OK || status == DUSK_ERR_INTERNAL) fail_msg("%s: %d", sql, (int)status);
    if (!strstr(err.message, message) || err.hint[0] == '\0')
        fail_msg("%s\n%s (%s)", sql, err.message, err.hint);
}

static void one_table(void **state)
{
    dusk_schema *schema = schema_of(facts, sizeof facts / sizeof facts[0]);
    (void)state;
    plan_is(schema, "SELECT COUNT(*) FROM visits", "project(visits@0; #0)@0 | rows => count:#0 rows 20");
    plan_is(schema,
            "SELECT city, COUNT(*), SUM(spent) FROM visits WHERE age > 17 AND open GROUP BY city "
            "HAVING COUNT(*) > 5 ORDER BY 3 DESC LIMIT 10",
            "project(filter(visits@0; and(>(#3,17),#7))@0; #0,#1,#4)@0 | rows | sum 0 in -50:500 => city:#0 "
            "count:#1 sum:#2 having >(#1,5) order #2 desc nulls first limit 10 private rows 20");
    plan_is(schema, "SELECT sum(age * spent - 3) FROM visits",
            "project(visits@0; #0,-(*(real(#3),#4),3))@0 | sum 0 in -6003:59997 => sum:#0 rows 20");
    plan_is(schema, "SELECT sum(grade * spent) FROM visits WHERE spent BETWEEN -7 AND 3",
            "project(filter(visits@0; and(>=(#4,-7),<=(#4,3)))@0; #0,*(real(#10),#4))@0 | sum 0 in -35:15 => "
            "sum:#0 rows 20");
    plan_is(
        schema,
        "SELECT avg(n) FROM (SELECT user_id, LEAST(COUNT(*), 20) AS n FROM visits GROUP BY user_id) t",
        "project(project(group(visits@0; #0; count *)@0; #0,least(#1,20))@0; #0,#1)@0 | mean 0 in 0:20 whole "
        "=> avg:#0 one row rows 20");
    dusk_schema_free(schema);
}

static void what_mixes_units_is_refused(void **state)
{
    dusk_schema *schema = schema_of(facts, sizeof facts / sizeof facts[0]);
    (void)state;
    refused(schema, "SELECT SUM(raw) FROM visits", "at character 8: sum needs bounds");
    refused(schema, "SELECT COUNT(*) FROM (SELECT DISTINCT city FROM visits) t", "at character 39: DISTINCT");
    refused(schema, "SELECT COUNT(*) FROM (SELECT city, COUNT(*) FROM visits GROUP BY city) t",
            "at character 66: a subquery groups");
    refused(schema, "SELECT COUNT(*) FROM visits a, visits b WHERE a.city = b.city",
            "at character 32: rows of");
    dusk_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_table),
                                        cmocka_unit_test(what_mixes_units_is_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
