/* SPDX-License-Identifier: Apache-2.0 */
/* Moments and curves of one pair are of one law: E_Q[f(dP/dQ)] for a convex f is an integral of f'' over the curves of both orders of the neighbours, so a moment is at least what these
 * curves say where they are rounded down, and for most kinds not much more than what they say rounded up. No kind of pair is left out, so that what one function minds and the other
 * forgets (a direction, a fold, a group) shows. */
#include <math.h>

#include "accounting/pair_moment.h"
#include "support.h"

enum { POINTS = 300 };

/* What is above 1 of E_Q[(dP/dQ)^(s+1)], at least and at most:  s (s+1) times the integral of e^(s x) delta(x) + e^(-(s+1) x) opposite(x) over x > 0. Both curves fall. */
static dusk_bound excess(const dusk_pair *pair, const dusk_pair *opposite, double s)
{
    dusk_bound sum = { 0, 0 };
    double from = 0;
    dusk_bound here, there;
    assert_int_equal(dusk_pair_delta(&here, pair, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_pair_delta(&there, opposite, 0, NULL), DUSK_OK);
    for (int i = 0; i < POINTS; i++) {
        const double to = 1e-6 * pow(1.062, i); /* up to 60 */
        const double up = (s + 1) * exp(s * from) * expm1(s * (to - from));
        const double down = s * exp(-(s + 1) * from) * -expm1(-(s + 1) * (to - from));
        sum.upper += here.upper * up + there.upper * down;
        assert_int_equal(dusk_pair_delta(&here, pair, to, NULL), DUSK_OK);
        assert_int_equal(dusk_pair_delta(&there, opposite, to, NULL), DUSK_OK);
        sum.lower +=
            fmax(here.lower - pair->infinite.upper, 0) * up +
            fmax(there.lower - opposite->infinite.upper, 0) * down; /* moments are of finite losses */
        from = to;
    }
    return sum;
}

/* `loose`: of what is beyond the last point, where a law is made of bounds at points, nothing is said here. */
static void check(const char *text, const dusk_pair *pair, const dusk_pair *opposite, double s, bool loose)
{
    const dusk_bound curve = excess(pair, opposite, s);
    dusk_bound k;
    assert_int_equal(dusk_pair_finite_moment(&k, pair, s, NULL), DUSK_OK);
    if (!(curve.upper < 1e12)) return; /* beyond the last point */
    if (!(expm1(k.upper) >= curve.lower * (1 - 1e-9)))
        fail_msg("%s, order %g: %g is below its curve, %g", text, s + 1, expm1(k.upper), curve.lower);
    if (!loose && !(expm1(k.lower) <= curve.upper * (1 + 1e-9)))
        fail_msg("%s, order %g: %g is above its curve, %g", text, s + 1, expm1(k.lower), curve.upper);
    if (!loose && !(expm1(k.upper) <= 1.08 * curve.upper + 1e-9))
        fail_msg("%s, order %g: %g is far above its curve, %g", text, s + 1, expm1(k.upper), curve.upper);
}

static void resolve(dusk_pairs *out, const dusk_composition *c, dusk_direction direction)
{
    dusk_error err = { 0 };
    if (dusk_pairs_resolve(out, c, direction, "test", &err) != DUSK_OK) fail_msg("%s", err.message);
    assert_int_equal(out->count, 1);
    assert_true(out->pair[0].infinite.upper < 1e-9);
}

static void check_event(const char *text, dusk_neighbours neighbours, bool loose)
{
    static const double orders[] = { 0.05, 0.7, 2, 9 };
    const bool replace = neighbours == DUSK_REPLACE_ONE;
    dusk_composition *c;
    dusk_pairs one, other;
    assert_int_equal(dusk_composition_new(&c, neighbours, NULL), DUSK_OK);
    if (dusk_composition_parse(c, text, NULL) != DUSK_OK) fail_msg("%s", text);
    resolve(&one, c, replace ? DUSK_REPLACE : DUSK_REMOVE);
    resolve(&other, c, replace ? DUSK_REPLACE : DUSK_ADD);
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        check(text, &one.pair[0], &other.pair[0], orders[k], loose);
        if (!replace) check(text, &other.pair[0], &one.pair[0], orders[k], loose);
    }
    dusk_pairs_free(&one);
    dusk_pairs_free(&other);
    dusk_composition_free(c);
}

static void moments_are_those_of_curves(void **state)
{
    (void)state;
    static const char *const both[] = {
        "gaussian(1.3)",
        "laplace(2)",
        "discrete_laplace(2, 3)",
        "discrete_gaussian(2)",
        "exponential(1)",
        "permute_and_flip(0.7)",
        "noisy_max(1.5)",
        "pure(0.6)",
        "staircase(1, 0.3)",
        "gdp(0.7)",
        "poisson(0.1, gaussian(1))",
        "poisson(0.7, gaussian(2.5))",
        "poisson(0.3, laplace(1))",
        "poisson(0.2, pure(1))",
        "poisson(0.2, discrete_gaussian(2))",
        "group(2, gaussian(3))",
        "group(3, poisson(0.1, gaussian(2)))",
        "group(2, laplace(3))",
        "parallel(gaussian(2), gaussian(1.5))",
    };
    static const char *const replace[] = {
        "randomized_response(1, 3)",
        "metric(0.5, 2)",
        "without_replacement(20, 1000, gaussian(2))",
        "without_replacement(300, 1000, gaussian(1))",
        "without_replacement(999, 1000, gaussian(3))",
        "without_replacement(100, 1000, laplace(3))",
        "without_replacement(10, 50, pure(1))",
        "without_replacement(10, 50, discrete_gaussian(3))",
    };
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        check_event(both[i], DUSK_ADD_REMOVE, false);
        check_event(both[i], DUSK_REPLACE_ONE, false);
    }
    check_event("parallel(laplace(2), gaussian(2))", DUSK_ADD_REMOVE, false);
    for (size_t i = 0; i < sizeof replace / sizeof *replace; i++)
        check_event(replace[i], DUSK_REPLACE_ONE, false);
    check_event("with_replacement(20, 1000, gaussian(3))", DUSK_REPLACE_ONE, true);
    check_event("shuffle(1000, 1)", DUSK_REPLACE_ONE, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(moments_are_those_of_curves) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
