/* SPDX-License-Identifier: Apache-2.0 */
/* The closed form of advanced composition against ball arithmetic. */
#include <arb.h>
#include <math.h>

#include "accounting/advanced.h"
#include "support.h"

#define BITS 256

/* e tanh(e/2) */
static void mean_loss(arb_t out, double epsilon)
{
    arb_set_d(out, epsilon / 2);
    arb_tanh(out, out, BITS);
    arb_t e;
    arb_init(e);
    arb_set_d(e, epsilon);
    arb_mul(out, out, e, BITS);
    arb_clear(e);
}

/* truth <= x <= truth (1 + slack) */
static void assert_encloses(double x, const arb_t truth, double slack)
{
    arb_t ball;
    arb_init(ball);
    arb_set_d(ball, x);
    if (arb_lt(ball, truth)) fail_msg("%.17g is below %.17g", x, arf_get_d(arb_midref(truth), ARF_RND_NEAR));
    arb_set_d(ball, x / (1 + slack));
    if (arb_gt(ball, truth)) fail_msg("%.17g is far above", x);
    arb_clear(ball);
}

static double uniform(uint64_t *seed) { return (double)(splitmix64(seed) >> 11) * 0x1p-53; }

static void mean_losses(void **state)
{
    uint64_t seed = 1;
    arb_t truth;
    (void)state;
    arb_init(truth);
    for (int i = 0; i < 2000; i++) {
        double epsilon = exp2(-60 + 75 * uniform(&seed));
        dusk_advanced sum = { 0 };
        dusk_advanced_add(&sum, epsilon, 0, 1);
        mean_loss(truth, epsilon);
        assert_encloses(sum.mean, truth, 1e-14);
        assert_true(sum.total == epsilon && sum.lost == 0);
    }
    arb_clear(truth);
}

/* The same sums and bound with balls: n runs each of two prices. */
typedef struct run {
    double epsilon[2], delta[2];
    uint64_t times[2];
    double target;
} run;

static void add_scaled(arb_t sum, const arb_t x, uint64_t times) { arb_addmul_ui(sum, x, times, BITS); }

/* M + sqrt(2 V x), kept when smaller */
static void take_least(arb_t least, const arb_t mean, const arb_t square, const arb_t x)
{
    arb_t e;
    arb_init(e);
    arb_mul(e, square, x, BITS);
    arb_mul_2exp_si(e, e, 1);
    arb_sqrt(e, e, BITS);
    arb_add(e, e, mean, BITS);
    arb_min(least, least, e, BITS);
    arb_clear(e);
}

/* false when the slack is not positive */
static int bound(arb_t least, const run *r)
{
    arb_t mean, square, kept, x, slack;
    arb_init(mean), arb_init(square), arb_init(kept), arb_init(x), arb_init(slack);
    arb_zero(least);
    arb_one(kept);
    for (int i = 0; i < 2; i++) {
        mean_loss(x, r->epsilon[i]);
        add_scaled(mean, x, r->times[i]);
        arb_set_d(x, r->epsilon[i]);
        add_scaled(least, x, r->times[i]);
        arb_sqr(x, x, BITS);
        add_scaled(square, x, r->times[i]);
        arb_set_d(x, r->delta[i]);
        arb_sub_ui(x, x, 1, BITS);
        arb_neg(x, x);
        arb_pow_ui(x, x, r->times[i], BITS);
        arb_mul(kept, kept, x, BITS);
    }
    arb_set_d(slack, r->target);
    arb_sub_ui(slack, slack, 1, BITS);
    arb_div(slack, slack, kept, BITS);
    arb_add_ui(slack, slack, 1, BITS);
    int positive = arb_is_positive(slack);
    if (positive) {
        arb_log(x, slack, BITS);
        arb_neg(x, x);
        take_least(least, mean, square, x);
        arb_sqrt(x, square, BITS);
        arb_div(x, x, slack, BITS);
        arb_const_e(slack, BITS);
        arb_add(x, x, slack, BITS);
        arb_log(x, x, BITS);
        take_least(least, mean, square, x);
    }
    arb_clear(mean), arb_clear(square), arb_clear(kept), arb_clear(x), arb_clear(slack);
    return positive;
}

static void closed_form(void **state)
{
    uint64_t seed = 2;
    arb_t truth;
    int finite = 0;
    (void)state;
    arb_init(truth);
    for (int i = 0; i < 1500; i++) {
        run r = { .target = exp2(-1 - 60 * uniform(&seed)) };
        dusk_advanced sum = { 0 };
        for (int j = 0; j < 2; j++) {
            r.epsilon[j] = exp2(-20 + 23 * uniform(&seed));
            r.times[j] = (uint64_t)exp2(20 * uniform(&seed));
            r.delta[j] = splitmix64(&seed) % 3 ? r.target * exp2(-1 - 25 * uniform(&seed)) : 0;
            dusk_advanced_add(&sum, r.epsilon[j], r.delta[j], r.times[j]);
        }
        double epsilon = dusk_advanced_bound_up(&sum, r.target);
        if (!bound(truth, &r)) {
            assert_true(isinf(epsilon));
            continue;
        }
        finite++;
        if (isfinite(epsilon)) assert_encloses(epsilon, truth, 1e-6);
    }
    assert_true(finite > 500);
    arb_clear(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(mean_losses), cmocka_unit_test(closed_form) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
