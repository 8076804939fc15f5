/* SPDX-License-Identifier: Apache-2.0 */
/* Incomplete gamma and beta against the all-positive series (DLMF 8.7.1 and
 * 8.17.8) summed in MPFR: for the tail that is asked for where the series is
 * short, else wide enough that a tail of 1e-300 survives being taken as 1
 * minus the other. */
#include <math.h>

#include <mpfr.h>

#include "numeric/special.h"
#include "support.h"

enum { WIDE = 1400, NARROW = 320 };

/* --- oracles ----------------------------------------------------------- */

/* sum of prod_{j<=i} x (top+j-1) / (bottom+j), or without (top+j-1). */
static void positive_series(mpfr_t sum, mpfr_srcptr x, mpfr_srcptr top, double bottom)
{
    mpfr_prec_t bits = mpfr_get_prec(sum);
    mpfr_t term, up, down;
    mpfr_inits2(bits, term, up, down, (mpfr_ptr)0);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set_ui(sum, 1, MPFR_RNDN);
    if (top) mpfr_set(up, top, MPFR_RNDN);
    mpfr_set_d(down, bottom, MPFR_RNDN);
    do {
        mpfr_add_ui(down, down, 1, MPFR_RNDN);
        mpfr_mul(term, term, x, MPFR_RNDN);
        if (top) {
            mpfr_mul(term, term, up, MPFR_RNDN);
            mpfr_add_ui(up, up, 1, MPFR_RNDN);
        }
        mpfr_div(term, term, down, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    } while (mpfr_get_exp(term) > mpfr_get_exp(sum) - bits);
    mpfr_clears(term, up, down, (mpfr_ptr)0);
}

static void oracle_gamma(double a, double x, mpfr_prec_t bits, double *p, double *q)
{
    mpfr_t wide_x, sum, factor, t;
    mpfr_inits2(bits, wide_x, sum, factor, t, (mpfr_ptr)0);
    mpfr_set_d(wide_x, x, MPFR_RNDN);
    positive_series(sum, wide_x, NULL, a);

    mpfr_log(factor, wide_x, MPFR_RNDN); /* a ln x - x - ln Gamma(a+1) */
    mpfr_mul_d(factor, factor, a, MPFR_RNDN);
    mpfr_sub(factor, factor, wide_x, MPFR_RNDN);
    mpfr_set_d(t, a, MPFR_RNDN);
    mpfr_add_ui(t, t, 1, MPFR_RNDN);
    mpfr_lngamma(t, t, MPFR_RNDN);
    mpfr_sub(factor, factor, t, MPFR_RNDN);
    mpfr_exp(factor, factor, MPFR_RNDN);

    mpfr_mul(sum, sum, factor, MPFR_RNDN);
    *p = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_ui_sub(sum, 1, sum, MPFR_RNDN);
    *q = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clears(wide_x, sum, factor, t, (mpfr_ptr)0);
}

/* a ln x + b ln(1-x) - ln(a B(a,b)) */
static void log_beta_factor(mpfr_t factor, double a, double b, mpfr_srcptr x, mpfr_srcptr n)
{
    mpfr_t t;
    mpfr_init2(t, mpfr_get_prec(factor));
    mpfr_log(factor, x, MPFR_RNDN);
    mpfr_mul_d(factor, factor, a, MPFR_RNDN);
    mpfr_ui_sub(t, 1, x, MPFR_RNDN);
    mpfr_log(t, t, MPFR_RNDN);
    mpfr_mul_d(t, t, b, MPFR_RNDN);
    mpfr_add(factor, factor, t, MPFR_RNDN);
    mpfr_lngamma(t, n, MPFR_RNDN);
    mpfr_add(factor, factor, t, MPFR_RNDN);
    mpfr_set_d(t, b, MPFR_RNDN);
    mpfr_lngamma(t, t, MPFR_RNDN);
    mpfr_sub(factor, factor, t, MPFR_RNDN);
    mpfr_set_d(t, a, MPFR_RNDN);
    mpfr_add_ui(t, t, 1, MPFR_RNDN);
    mpfr_lngamma(t, t, MPFR_RNDN);
    mpfr_sub(factor, factor, t, MPFR_RNDN);
    mpfr_clear(t);
}

/* I_x(a,b) and 1 - I_x(a,b). */
static void oracle_beta(double a, double b, double x, double *lower, double *upper)
{
    /* The series is short below the mean, and for small x. */
    int swap = x < 1e-3 ? 0 : 1 - x < 1e-3 ? 1 : x * (b + 1) > (1 - x) * (a + 1);
    double first = swap ? b : a, second = swap ? a : b;
    mpfr_t wide_x, n, sum, factor;
    mpfr_inits2(NARROW, wide_x, n, sum, factor, (mpfr_ptr)0);
    mpfr_set_d(wide_x, x, MPFR_RNDN);
    if (swap) mpfr_ui_sub(wide_x, 1, wide_x, MPFR_RNDN);
    mpfr_set_d(n, a, MPFR_RNDN);
    mpfr_add_d(n, n, b, MPFR_RNDN);
    positive_series(sum, wide_x, n, first);
    log_beta_factor(factor, first, second, wide_x, n);
    mpfr_exp(factor, factor, MPFR_RNDN);
    mpfr_mul(sum, sum, factor, MPFR_RNDN);
    *(swap ? upper : lower) = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_ui_sub(sum, 1, sum, MPFR_RNDN);
    *(swap ? lower : upper) = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clears(wide_x, n, sum, factor, (mpfr_ptr)0);
}

/* --- comparison -------------------------------------------------------- */

static double worst;

static void check(const char *what, double a, double b, double x, double got, double truth, double limit)
{
    if (truth < 1e-300) return;
    double error = fabs(got - truth) / truth;
    if (error > worst) worst = error;
    if (!(error <= limit))
        fail_msg("%s(%.17g, %.17g, %.17g) = %.17g, not %.17g: off by %.2g", what, a, b, x, got, truth, error);
}

static void check_gamma(double a, double x, mpfr_prec_t bits, double limit)
{
    double p, q;
    if (!(x > 0)) return;
    oracle_gamma(a, x, bits, &p, &q);
    check("gamma_p", a, 0, x, dusk_gamma_p(a, x), p, limit);
    check("gamma_q", a, 0, x, dusk_gamma_q(a, x), q, limit);
}

static void check_beta(double a, double b, double x, double limit)
{
    double lower, upper;
    if (!(x > 0 && x < 1)) return;
    oracle_beta(a, b, x, &lower, &upper);
    check("beta_inc", a, b, x, dusk_beta_inc(a, b, x), lower, limit);
    if (x >= 0.5) check("beta_inc of 1-x", b, a, 1 - x, dusk_beta_inc(b, a, 1 - x), upper, limit);
}

static const double deviations[] = { -30, -8, -3, -1, -0.1, 0, 0.1, 1, 3, 8, 30 };
enum { DEVIATIONS = sizeof deviations / sizeof *deviations };

/* --- gamma ------------------------------------------------------------- */

static void test_gamma_small(void **state)
{
    (void)state;
    static const double as[] = { 1e-3, 0.01, 0.2, 0.5, 1, 1.5, 3, 9.99, 10, 20.5, 77, 300 };
    static const double xs[] = { 1e-290, 1e-100, 1e-10, 1e-3, 0.1, 0.7, 1, 1.3, 5, 40, 200, 680 };
    worst = 0;
    for (size_t i = 0; i < sizeof as / sizeof *as; i++) {
        for (size_t j = 0; j < sizeof xs / sizeof *xs; j++) check_gamma(as[i], xs[j], WIDE, 1e-12);
        for (size_t j = 0; j < DEVIATIONS; j++)
            check_gamma(as[i], as[i] + deviations[j] * sqrt(as[i]), WIDE, 1e-12);
    }
    print_message("gamma, a <= 300: worst %.2g\n", worst);
}

static void test_gamma_large(void **state)
{
    (void)state;
    worst = 0;
    for (size_t j = 0; j < DEVIATIONS; j++) check_gamma(1e4, 1e4 + deviations[j] * 100, WIDE, 1e-12);
    for (size_t j = 1; j < DEVIATIONS - 1; j++)
        check_gamma(999999.5, 999999.5 + deviations[j] * 1e3, NARROW, 1e-12);
    print_message("gamma, a <= 1e6: worst %.2g\n", worst);
    worst = 0;
    check_gamma(1e9, 1e9 - 3e4, NARROW, 1e-10);
    check_gamma(1e9, 1e9 + 5e4, NARROW, 1e-10);
    print_message("gamma, a = 1e9: worst %.2g\n", worst);
}

static void test_gamma_ends(void **state)
{
    (void)state;
    assert_true(dusk_gamma_p(2, 0) == 0 && dusk_gamma_q(2, 0) == 1);
    assert_true(dusk_gamma_p(2, INFINITY) == 1 && dusk_gamma_q(2, INFINITY) == 0);
    assert_true(isnan(dusk_gamma_p(0, 1)) && isnan(dusk_gamma_q(1, -1)) && isnan(dusk_gamma_p(NAN, 1)));
    assert_true(isnan(dusk_gamma_q(1, NAN)));
}

/* --- beta -------------------------------------------------------------- */

static void test_beta_small(void **state)
{
    (void)state;
    static const double as[] = { 1e-3, 0.1, 0.5, 1, 2.5, 10, 50.5, 400 };
    static const double xs[] = { 1e-290, 1e-20, 1e-5, 0.01, 0.2, 0.5, 0.6, 0.9, 0.999, 1 - 0x1p-40 };
    worst = 0;
    for (size_t i = 0; i < sizeof as / sizeof *as; i++) {
        for (size_t k = 0; k < sizeof as / sizeof *as; k++) {
            for (size_t j = 0; j < sizeof xs / sizeof *xs; j++) check_beta(as[i], as[k], xs[j], 1e-12);
        }
    }
    print_message("beta, a, b <= 400: worst %.2g\n", worst);
}

static void check_beta_around(double a, double b, double limit, size_t trim)
{
    double mean = a / (a + b), deviation = sqrt(mean * (b / (a + b)) / (a + b + 1));
    for (size_t j = trim; j < DEVIATIONS - trim; j++)
        check_beta(a, b, mean + deviations[j] * deviation, limit);
}

static void test_beta_large(void **state)
{
    (void)state;
    worst = 0;
    check_beta_around(1e4, 1e4, 1e-12, 0);
    check_beta_around(3, 1e6, 1e-12, 0);
    check_beta_around(1e6, 1e-3, 1e-12, 0);
    check_beta_around(1e6, 0.5, 1e-12, 0);
    check_beta_around(1e6, 2e4, 1e-12, 1);
    print_message("beta, a, b <= 1e6: worst %.2g\n", worst);
    worst = 0;
    check_beta(1e9, 1e9, 0.49999, 1e-10);
    check_beta(1e9, 1e9, 0.50002, 1e-10);
    check_beta_around(1e9, 1e-3, 1e-10, 0);
    check_beta_around(1e9, 40, 1e-10, 0);
    print_message("beta, a or b = 1e9: worst %.2g\n", worst);
}

static void test_beta_ends(void **state)
{
    (void)state;
    assert_true(dusk_beta_inc(2, 3, 0) == 0 && dusk_beta_inc(2, 3, 1) == 1);
    assert_true(isnan(dusk_beta_inc(0, 1, 0.5)) && isnan(dusk_beta_inc(1, -1, 0.5)));
    assert_true(isnan(dusk_beta_inc(1, 1, 1.5)) && isnan(dusk_beta_inc(1, 1, NAN)));
    assert_true(dusk_beta_inc_inv(2, 3, 0) == 0 && dusk_beta_inc_inv(2, 3, 1) == 1);
    assert_true(isnan(dusk_beta_inc_inv(2, 3, -0.1)) && isnan(dusk_beta_inc_inv(2, NAN, 0.1)));
    assert_true(dusk_beta_inc_inv(1e-3, 1, 1e-10) == 0); /* 1e-10000 */
}

/* The truth at the answer is p within 1e-12, or p lies between the truths at
 * its neighbours (x close to 1 has few digits in 1 - x). */
static void check_inverse(double a, double b, double p)
{
    double x = dusk_beta_inc_inv(a, b, p), last = 1 - 0x1p-53, lower, upper;
    oracle_beta(a, b, fmin(x, last), &lower, &upper);
    double error = p <= 0.5 ? fabs(lower - p) / p : fabs(upper - (1 - p)) / (1 - p);
    if (error <= 1e-12) {
        worst = fmax(worst, error);
        return;
    }
    double below, above = 1;
    oracle_beta(a, b, x * (1 - 4e-16), &below, &upper);
    if (x < last) oracle_beta(a, b, fmin(x * (1 + 4e-16), last), &above, &upper);
    if (!(below <= p && p <= above))
        fail_msg("inverse(%.17g, %.17g, %.17g) = %.17g, where the truth is %.17g", a, b, p, x, lower);
}

static void test_beta_inverse(void **state)
{
    (void)state;
    static const double as[] = { 0.02, 0.5, 1, 3, 40, 2e4 };
    static const double ps[] = { 1e-290, 1e-30, 1e-6, 0.02, 0.3, 0.5, 0.7, 0.999, 1 - 0x1p-50 };
    worst = 0;
    for (size_t i = 0; i < sizeof as / sizeof *as; i++) {
        for (size_t k = 0; k < sizeof as / sizeof *as; k++) {
            for (size_t j = 0; j < sizeof ps / sizeof *ps; j++) {
                if (log(ps[j]) / as[i] < -600) continue;  /* x underflows */
                if (as[k] < 0.5 && ps[j] > 0.5) continue; /* x rounds to 1 */
                check_inverse(as[i], as[k], ps[j]);
            }
        }
    }
    print_message("inverse of beta: worst %.2g of the tail\n", worst);
}

/* Clopper-Pearson for 0 of n and 1 of 1 have closed forms. */
static void test_beta_inverse_closed(void **state)
{
    (void)state;
    assert_true(fabs(dusk_beta_inc_inv(1, 100, 0.95) - -expm1(log(0.05) / 100)) < 1e-15);
    assert_true(fabs(dusk_beta_inc_inv(7, 1, 0.025) - pow(0.025, 1.0 / 7)) < 1e-15);
    assert_true(fabs(dusk_beta_inc_inv(0.5, 0.5, 0.25) - 0.14644660940672624) < 1e-15); /* arcsine law */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gamma_small),  cmocka_unit_test(test_gamma_large),
        cmocka_unit_test(test_gamma_ends),   cmocka_unit_test(test_beta_small),
        cmocka_unit_test(test_beta_large),   cmocka_unit_test(test_beta_ends),
        cmocka_unit_test(test_beta_inverse), cmocka_unit_test(test_beta_inverse_closed),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
