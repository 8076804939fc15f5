/* SPDX-License-Identifier: Apache-2.0 */
/* Queries that are refused, each with its place and a hint, and texts made to hurt. */
#include "support.h"

#include "plan_print.h"

static const struct {
    const char *sql, *message;
} refused[] = {
    { "SELEC COUNT(*) FROM visits", "at character 1: the query cannot be read" },
    { "SELECT COUNT(*) FROM visits WHERE", "at character 34: the query cannot be read" },
    { "SELECT COUNT(*) FROM visits; SELECT 1", "at character 29: there is a second statement" },
    { "DELETE FROM visits", "at character 1: only SELECT is answered" },
    { "INSERT INTO visits VALUES (1)", "at character 1: only SELECT is answered" },
    { "DROP TABLE visits", "at character 1: only SELECT is answered" },
    { "UPDATE visits SET age = 1", "at character 1: only SELECT is answered" },
    { "EXPLAIN SELECT COUNT(*) FROM visits", "at character 1: only SELECT is answered" },
    { "COPY visits TO '/tmp/x'", "at character 1: only SELECT is answered" },
    { "SET x = 1", "at character 1: only SELECT is answered" },
    { "VALUES (1)", "at character 9: VALUES is not supported" },
    { "SELECT COUNT(*)", "at character 8: there is no FROM" },
    { "SELECT * FROM visits", "at character 8: * would show rows; only aggregates are answered" },
    { "SELECT visits.* FROM visits", "at character 8: * would show rows; only aggregates are answered" },
    { "SELECT age FROM visits", "at character 8: this column is neither a key nor aggregated" },
    { "SELECT city, COUNT(*) FROM visits", "at character 8: this column is neither a key nor aggregated" },
    { "SELECT age + COUNT(*) FROM visits GROUP BY city",
      "at character 8: this column is neither a key nor aggregated" },
    { "SELECT DISTINCT city FROM visits", "at character 17: SELECT DISTINCT would show rows" },
    { "SELECT COUNT(*) INTO x FROM visits", "at character 22: SELECT INTO writes" },
    { "SELECT COUNT(*) FROM visits FOR UPDATE", "at character 8: nothing is locked here" },
    { "SELECT COUNT(*) FROM visits UNION ALL SELECT COUNT(*) FROM visits",
      "at character 8: UNION and its kin cannot be the outermost query" },
    { "SELECT COUNT(*) FROM nothing", "at character 22: there is no table \"nothing\"" },
    { "SELECT COUNT(nothing) FROM visits", "at character 14: there is no column \"nothing\" here" },
    { "SELECT COUNT(v.nothing) FROM visits v", "at character 14: there is no column \"v.nothing\" here" },
    { "SELECT COUNT(a.b.c.d) FROM visits", "at character 14: this name has too many parts" },
    { "SELECT COUNT(ctid) FROM visits", "at character 14: there is no column \"ctid\" here" },
    { "SELECT COUNT(age) FROM visits a JOIN visits b ON a.user_id = b.user_id",
      "at character 14: there is more than one column \"age\"" },
    { "SELECT COUNT(*) FROM public.visits", "at character 22: this form of a table's name is not supported" },
    { "SELECT COUNT(*) FROM ONLY visits", "at character 27: ONLY is not supported" },
    { "SELECT COUNT(*) FROM visits TABLESAMPLE SYSTEM (1)", "at character 22: this does not stand in FROM" },
    { "SELECT COUNT(*) FROM generate_series(1, 10)", "at character 22: this does not stand in FROM" },
    { "SELECT COUNT(*) FROM visits, LATERAL (SELECT 1) t", "at character 46: LATERAL is not supported" },
    { "SELECT COUNT(*) FROM visits NATURAL JOIN place", "at character 42: NATURAL joins are not supported" },
    { "SELECT COUNT(*) FROM visits a FULL JOIN visits b ON a.user_id = b.user_id",
      "at character 41: FULL joins are not supported" },
    { "SELECT COUNT(*) FROM visits a CROSS JOIN visits b",
      "at character 42: rows of different units would meet here: nothing says" },
    { "SELECT COUNT(*) FROM visits a JOIN visits b ON a.city = b.city",
      "at character 36: rows of different units would meet here: nothing says" },
    { "SELECT COUNT(*) FROM visits a LEFT JOIN visits b ON a.city = b.city",
      "at character 41: rows of different units would meet here: nothing says" },
    { "SELECT COUNT(*) FROM visits a JOIN visits b ON a.user_id < b.user_id",
      "at character 36: rows of different units would meet here: nothing says" },
    { "SELECT COUNT(*) FROM visits a JOIN visits b ON a.user_id = b.user_id OR a.age = b.age",
      "at character 36: rows of different units would meet here: nothing says" },
    { "SELECT COUNT(*) FROM visits a JOIN visits b ON a.user_id = b.user_id + 0",
      "at character 36: rows of different units would meet here: nothing says" },
    { "SELECT COUNT(*) FROM place LEFT JOIN visits ON visits.city = place.city",
      "at character 38: which rows of a public table stay would depend on pri" },
    { "SELECT COUNT(*) FROM place WHERE EXISTS (SELECT 1 FROM visits WHERE visits.city = place.city)",
      "at character 34: which rows of a public table stay would depend on pri" },
    { "SELECT COUNT(*) FROM place",
      "at character 22: only public tables are read: there is nothing to prot" },
    { "SELECT COUNT(*) FROM visits a WHERE EXISTS (SELECT 1 FROM visits b WHERE b.city = a.city)",
      "at character 37: rows of different units would meet here: nothing says" },
    { "SELECT COUNT(*) FROM visits a WHERE a.city NOT IN (SELECT city FROM visits)",
      "at character 44: NOT IN with a column that may be NULL has a meaning f" },
    { "SELECT COUNT(*) FROM visits WHERE city NOT IN (SELECT city FROM place)",
      "at character 40: NOT IN with a column that may be NULL has a meaning f" },
    { "SELECT COUNT(*) FROM visits WHERE age > (SELECT AVG(age) FROM visits)",
      "at character 41: a subquery does not stand for a value here" },
    { "SELECT COUNT(*) FROM visits WHERE open OR EXISTS (SELECT 1 FROM place)",
      "at character 43: a subquery does not stand for a value here" },
    { "SELECT COUNT(*) FROM visits WHERE age = ANY (SELECT size FROM place)",
      "at character 39: ANY and ALL are not supported" },
    { "SELECT COUNT(*) FROM visits WHERE (age, grade) IN (SELECT size, size FROM place)",
      "at character 48: IN compares with one column" },
    { "SELECT COUNT(*) FROM visits WHERE age = ANY (ARRAY[1, 2])",
      "at character 39: this operator is not supported" },
    { "SELECT (SELECT COUNT(*) FROM visits) FROM visits",
      "at character 8: a subquery does not stand for a value here" },
    { "SELECT COUNT(*) FROM (SELECT DISTINCT city FROM visits) t",
      "at character 39: DISTINCT without the unit would compare rows of diffe" },
    { "SELECT COUNT(*) FROM (SELECT DISTINCT ON (city) city, user_id FROM visits) t",
      "at character 43: DISTINCT ON is not supported" },
    { "SELECT COUNT(*) FROM (SELECT city, COUNT(*) FROM visits GROUP BY city) t",
      "at character 66: a subquery groups rows of different units together" },
    { "SELECT COUNT(*) FROM (SELECT COUNT(*) AS n FROM visits) t",
      "at character 30: a subquery groups rows of different units together" },
    { "SELECT COUNT(*) FROM (SELECT user_id + 0 AS u, COUNT(*) FROM visits GROUP BY user_id + 0) t",
      "at character 78: a subquery groups rows of different units together" },
    { "SELECT COUNT(*) FROM (SELECT b.user_id FROM visits a LEFT JOIN visits b ON a.user_id = "
      "b.user_id GROUP BY b.user_id) t",
      "at character 107: a subquery groups rows of different units together" },
    { "SELECT COUNT(*) FROM (SELECT DISTINCT k FROM (SELECT user_id AS k FROM visits UNION ALL SELECT age "
      "FROM visits) a) t",
      "at character 39: DISTINCT without the unit" },
    { "SELECT COUNT(*) FROM visits WHERE user_id IN (SELECT DISTINCT ON (age) user_id FROM visits)",
      "at character 67: DISTINCT ON" },
    { "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT nothing FROM place)",
      "at character 50: there is no column" },
    { "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT rank() OVER () FROM place)",
      "at character 50: window" },
    { "SELECT COUNT(*) FROM (SELECT user_id FROM visits ORDER BY age) t",
      "at character 59: ORDER BY in a subquery has no meaning here" },
    { "SELECT COUNT(*) FROM (SELECT user_id FROM visits LIMIT 10) t",
      "at character 56: LIMIT in a subquery picks rows of different units" },
    { "SELECT COUNT(*) FROM (SELECT user_id FROM visits OFFSET 10) t",
      "at character 57: OFFSET in a subquery picks rows of different units" },
    { "SELECT COUNT(*) FROM (SELECT user_id FROM visits UNION SELECT user_id FROM visits) t",
      "at character 63: UNION, INTERSECT and EXCEPT compare rows of different" },
    { "SELECT COUNT(*) FROM (SELECT user_id FROM visits EXCEPT SELECT user_id FROM visits) t",
      "at character 64: UNION, INTERSECT and EXCEPT compare rows of different" },
    { "SELECT COUNT(*) FROM (SELECT city FROM visits UNION ALL SELECT city FROM place) t",
      "at character 64: rows of a public table belong to no unit and cannot b" },
    { "SELECT COUNT(*) FROM (SELECT city FROM visits UNION ALL SELECT city, age FROM visits) t",
      "at character 64: the sides of UNION ALL have different numbers of colu" },
    { "SELECT COUNT(*) FROM (SELECT city FROM visits UNION ALL SELECT age FROM visits) t",
      "at character 64: UNION ALL has a text and a whole number" },
    { "SELECT COUNT(*) FROM (VALUES (1), (2)) t", "at character 31: VALUES is not supported" },
    { "SELECT COUNT(*) FROM (SELECT MEDIAN(age) AS m FROM visits GROUP BY user_id) t",
      "at character 30: median is for the outer SELECT" },
    { "WITH RECURSIVE r AS (SELECT user_id FROM visits UNION ALL SELECT user_id FROM r) SELECT "
      "COUNT(*) FROM r",
      "at character 16: WITH RECURSIVE is not supported" },
    { "WITH d AS (DELETE FROM visits RETURNING *) SELECT COUNT(*) FROM d",
      "at character 6: only SELECT may stand in WITH" },
    { "SELECT rank() OVER (PARTITION BY city) FROM visits",
      "at character 8: window functions look at rows of other units" },
    { "SELECT SUM(spent) OVER () FROM visits",
      "at character 8: window functions look at rows of other units" },
    { "SELECT COUNT(*) FROM visits WINDOW w AS (ORDER BY age)",
      "at character 41: window functions look at rows of other units" },
    { "SELECT COUNT(*) FROM visits WHERE COUNT(*) > 1",
      "at character 35: the aggregate count may not stand here" },
    { "SELECT SUM(COUNT(*)) FROM visits", "at character 12: the aggregate count may not stand here" },
    { "SELECT SUM(raw) FROM visits", "at character 8: sum needs bounds of what it is taken of" },
    { "SELECT AVG(v.raw) FROM visits v", "at character 8: avg needs bounds of what it is taken of" },
    { "SELECT SUM(age * raw) FROM visits", "at character 8: sum needs bounds of what it is taken of" },
    { "SELECT SUM(DISTINCT age) FROM visits", "at character 8: sum(DISTINCT) is not supported" },
    { "SELECT SUM(city) FROM visits", "at character 8: sum needs a number, not a text" },
    { "SELECT MIN(day) FROM visits", "at character 8: min needs a number, not a date" },
    { "SELECT SUM(open) FROM visits", "at character 8: sum needs a number, not a boolean" },
    { "SELECT PERCENTILE_CONT(1.5) WITHIN GROUP (ORDER BY age) FROM visits",
      "at character 8: a percentile needs a constant from 0 to 1 and one orde" },
    { "SELECT PERCENTILE_CONT(grade) WITHIN GROUP (ORDER BY age) FROM visits",
      "at character 8: a percentile needs a constant from 0 to 1 and one orde" },
    { "SELECT PERCENTILE_CONT(0.5, age) FROM visits",
      "at character 8: this form of percentile_cont is not supported" },
    { "SELECT string_agg(city, ',') FROM visits",
      "at character 8: the function \"string_agg\" is not supported" },
    { "SELECT array_agg(age ORDER BY age) FROM visits",
      "at character 8: the function \"array_agg\" is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE pg_sleep(1) IS NULL",
      "at character 35: the function \"pg_sleep\" is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE random() < 0.5",
      "at character 35: the function \"random\" is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE current_user = 'x'",
      "at character 35: this kind of expression is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE now() > at",
      "at character 35: the function \"now\" is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE city::regclass = 1", "at character 41: this type is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE CAST(raw AS numeric(10, 2)) = 1",
      "at character 55: this form of a type is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE age = 'old'",
      "at character 41: the comparison has a whole number and a text" },
    { "SELECT COUNT(*) FROM visits WHERE city = 5",
      "at character 42: the comparison has a text and a whole number" },
    { "SELECT COUNT(*) FROM visits WHERE age",
      "at character 35: WHERE needs a condition, not a whole number" },
    { "SELECT COUNT(*) FROM visits WHERE open > TRUE", "at character 40: booleans have no order" },
    { "SELECT COUNT(*) FROM visits WHERE city + 1 = 2",
      "at character 42: the operation has a text and a whole number" },
    { "SELECT COUNT(*) FROM visits WHERE day > '2020-02-30'", "at character 41: this is no date" },
    { "SELECT COUNT(*) FROM visits WHERE at > TIMESTAMP '2020-02-28 25:00:00'",
      "at character 50: this is no timestamp" },
    { "SELECT COUNT(*) FROM visits WHERE at + INTERVAL '3 hours' > at",
      "at character 40: this interval is not whole years, months, weeks or da" },
    { "SELECT COUNT(*) FROM visits WHERE city LIKE note",
      "at character 40: the pattern of LIKE must be a constant" },
    { "SELECT COUNT(*) FROM visits WHERE city LIKE 'x!%' ESCAPE '!'",
      "at character 40: the pattern of LIKE must be a constant" },
    { "SELECT COUNT(*) FROM visits WHERE city SIMILAR TO 'x'",
      "at character 40: this operator is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE city ~ 'x'", "at character 40: this operator is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE age IN (1, NULL)",
      "at character 46: NULL stands in a list after IN" },
    { "SELECT COUNT(*) FROM visits WHERE age IS DISTINCT FROM 1",
      "at character 39: this operator is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE age BETWEEN SYMMETRIC 1 AND 2",
      "at character 39: this operator is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE ROW(age, 1) = ROW(1, 1)",
      "at character 35: this kind of expression is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE age = $1",
      "at character 41: this kind of expression is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE substring(city, age, 2) = 'x'",
      "at character 51: substring needs a constant whole number here" },
    { "SELECT COUNT(*) FROM visits WHERE substring(city, 0, 2) = 'x'",
      "at character 51: substring needs a place from 1 on here" },
    { "SELECT COUNT(*) FROM visits WHERE substring(city from 'x') = 'x'",
      "at character 55: substring needs a constant whole number here" },
    { "SELECT COUNT(*) FROM visits WHERE extract(epoch FROM day) > 1",
      "at character 43: extract needs a unit such as year, month or day here" },
    { "SELECT COUNT(*) FROM visits WHERE date_trunc(city, day) > day",
      "at character 46: date_trunc needs a unit such as year, month or day he" },
    { "SELECT COUNT(*) FROM visits WHERE round(raw, 99) > 1",
      "at character 46: round needs digits from -15 to 15 here" },
    { "SELECT COUNT(*) FROM visits WHERE lower(age) = 'x'", "at character 41: lower needs text here" },
    { "SELECT COUNT(*) FROM visits WHERE lower() = 'x'", "at character 35: lower has too few arguments" },
    { "SELECT COUNT(*) FROM visits WHERE lower(city, city) = 'x'",
      "at character 35: lower has too many arguments" },
    { "SELECT COUNT(*) FROM visits GROUP BY COUNT(*)",
      "at character 38: the aggregate count may not stand here" },
    { "SELECT COUNT(*) FROM visits GROUP BY 2",
      "at character 38: the SELECT list has no column of that number" },
    { "SELECT COUNT(*) FROM visits GROUP BY ROLLUP (city)",
      "at character 38: this kind of expression is not supported" },
    { "SELECT COUNT(*) FROM visits GROUP BY GROUPING SETS ((city), ())",
      "at character 38: this kind of expression is not supported" },
    { "SELECT COUNT(*) FROM visits GROUP BY DISTINCT city",
      "at character 8: this form of SELECT is not supported" },
    { "SELECT COUNT(*) FROM visits HAVING age > 1",
      "at character 36: this column is neither a key nor aggregated" },
    { "SELECT COUNT(*) FROM visits ORDER BY age",
      "at character 38: this column is neither a key nor aggregated" },
    { "SELECT COUNT(*) FROM visits ORDER BY 7",
      "at character 38: the SELECT list has no column of that number" },
    { "SELECT COUNT(*) FROM visits ORDER BY 1 USING <",
      "at character 38: this form of ORDER BY is not supported" },
    { "SELECT COUNT(*) FROM visits LIMIT -1", "at character 35: LIMIT and OFFSET need a whole number" },
    { "SELECT COUNT(*) FROM visits LIMIT 1 + 1", "at character 35: LIMIT and OFFSET need a whole number" },
    { "SELECT COUNT(*) FROM visits ORDER BY 1 FETCH FIRST 1 ROW WITH TIES",
      "at character 52: WITH TIES is not supported" },
    { "SELECT CASE WHEN open THEN 1 ELSE 'x' END, COUNT(*) FROM visits GROUP BY 1",
      "at character 35: CASE has a whole number and a text" },
    { "SELECT COUNT(*), 1e999 FROM visits", "at character 18: this number is too large" },
    { "SELECT 1 FROM visits", "at character 8: nothing is aggregated" },
    { "SELECT COUNT(*) FROM visits GROUP BY age, age + 1, age + 2, age + 3, grade",
      "at character 65: the keys have more than 16777216 combinations" },
    { "SELECT COUNT(*) FROM (SELECT raw AS user_id FROM visits) t JOIN visits USING (user_id)",
      "at character 65: rows of different units would meet here: nothing says" },
    { "SELECT COUNT(*) FROM visits v(a,b,c,d,e,f,g,h,i,j,k,l,m,n)",
      "at character 22: \"v\" has fewer columns than names" },
    { "SELECT COUNT(*) FROM visits WHERE (city COLLATE \"C\") = 'x'",
      "at character 41: this kind of expression is not supported" },
    { "SELECT COUNT(*) FROM visits WHERE at AT TIME ZONE 'utc' > at",
      "at character 38: the function \"timezone\" is not supported" },
    { "SELECT GREATEST(city, 'x'), COUNT(*) FROM visits GROUP BY 1",
      "at character 8: GREATEST is for numbers and dates" },
    { "SELECT COUNT(*) FROM visits WHERE 'é' = 'é' AND nothing",
      "at character 49: there is no column \"nothing\" here" },
};

