/* SPDX-License-Identifier: Apache-2.0 */
/* Randomized response as shipped: what is refused, the event, the estimate and
 * its half-width. Its law: tests/exhaustive and tests/statistical. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dusk/mechanisms.h"
#include "random/tape.h"
#include "support.h"

static dusk_randomized_response make(uint32_t answers, double epsilon)
{
    dusk_randomized_response rr;
    assert_int_equal(dusk_randomized_response_init(&rr, answers, epsilon, NULL), DUSK_OK);
    return rr;
}

static dusk_randomized_response make_two_coin(double first, double second)
{
    dusk_randomized_response rr;
    assert_int_equal(dusk_two_coin_init(&rr, first, second, NULL), DUSK_OK);
    return rr;
}

static void assert_near(double x, double want, double relative)
{
    assert_true(fabs(x - want) <= relative * fabs(want));
}

/* --- what is refused --------------------------------------------------------- */

static void bad_parameters_are_refused(void **state)
{
    (void)state;
    const double bad[] = { 0, -1, NAN, INFINITY }, bad_coin[] = { 0, 1, -0.5, 1.5, NAN, INFINITY };
    dusk_randomized_response rr, before;
    dusk_error err;
    memset(&rr, 0x5a, sizeof rr);
    before = rr;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(dusk_randomized_response_init(&rr, 2, bad[i], &err), DUSK_ERR_ARGUMENT);
    for (uint32_t k = 0; k < 2; k++)
        assert_int_equal(dusk_randomized_response_init(&rr, k, 1, &err), DUSK_ERR_ARGUMENT);
    for (size_t i = 0; i < sizeof bad_coin / sizeof *bad_coin; i++) {
        assert_int_equal(dusk_two_coin_init(&rr, bad_coin[i], 0.5, &err), DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_two_coin_init(&rr, 0.5, bad_coin[i], &err), DUSK_ERR_ARGUMENT);
        assert_true(strlen(err.message) > 10);
    }
    assert_int_equal(dusk_two_coin_init(&rr, 0.5, 0x1p-1074, &err), DUSK_ERR_ARGUMENT);
    assert_memory_equal(&rr, &before, sizeof rr);
}

static void failures_release_nothing(void **state)
{
    (void)state;
    const uint32_t answers[] = { 0, 1 };
    uint64_t bits[2] = { 0 };
    uint32_t out[2] = { 77, 77 };
    dusk_generator *tape;
    dusk_randomized_response rr = make(2, 1), bad = rr;
    bad.epsilon = NAN;
    /* Coins for the first answer, not for the second. */
    assert_int_equal(dusk_generator_new_tape(&tape, bits, 128, NULL), DUSK_OK);
    assert_int_equal(dusk_randomized_response_release(&bad, out, answers, 2, tape, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_generator_taken(tape), 0);
    assert_int_equal(dusk_randomized_response_release(&rr, out, answers, 2, tape, NULL), DUSK_ERR_ENTROPY);
    dusk_memory_fail_at(1);
    assert_int_equal(dusk_randomized_response_release(&rr, out, answers, 2, tape, NULL), DUSK_ERR_MEMORY);
    dusk_memory_fail_at(0);
    assert_int_equal(out[0], 77);
    assert_int_equal(out[1], 77);
    dusk_generator_free(tape);
}

static void extreme_epsilons_work(void **state)
{
    (void)state;
    enum { N = 1000 };
    const double epsilons[] = { 1e-300, 1e-9, 700, 1e6, 1e300 };
    uint32_t answers[N], out[N];
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new_seeded(&gen, 7, NULL), DUSK_OK);
    for (uint32_t i = 0; i < N; i++) answers[i] = i % 4;
    for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
        dusk_randomized_response rr = make(4, epsilons[e]);
        int kept = 0;
        assert_int_equal(dusk_randomized_response_release(&rr, out, answers, N, gen, NULL), DUSK_OK);
        for (size_t i = 0; i < N; i++) kept += out[i] == answers[i];
        if (epsilons[e] > 1) assert_int_equal(kept, N);
        if (epsilons[e] < 1) assert_true(kept > 180 && kept < 320);
    }
    assert_int_equal(
        dusk_randomized_response_release(&(dusk_randomized_response){ .answers = 2, .epsilon = 1 }, out,
                                         answers, 0, gen, NULL),
        DUSK_OK);
    dusk_generator_free(gen);
}

/* --- event ---------------------------------------------------------------------- */

static void assert_event(const dusk_randomized_response *rr, const char *want)
{
    dusk_event event;
    char text[4096];
    assert_int_equal(dusk_randomized_response_event(rr, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, want);
}

/* The two-coin event comes from the coins: a field that says less is no help. */
static void events_name_what_was_released(void **state)
{
    (void)state;
    dusk_randomized_response rr = make(5, 0.5), coins = make_two_coin(0.5, 0.5), lying = coins;
    dusk_event event, lying_event;
    double epsilon;
    assert_event(&rr, "randomized_response(0.5, 5)");
    assert_near(coins.epsilon, log(3), 1e-15);
    assert_true(coins.epsilon >= log(3));
    lying.epsilon = 0.01;
    assert_int_equal(dusk_randomized_response_event(&coins, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_randomized_response_event(&lying, &lying_event, NULL), DUSK_OK);
    assert_memory_equal(&event, &lying_event, sizeof event);
    assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, 0, NULL), DUSK_OK);
    assert_true(epsilon >= coins.epsilon);
}

/* --- estimates ---------------------------------------------------------------------- */

