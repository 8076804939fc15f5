/* SPDX-License-Identifier: Apache-2.0 */
/* Advanced composition is above the truth for equal randomized responses, whose
 * composition is a binomial sum, and below basic composition where it should be. */
#include <math.h>

#include "accounting/accountants.h"
#include "accounting/advanced.h"
#include "support.h"

static double epsilon_of(const char *text, double delta)
{
    dusk_composition *c;
    dusk_bound out;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_parse(c, text, NULL), DUSK_OK);
    if (dusk_advanced_epsilon(&out, c, delta, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    dusk_composition_free(c);
    return out.upper;
}

static double delta_of(const char *text, double epsilon)
{
    dusk_composition *c;
    dusk_bound out;
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_parse(c, text, NULL), DUSK_OK);
    assert_int_equal(dusk_advanced_delta(&out, c, epsilon, NULL), DUSK_OK);
    dusk_composition_free(c);
    return out.upper;
}

/* delta(eps) of n binary responses with parameter e0 [Kairouz, Oh & Viswanath
 * 2017, Theorem 3.3], the truth being shown with probability d each time. */
static double truth(double e0, double d, unsigned n, double epsilon)
{
    double p = 1 / (1 + exp(-e0)), sum = 0;
    for (unsigned i = 0; i <= n; i++) {
        double loss = (2.0 * i - n) * e0;
        double mass =
            exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(p) + (n - i) * log1p(-p));
        if (loss > epsilon) sum -= mass * expm1(epsilon - loss);
    }
    return 1 - (1 - sum) * pow(1 - d, n);
}

static void above_the_truth(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 512; n *= 2)
        for (double e0 = 0x1p-8; e0 <= 4; e0 *= 2)
            for (double delta = 0.3; delta > 1e-9; delta *= 0.03)
                for (double d = 0; d < 1e-3; d += 4e-4) {
                    dusk_advanced sum = { 0 };
                    dusk_advanced_add(&sum, e0, d, n);
                    double epsilon = dusk_advanced_bound_up(&sum, delta);
                    if (1 - pow(1 - d, n) > delta * (1 + 1e-9)) assert_true(isinf(epsilon));
                    if (isinf(epsilon)) continue;
                    if (!(truth(e0, d, n, epsilon) <= delta * (1 + 1e-9) + 1e-14))
                        fail_msg("%u times (%g, %g) at %g: %.17g", n, e0, d, delta, epsilon);
                }
}

static void times_count(void **state)
{
    (void)state;
    dusk_advanced once = { 0 }, often = { 0 };
    for (int i = 0; i < 100; i++) dusk_advanced_add(&once, 0.1, 1e-9, 1);
    dusk_advanced_add(&often, 0.1, 1e-9, 100);
    double a = dusk_advanced_bound_up(&once, 1e-6), b = dusk_advanced_bound_up(&often, 1e-6);
    assert_true(fabs(a - b) <= 1e-12 * a);
    /* 0.1 * 100 tanh(0.05) + 0.1 sqrt(2 * 100 ln(1/(9e-7))), more or less */
    assert_true(fabs(a - (10 * tanh(0.05) + sqrt(2 * log(1 / 9e-7)))) < 0.01);
    assert_true(epsilon_of("pure(0.1) * 100", 0) >= 10);
    assert_true(epsilon_of("pure(0.1) * 100", 1e-6) < 6);
    assert_true(epsilon_of("pure(0.01) * 4611686018427387904", 1e-6) >= 0x1p62 * 0.00004);
}

static void different_parts(void **state)
{
    (void)state;
    double e = epsilon_of("pure(0.1) * 50 + pure(0.2) * 50 + approx(0.1, 1e-9)", 1e-6);
    double mean = 5.1 * tanh(0.05) + 10 * tanh(0.1), square = 0.51 + 2;
    assert_true(fabs(e - (mean + sqrt(2 * square * -log(1e-6 - 1e-9)))) < 1e-9 * e);
    assert_true(isinf(epsilon_of("approx(0.1, 1e-6) * 2", 1e-6)));
    assert_true(epsilon_of("pure(3)", 1e-6) == 3);
}

static void gaussians_share(void **state)
{
    (void)state;
    /* 1000 runs that are hard to tell apart: far below basic composition of the
     * single runs, and above the truth, which is a Gaussian with sigma 100/sqrt(1000) */
    double many = epsilon_of("gaussian(100) * 1000", 1e-5),
           basic = epsilon_of("gaussian(100)", 0.5e-8) * 1000;
    dusk_composition *c;
    dusk_bound merged;
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_parse(c, "gaussian(100) * 1000", NULL), DUSK_OK);
    assert_int_equal(dusk_basic_epsilon(&merged, c, 1e-5, NULL), DUSK_OK);
    dusk_composition_free(c);
    assert_true(many > merged.upper);
    assert_true(many < basic / 3);
    assert_true(isinf(epsilon_of("gaussian(1) * 2", 0)));
    assert_true(isfinite(epsilon_of("gaussian(1) + zcdp(0.1) + pure(1) * 10", 1e-6)));
}

static void delta_and_epsilon_agree(void **state)
{
    static const char *const texts[] = { "pure(0.1) * 100", "approx(0.1, 1e-7) * 10 + pure(0.5) * 3",
                                         "gaussian(50) * 20 + pure(0.1) * 5" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double delta = 1e-5, epsilon = epsilon_of(texts[i], delta), back = delta_of(texts[i], epsilon);
        if (!(back <= delta * (1 + 1e-6))) fail_msg("%s: %.17g", texts[i], back);
        assert_true(epsilon_of(texts[i], back) <= epsilon);
    }
    assert_true(delta_of("pure(0.1) * 100", 10.1) == 0);
    assert_true(delta_of("pure(1) * 2", 0) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(above_the_truth),         cmocka_unit_test(times_count),
        cmocka_unit_test(different_parts),         cmocka_unit_test(gaussians_share),
        cmocka_unit_test(delta_and_epsilon_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
