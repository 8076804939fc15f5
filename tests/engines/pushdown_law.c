/* SPDX-License-Identifier: Apache-2.0 */
/* What stays of a unit that holds too much, on the server and here: the same law, every set of rows and groups as often as any
 * other, steps in their order. Fixed seeds, chi-square, alpha 1e-6. A PostgreSQL cluster of its own; skipped where
 * there is none. */
#include "law.h"
#include "pushdown_runs.h"

enum { UNITS = 6000, PAIRS = 10 };
static uint64_t seen[PAIRS * PAIRS];
static double even[PAIRS * PAIRS];
static const dusk_cell_type integers[] = { DUSK_CELL_INTEGER, DUSK_CELL_INTEGER };
static const dusk_cell_type value[] = { DUSK_CELL_REAL };
static bounding_total sum_to_16 = {
    .kind = BOUNDING_SUM, .upper = 16, .reach = 16, .unit_low = NAN, .unit_high = NAN
};

static unsigned pair_of(unsigned set)
{
    unsigned place = 0;
    for (unsigned s = 0; s < set; s++) place += __builtin_popcount(s) == 2;
    assert_int_equal(__builtin_popcount(set), 2);
    return place;
}

static bounding_options law_options(void)
{
    memset(seen, 0, sizeof seen);
    return (bounding_options){ .unit_type = DUSK_CELL_INTEGER,
                               .key_types = integers,
                               .keys = 2,
                               .value_types = value,
                               .values = 1,
                               .total = &sum_to_16,
                               .totals = 1,
                               .groups_per_unit = 5,
                               .rows_per_group = 5 };
}

static bounded *either(int how, const bounding_options *o, const char *sql, uint64_t seed)
{
    return how ? pushed(o, sql, seed) : streamed(o, sql, seed);
}

static void check(size_t cells, uint64_t runs)
{
    for (size_t i = 0; i < cells; i++) even[i] = 1.0 / (double)cells;
    assert_law(seen, even, cells, (double)runs);
}

/* Five groups of one row, which are the unit's own: two stay, by either bound. */
static void groups_and_rows_of_a_unit(void **state)
{
    static const char sql[] =
        "SELECT u::bigint, u::bigint, g::bigint, 1::float8 FROM generate_series(0, 5999) u, "
        "generate_series(0, 4) g";
    (void)state;
    for (int how = 0; how < 2; how++)
        for (int by_rows = 0; by_rows < 2; by_rows++) {
            unsigned set[UNITS] = { 0 };
            bounding_options o = law_options();
            if (by_rows)
                o.rows_per_unit = 2;
            else
                o.groups_per_unit = 2;
            bounded *g = either(how, &o, sql, 7);
            for (size_t i = 0; i < g->groups; i++)
                set[g->key[2 * i].integer] |= 1u << g->key[2 * i + 1].integer;
            for (size_t u = 0; u < UNITS; u++) seen[pair_of(set[u])]++;
            check(PAIRS, UNITS);
            bounded_free(g);
        }
}

/* Two groups of five rows: two of each stay, independently. */
static void rows_of_groups(void **state)
{
    static const char sql[] =
        "SELECT u::bigint, u::bigint, g::bigint, 2::float8 ^ i FROM generate_series(0, 5999) u, "
        "generate_series(0, 1) g, generate_series(0, 4) i";
    (void)state;
    for (int how = 0; how < 2; how++) {
        unsigned set[UNITS][2];
        bounding_options o = law_options();
        o.rows_per_group = 2;
        bounded *g = either(how, &o, sql, 8);
        for (size_t i = 0; i < g->groups; i++)
            set[g->key[2 * i].integer][g->key[2 * i + 1].integer] = (unsigned)g->sum[i];
        for (size_t u = 0; u < UNITS; u++) seen[pair_of(set[u][0]) * PAIRS + pair_of(set[u][1])]++;
        check(PAIRS * PAIRS, UNITS);
        bounded_free(g);
    }
}

/* All steps. A unit has rows 1, 2, 4 in group 0 and row 8 in group 1, and five in groups that are not public.
 * Two rows stay, then one group, then one row: each of the four a quarter of the time. */
static void all_steps_in_their_order(void **state)
{
    static const char sql[] =
        "SELECT u::bigint, g::bigint, 2::float8 ^ i FROM generate_series(0, 5999) u, (VALUES "
        "(0, 0), (0, 1), (0, 2), (1, 3), (2, 0), (2, 1), (3, 0), (4, 0), (5, 0)) AS a(g, i)";
    static const query_value groups[] = { { .integer = 0 }, { .integer = 1 } };
    (void)state;
    for (int how = 0; how < 2; how++) {
        static const double by_value[4] = { 1, 2, 4, 8 };
        bounding_total total[4];
        bounding_options o = law_options();
        for (size_t t = 0; t < 4; t++) {
            total[t] = sum_to_16; /* 1 for rows of at least this value */
            total[t].lower = by_value[t] - 1;
            total[t].centre = by_value[t] - 1;
            total[t].upper = by_value[t];
        }
        o.keys = 1;
        o.groups = groups;
        o.groups_count = 2;
        o.rows_per_unit = 2;
        o.groups_per_unit = o.rows_per_group = 1;
        o.total = total;
        o.totals = 4;
        bounded *g = either(how, &o, sql, 9);
        assert_int_equal(g->groups, 2);
        assert_int_equal(g->units[0] + g->units[1], UNITS);
        uint64_t at_least[5] = { 0 };
        for (size_t t = 0; t < 4; t++) at_least[t] = (uint64_t)(g->sum[2 * t] + g->sum[2 * t + 1]);
        for (size_t t = 0; t < 4; t++) seen[t] = at_least[t] - at_least[t + 1];
        assert_int_equal(g->units[1], seen[3]);
        check(4, UNITS);
        bounded_free(g);
    }
}

/* Rows that are equal are rows all the same: of 1, 1, 1, 2 the 2 stays a quarter of the time. */
static void equal_rows_count_each(void **state)
{
    static const char sql[] =
        "SELECT u::bigint, u::bigint, 0::bigint, a.x FROM generate_series(0, 5999) u, (VALUES "
        "('1'::float8), ('1'), ('2'), ('1')) AS a(x)";
    static const double law[] = { 0.75, 0.25 };
    (void)state;
    for (int how = 0; how < 2; how++) {
        bounding_options o = law_options();
        o.rows_per_group = 1;
        bounded *g = either(how, &o, sql, 10);
        for (size_t i = 0; i < g->groups; i++) seen[g->sum[i] - 1]++;
        assert_law(seen, law, 2, UNITS);
        bounded_free(g);
    }
}

static int tests(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(groups_and_rows_of_a_unit),
        cmocka_unit_test(rows_of_groups),
        cmocka_unit_test(all_steps_in_their_order),
        cmocka_unit_test(equal_rows_count_each),
    };
    return cmocka_run_group_tests(list, pushdown_begin, pushdown_end);
}

int main(void) { return cluster_run(tests); }
