/* SPDX-License-Identifier: Apache-2.0 */
/* Propose-test-release as shipped: requests, how often the test passes, events,
 * intervals, failures. Its law over all small tables is in tests/exhaustive. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dusk/mechanisms.h"
#include "unit/mechanisms/aggregate_help.h"

enum { N = 1001 };
static double rows[N];

static int set_up(void **state)
{
    for (int i = 0; i < N; i++) rows[i] = (i * 7919 % N) / 10.0;
    return open_seeded(state, 141421);
}

static dusk_propose made(dusk_noise_law law, double epsilon, double delta)
{
    dusk_propose p;
    assert_int_equal(dusk_propose_init(&p, law, 2, 0, epsilon, delta, NULL), DUSK_OK);
    return p;
}

static void refused(dusk_noise_law law, double bound, double share, double epsilon, double delta)
{
    dusk_propose p = { .bound = 77 };
    dusk_error err;
    assert_int_equal(dusk_propose_init(&p, law, bound, share, epsilon, delta, &err), DUSK_ERR_ARGUMENT);
    assert_true(p.bound == 77 && strlen(err.message) > 10);
}

static void bad_parameters_are_refused(void **state)
{
    const double bad[] = { 0, -1, NAN, INFINITY };
    for (int i = 0; i < 4; i++) {
        refused(DUSK_LAPLACE, bad[i], 0, 1, 1e-6);
        refused(DUSK_LAPLACE, 1, 0, bad[i], 1e-6);
        refused(DUSK_GAUSSIAN, 1, 0, 1, bad[i]);
        if (i) refused(DUSK_LAPLACE, 1, bad[i], 1, 1e-6);
    }
    refused(DUSK_LAPLACE, 1, 1, 1, 1e-6);
    refused(DUSK_LAPLACE, 1, 0, 1, 1);
    refused(DUSK_DISCRETE_LAPLACE, 1, 0, 1, 1e-6);
    refused(DUSK_LAPLACE, 1, 0, 1e-17, 1e-6);
    dusk_propose never = { 0 };
    dusk_event event;
    bool released;
    double out = 5;
    uint64_t enough;
    assert_int_equal(dusk_propose_release(&never, &released, &out, 1, 1, *state, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_propose_event(&never, &event, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_propose_interval(&never, &out, &enough, 0.9, NULL), DUSK_ERR_ARGUMENT);
    dusk_propose lax = made(DUSK_LAPLACE, 1, 1e-6); /* somebody lowered the bar */
    lax.threshold = 1;
    assert_int_equal(dusk_propose_release(&lax, &released, &out, 1, 1, *state, NULL), DUSK_ERR_ARGUMENT);
    assert_true(out == 5);
}

static void events_keep_the_promise(void **state)
{
    (void)state;
    for (double epsilon = 0.05; epsilon < 10; epsilon *= 2)
        for (double delta = 0.1; delta > 1e-12; delta /= 50)
            for (int gaussian = 0; gaussian < 2; gaussian++) {
                dusk_propose p = made(gaussian ? DUSK_GAUSSIAN : DUSK_LAPLACE, epsilon, delta);
                dusk_event event;
                double spent;
                assert_int_equal(dusk_propose_event(&p, &event, NULL), DUSK_OK);
                assert_int_equal(dusk_event_epsilon_up(&event, &spent, delta, NULL), DUSK_OK);
                assert_true(spent <= epsilon && spent > 0.9 * epsilon);
            }
}

/* Two neighbours at distance 0 and 1: how often each passes is that of the exact tail. */
static void the_test_passes_as_often_as_it_should(void **state)
{
    dusk_propose p = made(DUSK_LAPLACE, 1, 0.02);
    double q = exp(-1 / p.test.scale);
    for (int64_t distance = 0; distance < 2 * p.threshold; distance++) {
        int passed = 0;
        double t = (double)(p.threshold - distance);
        double want = t >= 1 ? pow(q, t) / (1 + q) : 1 - pow(q, 1 - t) / (1 + q);
        for (int i = 0; i < 4000; i++) {
            bool released;
            double out;
            assert_int_equal(dusk_propose_release(&p, &released, &out, 10, (uint64_t)distance, *state, NULL),
                             DUSK_OK);
            assert_true(released == !isnan(out));
            passed += released;
        }
        assert_true(fabs(passed - 4000 * want) < 5.5 * sqrt(4000 * want * (1 - want)) + 5);
    }
}

