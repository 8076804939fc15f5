/* SPDX-License-Identifier: Apache-2.0 */
/* The Renyi accountant: kinds and wrappers against each other and against closed
 * forms; limits; hostile parameters end in a sound number or one sentence. */
#include <math.h>
#include <stdio.h>

#include "accounting/accountants.h"
#include "base/memory.h"
#include "support.h"

static dusk_composition *parse(const char *text, dusk_neighbours how)
{
    dusk_composition *c;
    dusk_error err = { 0 };
    assert_int_equal(dusk_composition_new(&c, how, &err), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return c;
}

static double divergence(const char *text, dusk_neighbours how, double alpha)
{
    dusk_composition *c = parse(text, how);
    dusk_error err = { 0 };
    double d = 0, sum = 0;
    for (const dusk_event_node *t = dusk_composition_first(c); t; t = dusk_composition_next(c, t)) {
        if (dusk_rdp_of_tree(&d, t, how, alpha, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
        assert_true(d >= 0);
        sum += d;
    }
    dusk_composition_free(c);
    return sum;
}

static double epsilon_at(const char *text, dusk_neighbours how, double delta)
{
    dusk_composition *c = parse(text, how);
    dusk_error err = { 0 };
    dusk_bound out;
    if (dusk_rdp_epsilon(&out, c, delta, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    assert_true(out.lower == 0 && out.upper >= 0);
    dusk_composition_free(c);
    return out.upper;
}

static double delta_at(const char *text, dusk_neighbours how, double epsilon)
{
    dusk_composition *c = parse(text, how);
    dusk_error err = { 0 };
    dusk_bound out;
    if (dusk_rdp_delta(&out, c, epsilon, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    assert_true(out.lower == 0 && out.upper >= 0 && out.upper <= 1);
    dusk_composition_free(c);
    return out.upper;
}

/* a is not below b, and within a share of it */
static void assert_just_above(const char *what, double a, double b, double share)
{
    if (!(a >= b && a <= b * (1 + share) + 1e-300)) fail_msg("%s: %.17g against %.17g", what, a, b);
}

static void closed_forms(void **state)
{
    (void)state;
    for (double alpha = 1.25; alpha < 300; alpha *= 1.7) {
        assert_just_above("gaussian", divergence("gaussian(2)", DUSK_ADD_REMOVE, alpha), alpha / 8, 1e-14);
        assert_just_above("gaussian", divergence("gaussian(2)", DUSK_REPLACE_ONE, alpha), alpha / 2, 1e-14);
        assert_just_above("gdp", divergence("gdp(0.5) * 3", DUSK_REPLACE_ONE, alpha), 0.375 * alpha, 1e-14);
        assert_just_above("zcdp", divergence("zcdp(0.5, 0.25)", DUSK_ADD_REMOVE, alpha), 0.25 + alpha / 2,
                          1e-14);
        assert_just_above("mcdp", divergence("mcdp(0.5, 0.5)", DUSK_ADD_REMOVE, alpha), 0.5 + (alpha - 1) / 8,
                          1e-14);
        assert_just_above("discrete", divergence("discrete_gaussian(3, 2)", DUSK_ADD_REMOVE, alpha),
                          2 * alpha / 9 * (1 - 1e-15), 1e-14);
        double e = 0.75, s = alpha - 1;
        double pure = log((exp(e + s * e) + exp(-s * e)) / (1 + exp(e))) / s;
        assert_just_above("pure", divergence("pure(0.75)", DUSK_ADD_REMOVE, alpha), pure * (1 - 1e-13),
                          1e-12);
        assert_just_above("laplace", divergence("laplace(2)", DUSK_ADD_REMOVE, alpha),
                          log(alpha / (2 * alpha - 1) * exp(s / 2) + s / (2 * alpha - 1) * exp(-alpha / 2)) /
                              s * (1 - 1e-13),
                          1e-12);
    }
}

static void limits_agree(void **state)
{
    const double infinity = INFINITY;
    (void)state;
    assert_true(divergence("pure(2)", DUSK_ADD_REMOVE, infinity) == 2);
    assert_just_above("laplace", divergence("laplace(4)", DUSK_ADD_REMOVE, infinity), 0.25, 1e-15);
    assert_true(isinf(divergence("gaussian(1)", DUSK_ADD_REMOVE, infinity)));
    assert_true(isinf(divergence("approx(1, 1e-6)", DUSK_ADD_REMOVE, 2)));
    assert_true(isinf(divergence("tcdp(0.1, 3)", DUSK_ADD_REMOVE, 3)));
    assert_just_above("tcdp", divergence("tcdp(0.1, 3)", DUSK_ADD_REMOVE, 2.5), 0.25, 1e-15);
    assert_just_above("exponential", divergence("exponential(2)", DUSK_ADD_REMOVE, infinity), 2, 0);
    assert_just_above("exponential", divergence("exponential(1e-3)", DUSK_ADD_REMOVE, 2),
                      2e-6 / 8 * (1 - 1e-6), 1e-5);
    assert_true(divergence("group(1, gaussian(2))", DUSK_ADD_REMOVE, 3) ==
                divergence("gaussian(2)", DUSK_ADD_REMOVE, 3));
    assert_true(divergence("poisson(1, zcdp(2))", DUSK_ADD_REMOVE, 3) ==
                divergence("zcdp(2)", DUSK_ADD_REMOVE, 3));
    assert_true(divergence("poisson(0, zcdp(2))", DUSK_ADD_REMOVE, 3) == 0);
    assert_true(divergence("without_replacement(5, 5, zcdp(2))", DUSK_REPLACE_ONE, 3) ==
                divergence("zcdp(2)", DUSK_REPLACE_ONE, 3));
}

/* Theorems with their own formulas. */
static void formulas(void **state)
{
    (void)state;
    for (double alpha = 1.5; alpha < 40; alpha *= 1.7) {
        double s = alpha - 1, query = 4 * alpha / (2 * 9);
        assert_just_above("svt", divergence("svt_gaussian(2, 3, 10)", DUSK_ADD_REMOVE, alpha),
                          alpha / 8 + log(10 * exp(s * query) + 1) / s * (1 - 1e-14), 1e-9);
        /* pure privacy: the auxiliary order is infinite, 2 + (1 + eta) 2 + ln E[K] / s */
        assert_just_above("select", divergence("select_best(1, 1e-9, pure(2))", DUSK_ADD_REMOVE, alpha),
                          divergence("pure(2)", DUSK_ADD_REMOVE, alpha) + 4 + log(1e9) / s * (1 - 1e-14),
                          1e-9);
        assert_just_above("select", divergence("select_best(0, 0.25, zcdp(1e-20))", DUSK_ADD_REMOVE, alpha),
                          log(3 / log(4)) / s * (1 - 1e-14), 1e-6);
        assert_just_above("select",
                          divergence("select_best(-0.5, 0.25, zcdp(1e-20))", DUSK_ADD_REMOVE, alpha),
                          log(0.5 * 3) / s * (1 - 1e-14), 1e-6);
        assert_just_above("group", divergence("group(4, rdp(8: 0.1, 1000: 0.1))", DUSK_ADD_REMOVE, alpha),
                          0.9, 1e-14);
        /* sampling at rate q of delta-like laws: adding is at most 1 + s(s+1)/2 q^2 (1-q)^-(s+2) (e^D2 - 1) */
        double added = log1p(s * alpha / 2 * 0.01 * pow(0.9, -alpha - 1) * expm1(0.02)) / s;
        assert_true(divergence("poisson(0.1, rdp(2: 0.02, 1000: 0.02))", DUSK_ADD_REMOVE, alpha) >=
                    fmin(0.02, added) * (1 - 1e-12));
    }
}

/* A bound by theorem is not below what the exact pair gives. */
static void theorems_are_above(void **state)
{
    static const struct {
        const char *exact, *bound;
        dusk_neighbours how;
        double most; /* the bound over the exact value */
    } cases[] = {
        { "exponential(1)", "pure(1)", DUSK_ADD_REMOVE, 4.5 },
        { "poisson(0.01, gaussian(2))", "poisson(0.01, zcdp(0.125))", DUSK_ADD_REMOVE, 1.5 },
        { "poisson(0.1, laplace(1))", "poisson(0.1, laplace(1) + zcdp(1e-30))", DUSK_ADD_REMOVE, 2 },
        { "without_replacement(1, 100, gaussian(4))", "without_replacement(1, 100, zcdp(0.125))",
          DUSK_REPLACE_ONE, 9 },
        { "poisson(0.25, pure(1))", "poisson(0.25, pure(1) + zcdp(1e-30))", DUSK_ADD_REMOVE, 2.6 },
        { "poisson(0.25, pure(1))", "poisson(0.25, pure(1) + zcdp(1e-30))", DUSK_REPLACE_ONE, 1.5 },
        { "poisson(0.05, discrete_gaussian(4))", "poisson(0.05, zcdp(0.03125))", DUSK_ADD_REMOVE, 1.5 },
        { "group(4, gaussian(2))", "group(4, zcdp(0.125))", DUSK_ADD_REMOVE, 1.001 },
        { "gaussian(2)", "rdp(1.1: 0.1375, 1.5: 0.1875, 2: 0.25, 4: 0.5, 8: 1, 64: 8)", DUSK_ADD_REMOVE,
          2.8 },
        { "group(2, gaussian(2))", "group(2, rdp(2: 0.25, 4: 0.5, 6: 0.75, 8: 1, 128: 16))", DUSK_ADD_REMOVE,
          9 },
        { "gaussian(2)", "parallel(gaussian(2), gaussian(3), zcdp(0.01))", DUSK_ADD_REMOVE, 1.001 },
        { "gaussian(2)", "parallel(gaussian(2), gaussian(2))", DUSK_REPLACE_ONE, 1.001 },
        { "gaussian(2)", "select_best(1, 0.5, gaussian(2))", DUSK_ADD_REMOVE, 100 },
        { "gaussian(2)", "select_poisson(3, gaussian(2))", DUSK_ADD_REMOVE, 100 },
        { "gaussian(2)", "svt_gaussian(2, 1e9, 1)", DUSK_ADD_REMOVE, 100 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (double alpha = 1.5; alpha < 40; alpha *= 1.5) {
            double exact = divergence(cases[i].exact, cases[i].how, alpha);
            double bound = divergence(cases[i].bound, cases[i].how, alpha);
            if (!(bound >= exact * (1 - 1e-9) && (bound <= exact * cases[i].most)))
                fail_msg("%s at %g: %g, %s: %g", cases[i].exact, alpha, exact, cases[i].bound, bound);
        }
}

/* The optimal order of Canonne, Kamath & Steinke 2020, Proposition 12, from the
 * reference values; what infinite losses cost; what cannot be worse than basic. */
static void conversions(void **state)
{
    (void)state;
    assert_just_above("zcdp", epsilon_at("zcdp(0.01)", DUSK_ADD_REMOVE, 1e-6), 0.6216926545596025, 1e-9);
    assert_just_above("zcdp", epsilon_at("zcdp(0.5)", DUSK_ADD_REMOVE, 1e-5), 4.728386984943313, 1e-9);
    assert_just_above("zcdp", epsilon_at("zcdp(1)", DUSK_REPLACE_ONE, 1e-10), 10.03434358134762, 1e-9);
    assert_just_above("zcdp", epsilon_at("zcdp(25) * 2", DUSK_ADD_REMOVE, 1e-6), 100.6899051610582, 1e-9);
    assert_just_above("zcdp", epsilon_at("zcdp(0.5)", DUSK_ADD_REMOVE, 1e-30), 11.95367424418210, 1e-9);
    assert_true(epsilon_at("zcdp(1e-14)", DUSK_ADD_REMOVE, 1e-6) == 0);
    assert_true(isinf(epsilon_at("zcdp(1)", DUSK_ADD_REMOVE, 0)));
    assert_true(epsilon_at("pure(0.5) * 4", DUSK_ADD_REMOVE, 0) == 2);
    assert_true(isinf(epsilon_at("approx(0.1, 1e-6) * 10", DUSK_ADD_REMOVE, 1e-5)));
    assert_just_above("approx", epsilon_at("approx(0.1, 1e-8) * 100", DUSK_ADD_REMOVE, 1e-5), 4.6374, 1e-4);
    assert_true(delta_at("pure(0.5) * 4", DUSK_ADD_REMOVE, 2) == 0);
    assert_true(delta_at("gaussian(1)", DUSK_ADD_REMOVE, 0) <= 0.51);
    double epsilon = epsilon_at("laplace(3) * 9", DUSK_ADD_REMOVE, 1e-7);
    assert_just_above("back", delta_at("laplace(3) * 9", DUSK_ADD_REMOVE, epsilon), 1e-7 * (1 - 1e-6), 1e-5);
}

/* More privacy is not paid for with more epsilon. */
static void monotone(void **state)
{
    static const char *const better[] = {
        "zcdp(0.1)", "zcdp(0.1) * 2", "zcdp(0.1, 0.1) * 2", "tcdp(0.21, 3) * 2", "tcdp(0.21, 2) * 2",
    };
    double before = 0;
    (void)state;
    for (size_t i = 0; i < sizeof better / sizeof *better; i++) {
        double epsilon = epsilon_at(better[i], DUSK_ADD_REMOVE, 1e-6);
        if (!(epsilon >= before)) fail_msg("%s: %g after %g", better[i], epsilon, before);
        before = epsilon;
    }
}

/* Sound numbers or one sentence, never NaN. */
static void hostile(void **state)
{
    static const char *const texts[] = {
        "gaussian(1e-12) * 4611686018427387904",
        "gaussian(1e12)",
        "laplace(1e-300)",
        "laplace(1e300) * 1000",
        "poisson(1e-300, gaussian(1))",
        "poisson(0.5, gaussian(1e-12))",
        "poisson(1e-9, laplace(1e-9))",
        "pure(1e300) * 1000000000",
        "zcdp(1e300) * 1000000",
        "mcdp(1e300, 1e300)",
        "tcdp(1e-300, 1e300)",
        "tcdp(1, 1.0000000001)",
        "rdp(1.0000001: 1e300)",
        "exponential(1e300)",
        "exponential(1e-300)",
        "svt_gaussian(1e-12, 1e12, 4611686018427387904)",
        "select_best(1e9, 1e-9, gaussian(1e-6))",
        "select_best(-0.999, 0.999, pure(1e-9))",
        "select_best(0, 1e-300, zcdp(1e-6))",
        "select_poisson(1e300, zcdp(1))",
        "select_poisson(1e-300, pure(1))",
        "group(4611686018427387904, rdp(2: 1))",
        "group(1000000, zcdp(1e300))",
        "poisson(0.5, poisson(0.5, poisson(0.5, zcdp(1) + pure(1))))",
        "poisson(0.999999999, zcdp(1) + laplace(1))",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int how = DUSK_ADD_REMOVE; how <= DUSK_REPLACE_ONE; how++) {
            dusk_composition *c = parse(texts[i], (dusk_neighbours)how);
            static const double deltas[] = { 0, 1e-300, 1e-6, 0.5, 1 - 1e-16 };
            for (size_t j = 0; j < sizeof deltas / sizeof *deltas; j++) {
                dusk_bound out = { 0, NAN };
                dusk_error err = { 0 };
                dusk_status status = dusk_rdp_epsilon(&out, c, deltas[j], &err);
                if (status == DUSK_OK && !(out.upper >= 0)) fail_msg("%s: %g", texts[i], out.upper);
                if (status != DUSK_OK && !(status == DUSK_ERR_UNSUPPORTED && err.message[0]))
                    fail_msg("%s: status %d", texts[i], status);
            }
            dusk_composition_free(c);
        }
}

/* Fifty wrappers deep: an answer, or one sentence. */
static void deep(void **state)
{
    static const char *const wrappers[] = {
        "poisson(0.9, ",      "group(1, ", "select_best(1, 0.5, ",
        "select_poisson(2, ", "parallel(", "without_replacement(9, 10, "
    };
    (void)state;
    for (size_t w = 0; w < sizeof wrappers / sizeof *wrappers; w++)
        for (int how = DUSK_ADD_REMOVE; how <= DUSK_REPLACE_ONE; how++) {
            char text[4096];
            size_t used = 0;
            for (int i = 0; i < 50; i++)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s", wrappers[w]);
            used += (size_t)snprintf(text + used, sizeof text - used, "zcdp(0.001) + laplace(20)");
            for (int i = 0; i < 50; i++) text[used++] = ')';
            text[used] = '\0';
            dusk_composition *c = parse(text, (dusk_neighbours)how);
            dusk_bound out = { 0, NAN };
            dusk_status status = dusk_rdp_epsilon(&out, c, 1e-6, NULL);
            assert_true(status == DUSK_ERR_UNSUPPORTED || (status == DUSK_OK && out.upper >= 0));
            if (w == 1)
                assert_true(out.upper == epsilon_at("zcdp(0.001) + laplace(20)", (dusk_neighbours)how, 1e-6));
            dusk_composition_free(c);
        }
}

/* In the count, the rate, the noise, epsilon; order of parts does not matter. */
static void properties(void **state)
{
    double before = 0;
    char text[120];
    (void)state;
    for (int n = 1; n < 100000; n *= 7) {
        (void)snprintf(text, sizeof text, "poisson(0.02, gaussian(1.5)) * %d + laplace(9) * %d", n, n);
        double now = epsilon_at(text, DUSK_ADD_REMOVE, 1e-6);
        (void)snprintf(text, sizeof text, "laplace(9) * %d + poisson(0.02, gaussian(1.5)) * %d", n, n);
        assert_just_above("order of parts", epsilon_at(text, DUSK_ADD_REMOVE, 1e-6), now * (1 - 1e-12),
                          2e-12);
        assert_true(now >= before);
        before = now;
    }
    before = 0;
    for (double q = 1e-4; q < 1; q *= 3) {
        (void)snprintf(text, sizeof text, "poisson(%.17g, gaussian(1.5)) * 100", q);
        double now = epsilon_at(text, DUSK_ADD_REMOVE, 1e-6);
        assert_true(now >= before);
        before = now;
    }
    before = 1;
    for (double epsilon = 0; epsilon < 8; epsilon += 0.25) {
        double now =
            delta_at("poisson(0.1, gaussian(1.5)) * 100 + discrete_laplace(3) * 5", DUSK_ADD_REMOVE, epsilon);
        assert_true(now <= before * (1 + 1e-12));
        before = now;
    }
}

/* Nothing leaks whichever allocation fails. */
static void memory(void **state)
{
    const char *text =
        "poisson(0.1, discrete_laplace(2)) + poisson(0.1, laplace(1) + zcdp(1)) + group(3, gaussian(1))";
    dusk_composition *c = parse(text, DUSK_ADD_REMOVE);
    bool done = false;
    (void)state;
    for (long n = 1; n < 200 && !done; n++) {
        dusk_bound out;
        dusk_memory_fail_at(n);
        dusk_status status = dusk_rdp_epsilon(&out, c, 1e-6, NULL);
        dusk_memory_fail_at(0);
        done = status == DUSK_OK;
        if (!done) assert_int_equal(status, DUSK_ERR_MEMORY);
    }
    assert_true(done);
    dusk_composition_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms), cmocka_unit_test(limits_agree),
        cmocka_unit_test(formulas),     cmocka_unit_test(theorems_are_above),
        cmocka_unit_test(conversions),  cmocka_unit_test(monotone),
        cmocka_unit_test(hostile),      cmocka_unit_test(deep),
        cmocka_unit_test(properties),   cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
