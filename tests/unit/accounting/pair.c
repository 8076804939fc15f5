/* SPDX-License-Identifier: Apache-2.0 */
/* Resolving compositions to dominating pairs: laws are laws, directions mirror
 * each other, wrappers that do nothing do nothing, and what has no pair says so. */
#include "accounting/pair.h"

#include <math.h>

#include "accounting/accountants.h"
#include "pairs_of.h"
#include "support.h"

#define NEAR 4e-15

static dusk_status status_of(const char *text, dusk_direction direction)
{
    dusk_pairs pairs;
    dusk_status status = resolve_pairs(&pairs, text, direction, NULL);
    if (status == DUSK_OK) dusk_pairs_free(&pairs);
    return status;
}

/* lower <= x <= upper, and narrow */
static void assert_encloses(const char *text, const char *what, double lower, double x, double upper,
                            double slack)
{
    if (!(lower <= x + slack && x <= upper + slack && upper - lower <= slack))
        fail_msg("%s, %s: %.17g not in [%.17g, %.17g]", text, what, x, lower, upper);
}

/* P and Q both have mass 1. */
static void check_law(const char *text, const dusk_pair *pair)
{
    dusk_bound p = pair->infinite, q = pair->absent;
    assert_int_equal(pair->kind, DUSK_PAIR_ATOMS);
    for (size_t i = 0; i < pair->atoms; i++) {
        dusk_bound l = pair->loss[i], m = pair->mass[i];
        assert_true(isfinite(l.lower) && isfinite(l.upper) && l.lower <= l.upper);
        assert_true(m.lower >= 0 && m.lower <= m.upper && m.upper <= 1 + NEAR);
        if (i > 0) assert_true(pair->loss[i - 1].upper <= l.upper && pair->loss[i - 1].lower <= l.lower);
        p.lower += m.lower;
        p.upper += m.upper;
        q.lower += m.lower * exp(-l.upper);
        q.upper += m.upper * exp(-l.lower);
        if (pair->lattice) {
            double at = pair->origin.lower + (double)i * pair->step.lower;
            assert_true(fabs(at - l.lower) <= 1e-13 * (1 + fabs(l.lower) + fabs(pair->origin.lower)));
        }
    }
    double slack = 1e-15 * (double)(pair->atoms + 10);
    assert_encloses(text, "mass of P", p.lower, 1, p.upper, slack);
    assert_encloses(text, "mass of Q", q.lower, 1, q.upper, slack);
}

static void laws_are_laws(void **state)
{
    static const char *const texts[] = {
        "pure(1)",
        "pure(1e-9)",
        "pure(300)",
        "approx(0.5, 1e-3)",
        "approx(0, 0.25)",
        "randomized_response(1, 2)",
        "randomized_response(2, 10)",
        "exponential(1)",
        "svt(0.5, 0.25, 3)",
        "discrete_laplace(2)",
        "discrete_laplace(0.5, 7)",
        "discrete_laplace(1e9, 3)",
        "discrete_gaussian(1)",
        "discrete_gaussian(0.3)",
        "discrete_gaussian(7.5, 3)",
        "discrete_gaussian(100, 7)",
        "staircase(1, 0.2)",
        "staircase(2, 0.5)",
        "staircase(0.5, 0.9)",
        "fdp(0: 0.9, 0.2: 0.4, 0.4: 0.2, 0.9: 0, 1: 0)",
        "fdp(0: 1, 0.25: 0.25, 1: 0)",
        "pld(-1: 0.25, 0.5: 0.5, inf: 0.25)",
        "poisson(0.25, pure(1))",
        "poisson(0.01, approx(2, 1e-3))",
        "poisson(0.5, poisson(0.5, randomized_response(2, 10)))",
        "poisson(0.1, discrete_gaussian(3))",
        "poisson(0.1, discrete_gaussian(0.05, 2))",
        "poisson(0.1, discrete_laplace(3, 2))",
        "group(3, approx(0.25, 1e-3))",
        "group(2, discrete_laplace(3))",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (dusk_direction d = DUSK_REMOVE; d <= DUSK_REPLACE; d++) {
            dusk_pairs pairs = pairs_of(texts[i], d);
            assert_int_equal(pairs.count, 1);
            assert_int_equal(pairs.pair[0].times, 1);
            check_law(texts[i], &pairs.pair[0]);
            dusk_pairs_free(&pairs);
        }
}

/* A law that was folded is a law, and its own mirror image. */
static void folded_laws_are_symmetric(void **state)
{
    static const char *const texts[] = { "without_replacement(1, 3, pure(2))",
                                         "without_replacement(2, 5, randomized_response(1, 4))",
                                         "without_replacement(1, 4, discrete_laplace(2, 2))" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dusk_pairs pairs = pairs_of(texts[i], DUSK_REPLACE);
        const dusk_pair *p = &pairs.pair[0];
        check_law(texts[i], p);
        for (size_t k = 0; k < p->atoms; k++) {
            size_t m = p->atoms - 1 - k;
            double loss = p->loss[k].upper;
            assert_true(fabs(p->loss[m].upper + loss) <= NEAR);
            assert_true(fabs(p->mass[m].upper - p->mass[k].upper * exp(-loss)) <= NEAR);
        }
        dusk_pairs_free(&pairs);
    }
}

/* ADD is REMOVE with P and Q exchanged. */
static void directions_mirror(void **state)
{
    static const char *const texts[] = { "poisson(0.25, pure(1))", "poisson(0.1, randomized_response(2, 5))",
                                         "poisson(0.1, discrete_laplace(3, 2))" };
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        dusk_pairs r = pairs_of(texts[t], DUSK_REMOVE), a = pairs_of(texts[t], DUSK_ADD);
        size_t n = r.pair[0].atoms;
        assert_int_equal(a.pair[0].atoms, n);
        for (size_t i = 0; i < n; i++) {
            double loss = r.pair[0].loss[i].upper, mass = r.pair[0].mass[i].upper * exp(-loss);
            assert_true(fabs(a.pair[0].loss[n - 1 - i].upper + loss) < NEAR);
            assert_true(fabs(a.pair[0].mass[n - 1 - i].upper - mass) < NEAR);
        }
        dusk_pairs_free(&r);
        dusk_pairs_free(&a);
    }
}

