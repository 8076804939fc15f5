/* SPDX-License-Identifier: Apache-2.0 */
/* Averaging: the interval against binomial tails that are summed exactly, and what is said
 * of answers that are all the same. */
#include <math.h>

#include "dusk/attack_releases.h"
#include "failing_memory.h"

/* P(Binomial(n, 1/2) < k), exactly for n <= 50: whole numbers over 2^n. */
static double below(size_t n, size_t k)
{
    double choose = 1, sum = 0;
    for (size_t i = 0; i < k; i++) {
        sum += choose;
        choose = choose * (double)(n - i) / (double)(i + 1);
    }
    return ldexp(sum, -(int)n);
}

/* With answers 1, 2, ..., n the ends of the interval are the ranks. They miss the median of the
 * noise with the probability that is allowed, and one rank further in with more. */
static void ranks_are_the_best_that_hold(void **state)
{
    (void)state;
    static const double confidences[] = { 0.5, 0.9, 0.95, 0.99, 0.999999 };
    double answers[50];
    for (size_t i = 0; i < 50; i++) answers[i] = (double)(50 - i);
    for (size_t n = 1; n <= 50; n++)
        for (size_t c = 0; c < 5; c++) {
            dusk_average got;
            assert_int_equal(dusk_average_answers(&got, answers + 50 - n, n, 0, confidences[c], NULL),
                             DUSK_OK);
            double error = 1 - confidences[c];
            size_t k = isfinite(got.low) ? (size_t)got.low : 0;
            assert_true(got.answers == n && got.distinct == n);
            assert_true(fabs(got.mean - 0.5 * (double)(n + 1)) < 1e-12);
            assert_true(got.median == 0.5 * (double)(n + 1));
            if (k) {
                assert_true(got.high == (double)(n + 1 - k));
                assert_true(2 * below(n, k) <= error);
            } else {
                assert_true(got.low == -INFINITY && got.high == INFINITY);
            }
            if (2 * (k + 1) <= n + 1 && n > 1) assert_true(2 * below(n, k + 1) > error * (1 - 1e-8));
            assert_false(got.pinned);
        }
}

static void one_whole_number_is_pinned(void **state)
{
    (void)state;
    double answers[40];
    dusk_average got;
    for (size_t i = 0; i < 40; i++) answers[i] = 17 + 0.01 * ((double)i - 19);
    assert_int_equal(dusk_average_answers(&got, answers, 40, 1, 0.95, NULL), DUSK_OK);
    assert_true(got.pinned && got.value == 17);
    assert_int_equal(dusk_average_answers(&got, answers, 40, 0.01, 0.95, NULL), DUSK_OK);
    assert_false(got.pinned);
    for (size_t i = 0; i < 40; i++) answers[i] += 0.5; /* no whole number between the ends */
    assert_int_equal(dusk_average_answers(&got, answers, 40, 1, 0.95, NULL), DUSK_OK);
    assert_false(got.pinned);
    for (size_t i = 0; i < 40; i++) answers[i] = i % 2 ? 17 : 19;
    assert_int_equal(dusk_average_answers(&got, answers, 40, 1, 0.95, NULL), DUSK_OK);
    assert_true(!got.pinned && got.value == 18 && got.distinct == 2);
    /* the rounding of a step does not hide its multiple, nor does a large one hide the next */
    for (size_t i = 0; i < 40; i++) answers[i] = i ? 0.1 + 0.2 : 0.25;
    assert_int_equal(dusk_average_answers(&got, answers, 40, 0.1, 0.95, NULL), DUSK_OK);
    assert_true(got.pinned && fabs(got.value - 0.3) < 1e-9);
    for (size_t i = 0; i < 40; i++) answers[i] = 0x1p48 + (i == 0);
    assert_int_equal(dusk_average_answers(&got, answers, 40, 1, 0.95, NULL), DUSK_OK);
    assert_true(got.pinned && got.value == 0x1p48);
}

static void kept_answers_tell_nothing_more(void **state)
{
    (void)state;
    double answers[1000];
    dusk_average got;
    for (size_t i = 0; i < 1000; i++) answers[i] = 41;
    assert_int_equal(dusk_average_answers(&got, answers, 1000, 1, 0.95, NULL), DUSK_OK);
    assert_true(got.distinct == 1 && got.low == -INFINITY && got.high == INFINITY && !got.pinned);
    assert_true(got.value == 41 && got.median == 41);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    const double answers[2] = { 1, 2 }, odd[2] = { 1, NAN }, big[2] = { 1, INFINITY };
    static const double bad[] = { NAN, 0, 1, -1, INFINITY };
    dusk_average got = { .answers = 77 };
    dusk_error err;
    assert_int_equal(dusk_average_answers(&got, answers, 0, 1, 0.95, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_average_answers(&got, odd, 2, 1, 0.95, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_average_answers(&got, big, 2, 1, 0.95, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_average_answers(&got, answers, 2, -1, 0.95, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_average_answers(&got, answers, 2, NAN, 0.95, &err), DUSK_ERR_ARGUMENT);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(dusk_average_answers(&got, answers, 2, 1, bad[i], &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(got.answers, 77);
    dusk_memory_fail_at(1);
    assert_false(went_through(dusk_average_answers(&got, answers, 2, 1, 0.9, &err), &err, 1, 2));
    const double far[3] = { -1.7e308, 1.7e308, 1.7e308 };
    assert_int_equal(dusk_average_answers(&got, far, 3, 1e-300, 0.5, NULL), DUSK_OK);
    assert_true(isfinite(got.mean) && !got.pinned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_the_best_that_hold),
        cmocka_unit_test(one_whole_number_is_pinned),
        cmocka_unit_test(kept_answers_tell_nothing_more),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
