/* SPDX-License-Identifier: Apache-2.0 */
/* Discoveries, consistent counts and distributions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/local_estimates.h"
#include "local/tally.h"
#include "seeded.h"
#include "support.h"

/* The example of the paper's table 1 (0.05: the first four), as normal quantiles of its p-values. */
static void discoveries(void **state)
{
    static const double z[] = { 3.719016, 3.352795,  2.894304,  2.345585,  2.051591,
                                1.914557, 1.883607,  1.819343,  1.686067,  0.456603,
                                0.186041, -0.181199, -0.392862, -0.703098, -9 };
    double one[15];
    bool found[15];
    (void)state;
    for (size_t i = 0; i < 15; i++) one[i] = 2;
    double counts[15];
    for (size_t i = 0; i < 15; i++) counts[i] = 2 * z[i];
    assert_int_equal(dusk_counts_found(found, counts, one, 15, 0.05, NULL), DUSK_OK);
    for (size_t i = 0; i < 15; i++) assert_int_equal(found[i], i < 4);
    assert_int_equal(dusk_counts_found(found, counts, one, 0, 0.05, NULL), DUSK_OK);
    assert_int_equal(dusk_counts_found(found, counts, one, 15, 0, NULL), DUSK_ERR_ARGUMENT);
}

static double distance(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* No point of the simplex that is tried is nearer than what norm-sub gives. */
static void nearest(void **state)
{
    enum { N = 5 };
    (void)state;
    for (unsigned trial = 0; trial < 200; trial++) {
        double before[N], counts[N], other[N], sum = 0, one[N] = { 1, 1, 1, 1, 1 };
        for (size_t i = 0; i < N; i++) before[i] = counts[i] = 100 * sin(trial * 7.1 + 3.3 * (double)i);
        assert_int_equal(dusk_counts_consistent(counts, one, N, 60, DUSK_NORM_SUB, NULL), DUSK_OK);
        for (size_t i = 0; i < N; i++) {
            assert_true(counts[i] >= 0);
            sum += counts[i];
        }
        assert_true(fabs(sum - 60) < 1e-9);
        for (size_t a = 0; a < N; a++)
            for (size_t b = 0; b < N; b++) {
                memcpy(other, counts, sizeof other);
                const double move = fmin(other[a], 0.01);
                other[a] -= move;
                other[b] += move;
                assert_true(distance(before, other, N) >= distance(before, counts, N) - 1e-9);
            }
    }
}

static void others(void **state)
{
    double a[] = { -3, 5, 0.1 }, b[] = { -3, 50, 0.1 };
    const double one[] = { 1, 1, 1 };
    (void)state;
    assert_int_equal(dusk_counts_consistent(a, one, 3, 9, DUSK_BASE_POS, NULL), DUSK_OK);
    assert_true(a[0] == 0 && a[1] == 5 && a[2] == 0.1);
    assert_int_equal(dusk_counts_consistent(b, one, 3, 9, DUSK_BASE_CUT, NULL), DUSK_OK);
    assert_true(b[0] == 0 && b[1] == 50 && b[2] == 0);
    assert_int_equal(dusk_counts_consistent(b, one, 3, NAN, DUSK_BASE_CUT, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_counts_consistent(b, one, 3, 1, (dusk_consistency)9, NULL), DUSK_ERR_ARGUMENT);
}

static dusk_tally *tally_of(dusk_randomiser mechanism, uint64_t domain, double epsilon)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_tally *tally = NULL;
    dusk_survey_options_init(&options);
    options.mechanism = mechanism;
    options.domain = domain;
    options.epsilon = epsilon;
    options.low = 0;
    options.high = 10;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    return tally;
}

/* From counts that are exactly as expected, the shares of randomized response come back. */
static void inverts(void **state)
{
    const double truth[] = { 0.5, 0.2, 0.3, 0 };
    dusk_tally *tally = tally_of(DUSK_GRR, 4, 1);
    const double p = local_chance(tally->survey.task.p), q = (1 - p) / 3;
    double shares[4];
    (void)state;
    for (size_t y = 0; y < 4; y++) tally->cell[y] = llrint(1e12 * (q + truth[y] * (p - q)));
    tally->reports = 1000000000000;
    assert_int_equal(dusk_tally_shares(tally, shares, 4, NULL), DUSK_OK);
    for (size_t y = 0; y < 4; y++) assert_true(fabs(shares[y] - truth[y]) < 2e-3);
    assert_int_equal(dusk_tally_shares(tally, shares, 3, NULL), DUSK_ERR_ARGUMENT);
    dusk_tally_free(tally);
}

/* Two heaps of numbers: a distribution whose quantiles are near. */
static void wave(void **state)
{
    enum { PEOPLE = 40000, BINS = 64 };
    dusk_generator *gen = seeded(31);
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    dusk_tally *tally = tally_of(DUSK_SQUAREWAVE, 0, 2);
    double shares[BINS], sum = 0, apart = 0, below = 0;
    (void)state;
    for (uint64_t i = 0; i < PEOPLE; i++) { /* a third about 2, the others about 7, of 10 */
        const double x = (i % 3 == 0 ? 2 : 7) + (double)(i * 7919 % 1000) / 1000;
        uint8_t report[4];
        assert_int_equal(
            dusk_client_report(&tally->survey.task, report, (uint64_t)(x / 10 * UINT32_MAX), &entropy), 0);
        dusk_tally_add(tally, report, 1);
    }
    assert_int_equal(dusk_tally_shares(tally, shares, BINS, NULL), DUSK_OK);
    for (size_t b = 0; b < BINS; b++) {
        const double left = 10.0 * (double)b / BINS, right = 10.0 * (double)(b + 1) / BINS;
        double truth =
            fmax(0, fmin(right, 3) - fmax(left, 2)) / 3 + fmax(0, fmin(right, 8) - fmax(left, 7)) * 2 / 3;
        sum += shares[b];
        below += shares[b] - truth;
        apart += fabs(below) * 10 / BINS; /* Wasserstein */
        assert_true(shares[b] >= 0);
    }
    assert_true(fabs(sum - 1) < 1e-9);
    assert_true(apart < 0.15);
    assert_true(fabs(dusk_shares_quantile(&tally->survey, shares, BINS, 0.5) - 7.25) < 0.3);
    assert_true(dusk_shares_quantile(&tally->survey, shares, BINS, 1) <= 10);
    assert_true(dusk_shares_quantile(&tally->survey, shares, BINS, -1) == 0);
    assert_int_equal(dusk_tally_shares(tally, shares, 0, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_tally_shares(tally, shares, 100000, NULL), DUSK_ERR_ARGUMENT);
    dusk_tally_free(tally);
    tally = tally_of(DUSK_OUE, 10, 1);
    assert_int_equal(dusk_tally_shares(tally, shares, 10, NULL), DUSK_ERR_UNSUPPORTED);
    dusk_tally_free(tally);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discoveries), cmocka_unit_test(nearest), cmocka_unit_test(others),
        cmocka_unit_test(inverts),     cmocka_unit_test(wave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
