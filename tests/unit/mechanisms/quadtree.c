/* SPDX-License-Identifier: Apache-2.0 */
/* Spatial histograms: which point falls where, hostile ones too; what queries add up;
 * the shares of levels; balanced trees over bins in a row. */
#include "mechanisms/quadtree.h"
#include "unit/mechanisms/aggregate_help.h"

static const dusk_box box = { -1, 3, 10, 11 };

static dusk_quadtree *quadtree_of(const dusk_aggregate *how, uint32_t split, uint32_t depth,
                                  dusk_outside outside)
{
    dusk_quadtree *q;
    dusk_error err = { .message = "" };
    if (dusk_quadtree_new(&q, how, &box, split, depth, NULL, outside, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    return q;
}

/* Does the cell hold the point? Low edges do, high ones only at the end of the box. */
static bool holds(dusk_box c, double x, double y)
{
    return x >= c.x_low && (x < c.x_high || (x == box.x_high && c.x_high == box.x_high)) && y >= c.y_low &&
           (y < c.y_high || (y == box.y_high && c.y_high == box.y_high));
}

static const double odd_x[] = {
    -1,       3,         -0.0,  0.5,     1,       2.9999999999999996, -1.0000000000000002, NAN,
    INFINITY, -INFINITY, 1e308, DBL_MIN, 1.0 / 3, 3.0000000000000004
};
static const double odd_y[] = {
    10, 11, 10.5, 10.25, NAN, INFINITY, 9.9999, -INFINITY, 10.999999999999998, 0
};
enum { ODD_X = sizeof odd_x / sizeof *odd_x, ODD_Y = sizeof odd_y / sizeof *odd_y };

static void points_fall_into_one_cell(void **state)
{
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
    (void)state;
    for (uint32_t split = 2; split <= 3; split++)
        for (int policy = DUSK_OUTSIDE_DROP; policy <= DUSK_OUTSIDE_CLAMP; policy++) {
            dusk_quadtree *q = quadtree_of(&how, split, 3, (dusk_outside)policy);
            for (size_t k = 0; k < (size_t)ODD_X * ODD_Y; k++) {
                double x = odd_x[k % ODD_X], y = odd_y[k / ODD_X];
                size_t found = dusk_quadtree_find(q, x, y), expected = q->nodes, cells = 0;
                if (policy == DUSK_OUTSIDE_CLAMP && !isnan(x) && !isnan(y)) {
                    x = fmin(fmax(x, box.x_low), box.x_high);
                    y = fmin(fmax(y, box.y_low), box.y_high);
                }
                for (size_t i = q->last; i < q->nodes; i++)
                    if (holds(dusk_quadtree_cell(q, i), x, y)) {
                        expected = i;
                        cells++;
                    }
                assert_true(cells <= 1);
                if (found != expected) fail_msg("(%g, %g) is in %zu, not %zu", x, y, found, expected);
            }
            dusk_quadtree_free(q);
        }
}

/* With the same coins the difference to no points is the exact count of every cell. */
static void cells_hold_their_points(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.5);
        double x[ODD_X * ODD_Y], y[ODD_X * ODD_Y], full[21], none[21];
        how.delta = kind % 2 ? 1e-6 : 0;
        dusk_quadtree *q = quadtree_of(&how, 2, 2, kind / 2 ? DUSK_OUTSIDE_CLAMP : DUSK_OUTSIDE_DROP);
        assert_int_equal(dusk_quadtree_nodes(q), 21);
        for (size_t k = 0; k < (size_t)ODD_X * ODD_Y; k++) {
            x[k] = odd_x[k % ODD_X];
            y[k] = odd_y[k / ODD_X];
        }
        for (int side = 0; side < 2; side++) {
            dusk_generator *gen = seeded(9);
            assert_int_equal(
                dusk_quadtree_release(q, side ? none : full, x, y, side ? 0 : ODD_X * ODD_Y, gen, NULL),
                DUSK_OK);
            dusk_generator_free(gen);
        }
        for (size_t i = 0; i < 21; i++) {
            dusk_box c = dusk_quadtree_cell(q, i);
            double count = 0;
            for (size_t k = 0; k < (size_t)ODD_X * ODD_Y; k++) {
                double a = x[k], b = y[k];
                if (kind / 2 && !isnan(a) && !isnan(b)) {
                    a = fmin(fmax(a, box.x_low), box.x_high);
                    b = fmin(fmax(b, box.y_low), box.y_high);
                }
                count += holds(c, a, b);
            }
            if (full[i] - none[i] != count) fail_msg("cell %zu: %g, not %g", i, full[i] - none[i], count);
        }
        dusk_quadtree_free(q);
    }
}

