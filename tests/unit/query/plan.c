/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and their plans, as one line each: every form of SQL that is accepted. */
#include "support.h"

#include "plan_print.h"

static const struct {
    const char *sql, *plan;
} accepted[] = {
    { "SELECT COUNT(*) FROM visits", "project(visits@0; #0)@0 | rows => count:#0 rows 20" },
    { "SELECT count(*) AS n, count(*) + count(1), COUNT(city), COUNT(DISTINCT city), COUNT(DISTINCT "
      "user_id) FROM visits",
      "project(visits@0; #0,#1)@0 | rows | values 0 | distinct 0 | units => n:#0 column2:+(#0,#0) "
      "count:#1 count:#2 count:#3 rows 20" },
    { "SELECT city, COUNT(*), SUM(spent) FROM visits WHERE age > 17 AND open GROUP BY city HAVING "
      "COUNT(*) > 5 ORDER BY 3 DESC LIMIT 10 OFFSET 2",
      "project(filter(visits@0; and(>(#2,17),#4))@0; #0,#1,#3)@0 | rows | sum 0 in -50:500 => "
      "city:#0 count:#1 sum:#2 having >(#1,5) order #2 desc nulls first limit 10 offset 2 private "
      "rows 20" },
    { "SELECT sex, AVG(spent) a, VARIANCE(spent), VAR_POP(spent), STDDEV(spent), STDDEV_POP(spent) "
      "FROM visits GROUP BY 1 ORDER BY a NULLS FIRST",
      "project(visits@0; #0,#1,#2)@0 | mean 0 in -50:500 | var 0 in -50:500 | var_pop 0 in -50:500 | "
      "dev 0 in -50:500 | dev_pop 0 in -50:500 => sex:#0 a:#1 variance:#2 var_pop:#3 stddev:#4 "
      "stddev_pop:#5 order #1 nulls first public 2+null rows 20" },
    { "SELECT MEDIAN(age), PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY spent DESC), "
      "PERCENTILE_DISC(0) WITHIN GROUP (ORDER BY age), MIN(age), MAX(spent) FROM visits",
      "project(visits@0; #0,#1,#2)@0 | quantile 0 at 0.5 in 0:120 whole | quantile 1 at 0.1 in "
      "-50:500 | min 0 in 0:120 whole | max 1 in -50:500 => median:#0 percentile_cont:#1 "
      "percentile_disc:#2 min:#2 max:#3 rows 20" },
    { "SELECT COUNT(*) FILTER (WHERE sex = 'F'), SUM(spent) FILTER (WHERE open), COUNT(DISTINCT "
      "user_id) FILTER (WHERE open) FROM visits",
      "project(visits@0; #0,case(=(#1,'F'),1,null),case(#3,#2,null),case(#3,#0,null))@0 | values 0 | "
      "sum 1 in -50:500 | distinct 2 => count:#0 sum:#1 count:#2 rows 20" },
    { "SELECT grade, sex, COUNT(*) FROM visits WHERE sex IS NOT NULL GROUP BY grade, sex",
      "project(filter(visits@0; not(isnull(#1)))@0; #0,#2,#1)@0 | rows => grade:#0 sex:#1 count:#2 "
      "public 5 2 rows 20" },
    { "SELECT CASE WHEN age < 18 THEN 'young' WHEN age < 65 THEN 'grown' ELSE 'old' END AS who, "
      "COUNT(*) FROM visits GROUP BY who",
      "project(visits@0; #0,case(<(#1,18),'young',<(#1,65),'grown','old'))@0 | rows => who:#0 "
      "count:#1 public 3 rows 20" },
    { "SELECT CASE sex WHEN 'F' THEN 1 WHEN 'M' THEN 2 END AS code, COUNT(*) FROM visits GROUP BY "
      "code",
      "project(visits@0; #0,case(=(#1,'F'),1,=(#1,'M'),2,null))@0 | rows => code:#0 count:#1 public "
      "2+null rows 20" },
    { "SELECT COALESCE(sex, '?') AS s, COUNT(*) FROM visits GROUP BY s",
      "project(visits@0; #0,coalesce(#1,'?'))@0 | rows => s:#0 count:#1 public 3 rows 20" },
    { "SELECT open, age > 64, COUNT(*) FROM visits GROUP BY open, age > 64",
      "project(visits@0; #0,#2,>(#1,64))@0 | rows => open:#0 column2:#1 count:#2 public 2+null "
      "2+null rows 20" },
    { "SELECT EXTRACT(month FROM day) m, EXTRACT(DOW FROM at), date_part('quarter', day), COUNT(*) "
      "FROM visits GROUP BY m, EXTRACT(DOW FROM at), 3",
      "project(visits@0; #0,extract('month',#1),extract('dow',#2),extract('quarter',#1))@0 | rows => "
      "m:#0 extract:#1 date_part:#2 count:#3 public 12+null 7+null 4+null rows 20" },
    { "SELECT EXTRACT(year FROM day), COUNT(*) FROM visits WHERE day >= '2019-05-01' AND day < DATE "
      "'2022-01-01' GROUP BY 1",
      "project(filter(visits@0; and(>=(#1,'2019-05-01'),<(#1,'2022-01-01')))@0; "
      "#0,extract('year',#1))@0 | rows => extract:#0 count:#1 public 3 rows 20" },
    { "SELECT date_trunc('MONTH', day), COUNT(*) FROM visits GROUP BY 1",
      "project(visits@0; #0,trunc('month',#1))@0 | rows => date_trunc:#0 count:#1 private rows 20" },
    { "SELECT city, COUNT(*) FROM visits WHERE city IN ('Paris', 'Rome', 'Paris') GROUP BY city",
      "project(filter(visits@0; in(#1,'Paris','Rome','Paris'))@0; #0,#1)@0 | rows => city:#0 "
      "count:#1 public 2 rows 20" },
    { "SELECT 100 * SUM(spent) / COUNT(*) AS per_hundred, ROUND(AVG(age), 1) FROM visits",
      "project(visits@0; #0,#2,#1)@0 | sum 0 in -50:500 | rows | mean 1 in 0:120 whole => "
      "per_hundred:/(*(100,#0),real(#1)) round:round(#2,1) rows 20" },
    { "SELECT SUM(age * spent - 3), SUM(-spent), SUM(ABS(spent)), SUM(spent / grade), "
      "SUM(SQRT(age)), SUM(ROUND(spent, 2)), SUM(FLOOR(spent)), SUM(age % 7), SUM(LEAST(raw, 10) * 0 "
      "+ 1) FROM visits WHERE raw >= 0",
      "project(filter(visits@0; >=(#3,0))@0; "
      "#0,-(*(real(#1),#2),3),neg(#2),abs(#2),/"
      "(#2,real(#4)),sqrt(#1),round(#2,2),floor(#2),%(#1,7),+(*(least(#3,10),0),1))@0 "
      "| sum 0 in -6003:59997 | sum 1 in -500:50 | sum 2 in 0:500 | sum 3 in -50:500 | sum 4 in "
      "0:10.9545 | sum 5 in -50.01:500.01 | sum 6 in -50:500 | sum 7 in 0:7 whole | sum 8 in 1:1 => "
      "sum:#0 sum:#1 sum:#2 sum:#3 sum:#4 sum:#5 sum:#6 sum:#7 sum:#8 rows 20" },
    { "SELECT SUM(GREATEST(LEAST(raw, 100), 0)), SUM(CASE WHEN open THEN spent ELSE 0 END), "
      "SUM(COALESCE(raw, 0)) FROM visits WHERE raw BETWEEN -1 AND 2",
      "project(filter(visits@0; and(>=(#3,-1),<=(#3,2)))@0; "
      "#0,greatest(least(#3,100),0),case(#2,#1,0),coalesce(#3,0))@0 | sum 0 in 0:2 | sum 1 in "
      "-50:500 | sum 2 in -1:2 => sum:#0 sum:#1 sum:#2 rows 20" },
    { "SELECT SUM(CAST(spent AS integer)), SUM(CAST(open AS integer)) FROM visits WHERE length(note) "
      "< 5 AND spent::text LIKE '1%' AND note NOT ILIKE '%Bad\\%' GROUP BY LENGTH(note)",
      "project(filter(visits@0; "
      "and(<(length(#3),5),like(text(#1),'1%'),not(like(lower(#3),'%bad\\%'))))@0; "
      "#0,length(#3),int(#1),int(#2))@0 | sum 0 in -50:500 whole | sum 1 in 0:1 whole => sum:#1 "
      "sum:#2 private rows 20" },
    { "SELECT SUM(LEAST(length(note), 80)) FROM visits",
      "project(visits@0; #0,least(length(#1),80))@0 | sum 0 in 0:80 whole => sum:#0 rows 20" },
    { "SELECT COUNT(*) FROM visits WHERE age IN (-1, 0, 5, - 7) AND age NOT IN (2, 3.5) AND NOT "
      "(city LIKE 'x_') AND spent NOT BETWEEN 0 AND 10 AND open IS NOT TRUE AND (age = 3) IS UNKNOWN "
      "AND (open IS FALSE)",
      "project(filter(visits@0; "
      "and(in(#2,-1,0,5,-7),not(in(real(#2),2,3.5)),not(like(#1,'x_')),not(and(>=(#3,0),<=(#3,10))),not("
      "coalesce(#4,false)),isnull(=(#2,3)),coalesce(not(#4),false)))@0; "
      "#0)@0 | rows => count:#0 rows 20" },
    { "SELECT COUNT(*) FROM visits WHERE lower(trim(city)) || '-' || age = 'rome-4' AND "
      "substring(city from 1 for 2) = 'Ro' AND upper(substr(city, 2, 3)) <> 'AB' AND NULLIF(city, "
      "'') IS NULL",
      "project(filter(visits@0; "
      "and(=(concat(concat(lower(trim(#1)),'-'),text(#2)),'rome-4'),=(substring(#1,1,2),'Ro'),<>(upper("
      "substring(#1,2,3)),'AB'),isnull(nullif(#1,''))))@0; "
      "#0)@0 | rows => count:#0 rows 20" },
    { "SELECT COUNT(*) FROM visits WHERE day - DATE '2020-01-31' > 30 AND day + INTERVAL '1 year 2 "
      "months -3 days' < at AND day + 7 > '2020-01-01' AND at < TIMESTAMP '2020-01-01 10:00' - "
      "INTERVAL '1' MONTH",
      "project(filter(visits@0; "
      "and(>(datediff(#1,'2020-01-31'),30),<(timestamp(dateadd(#1,14,-3)),#2),>(dateadd(#1,0,7),'2020-01-01')"
      ",<(#2,'2019-12-01 "
      "10:00:00')))@0; #0)@0 | rows => count:#0 rows 20" },
    { "SELECT COUNT(*) FROM visits WHERE (open AND age > 3) OR (open AND age < 1)",
      "project(filter(visits@0; and(#2,or(>(#1,3),<(#1,1))))@0; #0)@0 | rows => count:#0 rows 20" },
    { "SELECT COUNT(*) FROM visits WHERE ln(raw) > 1 AND exp(raw) < power(raw, 2) AND raw ^ 2 > "
      "mod(age, 3) AND sign(raw) = 1 AND ceil(raw) = 2",
      "project(filter(visits@0; "
      "and(>(ln(#2),1),<(exp(#2),power(#2,2)),>(power(#2,2),real(%(#1,3))),=(sign(#2),1),=(ceil(#2),2)))@0; "
      "#0)@0 | rows => count:#0 rows 20" },
    { "SELECT AVG(n) FROM (SELECT user_id, LEAST(COUNT(*), 20) AS n FROM visits GROUP BY user_id) t",
      "project(project(group(visits@0; #0; count *)@0; #0,least(#1,20))@0; #0,#1)@0 | mean 0 in 0:20 "
      "whole => avg:#0 one row rows 20" },
    { "SELECT best, COUNT(*) FROM (SELECT user_id u, MAX(grade) AS best, MIN(day), SUM(spent), "
      "AVG(age), COUNT(DISTINCT city) FROM visits GROUP BY u HAVING COUNT(*) > 1) t GROUP BY best",
      "project(project(filter(group(visits@0; #0; max #1; count *)@0; >(#2,1))@0; #0,#1)@0; #0,#1)@0 "
      "| rows => best:#0 count:#1 public 5 one row rows 20" },
    { "SELECT COUNT(*) FROM (SELECT DISTINCT user_id, city FROM visits) t",
      "project(distinct(project(visits@0; #0,#1)@0)@0; #0)@0 | rows => count:#0 rows 20" },
    { "SELECT COUNT(DISTINCT user_id) FROM (SELECT DISTINCT user_id FROM visits) t",
      "project(distinct(project(visits@0; #0)@0)@0; #0)@0 | units => count:#0 one row rows 20" },
    { "SELECT AVG(d) FROM (SELECT * FROM (SELECT user_id, spent AS d FROM visits) a) b WHERE d > 1",
      "project(filter(project(project(visits@0; #0,#1)@0; #0,#1)@0; >(#1,1))@0; #0,#1)@0 | mean 0 in "
      "1:500 => avg:#0 rows 20" },
    { "SELECT COUNT(*) FROM (SELECT v.*, p.country FROM visits v JOIN place p USING (city)) t GROUP "
      "BY country",
      "project(project(join(visits@0, place; =(#1,#2))@0; #0,#3)@0; #0,#1)@0 | rows => count:#1 "
      "public domain project(distinct(project(place; #0)); #0) rows 20" },
    { "SELECT COUNT(*) FROM visits a JOIN visits b USING (user_id) WHERE a.day < b.day",
      "project(join(visits@0, visits@0; and(=(#0,#2),<(#1,#3)))@0; #0)@0 | rows => count:#0" },
    { "SELECT COUNT(*) FROM visits a LEFT JOIN visits b ON a.user_id = b.user_id AND b.open WHERE "
      "b.user_id IS NULL",
      "project(filter(left(visits@0, visits@0; and(=(#0,#1),#2))@0; isnull(#1))@0; #0)@0 | rows => "
      "count:#0" },
    { "SELECT COUNT(b.user_id), COUNT(DISTINCT b.user_id) FROM visits b RIGHT JOIN visits a ON "
      "a.user_id = b.user_id",
      "project(left(visits@0, visits@0; =(#0,#1))@0; #0,#1)@0 | values 0 | distinct 0 => count:#0 "
      "count:#1" },
    { "SELECT country, sex, COUNT(*) FROM visits, place WHERE visits.city = place.city AND size > 10 "
      "GROUP BY country, sex",
      "project(join(visits@0, filter(place; >(#2,10)); =(#1,#3))@0; #0,#4,#2)@0 | rows => country:#0 "
      "sex:#1 count:#2 public domain project(join(distinct(project(filter(place; >(#1,10)); #0)), "
      "distinct(union(distinct(project(filter(place; >(#1,10)); 'F')), "
      "union(distinct(project(filter(place; >(#1,10)); 'M')), distinct(project(filter(place; "
      ">(#1,10)); null))))); *); #0,#1) rows 20" },
    { "SELECT k, COUNT(*) FROM (SELECT user_id, 'all' AS k FROM visits UNION ALL SELECT user_id, 'open' FROM "
      "visits "
      "WHERE open) t GROUP BY k",
      "project(union(project(project(visits@0; #0,'all')@0; #0,#1,#0)@2, project(project(filter(visits@0; "
      "#1)@0; "
      "#0,'open')@0; #0,#1,#0)@2)@2; #2,#1)@0 | rows => k:#0 count:#1 public 2" },
    { "SELECT city, COUNT(*) FROM visits JOIN place USING (city) GROUP BY city",
      "project(join(visits@0, place; =(#1,#2))@0; #0,#1)@0 | rows => city:#0 count:#1 public domain "
      "project(distinct(project(place; #0)); #0) rows 20" },
    { "SELECT city, COUNT(*) FROM visits WHERE city IN (SELECT city FROM place WHERE size > 2) GROUP BY city",
      "project(semi(visits@0, filter(place; >(#1,2)); =(#1,#2))@0; #0,#1)@0 | rows => city:#0 count:#1 "
      "public "
      "domain project(distinct(project(filter(place; >(#1,2)); #0)); #0) rows 20" },
    { "SELECT country, COUNT(*) FROM visits LEFT JOIN place ON visits.city = place.city GROUP BY "
      "country",
      "project(left(visits@0, place; =(#1,#2))@0; #0,#3)@0 | rows => country:#0 count:#1 private "
      "rows 20" },
    { "SELECT COUNT(*) FROM place JOIN visits ON visits.age < place.size",
      "project(join(place, visits@0; <(#2,#0))@1; #1)@0 | rows => count:#0 rows 20" },
    { "SELECT COUNT(*) FROM visits a WHERE EXISTS (SELECT 1 FROM visits b WHERE b.user_id = "
      "a.user_id AND b.day > a.day)",
      "project(semi(visits@0, visits@0; and(=(#2,#0),>(#3,#1)))@0; #0)@0 | rows => count:#0" },
    { "SELECT COUNT(*) FROM visits WHERE user_id NOT IN (SELECT user_id FROM visits WHERE open) AND "
      "city IN (SELECT city FROM place WHERE size > 3)",
      "project(semi(anti(visits@0, filter(visits@0; #1)@0; =(#0,#2))@0, filter(place; >(#1,3)); "
      "=(#1,#2))@0; #0)@0 | rows => count:#0" },
    { "SELECT COUNT(*) FROM visits WHERE NOT EXISTS (SELECT * FROM place WHERE place.city = "
      "visits.city)",
      "project(anti(visits@0, place; =(#2,#1))@0; #0)@0 | rows => count:#0 rows 20" },
    { "SELECT COUNT(*) FROM visits WHERE user_id IN (SELECT user_id FROM visits GROUP BY user_id "
      "HAVING SUM(spent) > 100)",
      "project(semi(visits@0, project(filter(group(visits@0; #0; sum #1)@0; >(#1,100))@0; #0)@0; "
      "=(#0,#1))@0; #0)@0 | rows => count:#0" },
    { "SELECT SUM(x) FROM (SELECT user_id, age AS x FROM visits UNION ALL SELECT user_id, spent FROM "
      "visits WHERE open) t",
      "project(union(project(project(visits@0; #0,#1)@0; #0,real(#1),#0)@2, "
      "project(project(filter(visits@0; #2)@0; #0,#1)@0; #0,#1,#0)@2)@2; #2,#1)@0 | sum 0 in -50:500 "
      "=> sum:#0" },
    { "WITH v AS (SELECT user_id, spent * 2 AS d FROM visits), w(u, e) AS (SELECT user_id, d FROM v "
      "WHERE d > 0) SELECT SUM(e), COUNT(DISTINCT u) FROM w",
      "project(project(filter(project(visits@0; #0,*(#1,2))@0; >(#1,0))@0; #0,#1)@0; #0,#1)@0 | sum "
      "0 in 0:1000 | units => sum:#0 count:#1 rows 20" },
    { "SELECT country, COUNT(*) FROM visits JOIN (SELECT country, city, COUNT(*) AS n FROM place "
      "GROUP BY country, city) p ON p.city = visits.city WHERE n > 1 GROUP BY country",
      "project(join(visits@0, filter(project(group(place; #1,#0; count *); #0,#1,#2); >(#2,1)); "
      "=(#3,#1))@0; #0,#2)@0 | rows => country:#0 count:#1 public domain "
      "project(distinct(project(filter(project(group(place; #1,#0; count *); #0,#2); >(#1,1)); #0)); "
      "#0) rows 20" },
    { "SELECT city FROM visits GROUP BY city", "project(visits@0; #0,#1)@0 => city:#0 private rows 20" },
    { "SELECT \"City\", COUNT(*) FROM \"VISITS\" AS V GROUP BY v.CITY",
      "project(visits@0; #0,#1)@0 | rows => City:#0 count:#1 private rows 20" },
    { "SELECT COUNT(*) FROM visits v(u, c) WHERE c = 'é' AND u > 0",
      "project(filter(visits@0; and(=(#1,'é'),>(#0,0)))@0; #0)@0 | rows => count:#0 rows 20" },
    { "SELECT 1, COUNT(*), 'x' FROM visits WHERE TRUE",
      "project(filter(visits@0; true)@0; #0)@0 | rows => column1:1 count:#0 column3:'x' rows 20" },
    { "SELECT COUNT(*) FROM visits LIMIT ALL", "project(visits@0; #0)@0 | rows => count:#0 rows 20" },
};

