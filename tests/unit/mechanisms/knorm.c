/* SPDX-License-Identifier: Apache-2.0 */
/* K-norm mechanism: parameters, event, intervals against exact tails, and releases of
 * hostile values. The law itself is in tests/exhaustive/ball.c and
 * tests/statistical/ball.c. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "dusk/dusk.h"
#include "mechanisms/knorm.h"
#include "numeric/special.h"
#include "seeded.h"
#include "support.h"

static dusk_knorm make(dusk_norm norm, uint32_t d, double sensitivity, double epsilon, int grid)
{
    dusk_knorm knorm;
    dusk_error err = { .message = "" };
    if (dusk_knorm_init(&knorm, norm, d, sensitivity, epsilon, grid, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    return knorm;
}

static void the_event_keeps_the_promise(void **state)
{
    static const double number[] = { 1e-6, 0.1, 1.0 / 3, 1, 7, 1e6 };
    (void)state;
    for (dusk_norm norm = DUSK_NORM_L1; norm <= DUSK_NORM_LINF; norm++)
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < 6; j++) {
                dusk_knorm knorm = make(norm, 5, number[i], number[j], DUSK_GRID_DEFAULT);
                dusk_event event;
                double epsilon;
                assert_int_equal(dusk_knorm_event(&knorm, &event, NULL), DUSK_OK);
                assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, 0, NULL), DUSK_OK);
                assert_true(epsilon <= number[j] && epsilon >= number[j] * (1 - 1e-9));
                double noise = number[i] / number[j];
                assert_true(knorm.scale >= noise * (1 - 1e-15) && knorm.scale <= noise * (1 + 1e-9));
            }
    dusk_knorm knorm = make(DUSK_NORM_L2, 3, 1, 0.5, 0);
    dusk_event event;
    char text[64];
    assert_int_equal(dusk_knorm_event(&knorm, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, "laplace(2)");
}

static void refused(void **state)
{
    const double bad[] = { 0, -1, NAN, INFINITY, -INFINITY };
    dusk_knorm knorm, untouched;
    dusk_error err;
    (void)state;
    memset(&knorm, 0x5a, sizeof knorm);
    untouched = knorm;
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(dusk_knorm_init(&knorm, DUSK_NORM_L2, 2, bad[i], 1, 0, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "sensitivity"));
        assert_int_equal(dusk_knorm_init(&knorm, DUSK_NORM_L2, 2, 1, bad[i], 0, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "epsilon"));
    }
    assert_int_equal(dusk_knorm_init(&knorm, (dusk_norm)0, 2, 1, 1, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_knorm_init(&knorm, (dusk_norm)4, 2, 1, 1, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_knorm_init(&knorm, DUSK_NORM_L2, 0, 1, 1, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_knorm_init(&knorm, DUSK_NORM_L2, (1 << 20) + 1, 1, 1, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_knorm_init(&knorm, DUSK_NORM_L2, 2, 1, 1, 60, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_knorm_init(&knorm, DUSK_NORM_L2, 2, 1, 1, -60, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_knorm_init(&knorm, DUSK_NORM_L2, 2, 1, 1, 2000, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_knorm_init(&knorm, DUSK_NORM_L2, 2, DBL_MAX, DBL_MIN, DUSK_GRID_DEFAULT, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_knorm_init(&knorm, DUSK_NORM_L2, 2, DBL_MIN, DBL_MAX, DUSK_GRID_DEFAULT, &err),
                     DUSK_ERR_ARGUMENT);
    assert_memory_equal(&knorm, &untouched, sizeof knorm);
}

/* By hand: nothing that was never checked is released. */
static void fields_are_checked(void **state)
{
    dusk_knorm good = make(DUSK_NORM_LINF, 2, 1, 1, -10), bad[6];
    double values[2] = { 1, 2 }, out[2] = { 7, 7 }, radius, width;
    dusk_generator *gen = seeded(1);
    dusk_event event;
    (void)state;
    for (size_t i = 0; i < 6; i++) bad[i] = good;
    bad[0].norm = (dusk_norm)9;
    bad[1].dimension = 0;
    bad[2].scale = NAN;
    bad[3].scale = 0x1p40;
    bad[4].sensitivity = 0;
    bad[5].grid = 5000;
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(dusk_knorm_release(&bad[i], out, values, gen, NULL), DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_knorm_event(&bad[i], &event, NULL), DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_knorm_interval(&bad[i], &radius, &width, 0.9, NULL), DUSK_ERR_ARGUMENT);
    }
    assert_true(out[0] == 7 && out[1] == 7);
    assert_int_equal(dusk_knorm_interval(&good, &radius, &width, 1, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_knorm_interval(&good, &radius, &width, NAN, NULL), DUSK_ERR_ARGUMENT);
    dusk_generator_free(gen);
}

