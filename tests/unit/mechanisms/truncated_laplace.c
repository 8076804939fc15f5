/* SPDX-License-Identifier: Apache-2.0 */
/* Truncated Laplace mechanism: delta by adding up the law itself for every distance
 * up to the sensitivity, the least bound that gives it, intervals that are neither too
 * short nor too long, and noise that never exceeds its bound. The law of the draws:
 * exhaustive/window.c. */
#include <math.h>
#include <string.h>

#include "mechanisms/noise.h"
#include "number_laws.h"
#include "seeded.h"
#include "support.h"

static void bad_parameters_are_refused(void **state)
{
    const double bad[] = { 0, 1, -0.5, NAN };
    dusk_noise noise, before;
    dusk_error err;
    (void)state;
    memset(&noise, 7, sizeof noise);
    memcpy(&before, &noise, sizeof noise);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(dusk_truncated_laplace_init(&noise, 1, 1, bad[i], 0, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "delta"));
    }
    assert_int_equal(dusk_truncated_laplace_init(&noise, NAN, 1, 1e-6, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_truncated_laplace_init(&noise, 1, -1, 1e-6, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_truncated_laplace_init(&noise, 1, 1, 1e-6, -70, &err), DUSK_ERR_ARGUMENT);
    assert_memory_equal(&noise, &before, sizeof noise);
}

static void noise_that_was_never_made_is_refused(void **state)
{
    dusk_noise good, noise;
    dusk_event event;
    const double shapes[] = { 0, 0.5, -3, NAN, INFINITY, 1 }; /* 1: every answer tells the value */
    (void)state;
    assert_int_equal(dusk_truncated_laplace_init(&good, 3, 1, 1e-3, 0, NULL), DUSK_OK);
    assert_shapes_refused(&good, shapes, sizeof shapes / sizeof *shapes);
    noise = good;
    noise.dimension = 2;
    assert_int_equal(dusk_noise_event(&noise, &event, NULL), DUSK_ERR_ARGUMENT);
}

/* exp(-|k|/b)/C for |k| <= most, in steps. */
static double law(double b, double most, double k)
{
    double all = 1;
    for (double j = 1; j <= most; j++) all += 2 * exp(-j / b);
    return fabs(k) <= most ? exp(-fabs(k) / b) / all : 0;
}

/* The delta at epsilon of answers for values `shift` steps apart. */
static double told_apart(double b, double most, double shift, double epsilon)
{
    double delta = 0, all = law(b, most, 0);
    for (double k = -most; k <= most; k++) {
        double p = all * exp(-fabs(k) / b),
               other = fabs(k - shift) <= most ? all * exp(-fabs(k - shift) / b) : 0;
        delta += fmax(p - exp(epsilon) * other, 0);
    }
    return delta;
}

static double worst_delta(double b, double most, double steps, double epsilon)
{
    double worst = 0;
    for (double shift = -steps; shift <= steps; shift++)
        worst = fmax(worst, told_apart(b, most, shift, epsilon * (1 + 1e-13)));
    return worst;
}

static void delta_is_kept_by_the_least_bound(void **state)
{
    (void)state;
    for (double s = 1; s <= 4; s++)
        for (double epsilon = 0.05; epsilon < 9; epsilon *= 2.3)
            for (double delta = 1e-9; delta < 1; delta *= 30) {
                dusk_noise noise;
                dusk_event event;
                char text[200];
                assert_int_equal(dusk_truncated_laplace_init(&noise, s, epsilon, delta, 0, NULL), DUSK_OK);
                assert_int_equal(dusk_noise_event(&noise, &event, NULL), DUSK_OK);
                assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
                assert_memory_equal(text, "approx(", 7);
                double b = noise.scale, most = noise.shape;
                assert_true(s / b <= epsilon && s / b > epsilon * (1 - 1e-12) && most == floor(most));
                if (worst_delta(b, most, s, epsilon) > delta * (1 + 1e-9))
                    fail_msg("s %g, epsilon %g: delta %g > %g", s, epsilon, worst_delta(b, most, s, epsilon),
                             delta);
                if (most > 1) assert_true(worst_delta(b, most - 1, s, epsilon) > delta * (1 - 1e-9));
            }
}

/* On a fine grid it is the bound of the paper. */
static void the_bound_is_the_published_one(void **state)
{
    (void)state;
    for (double epsilon = 0.001; epsilon < 30; epsilon *= 3)
        for (double delta = 1e-12; delta < 0.4; delta *= 100) {
            dusk_noise noise;
            assert_int_equal(dusk_truncated_laplace_init(&noise, 2, epsilon, delta, DUSK_GRID_DEFAULT, NULL),
                             DUSK_OK);
            double published = 2 / epsilon * log1p(expm1(epsilon) / (2 * delta));
            assert_true(fabs(noise.shape / published - 1) < 1e-5);
        }
}

static void intervals_are_exact(void **state)
{
    (void)state;
    for (double epsilon = 0.1; epsilon < 4; epsilon *= 2)
        for (double delta = 1e-6; delta < 0.5; delta *= 50)
            for (int c = 1; c < 16; c++) {
                dusk_noise noise;
                double confidence = 1 - pow(10, -c / 2.0), beyond = 0;
                assert_int_equal(dusk_truncated_laplace_init(&noise, 2, epsilon, delta, 0, NULL), DUSK_OK);
                double t = steps_within(&noise, confidence), b = noise.scale, most = noise.shape,
                       one = law(b, most, 0);
                assert_true(t <= most);
                for (double k = t + 1; k <= most; k++) beyond += 2 * one * exp(-k / b);
                assert_least(beyond, t > 0 ? 2 * one * exp(-t / b) : 1, confidence, 1e-7);
            }
}

static void noise_never_exceeds_its_bound(void **state)
{
    dusk_generator *gen = seeded(6);
    (void)state;
    for (int e = -40; e <= 30; e += 5) {
        dusk_noise noise;
        double out, largest = 0;
        assert_int_equal(dusk_truncated_laplace_init(&noise, 1, ldexp(1, e), 0.1, DUSK_GRID_DEFAULT, NULL),
                         DUSK_OK);
        for (int i = 0; i < 500; i++) {
            assert_int_equal(dusk_noise_release(&noise, &out, 0, gen, NULL), DUSK_OK);
            assert_true(fabs(out) <= noise.shape);
            largest = fmax(largest, fabs(out));
        }
        if (e < 0) assert_true(largest > noise.shape / 4);
    }
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(noise_that_was_never_made_is_refused),
        cmocka_unit_test(delta_is_kept_by_the_least_bound),
        cmocka_unit_test(the_bound_is_the_published_one),
        cmocka_unit_test(intervals_are_exact),
        cmocka_unit_test(noise_never_exceeds_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
