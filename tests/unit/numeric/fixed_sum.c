/* SPDX-License-Identifier: Apache-2.0 */
/* Grid sums: each row is clamped and truncated toward zero exactly (against
 * GMP rationals), NaN and infinities land inside the bounds, and nothing
 * wraps or depends on the order. */
#include <float.h>
#include <math.h>
#include <string.h>

#include <gmp.h>

#include "numeric/fixed_sum.h"
#include "support.h"

static uint64_t seed;

static uint64_t random_bits(void) { return splitmix64(&seed); }

/* trunc(clamp(x) / 2^grid), with the NaN rule, in rationals. */
static int64_t true_round(double x, const dusk_fixed_clamp *clamp)
{
    if (isnan(x)) x = 0;
    if (x < clamp->lower) x = clamp->lower;
    if (x > clamp->upper) x = clamp->upper;
    mpq_t q;
    mpz_t k;
    mpq_init(q);
    mpz_init(k);
    mpq_set_d(q, x);
    if (clamp->grid > 0)
        mpq_div_2exp(q, q, (mp_bitcnt_t)clamp->grid);
    else
        mpq_mul_2exp(q, q, (mp_bitcnt_t)-clamp->grid);
    mpz_tdiv_q(k, mpq_numref(q), mpq_denref(q));
    int64_t result = mpz_get_si(k);
    mpz_clear(k);
    mpq_clear(q);
    return result;
}

static void check(double x, const dusk_fixed_clamp *clamp)
{
    int64_t got = dusk_fixed_round(x, clamp), want = true_round(x, clamp);
    if (got != want)
        fail_msg("round(%a) in [%a, %a] on 2^%d is %lld, not %lld", x, clamp->lower, clamp->upper,
                 clamp->grid, (long long)got, (long long)want);
}

/* Bounds of up to 62 bits above a grid anywhere. */
static dusk_fixed_clamp random_clamp(void)
{
    int grid = (int)(random_bits() % 2045) - 1074;
    if (grid > 960) grid = 960;
    double a, b;
    do {
        a = ldexp((double)(int64_t)random_bits() * 0x1p-1, grid - (int)(random_bits() % 70));
        b = ldexp((double)(int64_t)random_bits() * 0x1p-1, grid - (int)(random_bits() % 70));
    } while (!isfinite(a) || !isfinite(b));
    return (dusk_fixed_clamp){ .lower = fmin(a, b), .upper = fmax(a, b), .grid = grid };
}

static void test_random_rows(void **state)
{
    (void)state;
    seed = 1;
    for (int i = 0; i < 20000; i++) {
        dusk_fixed_clamp clamp = random_clamp();
        double inside = clamp.lower + (clamp.upper - clamp.lower) * ((double)(random_bits() >> 11) * 0x1p-53);
        check(inside, &clamp);
        check(clamp.lower, &clamp);
        check(clamp.upper, &clamp);
        check(from_bits(random_bits()), &clamp);
        check(ldexp((double)(random_bits() % 9) - 4, clamp.grid - (int)(random_bits() % 3)), &clamp);
    }
}

/* A11: what slips through fmin, fmax and numpy.clip. */
static void test_hostile_rows(void **state)
{
    (void)state;
    static const double hostile[] = { NAN,          -NAN,          INFINITY, -INFINITY, 0.0,      -0.0,
                                      DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_MIN,  DBL_MAX,   -DBL_MAX, 1e-310 };
    static const dusk_fixed_clamp clamps[] = { { -3, 7, -4 },
                                               { 2, 7, -4 },
                                               { -7, -2.03125, -4 },
                                               { 0, 0, 0 },
                                               { 0, 1, 970 },
                                               { -1e-320, 1e-320, -1074 },
                                               { -DBL_MAX, DBL_MAX, 962 } };
    for (size_t i = 0; i < sizeof clamps / sizeof *clamps; i++) {
        for (size_t j = 0; j < sizeof hostile / sizeof *hostile; j++) check(hostile[j], &clamps[i]);
    }
    assert_true(dusk_fixed_round(NAN, &clamps[0]) == 0);
    assert_true(dusk_fixed_round(NAN, &clamps[1]) == 32);
    assert_true(dusk_fixed_round(NAN, &clamps[2]) == -32); /* -2.03125 is -32.5 steps: toward zero */
    assert_true(dusk_fixed_round(INFINITY, &clamps[0]) == 112 &&
                dusk_fixed_round(-INFINITY, &clamps[0]) == -48);
}

