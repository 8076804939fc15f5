/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over a tree: what one unit can change against what is charged, for every
 * unit of tiny trees with leaves at several depths; noise of its own for every node;
 * the event is the sum over the levels; bad trees and shares are refused. */
#include "mechanisms/hierarchy.h"
#include "accounting/gaussian.h"
#include "unit/mechanisms/aggregate_help.h"

/* Leaves at depths 1, 2 and 3: 0 - (1, 2 - (3, 4 - (5, 6, 7))). */
static const uint32_t uneven[] = { 0, 0, 0, 2, 2, 4, 4, 4 };
static const uint32_t uneven_leaves[] = { 1, 3, 5, 6, 7 };
enum { NODES = 8, LEAVES = 5 };

static dusk_hierarchy *tree_of(const dusk_aggregate *how, const uint32_t *parents, size_t nodes,
                               const double *shares, size_t levels)
{
    dusk_hierarchy *h;
    dusk_error err = { .message = "" };
    if (dusk_hierarchy_new(&h, how, parents, nodes, shares, levels, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    return h;
}

static void release(const dusk_hierarchy *h, double *noisy, const uint64_t *exact, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    assert_int_equal(dusk_hierarchy_release(h, noisy, exact, gen, NULL), DUSK_OK);
    dusk_generator_free(gen);
}

/* With the same coins the difference to an empty table is the exact count of every
 * node: noise does not depend on the data. */
static void nodes_hold_what_is_below_them(void **state)
{
    const uint64_t exact[NODES] = { 77, 3, 99, 0, 88, 1, 10, 100 }; /* inner ones are not looked at */
    const double expected[NODES] = { 114, 3, 111, 0, 111, 1, 10, 100 };
    const uint64_t none[NODES] = { 0 };
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.3);
        how.delta = kind ? 1e-6 : 0;
        dusk_hierarchy *h = tree_of(&how, uneven, NODES, NULL, 0);
        for (uint64_t seed = 0; seed < 30; seed++) {
            double full[NODES], empty[NODES];
            release(h, full, exact, seed);
            release(h, empty, none, seed);
            for (int i = 0; i < NODES; i++) assert_true(full[i] - empty[i] == expected[i]);
        }
        dusk_hierarchy_free(h);
    }
}