/* poisson(q, pure(e)): the largest loss is ln(1 + q (e^e - 1)). */
static void pure_is_amplified(void **state)
{
    (void)state;
    dusk_pairs r = pairs_of("poisson(0.25, pure(1))", DUSK_REMOVE);
    assert_true(fabs(r.pair[0].loss[1].upper - log1p(0.25 * expm1(1))) < NEAR);
    dusk_pairs_free(&r);
    r = pairs_of("poisson(0.25, pure(1))", DUSK_ADD);
    assert_true(fabs(r.pair[0].loss[1].upper + log1p(0.25 * expm1(-1))) < NEAR);
    dusk_pairs_free(&r);
}

static void assert_gaussian(const char *text, dusk_direction direction, double mu_squared)
{
    dusk_pairs pairs = pairs_of(text, direction);
    if (mu_squared == 0) {
        assert_int_equal(pairs.count, 0);
    } else {
        assert_int_equal(pairs.count, 1);
        const dusk_pair *p = &pairs.pair[0];
        assert_int_equal(p->kind, DUSK_PAIR_GAUSSIAN);
        assert_int_equal(p->times, 1);
        assert_true(p->mu_squared.lower <= mu_squared * (1 + NEAR) &&
                    p->mu_squared.upper >= mu_squared * (1 - NEAR));
        assert_true(p->mu_squared.upper - p->mu_squared.lower <= NEAR * mu_squared);
    }
    dusk_pairs_free(&pairs);
}

static void gaussians_merge(void **state)
{
    (void)state;
    assert_gaussian("gaussian(2)", DUSK_REMOVE, 0.25);
    assert_gaussian("gaussian(2)", DUSK_REPLACE, 1);
    assert_gaussian("gdp(2)", DUSK_REPLACE, 4);
    assert_gaussian("gaussian(2) * 8 + gdp(3) + tree(1, 1000)", DUSK_ADD, 2 + 9 + 11);
    assert_gaussian("tree(2, 8)", DUSK_REMOVE, 1);
    assert_gaussian("tree(2, 1)", DUSK_REMOVE, 0.25);
    assert_gaussian("matrix(2, 3)", DUSK_REPLACE, 9);
    assert_gaussian("group(3, gaussian(2))", DUSK_REMOVE, 2.25);
    assert_gaussian("group(2, group(2, gdp(1) * 2))", DUSK_REMOVE, 32);
    assert_gaussian("poisson(1, gaussian(2) * 3)", DUSK_REMOVE, 0.75);
    assert_gaussian("without_replacement(5, 5, gaussian(2))", DUSK_REPLACE, 1);
    assert_gaussian("poisson(0, gaussian(2)) + pure(0)", DUSK_REMOVE, 0);
    assert_gaussian("gaussian(1) * 4611686018427387904", DUSK_REMOVE, 0x1p62);
}

static void assert_mixture(const char *text, dusk_direction direction, dusk_direction law, double sigma,
                           size_t shifts, const double *weight)
{
    dusk_pairs pairs = pairs_of(text, direction);
    assert_int_equal(pairs.count, 1);
    const dusk_pair *p = &pairs.pair[0];
    assert_int_equal(p->kind, DUSK_PAIR_MIXTURE);
    assert_int_equal(p->direction, law);
    assert_int_equal(p->shifts, shifts);
    assert_true(fabs(p->sigma - sigma) <= NEAR * sigma);
    for (size_t j = 1; j <= shifts; j++)
        assert_true(fabs(p->weight[j] - weight[j - 1]) <= 0x1p-50 * weight[j - 1]);
    dusk_pairs_free(&pairs);
}

