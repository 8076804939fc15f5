/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and trees, call by call: marginals, models and synthetic rows, regions, ranges and maps.
 * Codes beyond their column and points outside the box are among the rows. */
#include <float.h>
#include <math.h>

#include "dusk/mechanisms.h"
#include "replay.h"
#include "requests.h"

enum { ROWS = 50, COLUMNS = 3, ROUNDS = 16 };

static const uint32_t sizes[COLUMNS] = { 3, 2, 4 };
static uint64_t seed = 83;

/* Two tables that differ in the last rows, those of one unit. */
typedef struct twins {
    uint32_t codes[2][ROWS * COLUMNS];
    dusk_table table[2];
} twins;

static dusk_aggregate request(uint64_t round)
{
    dusk_aggregate how =
        request_of(round % 2 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE, 0.9, round / 2 % 2 ? 1e-6 : 0);
    how.rows_per_unit = round / 4 % 2 ? 2 : 1;
    return how;
}

static void make_tables(twins *t, const dusk_aggregate *how)
{
    size_t n = 3 + splitmix64(&seed) % (ROWS - 2), unit = how->rows_per_unit;
    for (size_t i = 0; i < n * COLUMNS; i++)
        t->codes[0][i] = t->codes[1][i] = (uint32_t)(splitmix64(&seed) % 5);
    for (size_t i = (n - unit) * COLUMNS; i < n * COLUMNS; i++)
        t->codes[1][i] = (uint32_t)(splitmix64(&seed) % 5);
    for (int side = 0; side < 2; side++)
        t->table[side] = (dusk_table){
            .columns = COLUMNS,
            .sizes = sizes,
            .rows = side && how->neighbours == DUSK_ADD_REMOVE ? n - unit : n,
            .codes = t->codes[side],
        };
}

static const dusk_marginal marginals[] = { { 1, { 0 } }, { 2, { 0, 1 } }, { 2, { 1, 2 } }, { 1, { 2 } } };

static void marginal_counts(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 4 * ROUNDS; round++) {
        dusk_aggregate how = request(round);
        static twins t;
        double counts[2][64], width[2];
        size_t cells;
        dusk_statement statement;
        make_tables(&t, &how);
        assert_int_equal(dusk_marginals_cells(&cells, &t.table[0], marginals, 4, NULL), DUSK_OK);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_marginals_release(counts[side], &width[side], &statement, &how,
                                                    &t.table[side], marginals, 4, r.gen[side], NULL),
                             DUSK_OK);
        replay_same(counts[0], counts[1], cells);
        replay_same(&width[0], &width[1], 1);
        replay_close(&r, (replay_declared){ .epsilon = statement.epsilon, .delta = statement.delta });
    }
}

/* Choices and measurements are charged together by an accountant; without delta they add up. */
static replay_declared priced_if_pure(const dusk_aggregate *how)
{
    return (replay_declared){ .epsilon = how->delta > 0 ? 0 : how->epsilon, .coins_vary = true };
}

/* With a delta now and then: to share it takes an accountant some time. */
static dusk_aggregate request_rarely(uint64_t round)
{
    dusk_aggregate how = request(round);
    if (round % 8 != 2) how.delta = 0;
    return how;
}

static void models(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS / 2; round++) {
        dusk_aggregate how = request_rarely(round);
        static twins t;
        double model[2][24], error[2];
        dusk_statement statement;
        dusk_mwem_options options;
        dusk_mwem_options_init(&options);
        options.marginals = marginals;
        options.marginals_count = 4;
        options.rounds = 4;
        options.prefixes = round / 8 % 2;
        make_tables(&t, &how);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_mwem_release(model[side], &error[side], &statement, &how, &options,
                                               &t.table[side], r.gen[side], NULL),
                             DUSK_OK);
        replay_same(model[0], model[1], 24);
        replay_same(&error[0], &error[1], 1);
        replay_close(&r, priced_if_pure(&how));
    }
}

static void synthetic_rows(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        dusk_aggregate how = request_rarely(round);
        if (how.delta == 0)
            how.epsilon = 30; /* a model near the rows: exchanging one can move a score by 2 */
        static twins t;
        double counts[2][8];
        uint32_t tree[2][COLUMNS];
        uint64_t rows[2];
        dusk_statement statement;
        make_tables(&t, &how);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++) {
            dusk_synthetic_table *made;
            assert_int_equal(
                dusk_synthetic_table_release(&made, &statement, &how, &t.table[side], r.gen[side], NULL),
                DUSK_OK);
            dusk_synthetic_table_tree(made, tree[side]);
            rows[side] = dusk_synthetic_table_rows(made);
            assert_int_equal(
                dusk_synthetic_table_marginal(made, counts[side], &(dusk_marginal){ 2, { 1, 2 } }, NULL),
                DUSK_OK);
            dusk_synthetic_table_free(made);
        }
        replay_same(counts[0], counts[1], 8);
        assert_memory_equal(tree[0], tree[1], sizeof tree[0]);
        assert_int_equal(rows[0], rows[1]);
        replay_close(&r, priced_if_pure(&how));
    }
}

