/* SPDX-License-Identifier: Apache-2.0 */
/* Smooth sensitivity as shipped: what is refused, what is made total, the event,
 * the interval, and the bound from local sensitivities. The calibration is in
 * tests/enclosure/smooth_noise.c, the law in tests/exhaustive/scaled.c. */
#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/mechanisms.h"
#include "mechanisms/smooth_sensitivity.h"
#include "seeded.h"
#include "support.h"

static const dusk_smooth_law laws[] = { DUSK_SMOOTH_CAUCHY, DUSK_SMOOTH_STUDENT_T, DUSK_SMOOTH_LAPLACE,
                                        DUSK_SMOOTH_GAUSSIAN };

static double delta_of(dusk_smooth_law law) { return law >= DUSK_SMOOTH_LAPLACE ? 1e-6 : 0; }

static dusk_smooth made(dusk_smooth_law law, double epsilon)
{
    dusk_smooth smooth;
    assert_int_equal(dusk_smooth_init(&smooth, law, 3, 0, epsilon, delta_of(law), -20, NULL), DUSK_OK);
    return smooth;
}

static int open_generator(void **state) { return open_seeded(state, 271828); }

static void refused(dusk_smooth_law law, uint32_t degrees, double beta, double epsilon, double delta,
                    int grid)
{
    dusk_smooth smooth = { .ratio = 77 };
    dusk_error err;
    assert_int_equal(dusk_smooth_init(&smooth, law, degrees, beta, epsilon, delta, grid, &err),
                     DUSK_ERR_ARGUMENT);
    assert_true(smooth.ratio == 77 && strlen(err.message) > 10);
}

static void bad_parameters_are_refused(void **state)
{
    (void)state;
    const double bad[] = { 0, -1, NAN, INFINITY, 501 };
    for (int i = 0; i < 5; i++) refused(DUSK_SMOOTH_CAUCHY, 1, 0, bad[i], 0, 0);
    refused(DUSK_SMOOTH_CAUCHY, 1, 0, 1, 1e-6, 0); /* a delta that would go unused */
    refused(DUSK_SMOOTH_STUDENT_T, 0, 0, 1, 0, 0);
    refused(DUSK_SMOOTH_STUDENT_T, 101, 0, 1, 0, 0);
    refused(DUSK_SMOOTH_STUDENT_T, 3, 0.34, 1, 0, 0); /* d beta must stay below epsilon */
    refused(DUSK_SMOOTH_LAPLACE, 1, 0, 1, 0, 0);
    refused(DUSK_SMOOTH_GAUSSIAN, 1, 0, 1, 1, 0);
    refused(DUSK_SMOOTH_GAUSSIAN, 1, 0, 1, NAN, 0);
    refused(DUSK_SMOOTH_GAUSSIAN, 1, 0.9, 1, 1e-6, 0);
    refused(DUSK_SMOOTH_CAUCHY, 1, -1, 1, 0, 0);
    refused(DUSK_SMOOTH_CAUCHY, 1, NAN, 1, 0, 0);
    refused((dusk_smooth_law)9, 1, 0, 1, 0, 0);
    refused(DUSK_SMOOTH_CAUCHY, 1, 0, 1, 0, 2000);
}

static void what_was_never_made_is_refused(void **state)
{
    dusk_smooth smooth = { 0 };
    dusk_event event;
    double out = 5;
    assert_int_equal(dusk_smooth_release(&smooth, &out, 1, 1, *state, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_smooth_event(&smooth, &event, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_smooth_interval(&smooth, &out, 0.9, NULL), DUSK_ERR_ARGUMENT);
    for (int i = 0; i < 4; i++) { /* less noise than was promised */
        smooth = made(laws[i], 1);
        smooth.ratio *= 1.001;
        assert_int_equal(dusk_smooth_release(&smooth, &out, 1, 1, *state, NULL), DUSK_ERR_ARGUMENT);
        smooth = made(laws[i], 1);
        smooth.beta *= 1.01;
        assert_int_equal(dusk_smooth_event(&smooth, &event, NULL), DUSK_ERR_ARGUMENT);
        smooth = made(laws[i], 1);
        smooth.least /= 2;
        assert_int_equal(dusk_smooth_release(&smooth, &out, 1, 1, *state, NULL), DUSK_ERR_ARGUMENT);
    }
    assert_true(out == 5);
}

static void events_say_what_was_promised(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        dusk_smooth smooth = made(laws[i], 0.5);
        dusk_event event;
        char text[100];
        double epsilon;
        assert_int_equal(dusk_smooth_event(&smooth, &event, NULL), DUSK_OK);
        assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
        assert_string_equal(text, i < 2 ? "pure(0.5)" : "approx(0.5, 1e-06)");
        assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, delta_of(laws[i]), NULL), DUSK_OK);
        assert_true(epsilon == 0.5);
    }
}

