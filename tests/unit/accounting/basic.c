/* SPDX-License-Identifier: Apache-2.0 */
/* Basic composition against sums that are worked out here. */
#include <math.h>

#include "accounting/accountants.h"
#include "accounting/gaussian.h"
#include "accounting/parts.h"
#include "pairs_of.h"
#include "support.h"

static double epsilon_of(const char *text, dusk_neighbours neighbours, double delta)
{
    dusk_composition *c = compose(text, neighbours);
    dusk_bound out = { NAN, NAN };
    dusk_error err = { .message = "" };
    if (dusk_basic_epsilon(&out, c, delta, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    dusk_composition_free(c);
    assert_true(out.lower == 0 && out.upper >= 0);
    return out.upper;
}

static double delta_of(const char *text, dusk_neighbours neighbours, double epsilon)
{
    dusk_composition *c = compose(text, neighbours);
    dusk_bound out = { NAN, NAN };
    assert_int_equal(dusk_basic_delta(&out, c, epsilon, NULL), DUSK_OK);
    dusk_composition_free(c);
    assert_true(out.lower == 0 && out.upper >= 0 && out.upper <= 1);
    return out.upper;
}

/* want <= x <= want (1 + 1e-9), want itself being right to 1e-12. */
static void assert_just_above(double x, double want)
{
    if (!(x >= want * (1 - 1e-12) && x <= want * (1 + 1e-9) + 1e-300)) fail_msg("%.17g, not %.17g", x, want);
}

static void own_prices(void **state)
{
    (void)state;
    assert_just_above(epsilon_of("pure(0.5) + pure(0.25)", DUSK_ADD_REMOVE, 0), 0.75);
    assert_just_above(epsilon_of("laplace(2) + laplace(4)", DUSK_ADD_REMOVE, 0), 0.75);
    assert_just_above(epsilon_of("laplace(2) + laplace(4)", DUSK_REPLACE_ONE, 0), 1.5);
    assert_just_above(epsilon_of("randomized_response(1, 4) * 3", DUSK_REPLACE_ONE, 0), 3);
    assert_just_above(epsilon_of("metric(0.01, 30) * 3", DUSK_REPLACE_ONE, 0), 0.9);
    assert_just_above(epsilon_of("group(2, metric(0.01, 30))", DUSK_REPLACE_ONE, 0), 0.6);
    assert_just_above(epsilon_of("approx(0.5, 1e-7) * 10", DUSK_ADD_REMOVE, 1e-5), 5);
    assert_true(isinf(epsilon_of("approx(0.5, 1e-7) * 10", DUSK_ADD_REMOVE, 9e-7)));
    /* the worse direction of sampled Laplace noise; replacing has both */
    double q = 0.9, up = log1p(q * expm1(1)), down = -log1p(-q * -expm1(-1));
    assert_just_above(epsilon_of("poisson(0.9, laplace(1)) * 2", DUSK_ADD_REMOVE, 0), 2 * fmax(up, down));
    assert_just_above(epsilon_of("poisson(0.9, laplace(1)) * 2", DUSK_REPLACE_ONE, 0), 2 * (up + down));
    assert_true(epsilon_of("group(2, poisson(0.9, laplace(1)))", DUSK_REPLACE_ONE, 0) >= 2 * (up + down));
}

static void times_count(void **state)
{
    (void)state;
    assert_just_above(epsilon_of("pure(0.5) * 1000", DUSK_ADD_REMOVE, 0), 500);
    assert_just_above(epsilon_of("pure(1) * 4611686018427387904", DUSK_ADD_REMOVE, 0), 0x1p62);
    assert_true(isinf(epsilon_of("approx(0.5, 0.5) * 4611686018427387904", DUSK_ADD_REMOVE, 0.9)));
    assert_true(epsilon_of("pure(0) * 4611686018427387904", DUSK_ADD_REMOVE, 0) == 0);
}

static void gaussians_merge(void **state)
{
    (void)state;
    double want = dusk_gaussian_epsilon_up(1, 1e-6);
    assert_just_above(epsilon_of("gaussian(1)", DUSK_ADD_REMOVE, 1e-6), want);
    assert_just_above(epsilon_of("gaussian(2) * 4", DUSK_ADD_REMOVE, 1e-6), want);
    assert_just_above(epsilon_of("gaussian(2) * 2 + gdp(0.5) * 2", DUSK_ADD_REMOVE, 1e-6), want);
    assert_just_above(epsilon_of("gaussian(4) * 4", DUSK_REPLACE_ONE, 1e-6), want);
    assert_true(isinf(epsilon_of("gaussian(1)", DUSK_ADD_REMOVE, 0)));
    assert_true(isinf(epsilon_of("gaussian(1) + pure(1)", DUSK_ADD_REMOVE, 0)));
}

static void delta_is_shared(void **state)
{
    (void)state;
    double half = dusk_gaussian_epsilon_up(1, 0.5e-6), third = dusk_gaussian_epsilon_up(1, 1e-6 / 3);
    assert_just_above(epsilon_of("gaussian(1) + pure(1) + approx(1, 5e-7)", DUSK_ADD_REMOVE, 1e-6), 2 + half);
    double discrete = dusk_discrete_gaussian_epsilon_up(2, 1, 1e-6 / 3);
    assert_just_above(epsilon_of("gaussian(1) + discrete_gaussian(2) * 2", DUSK_ADD_REMOVE, 1e-6),
                      third + 2 * discrete);
    double curves = epsilon_of("zcdp(0.1)", DUSK_ADD_REMOVE, 0.5e-6);
    assert_just_above(epsilon_of("gaussian(1) + zcdp(0.05) * 2", DUSK_ADD_REMOVE, 1e-6), half + curves);
}

/* delta(eps) of one binary randomized response with e0, and of one Laplace. */
static void delta_of_single(void **state)
{
    (void)state;
    double e0 = 1, e = 0.4, response = (exp(e0) - exp(e)) / (exp(e0) + 1);
    assert_just_above(delta_of("randomized_response(1, 2)", DUSK_REPLACE_ONE, e), response);
    assert_just_above(epsilon_of("randomized_response(1, 2)", DUSK_REPLACE_ONE, response), e);
    assert_just_above(delta_of("laplace(1)", DUSK_ADD_REMOVE, e), -expm1((e - 1) / 2));
    assert_just_above(delta_of("gaussian(1.5)", DUSK_ADD_REMOVE, e), dusk_gaussian_delta_up(1.5, e));
    assert_true(delta_of("pure(1)", DUSK_ADD_REMOVE, 1) == 0);
}

static void delta_and_epsilon_agree(void **state)
{
    static const char *const texts[] = { "gaussian(1) + pure(0.5)",
                                         "gaussian(3) * 2 + discrete_gaussian(4) * 3",
                                         "approx(0.1, 1e-4) * 5 + gaussian(2)", "zcdp(0.01) + pure(0.5)",
                                         "zcdp(0.02) * 2" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double delta = 2e-3, epsilon = epsilon_of(texts[i], DUSK_ADD_REMOVE, delta);
        double back = delta_of(texts[i], DUSK_ADD_REMOVE, epsilon);
        if (!(back <= delta * (1 + 1e-6) && back >= delta * (1 - 1e-6)))
            fail_msg("%s: %.17g", texts[i], back);
        assert_true(epsilon_of(texts[i], DUSK_ADD_REMOVE, back) <= epsilon);
    }
    assert_true(delta_of("pure(1) * 2", DUSK_ADD_REMOVE, 1.5) == 1);
    assert_true(delta_of("pure(1) + approx(1, 0.25)", DUSK_ADD_REMOVE, 2) == 0.25);
    assert_true(delta_of("gaussian(1e-9) + pure(1)", DUSK_ADD_REMOVE, 0) == 1);
}

/* A sampled Gaussian is worse in one direction. */
static void both_directions(void **state)
{
    (void)state;
    dusk_composition *c = compose("poisson(0.1, gaussian(1))", DUSK_ADD_REMOVE);
    double worst = 0;
    for (dusk_direction d = DUSK_REMOVE; d <= DUSK_ADD; d++) {
        dusk_pairs pairs;
        dusk_bound out;
        assert_int_equal(dusk_pairs_resolve(&pairs, c, d, "exact", NULL), DUSK_OK);
        assert_int_equal(dusk_exact_epsilon(&out, &pairs, 1e-3, NULL), DUSK_OK);
        worst = fmax(worst, out.upper);
        dusk_pairs_free(&pairs);
    }
    dusk_composition_free(c);
    assert_true(epsilon_of("poisson(0.1, gaussian(1))", DUSK_ADD_REMOVE, 1e-3) == worst);
    double both = epsilon_of("poisson(0.1, gaussian(1)) * 2", DUSK_ADD_REMOVE, 2e-3);
    assert_true(both >= 2 * worst * (1 - 1e-12) && both <= 2 * worst * (1 + 1e-6));
}

static void of_a_tree(void **state)
{
    (void)state;
    dusk_composition *c = compose("pure(0.5) * 3 + gaussian(1)", DUSK_ADD_REMOVE);
    double epsilon;
    assert_int_equal(dusk_basic_of_tree(&epsilon, c->node, DUSK_ADD_REMOVE, 1e-6, NULL), DUSK_OK);
    assert_just_above(epsilon, 1.5);
    dusk_composition_free(c);
}

static void nothing_and_extremes(void **state)
{
    (void)state;
    assert_true(epsilon_of("pure(1) * 0", DUSK_ADD_REMOVE, 0) == 0);
    assert_true(delta_of("pure(1) * 0", DUSK_ADD_REMOVE, 0) == 0);
    assert_true(epsilon_of("gaussian(1e-12) + pure(1e300)", DUSK_ADD_REMOVE, 1e-6) >= 1e300);
    assert_true(epsilon_of("gaussian(1e12) + pure(1)", DUSK_ADD_REMOVE, 1e-300) >= 1);
    /* exp(epsilon) beyond what any arithmetic holds */
    assert_true(epsilon_of("shuffle(3, 1e12)", DUSK_REPLACE_ONE, 0) >= 1e12);
    assert_true(epsilon_of("shuffle(3, 1e12) * 2", DUSK_REPLACE_ONE, 1e-6) >= 1e12);
    dusk_composition *c = compose("randomized_response(1, 2) + pure(1)", DUSK_ADD_REMOVE);
    dusk_bound out;
    dusk_error err;
    dusk_status status = dusk_basic_epsilon(&out, c, 0, &err);
    assert_true(status == DUSK_OK ? out.upper >= 2 : status == DUSK_ERR_UNSUPPORTED);
    dusk_composition_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_prices),           cmocka_unit_test(times_count),
        cmocka_unit_test(gaussians_merge),      cmocka_unit_test(delta_is_shared),
        cmocka_unit_test(delta_of_single),      cmocka_unit_test(delta_and_epsilon_agree),
        cmocka_unit_test(both_directions),      cmocka_unit_test(of_a_tree),
        cmocka_unit_test(nothing_and_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