/* Expected counts give back the truth: unbiased. */
static void estimates_invert_the_law(void **state)
{
    (void)state;
    const double epsilons[] = { 0.01, 1, 5, 40, 800 };
    for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
        dusk_randomized_response rr = make(3, epsilons[e]);
        double t = exp(-epsilons[e]), keep = 1 / (1 + 2 * t), other = t / (1 + 2 * t);
        const double truth[3] = { 5e14, 3e14, 2e14 };
        uint64_t counts[3];
        double estimates[3], half[3];
        for (int i = 0; i < 3; i++) counts[i] = (uint64_t)(truth[i] * keep + (1e15 - truth[i]) * other);
        assert_int_equal(dusk_randomized_response_estimate(&rr, estimates, half, counts, 0.95, NULL),
                         DUSK_OK);
        for (int i = 0; i < 3; i++) {
            assert_near(estimates[i], truth[i], 1e-9);
            assert_true(half[i] > 0);
        }
    }
}

static void two_coin_estimates_invert_the_law(void **state)
{
    (void)state;
    dusk_randomized_response rr = make_two_coin(0.25, 0.75);
    double estimates[2], half[2], yes = 3e14 * (0.25 + 0.5625) + 7e14 * 0.5625;
    uint64_t counts[2] = { (uint64_t)(1e15 - yes), (uint64_t)yes };
    assert_int_equal(dusk_randomized_response_estimate(&rr, estimates, half, counts, 0.95, NULL), DUSK_OK);
    assert_near(estimates[0], 7e14, 1e-9);
    assert_near(estimates[1], 3e14, 1e-9);
}

/* Misses of one answer's half-width, over many surveys. */
static int misses(const dusk_randomized_response *rr, uint32_t n, uint32_t holders, int surveys,
                  dusk_generator *gen)
{
    uint32_t *answers = calloc(n, sizeof *answers), *out = calloc(n, sizeof *out);
    int missed = 0;
    for (uint32_t i = 0; i < holders; i++) answers[i] = 1;
    for (int s = 0; s < surveys; s++) {
        uint64_t counts[8] = { 0 };
        double estimates[8], half[8];
        assert_int_equal(dusk_randomized_response_release(rr, out, answers, n, gen, NULL), DUSK_OK);
        for (uint32_t i = 0; i < n; i++) counts[out[i]]++;
        assert_int_equal(dusk_randomized_response_estimate(rr, estimates, half, counts, 0.8, NULL), DUSK_OK);
        missed += fabs(estimates[1] - holders) > half[1];
    }
    free(answers);
    free(out);
    return missed;
}

static void half_widths_hold(void **state)
{
    (void)state;
    dusk_generator *gen;
    dusk_randomized_response some = make(4, 1), sharp = make(4, 8), coins = make_two_coin(0.5, 0.1);
    assert_int_equal(dusk_generator_new_seeded(&gen, 8, NULL), DUSK_OK);
    for (uint32_t holders = 0; holders <= 200; holders += 100) {
        /* 300 of 1500 surveys are allowed; Hoeffding and Bernstein are wider. */
        assert_true(misses(&some, 200, holders, 1500, gen) < 300);
        assert_true(misses(&sharp, 200, holders, 1500, gen) < 300);
        assert_true(misses(&coins, 200, holders, 1500, gen) < 300);
    }
    assert_true(misses(&coins, 200, 200, 1500, gen) > 5); /* not far too wide */
    dusk_generator_free(gen);
}

static void half_widths_use_the_smaller_variance(void **state)
{
    (void)state;
    const uint64_t counts[2] = { 500000, 500000 };
    double estimates[2], half[2], wide[2];
    dusk_randomized_response sharp = make(2, 12), vague = make(2, 0.01);
    assert_int_equal(dusk_randomized_response_estimate(&sharp, estimates, half, counts, 0.95, NULL), DUSK_OK);
    assert_int_equal(dusk_randomized_response_estimate(&vague, estimates, wide, counts, 0.95, NULL), DUSK_OK);
    assert_near(wide[0], sqrt(1e6 * log(40) / 2) * (exp(0.01) + 1) / expm1(0.01), 1e-9);
    assert_true(half[0] < 15); /* by variance: sqrt(2 ln(40) n e^-12) + ... */
}

static void bad_estimates_are_refused(void **state)
{
    (void)state;
    dusk_randomized_response rr = make(2, 1), tiny = make(2, 1e-310);
    const uint64_t counts[2] = { 3, 4 }, many[2] = { UINT64_MAX, 1 }, none[2] = { 0, 0 };
    double estimates[2] = { 77, 77 }, half[2];
    assert_int_equal(dusk_randomized_response_estimate(&rr, estimates, half, counts, 0, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_randomized_response_estimate(&rr, estimates, half, counts, 1, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_randomized_response_estimate(&rr, estimates, half, many, 0.9, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_true(estimates[0] == 77);
    assert_int_equal(dusk_randomized_response_estimate(&rr, estimates, half, none, 0.9, NULL), DUSK_OK);
    assert_true(estimates[0] == 0 && half[0] >= 0 && half[0] < 1e-300);
    assert_int_equal(dusk_randomized_response_estimate(&tiny, estimates, half, counts, 0.9, NULL), DUSK_OK);
    assert_true(!isnan(estimates[0]) && half[0] == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused), cmocka_unit_test(failures_release_nothing),
        cmocka_unit_test(extreme_epsilons_work),      cmocka_unit_test(events_name_what_was_released),
        cmocka_unit_test(estimates_invert_the_law),   cmocka_unit_test(two_coin_estimates_invert_the_law),
        cmocka_unit_test(half_widths_hold),           cmocka_unit_test(half_widths_use_the_smaller_variance),
        cmocka_unit_test(bad_estimates_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
