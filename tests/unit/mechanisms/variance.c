/* SPDX-License-Identifier: Apache-2.0 */
/* Variances: never negative nor above a quarter of the squared range, of no rows
 * too; noise of the declared scale; the interval encloses. */
#include "unit/mechanisms/aggregate_help.h"

static void answers_stay_within_the_possible(void **state)
{
    const double rows[] = { NAN, INFINITY, -INFINITY, 1e300, -7, 0.5 };
    (void)state;
    for (dusk_neighbours who = DUSK_ADD_REMOVE; who <= DUSK_REPLACE_ONE; who++)
        for (uint64_t seed = 0; seed < 300; seed++)
            for (size_t n = 0; n <= 6; n++) {
                dusk_aggregate how = ask(who, 2, 4, 0.1);
                how.rows_per_unit = 1 + (uint32_t)seed % 3;
                how.delta = seed % 50 == 0 ? 0.01 : 0;
                dusk_answer a = answer_of(dusk_variance_release, &how, rows, n, seed);
                assert_true(a.value >= 0 && a.value <= 1 && a.low >= 0 && a.high <= 1);
            }
}

static void without_noise_it_is_the_variance(void **state)
{
    const double rows[] = { 1, 2, 3, 4, 10 }, same[] = { 7, 7, 7 };
    (void)state;
    for (dusk_neighbours who = DUSK_ADD_REMOVE; who <= DUSK_REPLACE_ONE; who++) {
        dusk_aggregate how = ask(who, 0, 10, 1e6);
        assert_true(fabs(value_of(dusk_variance_release, &how, rows, 5, 1) - 10) < 1e-2);
        assert_true(fabs(value_of(dusk_variance_release, &how, same, 3, 1)) < 1e-2);
        assert_true(fabs(value_of(dusk_variance_release, &how, rows, 1, 1)) < 1e-2);
        assert_true(value_of(dusk_variance_release, &how, NULL, 0, 1) < 1e-2); /* of no rows: 0 */
    }
}

/* Rows where the squared deviation is half its largest: the answer is then off by
 * the noise of the squares over n, and by less of the rest. */
static void the_noise_has_the_declared_scale(void **state)
{
    enum { N = 2000, RUNS = 800 };
    static double rows[N];
    double sum = 0, epsilon = 20, h = 1;
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, -h, h, epsilon);
    (void)state;
    for (int i = 0; i < N; i++) rows[i] = (i % 2 ? 1 : -1) * h / sqrt(2);
    for (uint64_t seed = 0; seed < RUNS; seed++)
        sum += fabs(value_of(dusk_variance_release, &how, rows, N, seed) - h * h / 2) * N;
    assert_true(fabs(sum / RUNS / (3 * (h * h / 2) / epsilon) - 1) < 0.2);
    assert_int_equal(how.delta, 0);
}

static void budgets_are_shared(void **state)
{
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 10, 3);
    (void)state;
    dusk_statement s = answer_of(dusk_variance_release, &how, NULL, 0, 1).statement;
    assert_true(s.epsilon <= 3 && s.epsilon > 3 * (1 - 1e-9));
    how.neighbours = DUSK_REPLACE_ONE;
    how.epsilon = 2;
    s = answer_of(dusk_variance_release, &how, NULL, 0, 1).statement;
    assert_string_equal(event_of(s), "laplace(1) * 2");
}

static void intervals_enclose_the_variance(void **state)
{
    enum { N = 1000, RUNS = 150 };
    static double rows[N];
    double mean = 0, variance = 0;
    (void)state;
    for (int i = 0; i < N; i++) mean += (rows[i] = (i * 37 % 101) / 10.1) / N;
    for (int i = 0; i < N; i++) variance += (rows[i] - mean) * (rows[i] - mean) / N;
    for (int kind = 0; kind < 4; kind++) {
        dusk_aggregate how = ask(kind & 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, 0, 10, 1);
        how.delta = kind & 2 ? 1e-6 : 0;
        how.confidence = 0.5;
        int held = 0;
        for (uint64_t seed = 0; seed < RUNS; seed++) {
            dusk_answer a = answer_of(dusk_variance_release, &how, rows, N, seed);
            held += a.low <= variance && variance <= a.high;
        }
        assert_true(held > RUNS / 2 - 5 * sqrt(RUNS) / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_stay_within_the_possible),
        cmocka_unit_test(without_noise_it_is_the_variance),
        cmocka_unit_test(the_noise_has_the_declared_scale),
        cmocka_unit_test(budgets_are_shared),
        cmocka_unit_test(intervals_enclose_the_variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
