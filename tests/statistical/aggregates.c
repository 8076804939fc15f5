/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates at production width, with fixed seeds and alpha 1e-6: intervals
 * hold at least as often as they say, and not always; answers have no bias where
 * none is due; the noise has the declared size. */
#include "unit/mechanisms/aggregate_help.h"

enum { N = 2000, RUNS = 4000 };
static double rows[N];

/* `held` of `runs` intervals of `confidence` p: not fewer than chance explains. */
static void assert_held(double held, double runs, double p)
{
    if (held < runs * p - 4.9 * sqrt(runs * p * (1 - p)))
        fail_msg("%g of %g held, asked for %g", held, runs, p);
}

static void fill_rows(double *mean, double *variance)
{
    *mean = *variance = 0;
    for (int i = 0; i < N; i++) *mean += (rows[i] = (double)(i * 7919 % N) / N * 40 - 10) / N;
    for (int i = 0; i < N; i++) *variance += (rows[i] - *mean) * (rows[i] - *mean) / N;
}

/* The share of runs whose interval holds the truth, and the mean error over its
 * standard error. */
static void check(aggregate *release, const dusk_aggregate *how, double truth, int runs, bool unbiased)
{
    double held = 0, sum = 0, squares = 0;
    dusk_generator *gen = seeded(17);
    for (int i = 0; i < runs; i++) {
        dusk_answer a;
        assert_int_equal(release(&a, how, rows, N, gen, NULL), DUSK_OK);
        held += a.low <= truth && truth <= a.high;
        sum += a.value - truth;
        squares += (a.value - truth) * (a.value - truth);
    }
    assert_held(held, runs, how->confidence);
    if (unbiased) assert_true(fabs(sum) <= 4.9 * sqrt(squares));
    dusk_generator_free(gen);
}

static dusk_status count(dusk_answer *out, const dusk_aggregate *how, const double *x, size_t n,
                         dusk_generator *gen, dusk_error *err)
{
    (void)x;
    return dusk_count_release(out, how, n, gen, err);
}

static void intervals_hold(void **state)
{
    double mean, variance;
    (void)state;
    fill_rows(&mean, &variance);
    for (int kind = 0; kind < 6; kind++) {
        dusk_aggregate how = ask(kind & 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, -10, 30, 0.5);
        int runs = kind & 2 ? RUNS / 20 : RUNS; /* Gaussian calibration takes longer */
        how.delta = kind & 2 ? 1e-6 : 0;
        how.rows_per_unit = kind & 4 ? 5 : 1;
        how.confidence = 0.8;
        check(count, &how, N, runs, true);
        check(dusk_sum_release, &how, mean * N, runs, true);
        check(dusk_mean_release, &how, mean, runs, false);
        check(dusk_variance_release, &how, variance, runs, false);
    }
}

/* Half of the intervals of one number hold when half is asked for: no fewer, and
 * not many more. */
static void intervals_are_not_too_long(void **state)
{
    double mean, variance, held[2] = { 0 };
    dusk_generator *gen = seeded(18);
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, -10, 30, 0.02);
    (void)state;
    fill_rows(&mean, &variance);
    how.confidence = 0.5;
    for (int i = 0; i < RUNS; i++) {
        dusk_answer a;
        assert_int_equal(dusk_sum_release(&a, &how, rows, N, gen, NULL), DUSK_OK);
        held[0] += a.low <= mean * N && mean * N <= a.high;
        assert_int_equal(dusk_count_release(&a, &how, N, gen, NULL), DUSK_OK);
        held[1] += a.low <= N && N <= a.high;
    }
    for (int i = 0; i < 2; i++) assert_true(fabs(held[i] - RUNS / 2) < 4.9 * sqrt(RUNS) / 2 + RUNS * 0.02);
    dusk_generator_free(gen);
}

static void counts_have_the_geometric_law(void **state)
{
    enum { SPAN = 6 };
    double seen[2 * SPAN + 1] = { 0 }, chi = 0, q = exp(-0.8);
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 0, 0.8);
    dusk_generator *gen = seeded(19);
    (void)state;
    for (int i = 0; i < 20 * RUNS; i++) {
        dusk_answer a;
        assert_int_equal(dusk_count_release(&a, &how, 100, gen, NULL), DUSK_OK);
        if (fabs(a.value - 100) <= SPAN) seen[(int)a.value - 100 + SPAN]++;
    }
    for (int k = -SPAN; k <= SPAN; k++) {
        double expected = 20.0 * RUNS * pow(q, abs(k)) * (1 - q) / (1 + q);
        chi += pow(seen[k + SPAN] - expected, 2) / expected;
    }
    assert_true(chi < 60); /* 13 degrees of freedom: 1e-6 is 56 */
    dusk_generator_free(gen);
}

