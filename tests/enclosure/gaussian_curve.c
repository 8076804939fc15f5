/* SPDX-License-Identifier: Apache-2.0 */
/* The Gaussian privacy curve and its inverses against the textbook formula
 *     delta = Phi(1/(2 sigma) - eps sigma) - e^eps Phi(-1/(2 sigma) - eps sigma)
 * at 500 bits: the bound is never below the truth, and within 1e-12 of it. */
#include <float.h>
#include <math.h>

#include <mpfr.h>

#include "accounting/gaussian.h"
#include "support.h"

#define TOLERANCE 1e-12
#define COUNT(a) (sizeof(a) / sizeof *(a))

static const double sigmas[] = { 1e-6, 1e-4, 0.01, 0.1, 0.3, 0.5, 1, 3, 10, 50, 1e3, 1e5, 1e7, 1e9 };
static const double deltas[] = { 1e-300, 1e-200, 1e-100, 1e-30, 1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-6 };
static const double epsilons[] = { 1e-9, 1e-6, 1e-3, 0.1, 1, 5, 20, 100, 1e3, 1e4 };

/* 1 - Phi(x) */
static void upper_tail(mpfr_t out, const mpfr_t x)
{
    mpfr_sqrt_ui(out, 2, MPFR_RNDN);
    mpfr_div(out, x, out, MPFR_RNDN);
    mpfr_erfc(out, out, MPFR_RNDN);
    mpfr_div_2ui(out, out, 1, MPFR_RNDN);
}

/* e^(5e11) and its tail need a wider range, which the code under test has not. */
static void truth(mpfr_t delta, double sigma, double epsilon)
{
    mpfr_t h, m, tail;
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_inits2(mpfr_get_prec(delta), h, m, tail, (mpfr_ptr)0);
    mpfr_set_d(h, 0.5, MPFR_RNDN);
    mpfr_div_d(h, h, sigma, MPFR_RNDN);
    mpfr_set_d(m, epsilon, MPFR_RNDN);
    mpfr_mul_d(m, m, sigma, MPFR_RNDN);
    mpfr_sub(tail, m, h, MPFR_RNDN);
    upper_tail(delta, tail);
    mpfr_add(m, m, h, MPFR_RNDN);
    upper_tail(tail, m);
    mpfr_set_d(h, epsilon, MPFR_RNDN);
    mpfr_exp(h, h, MPFR_RNDN);
    mpfr_mul(tail, tail, h, MPFR_RNDN);
    mpfr_sub(delta, delta, tail, MPFR_RNDN);
    mpfr_clears(h, m, tail, (mpfr_ptr)0);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_check_range(delta, 0, MPFR_RNDN);
}

/* truth(sigma, epsilon) compared with delta */
static int compare(double sigma, double epsilon, double delta)
{
    mpfr_t t;
    mpfr_init2(t, 500);
    truth(t, sigma, epsilon);
    int order = mpfr_cmp_d(t, delta);
    mpfr_clear(t);
    return order;
}

static void check_delta(double sigma, double epsilon)
{
    mpfr_t t;
    mpfr_init2(t, 500);
    truth(t, sigma, epsilon);
    double bound = dusk_gaussian_delta_up(sigma, epsilon);
    if (mpfr_cmp_d(t, bound) > 0)
        fail_msg("sigma %g epsilon %g: %.17g is below the truth", sigma, epsilon, bound);
    mpfr_mul_d(t, t, 1 + TOLERANCE, MPFR_RNDU);
    mpfr_add_d(t, t, DBL_TRUE_MIN, MPFR_RNDU);
    if (mpfr_cmp_d(t, bound) < 0) fail_msg("sigma %g epsilon %g: %.17g is too far up", sigma, epsilon, bound);
    mpfr_clear(t);
}

static void delta_encloses(void **state)
{
    const double quantiles[] = { -30, -8, -2, 0, 1, 4, 9, 20, 37, 38.5, 38.9, 39.1, 50 };
    (void)state;
    for (size_t i = 0; i < COUNT(sigmas); i++) {
        check_delta(sigmas[i], 0);
        for (size_t j = 0; j < COUNT(epsilons); j++) check_delta(sigmas[i], epsilons[j]);
        for (size_t j = 0; j < COUNT(quantiles); j++) {
            double epsilon = (0.5 / sigmas[i] + quantiles[j]) / sigmas[i];
            if (epsilon > 0) check_delta(sigmas[i], epsilon);
        }
    }
}

static void epsilon_encloses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(sigmas); i++)
        for (size_t j = 0; j < COUNT(deltas); j++) {
            double epsilon = dusk_gaussian_epsilon_up(sigmas[i], deltas[j]);
            assert_true(isfinite(epsilon) && epsilon >= 0);
            if (compare(sigmas[i], epsilon, deltas[j]) > 0)
                fail_msg("sigma %g delta %g: epsilon %.17g is not enough", sigmas[i], deltas[j], epsilon);
            if (epsilon > 0 && compare(sigmas[i], epsilon * (1 - TOLERANCE), deltas[j]) <= 0)
                fail_msg("sigma %g delta %g: epsilon %.17g is too far up", sigmas[i], deltas[j], epsilon);
            assert_true(dusk_gaussian_delta_up(sigmas[i], epsilon) <= deltas[j]);
        }
}

