/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of the privacy loss against ball arithmetic: laws with finitely many
 * losses from their probabilities, Gaussian mixtures from the integral over noise;
 * and the conversion to (epsilon, delta) from its formula. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <acb.h>
#include <acb_calc.h>
#include <arb.h>

#include "accounting/accountants.h"
#include "accounting/pair_moment.h"
#include "support.h"

#define BITS 256
#define POINTS 4001

/* P and Q on some points, up to factors that are the same for all. */
typedef struct law {
    arb_ptr p, q;
    long n;
} law;

static void law_init(law *l, long n)
{
    l->n = n;
    l->p = _arb_vec_init(n);
    l->q = _arb_vec_init(n);
}

static void law_clear(law *l)
{
    _arb_vec_clear(l->p, l->n);
    _arb_vec_clear(l->q, l->n);
}

/* Divide by the sums. */
static void normalise(law *l)
{
    arb_t sum;
    arb_init(sum);
    for (int side = 0; side < 2; side++) {
        arb_ptr x = side ? l->p : l->q;
        arb_zero(sum);
        for (long i = 0; i < l->n; i++) arb_add(sum, sum, x + i, BITS);
        for (long i = 0; i < l->n; i++) arb_div(x + i, x + i, sum, BITS);
    }
    arb_clear(sum);
}

static void set_exp(arb_t out, double exponent)
{
    arb_set_d(out, exponent);
    arb_exp(out, out, BITS);
}

static void response(law *l, double epsilon, long answers)
{
    law_init(l, 3);
    set_exp(l->p + 0, epsilon);
    arb_one(l->q + 0);
    arb_one(l->p + 1);
    set_exp(l->q + 1, epsilon);
    arb_set_si(l->p + 2, answers - 2);
    arb_set_si(l->q + 2, answers - 2);
    normalise(l);
}

/* exp(-|k|/width) or exp(-k^2/(2 width^2)), at distance s */
static void noise(law *l, double width, long s, bool gaussian)
{
    arb_t x, w;
    arb_init(x);
    arb_init(w);
    law_init(l, POINTS);
    arb_set_d(w, width);
    if (gaussian) arb_mul(w, w, w, BITS), arb_mul_2exp_si(w, w, 1);
    for (long i = 0; i < POINTS; i++)
        for (int side = 0; side < 2; side++) {
            long k = i - POINTS / 2 - (side ? s : 0);
            arb_set_si(x, gaussian ? -k * k : -labs(k));
            arb_div(x, x, w, BITS);
            arb_exp((side ? l->p : l->q) + i, x, BITS);
        }
    normalise(l);
    arb_clear(x);
    arb_clear(w);
}

/* ln of the sum of P^(s+1) Q^-s after sampling in a direction. */
static void moment(arb_t out, const law *l, double rate, dusk_direction direction, double s)
{
    arb_t q, rest, mix, term, sum;
    arb_init(q);
    arb_init(rest);
    arb_init(mix);
    arb_init(term);
    arb_init(sum);
    arb_set_d(q, rate);
    arb_sub_ui(rest, q, 1, BITS);
    arb_neg(rest, rest);
    for (long i = 0; i < l->n; i++) {
        if (arb_is_zero(l->q + i)) continue;
        arb_mul(mix, rest, l->q + i, BITS);
        arb_addmul(mix, q, l->p + i, BITS);
        arb_srcptr up = direction == DUSK_REMOVE ? mix : l->q + i,
                   down = direction == DUSK_REMOVE ? l->q + i : mix;
        arb_div(term, up, down, BITS);
        arb_t power;
        arb_init(power);
        arb_set_d(power, s);
        arb_pow(term, term, power, BITS);
        arb_addmul(sum, term, up, BITS);
        arb_clear(power);
    }
    arb_log(out, sum, BITS);
    arb_clear(q);
    arb_clear(rest);
    arb_clear(mix);
    arb_clear(term);
    arb_clear(sum);
}

static dusk_composition *parse(const char *text)
{
    dusk_composition *c;
    dusk_error err = { 0 };
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, &err), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return c;
}