static void queries_have_these_plans(void **state)
{
    static char text[20000];
    dusk_schema *schema = visits_schema();
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        query_plan *plan = NULL;
        dusk_error err = { .message = "" };
        if (query_plan_new(&plan, schema, accepted[i].sql, &err) != DUSK_OK)
            fail_msg("%s\n%s (%s)", accepted[i].sql, err.message, err.hint);
        print_plan(text, sizeof text, plan);
        query_plan_free(plan);
        if (strcmp(text, accepted[i].plan) != 0)
            fail_msg("%s\n    is %s\n   not %s", accepted[i].sql, text, accepted[i].plan);
    }
    dusk_schema_free(schema);
}

/* A column that is equal to the unit's stands for it; one that only may be NULL instead does not. */
static void groups_may_be_of_what_tells_the_unit(void **state)
{
    static const char *const facts[] = {
        "person source p.csv", "person.id type text",  "person.id unique yes",     "person.town type text",
        "- unit person.id",    "trip source t.csv",    "trip.number type integer", "trip.number unique yes",
        "trip.who type text",  "trip.who link person", "leg source l.csv",         "leg.trip type integer",
        "leg.trip link trip",  "leg.km type real",     "leg.km bounds 0:100",
    };
    static const struct {
        const char *sql, *plan;
    } cases[] = {
        { "SELECT SUM(LEAST(k, 500)) FROM (SELECT trip, SUM(km) AS k FROM leg GROUP BY trip) t",
          "project(project(group(leg@2; #0,#2; sum #1)@1; #2,#1)@1; #1,least(#0,500))@0 | sum 0 in 0:500 => "
          "sum:#0" },
        { "SELECT COUNT(*) FROM (SELECT DISTINCT trip FROM leg WHERE km > 5) t",
          "project(distinct(project(filter(leg@2; >(#1,5))@2; #0,#2)@1)@1; #1)@0 | rows => count:#0" },
        { "SELECT COUNT(DISTINCT who), COUNT(DISTINCT id) FROM person JOIN trip ON id = who JOIN leg ON trip "
          "= number",
          "project(join(join(person@0, trip@1; =(#0,#2))@0, leg@1; =(#3,#1))@0; #0)@0 | units => count:#0 "
          "count:#0" },
        { "SELECT COUNT(*) FROM leg a, leg b WHERE a.trip = b.trip",
          "project(join(leg@1, leg@1; =(#0,#2))@1; #1)@0 | rows => count:#0" },
        { "SELECT COUNT(*) FROM person JOIN trip ON who = id",
          "project(join(person@0, trip@0; =(#1,#0))@0; #0)@0 | rows => count:#0" },
        { "SELECT COUNT(*) FROM person WHERE town = 'x'",
          "project(filter(person@0; =(#1,'x'))@0; #0)@0 | rows => count:#0 one row" },
    };
    dusk_schema *schema = schema_of(facts, sizeof facts / sizeof facts[0]);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[2000];
        query_plan *plan = NULL;
        dusk_error err = { .message = "" };
        if (query_plan_new(&plan, schema, cases[i].sql, &err) != DUSK_OK)
            fail_msg("%s %s", cases[i].sql, err.message);
        print_plan(text, sizeof text, plan);
        query_plan_free(plan);
        assert_string_equal(text, cases[i].plan);
    }
    dusk_schema_free(schema);
}

