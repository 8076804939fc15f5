/* SPDX-License-Identifier: Apache-2.0 */
/* Means: within the bounds whatever the rows are, of no rows too (A10); the true
 * number of rows is not used where it is private; the interval encloses. */
#include "unit/mechanisms/aggregate_help.h"

static void answers_stay_within_the_bounds(void **state)
{
    const double rows[] = { NAN, INFINITY, -INFINITY, 1e300, -7, 0.5 };
    (void)state;
    for (dusk_neighbours who = DUSK_ADD_REMOVE; who <= DUSK_REPLACE_ONE; who++)
        for (uint64_t seed = 0; seed < 500; seed++)
            for (size_t n = 0; n <= 6; n++) { /* A10: n = 0 is no error; A11: odd rows */
                dusk_aggregate how = ask(who, 2, 3, 0.1);
                how.rows_per_unit = 1 + (uint32_t)seed % 3;
                how.delta = seed % 50 == 0 ? 0.01 : 0;
                dusk_answer a = answer_of(dusk_mean_release, &how, rows, n, seed);
                assert_true(a.value >= 2 && a.value <= 3 && a.low >= 2 && a.high <= 3);
            }
}

/* With all rows in the middle the answer is the noise over the count; one row
 * more, with the same coins, tells which count that was. */
static void a10_the_number_of_rows_is_not_used(void **state)
{
    enum { N = 100 };
    double rows[N + 1];
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, -1e6, 1e6, 1);
    int off = 0;
    (void)state;
    for (int i = 0; i <= N; i++) rows[i] = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        double a = value_of(dusk_mean_release, &how, rows, N, seed);
        double b = value_of(dusk_mean_release, &how, rows, N + 1, seed);
        off += fabs(1 / (a / b - 1) - N) > 0.5;
    }
    assert_true(off > 100 && off < 200); /* the noisy count is the true one one time in five */
}

static void a_public_number_of_rows_is_used(void **state)
{
    const double rows[4] = { 1, 2, 3, 4 };
    dusk_aggregate how = ask(DUSK_REPLACE_ONE, 0, 10, 1024);
    (void)state;
    assert_true(fabs(value_of(dusk_mean_release, &how, rows, 4, 1) - 2.5) < 0.1);
    assert_string_equal(event_of(answer_of(dusk_mean_release, &how, rows, 4, 1).statement),
                        "laplace(0.0009765625)");
}

static void budgets_are_shared(void **state)
{
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 10, 1);
    (void)state;
    assert_string_equal(event_of(answer_of(dusk_mean_release, &how, NULL, 0, 1).statement),
                        "laplace(2) + discrete_laplace(2)");
    how.rows_per_unit = 4;
    how.neighbours = DUSK_REPLACE_ONE;
    assert_string_equal(event_of(answer_of(dusk_mean_release, &how, NULL, 0, 1).statement),
                        "laplace(2) + discrete_laplace(8, 4)");
}

/* With almost no noise the answer is the mean; the interval holds it in at least
 * the share of runs that was asked for. */
static void intervals_enclose_the_mean(void **state)
{
    enum { N = 500, RUNS = 150 };
    double rows[N], mean = 0;
    (void)state;
    for (int i = 0; i < N; i++) mean += (rows[i] = 1e9 + (i * 37 % 101) / 101.0) - 1e9;
    mean = 1e9 + mean / N;
    for (int kind = 0; kind < 4; kind++) {
        dusk_aggregate how = ask(kind & 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, 1e9, 1e9 + 1, 1);
        how.delta = kind & 2 ? 1e-6 : 0;
        how.confidence = 0.5;
        int held = 0;
        for (uint64_t seed = 0; seed < RUNS; seed++) {
            dusk_answer a = answer_of(dusk_mean_release, &how, rows, N, seed);
            held += a.low <= mean && mean <= a.high;
        }
        assert_true(held > RUNS / 2 - 5 * sqrt(RUNS) / 2);
        how.epsilon = 1e8;
        assert_true(fabs(value_of(dusk_mean_release, &how, rows, N, 1) - mean) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_stay_within_the_bounds),
        cmocka_unit_test(a10_the_number_of_rows_is_not_used),
        cmocka_unit_test(a_public_number_of_rows_is_used),
        cmocka_unit_test(budgets_are_shared),
        cmocka_unit_test(intervals_enclose_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
