/* SPDX-License-Identifier: Apache-2.0 */
/* Extreme input: a right answer or one clear sentence; never NaN, nor a hang. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/accounting.h"
#include "support.h"

static const double deltas[] = { 0, 1e-300, 1e-6, 0.5 };
static const double epsilons[] = { 0, 1e-300, 1, 1e300 };

static dusk_status parse(dusk_composition **out, const char *text, dusk_neighbours neighbours)
{
    dusk_composition *c;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_composition_new(&c, neighbours, NULL), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%.60s: %s", text, err.message);
    *out = c;
    return DUSK_OK;
}

static void assert_answer(const char *text, dusk_status status, dusk_account a, const dusk_error *err,
                          double most)
{
    if (status == DUSK_ERR_UNSUPPORTED) {
        assert_true(strlen(err->message) > 10 && strlen(err->message) < sizeof err->message);
        return;
    }
    if (status != DUSK_OK) fail_msg("%.60s: status %d, %s", text, (int)status, err->message);
    if (!(a.bound.lower >= 0 && a.bound.lower <= a.bound.upper && a.bound.upper <= most))
        fail_msg("%.60s: [%g, %g]", text, a.bound.lower, a.bound.upper);
}

static void assert_survives(const char *text, dusk_neighbours neighbours)
{
    dusk_composition *c;
    dusk_account a = { 0 };
    dusk_error err = { .message = "" };
    assert_int_equal(parse(&c, text, neighbours), DUSK_OK);
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        dusk_status status = dusk_account_epsilon(&a, c, deltas[i], DUSK_BEST, &err);
        assert_answer(text, status, a, &err, INFINITY);
    }
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        dusk_status status = dusk_account_delta(&a, c, epsilons[i], DUSK_BEST, &err);
        assert_answer(text, status, a, &err, 1);
    }
    dusk_composition_free(c);
}

static const char *const texts[] = {
    "gaussian(1e-12)",
    "gaussian(1e12)",
    "gaussian(1e-300)",
    "gaussian(1) * 4611686018427387904",
    "laplace(1e-12)",
    "laplace(1e12)",
    "laplace(1) * 4611686018427387904",
    "pure(0)",
    "pure(1e300)",
    "pure(1) * 4611686018427387904",
    "approx(1, 0.999999)",
    "approx(0, 1e-300) * 4611686018427387904",
    "approx(1e-9, 1e-18) * 4611686018427387904",
    "poisson(0, gaussian(1)) * 1000",
    "poisson(0.5, laplace(1e-12))",
    "poisson(0.5, laplace(1e12)) * 1000000",
    "poisson(1e-12, pure(700)) * 1000000000000",
    "discrete_gaussian(1e-12)",
    "discrete_gaussian(1e12)",
    "discrete_gaussian(1, 1000000000000)",
    "discrete_laplace(1e-12)",
    "discrete_laplace(1e12, 4611686018427387904)",
    "randomized_response(1e300, 2)",
    "randomized_response(1e-300, 1000000000000000000) * 1000",
    "randomized_response(5, 1000000000000) * 4611686018427387904",
    "metric(1e-300, 1e-300)",
    "metric(1e150, 1e150)",
    "exponential(1e-12) * 4611686018427387904",
    "zcdp(1e300)",
    "zcdp(1e-300) * 4611686018427387904",
    "tcdp(1e-12, 1.000001)",
    "mcdp(1e300, 1e300)",
    "rdp(1.0000001: 0, 1e300: 1e300)",
    "tree(1, 4611686018427387904)",
    "shuffle(1, 1)",
    "shuffle(1000000000, 50)",
    "group(4611686018427387904, pure(1e-12))",
    "group(1000000, poisson(0.5, gaussian(1)))",
    "without_replacement(5, 5, gaussian(1)) * 100",
    "with_replacement(1000000, 2, gaussian(1))",
    "svt(1e-12, 1e12, 4611686018427387904)",
    "svt_gaussian(1e-12, 1e12, 4611686018427387904)",
    "threshold_monitor(1e-12, 4611686018427387904)",
    "threshold_monitor(1e12, 1)",
    "poisson(0.5, threshold_monitor(0.1, 3))",
    "parallel(gaussian(1), shuffle(1099511627776, 1))",
};

/* A second or so each: for the long run. */
static const char *const slow_texts[] = {
    "poisson(0.999999999999, gaussian(1)) * 7",
    "poisson(1e-300, gaussian(1)) * 1000",
    "gaussian(1e300) * 4611686018427387904",
    "poisson(0.01, gaussian(1e12)) * 1000",
    "without_replacement(1, 4611686018427387904, gaussian(1)) * 100",
    "pure(1e-300) * 4611686018427387904",
    "poisson(0.01, gaussian(1e-12)) * 1000",
    "poisson(1, gaussian(1e-12)) * 1000",
    "select_best(-0.999999, 1e-12, pure(1))",
    "shuffle(4611686018427387904, 1e-12)",
    "select_poisson(1e12, gaussian(1))",
    "poisson(0.01, gaussian(1)) * 4611686018427387904",
};