/* Counts that would wrap 64 bits add up. */
static void sums_do_not_wrap(void **state)
{
    const uint64_t exact[NODES] = { 0, UINT64_MAX, 0, UINT64_MAX, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
    dusk_hierarchy *h = tree_of(&how, uneven, NODES, NULL, 0);
    double noisy[NODES];
    (void)state;
    release(h, noisy, exact, 1);
    assert_true(noisy[0] == 5 * 0x1p64 && noisy[4] == 3 * 0x1p64);
    dusk_hierarchy_free(h);
}

/* Add what a row in this leaf adds to every node. */
static void add_path(double *change, const uint32_t *parents, uint32_t leaf, double sign)
{
    for (uint32_t i = leaf;; i = parents[i]) {
        change[i] += sign;
        if (i == 0) break;
    }
}

/* What it costs to tell the counts apart that differ by `change`, given the noise the
 * nodes have: epsilon for Laplace noise, mu for Gaussian. */
static double loss(const dusk_hierarchy *h, const double *change)
{
    double sum = 0;
    for (size_t i = 0; i < h->nodes; i++) {
        double ratio = fabs(change[i]) / h->noise[h->level[i]].scale;
        if (h->share[h->level[i]] > 0) sum += h->how.delta > 0 ? ratio * ratio : ratio;
    }
    return h->how.delta > 0 ? sqrt(sum) : sum;
}

/* The largest loss over all units of up to m rows in any leaves (or in none: LEAVES),
 * and all they can be exchanged for. */
static double largest_loss(const dusk_hierarchy *h, bool replace, unsigned m)
{
    unsigned choices = LEAVES + 1, units = m == 1 ? choices : choices * choices;
    double most = 0;
    for (unsigned a = 0; a < units; a++)
        for (unsigned b = 0; b < (replace ? units : 1); b++) {
            double change[NODES] = { 0 };
            const unsigned rows[4] = { a % choices, m == 1 ? LEAVES : a / choices, b % choices,
                                       m == 1 ? LEAVES : b / choices };
            for (int r = 0; r < (replace ? 4 : 2); r++)
                if (rows[r] < LEAVES) add_path(change, h->parents, uneven_leaves[rows[r]], r < 2 ? 1 : -1);
            most = fmax(most, loss(h, change));
        }
    return most;
}

static void no_unit_costs_more_than_was_promised(void **state)
{
    const double shares[][4] = { { 1, 1, 1, 1 }, { 0, 1, 2, 3 }, { 5, 1, 1, 1e-3 } };
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (int s = 0; s < 3; s++)
            for (unsigned m = 1; m <= 2; m++)
                for (int replace = 0; replace < 2; replace++) {
                    dusk_aggregate how = ask(replace ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, NAN, NAN, 0.7);
                    how.delta = kind ? 1e-5 : 0;
                    how.rows_per_unit = m;
                    dusk_hierarchy *h = tree_of(&how, uneven, NODES, shares[s], 4);
                    double most = largest_loss(h, replace, m);
                    if (kind)
                        assert_true(dusk_gaussian_epsilon_up(1 / most, 1e-5) <= 0.7 * (1 + 1e-12));
                    else
                        assert_true(most <= 0.7 * (1 + 1e-12));
                    /* some unit comes near it */
                    if (!replace) assert_true(kind || most >= 0.7 * (1 - 1e-9));
                    dusk_hierarchy_free(h);
                }
}

static void the_event_adds_up_the_levels(void **state)
{
    const double shares[] = { 0, 1, 1, 2 };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
    dusk_statement statement;
    dusk_hierarchy *h = tree_of(&how, uneven, NODES, NULL, 0);
    (void)state;
    assert_int_equal(dusk_hierarchy_state(h, &statement, NULL), DUSK_OK);
    assert_string_equal(event_of(statement), "discrete_laplace(4) * 4");
    assert_true(statement.epsilon <= 1 && statement.epsilon > 1 - 1e-9);
    assert_non_null(strstr(statement.assumed, "tree of 8 nodes in 4 levels declared"));
    assert_non_null(strstr(statement.assumed, "at most 1 row a unit"));
    dusk_hierarchy_free(h);

    h = tree_of(&how, uneven, NODES, shares, 4);
    assert_int_equal(dusk_hierarchy_state(h, &statement, NULL), DUSK_OK);
    assert_string_equal(event_of(statement), "discrete_laplace(4) * 2 + discrete_laplace(2)");
    dusk_hierarchy_free(h);

    how.delta = 1e-6;
    h = tree_of(&how, uneven, NODES, shares, 4);
    assert_int_equal(dusk_hierarchy_state(h, &statement, NULL), DUSK_OK);
    assert_true(statement.epsilon <= 1 && statement.epsilon > 1 - 1e-6 && statement.delta == 1e-6);
    assert_true(fabs(h->noise[1].scale / h->noise[3].scale - sqrt(2)) < 1e-9);
    dusk_hierarchy_free(h);
}

/* Every node has a draw of its own, the root and empty leaves too. */
static void every_node_has_its_own_noise(void **state)
{
    const uint64_t exact[NODES] = { 0 };
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.1);
        how.delta = kind ? 1e-6 : 0;
        dusk_hierarchy *h = tree_of(&how, uneven, NODES, NULL, 0);
        double noisy[NODES], product[NODES][NODES] = { { 0 } };
        for (uint64_t seed = 0; seed < 400; seed++) {
            release(h, noisy, exact, seed);
            for (int i = 0; i < NODES; i++)
                for (int j = 0; j < NODES; j++)
                    product[i][j] += noisy[i] * noisy[j] / (h->noise[0].scale * h->noise[0].scale) / 400;
        }
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++) {
                double expected = i != j ? 0 : kind ? 1 : 2;
                assert_true(fabs(product[i][j] - expected) < (i == j ? 1.5 : 0.9) * (kind ? 0.4 : 1));
            }
        dusk_hierarchy_free(h);
    }
}