/* lower <= truth <= upper, and the upper end is near. */
static void assert_encloses(const char *what, double s, dusk_bound k, const arb_t truth, double width)
{
    arb_t x;
    arb_init(x);
    arb_set_d(x, k.upper);
    if (!arb_ge(x, truth)) fail_msg("%s, s = %g: %.17g is below", what, s, k.upper);
    arb_set_d(x, k.lower);
    if (!arb_le(x, truth)) fail_msg("%s, s = %g: %.17g is above", what, s, k.lower);
    double is = arf_get_d(arb_midref(truth), ARF_RND_NEAR);
    if (!(k.upper <= is * (1 + width) + 1e-17))
        fail_msg("%s, s = %g: %.17g is far above %.17g", what, s, k.upper, is);
    arb_clear(x);
}

static void check_law(const char *base, const law *l)
{
    static const double rates[] = { 1, 0.25, 1e-3 }, orders[] = { 0.01, 0.5, 1, 3.25, 17, 300 };
    arb_t truth;
    arb_init(truth);
    for (size_t r = 0; r < 3; r++) {
        char text[120];
        if (rates[r] < 1)
            (void)snprintf(text, sizeof text, "poisson(%.17g, %s)", rates[r], base);
        else
            (void)snprintf(text, sizeof text, "%s", base);
        dusk_composition *c = parse(text);
        for (dusk_direction d = DUSK_REMOVE; d <= DUSK_ADD; d++) {
            dusk_pairs pairs;
            dusk_bound k;
            assert_int_equal(dusk_pairs_resolve(&pairs, c, d, "test", NULL), DUSK_OK);
            /* masses below every double count as infinite losses: not at order 300 */
            for (size_t i = 0; i < (pairs.pair[0].infinite.upper > 0 ? 5u : 6u); i++) {
                assert_int_equal(dusk_pair_finite_moment(&k, &pairs.pair[0], orders[i], NULL), DUSK_OK);
                moment(truth, l, rates[r], d, orders[i]);
                assert_encloses(text, orders[i], k, truth, 1e-8);
            }
            dusk_pairs_free(&pairs);
        }
        dusk_composition_free(c);
    }
    arb_clear(truth);
}

static void atoms(void **state)
{
    law l;
    (void)state;
    response(&l, 0.75, 2);
    check_law("pure(0.75)", &l);
    check_law("randomized_response(0.75, 2)", &l);
    law_clear(&l);
    response(&l, 2, 10);
    check_law("randomized_response(2, 10)", &l);
    law_clear(&l);
    response(&l, 0x1p-20, 2);
    check_law("pure(9.5367431640625e-07)", &l);
    law_clear(&l);
    noise(&l, 2, 3, false);
    check_law("discrete_laplace(2, 3)", &l);
    law_clear(&l);
    noise(&l, 3, 1, true);
    check_law("discrete_gaussian(3)", &l);
    law_clear(&l);
    noise(&l, 20, 7, true);
    check_law("discrete_gaussian(20, 7)", &l);
    law_clear(&l);
}

/* The mixture of N(0, sigma^2) and N(1, sigma^2) against N(0, sigma^2). */
typedef struct gauss {
    double sigma, rate, plus, minus; /* r(x)^plus r(-x)^minus */
} gauss;

static void ratio(acb_t out, const acb_t x, int sign, const gauss *g, slong bits)
{
    acb_t v;
    acb_init(v);
    acb_mul_si(out, x, 2 * sign, bits);
    acb_sub_ui(out, out, 1, bits);
    acb_set_d(v, g->sigma);
    acb_mul(v, v, v, bits);
    acb_mul_2exp_si(v, v, 1);
    acb_div(out, out, v, bits);
    acb_exp(out, out, bits);
    acb_sub_ui(out, out, 1, bits);
    acb_set_d(v, g->rate);
    acb_mul(out, out, v, bits);
    acb_add_ui(out, out, 1, bits);
    acb_clear(v);
}

static int density(acb_ptr out, const acb_t x, void *param, slong order, slong bits)
{
    const gauss *g = param;
    acb_t sum, r, power;
    acb_init(sum);
    acb_init(r);
    acb_init(power);
    acb_set_d(r, g->sigma);
    acb_div(r, x, r, bits);
    acb_mul(sum, r, r, bits);
    acb_mul_2exp_si(sum, sum, -1);
    acb_neg(sum, sum);
    for (int side = 0; side < 2; side++) {
        acb_set_d(power, side ? g->minus : g->plus);
        if (acb_is_zero(power)) continue;
        ratio(r, x, side ? -1 : 1, g, bits);
        acb_log_analytic(r, r, order != 0, bits);
        acb_addmul(sum, r, power, bits);
    }
    acb_exp(out, sum, bits);
    acb_clear(sum);
    acb_clear(r);
    acb_clear(power);
    return 0;
}

