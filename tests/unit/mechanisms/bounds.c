/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic bounds: rows of every kind, what is public, the noise, and what is
 * promised about rows outside. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dusk/mechanisms.h"
#include "mechanisms/bounds.h"
#include "unit/mechanisms/aggregate_help.h"

static int open_generator(void **state) { return open_seeded(state, 161803); }

static dusk_aggregate request(dusk_neighbours neighbours, uint32_t rows, double epsilon, double confidence)
{
    dusk_aggregate how = ask(neighbours, NAN, NAN, epsilon);
    how.rows_per_unit = rows;
    how.confidence = confidence;
    return how;
}

static dusk_bounds find(const dusk_aggregate *how, double resolution, double largest, const double *rows,
                        size_t n, void **state)
{
    dusk_bounds bounds;
    assert_int_equal(dusk_bounds_release(&bounds, how, resolution, largest, rows, n, *state, NULL), DUSK_OK);
    assert_true(bounds.lower < bounds.upper && bounds.outside >= 0);
    return bounds;
}

/* A thousand rows of one value, at hardly any noise. */
static void assert_bin(double row, double lower, double upper, void **state)
{
    double rows[1000];
    dusk_aggregate how = request(DUSK_ADD_REMOVE, 1, 5, 0.999999);
    for (int i = 0; i < 1000; i++) rows[i] = row;
    dusk_bounds b = find(&how, 0.25, 1000, rows, 1000, state); /* 2^-2 to 2^10 */
    assert_true(b.found && b.lower == lower && b.upper == upper);
}

static void every_double_has_its_bin(void **state)
{
    assert_bin(1, 1, 2, state);
    assert_bin(nextafter(2, 0), 1, 2, state);
    assert_bin(2, 2, 4, state);
    assert_bin(-5, -8, -4, state);
    assert_bin(0.25, 0.25, 0.5, state);
    assert_bin(-0.25, -0.5, -0.25, state);
    assert_bin(nextafter(0.25, 0), -0.25, 0.25, state); /* counts as 0 */
    assert_bin(0, -0.25, 0.25, state);
    assert_bin(NAN, -0.25, 0.25, state);
    assert_bin(5e-324, -0.25, 0.25, state);
    assert_bin(999, 512, 1024, state);
    assert_bin(1e300, 512, 1024, state); /* in the last bin */
    assert_bin(INFINITY, 512, 1024, state);
    assert_bin(-INFINITY, -1024, -512, state);
}

