/* SPDX-License-Identifier: Apache-2.0 */
/* The exact accountant: reference values, wrappers that do nothing, curves that
 * fall, inverses that invert, and what it refuses. */
#include <math.h>
#include <stdio.h>

#include "accounting/accountants.h"
#include "support.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static dusk_composition *read_events(const char *text, dusk_direction direction)
{
    dusk_composition *c;
    dusk_error err = { 0 };
    dusk_neighbours how = direction == DUSK_REPLACE ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    assert_int_equal(dusk_composition_new(&c, how, &err), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return c;
}

static dusk_status ask(dusk_bound *out, const char *text, dusk_direction direction, bool for_epsilon,
                       double at)
{
    dusk_composition *c = read_events(text, direction);
    dusk_pairs pairs;
    dusk_error err = { 0 };
    dusk_status status = dusk_pairs_resolve(&pairs, c, direction, "exact", &err);
    if (status == DUSK_OK) {
        status =
            for_epsilon ? dusk_exact_epsilon(out, &pairs, at, &err) : dusk_exact_delta(out, &pairs, at, &err);
        dusk_pairs_free(&pairs);
    }
    dusk_composition_free(c);
    if (status == DUSK_OK && !(0 <= out->lower && out->lower <= out->upper))
        fail_msg("%s at %g: [%.17g, %.17g]", text, at, out->lower, out->upper);
    return status;
}

static dusk_bound epsilon_of(const char *text, dusk_direction direction, double delta)
{
    dusk_bound out = { 0 };
    if (ask(&out, text, direction, true, delta) != DUSK_OK) fail_msg("%s has no epsilon", text);
    return out;
}

static dusk_bound delta_of(const char *text, dusk_direction direction, double epsilon)
{
    dusk_bound out = { 0 };
    if (ask(&out, text, direction, false, epsilon) != DUSK_OK) fail_msg("%s has no delta", text);
    return out;
}

/* Published to 1e-11 or better. */
static void reference_values(void **state)
{
    static const struct {
        const char *text;
        dusk_direction direction;
        double delta, epsilon;
    } known[] = {
        { "gaussian(0.3)", DUSK_REMOVE, 1e-12, 28.46726660254994 },
        { "gaussian(0.3) * 100000", DUSK_ADD, 1e-6, 560565.1069708742 },
        { "gaussian(100) * 1000", DUSK_REMOVE, 1e-12, 2.1324335076030017 },
        { "gaussian(1)", DUSK_REMOVE, 1e-5, 4.3771780956812245 },
        { "gaussian(2)", DUSK_REPLACE, 1e-5, 4.3771780956812245 },
        { "poisson(0.5, gaussian(1))", DUSK_REMOVE, 1e-6, 4.054290564082655 },
        { "discrete_gaussian(1)", DUSK_REMOVE, 1e-6, 4.499590982194308 },
        { "laplace(1)", DUSK_ADD, 1e-5, 0.9999799999000061 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        dusk_bound e = epsilon_of(known[i].text, known[i].direction, known[i].delta);
        if (!(e.lower <= known[i].epsilon * (1 + 1e-12) && known[i].epsilon <= e.upper * (1 + 1e-12) &&
              e.upper - e.lower <= 1e-12 * e.upper))
            fail_msg("%s: %.17g not in [%.17g, %.17g]", known[i].text, known[i].epsilon, e.lower, e.upper);
    }
}

static const char *const mechanisms[] = {
    "gaussian(1.5)",
    "poisson(0.01, gaussian(1))",
    "poisson(0.9, gaussian(7))",
    "group(3, poisson(0.1, gaussian(2)))",
    "laplace(2)",
    "poisson(0.2, laplace(0.7))",
    "pure(1)",
    "approx(0.5, 1e-3)",
    "poisson(0.1, approx(2, 1e-3))",
    "discrete_laplace(2, 3)",
    "discrete_gaussian(2)",
    "randomized_response(1, 7)",
    "staircase(1, 0.3)",
    "pld(-1: 0.25, 0.5: 0.5, inf: 0.25)",
};

static void curves_fall(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(mechanisms); i++)
        for (dusk_direction d = DUSK_REMOVE; d <= DUSK_REPLACE; d++) {
            double before = 1;
            for (double e = 0; e < 8; e = e == 0 ? 1e-9 : e * 3) {
                dusk_bound delta = delta_of(mechanisms[i], d, e);
                if (delta.lower > before) fail_msg("%s rises at %g", mechanisms[i], e);
                before = delta.upper;
            }
        }
}

/* delta(epsilon(delta)) is delta, from both sides. */
static void inverses_invert(void **state)
{
    static const double deltas[] = { 1e-300, 1e-30, 1e-9, 1e-3, 0.05, 0.3 };
    (void)state;
    for (size_t i = 0; i < COUNT(mechanisms); i++)
        for (dusk_direction d = DUSK_REMOVE; d <= DUSK_REPLACE; d++)
            for (size_t k = 0; k < COUNT(deltas); k++) {
                dusk_bound e = epsilon_of(mechanisms[i], d, deltas[k]);
                if (isfinite(e.upper) && !(delta_of(mechanisms[i], d, e.upper).upper <= deltas[k]))
                    fail_msg("%s: epsilon %.17g is not enough for %g", mechanisms[i], e.upper, deltas[k]);
                if (e.lower > 0 && !(delta_of(mechanisms[i], d, e.lower).lower > deltas[k]))
                    fail_msg("%s: epsilon %.17g is too much for %g", mechanisms[i], e.lower, deltas[k]);
                if (e.lower > 0 && isfinite(e.upper) && e.upper - e.lower > 1e-12 * e.upper)
                    fail_msg("%s at %g: [%.17g, %.17g]", mechanisms[i], deltas[k], e.lower, e.upper);
            }
}

static void assert_same(const char *a, const char *b)
{
    for (dusk_direction d = DUSK_REMOVE; d <= DUSK_REPLACE; d++)
        for (double e = 0; e < 3; e += 0.37) {
            dusk_bound x = delta_of(a, d, e), y = delta_of(b, d, e);
            if (!(x.lower <= y.upper && y.lower <= x.upper))
                fail_msg("%s and %s differ at %g: [%.17g, %.17g] [%.17g, %.17g]", a, b, e, x.lower, x.upper,
                         y.lower, y.upper);
        }
}

static void wrappers_that_do_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(mechanisms); i++) {
        char text[200];
        (void)snprintf(text, sizeof text, "group(1, %s)", mechanisms[i]);
        assert_same(text, mechanisms[i]);
        (void)snprintf(text, sizeof text, "poisson(1, %s)", mechanisms[i]);
        assert_same(text, mechanisms[i]);
        (void)snprintf(text, sizeof text, "poisson(0, %s)", mechanisms[i]);
        assert_true(delta_of(text, DUSK_REMOVE, 0).upper == 0);
    }
    assert_same("poisson(0.3, poisson(0.7, gaussian(1)))", "poisson(0.21, gaussian(1))");
    assert_same("poisson(0.3, poisson(0.7, laplace(1)))", "poisson(0.21, laplace(1))");
    assert_same("gaussian(4) * 16", "gaussian(1)");
    assert_same("group(2, poisson(0.3, gaussian(1)))", "group(2, group(1, poisson(0.3, gaussian(1))))");
}