static void gaussians_are_sampled(void **state)
{
    const double tenth[] = { 0.1 }, two[] = { 2 * 0.1 * 0.9, 0.1 * 0.1 },
                 draws[] = { 2 * 0.25 * 0.75, 0.0625 };
    (void)state;
    assert_mixture("poisson(0.1, gaussian(3))", DUSK_REMOVE, DUSK_REMOVE, 3, 1, tenth);
    assert_mixture("poisson(0.1, gaussian(3)) * 5", DUSK_ADD, DUSK_ADD, 3, 1, tenth);
    assert_mixture("poisson(0.1, gaussian(3))", DUSK_REPLACE, DUSK_REPLACE, 3, 1, tenth);
    assert_mixture("poisson(0.2, poisson(0.5, gaussian(3)))", DUSK_ADD, DUSK_ADD, 3, 1, tenth);
    assert_mixture("poisson(0.1, gaussian(3) * 9)", DUSK_REMOVE, DUSK_REMOVE, 1, 1, tenth);
    assert_mixture("without_replacement(1, 10, gaussian(3))", DUSK_REPLACE, DUSK_REMOVE, 1.5, 1, tenth);
    assert_mixture("group(2, poisson(0.1, gaussian(3)))", DUSK_ADD, DUSK_ADD, 3, 2, two);
    assert_mixture("group(2, poisson(0.1, gaussian(3)))", DUSK_REPLACE, DUSK_REPLACE, 3, 2, two);
    assert_mixture("with_replacement(2, 4, gaussian(3))", DUSK_REMOVE, DUSK_REMOVE, 1.5, 2, draws);
}

/* Where both laws are sampled, a loss is the sum of two: of a group it is k times that. */
static void groups_count_all_losses(void **state)
{
    (void)state;
    double one = log((1 + 0.9 * expm1(1)) / (1 + 0.9 * expm1(-1)));
    dusk_pairs pairs = pairs_of("group(2, poisson(0.9, laplace(1)))", DUSK_REPLACE);
    assert_int_equal(pairs.count, 1);
    assert_true(pairs.pair[0].loss[pairs.pair[0].atoms - 1].upper >= 2 * one);
    dusk_pairs_free(&pairs);
    pairs = pairs_of("poisson(0.999, group(2, poisson(0.9, laplace(1))))", DUSK_REPLACE);
    assert_true(pairs.pair[0].loss[pairs.pair[0].atoms - 1].upper >= 2 * one);
    dusk_pairs_free(&pairs);
}

static void some_have_no_pair(void **state)
{
    static const char *const texts[] = { "zcdp(0.1)",
                                         "mcdp(0.1, 0.2)",
                                         "tcdp(0.1, 2)",
                                         "rdp(2: 0.1)",
                                         "select_poisson(3, pure(1))",
                                         "poisson(0.1, zcdp(1))",
                                         "poisson(0.1, gaussian(1) + pure(1))",
                                         "poisson(0.5, pure(1) * 2)",
                                         "group(32, poisson(0.1, gaussian(1)))",
                                         "discrete_gaussian(1e9)",
                                         "with_replacement(1000, 2, gaussian(1))" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (dusk_direction d = DUSK_REMOVE; d <= DUSK_REPLACE; d++)
            assert_int_equal(status_of(texts[i], d), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(status_of("without_replacement(1, 2, pure(1))", DUSK_ADD), DUSK_ERR_UNSUPPORTED);
    for (dusk_direction d = DUSK_REMOVE; d <= DUSK_ADD;
         d++) { /* a place comes or goes: nothing is known of that */
        assert_int_equal(status_of("metric(1, 1)", d), DUSK_ERR_UNSUPPORTED);
        assert_int_equal(status_of("poisson(0.5, metric(1, 1)) + pure(1)", d), DUSK_ERR_UNSUPPORTED);
    }
    assert_int_equal(status_of("metric(1, 1)", DUSK_REPLACE), DUSK_OK);
}

/* Memory fails at each place in turn; nothing leaks (the sanitizer looks). */
static void memory_may_fail(void **state)
{
    static const char text[] = "poisson(0.1, pure(1)) + group(2, poisson(0.1, gaussian(3))) + "
                               "without_replacement(1, 3, pure(2)) + fdp(0: 1, 0.25: 0.25, 1: 0)";
    (void)state;
    resolve_while_memory_fails(text, DUSK_REPLACE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_are_laws),
        cmocka_unit_test(directions_mirror),
        cmocka_unit_test(folded_laws_are_symmetric),
        cmocka_unit_test(pure_is_amplified),
        cmocka_unit_test(gaussians_merge),
        cmocka_unit_test(gaussians_are_sampled),
        cmocka_unit_test(some_have_no_pair),
        cmocka_unit_test(groups_count_all_losses),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
