/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles by smooth sensitivity: requests, statements, answers for tables of every
 * size, the interval that is paid for. What the sensitivity must be is in
 * tests/exhaustive/smooth_quantile.c. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dusk/mechanisms.h"
#include "mechanisms/smooth_quantile.h"
#include "unit/mechanisms/aggregate_help.h"

enum { N = 1001 };
static double rows[N];

static int set_up(void **state)
{
    for (int i = 0; i < N; i++) rows[i] = (i * 7919 % N) / 10.0; /* 0 .. 100, in some order */
    return open_seeded(state, 161803);
}

static dusk_aggregate request(double epsilon) { return ask(DUSK_ADD_REMOVE, 0, 100, epsilon); }

static dusk_smooth_options options_of(dusk_smooth_law law)
{
    dusk_smooth_options options;
    dusk_smooth_options_init(&options);
    options.law = law;
    return options;
}

static void refused(const dusk_aggregate *how, const dusk_smooth_options *options, double q)
{
    dusk_answer answer = { .value = 77 };
    dusk_error err;
    dusk_generator *tape = zeros(0);
    assert_int_equal(dusk_smooth_quantile_release(&answer, how, options, q, NULL, 0, tape, &err),
                     DUSK_ERR_ARGUMENT);
    assert_true(answer.value == 77 && strlen(err.message) > 10);
    dusk_generator_free(tape);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    const double bad_q[] = { 0, 1, -0.5, 2, NAN };
    dusk_aggregate how = request(1), other;
    dusk_smooth_options options = options_of(DUSK_SMOOTH_CAUCHY), odd;
    for (int i = 0; i < 5; i++) refused(&how, &options, bad_q[i]);
    other = how;
    other.neighbours = 0;
    refused(&other, &options, 0.5);
    other = how;
    other.delta = 1e-6; /* Cauchy noise would not use it */
    refused(&other, &options, 0.5);
    other = how;
    other.lower = -DBL_MAX;
    other.upper = DBL_MAX;
    refused(&other, &options, 0.5);
    odd = options;
    odd.size = 0;
    refused(&how, &odd, 0.5);
    odd = options;
    odd.interval_epsilon = NAN;
    refused(&how, &odd, 0.5);
    odd = options;
    odd.beta = 1;
    refused(&how, &odd, 0.5);
    odd = options;
    odd.law = DUSK_SMOOTH_LAPLACE; /* needs a delta */
    refused(&how, &odd, 0.5);
}

static void statements_add_up(void **state)
{
    dusk_aggregate how = request(1);
    dusk_smooth_options options = options_of(DUSK_SMOOTH_STUDENT_T);
    dusk_answer answer;
    char text[16384];
    assert_int_equal(dusk_smooth_quantile_release(&answer, &how, &options, 0.5, rows, N, *state, NULL),
                     DUSK_OK);
    assert_true(answer.statement.epsilon == 1 && answer.statement.delta == 0);
    assert_true(answer.low == 0 && answer.high == 100);
    options.interval_epsilon = 0.5;
    assert_int_equal(dusk_smooth_quantile_release(&answer, &how, &options, 0.5, rows, N, *state, NULL),
                     DUSK_OK);
    assert_true(answer.statement.epsilon >= 1.5 && answer.statement.epsilon < 1.5 + 1e-9);
    options.law = DUSK_SMOOTH_GAUSSIAN;
    how.delta = 1e-5;
    how.neighbours = DUSK_REPLACE_ONE;
    options.interval_epsilon = 0;
    assert_int_equal(dusk_smooth_quantile_release(&answer, &how, &options, 0.5, rows, N, *state, NULL),
                     DUSK_OK);
    assert_int_equal(dusk_statement_format(&answer.statement, text, sizeof text, NULL), DUSK_OK);
    assert_non_null(strstr(text, "approx(1, 0.00001)"));
    assert_non_null(strstr(text, "replace-one"));
    assert_true(answer.statement.epsilon <= 1);
}

/* Rows that lie densely give answers near the truth, whatever their order. */
static void answers_are_near(void **state)
{
    for (dusk_smooth_law law = DUSK_SMOOTH_CAUCHY; law <= DUSK_SMOOTH_GAUSSIAN; law++) {
        dusk_aggregate how = request(2);
        dusk_smooth_options options = options_of(law);
        how.delta = law >= DUSK_SMOOTH_LAPLACE ? 1e-6 : 0;
        double far = 0;
        for (int i = 0; i < 40; i++) {
            dusk_answer answer;
            assert_int_equal(
                dusk_smooth_quantile_release(&answer, &how, &options, 0.25, rows, N, *state, NULL), DUSK_OK);
            assert_true(answer.value >= 0 && answer.value <= 100);
            far += fabs(answer.value - 25) > 10;
        }
        assert_true(far < 10);
    }
}

