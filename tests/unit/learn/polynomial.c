/* SPDX-License-Identifier: Apache-2.0 */
/* Bernstein's operator: lines are themselves, smooth functions come nearer with every turn, and the minimum is found wherever it is in the cube. */
#include "learn/polynomial.h"

#include <math.h>
#include <stdlib.h>

#include "support.h"

enum { DEGREE = 4, WIDTH = 3, POINTS = 125 };

typedef double function(const double *t);
static double line(const double *t) { return 3 + t[0] - 2 * t[1] + 0.5 * t[2]; }
static double bowl(const double *t)
{
    double sum = 0;
    const double centre[] = { 0.3, 0.55, 0.8 };
    for (int j = 0; j < WIDTH; j++) sum += (t[j] - centre[j]) * (t[j] - centre[j]);
    return sum + 0.5 * (t[0] - 0.3) * (t[1] - 0.55);
}

static void fill(double *value, function *f)
{
    for (size_t i = 0; i < POINTS; i++) {
        size_t at[WIDTH];
        double t[WIDTH];
        learn_lattice_point(i, DEGREE, WIDTH, at);
        for (int j = 0; j < WIDTH; j++) t[j] = (double)at[j] / DEGREE;
        value[i] = f(t);
    }
}

/* The largest distance of the polynomial from f at points of a finer lattice. */
static double distance(function *f, size_t times)
{
    double value[POINTS], scratch[2 * POINTS], most = 0;
    learn_polynomial p = { DEGREE, WIDTH, POINTS, value };
    fill(value, f);
    assert_int_equal(learn_polynomial_iterate(&p, times, NULL), DUSK_OK);
    for (size_t i = 0; i < 512; i++) {
        size_t at[WIDTH];
        double t[WIDTH];
        learn_lattice_point(i, 7, WIDTH, at);
        for (int j = 0; j < WIDTH; j++) t[j] = (double)at[j] / 7;
        most = fmax(most, fabs(learn_polynomial_at(&p, t, scratch) - f(t)));
    }
    return most;
}

static void test_operator(void **unused)
{
    (void)unused;
    assert_true(distance(line, 1) < 1e-12 && distance(line, 5) < 1e-12);
    /* of t^2 the operator makes t^2 + t (1 - t) / k: 3 / 4k in the middle */
    double last = distance(bowl, 1);
    assert_true(fabs(last - 3.0 / 4 / DEGREE) < 0.05);
    for (size_t times = 2; times < 40; times *= 2) {
        double now = distance(bowl, times);
        assert_true(now < 0.75 * last);
        last = now;
    }
    assert_true(last < 1e-3); /* (1 - B)^h goes to 0 on polynomials of the degree */
}

static void test_lattice(void **unused)
{
    (void)unused;
    assert_int_equal(learn_lattice_points(2, 7, 4096), 2187);
    assert_int_equal(learn_lattice_points(2, 8, 4096), 0);
    assert_int_equal(learn_lattice_points(16, SIZE_MAX / 2, 4096), 0);
    size_t at[3];
    learn_lattice_point(1 * 25 + 4 * 5 + 2, 4, 3, at);
    assert_true(at[0] == 1 && at[1] == 4 && at[2] == 2);
}

static void test_minimum(void **unused)
{
    (void)unused;
    double value[POINTS], t[WIDTH];
    learn_polynomial p = { DEGREE, WIDTH, POINTS, value };
    fill(value, bowl);
    assert_int_equal(learn_polynomial_iterate(&p, 64, NULL), DUSK_OK);
    assert_int_equal(learn_polynomial_minimum(&p, 0, t, NULL), DUSK_OK);
    assert_true(fabs(t[0] - 0.3) < 1e-2 && fabs(t[1] - 0.55) < 1e-2 && fabs(t[2] - 0.8) < 1e-2);
    /* so much penalty that the middle is best */
    assert_int_equal(learn_polynomial_minimum(&p, 1e6, t, NULL), DUSK_OK);
    for (int j = 0; j < WIDTH; j++) assert_true(fabs(t[j] - 0.5) < 1e-4);
    /* bent downward it is in a corner, and a line is least in one */
    fill(value, line);
    assert_int_equal(learn_polynomial_minimum(&p, 0, t, NULL), DUSK_OK);
    assert_true(t[0] == 0 && t[1] == 1 && t[2] == 0);
    fill(value, bowl);
    for (size_t i = 0; i < POINTS; i++) value[i] *= -1;
    assert_int_equal(learn_polynomial_minimum(&p, 0, t, NULL), DUSK_OK);
    assert_true(t[0] == 1 && t[1] == 1 && t[2] == 0);
}

/* Whatever was released, weights are in the box. */
static void test_wild(void **unused)
{
    (void)unused;
    double value[POINTS], t[WIDTH];
    learn_polynomial p = { DEGREE, WIDTH, POINTS, value };
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint64_t state = seed;
        for (size_t i = 0; i < POINTS; i++)
            value[i] = ((double)(splitmix64(&state) >> 11) * 0x1p-53 - 0.5) * pow(10, (double)seed * 5);
        assert_int_equal(learn_polynomial_iterate(&p, 3, NULL), DUSK_OK);
        assert_int_equal(learn_polynomial_minimum(&p, 0.1, t, NULL), DUSK_OK);
        for (int j = 0; j < WIDTH; j++) assert_true(t[j] >= 0 && t[j] <= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operator),
        cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_minimum),
        cmocka_unit_test(test_wild),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
