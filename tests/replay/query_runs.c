/* SPDX-License-Identifier: Apache-2.0 */
/* Whole queries on neighbouring worlds, call by call (replay_queries.h): a source with a unit and one without
 * it, generated queries. Quantiles are left out: they break ties by coins of their own, which go by a row's place in its group, and another row moves
 * the places (tests/replay/ranks.c, query_release.c look at them). */
#include "replay_queries.h"

enum { QUERIES = 90 };

/* The unit that goes: the one with the most rows, or any other. */
static void neighbours(uint64_t seed, const char *unit, unsigned queries)
{
    static world all, rest;
    world_source at[2];
    unsigned ran = 0;
    world_make(&all, &(world_options){ .seed = seed, .customers = 24, .orders = 80, .items = 100 });
    world_part(&rest, &all, unit, true);
    world_open(&at[0], &all);
    world_open(&at[1], &rest);
    generator g = { .random = seed, .totals = true };
    for (unsigned i = 0; i < queries; i++) {
        generated_query q;
        generate_query(&g, &q);
        dusk_query_options o = random_options(&g.random);
        choose_rule(at[0].source, q.text, &o);
        ran += replay_query(at, q.text, &o, seed * 1000 + i);
    }
    assert_true(ran > queries * 6 / 10);
    for (int i = 0; i < 2; i++) world_close(&at[i]);
}

static void who_has_many_rows(void **state)
{
    (void)state;
    neighbours(21, "1", QUERIES);
}

static void who_has_few_rows(void **state)
{
    (void)state;
    neighbours(22, "5", QUERIES);
}

static void who_is_no_customer(void **state)
{
    (void)state;
    neighbours(23, "1001", QUERIES / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_many_rows),
        cmocka_unit_test(who_has_few_rows),
        cmocka_unit_test(who_is_no_customer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
