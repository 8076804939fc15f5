/* SPDX-License-Identifier: Apache-2.0 */
/* Events on disjoint parts: the worst branch, the maximum of curves that cross,
 * and refusals; wrappers in wrappers end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "accounting/accountants.h"
#include "accounting/pair_make.h"
#include "pairs_of.h"
#include "support.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static double delta_of(const char *text, dusk_direction direction, double epsilon)
{
    dusk_pairs pairs;
    dusk_bound delta;
    if (resolve_pairs(&pairs, text, direction, NULL) != DUSK_OK) fail_msg("%s has no pairs", text);
    if (dusk_exact_delta(&delta, &pairs, epsilon, NULL) != DUSK_OK) fail_msg("%s has no delta", text);
    dusk_pairs_free(&pairs);
    return delta.upper;
}

static void the_worst_branch_counts(void **state)
{
    static const struct {
        const char *text, *worst;
        dusk_direction last;
    } same[] = {
        { "parallel(gaussian(1), gaussian(2), gaussian(3))", "gaussian(1)", DUSK_REPLACE },
        { "parallel(gaussian(2), gaussian(1))", "gaussian(1)", DUSK_REPLACE },
        { "parallel(laplace(3), laplace(2))", "laplace(2)", DUSK_REPLACE },
        { "parallel(gaussian(2) * 3, gaussian(2) * 4)", "gaussian(1)", DUSK_REPLACE },
        { "parallel(poisson(0.1, gaussian(2)), poisson(0.2, gaussian(1)))", "poisson(0.2, gaussian(1))",
          DUSK_REPLACE },
        { "parallel(poisson(0.1, laplace(2)), poisson(0.1, laplace(1)))", "poisson(0.1, laplace(1))",
          DUSK_REPLACE },
        { "parallel(poisson(0.1, gaussian(2)), gaussian(2))", "gaussian(2)", DUSK_REPLACE },
        { "parallel(pure(1), approx(1, 1e-3), laplace(2), randomized_response(0.5, 3))", "approx(1, 1e-3)",
          DUSK_ADD },
        { "parallel(discrete_laplace(2), pure(0))", "discrete_laplace(2)", DUSK_ADD },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(same); i++)
        for (dusk_direction d = DUSK_REMOVE; d <= same[i].last; d++)
            for (double e = 0; e < 2; e += 0.3)
                if (delta_of(same[i].text, d, e) != delta_of(same[i].worst, d, e))
                    fail_msg("%s is not %s at %g", same[i].text, same[i].worst, e);
}

/* The maximum of curves that cross, from above, and not far. */
static void curves_may_cross(void **state)
{
    static const char *const parts[][2] = { { "laplace(1)", "gaussian(2)" },
                                            { "pure(1)", "gaussian(1)" },
                                            { "poisson(0.1, gaussian(0.5))", "laplace(3)" } };
    (void)state;
    for (size_t i = 0; i < COUNT(parts); i++) {
        char text[200];
        dusk_pairs pairs;
        (void)snprintf(text, sizeof text, "parallel(%s, %s)", parts[i][0], parts[i][1]);
        assert_int_equal(resolve_pairs(&pairs, text, DUSK_REMOVE, NULL), DUSK_OK);
        for (double e = 0; e < 6; e += 0.171) {
            double most = 0;
            for (dusk_direction d = DUSK_REMOVE; d <= DUSK_ADD; d++)
                for (size_t k = 0; k < 2; k++) most = fmax(most, delta_of(parts[i][k], d, e));
            double got = dusk_pair_delta_up(pairs.pair, e);
            if (!(got >= most && got <= most * (most > 1e-12 ? 1.03 : 2)))
                fail_msg("%s at %g: %.17g for %.17g", text, e, got, most);
        }
        dusk_pairs_free(&pairs);
    }
}

/* A curve through points of a known one lies above it and is met at the points. */
static void dots_are_connected(void **state)
{
    double epsilon[40], delta[40];
    dusk_pair pair = { 0 };
    (void)state;
    for (size_t i = 0; i < 40; i++) {
        epsilon[i] = 0.125 * (double)i;
        delta[i] = delta_of("gaussian(1)", DUSK_REMOVE, epsilon[i]);
    }
    assert_int_equal(dusk_atoms_curve(&pair, epsilon, delta, 40, NULL), DUSK_OK);
    double p = pair.infinite.upper, q = pair.absent.upper;
    for (size_t i = 0; i < pair.atoms; i++) {
        p += pair.mass[i].upper;
        q += pair.mass[i].upper * exp(-pair.loss[i].upper);
    }
    assert_true(fabs(p - 1) < 1e-13 && fabs(q - 1) < 1e-13);
    for (size_t i = 0; i < 40; i++) {
        double got = dusk_pair_delta_up(&pair, epsilon[i]), between = epsilon[i] + 0.0625;
        assert_true(got >= delta[i] && got <= delta[i] * (1 + 1e-13));
        assert_true(dusk_pair_delta_up(&pair, between) >= delta_of("gaussian(1)", DUSK_REMOVE, between));
    }
    dusk_pair_clear(&pair);
}