/* Answers lie on the grid; values that are no numbers have their rule; nothing wraps. */
static void hostile_values(void **state)
{
    const double values[] = { NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_TRUE_MIN, -0.0, 0.1 };
    const double clamp = 0x1p100, reach = 0x1p60;
    double out[8];
    dusk_generator *gen = seeded(2);
    (void)state;
    for (dusk_norm norm = DUSK_NORM_L1; norm <= DUSK_NORM_LINF; norm++)
        for (int grid = -30; grid <= 30; grid += 10) {
            dusk_knorm knorm = make(norm, 8, ldexp(1, grid), 1, grid);
            for (int round = 0; round < 50; round++) {
                assert_int_equal(dusk_knorm_release(&knorm, out, values, gen, NULL), DUSK_OK);
                for (size_t i = 0; i < 8; i++) {
                    double steps = ldexp(out[i], -grid), want = i == 0 || i > 4 ? 0 : clamp;
                    if (i == 2 || i == 4) want = -want;
                    if (i == 7) want = ldexp(values[7], -grid);
                    assert_true(steps == rint(steps) && fabs(steps - want) < reach);
                }
            }
        }
    dusk_generator_free(gen);
}

/* Without noise to speak of, the answer is the value rounded, half a step up. */
static void values_are_rounded_as_they_are(void **state)
{
    const double values[] = { 0.3, 0.75, -0.75, 1e9 + 0.4, -0.1, 0.49 }, want[] = { 0, 1, -1, 1e9, 0, 0 };
    dusk_knorm knorm = make(DUSK_NORM_L2, 6, 0x1p-38, 1, 0);
    double out[6];
    dusk_generator *gen = seeded(3);
    (void)state;
    assert_int_equal(dusk_knorm_release(&knorm, out, values, gen, NULL), DUSK_OK);
    for (size_t i = 0; i < 6; i++) assert_true(out[i] == want[i]);
    dusk_generator_free(gen);
}

/* The radius is the quantile of a Gamma law; coordinates have exact tails of their own in
 * one dimension, and never more than the radius. */
static void intervals_hold(void **state)
{
    static const uint32_t dimension[] = { 1, 2, 3, 10, 1000, 1 << 20 };
    static const double confidence[] = { 0.01, 0.5, 0.95, 1 - 1e-9, 1 - 0x1p-53 };
    (void)state;
    for (dusk_norm norm = DUSK_NORM_L1; norm <= DUSK_NORM_LINF; norm++)
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < 5; j++) {
                double d = dimension[i], p = 1 - confidence[j], radius, width;
                dusk_knorm knorm = make(norm, dimension[i], 1, 1, DUSK_GRID_DEFAULT);
                assert_int_equal(dusk_knorm_interval(&knorm, &radius, &width, confidence[j], NULL), DUSK_OK);
                assert_true(dusk_gamma_q(d, radius) <= p * (1 + 1e-9));
                assert_true(dusk_gamma_q(d, radius * (1 - 1e-5)) >= p * 0.99 || norm == DUSK_NORM_L1);
                assert_true(width <= radius * (1 + 1e-12));
                if (d == 1) assert_true(fabs(width / -log(p) - 1) < 1e-5 || p > 0.9);
                if (norm == DUSK_NORM_LINF) assert_true(width == radius);
                if (norm == DUSK_NORM_L2 && d >= 1000) assert_true(width < radius / 2);
            }
}

/* P(|A_1| > a) for a point of the sphere is I_{1 - a^2}((d - 1)/2, 1/2). */
static void the_bound_for_coordinates_holds(void **state)
{
    (void)state;
    for (double d = 2; d <= 1e6; d *= 3)
        for (double a = 0.01; a < 1; a += 0.07)
            assert_true(dusk_beta_inc((d - 1) / 2, 0.5, 1 - a * a) <=
                        pow(1 - a * a, (d - 1) / 2) * (1 + 1e-9) + 1e-300);
}

static void failures_leave_no_answer(void **state)
{
    uint64_t coins[8] = { 0 };
    double values[3] = { 1, 2, 3 }, out[3] = { 7, 7, 7 };
    dusk_generator *gen;
    (void)state;
    for (dusk_norm norm = DUSK_NORM_L1; norm <= DUSK_NORM_LINF; norm++) {
        dusk_knorm knorm = make(norm, 3, 1, 1, 0);
        assert_int_equal(dusk_generator_new_tape(&gen, coins, 8 * 64, NULL), DUSK_OK);
        assert_int_equal(dusk_knorm_release(&knorm, out, values, gen, NULL), DUSK_ERR_ENTROPY);
        assert_true(out[0] == 7 && out[1] == 7 && out[2] == 7);
        dusk_generator_free(gen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_event_keeps_the_promise),
        cmocka_unit_test(refused),
        cmocka_unit_test(fields_are_checked),
        cmocka_unit_test(hostile_values),
        cmocka_unit_test(values_are_rounded_as_they_are),
        cmocka_unit_test(intervals_hold),
        cmocka_unit_test(the_bound_for_coordinates_holds),
        cmocka_unit_test(failures_leave_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
