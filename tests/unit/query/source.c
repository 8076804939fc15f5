/* SPDX-License-Identifier: Apache-2.0 */
/* A source by its public calls: what is refused when it is made and declared, which requests are
 * the same, and in which order public groups come. */
#include <stdlib.h>

#include "query/source.h"
#include "query_world.h"
#include "random/generator.h"

static void make_world(world_source *s)
{
    static world w;
    world_make(&w, &(world_options){ .seed = 7, .customers = 20, .orders = 40, .items = 60, .clean = true });
    world_open(s, &w);
}

/* Ask, and say whether it was answered before. */
static bool ask(dusk_source *source, const char *sql, double epsilon, const char *analyst, double confidence)
{
    dusk_query_options options;
    dusk_query *query;
    dusk_result *result;
    dusk_receipt receipt;
    dusk_generator *gen;
    dusk_query_options_init(&options);
    options.epsilon = epsilon;
    options.delta = 1e-6;
    options.analyst = analyst;
    options.confidence = confidence;
    options.engine = world_engine();
    assert_int_equal(dusk_generator_new(&gen, NULL), DUSK_OK);
    assert_int_equal(dusk_query_prepare(&query, source, sql, &options, NULL), DUSK_OK);
    assert_int_equal(dusk_query_run(query, &result, &receipt, gen, NULL), DUSK_OK);
    dusk_result_free(result);
    dusk_query_free(query);
    dusk_generator_free(gen);
    return receipt.cached;
}

#define COUNT "SELECT region, COUNT(*) AS n FROM customer GROUP BY region"

static void test_repeats(void **state)
{
    world_source s;
    (void)state;
    make_world(&s);
    assert_false(ask(s.source, COUNT, 1, "ana", 0.95));
    assert_true(ask(s.source, COUNT, 1, "ana", 0.95));
    assert_true(ask(s.source, COUNT, 0.25, "ana", 0.95)); /* at most what it was made with */
    assert_true(ask(s.source, "select Region, count( * ) as n from CUSTOMER c group by 1", 1, "ana", 0.95));
    assert_false(ask(s.source, COUNT, 2, "ana", 0.95)); /* more */
    assert_false(ask(s.source, COUNT, 1, "ana", 0.9));  /* another interval */
    assert_false(ask(s.source, "SELECT region, COUNT(*) AS m FROM customer GROUP BY region", 1, "ana", 0.95));
    assert_false(ask(s.source, "SELECT region, COUNT(*) AS n FROM customer WHERE age > 3 GROUP BY region", 1,
                     "ana", 0.95));
    assert_false(ask(s.source, "SELECT region, COUNT(*) AS n FROM customer WHERE age > 4 GROUP BY region", 1,
                     "ana", 0.95));
    world_close(&s);
}

/* What is declared about the tables that are read makes another request; other tables do not. */
static void test_declared(void **state)
{
    world_source s;
    (void)state;
    make_world(&s);
    assert_false(ask(s.source, COUNT, 1, "ana", 0.95));
    assert_int_equal(dusk_source_declare(s.source, "orders.amount", "bounds", "0:50", NULL), DUSK_OK);
    assert_true(ask(s.source, COUNT, 1, "ana", 0.95));
    assert_int_equal(dusk_source_declare(s.source, "customer.age", "bounds", "0:50", NULL), DUSK_OK);
    assert_false(ask(s.source, COUNT, 1, "ana", 0.95));
    assert_true(ask(s.source, COUNT, 1, "ana", 0.95));
    assert_int_equal(dusk_source_declare(s.source, "", "version", "2", NULL), DUSK_OK);
    assert_false(ask(s.source, COUNT, 1, "ana", 0.95));
    assert_int_equal(dusk_ledger_verify(dusk_source_ledger(s.source), NULL), DUSK_OK);
    world_close(&s);
}

