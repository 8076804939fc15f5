/* SPDX-License-Identifier: Apache-2.0 */
/* What stays of a unit is chosen uniformly: every set of rows, groups and values as often as any other,
 * and independently between units and between the groups of one. Fixed seeds, chi-square, alpha 1e-6. */
#include "bounding_tables.h"
#include "law.h"

enum { UNITS = 20000, HELD = 5, PAIRS = 10 };

static row rows[UNITS * HELD * 2];
static uint64_t seen[PAIRS * PAIRS];
static double even[PAIRS * PAIRS];
static const dusk_cell_type keys[] = { DUSK_CELL_INTEGER, DUSK_CELL_INTEGER };
static const dusk_cell_type value[] = { DUSK_CELL_REAL };

/* The place of a set of two of five among the ten. */
static unsigned pair_of(unsigned set)
{
    unsigned place = 0;
    for (unsigned s = 0; s < set; s++) place += __builtin_popcount(s) == 2;
    assert_int_equal(__builtin_popcount(set), 2);
    return place;
}

static void start(size_t cells)
{
    for (size_t i = 0; i < cells; i++) {
        seen[i] = 0;
        even[i] = 1.0 / (double)cells;
    }
}

static bounding_options options_of(const bounding_total *total)
{
    return (bounding_options){ .unit_type = DUSK_CELL_INTEGER,
                               .key_types = keys,
                               .keys = 2,
                               .value_types = value,
                               .values = 1,
                               .total = total,
                               .totals = 1,
                               .groups_per_unit = 5,
                               .rows_per_group = 5,
                               .threads = 1 };
}

/* Each unit holds one row in each of five groups, which are its own. */
static void count_sets_of_groups(const bounding_options *options, uint64_t seed)
{
    static unsigned set[UNITS];
    for (size_t i = 0; i < UNITS * HELD; i++)
        rows[i] = (row){ WHOLE((int64_t)(i / HELD)),
                         { WHOLE((int64_t)(i / HELD)), WHOLE((int64_t)(i % HELD)) },
                         { REAL(1) } };
    memset(set, 0, sizeof set);
    start(PAIRS);
    bounded *g = run_bounding(options, rows, UNITS * HELD, 4096, seed);
    for (size_t i = 0; i < g->groups; i++) set[g->key[2 * i].integer] |= 1u << g->key[2 * i + 1].integer;
    for (size_t u = 0; u < UNITS; u++) seen[pair_of(set[u])]++;
    assert_law(seen, even, PAIRS, UNITS);
    bounded_free(g);
}

static void groups_are_chosen_evenly(void **state)
{
    (void)state;
    bounding_total total = { .kind = BOUNDING_ROWS };
    bounding_options options = options_of(&total);
    options.groups_per_unit = 2;
    count_sets_of_groups(&options, 1);
}

static void rows_of_a_unit_are_chosen_evenly(void **state)
{
    (void)state;
    bounding_total total = { .kind = BOUNDING_ROWS };
    bounding_options options = options_of(&total);
    options.rows_per_unit = 2;
    count_sets_of_groups(&options, 2);
}

/* Two groups of five rows with values 1, 2, 4, 8, 16: the sums tell the sets. */
static void rows_of_a_group_are_chosen_evenly(void **state)
{
    (void)state;
    static unsigned set[UNITS][2];
    bounding_total total = {
        .kind = BOUNDING_SUM, .upper = 16, .reach = 16, .unit_low = NAN, .unit_high = NAN
    };
    bounding_options options = options_of(&total);
    options.rows_per_group = 2;
    for (size_t i = 0; i < UNITS * HELD * 2; i++)
        rows[i] = (row){ WHOLE((int64_t)(i / 10)),
                         { WHOLE((int64_t)(i / 10)), WHOLE((int64_t)(i / 5 % 2)) },
                         { REAL((double)(1 << i % 5)) } };
    start(PAIRS * PAIRS);
    bounded *g = run_bounding(&options, rows, UNITS * HELD * 2, 4096, 3);
    for (size_t i = 0; i < g->groups; i++)
        set[g->key[2 * i].integer][g->key[2 * i + 1].integer] = (unsigned)g->sum[i];
    for (size_t u = 0; u < UNITS; u++) seen[pair_of(set[u][0]) * PAIRS + pair_of(set[u][1])]++;
    assert_law(seen, even, PAIRS * PAIRS, UNITS);
    bounded_free(g);
}

/* Two units with the same five values, two of which stay: in common are 2, 1 or 0. */
static void different_values_are_chosen_evenly(void **state)
{
    (void)state;
    const double law[] = { 0.1, 0.6, 0.3 };
    uint64_t sizes[3] = { 0 };
    bounding_total total = { .kind = BOUNDING_DISTINCT };
    bounding_options options = options_of(&total);
    options.keys = 1;
    options.rows_per_group = 2;
    for (size_t i = 0; i < UNITS * HELD * 2; i++)
        rows[i] = (row){ WHOLE((int64_t)(i / 5)), { WHOLE((int64_t)(i / 10)) }, { REAL((double)(i % 5)) } };
    bounded *g = run_bounding(&options, rows, UNITS * HELD * 2, 4096, 4);
    assert_int_equal(g->groups, UNITS);
    for (size_t i = 0; i < g->groups; i++) {
        assert_in_range((uint64_t)g->sum[i], 2, 4);
        sizes[g->sum[i] - 2]++;
    }
    assert_law(sizes, law, 3, UNITS);
    bounded_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_chosen_evenly),
        cmocka_unit_test(rows_of_a_unit_are_chosen_evenly),
        cmocka_unit_test(rows_of_a_group_are_chosen_evenly),
        cmocka_unit_test(different_values_are_chosen_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