/* The expectation of what `f` has beside the density of N(0, sigma^2), from `low` to `high`. */
static void expectation(arb_t out, acb_calc_func_t f, gauss *g, double low, double high, slong error)
{
    acb_t lo, hi, sum;
    mag_t tolerance;
    arb_t norm;
    acb_init(lo);
    acb_init(hi);
    acb_init(sum);
    arb_init(norm);
    mag_init(tolerance);
    mag_set_ui_2exp_si(tolerance, 1, -error);
    acb_set_d(lo, low);
    acb_set_d(hi, high);
    acb_calc_integrate(sum, f, g, lo, hi, 120, tolerance, NULL, 240);
    arb_const_pi(norm, 240);
    arb_mul_2exp_si(norm, norm, 1);
    arb_sqrt(norm, norm, 240);
    arb_set_d(out, g->sigma);
    arb_mul(norm, norm, out, 240);
    arb_div(out, acb_realref(sum), norm, 240);
    acb_clear(lo);
    acb_clear(hi);
    acb_clear(sum);
    arb_clear(norm);
    mag_clear(tolerance);
}

static void mixture_truth(arb_t out, dusk_direction d, double sigma, double rate, double s)
{
    gauss g = { sigma, rate, d == DUSK_ADD ? -s : s + 1, d == DUSK_REPLACE ? -s : 0 };
    const double far = 20 * sigma + (d == DUSK_REPLACE ? 2 : 1) * (s + 1);
    expectation(out, density, &g, -far, far, 120);
    arb_log(out, out, 160);
}

/* density(x) (r^(s+1) - 1) (1 - r^-s), r = r(x), of which `plus` is s + 1. */
static int folded_density(acb_ptr out, const acb_t x, void *param, slong order, slong bits)
{
    const gauss *g = param;
    acb_t r, log_r, power;
    acb_init(r);
    acb_init(log_r);
    acb_init(power);
    ratio(r, x, 1, g, bits);
    acb_log_analytic(log_r, r, order != 0, bits);
    acb_set_d(power, g->plus);
    acb_mul(power, power, log_r, bits);
    acb_expm1(out, power, bits);
    acb_set_d(power, g->minus);
    acb_mul(power, power, log_r, bits);
    acb_expm1(power, power, bits);
    acb_mul(out, out, power, bits);
    acb_neg(out, out);
    acb_set_d(r, g->sigma);
    acb_div(r, x, r, bits);
    acb_mul(r, r, r, bits);
    acb_mul_2exp_si(r, r, -1);
    acb_neg(r, r);
    acb_exp(r, r, bits);
    acb_mul(out, out, r, bits);
    acb_clear(r);
    acb_clear(log_r);
    acb_clear(power);
    return 0;
}

/* ln of the moment where the worse order of the neighbours is taken at every loss: r > 1 is x > 1/2. */
static void folded_truth(arb_t out, double sigma, double rate, double s)
{
    gauss g = { sigma, rate, s + 1, -s };
    expectation(out, folded_density, &g, 0.5, 24 * sigma + s + 1, 200);
    arb_log1p(out, out, 200);
}

/* Samples of a fixed size: neither order of the neighbours is the worse one everywhere. */
static void folded_mixtures(void **state)
{
    static const double sigmas[] = { 0.6, 1, 5, 40 }, rates[] = { 1e-6, 0.02, 0.5, 0.999 },
                        orders[] = { 0.01, 0.3, 1, 4.5, 30 };
    arb_t truth;
    (void)state;
    arb_init(truth);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            for (size_t k = 0; k < 5; k++) {
                dusk_pair pair = { .kind = DUSK_PAIR_MIXTURE,
                                   .direction = DUSK_REMOVE,
                                   .folded = true,
                                   .sigma = sigmas[i],
                                   .shifts = 1 };
                dusk_bound bound;
                pair.weight[1] = rates[j];
                assert_int_equal(dusk_pair_finite_moment(&bound, &pair, orders[k], NULL), DUSK_OK);
                folded_truth(truth, sigmas[i], rates[j], orders[k]);
                assert_encloses("folded", orders[k], bound, truth, 1e-10);
                pair.folded = false;
                dusk_bound one;
                assert_int_equal(dusk_pair_finite_moment(&one, &pair, orders[k], NULL), DUSK_OK);
                assert_true(one.lower <= bound.upper);
            }
    arb_clear(truth);
}