/* A refused fact leaves no trace, in the file and in the schema. */
static void test_refused_facts(void **state)
{
    static const dusk_fact facts[] = {
        { "nowhere", "public", "yes" },
        { "customer.nothing", "type", "integer" },
        { "customer.age", "bounds", "9:1" },
        { "customer.age", "colour", "red" },
        { "orders.customer", "link", "town" },
        { "", "unit", "customer.nobody" },
        { "", "unit", "customer.age" },
        { "", "unit", NULL },
        { "", "engine", "abacus" },
        { "", "version", "0" },
        { "orders", "source", "postgres://ana:secret@localhost/shop#orders" },
    };
    world_source s;
    uint64_t before, after;
    uint8_t hash[32];
    (void)state;
    make_world(&s);
    assert_int_equal(dusk_ledger_head(dusk_source_ledger(s.source), &before, hash, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        dusk_error err = { .status = DUSK_OK };
        assert_int_not_equal(
            dusk_source_declare(s.source, facts[i].subject, facts[i].property, facts[i].value, &err),
            DUSK_OK);
        assert_true(err.message[0] != '\0' && err.hint[0] != '\0');
    }
    assert_int_equal(dusk_ledger_head(dusk_source_ledger(s.source), &after, hash, NULL), DUSK_OK);
    assert_int_equal(before, after);
    assert_true(dusk_source_schema(s.source)->table[0].column[1].upper == 100);
    world_close(&s);
}

/* What cannot be finished leaves no file. */
static void test_refused_sources(void **state)
{
    static const char *const units[] = { "people.nobody", "people", "", "others.id" };
    folder at = folder_make();
    char csv[200], path[200];
    (void)state;
    snprintf(csv, sizeof csv, "%s/people.csv", at.path);
    snprintf(path, sizeof path, "%s/people.dusk", at.path);
    FILE *file = fopen(csv, "w");
    assert_non_null(file);
    fputs("id,age\n1,2\n", file);
    fclose(file);
    const char *twice[] = { csv, csv };
    dusk_source_options options;
    dusk_source_options_init(&options);
    options.sources = twice;
    options.sources_count = 1;
    options.ledger.neighbours = DUSK_ADD_REMOVE;
    options.ledger.budget = (dusk_budget){ 1, 0 };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        options.unit = units[i];
        assert_int_not_equal(dusk_source_create(path, &options, NULL), DUSK_OK);
        assert_null(fopen(path, "r"));
    }
    options.unit = "people.id";
    options.sources_count = 2; /* one name for two tables */
    assert_int_not_equal(dusk_source_create(path, &options, NULL), DUSK_OK);
    assert_null(fopen(path, "r"));
    options.sources_count = 1;
    assert_int_equal(dusk_source_create(path, &options, NULL), DUSK_OK);
    assert_int_equal(dusk_source_create(path, &options, NULL), DUSK_ERR_ARGUMENT); /* it is there */
    folder_remove(&at);
}

/* Groups of a public table's column come sorted, whatever order its rows have. */
static void test_order(void **state)
{
    static world w;
    world_source s;
    dusk_query_options options;
    dusk_query *query;
    dusk_result *result;
    dusk_generator *gen;
    (void)state;
    world_make(&w, &(world_options){ .seed = 9, .customers = 9, .orders = 9, .items = 20, .clean = true });
    const char *kinds[] = { "wood", "iron", "air", "salt", "coal" };
    w.table[WORLD_PRODUCT].rows = 5;
    for (size_t i = 0; i < 5; i++) {
        snprintf(w.table[WORLD_PRODUCT].cell[i][0], WORLD_CELL, "%zu", i);
        snprintf(w.table[WORLD_PRODUCT].cell[i][1], WORLD_CELL, "%s", kinds[i]);
    }
    world_open(&s, &w);
    dusk_query_options_init(&options);
    options.epsilon = 1;
    options.engine = world_engine();
    assert_int_equal(dusk_generator_new(&gen, NULL), DUSK_OK);
    assert_int_equal(
        dusk_query_prepare(&query, s.source,
                           "SELECT kind, COUNT(*) FROM item JOIN product ON product.id = product "
                           "GROUP BY kind",
                           &options, NULL),
        DUSK_OK);
    assert_int_equal(dusk_query_run(query, &result, NULL, gen, NULL), DUSK_OK);
    assert_true(dusk_result_rows(result) >= 5);
    for (size_t row = 1; row < 5; row++)
        assert_true(
            strcmp(dusk_result_cell(result, row - 1, 0)->text, dusk_result_cell(result, row, 0)->text) < 0);
    dusk_result_free(result);
    dusk_query_free(query);
    dusk_generator_free(gen);
    world_close(&s);
}

/* A public table without rows says that there is no group, not that groups are private. */
static void test_no_groups(void **state)
{
    static world w;
    world_source s;
    dusk_query_options options;
    dusk_query *query;
    dusk_engine *engine;
    query_groups groups;
    (void)state;
    world_make(&w, &(world_options){ .seed = 9, .customers = 9, .orders = 9, .items = 20, .clean = true });
    w.table[WORLD_PRODUCT].rows = 0;
    world_open(&s, &w);
    dusk_query_options_init(&options);
    options.epsilon = 1;
    OK(dusk_query_prepare(
        &query, s.source,
        "SELECT kind, COUNT(*) FROM item JOIN product ON product.id = product GROUP BY kind", &options,
        &err));
    OK(query_source_engine(s.source, &engine, world_engine(), &err));
    OK(query_groups_of(&groups, query->plan, engine, &err));
    assert_true(groups.groups == 0 && groups.value != NULL);
    query_groups_clear(&groups);
    dusk_query_free(query);
    world_close(&s);
}

