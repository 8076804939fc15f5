/* SPDX-License-Identifier: Apache-2.0 */
/* The optimal accountant: published optima, what must be monotone is, any order
 * of the parts, hostile numbers, and clear refusals. */
#include <float.h>
#include <math.h>

#include "accounting/accountants.h"
#include "support.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static dusk_status ask(dusk_bound *out, const char *text, bool for_epsilon, double at)
{
    dusk_composition *c;
    dusk_pairs pairs;
    dusk_error err = { 0 };
    assert_int_equal(dusk_composition_new(&c, DUSK_REPLACE_ONE, &err), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    dusk_status status = dusk_pairs_resolve(&pairs, c, DUSK_REPLACE, "optimal", &err);
    if (status == DUSK_OK) {
        status = for_epsilon ? dusk_optimal_epsilon(out, &pairs, at, &err)
                             : dusk_optimal_delta(out, &pairs, at, &err);
        dusk_pairs_free(&pairs);
    }
    dusk_composition_free(c);
    return status;
}

static dusk_bound epsilon_of(const char *text, double delta)
{
    dusk_bound b = { NAN, NAN };
    if (ask(&b, text, true, delta) != DUSK_OK) fail_msg("%s is refused", text);
    if (!(0 <= b.lower && b.lower <= b.upper)) fail_msg("%s at %g: %g .. %g", text, delta, b.lower, b.upper);
    return b;
}

static dusk_bound delta_of(const char *text, double epsilon)
{
    dusk_bound b = { NAN, NAN };
    if (ask(&b, text, false, epsilon) != DUSK_OK) fail_msg("%s is refused", text);
    if (!(0 <= b.lower && b.lower <= b.upper && b.upper <= 1))
        fail_msg("%s at %g: %g .. %g", text, epsilon, b.lower, b.upper);
    return b;
}

/* The optimum of Kairouz, Oh & Viswanath, to all digits of a double. */
static void optima_are_found(void **state)
{
    static const struct {
        const char *text;
        double delta, epsilon;
    } known[] = {
        { "pure(0.1) * 10", 1e-6, 0.99937090572175878 },
        { "pure(0.1) * 100", 1e-6, 4.7745675881079864 },
        { "pure(0.01) * 10000", 1e-9, 6.1719150164800780 },
        { "pure(1) * 10", 1e-5, 9.9997706345349417 },
        { "approx(0.1, 1e-8) * 100", 1e-5, 4.3296367140166062 },
        { "approx(0.2, 1e-9) * 500", 1e-6, 30.812802546586045 },
        { "approx(1, 1e-7) * 30", 1e-5, 29.911783581946932 },
        { "approx(0.05, 1e-10) * 2000", 1e-6, 12.676902988937739 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        dusk_bound b = epsilon_of(known[i].text, known[i].delta);
        double e = known[i].epsilon, slack = 2 * DBL_EPSILON * e; /* of the decimals */
        if (!(b.lower <= e + slack && b.upper >= e - slack && b.upper - b.lower <= 1e-13 * e))
            fail_msg("%s: %.17g not in %.17g .. %.17g", known[i].text, e, b.lower, b.upper);
    }
}

static void more_is_never_better(void **state)
{
    static const char *const series[][4] = {
        { "pure(0.3) * 7", "pure(0.3) * 8", "pure(0.31) * 8", "approx(0.31, 1e-9) * 8" },
        { "pure(1e-4) * 1e9", "pure(1e-4) * 1.0001e9", "pure(1.1e-4) * 1.0001e9", "pure(1.1e-4) * 2e9" },
        { "approx(1, 1e-9)", "approx(1, 1e-8)", "approx(1, 1e-7) * 2", "approx(2, 1e-7) * 2" },
    };
    static const double deltas[] = { 1e-300, 1e-50, 1e-6, 1e-3, 0.2 }, epsilons[] = { 0, 0.1, 1, 2, 20 };
    (void)state;
    for (size_t i = 0; i < COUNT(series); i++) {
        double before[COUNT(deltas)] = { 0 }; /* lower bounds of the row before */
        for (size_t j = 0; j < 4; j++) {
            double epsilon = INFINITY, delta = 1;
            for (size_t k = 0; k < COUNT(deltas); k++) {
                dusk_bound b = epsilon_of(series[i][j], deltas[k]);
                assert_true(b.lower <= epsilon && b.upper >= before[k]);
                epsilon = b.upper;
                before[k] = b.lower;
            }
            for (size_t k = 0; k < COUNT(epsilons); k++) {
                dusk_bound b = delta_of(series[i][j], epsilons[k]);
                assert_true(b.lower <= delta);
                delta = b.upper;
            }
        }
    }
}

/* Murtagh & Vadhan's optimum, and k-ary randomized response, from enumerations. */
static void different_optima_are_found(void **state)
{
    static const struct {
        const char *text;
        double delta, epsilon;
    } known[] = {
        { "pure(0.47532) + pure(0.748292) + pure(0.100103) + pure(0.372099)", 1e-6, 1.6958063129029137 },
        { "pure(0.243117) + pure(0.714682) + pure(0.119171) + pure(0.569327) + pure(0.392113) + "
          "pure(0.491083) + "
          "pure(0.198271) + pure(0.238671) + pure(0.660521) + pure(0.777783) + pure(0.319397) + "
          "pure(0.584626)",
          1e-8, 5.308757891684579 },
        { "pure(0.264153) + pure(0.269436) + pure(0.034663) + pure(0.021326) + pure(0.059251) + "
          "pure(0.264661) + "
          "pure(0.038521) + pure(0.132121) + pure(0.287788) + pure(0.164618) + pure(0.210644) + pure(0.1015) "
          "+ "
          "pure(0.209085) + pure(0.252041)",
          1e-6, 2.304292611687038 },
        { "randomized_response(1.6094379124341003, 4) * 10", 1e-6, 16.094269167133152 },
        { "randomized_response(1.4663370687934272, 10) * 20", 1e-5, 21.982018345043222 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        dusk_bound b = epsilon_of(known[i].text, known[i].delta);
        double e = known[i].epsilon, slack = 2e-13 * e; /* of the enumerations */
        if (!(b.lower <= e + slack && b.upper >= e - slack && b.upper - b.lower <= 1e-13 * e))
            fail_msg("%s: %.17g not in %.17g .. %.17g", known[i].text, e, b.lower, b.upper);
    }
}

static void order_does_not_matter(void **state)
{
    dusk_bound one = epsilon_of("pure(0.3) * 7 + approx(0.1, 1e-9) * 20 + pure(0.77)", 1e-6);
    dusk_bound other = epsilon_of("pure(0.77) + approx(0.1, 1e-9) * 20 + pure(0.3) * 7", 1e-6);
    dusk_bound split =
        epsilon_of("pure(0.3) * 3 + pure(0.77) + pure(0.3) * 4 + approx(0.1, 1e-9) * 20", 1e-6);
    (void)state;
    assert_true(one.lower <= other.upper && other.lower <= one.upper);
    assert_true(one.lower <= split.upper && split.lower <= one.upper);
    assert_true(one.upper - one.lower < 1e-13 && fabs(one.upper - other.upper) < 1e-13);
}

/* A list and the closed form are one curve. */
static void ways_agree(void **state)
{
    dusk_bound list = epsilon_of("pure(0.1) * 3000 + pure(1e-12)", 1e-8),
               form = epsilon_of("pure(0.1) * 3000", 1e-8);
    (void)state;
    assert_true(list.upper >= form.lower && list.lower <= form.upper + 1e-11);
}

/* eps at delta, and delta there, are one curve. */
static void questions_agree(void **state)
{
    static const char *const texts[] = { "pure(0.3) * 50", "approx(0.2, 1e-12) * 1e6",
                                         "randomized_response(1, 2) * 30",
                                         "pure(1e-9) * 4611686018427387904" };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        dusk_bound e = epsilon_of(texts[i], 1e-5);
        assert_true(delta_of(texts[i], e.upper).lower <= 1e-5);
        assert_true(delta_of(texts[i], e.lower * (1 - 1e-9)).upper >= 1e-5);
        assert_true(e.upper - e.lower <= 1e-11 * e.upper);
    }
}

static void hostile_numbers_end(void **state)
{
    static const char *const texts[] = { "pure(1e-300)",
                                         "pure(1e-300) * 4611686018427387904",
                                         "pure(1e8) * 1000",
                                         "approx(1e-12, 0.999) * 1000000",
                                         "approx(3, 1e-300) * 1e9",
                                         "pure(1e-3) * 4611686018427387904",
                                         "pure(700) * 3" };
    static const double deltas[] = { 0, 5e-324, 1e-200, 1e-17, 0.5, 1 - 0x1p-53 };
    static const double epsilons[] = { 0, 5e-324, 1e-12, 1, 700, 1e12, 1e308, INFINITY };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t j = 0; j < COUNT(deltas); j++) epsilon_of(texts[i], deltas[j]);
        for (size_t j = 0; j < COUNT(epsilons); j++) delta_of(texts[i], epsilons[j]);
    }
    assert_true(epsilon_of("pure(0.7) * 3", 0).upper >= 3 * 0.7);
    assert_true(delta_of("pure(0.7) * 3", 3).upper == 0);
    assert_true(epsilon_of("pure(1) * 0", 0).upper == 0);
}

/* Powers that leave the range of any number say nothing, and never that delta is small; a loss that is
 * above epsilon by less than 256 bits show is counted: n m1 n a here. */
static void extremes_are_bounded(void **state)
{
    (void)state;
    assert_true(delta_of("pld(-1:0.3, 1:0.5, inf:0.2) * 1099511627776", 1).upper == 1);
    assert_true(delta_of("pld(1e-83:1, 1:1e-86) * 6000", 1).upper >= 3.599e-162);
}

static void others_are_refused(void **state)
{
    static const char *const texts[] = { "gaussian(1)", "pure(1e300) * 2" };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        dusk_bound b;
        assert_int_equal(ask(&b, texts[i], true, 1e-6), DUSK_ERR_UNSUPPORTED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optima_are_found),      cmocka_unit_test(different_optima_are_found),
        cmocka_unit_test(order_does_not_matter), cmocka_unit_test(ways_agree),
        cmocka_unit_test(more_is_never_better),  cmocka_unit_test(questions_agree),
        cmocka_unit_test(hostile_numbers_end),   cmocka_unit_test(extremes_are_bounded),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
