/* SPDX-License-Identifier: Apache-2.0 */
/* k-means of released points: clusters that are apart are found, weights count, and points that determine nothing leave
 * what was there. */
#include "learn/points.h"

#include <math.h>

#include "support.h"

static void the_first_of_the_nearest(void **state)
{
    const double centres[] = { 0, 0, 2, 0, 1, 5 }, x[] = { 1, 0 };
    double square;
    (void)state;
    assert_int_equal(learn_nearest(x, centres, 3, 2, &square), 0);
    assert_true(square == 1);
    assert_int_equal(learn_nearest(x, centres + 2, 2, 2, &square), 0);
}

/* 20 places on a lattice, 30 points about each. */
static void places_are_found(void **state)
{
    enum { K = 20, EACH = 30 };
    uint64_t seed = 1;
    learn_points p;
    double centres[2 * K] = { 0 }, weight[K], square[K], total = 0;
    (void)state;
    assert_int_equal(learn_points_init(&p, K * EACH, 2, NULL), DUSK_OK);
    for (size_t i = 0; i < p.n; i++) {
        p.x[2 * i] = (double)(i % K % 5) * 10 + learn_points_uniform(&seed);
        p.x[2 * i + 1] = (double)(i % K / 5) * 10 + learn_points_uniform(&seed);
        p.weight[i] = 1;
    }
    assert_int_equal(learn_points_cluster(&p, centres, K, 1, NULL), DUSK_OK);
    learn_points_describe(&p, centres, K, weight, square);
    for (size_t j = 0; j < K; j++) {
        assert_true(weight[j] == EACH && square[j] < 0.3);
        total += weight[j];
    }
    assert_true(total == K * EACH);
    learn_points_clear(&p);
}

static void weights_count(void **state)
{
    double x[] = { 0, 1, 10 }, weight[] = { 3, 1, 0 }, centre[] = { 77, 78 };
    learn_points p = { x, weight, 3, 1 };
    (void)state;
    assert_int_equal(learn_points_cluster(&p, centre, 1, 1, NULL), DUSK_OK);
    assert_true(fabs(centre[0] - 0.25) < 1e-12);
    assert_int_equal(learn_points_cluster(&p, centre, 2, 1, NULL), DUSK_OK);
    assert_true(fmin(centre[0], centre[1]) == 0 && fmax(centre[0], centre[1]) == 1);
}

static void nothing_changes_nothing(void **state)
{
    double x[] = { 5, 5 }, weight[] = { 0, 0 }, centre[] = { 1, 2, 3 };
    learn_points none = { NULL, NULL, 0, 1 }, empty = { x, weight, 2, 1 }, one = { x, weight, 1, 1 };
    (void)state;
    assert_int_equal(learn_points_cluster(&none, centre, 3, 1, NULL), DUSK_OK);
    assert_int_equal(learn_points_cluster(&empty, centre, 3, 1, NULL), DUSK_OK);
    for (int j = 0; j < 3; j++) assert_true(centre[j] == j + 1);
    weight[0] = 1; /* one point, three centres */
    assert_int_equal(learn_points_cluster(&one, centre, 3, 1, NULL), DUSK_OK);
    int there = 0;
    for (int j = 0; j < 3; j++) there += centre[j] == 5;
    assert_int_equal(there, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_the_nearest),
        cmocka_unit_test(places_are_found),
        cmocka_unit_test(weights_count),
        cmocka_unit_test(nothing_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
