/* SPDX-License-Identifier: Apache-2.0 */
/* Fitted counts of an uneven tree over many releases: unbiased, with the variance that the
 * recursion says, and inside their half-widths. Fixed seeds; alpha 1e-6 over all nodes. */
#include <math.h>

#include "mechanisms/hierarchy.h"
#include "random/tape.h"
#include "support.h"

enum { NODES = 14, RUNS = 20000 };
static const uint32_t parents[NODES] = { 0, 0, 0, 0, 1, 1, 2, 2, 2, 4, 4, 6, 9, 9 };

/* Of N(0, 1), two sides, over 2 * NODES comparisons. */
static const double deviate = 5.6;

static void many_releases(double delta, double epsilon)
{
    static const double shares[] = { 1, 2, 1, 3, 2 };
    uint64_t exact[NODES] = { 0 };
    double truth[NODES] = { 0 }, sum[NODES] = { 0 }, square[NODES] = { 0 }, fourth[NODES] = { 0 };
    double widths[NODES], held = 0;
    dusk_aggregate how;
    dusk_hierarchy *h;
    dusk_generator *gen;
    dusk_aggregate_init(&how);
    how.neighbours = DUSK_ADD_REMOVE;
    how.epsilon = epsilon;
    how.delta = delta;
    how.confidence = 0.7;
    assert_int_equal(dusk_generator_new_seeded(&gen, 77, NULL), DUSK_OK);
    assert_int_equal(dusk_hierarchy_new(&h, &how, parents, NODES, shares, 5, NULL), DUSK_OK);
    assert_int_equal(dusk_hierarchy_interval(h, widths, true, NULL), DUSK_OK);
    for (size_t i = NODES; i-- > 0;) {
        if (h->children[i] == 0) exact[i] = 3 * i;
        if (h->children[i] == 0) truth[i] = (double)exact[i];
        if (i) truth[parents[i]] += truth[i];
    }
    for (int run = 0; run < RUNS; run++) {
        double counts[NODES];
        bool all = true;
        assert_int_equal(dusk_hierarchy_release(h, counts, exact, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_hierarchy_fit(h, counts, counts, NULL), DUSK_OK);
        for (int i = 0; i < NODES; i++) {
            double e = counts[i] - truth[i];
            sum[i] += e / RUNS;
            square[i] += e * e / RUNS;
            fourth[i] += e * e * e * e / RUNS;
            all = all && fabs(e) <= widths[i];
        }
        held += all;
    }
    for (int i = 0; i < NODES; i++) {
        double variance = h->fitted[i] + (delta > 0 ? 1.0 / 12 : 0); /* rounding adds at most this */
        double error = sqrt((fourth[i] - square[i] * square[i]) / RUNS);
        assert_true(fabs(sum[i]) < deviate * sqrt(square[i] / RUNS));
        /* discrete Laplace noise has a little less than 2 b^2: 1/6 less, or nearly */
        if (!(square[i] < variance + deviate * error && square[i] > h->fitted[i] - 0.2 - deviate * error))
            fail_msg("node %d: variance %g, not %g", i, square[i], h->fitted[i]);
    }
    assert_true(held >= 0.7 * RUNS - deviate * sqrt(0.21 * RUNS));
    dusk_hierarchy_free(h);
    dusk_generator_free(gen);
}

static void laplace(void **state)
{
    (void)state;
    many_releases(0, 1);
    many_releases(0, 8);
}

static void gaussian(void **state)
{
    (void)state;
    many_releases(1e-6, 1);
    many_releases(1e-2, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(laplace), cmocka_unit_test(gaussian) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