static void bounds_reach_from_the_first_to_the_last(void **state)
{
    double rows[3000];
    dusk_aggregate how = request(DUSK_ADD_REMOVE, 1, 1, 0.999);
    for (int i = 0; i < 3000; i++) rows[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? 100 : 3;
    dusk_bounds b = find(&how, 1e-9, 1e18, rows, 3000, state);
    assert_true(b.found && b.lower == 0 && b.upper == 128);
    rows[0] = rows[1] = -1e6; /* too few to be seen */
    b = find(&how, 1e-9, 1e18, rows, 3000, state);
    assert_true(b.lower == 0 && b.upper == 128 && b.outside >= 2);
}

/* All doubles: the ends are doubles, too. */
static void the_whole_range_of_doubles_works(void **state)
{
    double rows[400];
    dusk_aggregate how = request(DUSK_ADD_REMOVE, 1, 2, 0.99);
    for (int i = 0; i < 400; i++) rows[i] = i % 2 ? DBL_MAX : -DBL_MIN / 4;
    dusk_bounds b = find(&how, 0x1p-1074, DBL_MAX, rows, 400, state);
    assert_true(b.lower == -DBL_MIN / 2 && b.upper == DBL_MAX && b.outside < 400);
}

static void empty_bins_are_not_taken(void **state)
{
    enum { RUNS = 400 };
    dusk_aggregate how = request(DUSK_ADD_REMOVE, 2, 0.5, 0.9);
    int found = 0;
    for (int i = 0; i < RUNS; i++) {
        dusk_bounds b = find(&how, 1e-9, 1e18, NULL, 0, state);
        found += b.found;
        if (!b.found) assert_true(b.lower == -0x1p-30 && b.upper == 0x1p-30);
    }
    assert_true(found <= RUNS * 0.05 + 4 * sqrt(RUNS * 0.05));
}

/* Rows spread thin over many bins, half of them unseen: the number outside holds. */
static void rows_outside_are_counted(void **state)
{
    enum { N = 600, RUNS = 300 };
    double rows[N];
    dusk_aggregate how = request(DUSK_ADD_REMOVE, 1, 0.5, 0.8);
    int wrong = 0;
    double most = 0;
    for (int i = 0; i < N; i++) rows[i] = i < N / 2 ? 1 : ldexp(1.5, i % 60) * (i % 3 ? 1 : -1);
    for (int run = 0; run < RUNS; run++) {
        dusk_bounds b = find(&how, 1e-9, 1e18, rows, N, state);
        int outside = 0;
        for (int i = 0; i < N; i++) outside += rows[i] < b.lower || rows[i] > b.upper;
        wrong += outside > b.outside;
        most = fmax(most, b.outside);
    }
    assert_true(wrong <= RUNS * 0.1);
    assert_true(most < 2 * N);
}

/* P(sum of `count` noises < -t) by convolution, for the t of the bound; and the bound is not idle. */
static void check_sum(double scale, int count, double log_ways)
{
    enum { REACH = 400, SIZE = 2 * REACH + 1 };
    static double law[SIZE], next[SIZE];
    double q = exp(-1 / scale), t = dusk_bounds_sum_tail_up(scale, (size_t)count, log_ways), tail = 0;
    memset(law, 0, sizeof law);
    law[REACH] = 1;
    for (int step = 0; step < count; step++) {
        memset(next, 0, sizeof next);
        for (int i = 0; i < SIZE; i++)
            for (int k = -60; k <= 60 && law[i] > 0; k++)
                if (i + k >= 0 && i + k < SIZE) next[i + k] += law[i] * pow(q, abs(k)) * (1 - q) / (1 + q);
        memcpy(law, next, sizeof law);
    }
    for (int i = 0; i < SIZE; i++)
        if (i - REACH < -t) tail += law[i];
    assert_true(tail <= exp(-log_ways) * (1 + 1e-9));
    assert_true(t < 3 * scale * sqrt(count * log_ways) + 3 * scale * log_ways);
}

static void sums_of_noise_stay_within_their_bound(void **state)
{
    (void)state;
    check_sum(1, 1, 3);
    check_sum(1, 10, 6);
    check_sum(2.5, 20, 4);
    check_sum(0.3, 40, 5);
    assert_true(dusk_bounds_sum_tail_up(1, 0, 5) == 0);
    assert_true(isinf(dusk_bounds_sum_tail_up(1e-4, 3, 5)));
}

static void assert_event(dusk_neighbours neighbours, uint32_t rows, const char *wanted, void **state)
{
    char text[64];
    dusk_aggregate how = request(neighbours, rows, 0.5, 0.95);
    dusk_bounds b = find(&how, 1, 100, NULL, 0, state);
    assert_int_equal(dusk_event_format(&b.statement.event, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, wanted);
    assert_true(b.statement.epsilon == 0.5 && b.statement.delta == 0);
}

static void the_noise_is_that_of_the_relation(void **state)
{
    assert_event(DUSK_ADD_REMOVE, 1, "discrete_laplace(2)", state);
    assert_event(DUSK_ADD_REMOVE, 3, "discrete_laplace(6, 3)", state);
    assert_event(DUSK_REPLACE_ONE, 1, "discrete_laplace(4, 2)", state);
    assert_event(DUSK_REPLACE_ONE, 2, "discrete_laplace(8, 4)", state);
}

static void bad_requests_are_refused(void **state)
{
    const double pairs[][2] = { { 0, 1 },        { -1, 1 }, { NAN, 1 }, { 1, NAN },
                                { 1, INFINITY }, { 2, 1 },  { 1, 1 } };
    dusk_aggregate good = request(DUSK_ADD_REMOVE, 1, 1, 0.95), bad = good;
    dusk_bounds bounds = { .lower = 77 };
    dusk_error err;
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(dusk_bounds_release(&bounds, &good, pairs[i][0], pairs[i][1], NULL, 0, *state, &err),
                         DUSK_ERR_ARGUMENT);
        assert_true(strlen(err.message) > 10);
    }
    bad.delta = 1e-6;
    assert_int_equal(dusk_bounds_release(&bounds, &bad, 1, 2, NULL, 0, *state, &err), DUSK_ERR_ARGUMENT);
    bad = good;
    bad.epsilon = 0;
    assert_int_equal(dusk_bounds_release(&bounds, &bad, 1, 2, NULL, 0, *state, &err), DUSK_ERR_ARGUMENT);
    for (long nth = 1; nth <= 3; nth++) {
        dusk_memory_fail_at(nth);
        assert_int_equal(dusk_bounds_release(&bounds, &good, 1, 2, NULL, 0, *state, &err), DUSK_ERR_MEMORY);
        dusk_memory_fail_at(0);
    }
    assert_true(bounds.lower == 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_double_has_its_bin),
        cmocka_unit_test(bounds_reach_from_the_first_to_the_last),
        cmocka_unit_test(the_whole_range_of_doubles_works),
        cmocka_unit_test(empty_bins_are_not_taken),
        cmocka_unit_test(rows_outside_are_counted),
        cmocka_unit_test(sums_of_noise_stay_within_their_bound),
        cmocka_unit_test(the_noise_is_that_of_the_relation),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
