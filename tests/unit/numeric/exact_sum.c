/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums: correctly rounded (against MPFR at 2200 bits, which holds any
 * sum of doubles), the same for every order and every cut, and immune to the
 * rounding, repeated-rounding and re-ordering attacks on float sums
 * (Casacuberta et al., CCS 2022). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "dusk/numeric.h"
#include "support.h"

static uint64_t seed;

static uint64_t random_bits(void) { return splitmix64(&seed); }

static double random_finite(void)
{
    double x;
    do x = from_bits(random_bits());
    while (!isfinite(x));
    return x;
}

static double sum_of(const double *x, size_t n)
{
    dusk_exact_sum sum;
    dusk_exact_sum_init(&sum);
    dusk_exact_sum_add(&sum, x, n);
    return dusk_exact_sum_value(&sum);
}

static double true_sum(const double *x, size_t n)
{
    mpfr_t sum;
    mpfr_init2(sum, 2200);
    mpfr_set_zero(sum, 1);
    for (size_t i = 0; i < n; i++) mpfr_add_d(sum, sum, x[i], MPFR_RNDN);
    double value = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clear(sum);
    return value;
}

static void check(const double *x, size_t n)
{
    double got = sum_of(x, n), want = true_sum(x, n);
    if (got != want) fail_msg("sum of %zu values is %a, not %a", n, got, want);
}

static void shuffle(double *x, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = random_bits() % i;
        double t = x[i - 1];
        x[i - 1] = x[j];
        x[j] = t;
    }
}

/* --- against the truth ------------------------------------------------- */

static void test_single_values(void **state)
{
    (void)state;
    static const double special[] = { 0.0,      1.0,     -1.0,         0.1,          DBL_MAX,
                                      -DBL_MAX, DBL_MIN, DBL_TRUE_MIN, -DBL_TRUE_MIN };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        assert_true(sum_of(&special[i], 1) == special[i]);
    seed = 1;
    for (int i = 0; i < 100000; i++) {
        double x = random_finite();
        assert_true(sum_of(&x, 1) == x);
    }
    assert_true(sum_of(NULL, 0) == 0 && !signbit(sum_of(NULL, 0)));
}

static void test_random_sums(void **state)
{
    (void)state;
    static double x[5000];
    seed = 2;
    for (int round = 0; round < 60; round++) {
        size_t n = 1 + random_bits() % 5000;
        int kind = round % 4;
        for (size_t i = 0; i < n; i++) {
            double any = random_finite();
            int exponent;
            double significand = frexp(any, &exponent);
            x[i] = kind == 0   ? any
                   : kind == 1 ? ldexp(significand, exponent / 32)        /* everyday sizes */
                   : kind == 2 ? ldexp(significand, exponent / 16 - 1030) /* around subnormals */
                               : fabs(ldexp(significand, exponent / 16 + 500));
        }
        check(x, n);
    }
}

/* Sums that cancel down to little, or to nothing. */
static void test_cancellation(void **state)
{
    (void)state;
    static double x[4002];
    seed = 3;
    for (int round = 0; round < 40; round++) {
        for (size_t i = 0; i < 2000; i++) {
            x[2 * i] = random_finite();
            x[2 * i + 1] = -x[2 * i];
        }
        x[4000] = ldexp(1.0, (int)(random_bits() % 2000) - 1060);
        x[4001] = -x[4000] * 0.5;
        shuffle(x, 4002);
        check(x, 4002);
    }
    for (size_t i = 0; i < 2000; i++) x[2 * i + 1] = -(x[2 * i] = random_finite());
    shuffle(x, 4000);
    assert_true(sum_of(x, 4000) == 0 && !signbit(sum_of(x, 4000)));
}

