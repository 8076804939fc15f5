/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds from counts up to 2^40 trials against the tails themselves in 500 bits: at the
 * lower bound the upper tail is below the error, and above nine tenths of it at a slightly
 * larger place, so that the bound is safe and sharp. Tails are summed from k outward
 * until what is left, a geometric series, is nothing. */
#include <math.h>
#include <mpfr.h>

#include "dusk/audit_mechanisms.h"
#include "support.h"

enum { BITS = 500 };

/* P(Bin(n, x) >= k) for k above the mean, to about 2^-60 relative. */
static void tail(mpfr_t out, uint64_t n, uint64_t k, const mpfr_t x)
{
    mpfr_t term, ratio, y, work;
    int sign;
    mpfr_inits2(BITS, term, ratio, y, work, (mpfr_ptr)0);
    mpfr_ui_sub(y, 1, x, MPFR_RNDN);
    mpfr_set_ui(term, n, MPFR_RNDN);
    mpfr_add_ui(term, term, 1, MPFR_RNDN);
    mpfr_lgamma(term, &sign, term, MPFR_RNDN);
    mpfr_set_ui(work, k + 1, MPFR_RNDN);
    mpfr_lgamma(work, &sign, work, MPFR_RNDN);
    mpfr_sub(term, term, work, MPFR_RNDN);
    mpfr_set_ui(work, n - k + 1, MPFR_RNDN);
    mpfr_lgamma(work, &sign, work, MPFR_RNDN);
    mpfr_sub(term, term, work, MPFR_RNDN);
    mpfr_log(work, x, MPFR_RNDN);
    mpfr_mul_ui(work, work, k, MPFR_RNDN);
    mpfr_add(term, term, work, MPFR_RNDN);
    mpfr_log(work, y, MPFR_RNDN);
    mpfr_mul_ui(work, work, n - k, MPFR_RNDN);
    mpfr_add(term, term, work, MPFR_RNDN);
    mpfr_exp(term, term, MPFR_RNDN);
    mpfr_set_prec(work, 128);
    mpfr_prec_round(term, 128, MPFR_RNDN);
    mpfr_prec_round(ratio, 128, MPFR_RNDN);
    mpfr_div(work, x, y, MPFR_RNDN);
    mpfr_set(out, term, MPFR_RNDN);
    for (uint64_t i = k; i < n; i++) {
        mpfr_mul(term, term, work, MPFR_RNDN);
        mpfr_mul_ui(term, term, n - i, MPFR_RNDN);
        mpfr_div_ui(term, term, i + 1, MPFR_RNDN);
        mpfr_add(out, out, term, MPFR_RNDN);
        if (mpfr_get_exp(term) < mpfr_get_exp(out) - 70) break;
    }
    mpfr_clears(term, ratio, y, work, (mpfr_ptr)0);
}

static double tail_at(uint64_t n, uint64_t k, double x, bool mirrored)
{
    mpfr_t t, place;
    mpfr_init2(t, 128);
    mpfr_init2(place, BITS);
    mpfr_set_d(place, x, MPFR_RNDN);
    if (mirrored) mpfr_ui_sub(place, 1, place, MPFR_RNDN);
    tail(t, n, k, place);
    double y = mpfr_get_d(t, MPFR_RNDU);
    mpfr_clears(t, place, (mpfr_ptr)0);
    return y;
}

static void check(uint64_t k, uint64_t n, double error)
{
    double down = dusk_clopper_pearson_down(k, n, error), up = dusk_clopper_pearson_up(k, n, error);
    if (k > 0) {
        double t = tail_at(n, k, down, false);
        double room = 1e-6 + 0x1p-50 / (1 - down); /* digits end near 1 */
        if (!(t <= error && t > error * (1 - 40 * room))) fail_msg("down(%lu, %lu): tail %.15g", k, n, t);
    }
    if (k < n && up < 1) { /* P(Bin(n, up) <= k) is the upper tail of the misses at 1 - up */
        double t = tail_at(n, n - k, up, true);
        /* digits end: 1 - up is a double near 1 where hits are few among very many trials */
        double room = 1e-6 + 0x1p-50 / fmin(up, 1 - up);
        if (!(t <= error && t > error * (1 - 40 * room))) fail_msg("up(%lu, %lu): tail %.15g", k, n, t);
    }
}

static void small(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 60; n++)
        for (uint64_t k = 0; k <= n; k++) {
            check(k, n, 0.025);
            check(k, n, 5e-7);
        }
}

static void large(void **state)
{
    (void)state;
    static const double errors[] = { 0.025, 5e-7, 1e-20, 1e-100 };
    for (unsigned b = 10; b <= 26; b += 4)
        for (size_t e = 0; e < 4; e++) {
            uint64_t n = (UINT64_C(1) << b) - b;
            uint64_t ks[] = { 1, 7, n / 1000, n / 10, n / 2, n - n / 10, n - 3 };
            for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) check(ks[i], n, errors[e]);
        }
}

static void huge(void **state)
{
    (void)state;
    for (unsigned b = 30; b <= 40; b += 5) {
        uint64_t n = UINT64_C(1) << b;
        uint64_t ks[] = { 1, 1000, 100000, n - 100000, n - 1 };
        for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) check(ks[i], n, 5e-7);
    }
    check(UINT64_C(1) << 37, UINT64_C(1) << 40, 5e-7); /* the slowest: many terms on both sides */
}

static void makes_no_sense(void **state)
{
    (void)state;
    static const double errors[] = { 0, 1, -1, 2, NAN, INFINITY, 1e-300 };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        assert_true(dusk_clopper_pearson_down(3, 7, errors[i]) == 0);
        assert_true(dusk_clopper_pearson_up(3, 7, errors[i]) == 1);
    }
    assert_true(dusk_clopper_pearson_down(8, 7, 0.1) == 0 && dusk_clopper_pearson_up(8, 7, 0.1) == 1);
    assert_true(dusk_clopper_pearson_down(0, 0, 0.1) == 0 && dusk_clopper_pearson_up(0, 0, 0.1) == 1);
    assert_true(dusk_clopper_pearson_down(5, UINT64_MAX, 0.1) == 0);
    assert_true(dusk_clopper_pearson_up(5, UINT64_MAX, 0.1) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small),
        cmocka_unit_test(large),
        cmocka_unit_test(huge),
        cmocka_unit_test(makes_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
