/* SPDX-License-Identifier: Apache-2.0 */
/* Brackets end adjacent (or within the tolerance), keep opposite signs, hold
 * the root, and cost little more than bisection at worst. */
#include <float.h>
#include <math.h>

#include "numeric/root.h"
#include "support.h"

static int calls;

static double cubic(double x, const void *c) { return calls++, x * x * x - *(const double *)c; }
static double step(double x, const void *c) { return calls++, x < *(const double *)c ? -1 : 1; }
static double falling(double x, const void *c) { return calls++, exp(-x) - *(const double *)c; }
static double steep(double x, const void *c) { return calls++, pow(x, 101) - *(const double *)c; }
static double infinite(double x, const void *c)
{
    return calls++, x < *(const double *)c ? -INFINITY : INFINITY;
}
static double hole(double x, const void *c) { return x > 0.25 && x < 0.75 ? NAN : x - *(const double *)c; }
static double shifted(double x, const void *c) { return calls++, x - *(const double *)c; }

/* Solve, and check everything that the header promises. */
static void check(dusk_function *f, double a, double b, double c, int most_calls)
{
    calls = 0;
    assert_int_equal(dusk_root_bracket(&a, &b, 0, f, &c), 0);
    int used = calls;
    double fa = f(a, &c), fb = f(b, &c);
    assert_true(a == b ? fa == 0 : nextafter(a, INFINITY) == b);
    assert_true(a == b || (fa < 0) != (fb < 0));
    if (used > most_calls)
        fail_msg("%d evaluations for the root near %.17g, at most %d allowed", used, a, most_calls);
}

static void test_adjacent(void **state)
{
    (void)state;
    check(cubic, 0, 2, 2, 30);
    check(cubic, -1, 100, 0.001, 30);
    check(cubic, -5, 3, -20, 30);
    check(falling, 0, 800, 1e-6, 30);
    check(falling, -5, 5, 3, 30);
    check(steep, 0, 10, 0.5, 50);
    check(shifted, 0, 1, 0.3, 15);
}

/* Nothing can be learnt but the sign: 64 halvings, 20 more, and two ends. */
static void test_worst_case(void **state)
{
    (void)state;
    check(step, 0, 1, 0.3, 86);
    check(step, -DBL_MAX, DBL_MAX, DBL_TRUE_MIN, 86);
    check(step, -INFINITY, INFINITY, -1e-300, 86);
    check(step, -1, 1, 1, 86);
    check(infinite, -1e10, 1e10, 123.5, 86);
}

static void test_exact_zero(void **state)
{
    (void)state;
    double a = 0, b = 8, c = 8;
    assert_int_equal(dusk_root_bracket(&a, &b, 0, cubic, &c), 0);
    assert_true(a == 2 ? b == 2 : nextafter(a, 9) == b);
    a = 2, b = 5;
    assert_int_equal(dusk_root_bracket(&a, &b, 0, cubic, &c), 0); /* an end is the root */
    assert_true(a == 2 && b == 2);
    a = 1, b = 2;
    assert_int_equal(dusk_root_bracket(&a, &b, 0, cubic, &c), 0);
    assert_true(a == 2 && b == 2);
}

static void test_tolerance(void **state)
{
    (void)state;
    double a = 0, b = 1, c = 0.3;
    calls = 0;
    assert_int_equal(dusk_root_bracket(&a, &b, 1e-3, step, &c), 0);
    assert_true(b - a <= 1e-3 && a < 0.3 && b >= 0.3);
    assert_true(calls < 40);
    a = 0, b = 1, calls = 0;
    assert_int_equal(dusk_root_bracket(&a, &b, 2, step, &c), 0); /* nothing to do */
    assert_true(a == 0 && b == 1 && calls == 2);
}

static void test_no_bracket(void **state)
{
    (void)state;
    double a = 3, b = 5, c = 1;
    assert_int_equal(dusk_root_bracket(&a, &b, 0, cubic, &c), -1); /* same signs */
    assert_true(a == 3 && b == 5);
    a = 5, b = 0;
    assert_int_equal(dusk_root_bracket(&a, &b, 0, cubic, &c), -1); /* ends exchanged */
    a = NAN, b = 1;
    assert_int_equal(dusk_root_bracket(&a, &b, 0, cubic, &c), -1);
    a = 0, b = 1, c = 0.5;
    assert_int_equal(dusk_root_bracket(&a, &b, 0, hole, &c), -1); /* NaN on the way */
    assert_true(a == 0 && b == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adjacent),   cmocka_unit_test(test_worst_case),
        cmocka_unit_test(test_exact_zero), cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_no_bracket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