static void test_ties(void **state)
{
    (void)state;
    assert_true(sum_of((double[]){ 0x1p53, 1 }, 2) == 0x1p53);                /* tie, to even */
    assert_true(sum_of((double[]){ 0x1p53 + 2, 1 }, 2) == 0x1p53 + 4);        /* tie, to even */
    assert_true(sum_of((double[]){ 0x1p53, 1, 0x1p-1000 }, 3) == 0x1p53 + 2); /* just above the tie */
    assert_true(sum_of((double[]){ 0x1p53 + 2, 1, -DBL_TRUE_MIN }, 3) == 0x1p53 + 2);
    assert_true(sum_of((double[]){ -0x1p53, -1 }, 2) == -0x1p53);
    assert_true(sum_of((double[]){ -0x1p53, -1, -0x1p-1000 }, 3) == -0x1p53 - 2);
    assert_true(sum_of((double[]){ DBL_MIN, -DBL_TRUE_MIN }, 2) == DBL_MIN - DBL_TRUE_MIN);
    assert_true(sum_of((double[]){ 0x1.fffffffffffffp0, 0x1p-53 }, 2) == 2); /* rounds up a binade */
}

static void test_overflow(void **state)
{
    (void)state;
    const double half_step = 0x1p970; /* half the last place of DBL_MAX */
    assert_true(sum_of((double[]){ DBL_MAX, DBL_MAX }, 2) == INFINITY);
    assert_true(sum_of((double[]){ -DBL_MAX, -DBL_MAX }, 2) == -INFINITY);
    assert_true(sum_of((double[]){ DBL_MAX, DBL_MAX, -DBL_MAX }, 3) == DBL_MAX);
    assert_true(sum_of((double[]){ DBL_MAX, half_step }, 2) == INFINITY);
    assert_true(sum_of((double[]){ DBL_MAX, half_step, -DBL_TRUE_MIN }, 3) == DBL_MAX);
    assert_true(sum_of((double[]){ -DBL_MAX, -half_step, DBL_TRUE_MIN }, 3) == -DBL_MAX);
}

/* --- attacks ----------------------------------------------------------- */

static void fill(double *x, size_t n, double value)
{
    for (size_t i = 0; i < n; i++) x[i] = value;
}

/* A naive sum adds 2000 here. */
static void test_attack_rounding(void **state)
{
    (void)state;
    double x[1002];
    x[0] = 0x1p53;
    fill(x + 1, 1000, 1 + DBL_EPSILON);
    assert_true(sum_of(x, 1001) == 0x1p53 + 1000);
    x[1001] = -0x1p53;
    assert_true(sum_of(x, 1002) == 1000.0000000000002);
}

/* One row of 4 in front moves a naive sum by 2004. */
static void test_attack_repeated_rounding(void **state)
{
    (void)state;
    static double x[1 + 1024 + 2000];
    x[0] = 4;
    fill(x + 1, 1023, 0x1p43);
    x[1024] = 0x1p43 - 4;
    for (size_t i = 0; i < 1000; i++) {
        x[1025 + 2 * i] = 1 + DBL_EPSILON;
        x[1026 + 2 * i] = -(1 - DBL_EPSILON / 2);
    }
    dusk_exact_sum with, without;
    dusk_exact_sum_init(&with);
    dusk_exact_sum_init(&without);
    dusk_exact_sum_add(&with, x, 3025);
    dusk_exact_sum_add(&without, x + 1, 3024);
    double minus = -dusk_exact_sum_value(&without);
    assert_true(dusk_exact_sum_value(&with) + minus == 4);
    double small[] = { 2, 0x1p53, 1, 1, 1 };
    assert_true(sum_of(small, 5) - sum_of(small + 1, 4) <= 2);
}

static void test_attack_order(void **state)
{
    (void)state;
    double first[1001], last[1001];
    first[0] = last[1000] = 0x1p53;
    fill(first + 1, 1000, 1);
    fill(last, 1000, 1);
    assert_true(sum_of(first, 1001) == 0x1p53 + 1000 && sum_of(last, 1001) == 0x1p53 + 1000);
}

