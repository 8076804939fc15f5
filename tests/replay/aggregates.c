/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates of hostile rows, call by call: with the outputs of the first side the answers do not
 * differ at all, inputs move by what is declared, and the moves cost no more than was promised. */
#include <math.h>

#include "dusk/dusk.h"
#include "hostile.h"
#include "replay.h"
#include "requests.h"

enum { ROUNDS = 16 };

static uint64_t seed = 20;

static dusk_aggregate request(dusk_neighbours relation, double delta)
{
    return request_within(-3.7, 11.25, relation, 0.9, delta);
}

static void same_answers(const dusk_answer *a, const dusk_answer *b)
{
    char text[2][8192];
    replay_same((double[]){ a->value, a->low, a->high }, (double[]){ b->value, b->low, b->high }, 3);
    assert_int_equal(dusk_statement_json(&a->statement, text[0], sizeof text[0], NULL), DUSK_OK);
    assert_int_equal(dusk_statement_json(&b->statement, text[1], sizeof text[1], NULL), DUSK_OK);
    assert_string_equal(text[0], text[1]);
}

/* What is stated is what the moves are held against: it is never more than what was asked for. */
static replay_declared stated(const dusk_statement *statement, bool silent)
{
    assert_true(silent || statement->epsilon > 0);
    return (replay_declared){ .epsilon = statement->epsilon, .delta = statement->delta, .silent = silent };
}

/* Both relations, with and without delta, units of one row and of three. */
static void aggregates(void **state)
{
    static release_aggregate *const all[] = { count_rows, dusk_sum_release, dusk_mean_release,
                                              dusk_variance_release };
    (void)state;
    for (uint64_t round = 0; round < 4 * ROUNDS; round++) {
        dusk_neighbours relation = round % 2 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE;
        dusk_aggregate how = request(relation, round / 2 % 2 ? 1e-6 : 0);
        how.rows_per_unit = round / 4 % 2 ? 3 : 1;
        tables t = hostile_units(&seed, round % 3 ? 0x1p-56 : 0x1p-60, relation, how.rows_per_unit);
        dusk_answer answer[2];
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(
                all[round / 8 % 4](&answer[side], &how, t.rows[side], t.n[side], r.gen[side], NULL), DUSK_OK);
        same_answers(&answer[0], &answer[1]);
        bool known = round / 8 % 4 == 0 && relation == DUSK_REPLACE_ONE && how.rows_per_unit == 1;
        replay_close(&r, stated(&answer[0].statement, known));
    }
}

/* Counts of rows in public bins, and in bins that are found. */
static void bins(void **state)
{
    static const double edges[] = { -3.7, 0, 1, 2, 11.25 };
    (void)state;
    for (uint64_t round = 0; round < 4 * ROUNDS; round++) {
        dusk_neighbours relation = round % 2 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE;
        dusk_aggregate how = request(relation, round / 2 % 2 ? 1e-6 : 0);
        how.rows_per_unit = round / 4 % 2 ? 2 : 1;
        tables t = hostile_units(&seed, 0x1p-60, relation, how.rows_per_unit);
        double counts[2][4] = { { 0 } }, width[2];
        dusk_statement statement;
        dusk_bounds bounds[2];
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_histogram_release(counts[side], &width[side], &statement, &how, edges, 4,
                                                    t.rows[side], t.n[side], r.gen[side], NULL),
                             DUSK_OK);
        replay_same(counts[0], counts[1], 4);
        replay_same(&width[0], &width[1], 1);
        replay_close(&r, stated(&statement, false));
        how.delta = 0;
        how.epsilon = 20; /* so that something is found */
        r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_bounds_release(&bounds[side], &how, 0x1p-20, 0x1p20, t.rows[side],
                                                 t.n[side], r.gen[side], NULL),
                             DUSK_OK);
        replay_same(&bounds[0].lower, &bounds[1].lower, 1);
        replay_same(&bounds[0].upper, &bounds[1].upper, 1);
        replay_same(&bounds[0].outside, &bounds[1].outside, 1);
        assert_int_equal(bounds[0].found, bounds[1].found);
        replay_close(&r, stated(&bounds[0].statement, false));
    }
}

