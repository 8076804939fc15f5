/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring data with the same coins: the same noise is drawn, so answers
 * may differ by the declared sensitivity and no more; statements, widths and the
 * number of coins taken may not differ at all. Rows are hostile on purpose. */
#include <math.h>

#include "dusk/dusk.h"
#include "hostile.h"
#include "requests.h"
#include "same_coins.h"
#include "seeded.h"

#define ROUNDS 40

static uint64_t seed = 20;

static tables neighbours(dusk_neighbours relation) { return hostile_neighbours(&seed, 0x1p-56, relation); }

static dusk_aggregate request(dusk_neighbours relation, double delta)
{
    return request_within(-3.7, 11.25, relation, 0.9, delta);
}

static void compare(release_aggregate *run, const dusk_aggregate *how, double most)
{
    for (uint64_t round = 0; round < ROUNDS; round++) {
        tables t = neighbours(how->neighbours);
        dusk_answer answer[2];
        dusk_generator *gen[2];
        char text[2][8192];
        open_both(gen, round);
        for (int side = 0; side < 2; side++) {
            assert_int_equal(run(&answer[side], how, t.rows[side], t.n[side], gen[side], NULL), DUSK_OK);
            assert_int_equal(dusk_statement_json(&answer[side].statement, text[side], 8192, NULL), DUSK_OK);
        }
        assert_string_equal(text[0], text[1]);
        if (fabs(answer[0].value - answer[1].value) > most)
            fail_msg("one row moved the answer by %g, declared %g", answer[0].value - answer[1].value, most);
        close_both_alike(gen);
    }
}

static void test_count(void **state)
{
    (void)state;
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        dusk_aggregate add = request(DUSK_ADD_REMOVE, gaussian ? 1e-6 : 0);
        compare(count_rows, &add, 1);
    }
}

static void test_sum(void **state)
{
    (void)state;
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        dusk_aggregate add = request(DUSK_ADD_REMOVE, gaussian ? 1e-6 : 0);
        dusk_aggregate replace = request(DUSK_REPLACE_ONE, gaussian ? 1e-6 : 0);
        compare(dusk_sum_release, &add, 11.25 + 1e-9);
        compare(dusk_sum_release, &replace, 14.95 + 1e-9);
    }
}

/* Ratios are not bounded by a sensitivity, but they stay within the bounds, and
 * coins and statements are the same. */
static void test_ratios(void **state)
{
    dusk_aggregate add = request(DUSK_ADD_REMOVE, 0), replace = request(DUSK_REPLACE_ONE, 1e-6);
    (void)state;
    compare(dusk_mean_release, &add, 14.95);
    compare(dusk_mean_release, &replace, 14.95);
    compare(dusk_variance_release, &add, 14.95 * 14.95 / 4);
    compare(dusk_variance_release, &replace, 14.95 * 14.95 / 4);
}

static void test_histogram(void **state)
{
    static const double edges[] = { -3.7, 0, 1, 2, 11.25 };
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        dusk_neighbours relation = round % 2 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE;
        dusk_aggregate how = request(relation, 0);
        tables t = neighbours(relation);
        double counts[2][4], width[2], moved = 0;
        dusk_statement statement;
        dusk_generator *gen[2];
        open_both(gen, round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_histogram_release(counts[side], &width[side], &statement, &how, edges, 4,
                                                    t.rows[side], t.n[side], gen[side], NULL),
                             DUSK_OK);
        for (int i = 0; i < 4; i++) moved += fabs(counts[0][i] - counts[1][i]);
        assert_true(moved <= (relation == DUSK_ADD_REMOVE ? 1 : 2));
        assert_true(width[0] == width[1]);
        close_both_alike(gen);
    }
}

/* Totals of hostile vectors: one more unit moves the sum by the clipping norm. */
static void test_total(void **state)
{
    dusk_noise noise;
    (void)state;
    assert_int_equal(dusk_gaussian_init(&noise, 3, 2.5, 1, 1e-6, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    assert_int_equal(dusk_noise_for_total(&noise, NULL), DUSK_OK);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        tables t = neighbours(DUSK_ADD_REMOVE);
        double out[2][3], norm = 0;
        for (int side = 0; side < 2; side++) {
            dusk_generator *gen = seeded(round);
            dusk_total *total;
            assert_int_equal(dusk_total_new(&total, &noise, NULL), DUSK_OK);
            for (size_t i = 0; i < t.n[side]; i++)
                dusk_total_add(total, (double[]){ t.rows[0][i], t.rows[0][(i + 1) % HOSTILE_ROWS], 1 });
            assert_int_equal(dusk_total_release(total, out[side], gen, NULL), DUSK_OK);
            dusk_total_free(total);
            dusk_generator_free(gen);
        }
        for (int i = 0; i < 3; i++) norm += (out[0][i] - out[1][i]) * (out[0][i] - out[1][i]);
        assert_true(sqrt(norm) <= 2.5 * (1 + 1e-12));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_count), cmocka_unit_test(test_sum),
                                        cmocka_unit_test(test_ratios), cmocka_unit_test(test_histogram),
                                        cmocka_unit_test(test_total) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