static void test_truncation(void **state)
{
    (void)state;
    dusk_fixed_clamp clamp = { -10, 10, 0 };
    assert_true(dusk_fixed_round(1.999, &clamp) == 1 && dusk_fixed_round(-1.999, &clamp) == -1);
    assert_true(dusk_fixed_round(nextafter(3, 0), &clamp) == 2 && dusk_fixed_round(-0.9, &clamp) == 0);
    clamp.grid = 2;
    assert_true(dusk_fixed_round(7.999, &clamp) == 1 && dusk_fixed_round(-10, &clamp) == -2);
    clamp = (dusk_fixed_clamp){ -0x1p-1012, 0x1p-1012, -1074 };
    assert_true(dusk_fixed_round(INFINITY, &clamp) == (int64_t)1 << 62);
    assert_true(dusk_fixed_round(DBL_TRUE_MIN, &clamp) == 1);
}

static void test_sum_is_rows(void **state)
{
    (void)state;
    enum { COUNT = 3001 };
    static double x[COUNT];
    seed = 2;
    for (int round = 0; round < 50; round++) {
        dusk_fixed_clamp clamp = random_clamp();
        dusk_int128 want = 0;
        size_t n = random_bits() % COUNT;
        for (size_t i = 0; i < n; i++) {
            x[i] = i % 3 ? ldexp((double)(int64_t)random_bits(), clamp.grid - 3) : from_bits(random_bits());
            want += true_round(x[i], &clamp);
        }
        assert_true(dusk_fixed_sum(x, n, &clamp) == want);
        size_t cut = n / 3;
        assert_true(dusk_fixed_sum(x, cut, &clamp) + dusk_fixed_sum(x + cut, n - cut, &clamp) == want);
    }
    dusk_fixed_clamp clamp = { 1, 2, 0 };
    assert_true(dusk_fixed_sum(NULL, 0, &clamp) == 0);
}

/* A8: 2^40 rows at the bound, as 2^30 partial sums of 2^10 rows each. */
static void test_no_wrap(void **state)
{
    (void)state;
    static double x[1024];
    for (int sign = -1; sign <= 1; sign += 2) {
        for (size_t i = 0; i < 1024; i++) x[i] = sign * DBL_MAX;
        dusk_fixed_clamp clamp = { -0x1p62, 0x1p62, 0 };
        dusk_int128 part = dusk_fixed_sum(x, 1024, &clamp);
        assert_true(part == (dusk_int128)sign * ((dusk_int128)1 << 72));
        dusk_int128 total = part;
        for (int i = 0; i < 30; i++) total += total;
        assert_true(total == (dusk_int128)sign * ((dusk_int128)1 << 102));
        assert_true(dusk_fixed_value(total, 0) == sign * 0x1p102);
    }
}

/* A9: no saturation on the way, so no order is special. */
static void test_no_saturation(void **state)
{
    (void)state;
    dusk_fixed_clamp clamp = { -0x1p62, 0x1p62, 0 };
    double orders[3][6] = { { 0x1p62, 0x1p62, 1, -1, -0x1p62, 5 },
                            { 5, -1, 0x1p62, 1, 0x1p62, -0x1p62 },
                            { 1, -0x1p62, 5, 0x1p62, -1, 0x1p62 } };
    for (int i = 0; i < 3; i++)
        assert_true(dusk_fixed_sum(orders[i], 6, &clamp) == ((dusk_int128)1 << 62) + 5);
}

static void test_value(void **state)
{
    (void)state;
    assert_true(dusk_fixed_value(0, 100) == 0 && dusk_fixed_value(-3, -2) == -0.75);
    assert_true(dusk_fixed_value(1, -1074) == DBL_TRUE_MIN &&
                dusk_fixed_value(-5, -1074) == -5 * DBL_TRUE_MIN);
    dusk_int128 big = ((dusk_int128)1 << 100) + 1;
    assert_true(dusk_fixed_value(big, -100) == 1);
    assert_true(dusk_fixed_value(((dusk_int128)1 << 53) + 1, 0) == 0x1p53); /* tie, to even */
    assert_true(dusk_fixed_value(((dusk_int128)1 << 53) + 3, -1074) == ldexp(0x1p53 + 4, -1074));
    assert_true(dusk_fixed_value(((dusk_int128)1 << 54), 970) == INFINITY);
    assert_true(dusk_fixed_value(-((dusk_int128)1 << 53), 970) == -0x1p1023);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_rows), cmocka_unit_test(test_hostile_rows),
        cmocka_unit_test(test_truncation),  cmocka_unit_test(test_sum_is_rows),
        cmocka_unit_test(test_no_wrap),     cmocka_unit_test(test_no_saturation),
        cmocka_unit_test(test_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
