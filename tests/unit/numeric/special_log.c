/* SPDX-License-Identifier: Apache-2.0 */
/* log1mexp and log_sum_exp against MPFR, and at their ends. */
#include <float.h>
#include <math.h>

#include <mpfr.h>

#include "numeric/special.h"
#include "support.h"

static uint64_t seed;

static double uniform(double low, double high)
{
    return low + (high - low) * ((double)(splitmix64(&seed) >> 11) * 0x1p-53);
}

static void check_log1mexp(double x)
{
    MPFR_DECL_INIT(t, 200);
    mpfr_set_d(t, -x, MPFR_RNDN);
    mpfr_expm1(t, t, MPFR_RNDN);
    mpfr_neg(t, t, MPFR_RNDN);
    /* Beyond 2^-140 below one, ln(1 - u) is -u to all digits. */
    if (x > 100) {
        mpfr_set_d(t, -x, MPFR_RNDN);
        mpfr_exp(t, t, MPFR_RNDN);
        mpfr_neg(t, t, MPFR_RNDN);
    } else {
        mpfr_log(t, t, MPFR_RNDN);
    }
    double truth = mpfr_get_d(t, MPFR_RNDN), got = dusk_log1mexp(x);
    if (!(fabs(got - truth) <= 1e-14 * fabs(truth)))
        fail_msg("log1mexp(%.17g) = %.17g, not %.17g", x, got, truth);
}

static void test_log1mexp(void **state)
{
    (void)state;
    seed = 1;
    for (int i = 0; i < 2000; i++) check_log1mexp(pow(10, uniform(-300, 2.8)));
    for (int i = 0; i < 2000; i++) check_log1mexp(uniform(0.5, 40));
    check_log1mexp(DBL_TRUE_MIN);
    check_log1mexp(nextafter(M_LN2, 1));
    assert_true(dusk_log1mexp(0) == -INFINITY && dusk_log1mexp(INFINITY) == 0);
    assert_true(isnan(dusk_log1mexp(-1)) && isnan(dusk_log1mexp(NAN)));
}

/* The relative error of the sum is the absolute one of its logarithm; what
 * the last rounding of the result adds is inherent. */
static void check_sum(const double *x, size_t n)
{
    MPFR_DECL_INIT(sum, 2400);
    MPFR_DECL_INIT(t, 2400);
    mpfr_set_ui(sum, 0, MPFR_RNDN);
    for (size_t i = 0; i < n; i++) {
        mpfr_set_d(t, x[i], MPFR_RNDN);
        mpfr_exp(t, t, MPFR_RNDN);
        mpfr_add(sum, sum, t, MPFR_RNDN);
    }
    mpfr_log(sum, sum, MPFR_RNDN);
    double got = dusk_log_sum_exp(x, n);
    mpfr_d_sub(t, got, sum, MPFR_RNDN);
    double error = fabs(mpfr_get_d(t, MPFR_RNDN));
    if (!(error <= (double)n * 1e-15 + fabs(got) * DBL_EPSILON))
        fail_msg("log_sum_exp of %zu: off by %.2g", n, error);
}

static void test_log_sum_exp(void **state)
{
    (void)state;
    seed = 2;
    double x[40];
    for (int round = 0; round < 60; round++) {
        size_t n = 1 + (size_t)uniform(0, 39);
        double spread = pow(10, uniform(-2, 3)), shift = uniform(-1000, 1000);
        for (size_t i = 0; i < n; i++) x[i] = shift + uniform(-spread, spread);
        check_sum(x, n);
    }
    check_sum((double[]){ 0, -40 }, 2); /* 1 + 4e-18: log1p keeps it */
    assert_true(dusk_log_sum_exp((double[]){ 0, -40 }, 2) > 0);
}

static void test_log_sum_exp_ends(void **state)
{
    (void)state;
    assert_true(dusk_log_sum_exp(NULL, 0) == -INFINITY);
    assert_true(dusk_log_sum_exp((double[]){ -INFINITY, -INFINITY }, 2) == -INFINITY);
    assert_true(dusk_log_sum_exp((double[]){ -INFINITY, 3, -INFINITY }, 3) == 3);
    assert_true(dusk_log_sum_exp((double[]){ 1, INFINITY }, 2) == INFINITY);
    assert_true(isnan(dusk_log_sum_exp((double[]){ 1, NAN, 5 }, 3)));
    assert_true(isnan(dusk_log_sum_exp((double[]){ INFINITY, NAN }, 2)));
    assert_true(dusk_log_sum_exp((double[]){ 1e308, -1e308 }, 2) == 1e308);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log1mexp),
        cmocka_unit_test(test_log_sum_exp),
        cmocka_unit_test(test_log_sum_exp_ends),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
