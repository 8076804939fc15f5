/* SPDX-License-Identifier: Apache-2.0 */
/* Selection as shipped: what is refused, scores of every kind and size, the
 * event and the interval. Its law: tests/exhaustive and tests/statistical. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dusk/mechanisms.h"
#include "random/tape.h"
#include "support.h"

static const dusk_selection_method methods[] = { DUSK_SELECT_EXPONENTIAL, DUSK_SELECT_PERMUTE_AND_FLIP,
                                                 DUSK_SELECT_NOISY_MAX_LAPLACE, DUSK_SELECT_NOISY_MAX_GUMBEL,
                                                 DUSK_SELECT_NOISY_MAX_EXPONENTIAL };
enum { METHODS = sizeof methods / sizeof *methods };

static dusk_selection make(dusk_selection_method method, double sensitivity, double epsilon)
{
    dusk_selection selection;
    assert_int_equal(dusk_selection_init(&selection, method, sensitivity, false, epsilon, NULL), DUSK_OK);
    return selection;
}

static int open_generator(void **state)
{
    return dusk_generator_new_seeded((dusk_generator **)state, 20240, NULL) != DUSK_OK;
}

static int close_generator(void **state)
{
    dusk_generator_free(*state);
    return 0;
}

static size_t choose(dusk_selection_method method, double epsilon, const double *scores, size_t n,
                     void **state)
{
    dusk_selection selection = make(method, 1, epsilon);
    size_t index = SIZE_MAX;
    assert_int_equal(dusk_selection_release(&selection, &index, scores, n, *state, NULL), DUSK_OK);
    assert_true(index < n);
    return index;
}

/* --- what is refused ------------------------------------------------------------ */