static void mixtures(void **state)
{
    static const double sigmas[] = { 0.6, 1, 5 }, rates[] = { 1e-4, 0.02, 0.5 },
                        orders[] = { 0.3, 1, 4.5, 30 };
    arb_t truth;
    (void)state;
    arb_init(truth);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 4; k++)
                for (dusk_direction d = DUSK_REMOVE; d <= DUSK_REPLACE; d++) {
                    dusk_pair pair = {
                        .kind = DUSK_PAIR_MIXTURE, .direction = d, .sigma = sigmas[i], .shifts = 1
                    };
                    dusk_bound bound;
                    pair.weight[1] = rates[j];
                    assert_int_equal(dusk_pair_finite_moment(&bound, &pair, orders[k], NULL), DUSK_OK);
                    mixture_truth(truth, d, sigmas[i], rates[j], orders[k]);
                    assert_encloses("mixture", orders[k], bound, truth, 1e-8);
                }
    /* beyond the grid: as if shifts were seen */
    for (dusk_direction d = DUSK_REMOVE; d <= DUSK_REPLACE; d++) {
        dusk_pair pair = { .kind = DUSK_PAIR_MIXTURE, .direction = d, .sigma = 0.25, .shifts = 1 };
        dusk_bound bound;
        pair.weight[1] = 0.5;
        assert_int_equal(dusk_pair_finite_moment(&bound, &pair, 25, NULL), DUSK_OK);
        mixture_truth(truth, d, 0.25, 0.5, 25);
        assert_encloses("seen", 25, bound, truth, d == DUSK_REMOVE ? 0.01 : INFINITY);
    }
    arb_clear(truth);
}

/* D + ln(1 - 1/a) - ln(delta a)/(a - 1), and exp((a-1)(D - eps)) (1 - 1/a)^(a-1) / a */
static void conversions(void **state)
{
    static const double orders[] = { 1.0001, 1.5, 2, 7.25, 64, 1e5 }, divergences[] = { 1e-9, 0.01, 1, 30 };
    static const double deltas[] = { 1e-300, 1e-12, 1e-5, 0.1 };
    arb_t a, x, y;
    (void)state;
    arb_init(a);
    arb_init(x);
    arb_init(y);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 4; j++)
            for (size_t k = 0; k < 4; k++) {
                double epsilon = dusk_rdp_to_epsilon_up(orders[i], divergences[j], deltas[k]);
                arb_set_d(a, orders[i]);
                arb_set_d(x, deltas[k]);
                arb_mul(x, x, a, BITS);
                arb_log(x, x, BITS);
                arb_sub_ui(y, a, 1, BITS);
                arb_div(x, x, y, BITS);
                arb_div(y, y, a, BITS);
                arb_log(y, y, BITS);
                arb_sub(y, y, x, BITS);
                arb_set_d(x, divergences[j]);
                arb_add(y, y, x, BITS);
                double truth = arf_get_d(arb_midref(y), ARF_RND_NEAR);
                if (truth < 1e-12 || epsilon == 0) continue; /* where total variation says more */
                arb_set_d(x, epsilon);
                if (!arb_ge(x, y)) fail_msg("order %g: %.17g is below", orders[i], epsilon);
                if (!(epsilon <= truth * (1 + 1e-9)))
                    fail_msg("order %g: %.17g for %.17g", orders[i], epsilon, truth);
                double delta = dusk_rdp_to_delta_up(orders[i], divergences[j], epsilon);
                if (!(delta <= deltas[k] * (1 + 1e-9) && (delta >= deltas[k] * (1 - 1e-6) || delta < 0.1)))
                    fail_msg("order %g: delta %.17g for %.17g", orders[i], delta, deltas[k]);
            }
    arb_clear(a);
    arb_clear(x);
    arb_clear(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atoms),
        cmocka_unit_test(mixtures),
        cmocka_unit_test(folded_mixtures),
        cmocka_unit_test(conversions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