/* Words of the text that a message may not repeat. */
static void check_error(const char *sql, dusk_status status, const dusk_error *err)
{
    if (status != DUSK_ERR_PARSE && status != DUSK_ERR_UNSUPPORTED)
        fail_msg("%s: %d %s", sql, (int)status, err->message);
    if (err->status != status || err->message[0] == '\0' || err->hint[0] == '\0')
        fail_msg("%s: no hint", sql);
}

static void queries_are_refused_with_their_place(void **state)
{
    dusk_schema *schema = visits_schema();
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        query_plan *plan = NULL;
        dusk_error err = { .message = "" };
        dusk_status status = query_plan_new(&plan, schema, refused[i].sql, &err);
        check_error(refused[i].sql, status, &err);
        assert_null(plan);
        if (strncmp(err.message, "at character ", 13) != 0)
            fail_msg("%s: no place: %s", refused[i].sql, err.message);
        if (strncmp(err.message, refused[i].message, strlen(refused[i].message)) != 0)
            fail_msg("%s\n   is %s\n  not %s", refused[i].sql, err.message, refused[i].message);
    }
    dusk_schema_free(schema);
}

/* Constants of the text may be private knowledge: they are in no message. */
static void constants_are_not_repeated(void **state)
{
    static const char *const queries[] = {
        "SELECT COUNT(*) FROM visits WHERE city = 'secret' + 1",
        "SELECT COUNT(*) FROM visits WHERE city = 'secret",
        "SELECT COUNT(*) FROM visits WHERE secret(",
        "SELECT COUNT(*) FROM visits WHERE age = 'secret'",
        "SELECT COUNT(*) FROM visits WHERE day = 'secret'",
        "SELECT COUNT(*) FROM visits WHERE 'secret'",
        "SELECT COUNT(*) FROM visits WHERE day + INTERVAL 'secret' > day",
        "SELECT COUNT(*) FROM visits WHERE extract('secret' FROM day) = 1",
        "SELECT COUNT(*) FROM visits WHERE city LIKE 'secret\\'",
        "SELECT COUNT(*), 'secret' || city FROM visits",
        "SELECT COUNT(*) FROM visits WHERE 'secret' IN (1, 2)",
        "SELECT COUNT(*) FROM visits secret 'secret'",
    };
    dusk_schema *schema = visits_schema();
    (void)state;
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        query_plan *plan = NULL;
        dusk_error err = { .message = "" };
        check_error(queries[i], query_plan_new(&plan, schema, queries[i], &err), &err);
        if (strstr(err.message, "secret") || strstr(err.hint, "secret"))
            fail_msg("%s: %s", queries[i], err.message);
    }
    dusk_schema_free(schema);
}

