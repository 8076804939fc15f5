/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of Laplace noise, sampled or not, in every direction, against ball
 * arithmetic: the integrals of the definition, over noise, not over losses. */
#include <math.h>

#include <acb.h>
#include <acb_calc.h>
#include <arb.h>

#include "accounting/pair_moment.h"
#include "support.h"

#define BITS 160

/* What the moment is of: exp of the sum of a ln r(x) and b ln r(-x). */
typedef struct problem {
    double scale, rate, a, b;
} problem;

/* 1 + rate (exp(t / scale) - 1) */
static void ratio(acb_t out, const acb_t t, const problem *p, slong bits)
{
    acb_t q;
    acb_init(q);
    acb_set_d(q, p->scale);
    acb_div(out, t, q, bits);
    acb_expm1(out, out, bits);
    acb_set_d(q, p->rate);
    acb_mul(out, out, q, bits);
    acb_add_ui(out, out, 1, bits);
    acb_clear(q);
}

/* density(x) r(x)^a r(-x)^b at 0 < x < 1, where r(-x) is r(0) */
static int inside(acb_ptr out, const acb_t x, void *param, slong order, slong bits)
{
    const problem *p = param;
    acb_t t, r;
    (void)order;
    acb_init(t);
    acb_init(r);
    acb_mul_2exp_si(t, x, 1);
    acb_sub_ui(t, t, 1, bits);
    ratio(r, t, p, bits);
    acb_log_analytic(r, r, order != 0, bits);
    acb_set_d(t, p->a);
    acb_mul(r, r, t, bits);
    acb_set_d(t, p->scale);
    acb_div(t, x, t, bits);
    acb_sub(r, r, t, bits);
    acb_exp(out, r, bits);
    acb_clear(t);
    acb_clear(r);
    return 0;
}

/* r(0)^b / (2 scale) times the integral over (from, 1) */
static void middle(arb_t out, const problem *p, double from)
{
    acb_t lo, hi, sum;
    mag_t tolerance;
    arb_t edge;
    acb_init(lo);
    acb_init(hi);
    acb_init(sum);
    arb_init(edge);
    mag_init(tolerance);
    mag_set_ui_2exp_si(tolerance, 1, -BITS);
    acb_set_d(lo, from);
    acb_one(hi);
    acb_calc_integrate(sum, inside, (void *)p, lo, hi, BITS, tolerance, NULL, BITS);
    acb_get_real(out, sum);
    arb_set_d(edge, p->scale);
    arb_mul_2exp_si(edge, edge, 1);
    arb_div(out, out, edge, BITS);
    acb_set_si(lo, -1);
    ratio(hi, lo, p, BITS);
    acb_get_real(edge, hi);
    arb_log(edge, edge, BITS);
    arb_t b;
    arb_init(b);
    arb_set_d(b, p->b);
    arb_mul(edge, edge, b, BITS);
    arb_exp(edge, edge, BITS);
    arb_mul(out, out, edge, BITS);
    arb_clear(b);
    arb_clear(edge);
    acb_clear(lo);
    acb_clear(hi);
    acb_clear(sum);
    mag_clear(tolerance);
}

/* mass r(t)^a r(u)^b where the ratios are at exponents t and u */
static void add_edge(arb_t out, const problem *p, int t, int u, bool far)
{
    acb_t at, r;
    arb_t l, x;
    acb_init(at);
    acb_init(r);
    arb_init(l);
    arb_init(x);
    for (int i = 0; i < 2; i++) {
        acb_set_si(at, i ? u : t);
        ratio(r, at, p, BITS);
        arb_log(x, acb_realref(r), BITS);
        arb_t power;
        arb_init(power);
        arb_set_d(power, i ? p->b : p->a);
        arb_addmul(l, x, power, BITS);
        arb_clear(power);
    }
    if (far) {
        arb_set_d(x, p->scale);
        arb_inv(x, x, BITS);
        arb_sub(l, l, x, BITS);
    }
    arb_exp(l, l, BITS);
    arb_mul_2exp_si(l, l, -1);
    arb_add(out, out, l, BITS);
    acb_clear(at);
    acb_clear(r);
    arb_clear(l);
    arb_clear(x);
}