static void every_table_has_an_answer(void **state)
{
    const double hostile[] = { NAN, INFINITY, -INFINITY, DBL_MAX, -0.0, 50, 1e-320 };
    for (size_t n = 0; n <= 7; n++)
        for (uint32_t m = 1; m < 12; m += 5) {
            dusk_aggregate how = request(0.5);
            dusk_smooth_options options = options_of(DUSK_SMOOTH_STUDENT_T);
            dusk_answer answer;
            how.rows_per_unit = m;
            options.interval_epsilon = 0.1;
            assert_int_equal(
                dusk_smooth_quantile_release(&answer, &how, &options, 0.9, hostile, n, *state, NULL),
                DUSK_OK);
            assert_true(answer.value >= 0 && answer.value <= 100);
            assert_true(answer.low <= answer.value && answer.value <= answer.high);
        }
}

static void bounds_of_every_size(void **state)
{
    const double bounds[][2] = { { 0, 1e-270 }, { -1e250, 1e250 }, { 1e9, 1e9 + 1 }, { -3, -2.999 } };
    for (int i = 0; i < 4; i++) {
        dusk_aggregate how = request(1);
        dusk_smooth_options options = options_of(DUSK_SMOOTH_CAUCHY);
        dusk_answer answer;
        how.lower = bounds[i][0];
        how.upper = bounds[i][1];
        assert_int_equal(dusk_smooth_quantile_release(&answer, &how, &options, 0.5, rows, N, *state, NULL),
                         DUSK_OK);
        assert_true(answer.value >= how.lower && answer.value <= how.upper);
    }
}

/* A paid interval holds as often as it says, and tells something. */
static void paid_intervals_hold(void **state)
{
    for (dusk_smooth_law law = DUSK_SMOOTH_CAUCHY; law <= DUSK_SMOOTH_GAUSSIAN; law++) {
        dusk_aggregate how = request(1);
        dusk_smooth_options options = options_of(law);
        how.delta = law >= DUSK_SMOOTH_LAPLACE ? 1e-6 : 0;
        how.confidence = 0.9;
        options.interval_epsilon = 0.5;
        options.beta = how.delta > 0 ? 0 : 0.1; /* ln S is known to about beta / interval_epsilon */
        int inside = 0, narrow = 0;
        for (int i = 0; i < 120; i++) {
            dusk_answer answer;
            assert_int_equal(
                dusk_smooth_quantile_release(&answer, &how, &options, 0.5, rows, N, *state, NULL), DUSK_OK);
            inside += answer.low <= 50 && 50 <= answer.high;
            narrow += answer.high - answer.low < 80;
        }
        assert_true(inside >= 90); /* more than five deviations below 108 */
        assert_true(narrow > 90);
    }
}

static void failures_release_nothing(void **state)
{
    dusk_aggregate how = request(1);
    dusk_smooth_options options = options_of(DUSK_SMOOTH_STUDENT_T);
    for (long k = 1; k <= 2; k++) {
        dusk_answer answer = { .value = 77 };
        dusk_memory_fail_at(k);
        assert_int_equal(dusk_smooth_quantile_release(&answer, &how, &options, 0.5, rows, N, *state, NULL),
                         DUSK_ERR_MEMORY);
        assert_true(answer.value == 77);
    }
    dusk_memory_fail_at(0);
    dusk_answer answer = { .value = 77 };
    options.interval_epsilon = 1; /* coins for the answer, none for the interval */
    dusk_generator *tape = zeros(200);
    assert_int_equal(dusk_smooth_quantile_release(&answer, &how, &options, 0.5, rows, N, tape, NULL),
                     DUSK_ERR_ENTROPY);
    assert_true(answer.value == 77);
    dusk_generator_free(tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_requests_are_refused), cmocka_unit_test(statements_add_up),
        cmocka_unit_test(answers_are_near),         cmocka_unit_test(every_table_has_an_answer),
        cmocka_unit_test(bounds_of_every_size),     cmocka_unit_test(paid_intervals_hold),
        cmocka_unit_test(failures_release_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, close_generator);
}