static double query(const dusk_quadtree *q, const double *counts, dusk_box range)
{
    double value;
    assert_int_equal(dusk_quadtree_query(q, &value, NULL, counts, &range, NULL), DUSK_OK);
    return value;
}

static void queries_add_up_cells(void **state)
{
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
    dusk_quadtree *q = quadtree_of(&how, 2, 3, DUSK_OUTSIDE_DROP);
    double counts[85], value;
    uint64_t random = 4;
    const dusk_box back = { 1, 0, 10, 11 }, nan = { NAN, 1, 10, 11 };
    (void)state;
    for (size_t i = 0; i < 85; i++) counts[i] = (double)(splitmix64(&random) % 100) - 10;
    assert_int_equal(dusk_hierarchy_fit(dusk_quadtree_hierarchy(q), counts, counts, NULL), DUSK_OK);
    for (int round = 0; round < 300; round++) { /* counts agree: the way they are added does not matter */
        double u[4], expected = 0;
        for (int k = 0; k < 4; k++) u[k] = (double)(splitmix64(&random) % 1001) / 1000;
        dusk_box r = { -2 + 6 * fmin(u[0], u[1]), -2 + 6 * fmax(u[0], u[1]), 9.5 + 2 * fmin(u[2], u[3]),
                       9.5 + 2 * fmax(u[2], u[3]) };
        for (size_t i = q->last; i < q->nodes; i++) {
            dusk_box c = dusk_quadtree_cell(q, i);
            double wide = fmax(fmin(c.x_high, r.x_high) - fmax(c.x_low, r.x_low), 0) / (c.x_high - c.x_low);
            double high = fmax(fmin(c.y_high, r.y_high) - fmax(c.y_low, r.y_low), 0) / (c.y_high - c.y_low);
            expected += wide * high * counts[i];
        }
        assert_true(fabs(query(q, counts, r) - expected) < 1e-9);
    }
    assert_true(fabs(query(q, counts, box) - counts[0]) < 1e-9);
    assert_true(fabs(query(q, counts, (dusk_box){ -INFINITY, INFINITY, -INFINITY, INFINITY }) - counts[0]) <
                1e-9);
    assert_true(fabs(query(q, counts, (dusk_box){ -1, 1, 10, 10.5 }) - counts[1]) < 1e-9);
    assert_true(fabs(query(q, counts, (dusk_box){ 1, 3, 10, 10.5 }) - counts[2]) < 1e-9);
    assert_true(fabs(query(q, counts, (dusk_box){ -1, 1, 10.5, 11 }) - counts[3]) < 1e-9);
    assert_true(fabs(query(q, counts, (dusk_box){ 0, 0, 10, 11 }) - 0) < 1e-9);
    q->box.y_low = 0; /* a box whose halves are equal */
    q->box.y_high = 0x1p-1074;
    assert_true(fabs(query(q, counts, (dusk_box){ -INFINITY, INFINITY, 0, 1 }) - counts[0]) < 1e-9);
    q->box = box;
    assert_true(fabs(query(q, counts, (dusk_box){ 5, 6, 10, 11 }) - 0) < 1e-9);
    assert_int_equal(dusk_quadtree_query(q, &value, NULL, counts, &back, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_quadtree_query(q, &value, NULL, counts, &nan, NULL), DUSK_ERR_ARGUMENT);
    dusk_quadtree_free(q);
}

/* The sum of what a range costs is least: any other share of a level makes it larger. */
static void shares_are_optimal(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (uint32_t split = 2; split <= 3; split++) {
            dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
            double best = 0;
            how.delta = kind ? 1e-6 : 0;
            for (int change = 0; change < 9; change++) {
                dusk_quadtree *q = quadtree_of(&how, split, 3, DUSK_OUTSIDE_DROP);
                double shares[4], sum = 0, reach = 1;
                for (size_t l = 0; l < 4; l++) shares[l] = q->hierarchy->share[l];
                if (change) shares[(change - 1) / 2] *= change % 2 ? 1.1 : 0.9;
                dusk_quadtree_free(q);
                assert_int_equal(dusk_quadtree_new(&q, &how, &box, split, 3, shares, DUSK_OUTSIDE_DROP, NULL),
                                 DUSK_OK);
                for (size_t l = 0; l < 4; l++, reach *= split)
                    sum += reach * dusk_hierarchy_variance(q->hierarchy, l);
                if (change == 0) best = sum;
                assert_true(sum >= best);
                dusk_quadtree_free(q);
            }
        }
}

static void bad_boxes_are_refused(void **state)
{
    const dusk_box bad[] = { { 1, 1, 0, 1 }, { 0, 1, 2, 1 }, { NAN, 1, 0, 1 }, { 0, 1, 0, INFINITY } };
    const dusk_box good = { 0, 1, 0, 1 };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1), unset = ask(0, NAN, NAN, 1);
    dusk_quadtree *q = (dusk_quadtree *)16;
    dusk_statement statement;
    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(dusk_quadtree_new(&q, &how, &bad[i], 2, 3, NULL, DUSK_OUTSIDE_DROP, NULL),
                         DUSK_ERR_ARGUMENT);
    assert_null(q);
    assert_int_equal(dusk_quadtree_new(&q, &how, &good, 1, 3, NULL, DUSK_OUTSIDE_DROP, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_quadtree_new(&q, &how, &good, 2, 13, NULL, DUSK_OUTSIDE_DROP, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_quadtree_new(&q, &how, &good, 2, UINT32_MAX, NULL, DUSK_OUTSIDE_DROP, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_quadtree_new(&q, &how, &good, 2, 3, NULL, 0, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_quadtree_new(&q, &unset, &good, 2, 3, NULL, DUSK_OUTSIDE_DROP, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_quadtree_new(&q, &how, &good, 2, 0, NULL, DUSK_OUTSIDE_DROP, NULL), DUSK_OK);
    assert_int_equal(dusk_quadtree_state(q, &statement, NULL), DUSK_OK);
    assert_string_equal(event_of(statement), "discrete_laplace(1)");
    assert_non_null(strstr(statement.assumed, "box 0:1,0:1 declared"));
    dusk_quadtree_free(q);
    dusk_quadtree_free(NULL);
}

static void balanced_trees_are_balanced(void **state)
{
    dusk_error err;
    (void)state;
    for (size_t leaves = 1; leaves <= 130; leaves++)
        for (uint32_t b = 2; b <= 17; b += 5) {
            uint32_t parents[300], children[300] = { 0 }, level[300] = { 0 };
            size_t nodes, again;
            assert_int_equal(dusk_hierarchy_balanced(NULL, &nodes, leaves, b, NULL), DUSK_OK);
            assert_int_equal(dusk_hierarchy_balanced(parents, &again, leaves, b, NULL), DUSK_OK);
            assert_int_equal(nodes, again);
            assert_int_equal(parents[0], 0);
            for (size_t i = 1; i < nodes; i++) {
                assert_true(parents[i] < i && parents[i] >= parents[i - 1]);
                level[i] = level[parents[i]] + 1;
                assert_true(++children[parents[i]] <= b);
            }
            for (size_t i = 0; i < nodes; i++) {
                assert_int_equal(children[i] == 0, i >= nodes - leaves);
                if (children[i] == 0) assert_int_equal(level[i], level[nodes - 1]);
            }
        }
    assert_int_equal(dusk_hierarchy_balanced(NULL, (size_t[]){ 0 }, 0, 2, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_hierarchy_balanced(NULL, (size_t[]){ 0 }, 5, 1, &err), DUSK_ERR_ARGUMENT);
    /* Qardaji, Yang & Li 2013: 16 for 4096 bins; small ranges want one level. */
    assert_int_equal(dusk_hierarchy_branching(4096, 1), 16);
    assert_int_equal(dusk_hierarchy_branching(256, 2), 7);
    assert_true(dusk_hierarchy_branching(10, 1) == 10 && dusk_hierarchy_branching(1, 1) == 2);
    assert_true(dusk_hierarchy_branching(SIZE_MAX, 1) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_fall_into_one_cell), cmocka_unit_test(cells_hold_their_points),
        cmocka_unit_test(queries_add_up_cells),      cmocka_unit_test(shares_are_optimal),
        cmocka_unit_test(bad_boxes_are_refused),     cmocka_unit_test(balanced_trees_are_balanced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
