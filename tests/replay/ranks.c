/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles, noise that follows the data, and blocks, call by call. Rows are hostile on purpose;
 * units of one row and of several, both relations. */
#include <float.h>
#include <math.h>

#include "dusk/mechanisms.h"
#include "hostile.h"
#include "mechanisms/smooth_sensitivity.h"
#include "replay.h"
#include "requests.h"

enum { ROUNDS = 32 };

static uint64_t seed = 29;

/* The r-th request: relations and sizes of units take turns. */
static dusk_aggregate request(uint64_t round, double epsilon, double delta)
{
    dusk_aggregate how =
        request_within(-8, 8, round % 2 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE, epsilon, delta);
    how.rows_per_unit = round / 2 % 2 ? 3 : 1;
    return how;
}

static tables rows_of(const dusk_aggregate *how)
{
    return hostile_units(&seed, 0x1p-60, how->neighbours, how->rows_per_unit);
}

/* One quantile, and several by halving; the second side takes over each choice. */
static void quantiles(void **state)
{
    static const double q[] = { 0.1, 0.25, 0.5, 0.9, 0.95 };
    (void)state;
    for (uint64_t round = 0; round < 2 * ROUNDS; round++) {
        dusk_aggregate how = request(round, 0.9, 0);
        tables t = rows_of(&how);
        size_t m = round / 4 % 2 ? 5 : 1;
        double values[2][5], error[2];
        dusk_statement statement;
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_quantiles_release(values[side], &error[side], &statement, &how,
                                                    m == 1 ? q + round % 5 : q, m, t.rows[side], t.n[side],
                                                    r.gen[side], NULL),
                             DUSK_OK);
        replay_same(values[0], values[1], m);
        replay_same(&error[0], &error[1], 1);
        replay_close(&r, (replay_declared){ .epsilon = how.epsilon, .coins_vary = true });
    }
}

static void smooth_quantiles(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        bool with_delta = round / 4 % 2;
        dusk_aggregate how = request(round, 1, with_delta ? 1e-3 : 0);
        tables t = rows_of(&how);
        dusk_smooth_options options;
        dusk_answer answer[2];
        replay r = replay_open(round);
        dusk_smooth_options_init(&options);
        options.law = with_delta ? (round / 8 % 2 ? DUSK_SMOOTH_LAPLACE : DUSK_SMOOTH_GAUSSIAN)
                                 : (round / 8 % 2 ? DUSK_SMOOTH_CAUCHY : DUSK_SMOOTH_STUDENT_T);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_smooth_quantile_release(&answer[side], &how, &options, 0.3, t.rows[side],
                                                          t.n[side], r.gen[side], NULL),
                             DUSK_OK);
        replay_same(&answer[0].value, &answer[1].value, 1);
        replay_close(&r, (replay_declared){ .epsilon = 1, .delta = how.delta, .coins_vary = true });
    }
}

/* A number and its local sensitivities, as a caller gives them: a count, whose sensitivity is 1. */
static void smooth_numbers(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        dusk_smooth smooth;
        double out[2];
        replay r = replay_open(round);
        assert_int_equal(dusk_smooth_init(&smooth, DUSK_SMOOTH_CAUCHY, 1, 0, 1, 0, -10, NULL), DUSK_OK);
        for (int side = 0; side < 2; side++) {
            double local[4] = { side ? 1 : 2, 3, 4, 5 }; /* local[k] <= local[k + 1] of the other */
            double s = dusk_smooth_sensitivity(&smooth, local, 4);
            assert_int_equal(dusk_smooth_release(&smooth, &out[side], 7 + side, s, r.gen[side], NULL),
                             DUSK_OK);
        }
        replay_same(&out[0], &out[1], 1);
        replay_close(&r, (replay_declared){ .epsilon = 1, .coins_vary = true });
    }
}

