/* SPDX-License-Identifier: Apache-2.0 */
/* The normal distribution against MPFR at 192 bits. Quantiles are checked
 * through the condition number: x is right to 1e-14 when the true tail at
 * x (1 - 1e-14) and x (1 + 1e-14) encloses p. */
#include <float.h>
#include <math.h>

#include <mpfr.h>

#include "numeric/special.h"
#include "support.h"

enum { BITS = 192 };

static uint64_t seed;

static uint64_t random_bits(void) { return splitmix64(&seed); }

static double uniform(double low, double high)
{
    return low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53);
}

/* P(Z > x (1 + e)) */
static void true_sf(mpfr_t result, double x, double e)
{
    mpfr_t root;
    mpfr_init2(root, BITS);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_set_d(result, e, MPFR_RNDN);
    mpfr_add_ui(result, result, 1, MPFR_RNDN);
    mpfr_mul_d(result, result, x, MPFR_RNDN);
    mpfr_div(result, result, root, MPFR_RNDN);
    mpfr_erfc(result, result, MPFR_RNDN);
    mpfr_div_2ui(result, result, 1, MPFR_RNDN);
    mpfr_clear(root);
}

static double relative_error(double got, mpfr_srcptr truth)
{
    mpfr_t d;
    mpfr_init2(d, BITS);
    mpfr_d_sub(d, got, truth, MPFR_RNDN);
    mpfr_div(d, d, truth, MPFR_RNDN);
    double error = fabs(mpfr_get_d(d, MPFR_RNDN));
    mpfr_clear(d);
    return error;
}

static void check(const char *what, double x, double got, mpfr_srcptr truth, double *worst)
{
    double error = relative_error(got, truth);
    if (!(error <= 1e-14)) fail_msg("%s(%.17g) = %.17g is off by %.2g", what, x, got, error);
    *worst = fmax(*worst, error);
}

static void test_tails(void **state)
{
    (void)state;
    double worst = 0;
    mpfr_t truth;
    mpfr_init2(truth, BITS);
    seed = 1;
    for (int i = 0; i < 2000; i++) {
        double x = i < 100 ? -37.04 + 0.001 * i : uniform(-37.04, i % 2 ? 12 : 37.04);
        true_sf(truth, -x, 0);
        if (mpfr_cmp_d(truth, 1e-300) < 0) continue;
        check("cdf", x, dusk_normal_cdf(x), truth, &worst);
        check("sf", -x, dusk_normal_sf(-x), truth, &worst);
    }
    mpfr_clear(truth);
    print_message("tails: worst %.2g\n", worst);
}

static void test_log_tail(void **state)
{
    (void)state;
    double worst = 0;
    mpfr_t truth;
    mpfr_init2(truth, BITS);
    seed = 2;
    for (int i = 0; i < 600; i++) {
        double x = i < 5 ? 24.999 + 0.0005 * i : i % 3 ? uniform(-37, 60) : pow(10, uniform(-3, 3.5));
        true_sf(truth, fabs(x), 0);
        if (x < 0) mpfr_neg(truth, truth, MPFR_RNDN);
        (x < 0 ? mpfr_log1p : mpfr_log)(truth, truth, MPFR_RNDN);
        check("log_sf", x, dusk_normal_log_sf(x), truth, &worst);
    }
    mpfr_clear(truth);
    assert_true(dusk_normal_log_sf(1.5e154) == -(0.75e154 * 1.5e154)); /* x^2 alone overflows */
    assert_true(dusk_normal_log_sf(INFINITY) == -INFINITY && dusk_normal_log_sf(-INFINITY) == 0);
    assert_true(isnan(dusk_normal_log_sf(NAN)));
    print_message("log of tails: worst %.2g\n", worst);
}

static void check_upper_quantile(double p)
{
    double x = dusk_normal_upper_quantile(p);
    mpfr_t a, b;
    mpfr_inits2(BITS, a, b, (mpfr_ptr)0);
    true_sf(a, x, x < 0 ? 1e-14 : -1e-14);
    true_sf(b, x, x < 0 ? -1e-14 : 1e-14);
    int inside = mpfr_cmp_d(a, p) >= 0 && mpfr_cmp_d(b, p) <= 0;
    mpfr_clears(a, b, (mpfr_ptr)0);
    if (!inside) fail_msg("upper_quantile(%.17g) = %.17g is off by more than 1e-14", p, x);
    assert_true(dusk_normal_quantile(p) == -x);
}