/* Leaving one part and entering another is no worse than being replaced in one. */
static void moving_is_no_worse(void **state)
{
    static const char *const texts[] = { "gaussian(1)", "laplace(1)", "poisson(0.3, gaussian(1))",
                                         "poisson(0.3, laplace(0.5))" };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        dusk_pairs remove, add, both, replace;
        dusk_pair pair[2];
        assert_int_equal(resolve_pairs(&remove, texts[i], DUSK_REMOVE, NULL), DUSK_OK);
        assert_int_equal(resolve_pairs(&add, texts[i], DUSK_ADD, NULL), DUSK_OK);
        assert_int_equal(resolve_pairs(&replace, texts[i], DUSK_REPLACE, NULL), DUSK_OK);
        pair[0] = remove.pair[0];
        pair[1] = add.pair[0];
        pair[0].tree = pair[1].tree = NULL;
        both = (dusk_pairs){ .direction = DUSK_REMOVE, .count = 2, .pair = pair };
        for (double e = 0; e < 1; e += 0.7) {
            dusk_bound moved;
            assert_int_equal(dusk_lattice_delta(&moved, &both, e, NULL), DUSK_OK);
            double replaced = dusk_pair_delta_up(replace.pair, e);
            if (!(moved.lower <= replaced) || !(moved.upper < 1))
                fail_msg("%s at %g: [%g, %g] for %g", texts[i], e, moved.lower, moved.upper, replaced);
        }
        dusk_pairs_free(&remove);
        dusk_pairs_free(&add);
        dusk_pairs_free(&replace);
    }
}

static void some_are_refused(void **state)
{
    static const struct {
        const char *text;
        dusk_direction direction;
    } texts[] = {
        { "parallel(pure(1), pure(2))", DUSK_REPLACE },
        { "parallel(laplace(1), gaussian(1))", DUSK_REPLACE },
        { "parallel(group(2, poisson(0.1, laplace(1))))", DUSK_REPLACE },
        { "parallel(zcdp(1), gaussian(1))", DUSK_REMOVE },
        { "parallel(laplace(1) * 3, gaussian(1))", DUSK_REMOVE },
    };
    dusk_pairs pairs;
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_int_equal(resolve_pairs(&pairs, texts[i].text, texts[i].direction, NULL),
                         DUSK_ERR_UNSUPPORTED);
}

static const char closing[] = "))))))))))))))))))))))))))))))))))))))))))))))))))";

/* 50 wrappers deep: an answer or a refusal, soon. */
static void deep_wrappers_end(void **state)
{
    static const char *const wrappers[] = { "poisson(0.9,",         "group(1,",  "group(2,",
                                            "group(2,poisson(0.9,", "parallel(", "parallel(poisson(0.9," };
    static const char *const inside[] = { "pure(0.001)", "gaussian(100)", "laplace(100)" };
    (void)state;
    for (size_t w = 0; w < COUNT(wrappers); w++)
        for (size_t k = 0; k < COUNT(inside); k++) {
            char text[1000], *end = text;
            int open = 0, each = strstr(wrappers[w] + 6, "poisson") ? 2 : 1;
            for (; open < 50; open += each)
                end += snprintf(end, sizeof text - (size_t)(end - text), "%s", wrappers[w]);
            (void)snprintf(end, sizeof text - (size_t)(end - text), "%s%.*s", inside[k], open, closing);
            for (dusk_direction d = DUSK_REMOVE; d <= DUSK_REPLACE; d++) {
                dusk_pairs pairs;
                dusk_status status = resolve_pairs(&pairs, text, d, NULL);
                assert_true(status == DUSK_OK || status == DUSK_ERR_UNSUPPORTED);
                if (status == DUSK_OK) dusk_pairs_free(&pairs);
            }
        }
}

static void memory_may_fail(void **state)
{
    (void)state;
    resolve_while_memory_fails("parallel(pure(1), gaussian(3))", DUSK_REMOVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_branch_counts), cmocka_unit_test(curves_may_cross),
        cmocka_unit_test(dots_are_connected),      cmocka_unit_test(moving_is_no_worse),
        cmocka_unit_test(some_are_refused),        cmocka_unit_test(deep_wrappers_end),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