/* Where a small change of delta moves epsilon a lot. */
static void epsilon_near_zero(void **state)
{
    const double wanted[] = { 1e-9, 1e-7, 1e-4 };
    (void)state;
    for (size_t i = 0; i < COUNT(sigmas); i++)
        for (size_t j = 0; j < COUNT(wanted); j++) {
            double delta = dusk_gaussian_delta_up(sigmas[i], wanted[j]);
            if (delta < 1e-300 || delta >= 1) continue;
            double epsilon = dusk_gaussian_epsilon_up(sigmas[i], delta);
            assert_true(epsilon <= wanted[j] * (1 + TOLERANCE));
            assert_true(compare(sigmas[i], epsilon, delta) <= 0);
            assert_true(epsilon == 0 || compare(sigmas[i], epsilon * (1 - TOLERANCE), delta) > 0);
        }
}

static void sigma_encloses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(epsilons); i++)
        for (size_t j = 0; j < COUNT(deltas); j++) {
            double sigma = dusk_gaussian_sigma_up(epsilons[i], deltas[j]);
            assert_true(isfinite(sigma) && sigma > 0);
            if (compare(sigma, epsilons[i], deltas[j]) > 0)
                fail_msg("epsilon %g delta %g: sigma %.17g is not enough", epsilons[i], deltas[j], sigma);
            if (compare(sigma * (1 - TOLERANCE), epsilons[i], deltas[j]) <= 0)
                fail_msg("epsilon %g delta %g: sigma %.17g is too far up", epsilons[i], deltas[j], sigma);
            assert_true(dusk_gaussian_delta_up(sigma, epsilons[i]) <= deltas[j]);
        }
}

/* The budget that sigma was made for is not exceeded by a last digit. */
static void epsilon_is_found_again(void **state)
{
    (void)state;
    for (double epsilon = 0.01; epsilon < 20; epsilon *= 1.37)
        for (double delta = 1e-3; delta > 1e-16; delta /= 1e3)
            assert_true(dusk_gaussian_epsilon_up(dusk_gaussian_sigma_up(epsilon, delta), delta) <= epsilon);
}

static void classical_encloses(void **state)
{
    mpfr_t t;
    (void)state;
    mpfr_init2(t, 300);
    for (size_t i = 0; i < COUNT(deltas); i++)
        for (double epsilon = 1e-9; epsilon < 1; epsilon *= 10) {
            mpfr_set_d(t, 1.25, MPFR_RNDN);
            mpfr_div_d(t, t, deltas[i], MPFR_RNDN);
            mpfr_log(t, t, MPFR_RNDN);
            mpfr_mul_2ui(t, t, 1, MPFR_RNDN);
            mpfr_sqrt(t, t, MPFR_RNDN);
            mpfr_div_d(t, t, epsilon, MPFR_RNDN);
            double sigma = dusk_gaussian_classical_sigma_up(epsilon, deltas[i]);
            assert_true(mpfr_cmp_d(t, sigma) <= 0);
            mpfr_mul_d(t, t, 1 + TOLERANCE, MPFR_RNDU);
            assert_true(mpfr_cmp_d(t, sigma) >= 0);
        }
    mpfr_clear(t);
}

static void monotone(void **state)
{
    (void)state;
    for (double sigma = 0.05; sigma < 1e4; sigma *= 7) {
        double last = 2;
        for (double epsilon = 0; epsilon < 50; epsilon = epsilon * 1.3 + 1e-3) {
            double delta = dusk_gaussian_delta_up(sigma, epsilon);
            assert_true(delta <= last && delta >= dusk_gaussian_delta_up(sigma * 1.01, epsilon));
            last = delta;
        }
    }
}

/* Total: every double gives a number that is a bound. */
static void edges(void **state)
{
    const double odd[] = { DBL_TRUE_MIN, 1e-310, DBL_MIN, 1e-200, 1e-100, 1, 1e200, DBL_MAX };
    (void)state;
    for (size_t i = 0; i < COUNT(odd); i++)
        for (size_t j = 0; j < COUNT(odd); j++) {
            double delta = dusk_gaussian_delta_up(odd[i], odd[j]);
            assert_true(delta > 0 && delta <= 1);
            assert_true(dusk_gaussian_delta_up(odd[i], 0) >= delta);
            if (odd[j] >= 1) continue;
            double epsilon = dusk_gaussian_epsilon_up(odd[i], odd[j]);
            double sigma = dusk_gaussian_sigma_up(odd[i], odd[j]);
            assert_true(epsilon >= 0 && sigma > 0);
            assert_true(dusk_gaussian_delta_up(odd[i], epsilon) <= odd[j]);
            assert_true(dusk_gaussian_delta_up(sigma, odd[i]) <= odd[j]);
        }
    assert_true(dusk_gaussian_delta_up(1, INFINITY) == 0 && dusk_gaussian_delta_up(INFINITY, 1) == 0);
    assert_true(dusk_gaussian_delta_up(NAN, 1) == 1 && dusk_gaussian_delta_up(1, NAN) == 1);
    assert_true(dusk_gaussian_epsilon_up(1, 0) == INFINITY && dusk_gaussian_epsilon_up(1, 1) == 0);
    assert_true(dusk_gaussian_sigma_up(1, 0) == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_encloses),
        cmocka_unit_test(epsilon_encloses),
        cmocka_unit_test(epsilon_near_zero),
        cmocka_unit_test(sigma_encloses),
        cmocka_unit_test(epsilon_is_found_again),
        cmocka_unit_test(classical_encloses),
        cmocka_unit_test(monotone),
        cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
