/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of Laplace losses: published values, the closed form of one, the limits of
 * pure privacy, monotone curves, and what is too long is refused. */
#include <math.h>

#include "accounting/accountants.h"
#include "support.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static dusk_status ask(dusk_bound *out, const char *text, bool for_epsilon, double at)
{
    dusk_composition *c;
    dusk_pairs pairs;
    dusk_error err = { 0 };
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, &err), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    assert_int_equal(dusk_pairs_resolve(&pairs, c, DUSK_REMOVE, "optimal", &err), DUSK_OK);
    dusk_status status =
        for_epsilon ? dusk_optimal_epsilon(out, &pairs, at, &err) : dusk_optimal_delta(out, &pairs, at, &err);
    dusk_pairs_free(&pairs);
    dusk_composition_free(c);
    return status;
}

static dusk_bound bound_of(const char *text, bool for_epsilon, double at)
{
    dusk_bound b = { NAN, NAN };
    if (ask(&b, text, for_epsilon, at) != DUSK_OK) fail_msg("%s is refused", text);
    if (!(0 <= b.lower && b.lower <= b.upper)) fail_msg("%s at %g: %g .. %g", text, at, b.lower, b.upper);
    return b;
}

/* From a piecewise polynomial in high precision, bisected to an interval. */
static void published_values_are_met(void **state)
{
    static const struct {
        const char *text;
        double delta, lower, upper;
    } known[] = {
        { "laplace(1)", 1e-5, 0.9999799998999777, 0.9999799999000061 },
        { "laplace(2) * 2", 1e-6, 0.9999959999999817, 0.9999960000000101 },
        { "laplace(1) * 5", 1e-6, 4.999968000767865, 4.999968000768007 },
        { "laplace(0.5) * 8", 1e-10, 15.999999974399998, 15.999999974400453 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        dusk_bound b = bound_of(known[i].text, true, known[i].delta);
        if (!(b.lower <= known[i].upper && b.upper >= known[i].lower && b.upper - b.lower <= 1e-14 * b.upper))
            fail_msg("%s: %.17g .. %.17g", known[i].text, b.lower, b.upper);
    }
}

/* 1 - exp((eps - 1/b)/2) */
static void one_has_a_closed_form(void **state)
{
    (void)state;
    for (double epsilon = 0; epsilon < 0.5; epsilon += 0.03) {
        dusk_bound b = bound_of("laplace(2)", false, epsilon);
        double truth = -expm1((epsilon - 0.5) / 2);
        assert_true(b.lower <= truth * (1 + 1e-15) && b.upper >= truth * (1 - 1e-15));
    }
    assert_true(bound_of("laplace(2)", false, 0.5).upper == 0);
}

static void limits_hold(void **state)
{
    static const double deltas[] = { 0, 5e-324, 1e-300, 1e-12, 0.01, 0.5, 1 - 0x1p-53 };
    static const char *const texts[] = { "laplace(3) * 128", "laplace(1e-6) * 100", "laplace(1e12) * 7",
                                         "laplace(1e300) * 100" };
    static const double tops[] = { 128 / 3.0, 1e8, 7e-12, 1e-298 };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        double before = INFINITY;
        for (size_t j = 0; j < COUNT(deltas); j++) {
            dusk_bound b = bound_of(texts[i], true, deltas[j]);
            assert_true(b.lower <= before && b.upper <= tops[i] * (1 + 1e-15));
            before = b.upper;
        }
        assert_true(bound_of(texts[i], true, 0).lower >= tops[i] * (1 - 1e-15));
        assert_true(bound_of(texts[i], false, 0).upper <= 1);
    }
}

static void more_is_never_better(void **state)
{
    static const char *const series[] = { "laplace(4) * 20", "laplace(4) * 21", "laplace(3.9) * 21",
                                          "laplace(3) * 40" };
    (void)state;
    for (size_t i = 0; i + 1 < COUNT(series); i++) {
        assert_true(bound_of(series[i], true, 1e-6).upper < bound_of(series[i + 1], true, 1e-6).lower);
        assert_true(bound_of(series[i], false, 2).upper < bound_of(series[i + 1], false, 2).lower);
    }
    /* never worse than the optimum for all mechanisms that are as private */
    assert_true(bound_of("laplace(4) * 20", true, 1e-6).upper <=
                bound_of("pure(0.25) * 20", true, 1e-6).lower);
}

static void too_many_are_refused(void **state)
{
    static const char *const texts[] = { "laplace(1) * 129", "laplace(1) + laplace(2)",
                                         "poisson(0.1, laplace(1)) * 2", "laplace(1e-9) * 3" };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        dusk_bound b;
        assert_int_equal(ask(&b, texts[i], true, 1e-6), DUSK_ERR_UNSUPPORTED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_values_are_met),
        cmocka_unit_test(one_has_a_closed_form),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(more_is_never_better),
        cmocka_unit_test(too_many_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
