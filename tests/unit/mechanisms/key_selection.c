/* SPDX-License-Identifier: Apache-2.0 */
/* Key selection: the table of keep probabilities against their recurrence (A17),
 * thresholds that a single unit reaches no more often than delta allows (A16),
 * and the certified ends of the two pieces. */
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "mechanisms/keep_curve.h"
#include "mechanisms/key_selection.h"
#include "random/tape.h"
#include "support.h"

enum { BITS = 2500 }; /* exp(-800) beside 1 and more */

static dusk_key_selection make(dusk_key_method method, uint32_t keys, double epsilon, double delta)
{
    dusk_key_selection selection;
    dusk_error err = { .message = "" };
    if (dusk_key_selection_init(&selection, method, keys, epsilon, delta, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    return selection;
}

static double probability(const dusk_key_selection *selection, uint64_t units)
{
    double p;
    assert_int_equal(dusk_key_selection_probability(selection, &p, units, NULL), DUSK_OK);
    return p;
}

/* pi(n + 1) = min(E pi(n) + delta, 1 - (1 - pi(n) - delta) / E, 1) in many bits. */
static void next(mpfr_t pi, mpfr_t growth, double delta)
{
    mpfr_t up, down;
    mpfr_inits2(BITS, up, down, (mpfr_ptr)NULL);
    mpfr_mul(up, pi, growth, MPFR_RNDN);
    mpfr_add_d(up, up, delta, MPFR_RNDN);
    mpfr_ui_sub(down, 1, pi, MPFR_RNDN);
    mpfr_sub_d(down, down, delta, MPFR_RNDN);
    mpfr_div(down, down, growth, MPFR_RNDN);
    mpfr_ui_sub(down, 1, down, MPFR_RNDN);
    mpfr_min(pi, up, down, MPFR_RNDN);
    if (mpfr_cmp_ui(pi, 1) > 0) mpfr_set_ui(pi, 1, MPFR_RNDN);
    mpfr_clears(up, down, (mpfr_ptr)NULL);
}

/* A17: the table for n = 1..100 equals the optimum to 1e-12. */
static void a17_keep_probabilities_are_optimal(void **state)
{
    const double epsilons[] = { 0.01, 0.1, 0.5, 1, 2, 10 }, deltas[] = { 1e-12, 1e-6, 1e-3, 0.1, 0.4 };
    const uint32_t keys[] = { 1, 2, 7, 100 };
    mpfr_t pi, growth;
    (void)state;
    mpfr_inits2(BITS, pi, growth, (mpfr_ptr)NULL);
    for (size_t e = 0; e < 6; e++)
        for (size_t d = 0; d < 5; d++)
            for (size_t k = 0; k < 4; k++) {
                dusk_key_selection s = make(DUSK_KEYS_TRUNCATED_GEOMETRIC, keys[k], epsilons[e], deltas[d]);
                double before = 0;
                mpfr_set_d(growth, epsilons[e] / keys[k], MPFR_RNDN);
                mpfr_exp(growth, growth, MPFR_RNDN);
                mpfr_set_ui(pi, 0, MPFR_RNDN);
                assert_true(probability(&s, 0) == 0);
                for (uint64_t n = 1; n <= 100; n++) {
                    next(pi, growth, deltas[d] / keys[k]);
                    double p = probability(&s, n);
                    assert_true(fabs(p - mpfr_get_d(pi, MPFR_RNDN)) < 1e-12);
                    assert_true(p >= before && p <= 1);
                    before = p;
                }
            }
    mpfr_clears(pi, growth, (mpfr_ptr)NULL);
}

/* Both ends of the pieces, by running the recurrence. */
static void the_pieces_end_where_the_recurrence_says(void **state)
{
    mpfr_t pi, growth, bend;
    (void)state;
    mpfr_inits2(BITS, pi, growth, bend, (mpfr_ptr)NULL);
    for (double epsilon = 0.013; epsilon < 800; epsilon *= 2.7)
        for (double delta = 1e-9; delta < 0.95; delta *= 3.1) {
            dusk_keep_curve curve;
            uint64_t n = 0, bends = 0, certain;
            assert_int_equal(dusk_keep_curve_init(&curve, epsilon, delta, NULL), DUSK_OK);
            mpfr_set_d(growth, epsilon, MPFR_RNDN);
            mpfr_exp(growth, growth, MPFR_RNDN);
            mpfr_set_ui(pi, 0, MPFR_RNDN);
            mpfr_add_ui(bend, growth, 1, MPFR_RNDN);
            mpfr_d_div(bend, 1 - delta, bend, MPFR_RNDN);
            for (; mpfr_cmp_ui(pi, 1) < 0; n++) {
                if (mpfr_cmp(pi, bend) <= 0) bends = n + 1;
                next(pi, growth, delta);
            }
            certain = n;
            if (curve.bend != bends || curve.certain != certain)
                fail_msg("%g, %g: (%lu, %lu), not (%lu, %lu)", epsilon, delta, (unsigned long)curve.bend,
                         (unsigned long)curve.certain, (unsigned long)bends, (unsigned long)certain);
        }
    mpfr_clears(pi, growth, bend, (mpfr_ptr)NULL);
}

/* Near the cap of counts too: the double's reckoning is off by more than one. */
static void the_bend_is_exact_far_out(void **state)
{
    dusk_keep_curve curve;
    (void)state;
    assert_int_equal(dusk_keep_curve_init(&curve, 2.572362706989633e-16, 3.828800343405412e-16, NULL),
                     DUSK_OK);
    assert_true(curve.bend == DUSK_KEEP_UNITS_MAX - 6);
    assert_true(curve.certain > curve.bend && curve.certain < UINT64_MAX);
    assert_int_equal(dusk_keep_curve_init(&curve, 0x1p-800, 1e-300, NULL), DUSK_OK);
    assert_true(curve.bend >= DUSK_KEEP_UNITS_MAX && curve.certain > DUSK_KEEP_UNITS_MAX);
}

/* The quick probabilities, which decide most tosses, are near enough. */
static void guesses_are_near(void **state)
{
    dusk_interval pi;
    (void)state;
    dusk_interval_init(&pi, 200);
    for (double epsilon = 1e-9; epsilon < 1000; epsilon *= 13)
        for (double delta = 1e-300; delta < 0.49; delta *= 977) {
            dusk_keep_curve curve;
            assert_int_equal(dusk_keep_curve_init(&curve, epsilon, delta, NULL), DUSK_OK);
            for (int i = 1; i < 40; i++) {
                double part = i / 40.0 * (double)(curve.certain - 1);
                uint64_t n = curve.certain < 3000000000000 ? (uint64_t)part : (uint64_t)i;
                if (n < 1 || n >= curve.certain || n > DUSK_KEEP_UNITS_MAX) continue;
                dusk_keep_curve_enclose(&curve, n, &pi);
                double guess = dusk_keep_curve_guess(&curve, n), truth = mpfr_get_d(pi.lo, MPFR_RNDN);
                assert_true(mpfr_get_d(pi.hi, MPFR_RNDU) - mpfr_get_d(pi.lo, MPFR_RNDD) < 1e-15);
                if (!(fabs(guess - truth) < 0x1p-41))
                    fail_msg("%g, %g, %lu: %.17g, %.17g", epsilon, delta, (unsigned long)n, guess, truth);
            }
        }
    dusk_interval_clear(&pi);
}

/* A16: what a single unit's keys give away. */
static void a16_one_unit_is_shown_no_more_often_than_delta(void **state)
{
    (void)state;
    for (dusk_key_method method = DUSK_KEYS_TRUNCATED_GEOMETRIC; method <= DUSK_KEYS_GAUSSIAN; method++)
        for (uint32_t keys = 1; keys <= 300; keys = 3 * keys + 1)
            for (double epsilon = 0.1; epsilon < 20; epsilon *= 5)
                for (double delta = 1e-12; delta < 0.9; delta *= 30) {
                    dusk_key_selection s = make(method, keys, epsilon, delta);
                    double p = probability(&s, 1), shown = -expm1(keys * log1p(-p));
                    double allowed = method == DUSK_KEYS_GAUSSIAN ? delta / 2 : delta;
                    assert_true(shown <= allowed * (1 + 1e-9));
                    if (method == DUSK_KEYS_TRUNCATED_GEOMETRIC) continue;
                    /* A threshold one lower would be too low. */
                    dusk_key_selection lower = s;
                    lower.threshold--;
                    if (lower.threshold < 1) continue;
                    shown = -expm1(keys * log1p(-probability(&lower, 1)));
                    assert_true(shown > allowed * (1 - 1e-9));
                }
}

static void thresholds_have_noise_for_all_keys(void **state)
{
    dusk_key_selection laplace = make(DUSK_KEYS_LAPLACE, 4, 0.5, 1e-6);
    dusk_key_selection gaussian = make(DUSK_KEYS_GAUSSIAN, 4, 0.5, 1e-6);
    dusk_event event;
    char text[4096];
    (void)state;
    assert_true(laplace.noise.scale == 8 && laplace.noise.grid == 0);
    assert_true(gaussian.noise.grid_sensitivity == 2 && gaussian.noise.promise.delta == 5e-7);
    for (dusk_key_method method = DUSK_KEYS_TRUNCATED_GEOMETRIC; method <= DUSK_KEYS_GAUSSIAN; method++) {
        dusk_key_selection s = make(method, 4, 0.5, 1e-6);
        assert_int_equal(dusk_key_selection_event(&s, &event, NULL), DUSK_OK);
        assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
        assert_string_equal(text, "approx(0.5, 1e-06)");
    }
}

/* Optimal means: kept at least as often as by both thresholds. */
static void the_optimum_is_the_optimum(void **state)
{
    dusk_key_selection best = make(DUSK_KEYS_TRUNCATED_GEOMETRIC, 1, 1, 1e-6);
    dusk_key_selection laplace = make(DUSK_KEYS_LAPLACE, 1, 1, 1e-6);
    dusk_key_selection gaussian = make(DUSK_KEYS_GAUSSIAN, 1, 1, 1e-6);
    (void)state;
    for (uint64_t n = 1; n < 60; n++) {
        assert_true(probability(&best, n) >= probability(&laplace, n) - 1e-15);
        assert_true(probability(&best, n) >= probability(&gaussian, n) - 1e-15);
    }
}

static void releases_have_their_shape(void **state)
{
    const uint64_t units[] = { 0, 1, 1000, UINT64_MAX, 0, 5000 };
    dusk_generator *gen;
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 3, NULL), DUSK_OK);
    for (dusk_key_method method = DUSK_KEYS_TRUNCATED_GEOMETRIC; method <= DUSK_KEYS_GAUSSIAN; method++) {
        dusk_key_selection s = make(method, 2, 1, 1e-9);
        bool keep[6];
        double counts[6];
        assert_int_equal(dusk_key_selection_release(&s, keep, counts, units, 6, gen, NULL), DUSK_OK);
        assert_true(!keep[0] && !keep[1] && keep[2] && keep[3] && !keep[4] && keep[5]);
        for (int i = 0; i < 6; i++) {
            bool counted = keep[i] && method != DUSK_KEYS_TRUNCATED_GEOMETRIC;
            assert_int_equal(!isnan(counts[i]), counted);
            if (counted) assert_true(counts[i] >= (double)s.threshold && counts[i] == rint(counts[i]));
        }
        assert_int_equal(dusk_key_selection_release(&s, keep, NULL, units, 6, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_key_selection_release(&s, NULL, NULL, NULL, 0, gen, NULL), DUSK_OK);
    }
    dusk_generator_free(gen);
}

static void bad_parameters_are_refused(void **state)
{
    const double bad[] = { 0, -1, NAN, INFINITY };
    dusk_key_selection s;
    dusk_generator *tape;
    dusk_error err;
    bool keep = true;
    double counts = 7;
    (void)state;
    for (dusk_key_method method = DUSK_KEYS_TRUNCATED_GEOMETRIC; method <= DUSK_KEYS_GAUSSIAN; method++) {
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(dusk_key_selection_init(&s, method, 1, bad[i], 1e-6, &err), DUSK_ERR_ARGUMENT);
            assert_non_null(strstr(err.message, "epsilon"));
            assert_int_equal(dusk_key_selection_init(&s, method, 1, 1, bad[i], &err), DUSK_ERR_ARGUMENT);
            assert_non_null(strstr(err.message, "delta"));
        }
        assert_int_equal(dusk_key_selection_init(&s, method, 1, 1, 1, &err), DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_key_selection_init(&s, method, 0, 1, 1e-6, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "keys_per_unit"));
    }
    assert_int_equal(dusk_key_selection_init(&s, 9, 1, 1, 1e-6, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_key_selection_init(&s, DUSK_KEYS_GAUSSIAN, 9, 1, 1e-310, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_key_selection_init(&s, DUSK_KEYS_LAPLACE, 1, 1e-15, 1e-6, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "threshold"));
    memset(&s, 0, sizeof s);
    assert_int_equal(dusk_generator_new_tape(&tape, NULL, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_key_selection_release(&s, &keep, &counts, &(uint64_t){ 9 }, 1, tape, &err),
                     DUSK_ERR_ARGUMENT);
    for (dusk_key_method method = DUSK_KEYS_TRUNCATED_GEOMETRIC; method <= DUSK_KEYS_GAUSSIAN; method++) {
        s = make(method, 1, 1, 1e-6);
        assert_int_equal(dusk_key_selection_release(&s, &keep, &counts, &(uint64_t){ 9 }, 1, tape, &err),
                         DUSK_ERR_ENTROPY);
    }
    assert_true(keep && counts == 7);
    dusk_generator_free(tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a17_keep_probabilities_are_optimal),
        cmocka_unit_test(the_pieces_end_where_the_recurrence_says),
        cmocka_unit_test(the_bend_is_exact_far_out),
        cmocka_unit_test(guesses_are_near),
        cmocka_unit_test(a16_one_unit_is_shown_no_more_often_than_delta),
        cmocka_unit_test(thresholds_have_noise_for_all_keys),
        cmocka_unit_test(the_optimum_is_the_optimum),
        cmocka_unit_test(releases_have_their_shape),
        cmocka_unit_test(bad_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