/* --- trees ------------------------------------------------------------------------------------- */

enum { BINS = 16, NODES = 1 + 2 + 4 + 8 + 16 };

/* A tree over bins; its last nodes are the bins. Some levels may not be counted at all. */
static void ranges(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 4 * ROUNDS; round++) {
        dusk_aggregate how = request(round);
        uint32_t parents[NODES];
        size_t nodes;
        uint64_t exact[2][NODES];
        double noisy[2][NODES], fitted[2][NODES], shares[] = { 0, 1, 3, 0, 2 };
        dusk_hierarchy *h;
        assert_int_equal(dusk_hierarchy_balanced(parents, &nodes, BINS, 2, NULL), DUSK_OK);
        assert_int_equal(nodes, NODES);
        assert_int_equal(dusk_hierarchy_new(&h, &how, parents, nodes, round / 8 % 2 ? shares : NULL,
                                            round / 8 % 2 ? 5 : 0, NULL),
                         DUSK_OK);
        for (size_t i = 0; i < NODES; i++) exact[0][i] = exact[1][i] = 2 + splitmix64(&seed) % 9;
        for (uint32_t i = 0; i < how.rows_per_unit; i++) {
            exact[1][NODES - 1 - splitmix64(&seed) % BINS]--;
            if (how.neighbours == DUSK_REPLACE_ONE) exact[1][NODES - 1 - splitmix64(&seed) % BINS]++;
        }
        exact[1][0] = 5; /* not looked at */
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++) {
            assert_int_equal(dusk_hierarchy_release(h, noisy[side], exact[side], r.gen[side], NULL), DUSK_OK);
            assert_int_equal(dusk_hierarchy_fit(h, fitted[side], noisy[side], NULL), DUSK_OK);
        }
        replay_same(noisy[0], noisy[1], NODES);
        replay_same(fitted[0], fitted[1], NODES);
        dusk_statement statement;
        assert_int_equal(dusk_hierarchy_state(h, &statement, NULL), DUSK_OK);
        replay_close(&r, (replay_declared){ .epsilon = statement.epsilon, .delta = statement.delta });
        dusk_hierarchy_free(h);
    }
}

static double hostile_coordinate(void)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, -0.0, DBL_MAX, 1, 0.5, 0.25 };
    uint64_t x = splitmix64(&seed);
    return x % 3 ? (double)(x >> 11) * 0x1p-53 * 1.2 - 0.1 : odd[x / 3 % 8];
}

static void maps(void **state)
{
    const dusk_box box = { 0, 1, 0, 1 };
    (void)state;
    for (uint64_t round = 0; round < 4 * ROUNDS; round++) {
        dusk_aggregate how = request(round);
        double x[2][ROWS], y[2][ROWS], counts[2][1 + 4 + 16 + 64];
        size_t n = 3 + splitmix64(&seed) % (ROWS - 2), unit = how.rows_per_unit;
        dusk_quadtree *q;
        assert_int_equal(dusk_quadtree_new(&q, &how, &box, 2, 3, NULL,
                                           round / 8 % 2 ? DUSK_OUTSIDE_DROP : DUSK_OUTSIDE_CLAMP, NULL),
                         DUSK_OK);
        for (size_t i = 0; i < n; i++) {
            x[0][i] = hostile_coordinate();
            y[0][i] = hostile_coordinate();
            x[1][i] = i + unit < n ? x[0][i] : hostile_coordinate();
            y[1][i] = i + unit < n ? y[0][i] : hostile_coordinate();
        }
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_quadtree_release(q, counts[side], x[side], y[side],
                                                   side && how.neighbours == DUSK_ADD_REMOVE ? n - unit : n,
                                                   r.gen[side], NULL),
                             DUSK_OK);
        replay_same(counts[0], counts[1], 85);
        dusk_statement statement;
        assert_int_equal(dusk_quadtree_state(q, &statement, NULL), DUSK_OK);
        replay_close(&r, (replay_declared){ .epsilon = statement.epsilon, .delta = statement.delta });
        dusk_quadtree_free(q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(marginal_counts), cmocka_unit_test(models),
                                        cmocka_unit_test(synthetic_rows), cmocka_unit_test(ranges),
                                        cmocka_unit_test(maps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
