/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of one run against the same tests in 200 bits: what is reported is refuted there,
 * too, and a millionth more is not. */
#include <math.h>
#include <mpfr.h>

#include "dusk/audit_scores.h"
#include "numeric/special.h"
#include "support.h"

#define BITS 200

/* --- the least false positive rate of a test with power y -------------------------------- */

/* P(Z <= x) */
static void normal_cdf(mpfr_t out, const mpfr_t x)
{
    mpfr_sqrt_ui(out, 2, MPFR_RNDN);
    mpfr_div(out, x, out, MPFR_RNDN);
    mpfr_neg(out, out, MPFR_RNDN);
    mpfr_erfc(out, out, MPFR_RNDN);
    mpfr_div_2ui(out, out, 1, MPFR_RNDN);
}

/* By Newton's method from a double: 50, 100, 200 digits and one more for good measure. */
static void normal_quantile(mpfr_t out, const mpfr_t p)
{
    mpfr_t value, density;
    mpfr_inits2(BITS, value, density, (mpfr_ptr)0);
    mpfr_set_d(out, dusk_normal_quantile(mpfr_get_d(p, MPFR_RNDN)), MPFR_RNDN);
    for (int i = 0; i < 4; i++) {
        normal_cdf(value, out);
        mpfr_sub(value, value, p, MPFR_RNDN);
        mpfr_sqr(density, out, MPFR_RNDN);
        mpfr_div_si(density, density, -2, MPFR_RNDN);
        mpfr_exp(density, density, MPFR_RNDN);
        mpfr_div(value, value, density, MPFR_RNDN);
        mpfr_const_pi(density, MPFR_RNDN);
        mpfr_mul_2ui(density, density, 1, MPFR_RNDN);
        mpfr_sqrt(density, density, MPFR_RNDN);
        mpfr_mul(value, value, density, MPFR_RNDN);
        mpfr_sub(out, out, value, MPFR_RNDN);
    }
    mpfr_clears(value, density, (mpfr_ptr)0);
}

static void gaussian_least(mpfr_t out, const mpfr_t y, double mu, double delta)
{
    mpfr_t x;
    (void)delta;
    mpfr_init2(x, BITS);
    normal_quantile(x, y);
    mpfr_sub_d(x, x, mu, MPFR_RNDN);
    normal_cdf(out, x);
    mpfr_clear(x);
}

/* max(0, (y - delta) e^-epsilon, 1 - delta - e^epsilon (1 - y)) */
static void point_least(mpfr_t out, const mpfr_t y, double epsilon, double delta)
{
    mpfr_t e, second;
    mpfr_inits2(BITS, e, second, (mpfr_ptr)0);
    mpfr_set_d(e, epsilon, MPFR_RNDN);
    mpfr_exp(e, e, MPFR_RNDN);
    mpfr_sub_d(out, y, delta, MPFR_RNDN);
    mpfr_div(out, out, e, MPFR_RNDN);
    mpfr_ui_sub(second, 1, y, MPFR_RNDN);
    mpfr_mul(second, second, e, MPFR_RNDN);
    mpfr_ui_sub(second, 1, second, MPFR_RNDN);
    mpfr_sub_d(second, second, delta, MPFR_RNDN);
    mpfr_max(out, out, second, MPFR_RNDN);
    if (mpfr_sgn(out) < 0) mpfr_set_zero(out, 1);
    mpfr_clears(e, second, (mpfr_ptr)0);
}

/* --- the recursion ------------------------------------------------------------------------- */

typedef void least_of(mpfr_t out, const mpfr_t y, double parameter, double delta);

static bool refutes(least_of *least, double parameter, double delta, unsigned long m, unsigned long all,
                    unsigned long c, double error)
{
    mpfr_t r, h, next, whole;
    mpfr_inits2(BITS, r, h, next, whole, (mpfr_ptr)0);
    mpfr_set_d(r, error, MPFR_RNDN);
    mpfr_div_ui(r, r, m, MPFR_RNDN);
    mpfr_mul_ui(h, r, all - c, MPFR_RNDN);
    mpfr_mul_ui(r, r, c, MPFR_RNDN);
    mpfr_set_ui(whole, all, MPFR_RNDN);
    mpfr_div_ui(whole, whole, m, MPFR_RNDN);
    bool found = false;
    for (unsigned long i = c; i-- > 0 && !found;) {
        least(next, r, parameter, delta);
        if (mpfr_cmp(next, h) <= 0) break;
        mpfr_sub(h, next, h, MPFR_RNDN);
        mpfr_mul_ui(h, h, i, MPFR_RNDN);
        mpfr_div_ui(h, h, all - i, MPFR_RNDN);
        mpfr_add(r, r, h, MPFR_RNDN);
        mpfr_set(h, next, MPFR_RNDN);
        mpfr_add(next, r, h, MPFR_RNDN);
        found = mpfr_cmp(next, whole) > 0;
    }
    mpfr_clears(r, h, next, whole, (mpfr_ptr)0);
    return found;
}

