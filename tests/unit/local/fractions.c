/* SPDX-License-Identifier: Apache-2.0 */
/* Fractions keep an epsilon to the last of 2^64 parts, and what is said of them is never below the truth. */
#include <math.h>
#include <mpfr.h>

#include "local/protocol.h"
#include "support.h"

/* The sign of ln(p weight / (2^64 - p)) - epsilon, at 400 bits. */
static int above(uint64_t p, double weight, double epsilon)
{
    mpfr_t x, y;
    mpfr_inits2(400, x, y, (mpfr_ptr)0);
    mpfr_set_ui_2exp(y, 1, 64, MPFR_RNDN);
    mpfr_sub_ui(y, y, p, MPFR_RNDN);
    mpfr_set_ui(x, p, MPFR_RNDN);
    mpfr_mul_d(x, x, weight, MPFR_RNDN);
    mpfr_div(x, x, y, MPFR_RNDN);
    mpfr_log(x, x, MPFR_RNDN);
    const int sign = mpfr_cmp_d(x, epsilon);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return sign;
}

static void keep(void **state)
{
    (void)state;
    for (double epsilon = 0.001; epsilon < 40; epsilon *= 1.7)
        for (double weight = 1; weight < 0x1p33; weight *= 3.9) {
            const uint64_t p = local_keep_down(epsilon, weight);
            assert_true(above(p, weight, epsilon) <= 0);
            if (p < UINT64_MAX) assert_true(above(p + 1, weight, epsilon) > 0);
        }
    assert_int_equal(local_keep_down(1, 0x1p100), 1);
    assert_true(local_keep_down(40, 1) == UINT64_MAX - 78); /* 2^64 / (1 + e^-40) */
}

static void ratio(void **state)
{
    (void)state;
    for (uint64_t a = 1; a < UINT64_MAX / 7; a = 5 * a + 3)
        for (uint64_t b = 1; b < UINT64_MAX / 7; b = 6 * b + 1) {
            const long double truth = fabsl(logl((long double)a) - logl((long double)b));
            const double up = local_log_ratio_up(a, b);
            assert_true((long double)up >= truth * (1 - 1e-17L) - 1e-17L &&
                        (long double)up <= truth * (1 + 3e-16L) + 1e-17L);
            assert_true(up == local_log_ratio_up(b, a));
        }
    /* not a double: it must be the one above */
    assert_true(local_log_ratio_up(3, 1) > 1.09861228866810969L &&
                local_log_ratio_up(3, 1) < 1.0986122886681101L);
    assert_true(local_log_odds_up((uint64_t)1 << 63, 1, 1) == 0);
    assert_true(local_log_odds_up((uint64_t)1 << 62, 3, 1) == 0);
    assert_true(local_log_odds_up((uint64_t)1 << 63, 3, 1) == local_log_ratio_up(3, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keep),
        cmocka_unit_test(ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
