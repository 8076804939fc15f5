/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of Laplace losses against ball arithmetic, by another way than the code's:
 * of n losses e - 2 x, j have x = 0, m have x = e, and the others a density
 * exp(-x)/2 on (0, e), whose sums are Irwin-Hall pieces,
 *     exp(-x) sum over i of (-1)^i C(c, i) (x - i e)^(c-1)+ / (c-1)!,
 * and each piece is integrated against 1 - exp(-2 (t - x)) with Kummer's function. */
#include <arb.h>
#include <arb_hypgeom.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "accounting/accountants.h"
#include "support.h"

#define BITS 800
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Integral of z^(c-1)/(c-1)! exp(sign z) over (0, w) = w^c/c! M(c, c+1, sign w). */
static void piece(arb_t out, unsigned long c, const arb_t w, int sign)
{
    arb_t a, b, z;
    arb_init(a);
    arb_init(b);
    arb_init(z);
    arb_set_ui(a, c);
    arb_set_ui(b, c + 1);
    arb_mul_si(z, w, sign, BITS);
    arb_hypgeom_m(out, a, b, z, 0, BITS);
    arb_pow_ui(a, w, c, BITS);
    arb_mul(out, out, a, BITS);
    arb_fac_ui(a, c, BITS);
    arb_div(out, out, a, BITS);
    arb_clear(a);
    arb_clear(b);
    arb_clear(z);
}

/* E[(1 - exp(-2 (t - X)))+] of c parts with density exp(-x) on (0, e), not normalised. */
static void continuous(arb_t out, unsigned long c, const arb_t t, const arb_t e)
{
    arb_t w, term, part;
    arb_init(w);
    arb_init(term);
    arb_init(part);
    arb_zero(out);
    if (c == 0 && arb_is_positive(t)) {
        arb_mul_si(out, t, -2, BITS);
        arb_expm1(out, out, BITS);
        arb_neg(out, out);
    }
    for (unsigned long i = 0; c > 0 && i <= c; i++) {
        arb_mul_ui(part, e, i, BITS); /* i e */
        arb_sub(w, t, part, BITS);
        if (!arb_is_positive(w)) break;
        /* exp(-ie) I(-1) - exp(-2t) exp(ie) I(+1) */
        piece(term, c, w, -1);
        arb_neg(part, part);
        arb_exp(part, part, BITS);
        arb_mul(term, term, part, BITS);
        arb_t other;
        arb_init(other);
        piece(other, c, w, 1);
        arb_div(other, other, part, BITS);
        arb_mul_si(part, t, -2, BITS);
        arb_exp(part, part, BITS);
        arb_submul(term, other, part, BITS);
        arb_clear(other);
        arb_bin_uiui(part, c, i, BITS);
        arb_mul(term, term, part, BITS);
        if (i % 2)
            arb_sub(out, out, term, BITS);
        else
            arb_add(out, out, term, BITS);
    }
    arb_clear(w);
    arb_clear(term);
    arb_clear(part);
}

static void truth(arb_t delta, double scale, unsigned long n, double epsilon)
{
    arb_t e, t, part, factor;
    arb_init(e);
    arb_init(t);
    arb_init(part);
    arb_init(factor);
    arb_set_d(e, scale);
    arb_inv(e, e, BITS);
    arb_zero(delta);
    for (unsigned long m = 0; m <= n; m++)
        for (unsigned long c = 0; m + c <= n; c++) {
            arb_mul_si(t, e, (long)n - 2 * (long)m, BITS);
            arb_set_d(part, epsilon);
            arb_sub(t, t, part, BITS);
            arb_mul_2exp_si(t, t, -1);
            if (!arb_is_positive(t)) break;
            continuous(part, c, t, e);
            arb_mul_si(factor, e, -(long)m, BITS);
            arb_exp(factor, factor, BITS);
            arb_mul(part, part, factor, BITS);
            arb_bin_uiui(factor, n, m, BITS);
            arb_mul(part, part, factor, BITS);
            arb_bin_uiui(factor, n - m, c, BITS);
            arb_addmul(delta, part, factor, BITS);
        }
    arb_mul_2exp_si(delta, delta, -(long)n);
    arb_clear(e);
    arb_clear(t);
    arb_clear(part);
    arb_clear(factor);
}

