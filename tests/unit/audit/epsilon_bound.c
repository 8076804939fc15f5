/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds from two counts: closed forms where a count is zero or full, the corner of the
 * rectangle, hostile numbers. */
#include <math.h>

#include "audit/bounds.h"
#include "numeric/special.h"
#include "support.h"

static void closed_forms(void **state)
{
    (void)state;
    /* never on one side, always on the other: ln(e^(1/n) / (1 - e^(1/n))), e = error/2 */
    for (uint64_t n = 1; n < 100000; n = 3 * n + 1) {
        double root = exp(log(0.025) / (double)n), want = log(root / -expm1(log(0.025) / (double)n));
        double have = dusk_epsilon_down(n, n, 0, n, 0, 0.05);
        assert_true(fabs(have - fmax(want, 0)) < 1e-11 && have <= fmax(want, 0) + 1e-14);
    }
    /* the notes' rule of thumb for a count of zero: ln(p n / 3.7) */
    double p = dusk_clopper_pearson_down(1000, 100000, 0.025);
    assert_true(fabs(dusk_epsilon_down(1000, 100000, 0, 100000, 0, 0.05) - log(p * 100000 / 3.689)) < 1e-3);
}

static void corners(void **state)
{
    (void)state;
    audit_corner c = { 0.5, 0.2 };
    assert_true(fabs(audit_corner_epsilon(c, 0) - log(2.5)) < 1e-15);
    assert_true(fabs(audit_corner_epsilon(c, 0.1) - log(2)) < 1e-15);
    assert_true(audit_corner_epsilon(c, 0.3) == 0 && audit_corner_epsilon(c, 0.9) == 0);
    double two = log(0.25 / 0.2 + 0.25 / 0.8), mu = -dusk_normal_quantile(0.2);
    assert_true(fabs(audit_corner_renyi(c, 2) - two) < 1e-14 && audit_corner_renyi(c, 2) <= two);
    assert_true(fabs(audit_corner_mu(c) - mu) < 1e-11 && audit_corner_mu(c) < mu);
    /* divergences grow with the order, up to ln(p/q) */
    double before = 0;
    for (double a = 1.01; a < 1e6; a *= 1.7) {
        double d = audit_corner_renyi(c, a);
        if (!(d > before && d < log(2.5))) fail_msg("order %g: %.17g after %.17g", a, d, before);
        before = d;
    }
    assert_true(before > log(2.5) - 1e-5);
    assert_true(audit_corner_renyi((audit_corner){ 1, 1e-200 }, 1e5) > 460);
    assert_true(audit_corner_renyi((audit_corner){ 0.2, 0.5 }, 2) == 0);
    assert_true(audit_corner_mu((audit_corner){ 0.2, 0.5 }) == 0);
}

static void hostile(void **state)
{
    (void)state;
    static const double odd[] = { NAN, INFINITY, -INFINITY, -1, 0, 1, 2, 1e308 };
    static const uint64_t counts[] = { 0, 1, 5, UINT64_MAX };
    for (size_t i = 0; i < 4 * 4 * 4 * 4; i++)
        for (size_t j = 0; j < 64; j++) {
            uint64_t a = counts[i % 4], b = counts[i / 4 % 4], c = counts[i / 16 % 4], d = counts[i / 64];
            double x = odd[j % 8], error = odd[j / 8];
            double e = dusk_epsilon_down(a, b, c, d, x, error), r = dusk_renyi_down(a, b, c, d, x, error);
            double m = dusk_gaussian_mu_down(a, b, c, d, error);
            assert_true(e >= 0 && r >= 0 && m >= 0 && isfinite(e) && isfinite(r) && isfinite(m));
        }
    assert_true(dusk_epsilon_down(900, 1000, 10, 1000, NAN, 0.05) == 0);
    assert_true(dusk_renyi_down(900, 1000, 10, 1000, NAN, 0.05) == 0);
    assert_true(dusk_renyi_down(900, 1000, 10, 1000, 1, 0.05) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(corners),
        cmocka_unit_test(hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