static void levels_without_a_share_are_not_counted(void **state)
{
    const double shares[] = { 0, 1, 1, 1 };
    const uint64_t exact[NODES] = { 0, 5, 0, 5, 0, 5, 5, 5 };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
    dusk_hierarchy *h = tree_of(&how, uneven, NODES, shares, 4);
    double noisy[NODES], fitted[NODES];
    (void)state;
    release(h, noisy, exact, 3);
    assert_true(isnan(noisy[0]) && !isnan(noisy[1]));
    assert_int_equal(dusk_hierarchy_fit(h, fitted, noisy, NULL), DUSK_OK);
    assert_true(fabs(fitted[0] - fitted[1] - fitted[2]) < 1e-9);
    dusk_hierarchy_free(h);
}

static void optimal_shares_have_the_least_variance(void **state)
{
    double shares[DUSK_HIERARCHY_LEVELS_MAX];
    size_t levels;
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
        double best = 0;
        how.delta = kind ? 1e-6 : 0;
        assert_int_equal(dusk_hierarchy_optimal_shares(shares, &levels, uneven, NODES, how.delta, NULL),
                         DUSK_OK);
        assert_int_equal(levels, 4);
        for (int change = 0; change < 9; change++) {
            double sum = 0, other[4];
            for (int l = 0; l < 4; l++)
                other[l] = shares[l] * (l == (change - 1) / 2 && change ? change % 2 ? 1.1 : 0.9 : 1);
            dusk_hierarchy *h = tree_of(&how, uneven, NODES, other, 4);
            for (size_t i = 0; i < NODES; i++) sum += dusk_hierarchy_variance(h, h->level[i]);
            if (change == 0) best = sum;
            assert_true(sum >= best);
            dusk_hierarchy_free(h);
        }
    }
}

static void bad_trees_and_shares_are_refused(void **state)
{
    const uint32_t upward[] = { 0, 2, 0 }, itself[] = { 0, 1 };
    const double few[] = { 1, 1 }, negative[] = { 1, -1, 1, 1 }, leafless[] = { 1, 0, 1, 1 },
                 nothing[] = { NAN, 1, 1, 1 }, tiny[] = { 1, 1, 1, 1e-12 };
    uint32_t deep[80];
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1), unset = ask(0, NAN, NAN, 1), wordy = how;
    dusk_hierarchy *h = (dusk_hierarchy *)16;
    dusk_error err;
    (void)state;
    wordy.unit = "one of the sixty-four letters or more that a statement has no room for";
    for (uint32_t i = 0; i < 80; i++) deep[i] = i ? i - 1 : 0;
    const struct {
        const dusk_aggregate *how;
        const uint32_t *parents;
        size_t nodes;
        const double *shares;
        size_t levels;
        const char *word;
    } bad[] = {
        { &how, upward, 3, NULL, 0, "node 1" },
        { &how, itself, 2, NULL, 0, "node 1" },
        { &how, uneven, 0, NULL, 0, "nodes" },
        { &how, deep, 80, NULL, 0, "levels" },
        { &how, uneven, NODES, few, 2, "2 shares" },
        { &how, uneven, NODES, negative, 4, "level 1" },
        { &how, uneven, NODES, leafless, 4, "leaf" },
        { &how, uneven, NODES, nothing, 4, "level 0" },
        { &how, uneven, NODES, tiny, 4, "level 3" },
        { &wordy, uneven, NODES, NULL, 0, "unit is too long" },
        { &unset, uneven, NODES, NULL, 0, "neighbours" },
        { &how, uneven, 1u << 27, NULL, 0, "nodes" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(dusk_hierarchy_new(&h, bad[i].how, bad[i].parents, bad[i].nodes, bad[i].shares,
                                            bad[i].levels, &err),
                         DUSK_ERR_ARGUMENT);
        assert_null(h);
        if (!strstr(err.message, bad[i].word)) fail_msg("%s", err.message);
    }
    assert_int_equal(dusk_hierarchy_new(&h, &how, deep, 64, NULL, 0, &err), DUSK_OK);
    dusk_hierarchy_free(h);
    dusk_hierarchy_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_hold_what_is_below_them),
        cmocka_unit_test(sums_do_not_wrap),
        cmocka_unit_test(no_unit_costs_more_than_was_promised),
        cmocka_unit_test(the_event_adds_up_the_levels),
        cmocka_unit_test(every_node_has_its_own_noise),
        cmocka_unit_test(levels_without_a_share_are_not_counted),
        cmocka_unit_test(optimal_shares_have_the_least_variance),
        cmocka_unit_test(bad_trees_and_shares_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