/* Small and large epsilon, and every beta that is accepted, leave room for noise. */
static void the_usual_beta_is_good(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        for (double epsilon = 1e-4; epsilon < 500; epsilon *= 10) {
            dusk_smooth smooth = made(laws[i], epsilon), other;
            double product = smooth.beta * smooth.ratio;
            assert_true(smooth.beta > 0 && smooth.beta < epsilon);
            for (double factor = 0.5; factor < 2; factor += 0.7)
                if (dusk_smooth_init(&other, laws[i], 3, smooth.beta * factor, epsilon, delta_of(laws[i]), 0,
                                     NULL) == DUSK_OK)
                    assert_true(other.beta * other.ratio <= product * 3);
        }
}

static void intervals_are_those_of_the_law(void **state)
{
    (void)state;
    const double want[] = { 12.7062047361747, 3.18244630528371, 2.99573227355399, 1.95996398454005 };
    for (int i = 0; i < 4; i++) {
        dusk_smooth smooth = made(laws[i], 1);
        double multiple;
        assert_int_equal(dusk_smooth_interval(&smooth, &multiple, 0.95, NULL), DUSK_OK);
        assert_true(fabs(multiple * smooth.ratio / want[i] - 1) < 1e-12);
        assert_int_equal(dusk_smooth_interval(&smooth, &multiple, 1, NULL), DUSK_ERR_ARGUMENT);
    }
}

static void intervals_hold(void **state)
{
    for (int i = 0; i < 4; i++) {
        dusk_smooth smooth = made(laws[i], 1);
        double multiple, out, step = ldexp(1, smooth.grid);
        int inside = 0, above = 0;
        assert_int_equal(dusk_smooth_interval(&smooth, &multiple, 0.75, NULL), DUSK_OK);
        for (int j = 0; j < 1500; j++) {
            assert_int_equal(dusk_smooth_release(&smooth, &out, 10, 0.125, *state, NULL), DUSK_OK);
            assert_true(out / step == floor(out / step));
            inside += fabs(out - 10) <= multiple * 0.125 + step;
            above += out > 10;
        }
        assert_true(abs(inside - 1125) < 100 && abs(above - 750) < 110); /* six deviations */
    }
}

/* Whatever the caller's function made of the data, an answer comes and no error. */
static void hostile_values_are_total(void **state)
{
    const double values[] = { NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 0, -1 };
    dusk_smooth smooth = made(DUSK_SMOOTH_STUDENT_T, 1);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            double out = NAN;
            assert_int_equal(dusk_smooth_release(&smooth, &out, values[i], values[j], *state, NULL), DUSK_OK);
            assert_true(isfinite(out));
        }
}

/* A sensitivity of 0 counts as the floor: halfway between two steps both answers
 * come out, and far from a boundary the answer is the value. */
static void no_sensitivity_has_a_floor(void **state)
{
    dusk_smooth smooth = made(DUSK_SMOOTH_LAPLACE, 1);
    double step = ldexp(1, smooth.grid), out;
    int down = 0, far = 0;
    for (int i = 0; i < 200; i++) {
        assert_int_equal(dusk_smooth_release(&smooth, &out, step / 2, 0, *state, NULL), DUSK_OK);
        down += out == 0;
        assert_int_equal(dusk_smooth_release(&smooth, &out, 3 * step, -5, *state, NULL), DUSK_OK);
        assert_true(out == 3 * step);
        /* noise of the floor's size crosses a boundary that is a floor away */
        assert_int_equal(dusk_smooth_release(&smooth, &out, step / 2 + smooth.least, 0, *state, NULL),
                         DUSK_OK);
        far += out == 0;
    }
    assert_true(down > 50 && down < 150 && far > 10);
}

