/* SPDX-License-Identifier: Apache-2.0 */
/* What the budgets of filters are worth, in ball arithmetic. */
#include <arb.h>
#include <arb_hypgeom.h>
#include <math.h>

#include "accounting/filter.h"
#include "support.h"

#define BITS 512

static double uniform(uint64_t *seed) { return (double)(splitmix64(seed) >> 11) * 0x1p-53; }

/* delta at epsilon of a divergence r at the order alpha:
 * exp(a (r - epsilon)) (1 - 1/alpha)^a / alpha, a = alpha - 1. */
static void delta_of(arb_t out, double alpha, double r, double epsilon)
{
    arb_t a, order, x;
    arb_init(a), arb_init(order), arb_init(x);
    arb_set_d(order, alpha);
    arb_sub_ui(a, order, 1, BITS);
    arb_set_d(out, r);
    arb_set_d(x, epsilon);
    arb_sub(out, out, x, BITS);
    arb_div(x, a, order, BITS);
    arb_log(x, x, BITS);
    arb_add(out, out, x, BITS);
    arb_mul(out, out, a, BITS);
    arb_exp(out, out, BITS);
    arb_div(out, out, order, BITS);
    arb_clear(a), arb_clear(order), arb_clear(x);
}

/* By offset: a divergence r counts as epsilon = r + offset at a share of delta. */
static void offsets_are_enough(void **state)
{
    uint64_t seed = 3;
    arb_t delta, target;
    (void)state;
    arb_init(delta), arb_init(target);
    for (int i = 0; i < 500; i++) {
        dusk_meter meter = { .kind = DUSK_FILTER_ZCDP };
        double share = exp2(-1000 * uniform(&seed));
        dusk_meter_set_orders(&meter, DUSK_ORDERS_ONE, 1 + exp2(-20 + 60 * uniform(&seed)), share, 1);
        assert_int_equal(meter.orders, 1);
        delta_of(delta, meter.alpha[0], 0, meter.offset[0]);
        arb_set_d(target, share);
        if (!arb_le(delta, target)) fail_msg("order %.17g at %.17g", meter.alpha[0], share);
        arb_div(delta, delta, target, BITS);
        arb_set_d(target, exp(-1e-12 * (1 + meter.alpha[0] * (1 + fabs(meter.offset[0])))));
        assert_true(arb_gt(delta, target)); /* and no more than that */
    }
    arb_clear(delta), arb_clear(target);
}

/* All orders of an RDP filter together are allowed delta, not each of them. */
static void shares_add_up(void **state)
{
    uint64_t seed = 4;
    arb_t sum, one;
    (void)state;
    arb_init(sum), arb_init(one);
    for (int i = 0; i < 200; i++) {
        double epsilon = exp2(-10 + 16 * uniform(&seed)), delta = exp2(-1 - 60 * uniform(&seed));
        dusk_filter_kind kind = i % 2 ? DUSK_FILTER_RDP : DUSK_FILTER_ZCDP;
        dusk_filter *filter = NULL;
        assert_int_equal(
            dusk_filter_new(&filter, kind, (dusk_budget){ epsilon, delta }, DUSK_ADD_REMOVE, NULL), DUSK_OK);
        arb_zero(sum);
        for (size_t j = 0; j < filter->meter.orders; j++) {
            if (!(filter->budget[j] > 0)) continue; /* then only nothing fits */
            delta_of(one, filter->meter.alpha[j], filter->budget[j], epsilon);
            arb_add(sum, sum, one, BITS);
        }
        arb_set_d(one, delta);
        if (!arb_le(sum, one)) fail_msg("kind %d at (%.17g, %.17g)", (int)kind, epsilon, delta);
        arb_mul_2exp_si(one, one, -3);
        if (epsilon > 0.1) assert_true(arb_gt(sum, one));
        dusk_filter_free(filter);
    }
    arb_clear(sum), arb_clear(one);
}

/* Phi(x) */
static void normal(arb_t out, const arb_t x)
{
    arb_t half;
    arb_init(half);
    arb_set_ui(half, 2);
    arb_sqrt(half, half, BITS);
    arb_div(out, x, half, BITS);
    arb_neg(out, out);
    arb_hypgeom_erfc(out, out, BITS);
    arb_mul_2exp_si(out, out, -1);
    arb_clear(half);
}

/* Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) */
static void gaussian_delta(arb_t out, const arb_t mu, double epsilon)
{
    arb_t e, x, y;
    arb_init(e), arb_init(x), arb_init(y);
    arb_set_d(e, epsilon);
    arb_div(x, e, mu, BITS);
    arb_mul_2exp_si(y, mu, -1);
    arb_sub(out, y, x, BITS);
    arb_add(x, x, y, BITS);
    arb_neg(x, x);
    normal(y, out);
    normal(out, x);
    arb_exp(e, e, BITS);
    arb_mul(out, out, e, BITS);
    arb_sub(out, y, out, BITS);
    arb_clear(e), arb_clear(x), arb_clear(y);
}

static void gaussian_budgets(void **state)
{
    uint64_t seed = 5;
    arb_t mu, delta, target;
    (void)state;
    arb_init(mu), arb_init(delta), arb_init(target);
    for (int i = 0; i < 100; i++) {
        dusk_budget budget = { exp2(-6 + 12 * uniform(&seed)), exp2(-1 - 80 * uniform(&seed)) };
        dusk_filter *filter = NULL;
        assert_int_equal(dusk_filter_new(&filter, DUSK_FILTER_GDP, budget, DUSK_ADD_REMOVE, NULL), DUSK_OK);
        arb_set_d(target, budget.delta);
        arb_set_d(mu, filter->budget[0]);
        arb_sqrt(mu, mu, BITS);
        gaussian_delta(delta, mu, budget.epsilon);
        if (!arb_le(delta, target)) fail_msg("(%.17g, %.17g)", budget.epsilon, budget.delta);
        arb_set_d(mu, filter->budget[0] * (1 + 1e-11));
        arb_sqrt(mu, mu, BITS);
        gaussian_delta(delta, mu, budget.epsilon);
        assert_true(arb_gt(delta, target));
        dusk_filter_free(filter);
    }
    arb_clear(mu), arb_clear(delta), arb_clear(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_are_enough),
        cmocka_unit_test(shares_add_up),
        cmocka_unit_test(gaussian_budgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