/* E[exp(sL)] of the pair, not folded. */
static void direct(arb_t out, dusk_direction d, double scale, double rate, double s)
{
    problem p = { scale, rate, 0, 0 };
    arb_t part;
    arb_init(part);
    if (d == DUSK_REPLACE) {
        /* x < -1, (-1, 0), (0, 1), x > 1 */
        p.a = s + 1;
        p.b = -s;
        add_edge(out, &p, -1, 1, true);
        add_edge(out, &p, 1, -1, true);
        middle(part, &p, 0);
        arb_add(out, out, part, BITS);
        p.a = -s;
        p.b = s + 1;
    } else {
        p.a = d == DUSK_REMOVE ? s + 1 : -s;
        add_edge(out, &p, -1, -1, false);
        add_edge(out, &p, 1, 1, true);
    }
    middle(part, &p, 0);
    arb_add(out, out, part, BITS);
    arb_clear(part);
}

/* 1 + E_Q[r^(s+1) - r + r^-s - 1; r > 1] */
static void folded(arb_t out, double scale, double rate, double s)
{
    const double power[] = { s + 1, 1, -s, 0 };
    arb_t part;
    arb_init(part);
    arb_one(out);
    for (int i = 0; i < 4; i++) {
        problem p = { scale, rate, power[i], 0 };
        arb_zero(part);
        middle(part, &p, 0.5);
        add_edge(part, &p, 1, 1, true);
        if (i % 2)
            arb_sub(out, out, part, BITS);
        else
            arb_add(out, out, part, BITS);
    }
    arb_clear(part);
}

/* How far the ends are from the truth, over the truth; fails when inside out. */
static double check(dusk_direction d, bool fold, double scale, double rate, double s)
{
    dusk_pair pair = { .kind = DUSK_PAIR_LAPLACE, .direction = d, .folded = fold, .rate = rate };
    pair.scale = (dusk_bound){ scale, scale };
    dusk_bound k = dusk_laplace_log_moment(&pair, s);
    arb_t truth, x;
    arb_init(truth);
    arb_init(x);
    if (fold)
        folded(truth, scale, rate, s);
    else
        direct(truth, d, scale, rate, s);
    arb_log(truth, truth, BITS);
    arb_set_d(x, k.upper);
    if (arb_lt(x, truth))
        fail_msg("%d%d scale %g rate %g s %g: %.17g is below", d, fold, scale, rate, s, k.upper);
    arb_set_d(x, k.lower);
    if (arb_gt(x, truth))
        fail_msg("%d%d scale %g rate %g s %g: %.17g is above", d, fold, scale, rate, s, k.lower);
    double is = arf_get_d(arb_midref(truth), ARF_RND_NEAR);
    arb_clear(truth);
    arb_clear(x);
    return (k.upper - k.lower) / is;
}

static void encloses(void **state)
{
    static const double scales[] = { 0.05, 0.5, 1, 3, 50 }, rates[] = { 1e-6, 1e-3, 0.01, 0.3, 0.9, 1 },
                        orders[] = { 1e-3, 0.3, 1, 2.5, 10, 70 };
    (void)state;
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 6; j++)
            for (size_t k = 0; k < 6; k++)
                for (int d = DUSK_REMOVE; d <= DUSK_REPLACE + 1; d++) {
                    bool fold = d > DUSK_REPLACE;
                    if (rates[j] == 1 && d > DUSK_ADD) continue;
                    double width =
                        check(fold ? DUSK_REMOVE : (dusk_direction)d, fold, scales[i], rates[j], orders[k]);
                    /* what rounding costs where losses are small */
                    double allowed = 1e-9 + 2e-13 * scales[i] / rates[j] / orders[k];
                    if (scales[i] < 0.1 && orders[k] > 50) allowed = 1.01; /* the largest loss alone */
                    if (!(width <= allowed))
                        fail_msg("%d: width %g at scale %g rate %g s %g", d, width, scales[i], rates[j],
                                 orders[k]);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(encloses) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
