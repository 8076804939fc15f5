/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for every price: monotone in delta, steps, sampling rate and
 * noise; the order of parts does not matter; wrappers that do nothing cost
 * nothing; the best accountant is never above another and never below a lower
 * bound; epsilon at delta and delta at epsilon agree. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/accounting.h"
#include "support.h"

#define SAME 1e-8 /* two enclosures of the same number are this close, relatively */

static dusk_composition *composition(const char *text, dusk_neighbours neighbours)
{
    dusk_composition *c;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_composition_new(&c, neighbours, NULL), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return c;
}

static dusk_status price(dusk_bound *out, const char *text, dusk_neighbours neighbours, double delta,
                         dusk_accountant accountant, dusk_error *err)
{
    dusk_composition *c = composition(text, neighbours);
    dusk_account a;
    dusk_status status = dusk_account_epsilon(&a, c, delta, accountant, err);
    dusk_composition_free(c);
    if (status != DUSK_OK) return status;
    if (!(a.bound.lower >= 0 && a.bound.lower <= a.bound.upper))
        fail_msg("%s, %s: [%g, %g]", text, dusk_accountant_name(accountant), a.bound.lower, a.bound.upper);
    assert_int_equal(a.approximation, accountant == DUSK_CLT);
    *out = a.bound;
    return DUSK_OK;
}

