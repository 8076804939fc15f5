/* SPDX-License-Identifier: Apache-2.0 */
/* Directed rounding against MPFR: every result must be the correctly rounded
 * one, on random bit patterns (which are mostly extreme), on close and exact
 * cases, and among subnormals. */
#include <float.h>
#include <math.h>
#include <string.h>

#include <mpfr.h>

#include "numeric/rounding.h"
#include "support.h"

static uint64_t seed;

static uint64_t random_bits(void) { return splitmix64(&seed); }

/* Any double, one of moderate size, one with few bits, or a subnormal. */
static double random_double(void)
{
    uint64_t bits = random_bits();
    double x = from_bits(random_bits());
    switch (bits % 4) {
    case 0: return x;
    case 1: return ldexp((double)(int64_t)bits, (int)(bits >> 8 & 63) - 95);
    case 2: return ldexp((double)(int8_t)(bits >> 8), (int)(bits >> 16 & 4095) - 2048);
    default: return from_bits(random_bits() & 0x800fffffffffffff);
    }
}

static int same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* --- two operands ------------------------------------------------------ */

typedef double operation(double a, double b);
typedef int wide_operation(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t direction);

static void check_pair(const char *name, operation *f, wide_operation *truth, mpfr_rnd_t direction, double a,
                       double b)
{
    MPFR_DECL_INIT(wa, 53);
    MPFR_DECL_INIT(wb, 53);
    mpfr_set_d(wa, a, MPFR_RNDN);
    mpfr_set_d(wb, b, MPFR_RNDN);
    truth(wa, wa, wb, direction);
    double want = mpfr_get_d(wa, direction), got = f(a, b);
    if (!same(got, want)) fail_msg("%s(%a, %a) = %a, not %a", name, a, b, got, want);
}

static void check_operations(double a, double b)
{
    check_pair("add_up", dusk_add_up, mpfr_add, MPFR_RNDU, a, b);
    check_pair("add_down", dusk_add_down, mpfr_add, MPFR_RNDD, a, b);
    check_pair("sub_up", dusk_sub_up, mpfr_sub, MPFR_RNDU, a, b);
    check_pair("sub_down", dusk_sub_down, mpfr_sub, MPFR_RNDD, a, b);
    check_pair("mul_up", dusk_mul_up, mpfr_mul, MPFR_RNDU, a, b);
    check_pair("mul_down", dusk_mul_down, mpfr_mul, MPFR_RNDD, a, b);
    check_pair("div_up", dusk_div_up, mpfr_div, MPFR_RNDU, a, b);
    check_pair("div_down", dusk_div_down, mpfr_div, MPFR_RNDD, a, b);
}

static void test_random_pairs(void **state)
{
    (void)state;
    seed = 1;
    for (int i = 0; i < 60000; i++) check_operations(random_double(), random_double());
}

/* Results at the edge of underflow and overflow, where residuals vanish. */
static void test_edge_pairs(void **state)
{
    (void)state;
    seed = 2;
    for (int i = 0; i < 60000; i++) {
        double a = random_double(), b = random_double();
        if (!isfinite(a) || !isfinite(b) || a == 0 || b == 0) continue;
        int exponent = (int[]){ -1080, -1074, -1022, -968, 1022, 1023 }[i % 6], ea, eb;
        a = frexp(a, &ea);
        b = frexp(b, &eb);
        int split = (int)(random_bits() % 1000) - 500;
        check_operations(ldexp(a, exponent / 2 + split), ldexp(b, exponent - exponent / 2 - split));
        check_operations(ldexp(a, exponent / 2 + split), ldexp(b, exponent / 2 - exponent + split));
        check_operations(ldexp(a, exponent), ldexp(b, exponent - split / 8));
    }
}

static void test_special_pairs(void **state)
{
    (void)state;
    static const double special[] = { 0.0,       -0.0,     1.0,           -3.0,         DBL_MAX,  -DBL_MAX,
                                      DBL_MIN,   INFINITY, -DBL_TRUE_MIN, DBL_TRUE_MIN, -DBL_MIN, NAN,
                                      -INFINITY, 0.1 };
    enum { COUNT = sizeof special / sizeof *special };
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) check_operations(special[i], special[j]);
    }
}

/* --- one operand ------------------------------------------------------- */

typedef double function(double x);
typedef int wide_function(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t direction);

/* The truth is taken at 160 bits first, so that it does not share the path of
 * the implementation; a second rounding in the same direction is harmless. */
static void check_one(const char *name, function *f, wide_function *truth, mpfr_rnd_t direction, double x)
{
    MPFR_DECL_INIT(wide, 160);
    mpfr_set_d(wide, x, MPFR_RNDN);
    truth(wide, wide, direction);
    double want = mpfr_get_d(wide, direction), got = f(x);
    if (!same(got, want)) fail_msg("%s(%a) = %a, not %a", name, x, got, want);
}

static void check_functions(double x)
{
    check_one("sqrt_up", dusk_sqrt_up, mpfr_sqrt, MPFR_RNDU, x);
    check_one("sqrt_down", dusk_sqrt_down, mpfr_sqrt, MPFR_RNDD, x);
    check_one("exp_up", dusk_exp_up, mpfr_exp, MPFR_RNDU, x);
    check_one("exp_down", dusk_exp_down, mpfr_exp, MPFR_RNDD, x);
    check_one("expm1_up", dusk_expm1_up, mpfr_expm1, MPFR_RNDU, x);
    check_one("expm1_down", dusk_expm1_down, mpfr_expm1, MPFR_RNDD, x);
    check_one("log_up", dusk_log_up, mpfr_log, MPFR_RNDU, x);
    check_one("log_down", dusk_log_down, mpfr_log, MPFR_RNDD, x);
    check_one("log1p_up", dusk_log1p_up, mpfr_log1p, MPFR_RNDU, x);
    check_one("log1p_down", dusk_log1p_down, mpfr_log1p, MPFR_RNDD, x);
}

static void test_functions(void **state)
{
    (void)state;
    seed = 3;
    for (int i = 0; i < 3000; i++) {
        check_functions(random_double());
        check_functions((double)(int64_t)random_bits() * 0x1p-53); /* exp overflows and underflows within */
    }
    static const double special[] = { 0.0,          -0.0,   1.0,  -1.0, 2.0,      DBL_MAX,
                                      -DBL_MAX,     1e-300, -0.5, NAN,  INFINITY, -INFINITY,
                                      DBL_TRUE_MIN, -745.2, -744, 709.8 };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) check_functions(special[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_pairs),
        cmocka_unit_test(test_edge_pairs),
        cmocka_unit_test(test_special_pairs),
        cmocka_unit_test(test_functions),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