static void refused(dusk_selection_method method, double sensitivity, double epsilon)
{
    dusk_selection selection, before;
    dusk_error err = { .status = DUSK_OK };
    memset(&selection, 0x5a, sizeof selection);
    before = selection;
    assert_int_equal(dusk_selection_init(&selection, method, sensitivity, false, epsilon, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(err.status, DUSK_ERR_ARGUMENT);
    assert_true(strlen(err.message) > 10);
    assert_memory_equal(&selection, &before, sizeof selection);
}

static void bad_parameters_are_refused(void **state)
{
    (void)state;
    const double bad[] = { 0, -1, NAN, INFINITY, -INFINITY };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        refused(DUSK_SELECT_EXPONENTIAL, bad[i], 1);
        refused(DUSK_SELECT_PERMUTE_AND_FLIP, 1, bad[i]);
    }
    refused(DUSK_SELECT_EXPONENTIAL, DBL_MAX, 1);
    refused((dusk_selection_method)0, 1, 1);
    refused((dusk_selection_method)6, 1, 1);
}

/* An empty tape: had a coin been asked for, the answer would be another. */
static void bad_calls_take_no_coins(void **state)
{
    (void)state;
    const double scores[] = { 1, 2, 3 };
    uint64_t bits = 0;
    dusk_generator *tape;
    assert_int_equal(dusk_generator_new_tape(&tape, &bits, 0, NULL), DUSK_OK);
    dusk_selection good = make(DUSK_SELECT_EXPONENTIAL, 1, 1),
                   laplace = make(DUSK_SELECT_NOISY_MAX_LAPLACE, 1, 1);
    dusk_selection bad = good;
    bad.epsilon = -1;
    size_t out[4] = { 77, 77, 77, 77 };
    assert_int_equal(dusk_selection_release(&bad, out, scores, 3, tape, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_selection_release(&good, out, scores, 0, tape, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_selection_release_top(&good, out, 0, scores, 3, tape, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_selection_release_top(&good, out, 4, scores, 3, tape, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_selection_release_top(&laplace, out, 1, scores, 3, tape, NULL), DUSK_ERR_ARGUMENT);
    for (size_t m = 0; m < METHODS; m++) {
        dusk_selection selection = make(methods[m], 1, 1);
        assert_int_equal(dusk_selection_release(&selection, out, scores, 3, tape, NULL), DUSK_ERR_ENTROPY);
    }
    assert_int_equal(out[0], 77);
    dusk_generator_free(tape);
}

static void failing_memory_releases_nothing(void **state)
{
    const double scores[] = { 1, 2, 3 };
    for (size_t m = 0; m < METHODS; m++) {
        dusk_selection selection = make(methods[m], 1, 1);
        size_t index = 77;
        dusk_status status = DUSK_ERR_MEMORY;
        for (long nth = 1; status == DUSK_ERR_MEMORY && nth < 20; nth++) {
            assert_int_equal(index, 77);
            dusk_memory_fail_at(nth);
            status = dusk_selection_release(&selection, &index, scores, 3, *state, NULL);
            dusk_memory_fail_at(0);
        }
        assert_int_equal(status, DUSK_OK);
        assert_true(index < 3);
    }
}

/* --- scores ------------------------------------------------------------------------ */

static void one_candidate_is_chosen(void **state)
{
    const double scores[] = { NAN, INFINITY, -INFINITY, 0, -DBL_MAX };
    for (size_t m = 0; m < METHODS; m++)
        for (size_t i = 0; i < 5; i++) assert_int_equal(choose(methods[m], 1, &scores[i], 1, state), 0);
}

static void the_best_wins_when_there_is_no_privacy(void **state)
{
    const double scores[] = { NAN, 1, -INFINITY, 5, -DBL_MAX, 4.5 };
    const double extreme[] = { -INFINITY, NAN, 0, INFINITY, 1e300 };
    const double close[] = { 0x1p53, 0x1p53 + 2, 0x1p53 - 1 };
    for (size_t m = 0; m < METHODS; m++)
        for (int i = 0; i < 20; i++) {
            assert_int_equal(choose(methods[m], 1000, scores, 6, state), 3);
            assert_int_equal(choose(methods[m], 1000, extreme, 5, state), 3);
            assert_int_equal(choose(methods[m], 1000, close, 3, state), 1);
        }
}

/* NaN and both infinities have finite scores, so ties with them are fair. */
static void special_scores_are_the_ends_of_the_range(void **state)
{
    const double low[] = { NAN, -INFINITY, -DBL_MAX }, high[] = { INFINITY, DBL_MAX };
    for (size_t m = 0; m < METHODS; m++) {
        int seen[3] = { 0 }, seen_high[2] = { 0 };
        for (int i = 0; i < 200; i++) {
            seen[choose(methods[m], 1000, low, 3, state)]++;
            seen_high[choose(methods[m], 1000, high, 2, state)]++;
        }
        for (int i = 0; i < 3; i++) assert_true(seen[i] > 20);
        for (int i = 0; i < 2; i++) assert_true(seen_high[i] > 50);
    }
}

/* exp(rate score) overflows from 1420 on; differences are all that counts. */
static void any_number_of_rows_works(void **state)
{
    const double rows[] = { 1, 709, 710, 1491, 1492, 1e6, 1e15 };
    for (size_t m = 0; m < METHODS; m++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            int second = 0;
            for (int j = 0; j < 400; j++)
                second += choose(methods[m], 1, (double[]){ rows[i], rows[i] + 1 }, 2, state) == 1;
            assert_true(second > 200 && second < 320);
            if (rows[i] > 100) assert_int_equal(choose(methods[m], 2, (double[]){ 0, rows[i] }, 2, state), 1);
        }
}

/* The rate, as a fraction of two doubles, is beyond the doubles. */
static void rates_of_any_size_work(void **state)
{
    const double scores[] = { 0, 1e-300, 1 };
    for (size_t m = 0; m < METHODS; m++) {
        dusk_selection steep = make(methods[m], 1e-300, 1e300), flat = make(methods[m], 1e300, 1e-300);
        size_t index, seen[3] = { 0 };
        for (int i = 0; i < 300; i++) {
            assert_int_equal(dusk_selection_release(&steep, &index, scores, 3, *state, NULL), DUSK_OK);
            assert_int_equal(index, 2);
            assert_int_equal(dusk_selection_release(&flat, &index, scores, 3, *state, NULL), DUSK_OK);
            seen[index]++;
        }
        for (int i = 0; i < 3; i++) assert_true(seen[i] > 50);
    }
}

/* Longer than the blocks of every method. */
static void long_lists_are_seen_to_the_end(void **state)
{
    enum { N = 5000 };
    double *scores = calloc(N, sizeof *scores);
    for (size_t m = 0; m < METHODS; m++)
        for (size_t best = 0; best < N; best += 833) {
            scores[best] = 1;
            assert_int_equal(choose(methods[m], 1000, scores, N, state), best);
            scores[best] = 0;
        }
    free(scores);
}

static void the_k_best_come_in_order(void **state)
{
    enum { N = 300 };
    double scores[N];
    size_t top[N];
    bool seen[N] = { false };
    dusk_selection sharp = make(DUSK_SELECT_EXPONENTIAL, 1, 1000),
                   vague = make(DUSK_SELECT_EXPONENTIAL, 1, 0.1);
    for (size_t i = 0; i < N; i++) scores[i] = (double)(i * 7 % N);
    assert_int_equal(dusk_selection_release_top(&sharp, top, N, scores, N, *state, NULL), DUSK_OK);
    for (size_t i = 0; i < N; i++) assert_true(scores[top[i]] == (double)(N - 1 - i));
    assert_int_equal(dusk_selection_release_top(&vague, top, N, scores, N, *state, NULL), DUSK_OK);
    for (size_t i = 0; i < N; i++) {
        assert_false(seen[top[i]]);
        seen[top[i]] = true;
    }
}

/* --- event and interval ----------------------------------------------------------------- */

static void assert_event(dusk_selection_method method, size_t k, const char *want)
{
    dusk_selection selection = make(method, 3, 0.5);
    dusk_event event;
    char text[4096];
    assert_int_equal(dusk_selection_event(&selection, k, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, want);
}

static void events_name_what_was_released(void **state)
{
    (void)state;
    dusk_selection selection = make(DUSK_SELECT_PERMUTE_AND_FLIP, 1, 1);
    dusk_event event;
    assert_event(DUSK_SELECT_EXPONENTIAL, 1, "exponential(0.5)");
    assert_event(DUSK_SELECT_NOISY_MAX_GUMBEL, 10, "exponential(0.5) * 10");
    assert_event(DUSK_SELECT_PERMUTE_AND_FLIP, 1, "permute_and_flip(0.5)");
    assert_event(DUSK_SELECT_NOISY_MAX_EXPONENTIAL, 1, "permute_and_flip(0.5)");
    assert_event(DUSK_SELECT_NOISY_MAX_LAPLACE, 1, "noisy_max(0.5)");
    assert_int_equal(dusk_selection_event(&selection, 2, &event, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_selection_event(&selection, 0, &event, NULL), DUSK_ERR_ARGUMENT);
}

static double shortfall_of(dusk_selection_method method, bool monotonic, size_t k, size_t n,
                           double confidence)
{
    dusk_selection selection;
    double shortfall;
    assert_int_equal(dusk_selection_init(&selection, method, 3, monotonic, 0.5, NULL), DUSK_OK);
    assert_int_equal(dusk_selection_interval(&selection, &shortfall, k, n, confidence, NULL), DUSK_OK);
    return shortfall;
}

static void assert_near(double x, double want) { assert_true(fabs(x - want) <= 1e-12 * fabs(want)); }

static void intervals_are_those_of_the_theorems(void **state)
{
    (void)state;
    double unit = 2 * 3 / 0.5, y;
    assert_near(shortfall_of(DUSK_SELECT_EXPONENTIAL, false, 1, 101, 0.9), unit * log(100 / 0.1));
    assert_near(shortfall_of(DUSK_SELECT_EXPONENTIAL, true, 5, 101, 0.9), unit / 2 * log(500 / 0.1));
    assert_near(shortfall_of(DUSK_SELECT_PERMUTE_AND_FLIP, false, 1, 101, 0.9), unit * log(50 / 0.1));
    y = shortfall_of(DUSK_SELECT_NOISY_MAX_LAPLACE, false, 1, 101, 0.9) / unit;
    assert_near(100 * (2 + y) * exp(-y) / 4, 0.1);
    for (size_t m = 0; m < METHODS; m++) {
        assert_true(shortfall_of(methods[m], false, 1, 1, 0.999) == 0);
        assert_true(shortfall_of(methods[m], false, 1, SIZE_MAX, 1 - 0x1p-53) < unit * 200);
    }
}

static void intervals_hold(void **state)
{
    enum { N = 20, RUNS = 4000 };
    double scores[N] = { 0 };
    scores[N - 1] = 20;
    for (size_t m = 0; m < METHODS; m++) {
        double shortfall = shortfall_of(methods[m], false, 1, N, 0.8);
        dusk_selection selection = make(methods[m], 3, 0.5);
        scores[N - 1] = shortfall * 1.0001;
        int missed = 0;
        for (int i = 0; i < RUNS; i++) {
            size_t index;
            assert_int_equal(dusk_selection_release(&selection, &index, scores, N, *state, NULL), DUSK_OK);
            missed += index != N - 1;
        }
        assert_true(missed < 0.2 * RUNS + 150);
        assert_true(missed > 0.05 * RUNS); /* and is not far too wide */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(bad_calls_take_no_coins),
        cmocka_unit_test(failing_memory_releases_nothing),
        cmocka_unit_test(one_candidate_is_chosen),
        cmocka_unit_test(the_best_wins_when_there_is_no_privacy),
        cmocka_unit_test(special_scores_are_the_ends_of_the_range),
        cmocka_unit_test(any_number_of_rows_works),
        cmocka_unit_test(rates_of_any_size_work),
        cmocka_unit_test(long_lists_are_seen_to_the_end),
        cmocka_unit_test(the_k_best_come_in_order),
        cmocka_unit_test(events_name_what_was_released),
        cmocka_unit_test(intervals_are_those_of_the_theorems),
        cmocka_unit_test(intervals_hold),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
