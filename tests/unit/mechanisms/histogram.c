/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms: which row falls where, that empty bins and absent keys are
 * released like all others (A16), and noise for what one unit can change. */
#include "unit/mechanisms/aggregate_help.h"

typedef struct histogram {
    double counts[8], half_width;
    dusk_statement statement;
} histogram;

static histogram histogram_of(const dusk_aggregate *how, const double *edges, size_t bins, const double *rows,
                              size_t n, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    histogram h;
    assert_int_equal(
        dusk_histogram_release(h.counts, &h.half_width, &h.statement, how, edges, bins, rows, n, gen, NULL),
        DUSK_OK);
    dusk_generator_free(gen);
    return h;
}

static histogram counts_of(const dusk_aggregate *how, const uint64_t *exact, size_t n, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    histogram h;
    assert_int_equal(dusk_counts_release(h.counts, &h.half_width, &h.statement, how, exact, n, gen, NULL),
                     DUSK_OK);
    dusk_generator_free(gen);
    return h;
}

/* With the same coins, the difference to an empty table is the exact histogram. */
static void rows_fall_into_their_bins(void **state)
{
    const double edges[] = { -1, 0, 0.5, 10 };
    const double rows[] = { -1,  -0.5,     0, 0.25,      0.5,          9,   10, -1.0000001, 10.5,
                            NAN, INFINITY, 3, -INFINITY, DBL_TRUE_MIN, -0.0 };
    const double expected[] = { 2, 4, 4 };
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.3);
        histogram full = histogram_of(&how, edges, 3, rows, 15, seed);
        histogram none = histogram_of(&how, edges, 3, NULL, 0, seed);
        for (int i = 0; i < 3; i++) {
            assert_true(full.counts[i] - none.counts[i] == expected[i]);
            assert_true(full.counts[i] == rint(full.counts[i]));
        }
        assert_true(full.half_width == none.half_width && full.half_width == rint(full.half_width));
    }
}

/* A16, public keys: keys that nobody holds are there, with noise. */
static void a16_absent_keys_are_present_with_noise(void **state)
{
    const uint64_t exact[8] = { 0, 0, 5, 0, 0, 0, 0, 0 };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.5);
    int noisy = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        histogram h = counts_of(&how, exact, 8, seed);
        for (int i = 0; i < 8; i++) noisy += i != 2 && h.counts[i] != 0;
    }
    assert_true(noisy > 400 && noisy < 700); /* P(0) is 0.24 */
}

static void noise_is_for_what_a_unit_can_change(void **state)
{
    const uint64_t exact[4] = { 1, 2, 3, 4 };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
    double sigma[2];
    (void)state;
    assert_string_equal(event_of(counts_of(&how, exact, 4, 1).statement), "discrete_laplace(1)");
    how.rows_per_unit = 3;
    assert_string_equal(event_of(counts_of(&how, exact, 4, 1).statement), "discrete_laplace(3, 3)");
    how.neighbours = DUSK_REPLACE_ONE; /* three rows leave, three come */
    assert_string_equal(event_of(counts_of(&how, exact, 4, 1).statement), "discrete_laplace(6, 6)");
    assert_string_equal(event_of(counts_of(&how, exact, 1, 1).statement), "discrete_laplace(3, 3)");
    /* Gaussian noise answers to the l2 norm: half-widths grow by sqrt(2) only. */
    how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.1);
    how.delta = 1e-9;
    sigma[0] = counts_of(&how, exact, 4, 1).half_width;
    how.neighbours = DUSK_REPLACE_ONE;
    sigma[1] = counts_of(&how, exact, 4, 1).half_width;
    assert_true(fabs(sigma[1] / sigma[0] - sqrt(2)) < 0.02);
    assert_memory_equal(event_of(counts_of(&how, exact, 4, 1).statement), "gaussian(", 9);
}

static void half_widths_hold_for_all_bins_at_once(void **state)
{
    enum { RUNS = 600 };
    const uint64_t exact[8] = { 1000, 0, 3, 50, 7, 0, 0, 1 };
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.1);
        int held = 0;
        how.confidence = 0.8;
        how.delta = kind ? 0.01 : 0;
        for (uint64_t seed = 0; seed < (kind ? RUNS / 4 : RUNS); seed++) {
            histogram h = counts_of(&how, exact, 8, seed);
            bool all = true;
            for (int i = 0; i < 8; i++) all = all && fabs(h.counts[i] - (double)exact[i]) <= h.half_width;
            held += all;
        }
        double runs = kind ? RUNS / 4 : RUNS, expected = 0.8 * runs;
        assert_true(fabs(held - expected) < 5 * sqrt(0.16 * runs) + 0.02 * runs);
    }
}

static void bad_bins_are_refused(void **state)
{
    const double edges[][3] = { { 0, 0, 1 }, { 0, 2, 1 }, { NAN, 0, 1 }, { 0, 1, INFINITY }, { 0, NAN, 1 } };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
    dusk_generator *gen = seeded(1);
    dusk_statement statement;
    dusk_error err;
    double counts[2] = { 7, 7 }, half_width = 7;
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(dusk_histogram_release(counts, &half_width, &statement, &how, edges[i], 2,
                                                (const double *)16, 9, gen, &err),
                         DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "edge"));
    }
    assert_int_equal(dusk_histogram_release(counts, &half_width, &statement, &how, edges[0], 0,
                                            (const double *)16, 9, gen, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_counts_release(counts, &half_width, &statement, &how, NULL, 0, gen, &err),
                     DUSK_ERR_ARGUMENT);
    assert_true(counts[0] == 7 && counts[1] == 7 && half_width == 7);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_fall_into_their_bins),
        cmocka_unit_test(a16_absent_keys_are_present_with_noise),
        cmocka_unit_test(noise_is_for_what_a_unit_can_change),
        cmocka_unit_test(half_widths_hold_for_all_bins_at_once),
        cmocka_unit_test(bad_bins_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