/* --- order, pieces, merging -------------------------------------------- */

static void test_any_cut(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static double x[COUNT];
    seed = 4;
    for (size_t i = 0; i < COUNT; i++) x[i] = random_finite();
    double want = sum_of(x, COUNT);
    assert_true(want == true_sum(x, COUNT));
    for (int round = 0; round < 30; round++) {
        shuffle(x, COUNT);
        dusk_exact_sum part[3];
        for (int k = 0; k < 3; k++) dusk_exact_sum_init(&part[k]);
        for (size_t at = 0; at < COUNT;) {
            size_t n = round == 0 ? 1 : 1 + random_bits() % 3000;
            if (n > COUNT - at) n = COUNT - at;
            dusk_exact_sum_add(&part[random_bits() % 3], x + at, n);
            at += n;
        }
        dusk_exact_sum_merge(&part[0], &part[1]);
        dusk_exact_sum_merge(&part[0], &part[2]);
        assert_true(dusk_exact_sum_value(&part[0]) == want);
    }
}

/* Doubling by merging with a copy of itself: 2^62 values of DBL_MAX, and back. */
static void test_many(void **state)
{
    (void)state;
    dusk_exact_sum sum, copy, less;
    dusk_exact_sum_init(&sum);
    dusk_exact_sum_add(&sum, (double[]){ -DBL_MAX }, 1);
    for (int i = 0; i < 61; i++) {
        copy = sum;
        dusk_exact_sum_merge(&sum, &copy);
    }
    assert_true(dusk_exact_sum_value(&sum) == -INFINITY);
    dusk_exact_sum_init(&less);
    dusk_exact_sum_add(&less, (double[]){ DBL_MAX }, 1);
    for (int i = 0; i < 61; i++) {
        copy = less;
        dusk_exact_sum_merge(&less, &copy);
    }
    dusk_exact_sum_add(&less, (double[]){ 0.1 }, 1);
    dusk_exact_sum_merge(&sum, &less);
    assert_true(dusk_exact_sum_value(&sum) == 0.1);
}

/* The same digit hit every time: carries must not be late. */
static void test_full_digits(void **state)
{
    (void)state;
    enum { COUNT = 9000 };
    static double x[COUNT];
    for (int exponent = -1074; exponent <= 900; exponent += 47) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double value = sign * ldexp(0x1.fffffffffffffp52, exponent);
            fill(x, COUNT, value);
            assert_true(sum_of(x, COUNT) == COUNT * value);
            dusk_exact_sum sum;
            dusk_exact_sum_init(&sum);
            for (size_t i = 0; i < COUNT; i++) dusk_exact_sum_add(&sum, x + i, 1);
            assert_true(dusk_exact_sum_value(&sum) == COUNT * value);
        }
    }
}

static void test_skipped(void **state)
{
    (void)state;
    static double x[3000];
    fill(x, 3000, 0.25);
    x[0] = NAN;
    x[1] = INFINITY;
    x[1500] = -INFINITY;
    x[2999] = from_bits(0xfff8000000000001);
    dusk_exact_sum sum, other;
    dusk_exact_sum_init(&sum);
    dusk_exact_sum_add(&sum, x, 3000);
    assert_true(dusk_exact_sum_skipped(&sum) == 4 && dusk_exact_sum_value(&sum) == 749);
    other = sum;
    dusk_exact_sum_merge(&sum, &other);
    assert_true(dusk_exact_sum_skipped(&sum) == 8 && dusk_exact_sum_value(&sum) == 1498);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_values),
        cmocka_unit_test(test_random_sums),
        cmocka_unit_test(test_cancellation),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_attack_rounding),
        cmocka_unit_test(test_attack_repeated_rounding),
        cmocka_unit_test(test_attack_order),
        cmocka_unit_test(test_any_cut),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_full_digits),
        cmocka_unit_test(test_skipped),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