static void bins_hold_together(void **state)
{
    const double edges[] = { -10, -5, 0, 10, 29, 30 };
    double mean, variance, exact[5] = { 0 };
    dusk_generator *gen = seeded(20);
    (void)state;
    fill_rows(&mean, &variance);
    for (int i = 0; i < N; i++)
        for (int b = 0; b < 5; b++) exact[b] += rows[i] >= edges[b] && rows[i] < edges[b + 1];
    for (int kind = 0; kind < 4; kind++) {
        dusk_aggregate how = ask(kind & 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, NAN, NAN, 0.3);
        int runs = kind & 2 ? RUNS / 10 : RUNS;
        double held = 0;
        how.delta = kind & 2 ? 1e-6 : 0;
        how.confidence = 0.7;
        for (int i = 0; i < runs; i++) {
            double counts[5], width;
            dusk_statement statement;
            bool all = true;
            assert_int_equal(
                dusk_histogram_release(counts, &width, &statement, &how, edges, 5, rows, N, gen, NULL),
                DUSK_OK);
            for (int b = 0; b < 5; b++) all = all && fabs(counts[b] - exact[b]) <= width;
            held += all;
        }
        assert_held(held, runs, 0.7);
        assert_true(held < runs * 0.85);
    }
    dusk_generator_free(gen);
}

static double rank_gap(double value, double q)
{
    double below = 0, not_above = 0, grid = 1e-6;
    for (int i = 0; i < N; i++) {
        below += rows[i] < value - grid;
        not_above += rows[i] <= value + grid;
    }
    return fmax(0, fmax(below - q * N, q * N - not_above));
}

static void ranks_hold(void **state)
{
    const double q[] = { 0.1, 0.5, 0.8 };
    double mean, variance;
    dusk_generator *gen = seeded(21);
    (void)state;
    fill_rows(&mean, &variance);
    for (size_t m = 1; m <= 3; m += 2)
        for (dusk_neighbours who = DUSK_ADD_REMOVE; who <= DUSK_REPLACE_ONE; who++) {
            dusk_aggregate how = ask(who, -10, 30, 1);
            double held = 0;
            how.confidence = 0.9;
            for (int i = 0; i < RUNS / 8; i++) {
                double values[3], rank_error;
                dusk_statement statement;
                bool all = true;
                assert_int_equal(
                    dusk_quantiles_release(values, &rank_error, &statement, &how, q, m, rows, N, gen, NULL),
                    DUSK_OK);
                for (size_t k = 0; k < m; k++) all = all && rank_gap(values[k], q[k]) <= rank_error;
                held += all;
            }
            assert_held(held, RUNS / 8, 0.9);
        }
    dusk_generator_free(gen);
}

/* The noisy count of the mean shows in the spread of its answers: with all rows
 * half way up, as much again as a quarter of the noise of the sum. */
static void the_mean_pays_for_its_count(void **state)
{
    double squares = 0, epsilon = 0.2, h = 1;
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, -h, h, epsilon);
    dusk_generator *gen = seeded(22);
    (void)state;
    for (int i = 0; i < N; i++) rows[i] = h / 2;
    for (int i = 0; i < 5 * RUNS; i++) {
        dusk_answer a;
        assert_int_equal(dusk_mean_release(&a, &how, rows, N, gen, NULL), DUSK_OK);
        squares += pow((a.value - h / 2) * N, 2);
    }
    double scale = 2 * h / epsilon, expected = 2 * scale * scale * (1 + 0.25);
    assert_true(fabs(squares / (5 * RUNS) / expected - 1) < 0.1); /* 4.9 deviations are 0.08 */
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold),
        cmocka_unit_test(intervals_are_not_too_long),
        cmocka_unit_test(counts_have_the_geometric_law),
        cmocka_unit_test(bins_hold_together),
        cmocka_unit_test(ranks_hold),
        cmocka_unit_test(the_mean_pays_for_its_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