static void nothing_costs_nothing(void **state)
{
    (void)state;
    dusk_bound e = epsilon_of("pure(0)", DUSK_REMOVE, 0);
    assert_true(e.lower == 0 && e.upper == 0);
    e = epsilon_of("approx(1, 0.01)", DUSK_REMOVE, 0.01);
    assert_true(e.lower <= 1 && e.upper >= 1 - 1e-14 && e.upper <= 1 + 1e-14);
}

/* At delta 0 the largest loss counts. */
static void pure_prices(void **state)
{
    (void)state;
    dusk_bound e = epsilon_of("poisson(0.25, laplace(2))", DUSK_REMOVE, 0);
    double want = log1p(0.25 * expm1(0.5));
    assert_true(e.lower <= want * (1 + 1e-14) && want * (1 - 1e-14) <= e.upper);
    assert_true(e.upper - e.lower <= 1e-14);
    e = epsilon_of("poisson(0.25, gaussian(2))", DUSK_ADD, 0);
    want = -log1p(-0.25);
    assert_true(e.lower <= want * (1 + 1e-14) && want * (1 - 1e-14) <= e.upper);
    e = epsilon_of("poisson(0.25, gaussian(2))", DUSK_REMOVE, 0);
    assert_true(isinf(e.upper));
    e = epsilon_of("approx(1, 0.01)", DUSK_REMOVE, 0.001);
    assert_true(isinf(e.upper));
}

static void extremes_end(void **state)
{
    static const char *const hard[] = { "gaussian(1e-12)",
                                        "gaussian(1e12)",
                                        "poisson(1e-12, gaussian(1e-12))",
                                        "poisson(0.5, gaussian(1e12))",
                                        "laplace(1e-300)",
                                        "laplace(1e300)",
                                        "poisson(1e-300, laplace(1e-12))",
                                        "pure(1e300)",
                                        "gaussian(1) * 4611686018427387904" };
    static const double at[] = { 0, 1e-300, 1e-9, 1, 700, 1e12, 1e300 };
    (void)state;
    for (size_t i = 0; i < COUNT(hard); i++)
        for (dusk_direction d = DUSK_REMOVE; d <= DUSK_REPLACE; d++) {
            for (size_t k = 0; k < COUNT(at); k++) delta_of(hard[i], d, at[k]);
            epsilon_of(hard[i], d, 0);
            epsilon_of(hard[i], d, 1e-300);
            epsilon_of(hard[i], d, 1e-6);
            epsilon_of(hard[i], d, 1 - 1e-9);
        }
    /* what underflows is not nothing */
    assert_true(delta_of("exponential(5e-324)", DUSK_REPLACE, 0).upper > 0);
    assert_true(delta_of("exponential(1e-310)", DUSK_REPLACE, 0).upper < 1e-310);
    assert_true(delta_of("pld(0:1, 1e-200:1e-200)", DUSK_REPLACE, 0).upper > 0);
    assert_true(delta_of("pld(0:1, 1e-200:1e-200)", DUSK_REPLACE, 1e-200).upper == 0);
}

static void several_are_refused(void **state)
{
    dusk_bound out;
    (void)state;
    assert_int_equal(ask(&out, "pure(1) * 2", DUSK_REMOVE, true, 0.1), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(ask(&out, "pure(1) + gaussian(1)", DUSK_REMOVE, false, 1), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(ask(&out, "pure(1)", DUSK_REMOVE, false, -1), DUSK_ERR_ARGUMENT);
    assert_int_equal(ask(&out, "pure(1)", DUSK_REMOVE, true, 1), DUSK_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_values),      cmocka_unit_test(curves_fall),
        cmocka_unit_test(inverses_invert),       cmocka_unit_test(wrappers_that_do_nothing),
        cmocka_unit_test(nothing_costs_nothing), cmocka_unit_test(pure_prices),
        cmocka_unit_test(extremes_end),          cmocka_unit_test(several_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