/* --- the bound from local sensitivities ------------------------------------------ */

static void bounds_come_from_local_sensitivities(void **state)
{
    (void)state;
    dusk_smooth smooth = made(DUSK_SMOOTH_CAUCHY, 1);
    const double flat[] = { 2, 2, 2 }, steep[] = { 0, 0, 0, 100 }, none[] = { 0 }, odd[] = { 1, NAN };
    assert_true(dusk_smooth_sensitivity(&smooth, flat, 3) >= 2);
    assert_true(dusk_smooth_sensitivity(&smooth, flat, 3) <= 2 * (1 + DUSK_SMOOTH_ETA));
    double want = 100 * exp(-3 * smooth.beta);
    assert_true(fabs(dusk_smooth_sensitivity(&smooth, steep, 4) / want - 1) < 4 * DUSK_SMOOTH_ETA);
    assert_true(dusk_smooth_sensitivity(&smooth, none, 1) >= smooth.least);
    assert_true(dusk_smooth_sensitivity(&smooth, none, 0) == smooth.least);
    assert_true(dusk_smooth_sensitivity(&smooth, odd, 2) > 0x1p70);
}

/* Shifted lists are those of neighbours: the bound changes by at most e^beta, with
 * rounding; a bound that was only rounded up would not keep it. */
static void bounds_stay_smooth_when_rounded(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (int trial = 0; trial < 2000; trial++) {
        dusk_smooth smooth;
        double local[41], epsilon = 0.1 + (double)(splitmix64(&seed) % 1000) / 300;
        assert_int_equal(dusk_smooth_init(&smooth, DUSK_SMOOTH_CAUCHY, 1, 0, epsilon, 0, -40, NULL), DUSK_OK);
        for (int k = 0; k < 41; k++)
            local[k] = (k ? local[k - 1] : 0) + (double)(splitmix64(&seed) % 1000) / 7;
        double x = dusk_smooth_sensitivity(&smooth, local + 1, 40),
               y = dusk_smooth_sensitivity(&smooth, local, 41);
        /* x's list at k is y's at k + 1, so that x <= e^beta y */
        mpfr_t t;
        mpfr_init2(t, 200);
        mpfr_set_d(t, smooth.beta, MPFR_RNDN);
        mpfr_exp(t, t, MPFR_RNDD);
        mpfr_mul_d(t, t, y, MPFR_RNDD);
        assert_true(mpfr_cmp_d(t, x) >= 0);
        mpfr_clear(t);
    }
}

static void a_tape_that_ends_releases_nothing(void **state)
{
    (void)state;
    uint64_t bits[4] = { 0 };
    dusk_smooth smooth = made(DUSK_SMOOTH_STUDENT_T, 1);
    dusk_generator *tape;
    double out = 5;
    assert_int_equal(dusk_generator_new_tape(&tape, bits, 70, NULL), DUSK_OK);
    assert_int_equal(dusk_smooth_release(&smooth, &out, 1, 1, tape, NULL), DUSK_ERR_ENTROPY);
    assert_true(out == 5);
    dusk_generator_free(tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(what_was_never_made_is_refused),
        cmocka_unit_test(events_say_what_was_promised),
        cmocka_unit_test(the_usual_beta_is_good),
        cmocka_unit_test(intervals_are_those_of_the_law),
        cmocka_unit_test(intervals_hold),
        cmocka_unit_test(hostile_values_are_total),
        cmocka_unit_test(no_sensitivity_has_a_floor),
        cmocka_unit_test(bounds_come_from_local_sensitivities),
        cmocka_unit_test(bounds_stay_smooth_when_rounded),
        cmocka_unit_test(a_tape_that_ends_releases_nothing),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