static void proposals(void **state)
{
    unsigned answered = 0, far = 0;
    (void)state;
    for (uint64_t round = 0; round < 3 * ROUNDS; round++) {
        dusk_noise_law law = round / 4 % 2 ? DUSK_LAPLACE : DUSK_GAUSSIAN;
        dusk_aggregate how = request(round, 1, 0.2);
        tables t = rows_of(&how);
        dusk_answer answer[2];
        bool released[2];
        double bound = round % 3 ? 4 : 0.5; /* often too small: then a move may be large, behind the test */
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_propose_quantile_release(&answer[side], &released[side], &how, law, bound,
                                                           0.5, t.rows[side], t.n[side], r.gen[side], NULL),
                             DUSK_OK);
        assert_int_equal(released[0], released[1]);
        replay_same(&answer[0].value, &answer[1].value, 1);
        answered += released[0];
        const dusk_record_call *a = &r.record[0]->calls[2], *b = &r.record[1]->calls[2];
        far += fabs((double)(a->inputs[0].whole - b->inputs[0].whole)) > a->header.sensitivity;
        replay_close(&r, (replay_declared){ .epsilon = 1, .delta = 0.2 });
    }
    assert_true(answered > 5 && far > 5);
}

/* With a value and a distance of one's own; at distance 0 on both sides the value may do anything. */
static void proposed_numbers(void **state)
{
    dusk_propose propose;
    (void)state;
    assert_int_equal(dusk_propose_init(&propose, DUSK_LAPLACE, 2, 0, 1, 1e-3, NULL), DUSK_OK);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t distance = round % 20;
        double value = 30, other = distance ? 28 + (double)(round % 9) / 2 : 1e6, out[2];
        bool released[2];
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_propose_release(&propose, &released[side], &out[side], side ? other : value,
                                                  side && distance ? distance - 1 : distance, r.gen[side],
                                                  NULL),
                             DUSK_OK);
        assert_int_equal(released[0], released[1]);
        replay_same(&out[0], &out[1], 1);
        replay_close(&r, (replay_declared){ .epsilon = 1, .delta = 1e-3 });
    }
}

/* --- blocks ------------------------------------------------------------------------------------- */

/* The last row of a block: one row moves it as far as a value can move. */
static double last_row(const size_t *index, size_t n, void *context)
{
    const double *rows = context;
    return n == 0 ? 0 : rows[index[n - 1]];
}

static dusk_status run_blocks(dusk_answer *out, const dusk_aggregate *how, dusk_blocks_aggregate kind,
                              const tables *t, const uint64_t *units, int side, dusk_generator *gen)
{
    double copy[HOSTILE_ROWS];
    memcpy(copy, t->rows[side], sizeof copy);
    return dusk_sample_and_aggregate_release(out, how, kind, 10, t->n[side], units, last_row, copy, gen,
                                             NULL);
}

/* Rows by themselves, the last ones come or go; and named units, anyone of whom goes. */
static void blocks(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 4 * ROUNDS; round++) {
        dusk_blocks_aggregate kind = (dusk_blocks_aggregate)(1 + round % 3);
        dusk_aggregate how = request(round / 3, 1, kind == DUSK_BLOCKS_MEAN && round % 2 ? 1e-6 : 0);
        bool named = round / 12 % 2;
        tables t = rows_of(&how);
        for (size_t i = t.n[0] - how.rows_per_unit; i < t.n[0] && round % 5; i++) {
            t.rows[0][i] = 1e9;
            t.rows[1][i] = -1e9;
        }
        uint64_t units[2][HOSTILE_ROWS];
        dusk_answer answer[2];
        if (named && how.neighbours == DUSK_ADD_REMOVE && t.n[0] > 3) { /* a unit of every third row goes */
            t.n[1] = 0;
            for (size_t i = 0; i < t.n[0]; i++) {
                units[0][i] = i % 3 ? i : 1000;
                if (i % 3 == 0) continue;
                units[1][t.n[1]] = i;
                t.rows[1][t.n[1]++] = t.rows[0][i];
            }
        } else {
            for (size_t i = 0; i < HOSTILE_ROWS; i++) units[0][i] = units[1][i] = i;
            size_t first =
                t.n[0] - how.rows_per_unit; /* the rows of one unit; its successor has another name */
            for (size_t i = first; i < t.n[0]; i++) units[0][i] = 77;
            for (size_t i = first; i < t.n[0]; i++) units[1][i] = 78;
        }
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(
                run_blocks(&answer[side], &how, kind, &t, named ? units[side] : NULL, side, r.gen[side]),
                DUSK_OK);
        replay_same(&answer[0].value, &answer[1].value, 1);
        replay_close(&r, (replay_declared){
                             .epsilon = 1, .delta = how.delta, .coins_vary = kind != DUSK_BLOCKS_MEAN });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles), cmocka_unit_test(smooth_quantiles), cmocka_unit_test(smooth_numbers),
        cmocka_unit_test(proposals), cmocka_unit_test(proposed_numbers), cmocka_unit_test(blocks)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
