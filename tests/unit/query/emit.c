/* SPDX-License-Identifier: Apache-2.0 */
/* Relations as SQL, run by real engines: the rule of plan.h as a property (what a relation gives of all
 * rows is the union of what it gives of each unit's rows alone), what joins, groups and paths mean, and
 * plans that break the rule. */
#include "base/memory.h"
#include "query_engines.h"
#include "query_nodes.h"

typedef struct world {
    maker m;
    dusk_schema *schema;
    query_plan plan;
    real_engine engine;
} world;

enum { CUSTOMER, ORDERS, ITEMS, CITIES };

static void declare(dusk_schema *schema, const char *subject, const char *property, const char *value)
{
    dusk_error err = { .message = "" };
    if (dusk_schema_declare(schema, subject, property, value, &err) != DUSK_OK) fail_msg("%s", err.message);
}

static dusk_schema *make_schema(void)
{
    static const char *const facts[][3] = {
        { "customer", "source", "a.csv" },
        { "customer.id", "type", "integer" },
        { "customer.city", "type", "text" },
        { "customer.id", "unique", "yes" },
        { "orders", "source", "b.csv" },
        { "orders.id", "type", "integer" },
        { "orders.customer", "type", "integer" },
        { "orders.amount", "type", "integer" },
        { "orders.id", "unique", "yes" },
        { "orders.customer", "link", "customer.id" },
        { "items", "source", "c.csv" },
        { "items.order", "type", "integer" },
        { "items.part", "type", "integer" },
        { "items.order", "link", "orders.id" },
        { "cities", "source", "d.csv" },
        { "cities.city", "type", "text" },
        { "cities.region", "type", "text" },
        { "cities", "public", "yes" },
        { "", "unit", "customer.id" },
    };
    dusk_schema *schema;
    assert_int_equal(dusk_schema_new(&schema, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        declare(schema, facts[i][0], facts[i][1], facts[i][2]);
    return schema;
}

/* t0 .. t3 are what of the base tables belongs to the unit in `one`, or all when that is empty. */
static void fill(real_engine *db, uint64_t seed)
{
    char text[200];
    static const char *const setup[] = {
        "CREATE TABLE b0(c0 BIGINT, c1 TEXT)",
        "CREATE TABLE b1(c0 BIGINT, c1 BIGINT, c2 BIGINT)",
        "CREATE TABLE b2(c0 BIGINT, c1 BIGINT)",
        "CREATE TABLE t3(c0 TEXT, c1 TEXT)",
        "CREATE TABLE one(u BIGINT)",
        "CREATE VIEW t0 AS SELECT * FROM b0 WHERE NOT EXISTS (SELECT 1 FROM one) OR c0 IN (SELECT u FROM "
        "one)",
        "CREATE VIEW t1 AS SELECT * FROM b1 WHERE NOT EXISTS (SELECT 1 FROM one) OR c1 IN (SELECT u FROM "
        "one)",
        "CREATE VIEW t2 AS SELECT * FROM b2 WHERE NOT EXISTS (SELECT 1 FROM one) OR c0 IN "
        "(SELECT c0 FROM b1 WHERE c1 IN (SELECT u FROM one))",
        "INSERT INTO t3 VALUES ('a', 'north'), ('a', 'south'), ('b', 'north'), (NULL, 'east')",
    };
    for (size_t i = 0; i < sizeof setup / sizeof *setup; i++) must(db, setup[i]);
    for (int i = 0; i < 8; i++) {
        const char *city = (const char *[]){ "'a'", "'b'", "'c'", "NULL" }[splitmix64(&seed) % 4];
        snprintf(text, sizeof text, "INSERT INTO b0 VALUES (%s, %s)",
                 i == 7 ? "NULL" : (const char *[]){ "0", "1", "2", "3", "4", "5", "6" }[i], city);
        must(db, text);
    }
    for (int i = 0; i < 20; i++) {
        unsigned unit = (unsigned)(splitmix64(&seed) % 8);
        char who[8];
        snprintf(who, sizeof who, "%u", unit);
        snprintf(text, sizeof text, "INSERT INTO b1 VALUES (%d, %s, %u)", i, unit == 7 ? "NULL" : who,
                 (unsigned)(splitmix64(&seed) % 5));
        must(db, text);
        for (uint64_t k = splitmix64(&seed) % 4; k > 0; k--) {
            snprintf(text, sizeof text, "INSERT INTO b2 VALUES (%s, %u)",
                     i == 3 ? "NULL" : (snprintf(who, sizeof who, "%d", i), who),
                     (unsigned)(splitmix64(&seed) % 3));
            must(db, text);
        }
    }
}

typedef bool opener(real_engine *);

static world open_world(void **state, uint64_t seed)
{
    world w = { .schema = NULL };
    opener *const *open = *state;
    if (!(*open)(&w.engine)) skip();
    w.schema = make_schema();
    w.plan.schema = w.schema;
    fill(&w.engine, seed);
    return w;
}

static void close_world(world *w)
{
    maker_free(&w->m);
    dusk_schema_free(w->schema);
    close_engine(&w->engine);
}

/* --- rows as sorted texts --- */

typedef struct rows {
    char **row;
    size_t used, room;
} rows;

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void rows_free(rows *r)
{
    for (size_t i = 0; i < r->used; i++) free(r->row[i]);
    free(r->row);
    *r = (rows){ 0 };
}

static void add_rows(world *w, rows *out, const char *sql, const dusk_cell_type *types, size_t columns)
{
    answer got;
    const char *wrong = w->engine.run(&w->engine, sql, types, columns, &got);
    if (wrong) fail_msg("%s: %s: %s", w->engine.name, wrong, sql);
    for (size_t r = 0; r < got.rows; r++) {
        char line[400] = "";
        size_t length = 0;
        for (size_t i = 0; i < columns; i++) {
            const ref_value *v = &got.cell[r * columns + i];
            char cell[100] = "-";
            if (!v->null && types[i] == DUSK_CELL_INTEGER)
                snprintf(cell, sizeof cell, "%lld", (long long)v->integer);
            if (!v->null && types[i] == DUSK_CELL_REAL) snprintf(cell, sizeof cell, "%.12g", v->real);
            if (!v->null && types[i] == DUSK_CELL_TEXT) snprintf(cell, sizeof cell, "%.90s", v->text);
            length += (size_t)snprintf(line + length, sizeof line - length, "%s|", cell);
            assert_true(length < sizeof line);
        }
        if (out->used == out->room)
            out->row = realloc(out->row, (out->room = out->room ? 2 * out->room : 64) * sizeof *out->row);
        out->row[out->used++] = strdup(line);
    }
    answer_free(&got);
}

static char *emit(world *w, const query_relation *r, dusk_cell_type *types)
{
    dusk_error err = { .message = "" };
    char *sql = NULL;
    if (query_emit(&sql, types, &w->plan, r, w->engine.dialect, &err) != DUSK_OK) fail_msg("%s", err.message);
    return sql;
}

static rows of_relation(world *w, const query_relation *r)
{
    rows out = { 0 };
    dusk_cell_type types[32];
    char *sql = emit(w, r, types);
    add_rows(w, &out, sql, types, r->columns);
    qsort(out.row, out.used, sizeof *out.row, by_text);
    dusk_deallocate(sql);
    return out;
}

static void same_rows(const rows *a, const rows *b, const char *what)
{
    if (a->used != b->used) fail_msg("%s: %zu rows, not %zu", what, a->used, b->used);
    for (size_t i = 0; i < a->used; i++)
        if (strcmp(a->row[i], b->row[i]) != 0) fail_msg("%s: %s, not %s", what, a->row[i], b->row[i]);
}

/* Of all rows: the union of what it gives of each unit's. */
static void check_rule(world *w, const query_relation *r, const char *what)
{
    rows all, parts = { 0 };
    dusk_cell_type types[32];
    char text[80], *sql = emit(w, r, types);
    must(&w->engine, "DELETE FROM one");
    all = of_relation(w, r);
    for (int unit = 0; unit < 8; unit++) {
        must(&w->engine, "DELETE FROM one");
        snprintf(text, sizeof text, "INSERT INTO one VALUES (%d)", unit);
        must(&w->engine, text);
        add_rows(w, &parts, sql, types, r->columns);
    }
    must(&w->engine, "DELETE FROM one");
    qsort(parts.row, parts.used, sizeof *parts.row, by_text);
    same_rows(&all, &parts, what);
    rows_free(&all);
    rows_free(&parts);
    dusk_deallocate(sql);
}

/* And it is what this SQL says. */
static void check_means(world *w, const query_relation *r, const char *sql, const char *what)
{
    dusk_cell_type types[32];
    rows expected = { 0 }, got = of_relation(w, r);
    dusk_deallocate(emit(w, r, types));
    add_rows(w, &expected, sql, types, r->columns);
    qsort(expected.row, expected.used, sizeof *expected.row, by_text);
    same_rows(&got, &expected, what);
    rows_free(&expected);
    rows_free(&got);
    if (r->unit != QUERY_NONE) check_rule(w, r, what);
}

#define INT(i) column(&w.m, DUSK_TYPE_INTEGER, (i))
#define TEXT(i) column(&w.m, DUSK_TYPE_TEXT, (i))
#define EQUAL(a, b) call(&w.m, QUERY_EQUAL, DUSK_TYPE_BOOLEAN, 2, (a), (b))
#define LESS(a, b) call(&w.m, QUERY_LESS, DUSK_TYPE_BOOLEAN, 2, (a), (b))

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

/* --- the rule --- */

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
    static opener *const engines[] = { open_sqlite, open_duckdb, open_postgres };
    int failed = 0;
    for (size_t i = 0; i < 3; i++) {
        void *engine = (void *)(uintptr_t)&engines[i];
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(tables_are_read_with_their_unit, engine),
            cmocka_unit_test_prestate(joins_stay_within_a_unit, engine),
            cmocka_unit_test_prestate(filters_above_an_outer_join_stay_above, engine),
            cmocka_unit_test_prestate(groups_and_the_rest, engine),
            cmocka_unit_test_prestate(sums_are_of_doubles, engine),
            cmocka_unit_test_prestate(plans_that_break_the_rule_are_refused, engine),
            cmocka_unit_test_prestate(deep_expressions_are_refused, engine),
            cmocka_unit_test_prestate(memory_may_run_out, engine),
        };
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
