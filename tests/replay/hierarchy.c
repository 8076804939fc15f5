/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring points with the same coins: the same noise is drawn, so that the noisy
 * counts differ on one cell a level by one (on two when a point is exchanged), and the
 * number of coins taken, half-widths and statements do not differ at all. */
#include <float.h>
#include <math.h>

#include "dusk/dusk.h"
#include "random/generator.h"
#include "random/tape.h"
#include "support.h"

enum { POINTS = 40, ROUNDS = 60, DEPTH = 3, NODES = 1 + 4 + 16 + 64 };

static uint64_t seed = 3;

static double hostile(void)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, -0.0, DBL_MAX, 1, 0.5, 0.25 };
    uint64_t r = splitmix64(&seed);
    return r % 3 ? (double)(r >> 11) * 0x1p-53 * 1.2 - 0.1 : odd[r / 3 % 8];
}

/* How far the counts of one level are apart: the sum, and the largest. */
static void check_levels(double counts[2][NODES], double most)
{
    size_t at = 0;
    for (size_t level = 0, size = 1; level <= DEPTH; level++, size *= 4) {
        double sum = 0;
        for (size_t i = 0; i < size; i++, at++) {
            double moved = fabs(counts[0][at] - counts[1][at]);
            assert_true(moved <= 1);
            sum += moved;
        }
        if (sum > (size == 1 ? 1 : most)) fail_msg("level %zu moved by %g", level, sum);
    }
}

static void replay(dusk_neighbours relation, double delta, dusk_outside outside)
{
    const dusk_box box = { 0, 1, 0, 1 };
    dusk_aggregate how;
    dusk_quadtree *q;
    dusk_aggregate_init(&how);
    how.neighbours = relation;
    how.epsilon = 0.8;
    how.delta = delta;
    assert_int_equal(dusk_quadtree_new(&q, &how, &box, 2, DEPTH, NULL, outside, NULL), DUSK_OK);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        double x[POINTS], y[POINTS], counts[2][NODES];
        uint64_t word[2];
        size_t n = 1 + splitmix64(&seed) % POINTS;
        for (size_t i = 0; i < n; i++) {
            x[i] = hostile();
            y[i] = hostile();
        }
        for (int side = 0; side < 2; side++) {
            dusk_generator *gen;
            assert_int_equal(dusk_generator_new_seeded(&gen, round, NULL), DUSK_OK);
            size_t rows = side && relation == DUSK_ADD_REMOVE ? n - 1 : n;
            if (side) x[n - 1] = hostile();
            assert_int_equal(dusk_quadtree_release(q, counts[side], x, y, rows, gen, NULL), DUSK_OK);
            assert_int_equal(dusk_generator_words(gen, &word[side], 1, 64, NULL), DUSK_OK);
            dusk_generator_free(gen);
        }
        check_levels(counts, relation == DUSK_ADD_REMOVE ? 1 : 2);
        assert_int_equal(word[0], word[1]);
    }
    dusk_quadtree_free(q);
}

static void test_quadtree(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++)
        replay(kind % 2 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE, kind / 2 % 2 ? 1e-6 : 0,
               kind / 4 ? DUSK_OUTSIDE_DROP : DUSK_OUTSIDE_CLAMP);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_quadtree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