/* Public keys by themselves are known: they cost nothing, and nothing is said to be charged. */
static void test_keys_alone(void **state)
{
    world_source s;
    dusk_query_options options;
    dusk_query *query;
    dusk_result *result;
    dusk_receipt receipt;
    dusk_generator *gen;
    char *words;
    (void)state;
    make_world(&s);
    dusk_query_options_init(&options);
    options.epsilon = 3;
    options.engine = world_engine();
    assert_int_equal(dusk_generator_new(&gen, NULL), DUSK_OK);
    OK(dusk_query_prepare(&query, s.source, "SELECT region FROM customer GROUP BY region", &options, &err));
    OK(dusk_query_explain(query, &words, &err));
    assert_non_null(strstr(words, "cost: epsilon 0 "));
    OK(dusk_query_run(query, &result, &receipt, gen, &err));
    assert_true(dusk_result_rows(result) == 4 && receipt.cost.epsilon == 0 &&
                receipt.total.spent.epsilon == 0);
    dusk_ledger_free_text(words);
    dusk_result_free(result);
    dusk_query_free(query);
    dusk_generator_free(gen);
    world_close(&s);
}

/* Two zeros are one key. */
static void test_zeros(void **state)
{
    world_source s;
    (void)state;
    make_world(&s);
    assert_false(ask(s.source,
                     "SELECT CASE WHEN vip THEN 0.0 ELSE -0.0 END AS z, COUNT(*) FROM customer GROUP BY z", 1,
                     "ana", 0.95));
    world_close(&s);
}

/* A folder that cannot be used is found out before the charge, however few rows there are. */
static void test_no_folder(void **state)
{
    world_source s;
    dusk_query_options options;
    dusk_generator *gen;
    dusk_query *query;
    dusk_result *result;
    dusk_spending spending;
    (void)state;
    make_world(&s);
    dusk_query_options_init(&options);
    options.epsilon = 1;
    options.folder = "/dev/null/nowhere";
    OK(dusk_generator_new(&gen, &err));
    OK(dusk_query_prepare(&query, s.source, "SELECT COUNT(*) FROM customer", &options, &err));
    FAILS(DUSK_ERR_IO, dusk_query_run(query, &result, NULL, gen, &err));
    OK(dusk_ledger_spending(dusk_source_ledger(s.source), &spending, NULL, &err));
    assert_int_equal(spending.charges, 0);
    dusk_query_free(query);
    dusk_generator_free(gen);
    world_close(&s);
}

/* What cannot be begun is refused before the charge. */
static void test_proposal(void **state)
{
    world_source s;
    dusk_query_options options;
    dusk_bounds bounds;
    dusk_receipt receipt;
    dusk_generator *gen;
    (void)state;
    make_world(&s);
    assert_int_equal(dusk_generator_new(&gen, NULL), DUSK_OK);
    dusk_query_options_init(&options);
    options.epsilon = 1;
    options.engine = world_engine();
    options.folder = "/nonexistent";
    assert_int_not_equal(dusk_source_propose(s.source, &bounds, NULL, "orders.amount", &options, gen, NULL),
                         DUSK_OK);
    options.folder = NULL;
    assert_int_not_equal(dusk_source_propose(s.source, &bounds, NULL, "orders.status", &options, gen, NULL),
                         DUSK_OK);
    assert_true(spending_of(dusk_source_ledger(s.source), NULL).spent.epsilon == 0);
    assert_int_equal(dusk_source_propose(s.source, &bounds, &receipt, "orders.amount", &options, gen, NULL),
                     DUSK_OK);
    assert_true(receipt.charged && receipt.total.spent.epsilon == 1);
    dusk_generator_free(gen);
    world_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeats),       cmocka_unit_test(test_declared),
        cmocka_unit_test(test_refused_facts), cmocka_unit_test(test_refused_sources),
        cmocka_unit_test(test_order),         cmocka_unit_test(test_proposal),
        cmocka_unit_test(test_no_groups),     cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_keys_alone),    cmocka_unit_test(test_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
