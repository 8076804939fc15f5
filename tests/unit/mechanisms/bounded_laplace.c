/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded-domain Laplace mechanism: epsilon by comparing the laws of all pairs of
 * points of small ranges, the least scale that keeps it, what is refused, answers that
 * stay in the range, intervals, and the same coins whatever the value. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "mechanisms/bounded_laplace.h"
#include "random/generator.h"
#include "seeded.h"
#include "support.h"

static void bad_parameters_are_refused(void **state)
{
    const double bad[] = { 0, -1, NAN, INFINITY };
    dusk_bounded_laplace m, before;
    dusk_error err;
    (void)state;
    memset(&m, 7, sizeof m);
    memcpy(&before, &m, sizeof m);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(dusk_bounded_laplace_init(&m, 0, 1, bad[i], 1, -10, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "sensitivity"));
        assert_int_equal(dusk_bounded_laplace_init(&m, 0, 1, 1, bad[i], -10, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "epsilon"));
    }
    const double ranges[][2] = { { 1, 1 }, { 2, 1 }, { NAN, 1 }, { 0, INFINITY }, { -DBL_MAX, DBL_MAX } };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        assert_int_equal(dusk_bounded_laplace_init(&m, ranges[i][0], ranges[i][1], 1, 1, 0, &err),
                         DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "range"));
    }
    assert_int_equal(dusk_bounded_laplace_init(&m, 0.1, 0.9, 1, 1, 0, &err),
                     DUSK_ERR_ARGUMENT);                                                       /* no point */
    assert_int_equal(dusk_bounded_laplace_init(&m, 0, 0.9, 1, 1, 0, &err), DUSK_ERR_ARGUMENT); /* one */
    assert_int_equal(dusk_bounded_laplace_init(&m, 0, 1, 1, 1, -60, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_bounded_laplace_init(&m, 0, 1, 1, 1e-30, -10, &err), DUSK_ERR_ARGUMENT);
    assert_memory_equal(&m, &before, sizeof m);
    dusk_event event;
    double out = 7, width = 7;
    dusk_generator *gen = seeded(1);
    memset(&m, 0, sizeof m);
    assert_int_equal(dusk_bounded_laplace_event(&m, &event, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_bounded_laplace_release(&m, &out, 1, gen, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_bounded_laplace_interval(&m, &width, 0.5, &err), DUSK_ERR_ARGUMENT);
    assert_true(out == 7 && width == 7);
    dusk_generator_free(gen);
}

/* P_w(k) for points 0 .. cells. */
static double law(double b, double cells, double w, double k)
{
    double all = 0;
    for (double j = 0; j <= cells; j++) all += exp(-fabs(j - w) / b);
    return exp(-fabs(k - w) / b) / all;
}

/* The largest log ratio over all pairs at most `steps` apart and all answers. */
static double true_epsilon(double b, double steps, double cells)
{
    double worst = 0;
    for (double w = 0; w <= cells; w++)
        for (double v = fmax(w - steps, 0); v <= fmin(w + steps, cells); v++)
            for (double k = 0; k <= cells; k++)
                worst = fmax(worst, log(law(b, cells, w, k) / law(b, cells, v, k)));
    return worst;
}

static void epsilon_is_exact(void **state)
{
    (void)state;
    for (double cells = 1; cells <= 9; cells += 2)
        for (double steps = 1; steps <= cells + 1; steps++)
            for (double b = 0.1; b < 300; b *= 3.1) {
                double truth = true_epsilon(b, steps, cells);
                double said = dusk_bounded_laplace_epsilon_up(b, steps, cells);
                if (!(said >= truth - 1e-13 * truth && said <= truth * (1 + 1e-11)))
                    fail_msg("b %g, steps %g, cells %g: %.17g is not %.17g", b, steps, cells, said, truth);
            }
}

/* Through the front door: the promise is kept on the grid by the least scale. */
static void the_scale_is_recalibrated(void **state)
{
    (void)state;
    for (double cells = 1; cells <= 12; cells += 3)
        for (double s = 0.3; s <= 5; s *= 2)
            for (double epsilon = 0.01; epsilon < 9; epsilon *= 3) {
                dusk_bounded_laplace m;
                dusk_event event;
                double given, steps = fmin(ceil(s), cells);
                assert_int_equal(dusk_bounded_laplace_init(&m, 0, cells, s, epsilon, 0, NULL), DUSK_OK);
                assert_int_equal(dusk_bounded_laplace_event(&m, &event, NULL), DUSK_OK);
                assert_int_equal(dusk_event_epsilon_up(&event, &given, 0, NULL), DUSK_OK);
                assert_true(given <= epsilon && given > epsilon * (1 - 1e-9));
                assert_true(true_epsilon(m.scale, steps, cells) <= epsilon * (1 + 1e-12));
                assert_true(true_epsilon(m.scale * (1 - 1e-6), steps, cells) > epsilon);
                if (steps < cells) assert_true(m.scale > steps / epsilon * (1 + 1e-6));
            }
}

/* On a fine grid it is the fixed point of the paper: b = s/(epsilon - ln C(s)/C(0)). */
static void the_scale_is_the_published_one(void **state)
{
    (void)state;
    for (double range = 1; range < 1e6; range *= 37)
        for (double epsilon = 0.01; epsilon < 20; epsilon *= 5) {
            dusk_bounded_laplace m;
            assert_int_equal(
                dusk_bounded_laplace_init(&m, -range / 3, range * 2 / 3, 1, epsilon, DUSK_GRID_DEFAULT, NULL),
                DUSK_OK);
            double b = m.scale, d = fmin(1, range);
            double ratio = (2 - exp(-d / b) - exp(-(range - d) / b)) / -expm1(-range / b);
            assert_true(fabs(d / (epsilon - log(ratio)) / b - 1) < 1e-4);
        }
}

static void answers_lie_in_the_range(void **state)
{
    const double values[] = { NAN, INFINITY, -INFINITY, 0, 0.1, 0.30000001, 0.7, 1e300, -DBL_TRUE_MIN };
    dusk_generator *gen = seeded(3);
    (void)state;
    for (int grid = -45; grid <= 0; grid += 9)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            for (int k = 0; k < 40; k++) {
                dusk_bounded_laplace m;
                double out;
                int step = grid ? grid : -2;
                assert_int_equal(dusk_bounded_laplace_init(&m, 0.1, 0.7, 0.25, 0.01, step, NULL), DUSK_OK);
                assert_int_equal(dusk_bounded_laplace_release(&m, &out, values[i], gen, NULL), DUSK_OK);
                assert_true(out >= 0.1 && out <= 0.7 && ldexp(out, -step) == rint(ldexp(out, -step)));
            }
    for (int k = 0; k < 200; k++) { /* an end that is nothing beside a step */
        const double near = 1e-310, far = 0x1p882;
        dusk_bounded_laplace m[2];
        double out[2];
        assert_int_equal(dusk_bounded_laplace_init(&m[0], near, far, 0x1p880, 0.1, 880, NULL), DUSK_OK);
        assert_int_equal(dusk_bounded_laplace_init(&m[1], -far, -near, 0x1p880, 0.1, 880, NULL), DUSK_OK);
        for (int i = 0; i < 2; i++)
            assert_int_equal(dusk_bounded_laplace_release(&m[i], &out[i], 0, gen, NULL), DUSK_OK);
        assert_true(out[0] >= near && out[0] <= far && out[1] >= -far && out[1] <= -near);
    }
    dusk_generator_free(gen);
}

static void intervals_hold_for_every_value(void **state)
{
    (void)state;
    for (double epsilon = 0.1; epsilon < 8; epsilon *= 2)
        for (int c = 1; c < 9; c++) {
            dusk_bounded_laplace m;
            double confidence = 1 - pow(10, -c / 2.0), width, worst = 0, short_of = 0;
            assert_int_equal(dusk_bounded_laplace_init(&m, 0, 40, 1, epsilon, 0, NULL), DUSK_OK);
            assert_int_equal(dusk_bounded_laplace_interval(&m, &width, confidence, NULL), DUSK_OK);
            double t = width - 1;
            assert_true(t == rint(t) && t >= 0 && t <= 40);
            for (double w = 0; w <= 40; w++) {
                double beyond = 0, nearer = 0;
                for (double k = 0; k <= 40; k++) {
                    beyond += fabs(k - w) > t ? law(m.scale, 40, w, k) : 0;
                    nearer += fabs(k - w) > t - 2 ? law(m.scale, 40, w, k) : 0;
                }
                worst = fmax(worst, beyond);
                short_of = fmax(short_of, nearer);
            }
            assert_true(worst <= (1 - confidence) * (1 + 1e-9));
            assert_true(t < 2 || short_of > (1 - confidence) * (1 - 1e-9)); /* at most two steps too long */
        }
    dusk_bounded_laplace m;
    double width;
    assert_int_equal(dusk_bounded_laplace_init(&m, 0, 1, 1, 1, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    assert_int_equal(dusk_bounded_laplace_interval(&m, &width, 1, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_bounded_laplace_interval(&m, &width, 0.99999999, NULL), DUSK_OK);
    assert_true(width < 1.0000001);
}

/* Rejection would take more of them the nearer the value is to an end. */
static void the_coins_do_not_depend_on_the_value(void **state)
{
    dusk_bounded_laplace m;
    (void)state;
    assert_int_equal(dusk_bounded_laplace_init(&m, 0, 1, 0.1, 1, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    for (uint64_t seed = 0; seed < 200; seed++) {
        uint64_t next[5];
        for (int i = 0; i < 5; i++) {
            dusk_generator *gen = seeded(seed);
            double out;
            assert_int_equal(dusk_bounded_laplace_release(&m, &out, i / 4.0, gen, NULL), DUSK_OK);
            assert_int_equal(dusk_generator_words(gen, &next[i], 1, 64, NULL), DUSK_OK);
            assert_int_equal(next[i], next[0]);
            dusk_generator_free(gen);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(epsilon_is_exact),
        cmocka_unit_test(the_scale_is_recalibrated),
        cmocka_unit_test(the_scale_is_the_published_one),
        cmocka_unit_test(answers_lie_in_the_range),
        cmocka_unit_test(intervals_hold_for_every_value),
        cmocka_unit_test(the_coins_do_not_depend_on_the_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
