/* SPDX-License-Identifier: Apache-2.0 */
/* False alarms of the bit-level and timing audits, over a thousand runs each in which there
 * is nothing to be found, or something whose size is known: no more of them may exceed the
 * truth at 95 % than five in a hundred do with probability 1e-6. DUSK_SEED chooses other
 * coins; a quarter of the runs unless DUSK_DEEP is set, as in make soak. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/float_noise.h"
#include "dusk/audit_floats.h"
#include "dusk/mechanisms_numbers.h"
#include "seeded.h"

static int runs(void) { return getenv("DUSK_DEEP") ? 1000 : 250; }
/* P(Bin(1000, 0.05) > 86) < 1e-6, and so is P(Bin(250, 0.05) > 32). */
static unsigned limit(void) { return getenv("DUSK_DEEP") ? 86 : 32; }

static uint64_t seed(void)
{
    const char *text = getenv("DUSK_SEED");
    return text ? strtoull(text, NULL, 10) : 20260711;
}

static void assert_rare(const char *what, unsigned count)
{
    printf("%s: %u of %d runs\n", what, count, runs());
    assert_in_range(count, 0, limit());
}

/* Audits that show more than the truth, and accusations at a chance of 5 %. */
static void count_alarms(const char *what, const dusk_sampler *sampler, const double values[2], double scale,
                         double truth, uint64_t draws)
{
    dusk_audit_options options;
    dusk_input_pair pair = { { &values[0], &values[1] }, "" };
    unsigned above = 0, accused = 0;
    dusk_audit_options_init(&options);
    options.epsilon = truth;
    options.alarm = 0.05;
    options.draws = draws;
    for (int run = 0; run < runs(); run++) {
        dusk_audit_report report;
        assert_int_equal(dusk_audit_bits(&report, sampler, &pair, scale, &options, NULL), DUSK_OK);
        above += report.epsilon > truth;
        accused += report.verdict == DUSK_VIOLATION;
    }
    assert_rare(what, above);
    assert_rare(what, accused);
}

/* Naive noise on one and the same value: epsilon is 0, whatever its bits are. */
static void the_same_value_twice(void **state)
{
    const double same[2] = { 1, 1 };
    audit_float_noise noise;
    (void)state;
    audit_float_noise_init(&noise, audit_float_uniform, 100, seed());
    dusk_sampler sampler = audit_float_sampler(&noise);
    count_alarms("uniform noise, black box", &sampler, same, 0, 0, 1 << 15);
    audit_float_noise_init(&noise, audit_float_laplace, 1, seed() + 1);
    count_alarms("laplace noise, formulae", &sampler, same, 1, 0, 1000);
}

/* Noise whose epsilon is what it claims. */
static dusk_status draw(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    static dusk_noise noise;
    dusk_status status = DUSK_OK;
    if (noise.scale == 0 && dusk_discrete_laplace_init(&noise, 1, 1, 0.7, 0, err) != DUSK_OK) abort();
    for (size_t i = 0; i < n && status == DUSK_OK; i++)
        status = dusk_noise_release(&noise, &out[i], *input, context, err);
    return status;
}

static void a_right_mechanism(void **state)
{
    const double values[2] = { 0, 1 };
    dusk_generator *gen = seeded(seed());
    dusk_sampler sampler = { .context = gen, .input_length = 1, .output_length = 1, .draw = draw };
    (void)state;
    count_alarms("discrete laplace", &sampler, values, 0, 0.7, 4000);
    dusk_generator_free(gen);
}

/* Times that drift, with interrupts and many ties, and values that they know nothing of. */
static void independent_times(void **state)
{
    enum { N = 4096 };
    static double values[N], durations[N];
    uint64_t coins = seed();
    unsigned sure = 0, normal = 0;
    (void)state;
    for (int run = 0; run < runs(); run++) {
        dusk_timing_report report;
        for (size_t i = 0; i < N; i++) {
            uint64_t word = splitmix64(&coins);
            values[i] = floor(ldexp(1, (int)(word % 11))) * (word & 2048 ? 1 : -1);
            durations[i] = 100 + (double)(word >> 60) + (double)i / 50 + (word << 40 >> 57 == 0 ? 1e5 : 0);
        }
        assert_int_equal(dusk_audit_timing(&report, values, durations, N, 0.05, NULL), DUSK_OK);
        sure += report.verdict == DUSK_VIOLATION;
        normal += report.p <= 0.05;
    }
    assert_rare("timing, sure", sure);
    assert_rare("timing, by the normal law", normal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_value_twice),
        cmocka_unit_test(a_right_mechanism),
        cmocka_unit_test(independent_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