static char *repeat(const char *before, const char *part, size_t n, const char *after)
{
    size_t length = strlen(part), first = strlen(before);
    char *text = calloc(first + n * length + strlen(after) + 1, 1);
    assert_non_null(text);
    memcpy(text, before, first);
    for (size_t i = 0; i < n; i++) memcpy(text + first + i * length, part, length);
    memcpy(text + first + n * length, after, strlen(after));
    return text;
}

/* Deep, long and wide: always an answer, never a crash. */
static void hostile_texts_are_refused(void **state)
{
    static const struct {
        const char *before, *part, *after;
        size_t n;
    } texts[] = {
        { "SELECT ", "age + ", "age FROM visits", 10000 },
        { "SELECT COUNT(", "age + ", "age) FROM visits", 80 },
        { "SELECT COUNT(", "-(", "age) FROM visits", 9000 },
        { "SELECT COUNT(", "(", "age) FROM visits", 20000 },
        { "SELECT COUNT(*) FROM visits WHERE ", "NOT ", "open", 100 },
        { "SELECT COUNT(*) FROM visits WHERE ", "NOT ", "open", 15000 },
        { "SELECT COUNT(*) FROM visits WHERE ", "open AND ", "open", 7000 },
        { "SELECT COUNT(*) FROM visits WHERE city = '", "x", "'", 70000 },
        { "SELECT ", "COUNT(*), ", "1 FROM visits", 300 },
        { "SELECT COUNT(*) FROM visits WHERE age IN (1", ", 1", ")", 2000 },
        { "SELECT COUNT(*) FROM visits", ", place", "", 40 },
        { "SELECT COUNT(*) FROM visits", ", place x", "", 5000 },
        { "SELECT COUNT(*) FROM ", "(SELECT * FROM ", "visits", 3000 },
        { "SELECT CASE ", "WHEN open THEN 1 ", "END, COUNT(*) FROM visits GROUP BY 1", 1000 },
        { "", "(", "", 60000 },
        { "\xff", "", "", 0 },
        { "SELECT '\xed\xa0\x80' FROM visits", "", "", 0 },
        { "", "", "", 0 },
        { ";", ";", "", 10 },
    };
    dusk_schema *schema = visits_schema();
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *sql = repeat(texts[i].before, texts[i].part, texts[i].n, texts[i].after);
        query_plan *plan = NULL;
        dusk_error err = { .message = "" };
        check_error(texts[i].before, query_plan_new(&plan, schema, sql, &err), &err);
        free(sql);
    }
    dusk_schema_free(schema);
}

/* Each WITH uses the one before twice: 2^13 uses of the table, if anybody followed them all. */
static void doubling_is_refused(void **state)
{
    char sql[4000];
    dusk_text text;
    dusk_schema *schema = visits_schema();
    query_plan *plan = NULL;
    dusk_error err = { .message = "" };
    (void)state;
    dusk_text_init(&text, sql, sizeof sql);
    dusk_text_add(&text, "WITH q0 AS (SELECT user_id FROM visits)");
    for (int i = 1; i <= 13; i++)
        dusk_text_add(&text, ", q%d AS (SELECT user_id FROM q%d UNION ALL SELECT user_id FROM q%d)", i, i - 1,
                      i - 1);
    dusk_text_add(&text, " SELECT COUNT(*) FROM q13");
    check_error(sql, query_plan_new(&plan, schema, sql, &err), &err);
    assert_non_null(strstr(err.message, "too l"));
    dusk_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_refused_with_their_place),
        cmocka_unit_test(constants_are_not_repeated),
        cmocka_unit_test(hostile_texts_are_refused),
        cmocka_unit_test(doubling_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