/* Counts by key: how many rows of each value there are on both sides. */
typedef struct tallies {
    uint64_t counts[2][12];
} tallies;

static tallies tally(dusk_neighbours relation, uint32_t rows)
{
    tallies t = { { { 0 } } };
    for (int i = 0; i < 12; i++) t.counts[0][i] = splitmix64(&seed) % 40 * (splitmix64(&seed) % 3) + rows;
    memcpy(t.counts[1], t.counts[0], sizeof t.counts[0]);
    bool alike = splitmix64(&seed) % 2; /* all rows of the unit have the same value */
    size_t from = splitmix64(&seed) % 12, to = splitmix64(&seed) % 12;
    for (uint32_t i = 0; i < rows; i++) {
        t.counts[1][alike ? from : splitmix64(&seed) % 12]--; /* at most `rows` times */
        if (relation == DUSK_REPLACE_ONE) t.counts[1][alike ? to : splitmix64(&seed) % 12]++;
    }
    return t;
}

static void keyed_counts_and_modes(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 4 * ROUNDS; round++) {
        dusk_neighbours relation = round % 2 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE;
        dusk_aggregate how = request(relation, round / 2 % 2 ? 1e-6 : 0);
        how.rows_per_unit = round / 4 % 2 ? 2 : 1;
        tallies t = tally(relation, how.rows_per_unit);
        double counts[2][12], width[2], shortfall[2];
        size_t index[2];
        dusk_statement statement;
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_counts_release(counts[side], &width[side], &statement, &how, t.counts[side],
                                                 12, r.gen[side], NULL),
                             DUSK_OK);
        replay_same(counts[0], counts[1], 12);
        replay_close(&r, stated(&statement, false));
        how.delta = 0;
        r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_mode_release(&index[side], &shortfall[side], &statement, &how,
                                               t.counts[side], 12, r.gen[side], NULL),
                             DUSK_OK);
        assert_int_equal(index[0], index[1]);
        replay_same(&shortfall[0], &shortfall[1], 1);
        replay_close(&r, (replay_declared){ .epsilon = how.epsilon, .coins_vary = true });
    }
}

/* Totals of vectors, for noise of both norms; merged from two parts. */
static void totals(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        dusk_noise noise;
        tables t = hostile_neighbours(&seed, 0x1p-56, DUSK_ADD_REMOVE);
        double out[2][3], delta = round % 2 ? 1e-6 : 0;
        replay r = replay_open(round);
        assert_int_equal(round % 2 ? dusk_gaussian_init(&noise, 3, 2.5, 1, 1e-6, DUSK_GRID_DEFAULT, NULL)
                                   : dusk_laplace_init(&noise, 3, 2.5, 1, DUSK_GRID_DEFAULT, NULL),
                         DUSK_OK);
        assert_int_equal(dusk_noise_for_total(&noise, NULL), DUSK_OK);
        for (int side = 0; side < 2; side++) {
            dusk_total *part[2];
            for (int i = 0; i < 2; i++) assert_int_equal(dusk_total_new(&part[i], &noise, NULL), DUSK_OK);
            for (size_t i = 0; i < t.n[side]; i++)
                dusk_total_add(part[i % 2], (double[]){ t.rows[0][i], t.rows[0][(i + 1) % HOSTILE_ROWS], 1 });
            assert_int_equal(dusk_total_merge(part[0], part[1], NULL), DUSK_OK);
            assert_int_equal(dusk_total_release(part[0], out[side], r.gen[side], NULL), DUSK_OK);
            for (int i = 0; i < 2; i++) dusk_total_free(part[i]);
        }
        replay_same(out[0], out[1], 3);
        replay_close(&r, (replay_declared){ .epsilon = 1, .delta = delta });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aggregates),
        cmocka_unit_test(bins),
        cmocka_unit_test(keyed_counts_and_modes),
        cmocka_unit_test(totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
