/* SPDX-License-Identifier: Apache-2.0 */
/* The contour accountant through dusk_pairs: known values, monotone answers, small
 * deltas, the same list in another order, and parameters that nobody means. */
#include <math.h>
#include <stdio.h>

#include "accounting/accountants.h"
#include "support.h"

typedef struct answer {
    dusk_status status;
    dusk_bound bound;
} answer;

typedef dusk_status question(dusk_bound *, const dusk_pairs *, double, dusk_error *);

static answer ask(question *q, const char *text, dusk_direction direction, double at)
{
    dusk_composition *c;
    dusk_pairs pairs;
    answer a = { 0 };
    dusk_error err = { 0 };
    dusk_neighbours how = direction == DUSK_REPLACE ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    assert_int_equal(dusk_composition_new(&c, how, &err), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    a.status = dusk_pairs_resolve(&pairs, c, direction, "contour", &err);
    if (a.status == DUSK_OK) {
        a.status = q(&a.bound, &pairs, at, &err);
        dusk_pairs_free(&pairs);
    }
    dusk_composition_free(c);
    if (a.status == DUSK_OK) {
        assert_true(a.bound.lower >= 0 && a.bound.lower <= a.bound.upper);
    } else {
        assert_int_equal(a.status, DUSK_ERR_UNSUPPORTED);
        assert_true(err.message[0] != 0);
    }
    return a;
}

static answer epsilon(const char *text, dusk_direction direction, double delta)
{
    return ask(dusk_contour_epsilon, text, direction, delta);
}

/* Truth to ten digits at least. */
static void known_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        dusk_direction direction;
        double delta, truth;
    } cases[] = {
        { "poisson(0.01, gaussian(1)) * 10000", DUSK_REMOVE, 1e-6, 6.907384495045 },
        { "poisson(0.01, gaussian(1)) * 1000", DUSK_REMOVE, 1e-30, 9.3418956327 },
        { "poisson(0.0001, gaussian(0.5)) * 1000000", DUSK_REMOVE, 1e-6, 4.7283111484 },
        { "poisson(0.0001, gaussian(0.5)) * 1000000", DUSK_ADD, 1e-6, 2.98482983671 },
        { "poisson(0.1, gaussian(10)) * 1000000", DUSK_REMOVE, 1e-6, 97.047312123 },
        { "poisson(0.001, gaussian(0.4)) * 1000", DUSK_REMOVE, 1e-5, 7.01347904468 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        answer a = epsilon(cases[i].text, cases[i].direction, cases[i].delta);
        assert_int_equal(a.status, DUSK_OK);
        assert_true(fabs(a.bound.upper - cases[i].truth) < 1e-9 * cases[i].truth);
        assert_true(a.bound.upper - a.bound.lower < 1e-9 * cases[i].truth);
    }
}

/* One run whose characteristic function is next to nothing while that of the rest is not: a
 * modulus of 1e-9 must be known as well as one of 1. Truth by quadrature, 18 digits. */
static void small_moduli(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double truth;
    } cases[] = {
        { "poisson(0.5, gaussian(2)) + gaussian(10)", 2.4519695061977828e-8 },
        { "poisson(0.5, gaussian(2)) + gaussian(30)", 1.3511359179291621e-8 },
        { "poisson(0.5, gaussian(2)) + gaussian(100)", 1.2595824779439023e-8 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        answer a = ask(dusk_contour_delta, cases[i].text, DUSK_REMOVE, 2);
        assert_int_equal(a.status, DUSK_OK);
        assert_true(a.bound.lower <= cases[i].truth && cases[i].truth <= a.bound.upper);
        assert_true(a.bound.upper - a.bound.lower < 1e-9 * cases[i].truth);
    }
}

static void grows_with_steps(void **state)
{
    (void)state;
    double before = 0;
    for (unsigned long t = 256; t < 1ul << 40; t *= 16) {
        char text[80];
        snprintf(text, sizeof text, "poisson(0.01, gaussian(2)) * %lu", t);
        answer a = epsilon(text, DUSK_REMOVE, 1e-8);
        if (a.status != DUSK_OK) continue;
        assert_true(a.bound.lower > before);
        assert_true(a.bound.upper - a.bound.lower < 1e-6 * a.bound.upper);
        before = a.bound.upper;
    }
    assert_true(before > 1e3);
}