#define LONG "tüüüüüüüüüüüüüüüü_üüüüüüüüüüüüüüüü" /* 66 bytes */

/* The parser cuts names at 63 bytes, in whole characters: what goes by the rest of it is found all the same. */
static void long_names_are_found(void **state)
{
    static const char *const facts[][3] = {
        { LONG "r", "source", "r.csv" },         { LONG "r.u", "type", "integer" },
        { LONG "r." LONG "1", "type", "text" },  { LONG "r.x" LONG, "type", "text" },
        { LONG "r.x" LONG "2", "type", "text" }, { "", "unit", LONG "r.u" },
    };
    static const struct {
        const char *sql;
        dusk_status status;
    } cases[] = {
        { "SELECT COUNT(*) FROM " LONG "r WHERE " LONG "1 = 'a'", DUSK_OK },
        { "SELECT COUNT(*) FROM " LONG "r WHERE " LONG "r." LONG "1 = 'a'", DUSK_OK },
        { "SELECT COUNT(*) FROM " LONG "r WHERE x" LONG " = 'a'", DUSK_ERR_UNSUPPORTED }, /* two of them */
        { "SELECT COUNT(*) FROM x" LONG, DUSK_ERR_UNSUPPORTED },
    };
    dusk_schema *schema;
    (void)state;
    assert_int_equal(dusk_schema_new(&schema, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        assert_int_equal(dusk_schema_declare(schema, facts[i][0], facts[i][1], facts[i][2], NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        query_plan *plan = NULL;
        assert_int_equal(query_plan_new(&plan, schema, cases[i].sql, NULL), cases[i].status);
        query_plan_free(plan);
    }
    dusk_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_have_these_plans),
        cmocka_unit_test(groups_may_be_of_what_tells_the_unit),
        cmocka_unit_test(long_names_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
