/* SPDX-License-Identifier: Apache-2.0 */
/* Time against value: dependences of several kinds are seen, interrupts and drift are not
 * taken for one, and the chance that is stated is Bernstein's. */
#include <math.h>

#include "dusk/audit_floats.h"
#include "support.h"

enum { N = 1 << 14 };
static double values[N], durations[N];

static double unit(uint64_t *state) { return (double)(splitmix64(state) >> 11) * 0x1p-53; }

/* Symmetric values, times of noise alone. */
static void draw_independent(uint64_t seed)
{
    for (size_t i = 0; i < N; i++) {
        values[i] = log(unit(&seed) + 0x1p-60) * (unit(&seed) < 0.5 ? -1 : 1);
        durations[i] = 1000 + floor(20 * unit(&seed));
    }
}

static dusk_timing_report test_of(size_t n)
{
    dusk_timing_report report;
    assert_int_equal(dusk_audit_timing(&report, values, durations, n, 1e-6, NULL), DUSK_OK);
    assert_int_equal(report.draws, n);
    assert_true(report.p >= 0 && report.p <= 1 && report.p_sure >= 0 && report.p_sure <= 1);
    assert_true(fabs(report.correlation) <= 1);
    return report;
}

static void independent_times_pass(void **state)
{
    (void)state;
    draw_independent(1);
    dusk_timing_report report = test_of(N);
    assert_int_equal(report.verdict, DUSK_PASS);
    assert_true(fabs(report.correlation) < 0.05);
    assert_true(report.detectable < 0.1);
}

static void interrupts_and_drift_pass(void **state)
{
    uint64_t seed = 3;
    (void)state;
    draw_independent(2);
    for (size_t i = 0; i < N; i++) {
        durations[i] += (double)i * 10; /* slower and slower */
        if (unit(&seed) < 0.01) durations[i] *= 1000;
    }
    assert_int_equal(test_of(N).verdict, DUSK_PASS);
}

static void larger_values_take_longer(void **state)
{
    (void)state;
    draw_independent(4);
    for (size_t i = 0; i < N; i++) durations[i] += 3 * fabs(values[i]);
    dusk_timing_report report = test_of(N);
    assert_int_equal(report.verdict, DUSK_VIOLATION);
    assert_string_equal(report.question, "size");
    assert_true(report.correlation > 0.1);
    assert_true(report.p_sure >= report.p && report.p_sure < 1e-6);
}

/* Neither more nor less with the size: only what lies between 1 and 1.2. */
static void a_class_takes_longer(void **state)
{
    (void)state;
    draw_independent(5);
    for (size_t i = 0; i < N; i++)
        if (values[i] > 1 && values[i] < 1.2) durations[i] += 15;
    dusk_timing_report report = test_of(N);
    assert_int_equal(report.verdict, DUSK_VIOLATION);
    assert_string_equal(report.question, "classes");
    assert_true(report.correlation > 0);
}

/* Times that are equal but for the sign of the value, which the size does not have. */
static void the_sign_takes_longer(void **state)
{
    (void)state;
    draw_independent(6);
    for (size_t i = 0; i < N; i++) durations[i] = values[i] < 0 ? 7 : 8;
    dusk_timing_report report = test_of(N);
    assert_int_equal(report.verdict, DUSK_VIOLATION);
    assert_string_equal(report.question, "classes");
}

/* What Bernstein's inequality says of four blocks that are in order: the sum is 4. */
static void the_chance_is_as_stated(void **state)
{
    (void)state;
    for (size_t i = 0; i < 64; i++) values[i] = durations[i] = (double)i;
    dusk_timing_report report = test_of(64);
    double p = 4 * exp(-16 / (2 * (4 / 15.0 + 4 / 3.0)));
    assert_true(report.correlation == 1);
    assert_string_equal(report.question, "size");
    assert_true(report.p_sure >= p * (1 - 1e-12) && report.p_sure <= p * (1 + 1e-9));
    assert_int_equal(report.verdict, DUSK_INCONCLUSIVE);
}

/* In order but for one block that is reversed, and one of equal times, which counts as nothing: the mean. */
static void the_correlation_is_the_mean_of_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < 128; i++) {
        values[i] = (double)i;
        durations[i] = i / 16 == 3 ? -(double)i : i / 16 == 5 ? 1 : (double)i;
    }
    assert_true(fabs(test_of(128).correlation - (6 - 1) / 8.0) < 1e-12);
}

static void hostile_numbers_have_ranks(void **state)
{
    dusk_timing_report report;
    dusk_error err;
    (void)state;
    for (size_t i = 0; i < 64; i++) {
        values[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
        durations[i] = i % 5 == 0 ? NAN : 0;
    }
    test_of(64);
    report.draws = 7;
    assert_int_equal(dusk_audit_timing(&report, values, durations, 63, 1e-6, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_audit_timing(&report, values, durations, 0, 1e-6, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_audit_timing(&report, values, durations, 64, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_audit_timing(&report, values, durations, 64, NAN, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(report.draws, 7);
}

static dusk_status count_up(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    double *next = context;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = *input + (*next)++;
        out[2 * i + 1] = -1;
    }
    return *next > 100 ? DUSK_ERR_MEMORY : DUSK_OK;
}

static void draws_are_timed_one_by_one(void **state)
{
    double next = 0, input = 10;
    dusk_sampler sampler = { .context = &next, .input_length = 1, .output_length = 2, .draw = count_up };
    (void)state;
    assert_int_equal(dusk_timing_measure(values, durations, 100, &sampler, &input, NULL), DUSK_OK);
    for (size_t i = 0; i < 100; i++) assert_true(values[i] == 10 + (double)i && durations[i] >= 0);
    assert_int_equal(dusk_timing_measure(values, durations, 1, &sampler, &input, NULL), DUSK_ERR_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_times_pass),
        cmocka_unit_test(interrupts_and_drift_pass),
        cmocka_unit_test(larger_values_take_longer),
        cmocka_unit_test(a_class_takes_longer),
        cmocka_unit_test(the_sign_takes_longer),
        cmocka_unit_test(the_chance_is_as_stated),
        cmocka_unit_test(the_correlation_is_the_mean_of_blocks),
        cmocka_unit_test(hostile_numbers_have_ranks),
        cmocka_unit_test(draws_are_timed_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
