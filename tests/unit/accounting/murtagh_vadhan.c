/* SPDX-License-Identifier: Apache-2.0 */
/* Different mechanisms together: lists and the lattice are the same curve, nearly
 * equal parts cost nearly what equal ones do, and memory may fail anywhere. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "accounting/accountants.h"
#include "accounting/optimal.h"
#include "base/memory.h"
#include "support.h"

/* pure(e + i step), i < n, and what `more` says */
static dusk_pairs parts(size_t n, double e, double step, const char *more)
{
    dusk_composition *c;
    dusk_pairs pairs;
    dusk_event event;
    dusk_error err = { 0 };
    assert_int_equal(dusk_composition_new(&c, DUSK_REPLACE_ONE, &err), DUSK_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(dusk_event_pure(&event, e + (double)i * step, &err), DUSK_OK);
        assert_int_equal(dusk_composition_add(c, &event, 1, &err), DUSK_OK);
    }
    if (*more) assert_int_equal(dusk_composition_parse(c, more, &err), DUSK_OK);
    assert_int_equal(dusk_pairs_resolve(&pairs, c, DUSK_REPLACE, "optimal", &err), DUSK_OK);
    for (size_t i = 0; i < pairs.count; i++) pairs.pair[i].tree = NULL;
    dusk_composition_free(c);
    return pairs;
}

static dusk_bound epsilon_at(const dusk_pairs *pairs, double delta)
{
    dusk_bound b = { NAN, NAN };
    dusk_error err = { 0 };
    if (dusk_optimal_epsilon(&b, pairs, delta, &err) != DUSK_OK) fail_msg("%s", err.message);
    assert_true(0 <= b.lower && b.lower <= b.upper);
    return b;
}

/* Too many to list; all of them between 0.2 and 0.2 + 6e-11. */
static void nearly_equal_parts_cost_the_same(void **state)
{
    dusk_pairs near = parts(60, 0.2, 1e-12, ""), least = parts(0, 0, 0, "pure(0.2) * 60");
    static const double deltas[] = { 1e-3, 1e-6, 1e-12 };
    (void)state;
    assert_false(dusk_product_curve_fits(&near));
    for (size_t i = 0; i < 3; i++) {
        dusk_bound b = epsilon_at(&near, deltas[i]), exact = epsilon_at(&least, deltas[i]);
        if (!(b.upper >= exact.lower && b.lower <= exact.upper * (1 + 3e-10)))
            fail_msg("%.17g .. %.17g beside %.17g", b.lower, b.upper, exact.upper);
        /* an atom of equal parts is a kink, which is the worst for a lattice */
        assert_true(b.upper - b.lower < 1e-4 * exact.upper);
    }
    dusk_pairs_free(&near);
    dusk_pairs_free(&least);
}

static void hundreds_are_narrow(void **state)
{
    dusk_pairs many = parts(200, 0.05, 0.0023, ""), again = parts(200, 0.5077, -0.0023, "");
    (void)state;
    dusk_bound b = epsilon_at(&many, 1e-6), other = epsilon_at(&again, 1e-6);
    assert_true(b.upper - b.lower < 2e-6 * b.upper);
    assert_true(b.lower <= other.upper && other.lower <= b.upper); /* any order */
    dusk_pairs_free(&many);
    dusk_pairs_free(&again);
}

static void lists_and_lattice_agree(void **state)
{
    dusk_pairs pairs = parts(10, 0.3, 0.017, "approx(0.1, 1e-8) * 30 + randomized_response(0.5, 5) * 4");
    dusk_loss_curve lists, lattice;
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_product_curve(&lists, &pairs, &err), DUSK_OK);
    assert_int_equal(dusk_grid_curve(&lattice, &pairs, 1e-25, &err), DUSK_OK);
    for (double epsilon = 0; epsilon < 6; epsilon += 0.37) {
        dusk_bound a = lists.look(lists.curve, epsilon).delta, b = lattice.look(lattice.curve, epsilon).delta;
        if (!(b.lower <= a.upper && a.lower <= b.upper && a.upper - a.lower < 1e-12 * a.upper &&
              b.upper - b.lower < 1e-5 * b.upper))
            fail_msg("epsilon %g: %.17g .. %.17g, %.17g .. %.17g", epsilon, a.lower, a.upper, b.lower,
                     b.upper);
    }
    dusk_loss_curve_free(&lists);
    dusk_loss_curve_free(&lattice);
    dusk_pairs_free(&pairs);
}

/* The n-th allocation fails, for every n. */
static void memory_may_fail(void **state)
{
    dusk_pairs kinds[] = { parts(3, 0.1, 0.1, "randomized_response(1, 3) * 2"), parts(40, 0.1, 1e-3, ""),
                           parts(0, 0, 0, "pure(0.1) * 5000"), parts(0, 0, 0, "laplace(1) * 6") };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        dusk_bound b;
        dusk_error err;
        dusk_status status;
        long n = 0;
        do {
            dusk_memory_fail_at(++n);
            status = dusk_optimal_delta(&b, &kinds[i], 1, &err);
            if (status != DUSK_OK) assert_int_equal(status, DUSK_ERR_MEMORY);
        } while (status != DUSK_OK);
        dusk_memory_fail_at(0);
        assert_true(n > 1);
        dusk_pairs_free(&kinds[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearly_equal_parts_cost_the_same),
        cmocka_unit_test(hundreds_are_narrow),
        cmocka_unit_test(lists_and_lattice_agree),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