static void slow_extremes(void **state)
{
    (void)state;
    if (!getenv("DUSK_DEEP")) skip();
    for (size_t i = 0; i < sizeof slow_texts / sizeof *slow_texts; i++) {
        assert_survives(slow_texts[i], DUSK_ADD_REMOVE);
        assert_survives(slow_texts[i], DUSK_REPLACE_ONE);
    }
}

static void extremes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_survives(texts[i], DUSK_ADD_REMOVE);
        assert_survives(texts[i], DUSK_REPLACE_ONE);
    }
}

static void nested(void **state)
{
    static const char *const wrapper[] = { "poisson(0.9, ",       "group(1, ", "(",
                                           "poisson(1, ",         "group(2, ", "parallel(pure(1), ",
                                           "select_best(1, 0.5, " };
    char text[2048];
    (void)state;
    for (size_t w = 0; w <= sizeof wrapper / sizeof *wrapper; w++) {
        size_t n = 0, deep = w < 7 || getenv("DUSK_DEEP") ? 50 : 21;
        for (size_t i = 0; i < deep; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", wrapper[w < 7 ? w : i % 7]);
        n += (size_t)snprintf(text + n, sizeof text - n, "gaussian(1000)");
        for (size_t i = 0; i < deep; i++) n += (size_t)snprintf(text + n, sizeof text - n, ")");
        assert_true(n < sizeof text);
        assert_survives(text, DUSK_ADD_REMOVE);
        assert_survives(text, DUSK_REPLACE_ONE);
    }
}

/* Parts of the data below other wrappers: found once in both directions. */
static void nested_parts(void **state)
{
    static const char *const wrapper[] = { "parallel(pure(0.5), poisson(0.9, ", "group(2, parallel(pure(1), ",
                                           "parallel(pure(2), pure(1) + poisson(0.5, " };
    char text[2048];
    (void)state;
    for (size_t w = 0; w < sizeof wrapper / sizeof *wrapper; w++) {
        size_t n = 0;
        for (size_t i = 0; i < 20; i++) n += (size_t)snprintf(text + n, sizeof text - n, "%s", wrapper[w]);
        n += (size_t)snprintf(text + n, sizeof text - n, "gaussian(1000)");
        for (size_t i = 0; i < 40; i++) n += (size_t)snprintf(text + n, sizeof text - n, ")");
        assert_true(n < sizeof text);
        assert_survives(text, DUSK_ADD_REMOVE);
        assert_survives(text, DUSK_REPLACE_ONE);
    }
}

/* Many different parts. */
static void many_parts(void **state)
{
    static char text[65536];
    size_t n = 0;
    (void)state;
    for (int i = 0; i < 30; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%sapprox(%.4f, 1e-12)", i ? " + " : "",
                              0.001 + 0.0001 * i);
    assert_true(n < sizeof text);
    assert_survives(text, DUSK_ADD_REMOVE);
}

/* The other questions, where anything could go wrong. */
static void other_questions(void **state)
{
    static const char *const some[] = { "gaussian(1e-12)", "gaussian(1e12)",  "pure(1e300)",
                                        "pure(0)",         "gaussian(1) * 0", "zcdp(0.1)" };
    const double alphas[] = { 0, 5e-324, 1e-300, 0.5, 1 - 0x1p-53, 1 };
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        dusk_composition *c;
        dusk_account a = { 0 };
        dusk_error err = { .message = "" };
        double odds = 0;
        assert_int_equal(parse(&c, some[i], DUSK_ADD_REMOVE), DUSK_OK);
        for (size_t j = 0; j < sizeof alphas / sizeof *alphas; j++) {
            dusk_status status = dusk_account_tradeoff(&a, c, alphas[j], DUSK_BEST, &err);
            assert_answer(some[i], status, a, &err, 1);
        }
        for (size_t j = 0; j < sizeof deltas / sizeof *deltas; j++) {
            dusk_status status = dusk_account_posterior_odds(&odds, c, 1e-300, deltas[j], &err);
            assert_true(status == DUSK_ERR_UNSUPPORTED || (status == DUSK_OK && odds >= 1e-300));
        }
        dusk_composition_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes),     cmocka_unit_test(slow_extremes), cmocka_unit_test(nested),
        cmocka_unit_test(nested_parts), cmocka_unit_test(many_parts),    cmocka_unit_test(other_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
