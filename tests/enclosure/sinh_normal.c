/* SPDX-License-Identifier: Apache-2.0 */
/* Renyi divergences of sinh-normal noise, summed in ball arithmetic, against what is
 * promised: every order below omega stays below rho alpha, at the sensitivity and at
 * smaller distances; and the published (16 rho, A/(8 D)) is seen to hold, far from
 * tight, wherever its condition does. */
#include <arb.h>
#include <math.h>
#include <stdio.h>

#include "mechanisms/noise.h"
#include "support.h"

#define BITS 100
#define NODES 9 /* 2^NODES on each side */

/* Add weight (ln cosh y - c sinh^2 y) to e. */
static void add_log_density(arb_t e, const arb_t y, double weight, double c)
{
    arb_t s, t, factor;
    arb_init(s), arb_init(t), arb_init(factor);
    arb_sinh_cosh(s, t, y, BITS);
    arb_log(t, t, BITS);
    arb_mul(s, s, s, BITS);
    arb_set_d(factor, c);
    arb_submul(t, s, factor, BITS);
    arb_set_d(factor, weight);
    arb_addmul(e, t, factor, BITS);
    arb_clear(s), arb_clear(t), arb_clear(factor);
}

/* D_alpha of f = cosh u exp(-c sinh^2 u), whose integral is sqrt(pi/c), and f(. - d): the trapezoidal rule,
 * whose error for a function that is analytic in a strip and falls doubly exponentially is below
 * all digits looked at once half of the nodes give the same; what lies beyond the ends is below exp(-90). */
static double divergence(double alpha, double c, double d)
{
    double reach = asinh(14 / sqrt(2 * c)) * 1.3 + 3 * alpha * d, step = ldexp(reach, -NODES);
    arb_t sum[2], e, y, shift;
    arb_init(sum[0]), arb_init(sum[1]), arb_init(e), arb_init(y), arb_init(shift);
    arb_set_d(shift, d);
    for (int i = -(1 << NODES); i <= 1 << NODES; i++) {
        arb_zero(e);
        arb_set_d(y, i * step);
        add_log_density(e, y, alpha, c);
        arb_sub(y, y, shift, BITS);
        add_log_density(e, y, 1 - alpha, c);
        arb_exp(e, e, BITS);
        arb_add(sum[i & 1], sum[i & 1], e, BITS);
    }
    double even = arf_get_d(arb_midref(sum[0]), ARF_RND_NEAR),
           odd = arf_get_d(arb_midref(sum[1]), ARF_RND_NEAR);
    if (fabs(even / odd - 1) > 1e-13) fail_msg("alpha %g c %g d %g: %g", alpha, c, d, even / odd - 1);
    arb_add(e, sum[0], sum[1], BITS);
    arb_log(e, e, BITS);
    assert_true(mag_get_d(arb_radref(e)) < 1e-20);
    double out = arf_get_d(arb_midref(e), ARF_RND_NEAR) + log(step / sqrt(acos(-1) / c));
    arb_clear(sum[0]), arb_clear(sum[1]), arb_clear(e), arb_clear(y), arb_clear(shift);
    return out / (alpha - 1);
}

static void divergences_stay_below_what_is_promised(void **state)
{
    static const double omegas[] = { 1.01, 2, 5, 20, 300 }, curvatures[] = { 1.2, 2, 4, 30, 1e4 };
    double least = INFINITY;
    (void)state;
    for (size_t i = 0; i < sizeof omegas / sizeof *omegas; i++)
        for (size_t j = 0; j < sizeof curvatures / sizeof *curvatures; j++) {
            double omega = omegas[i], c = curvatures[j], d = 1 / (8 * omega), rho = c * d * d;
            double promised = dusk_sinh_normal_rho_up(1 / sqrt(2 * c), 1, d, fmax(omega - 1, 0.5));
            for (int k = 1; k <= 4; k++)
                for (double near = 0.25; near <= 1; near *= 2) {
                    double alpha = 1 + (omega - 1) * k / 4, truth = divergence(alpha, c, d * near);
                    if (truth > promised * alpha * (1 + 1e-10) + 1e-13)
                        fail_msg("omega %g, c %g, order %g: %g is above %g", omega, c, alpha, truth,
                                 promised * alpha);
                    assert_true(truth <= 16 * rho * alpha); /* the paper's */
                    if (near == 1) least = fmin(least, promised * alpha / truth);
                }
            assert_true(promised <= 16 * rho && (c < 30 || promised < 1.35 * rho));
        }
    assert_true(least > 1 && least < 1.2);
}

/* Twice as far out in order the divergence still exists; at four times it does not. */
static void orders_end_where_the_proof_says(void **state)
{
    (void)state;
    assert_true(isinf(dusk_sinh_normal_rho_up(0.1, 1, 0.01, 50)));    /* 2 t d = 1 */
    assert_true(isfinite(dusk_sinh_normal_rho_up(0.1, 1, 0.01, 45))); /* and not yet */
    assert_true(isinf(dusk_sinh_normal_rho_up(1.1, 1, 0.01, 1)));     /* no curvature */
}

/* What the mechanism is calibrated to. */
static void made_noise_keeps_its_event(void **state)
{
    (void)state;
    for (double rho = 0.001; rho < 5; rho *= 20)
        for (double omega = 1.5; omega < 200; omega *= 5) {
            dusk_noise noise;
            dusk_event event;
            char text[200];
            double given, orders;
            assert_int_equal(dusk_sinh_normal_tcdp_init(&noise, 3, rho, omega, DUSK_GRID_DEFAULT, NULL),
                             DUSK_OK);
            assert_int_equal(dusk_noise_event(&noise, &event, NULL), DUSK_OK);
            assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
            assert_int_equal(sscanf(text, "tcdp(%lf, %lf)", &given, &orders), 2);
            assert_true(given <= rho && given > rho * (1 - 1e-9) && orders >= omega);
            double c = pow(noise.shape / noise.scale, 2) / 2, d = noise.grid_sensitivity / noise.shape;
            for (double share = 0.1; share <= 1; share += 0.3) {
                double alpha = 1 + (orders - 1) * share;
                assert_true(divergence(alpha, c, d) <= given * alpha + 1e-13);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divergences_stay_below_what_is_promised),
        cmocka_unit_test(orders_end_where_the_proof_says),
        cmocka_unit_test(made_noise_keeps_its_event),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