static void smallest_deltas(void **state)
{
    (void)state;
    double before = 0;
    for (double delta = 0.1; delta > 1e-300; delta *= 1e-10) {
        answer a = epsilon("poisson(0.02, gaussian(1.5)) * 2000", DUSK_REMOVE, delta);
        assert_int_equal(a.status, DUSK_OK);
        assert_true(a.bound.lower > before && a.bound.upper - a.bound.lower < 1e-9 * a.bound.upper);
        answer back =
            ask(dusk_contour_delta, "poisson(0.02, gaussian(1.5)) * 2000", DUSK_REMOVE, a.bound.upper);
        assert_int_equal(back.status, DUSK_OK);
        assert_true(back.bound.lower <= delta && back.bound.upper > 0.999 * delta);
        before = a.bound.upper;
    }
}

static void order_does_not_matter(void **state)
{
    (void)state;
    answer a = epsilon("poisson(0.01, gaussian(1)) * 500 + gaussian(4) + poisson(0.1, gaussian(6)) * 90",
                       DUSK_ADD, 1e-6);
    answer b = epsilon("poisson(0.1, gaussian(6)) * 90 + poisson(0.01, gaussian(1)) * 500 + gaussian(4)",
                       DUSK_ADD, 1e-6);
    assert_int_equal(a.status, DUSK_OK);
    assert_int_equal(b.status, DUSK_OK);
    assert_true(a.bound.lower <= b.bound.upper && b.bound.lower <= a.bound.upper);
    assert_true(fabs(a.bound.upper - b.bound.upper) < 1e-10 * a.bound.upper);
}

/* An answer or one sentence; never NaN, never long. */
static void hostile(void **state)
{
    (void)state;
    static const char *const text[] = {
        "poisson(0.5, gaussian(1e-12)) * 10",
        "poisson(0.5, gaussian(1e-3)) * 10",
        "poisson(0.5, gaussian(1e12)) * 10",
        "poisson(1e-300, gaussian(1)) * 1000000",
        "poisson(1e-12, gaussian(0.05)) * 1000000",
        "poisson(0.999999999999, gaussian(1)) * 100",
        "poisson(0.01, gaussian(1)) * 4611686018427387904",
        "poisson(0.01, gaussian(1))",
        "gaussian(1e-12)",
        "gaussian(1e12) * 4611686018427387904",
        "gaussian(1) + pure(1e300)",
        "gaussian(1) + pure(700)",
        "gaussian(0.01) + approx(1, 0.5) * 100",
        "without_replacement(10, 1000, gaussian(1)) * 100",
        "laplace(1) * 10",
        "pure(1) * 10",
    };
    const double deltas[] = { 1e-300, 0.5 };
    const double epsilons[] = { 0, 1e300 };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        for (int direction = DUSK_REMOVE; direction <= DUSK_REPLACE; direction++) {
            for (size_t j = 0; j < 2; j++) epsilon(text[i], (dusk_direction)direction, deltas[j]);
            for (size_t j = 0; j < 2; j++) {
                answer a = ask(dusk_contour_delta, text[i], (dusk_direction)direction, epsilons[j]);
                if (a.status == DUSK_OK) assert_true(a.bound.upper <= 1);
            }
        }
    }
}

static void nothing_costs_nothing(void **state)
{
    (void)state;
    answer a = epsilon("poisson(0, gaussian(1)) * 100", DUSK_REMOVE, 1e-6);
    assert_int_equal(a.status, DUSK_OK);
    assert_true(a.bound.upper == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),          cmocka_unit_test(small_moduli),
        cmocka_unit_test(grows_with_steps),      cmocka_unit_test(smallest_deltas),
        cmocka_unit_test(order_does_not_matter), cmocka_unit_test(hostile),
        cmocka_unit_test(nothing_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