static dusk_bound best(const char *text, dusk_neighbours neighbours, double delta)
{
    dusk_bound b = { 0, 0 };
    dusk_error err = { .message = "" };
    if (price(&b, text, neighbours, delta, DUSK_BEST, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return b;
}

/* Enclosures of equal numbers overlap and are alike. */
static void assert_equal_prices(const char *a, const char *b, dusk_neighbours neighbours, double delta)
{
    dusk_bound x = best(a, neighbours, delta), y = best(b, neighbours, delta);
    if (!(x.lower <= y.upper && y.lower <= x.upper && fabs(x.upper - y.upper) <= SAME * x.upper))
        fail_msg("%s: [%.17g, %.17g], but %s: [%.17g, %.17g]", a, x.lower, x.upper, b, y.lower, y.upper);
}

/* Prices in the order of the texts. */
static void assert_increasing(const char *const *texts, size_t n, double delta)
{
    for (size_t i = 1; i < n; i++) {
        dusk_bound x = best(texts[i - 1], DUSK_ADD_REMOVE, delta), y = best(texts[i], DUSK_ADD_REMOVE, delta);
        if (!(x.lower <= y.upper && x.upper <= y.upper * (1 + SAME)))
            fail_msg("%s: %.17g, but %s: %.17g", texts[i - 1], x.upper, texts[i], y.upper);
    }
}

static void monotone(void **state)
{
    static const char *const steps[] = { "poisson(0.01, gaussian(1)) * 100",
                                         "poisson(0.01, gaussian(1)) * 101",
                                         "poisson(0.01, gaussian(1)) * 1000",
                                         "poisson(0.01, gaussian(1)) * 1e9" };
    static const char *const rate[] = { "poisson(0.001, gaussian(1)) * 500",
                                        "poisson(0.00101, gaussian(1)) * 500",
                                        "poisson(0.1, gaussian(1)) * 500",
                                        "poisson(0.999, gaussian(1)) * 500", "gaussian(1) * 500" };
    static const char *const noise[] = { "poisson(0.01, gaussian(10)) * 500",
                                         "poisson(0.01, gaussian(2)) * 500",
                                         "poisson(0.01, gaussian(1.999)) * 500",
                                         "poisson(0.01, gaussian(0.5)) * 500" };
    static const char *const laplace[] = { "laplace(10) * 8", "laplace(9) * 8", "laplace(9) * 9",
                                           "laplace(9) * 9 + pure(0.01)", "laplace(9) * 9 + pure(0.02)" };
    (void)state;
    assert_increasing(steps, sizeof steps / sizeof *steps, 1e-6);
    assert_increasing(rate, sizeof rate / sizeof *rate, 1e-6);
    assert_increasing(noise, sizeof noise / sizeof *noise, 1e-6);
    assert_increasing(laplace, sizeof laplace / sizeof *laplace, 1e-6);
}

static void falls_with_delta(void **state)
{
    static const char *const texts[] = { "gaussian(1)",
                                         "poisson(0.01, gaussian(1)) * 1000",
                                         "laplace(1) * 3",
                                         "approx(0.1, 1e-9) * 30",
                                         "discrete_gaussian(2) * 5",
                                         "randomized_response(1, 4) * 6" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double last = 0;
        for (double delta = 0.3; delta > 1e-40; delta *= 1e-4) {
            dusk_bound b = best(texts[i], DUSK_ADD_REMOVE, delta);
            assert_true(b.upper >= last * (1 - SAME));
            last = b.upper;
        }
    }
}

/* delta at the upper bound of epsilon is at most delta; a little below the lower
 * bound it is not. */
static void there_and_back(void **state)
{
    static const char *const texts[] = {
        "gaussian(1)",    "poisson(0.01, gaussian(1)) * 1000", "laplace(1) * 3",
        "pure(0.1) * 40", "discrete_gaussian(2) * 5",          "randomized_response(1, 4) * 6",
        "zcdp(0.1)"
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dusk_composition *c = composition(texts[i], DUSK_ADD_REMOVE);
        for (double delta = 1e-3; delta > 1e-20; delta *= 1e-8) {
            dusk_account e, d;
            assert_int_equal(dusk_account_epsilon(&e, c, delta, DUSK_BEST, NULL), DUSK_OK);
            assert_int_equal(dusk_account_delta(&d, c, e.bound.upper, DUSK_BEST, NULL), DUSK_OK);
            assert_true(d.bound.lower <= d.bound.upper && d.bound.upper <= 1);
            if (!(d.bound.lower <= delta && d.bound.upper <= delta * (1 + 1e-6)))
                fail_msg("%s at %g: epsilon %.17g, delta [%g, %g]", texts[i], delta, e.bound.upper,
                         d.bound.lower, d.bound.upper);
            assert_int_equal(dusk_account_delta(&d, c, e.bound.lower, DUSK_BEST, NULL), DUSK_OK);
            assert_true(d.bound.upper >= delta * (1 - 1e-12));
        }
        dusk_composition_free(c);
    }
}

static void equal_things(void **state)
{
    static const dusk_neighbours both[] = { DUSK_ADD_REMOVE, DUSK_REPLACE_ONE };
    static const char *const pairs[][2] = {
        { "gaussian(1) + laplace(2)", "laplace(2) + gaussian(1)" },
        { "poisson(0.01, gaussian(1)) * 50 + poisson(0.02, gaussian(2)) * 70",
          "poisson(0.02, gaussian(2)) * 70 + poisson(0.01, gaussian(1)) * 50" },
        { "pure(0.3) + approx(0.1, 1e-8) * 3", "approx(0.1, 1e-8) * 3 + pure(0.3)" },
        { "group(1, gaussian(2))", "gaussian(2)" },
        { "group(1, poisson(0.1, gaussian(2)) * 9)", "poisson(0.1, gaussian(2)) * 9" },
        { "group(1, laplace(2)) * 3", "laplace(2) * 3" },
        { "poisson(1, gaussian(2)) * 3", "gaussian(2) * 3" },
        { "poisson(1, pure(2)) * 3", "pure(2) * 3" },
        { "poisson(0, gaussian(2)) * 3 + pure(1)", "pure(1)" },
        { "gaussian(2) + gaussian(2)", "gaussian(2) * 2" },
        { "gaussian(2) * 4", "gaussian(1)" },
        { "gdp(0.5)", "gaussian(2) + gaussian(1) * 0" },
        { "group(2, gaussian(2))", "gaussian(1)" },
        { "tree(3, 1)", "gaussian(3)" },
        { "matrix(6, 2)", "gaussian(3)" },
        { "randomized_response(1, 2) * 3", "pure(1) * 3" },
        { "approx(1, 0) * 3", "pure(1) * 3" },
    };
    (void)state;
    for (size_t n = 0; n < 2; n++) {
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            if (both[n] == DUSK_REPLACE_ONE && strncmp(pairs[i][0], "gdp", 3) == 0) continue; /* a promise */
            assert_equal_prices(pairs[i][0], pairs[i][1], both[n], 1e-6);
        }
    }
    assert_equal_prices("gaussian(2)", "gaussian(2)", DUSK_REPLACE_ONE, 1e-6);
    dusk_bound twice = best("gaussian(2)", DUSK_REPLACE_ONE, 1e-6),
               once = best("gaussian(1)", DUSK_ADD_REMOVE, 1e-6);
    assert_true(fabs(twice.upper - once.upper) <= SAME * once.upper);
}

/* Kinds of random parts; %g is a noise or an epsilon near 1. */
static const char *const kinds[] = {
    "gaussian(%.3g)",
    "laplace(%.3g)",
    "pure(%.3g)",
    "approx(%.3g, 1e-9)",
    "gdp(%.3g)",
    "discrete_gaussian(%.3g)",
    "discrete_laplace(%.3g)",
    "exponential(%.3g)",
    "permute_and_flip(%.3g)",
    "noisy_max(%.3g)",
    "svt(%.3g, 0.5, 1)",
    "randomized_response(%.3g, 3)",
    "staircase(%.3g, 0.5)",
    "zcdp(%.3g)",
    "tcdp(%.3g, 20)",
    "mcdp(0.1, %.3g)",
    "tree(%.3g, 8)",
    "matrix(%.3g, 1)",
    "rdp(2: %.3g, 8: 4)",
    "svt_gaussian(%.3g, 2, 10)",
    "threshold_monitor(%.3g, 2)",
    "poisson(0.1, gaussian(%.3g))",
    "poisson(0.1, laplace(%.3g))",
    "poisson(0.3, pure(%.3g))",
    "group(2, gaussian(%.3g))",
    "group(3, pure(%.3g))",
    "parallel(gaussian(%.3g), pure(1))",
    "select_best(1, 0.1, pure(%.3g))",
    "select_poisson(5, gaussian(%.3g))",
};

static unsigned long long next_random(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return *state >> 33;
}

/* A sum of one to three parts, small counts. */
static void random_text(char *text, size_t size, unsigned long long *state)
{
    size_t n = 0, parts = 1 + next_random(state) % 3;
    for (size_t i = 0; i < parts; i++) {
        char part[80];
        const char *kind = kinds[next_random(state) % (sizeof kinds / sizeof *kinds)];
        double x = 0.25 * (double)(1 + next_random(state) % 16);
        snprintf(part, sizeof part, kind, x); /* formats are the fixed list above */
        n += (size_t)snprintf(text + n, size - n, "%s%s * %d", i ? " + " : "", part,
                              (int)(1 + next_random(state) % 4));
    }
}

/* The best is the best, and sound with respect to all others. */
static void assert_best(const char *text, dusk_neighbours neighbours, double delta)
{
    dusk_bound b, other;
    dusk_error err = { .message = "" };
    dusk_status status = price(&b, text, neighbours, delta, DUSK_BEST, &err);
    for (int i = 2; i <= DUSK_ACCOUNTANTS; i++) {
        dusk_accountant accountant = (dusk_accountant)i;
        dusk_error why = { .message = "" };
        if (accountant == DUSK_CLT) continue;
        /* a second each where losses are spread out: left to the long run */
        if (accountant == DUSK_LATTICE && !getenv("DUSK_DEEP") && strncmp(text, "discrete", 8) != 0) continue;
        if (price(&other, text, neighbours, delta, accountant, &why) != DUSK_OK) {
            assert_int_equal(why.status, DUSK_ERR_UNSUPPORTED);
            assert_true(why.message[0] != '\0');
            continue;
        }
        if (status != DUSK_OK)
            fail_msg("%s: %s, but %s knows", text, err.message, dusk_accountant_name(accountant));
        if (!(b.upper <= other.upper * (1 + SAME)))
            fail_msg("%s: best %.17g, %s %.17g", text, b.upper, dusk_accountant_name(accountant),
                     other.upper);
        if (!(b.upper >= other.lower && b.lower <= other.upper))
            fail_msg("%s: best [%.17g, %.17g], %s [%.17g, %.17g]", text, b.lower, b.upper,
                     dusk_accountant_name(accountant), other.lower, other.upper);
    }
}

static void best_of_all(void **state)
{
    static const char *const texts[] = { "gaussian(1)",
                                         "poisson(0.01, gaussian(1)) * 1000",
                                         "laplace(1) * 10",
                                         "pure(0.1) * 100",
                                         "exponential(0.1) * 1000",
                                         "zcdp(0.1) + gaussian(3)",
                                         "discrete_laplace(3) * 20",
                                         "approx(0.1, 1e-9) * 20" };
    unsigned long long seed = 1;
    char text[512];
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_best(texts[i], DUSK_ADD_REMOVE, 1e-6);
    int many = getenv("DUSK_DEEP") ? 300 : 4; /* mixtures of noise take the lattice, too */
    for (int i = 0; i < many; i++) {
        random_text(text, sizeof text, &seed);
        assert_best(text, i % 3 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE, i % 2 ? 1e-6 : 1e-2);
    }
}

/* Replacing is removing and adding: no cheaper, for noise that is added. */
static void replacing_costs_more(void **state)
{
    static const char *const texts[] = { "gaussian(2)",
                                         "laplace(2) * 3",
                                         "discrete_gaussian(3) * 2",
                                         "discrete_laplace(3) * 2",
                                         "staircase(1, 0.5)",
                                         "tree(4, 10)",
                                         "poisson(0.1, gaussian(1)) * 20",
                                         "poisson(0.1, laplace(1)) * 3" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dusk_bound one = best(texts[i], DUSK_ADD_REMOVE, 1e-6), two = best(texts[i], DUSK_REPLACE_ONE, 1e-6);
        if (!(two.upper >= one.lower)) fail_msg("%s: %g and %g", texts[i], one.lower, two.upper);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monotone),       cmocka_unit_test(falls_with_delta),
        cmocka_unit_test(there_and_back), cmocka_unit_test(equal_things),
        cmocka_unit_test(best_of_all),    cmocka_unit_test(replacing_costs_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
