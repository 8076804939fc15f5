/* SPDX-License-Identifier: Apache-2.0 */
/* The certified quantile of Student's t against Arb: P(|T| > t) is the incomplete
 * beta function I_x(d/2, 1/2) at x = d / (d + t^2), computed another way. */
#include <arb.h>
#include <arb_hypgeom.h>
#include <math.h>

#include "random/student_t.h"
#include "support.h"

#define BITS 400

static void arb_of(arb_t out, const mpfr_t x)
{
    arf_t exact;
    arf_init(exact);
    arf_set_mpfr(exact, x);
    arb_set_arf(out, exact);
    arf_clear(exact);
}

/* P(|T| > t) */
static void tail(arb_t out, const arb_t t, unsigned degrees)
{
    arb_t x, a, b;
    arb_init(x);
    arb_init(a);
    arb_init(b);
    arb_sqr(x, t, BITS);
    arb_add_ui(x, x, degrees, BITS);
    arb_ui_div(x, degrees, x, BITS);
    arb_set_d(a, degrees / 2.0);
    arb_set_d(b, 0.5);
    arb_hypgeom_beta_lower(out, a, b, x, 1, BITS);
    arb_clear(x);
    arb_clear(a);
    arb_clear(b);
}

/* Is the tail at the end `t` on the side of v that it must be, and near it? */
static void check_end(const mpfr_t t, double v, int side, unsigned degrees, double width)
{
    arb_t at, p, want;
    arb_init(at);
    arb_init(p);
    arb_init(want);
    arb_of(at, t);
    arb_set_d(want, v);
    if (!mpfr_zero_p(t)) {
        tail(p, at, degrees);
        arb_sub(p, p, want, BITS);
        if (side < 0 ? !arb_is_nonnegative(p) : !arb_is_nonpositive(p))
            fail_msg("degrees %u, v %g: the %s end is on the wrong side", degrees, v,
                     side < 0 ? "low" : "high");
        arb_div(p, p, want, BITS);
        double off = fabs(arf_get_d(arb_midref(p), ARF_RND_NEAR));
        if (!(off < width)) fail_msg("degrees %u, v %g: the end is %g off, not %g", degrees, v, off, width);
    }
    arb_clear(at);
    arb_clear(p);
    arb_clear(want);
}

static void check(unsigned degrees, double v, mpfr_prec_t precision)
{
    dusk_interval in, out;
    dusk_interval_init(&in, precision);
    dusk_interval_init(&out, precision);
    dusk_interval_set(&in, v);
    dusk_student_t_quantile(degrees, &out, &in);
    double width = v > 1e-250 ? ldexp(degrees, 8 - (int)precision) : INFINITY; /* no draw comes there */
    check_end(out.lo, v, -1, degrees, width);
    check_end(out.hi, v, 1, degrees, width);
    dusk_interval_clear(&in);
    dusk_interval_clear(&out);
}

static void quantiles_are_enclosed(void **state)
{
    (void)state;
    const unsigned degrees[] = { 1, 2, 3, 4, 5, 7, 10, 31, 100 };
    const double v[] = { 0.999999, 0.9, 0.5, 0.25, 0.05, 1e-3, 1e-9, 0x1p-64, 1e-100, 1e-300 };
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
        for (size_t j = 0; j < sizeof v / sizeof *v; j++) {
            check(degrees[i], v[j], 96);
            if (j % 3 == 0) check(degrees[i], v[j], 192);
        }
}

static void random_points_are_enclosed(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 150; i++) {
        double v = (double)(splitmix64(&seed) >> 11) * 0x1p-53;
        check(1 + (unsigned)(splitmix64(&seed) % 12), v, 96);
    }
}

/* cot(pi v / 2) and the closed form of two degrees. */
static void closed_forms_agree(void **state)
{
    (void)state;
    for (double v = 0.01; v < 1; v += 0.03) {
        dusk_interval in, out;
        dusk_interval_init(&in, 96);
        dusk_interval_init(&out, 96);
        dusk_interval_set(&in, v);
        dusk_student_t_quantile(1, &out, &in);
        assert_true(fabs(mpfr_get_d(out.lo, MPFR_RNDN) - 1 / tan(acos(-1) * v / 2)) < 1e-11);
        dusk_student_t_quantile(2, &out, &in);
        assert_true(fabs(mpfr_get_d(out.hi, MPFR_RNDN) - (1 - v) * sqrt(2 / (v * (2 - v)))) < 1e-11);
        dusk_interval_clear(&in);
        dusk_interval_clear(&out);
    }
}

static void ends_are_right(void **state)
{
    (void)state;
    dusk_interval in, out;
    dusk_interval_init(&in, 96);
    dusk_interval_init(&out, 96);
    mpfr_set_zero(in.lo, 1);
    mpfr_set_ui(in.hi, 1, MPFR_RNDN);
    dusk_student_t_quantile(3, &out, &in);
    assert_true(mpfr_zero_p(out.lo) && mpfr_inf_p(out.hi));
    dusk_interval_clear(&in);
    dusk_interval_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_enclosed),
        cmocka_unit_test(random_points_are_enclosed),
        cmocka_unit_test(closed_forms_agree),
        cmocka_unit_test(ends_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