static void intervals_hold(void **state)
{
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        dusk_propose p = made(gaussian ? DUSK_GAUSSIAN : DUSK_LAPLACE, 1, 1e-6);
        double half_width, out;
        uint64_t enough;
        int passed = 0, inside = 0;
        assert_int_equal(dusk_propose_interval(&p, &half_width, &enough, 0.9, NULL), DUSK_OK);
        assert_true(enough > (uint64_t)p.threshold);
        for (int i = 0; i < 4000; i++) {
            bool released;
            assert_int_equal(dusk_propose_release(&p, &released, &out, 10, enough, *state, NULL), DUSK_OK);
            passed += released;
            inside += released && fabs(out - 10) <= half_width;
        }
        assert_true(passed >= 3500 && inside > 0.87 * passed && inside < 0.93 * passed);
    }
}

static dusk_aggregate request(void)
{
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 100, 1);
    how.delta = 1e-6;
    return how;
}

/* Dense rows are answered, two far heaps are refused, and so is no row at all. */
static void quantiles_are_answered_or_refused(void **state)
{
    dusk_aggregate how = request();
    double heaps[N];
    for (int i = 0; i < N; i++) heaps[i] = i % 2 ? 0 : 100;
    for (int i = 0; i < 20; i++) {
        dusk_answer answer;
        bool released;
        /* 28 rows must change until 10 units lie between two of 100 in a row */
        assert_int_equal(dusk_propose_quantile_release(&answer, &released, &how, DUSK_LAPLACE, 10, 0.5, rows,
                                                       N, *state, NULL),
                         DUSK_OK);
        assert_true(released && answer.low <= answer.value && answer.value <= answer.high);
        assert_true(answer.statement.epsilon <= 1 && answer.statement.delta == 1e-6);
        for (size_t n = 0; n <= N; n += N) {
            assert_int_equal(dusk_propose_quantile_release(&answer, &released, &how, DUSK_GAUSSIAN, 10, 0.5,
                                                           heaps, n, *state, NULL),
                             DUSK_OK);
            assert_true(!released && isnan(answer.value) && answer.low == 0 && answer.high == 100);
        }
    }
}

static void bad_requests_are_refused(void **state)
{
    dusk_aggregate how = request();
    dusk_answer answer = { .value = 77 };
    bool released = true;
    const double q[] = { 0, 1, NAN };
    for (int i = 0; i < 3; i++)
        assert_int_equal(dusk_propose_quantile_release(&answer, &released, &how, DUSK_LAPLACE, 1, q[i], rows,
                                                       N, *state, NULL),
                         DUSK_ERR_ARGUMENT);
    how.delta = 0;
    assert_int_equal(
        dusk_propose_quantile_release(&answer, &released, &how, DUSK_LAPLACE, 1, 0.5, rows, N, *state, NULL),
        DUSK_ERR_ARGUMENT);
    assert_true(answer.value == 77 && released);
}

static void failures_release_nothing(void **state)
{
    dusk_aggregate how = request();
    dusk_answer answer = { .value = 77 };
    bool released = true;
    for (long k = 1; k <= 2; k++) {
        dusk_memory_fail_at(k);
        assert_int_equal(dusk_propose_quantile_release(&answer, &released, &how, DUSK_LAPLACE, 1, 0.5, rows,
                                                       N, *state, NULL),
                         DUSK_ERR_MEMORY);
    }
    dusk_memory_fail_at(0);
    for (unsigned length = 0; length < 256; length += 60) { /* too short for both noises */
        dusk_generator *tape = zeros(length);
        assert_int_equal(dusk_propose_quantile_release(&answer, &released, &how, DUSK_LAPLACE, 1, 0.5, rows,
                                                       N, tape, NULL),
                         DUSK_ERR_ENTROPY);
        dusk_generator_free(tape);
    }
    assert_true(answer.value == 77 && released);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(events_keep_the_promise),
        cmocka_unit_test(the_test_passes_as_often_as_it_should),
        cmocka_unit_test(intervals_hold),
        cmocka_unit_test(quantiles_are_answered_or_refused),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(failures_release_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, close_generator);
}