static void test_quantiles(void **state)
{
    (void)state;
    seed = 3;
    for (int i = 0; i < 500; i++) check_upper_quantile(pow(10, uniform(-300, 0)));
    for (int i = 0; i < 500; i++) check_upper_quantile(uniform(0, 1));
    for (int i = 2; i < 53; i++) {
        check_upper_quantile(0.5 - ldexp(1.0, -i - 1)); /* x becomes tiny, 1e-14 is still of x */
        check_upper_quantile(0.5 + ldexp(1.0, -i));
        check_upper_quantile(1 - ldexp(1.0, -i));
    }
    check_upper_quantile(nextafter(0.25, 0));
    check_upper_quantile(0.25);
    check_upper_quantile(1e-300);
    check_upper_quantile(DBL_MIN);
}

static void test_quantile_ends(void **state)
{
    (void)state;
    assert_true(dusk_normal_quantile(0) == -INFINITY && dusk_normal_quantile(1) == INFINITY);
    assert_true(dusk_normal_upper_quantile(0) == INFINITY && dusk_normal_upper_quantile(1) == -INFINITY);
    assert_true(dusk_normal_quantile(0.5) == 0);
    assert_true(isnan(dusk_normal_quantile(-0.1)) && isnan(dusk_normal_quantile(1.1)));
    assert_true(isnan(dusk_normal_quantile(NAN)));
    double x = dusk_normal_upper_quantile(DBL_TRUE_MIN);
    assert_true(x > 38.4 && x < 38.5);
}

/* down <= truth <= up, and both are the nearest doubles on their side. */
static void check_bounds(double x)
{
    double up = dusk_normal_cdf_up(x), down = dusk_normal_cdf_down(x);
    mpfr_t truth;
    mpfr_init2(truth, BITS);
    true_sf(truth, -x, 0);
    double up_truth = mpfr_get_d(truth, MPFR_RNDU), down_truth = mpfr_get_d(truth, MPFR_RNDD);
    mpfr_clear(truth);
    if (up != up_truth || down != down_truth)
        fail_msg("bounds at %.17g: [%.17g, %.17g], not [%.17g, %.17g]", x, down, up, down_truth, up_truth);
}

static void test_bounds(void **state)
{
    (void)state;
    seed = 4;
    for (int i = 0; i < 600; i++) check_bounds(uniform(-42, 12));
    for (int i = 0; i < 200; i++) check_bounds(uniform(-38.6, -37.4)); /* subnormal */
    for (int i = 0; i < 200; i++) check_bounds(uniform(-3.3, -3));     /* where the fraction begins */
    check_bounds(-3);
    check_bounds(-40);
    check_bounds(9);
    check_bounds(0);
    assert_true(dusk_normal_cdf_up(DBL_TRUE_MIN) > 0.5 && dusk_normal_cdf_down(-DBL_TRUE_MIN) < 0.5);
    assert_true(dusk_normal_cdf_down(DBL_TRUE_MIN) == 0.5 && dusk_normal_cdf_up(-DBL_TRUE_MIN) == 0.5);
    assert_true(dusk_normal_cdf_up(-1e300) == DBL_TRUE_MIN && dusk_normal_cdf_down(-1e300) == 0);
    assert_true(dusk_normal_cdf_up(1e300) == 1 && dusk_normal_cdf_down(1e300) == 1 - DBL_EPSILON / 2);
    assert_true(dusk_normal_cdf_up(-INFINITY) == 0 && dusk_normal_cdf_down(INFINITY) == 1);
    assert_true(isnan(dusk_normal_cdf_up(NAN)) && isnan(dusk_normal_cdf_down(NAN)));
}

static void test_tail_ends(void **state)
{
    (void)state;
    assert_true(dusk_normal_cdf(0) == 0.5 && dusk_normal_sf(0) == 0.5);
    assert_true(dusk_normal_cdf(INFINITY) == 1 && dusk_normal_cdf(-INFINITY) == 0);
    assert_true(dusk_normal_sf(1e300) == 0 && dusk_normal_sf(-1e300) == 1);
    assert_true(isnan(dusk_normal_cdf(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tails),     cmocka_unit_test(test_log_tail),
        cmocka_unit_test(test_quantiles), cmocka_unit_test(test_quantile_ends),
        cmocka_unit_test(test_bounds),    cmocka_unit_test(test_tail_ends),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