static dusk_pairs resolve(double scale, unsigned long n)
{
    dusk_composition *c;
    dusk_pairs pairs;
    dusk_event event;
    dusk_error err;
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, &err), DUSK_OK);
    assert_int_equal(dusk_event_laplace(&event, scale, &err), DUSK_OK);
    assert_int_equal(dusk_composition_add(c, &event, n, &err), DUSK_OK);
    assert_int_equal(dusk_pairs_resolve(&pairs, c, DUSK_REMOVE, "optimal", &err), DUSK_OK);
    pairs.pair[0].tree = NULL;
    dusk_composition_free(c);
    return pairs;
}

static void check_delta(double scale, unsigned long n, double epsilon)
{
    dusk_pairs pairs = resolve(scale, n);
    dusk_error err;
    dusk_bound b;
    arb_t t, bound;
    arb_init(t);
    arb_init(bound);
    truth(t, scale, n, epsilon);
    assert_int_equal(dusk_optimal_delta(&b, &pairs, epsilon, &err), DUSK_OK);
    arb_set_d(bound, b.upper);
    if (b.upper < 1 && !arb_le(t, bound))
        fail_msg("laplace(%g) * %lu, epsilon %.17g: %.17g is below the truth", scale, n, epsilon, b.upper);
    arb_set_d(bound, b.lower);
    if (!arb_ge(t, bound))
        fail_msg("laplace(%g) * %lu, epsilon %.17g: %.17g is above the truth", scale, n, epsilon, b.lower);
    if (b.upper - b.lower > 1e-13 * b.upper && b.upper > 1e-307)
        fail_msg("laplace(%g) * %lu, epsilon %.17g: %.17g .. %.17g", scale, n, epsilon, b.lower, b.upper);
    arb_clear(t);
    arb_clear(bound);
    dusk_pairs_free(&pairs);
}

static void check_epsilon(double scale, unsigned long n, double delta)
{
    dusk_pairs pairs = resolve(scale, n);
    dusk_error err;
    dusk_bound b;
    arb_t t, target;
    arb_init(t);
    arb_init(target);
    arb_set_d(target, delta);
    assert_int_equal(dusk_optimal_epsilon(&b, &pairs, delta, &err), DUSK_OK);
    truth(t, scale, n, b.upper);
    if (!arb_le(t, target))
        fail_msg("laplace(%g) * %lu, delta %g: %.17g is not enough", scale, n, delta, b.upper);
    truth(t, scale, n, nextafter(b.lower, 0));
    if (b.lower > 0 && !arb_gt(t, target))
        fail_msg("laplace(%g) * %lu, delta %g: %.17g is too much", scale, n, delta, b.lower);
    assert_true(b.upper - b.lower <= 1e-12 * b.upper);
    arb_clear(t);
    arb_clear(target);
    dusk_pairs_free(&pairs);
}

static void sums_enclose(void **state)
{
    static const double scales[] = { 0.02, 0.3, 1, 7, 1e4 }, shares[] = { 0, 0.01, 0.2, 0.5, 0.9, 1 - 1e-9 };
    static const unsigned long n[] = { 1, 2, 3, 5, 8, 11 };
    (void)state;
    for (size_t i = 0; i < COUNT(scales); i++)
        for (size_t j = 0; j < COUNT(n); j++) {
            double top = (double)n[j] / scales[i];
            for (size_t k = 0; k < COUNT(shares); k++) check_delta(scales[i], n[j], top * shares[k]);
            if (j % 2) check_epsilon(scales[i], n[j], 1e-7);
        }
}

static void many_enclose(void **state)
{
    (void)state;
    check_delta(5, 33, 1);
    check_epsilon(5, 33, 1e-6);
    check_epsilon(1, 20, 1e-300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_enclose),
        cmocka_unit_test(many_enclose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