/* --- bounds ------------------------------------------------------------------------------------ */

typedef struct counted {
    unsigned long m, all, c;
    double delta, error;
} counted;

static const counted cases[] = {
    { 12, 12, 12, 0, 0.05 },        { 100, 10, 10, 1e-5, 0.05 },      { 100, 100, 70, 1e-3, 0.01 },
    { 1000, 100, 90, 1e-5, 0.05 },  { 1000, 100, 80, 1e-5, 0.0025 },  { 1000, 1000, 600, 1e-6, 0.05 },
    { 1000, 20, 20, 0, 1e-6 },      { 10000, 1000, 900, 1e-5, 0.05 }, { 10000, 100, 99, 1e-9, 1e-3 },
    { 100000, 1000, 990, 0, 1e-6 },
};

static void check(least_of *least, double bound, const counted *k)
{
    if (bound > 0) assert_true(refutes(least, bound, k->delta, k->m, k->all, k->c, k->error));
    assert_false(refutes(least, bound * (1 + 1e-6) + 1e-8, k->delta, k->m, k->all, k->c, k->error));
}

static void epsilons_are_refuted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const counted *k = &cases[i];
        check(point_least, dusk_one_run_fdp_epsilon_down(k->m, k->all, k->c, k->delta, k->error), k);
    }
}

static void mus_are_refuted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const counted *k = &cases[i];
        check(gaussian_least, dusk_one_run_mu_down(k->m, k->all, k->c, k->error), k);
    }
}

/* --- the chance of right guesses ------------------------------------------------------------------ */

/* P(Bin(r, e^epsilon / (1 + e^epsilon)) >= v), all terms from the top. */
static void plain_tail(mpfr_t out, unsigned long r, unsigned long v, double epsilon)
{
    mpfr_t term, odds, work;
    mpfr_inits2(BITS, term, odds, work, (mpfr_ptr)0);
    mpfr_set_d(odds, epsilon, MPFR_RNDN);
    mpfr_exp(odds, odds, MPFR_RNDN);
    mpfr_add_ui(work, odds, 1, MPFR_RNDN);
    mpfr_div(term, odds, work, MPFR_RNDN);
    mpfr_pow_ui(term, term, r, MPFR_RNDN);
    mpfr_set_zero(out, 1);
    for (unsigned long k = r;; k--) {
        mpfr_add(out, out, term, MPFR_RNDN);
        if (k == v) break;
        mpfr_mul_ui(term, term, k, MPFR_RNDN); /* the term at k - 1 */
        mpfr_div_ui(term, term, r - k + 1, MPFR_RNDN);
        mpfr_div(term, term, odds, MPFR_RNDN);
    }
    mpfr_clears(term, odds, work, (mpfr_ptr)0);
}

static void chances_are_enclosed(void **state)
{
    static const double epsilons[] = { 0, 0.01, 0.5, 3, 12 };
    static const unsigned long guesses[] = { 1, 10, 333, 5000, 40000 };
    mpfr_t exact, up;
    (void)state;
    mpfr_inits2(BITS, exact, up, (mpfr_ptr)0);
    for (size_t e = 0; e < 5; e++)
        for (size_t g = 0; g < 5; g++)
            for (unsigned long r = guesses[g], step = r / 7 + 1, v = r; v <= r;
                 v -= v > step ? step : v + r + 1) {
                double chance = dusk_one_run_chance_up(100000, r, v, epsilons[e], 0);
                plain_tail(exact, r, v, epsilons[e]);
                mpfr_set_d(up, chance, MPFR_RNDN);
                assert_true(chance == 1 || mpfr_cmp(up, exact) >= 0);
                mpfr_mul_d(exact, exact, 1 + 1e-9, MPFR_RNDN);
                if (chance < 1 && chance > 1e-280) assert_true(mpfr_cmp(up, exact) <= 0);
            }
    mpfr_clears(exact, up, (mpfr_ptr)0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(epsilons_are_refuted),
        cmocka_unit_test(mus_are_refuted),
        cmocka_unit_test(chances_are_enclosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
