/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring queries and records with the same coins: whatever the answers are, the same
 * coins are taken and the same errors come, so neither time nor failure tells anything. */
#include <float.h>
#include <math.h>

#include "mechanisms/sparse_vector.h"
#include "mechanisms/threshold_monitor.h"
#include "same_coins.h"

enum { ASKED = 200 };

static void sparse(dusk_sparse_vector_options o)
{
    const double odd[] = { NAN, INFINITY, -DBL_MAX, 0, 1e9, -0.0 };
    dusk_sparse_plan plan;
    o.sensitivity = 1;
    o.hits = 2 * ASKED;
    o.epsilon = 1;
    o.length = 4 * ASKED;
    assert_int_equal(dusk_sparse_plan_make(&plan, &o, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        dusk_generator *gen[2];
        dusk_sparse_vector *sv[2];
        open_both(gen, seed);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_sparse_vector_start(&sv[side], &o, &plan, DUSK_WIDTH_FULL, gen[side], NULL),
                             DUSK_OK);
        for (int i = 0; i < ASKED; i++)
            for (int side = 0; side < 2; side++) {
                bool above;
                double value, query = side ? odd[i % 6] : 3 * i;
                assert_int_equal(dusk_sparse_vector_release(sv[side], &above, &value, query, gen[side], NULL),
                                 DUSK_OK);
            }
        close_both_alike(gen);
        for (int side = 0; side < 2; side++) dusk_sparse_vector_free(sv[side]);
    }
}

static void sparse_vectors_take_the_same_coins(void **state)
{
    (void)state;
    dusk_sparse_vector_options o;
    dusk_sparse_vector_options_init(&o);
    sparse(o);
    o.delta = 1e-6;
    sparse(o);
    o.numeric_epsilon = 1;
    sparse(o);
    o.noise = DUSK_GAUSSIAN;
    sparse(o);
}

static bool is_less(const void *record, void *limit) { return *(const double *)record < *(double *)limit; }

static void monitors_take_the_same_coins(void **state)
{
    (void)state;
    enum { RECORDS = 500 };
    double records[RECORDS];
    dusk_threshold_monitor_options o;
    dusk_monitor_plan plan = { .scale = 10, .least = 100 };
    dusk_generator *gen[2];
    dusk_threshold_monitor *m[2];
    dusk_threshold_monitor_options_init(&o);
    open_both(gen, 9);
    for (int i = 0; i < RECORDS; i++) records[i] = i % 7 ? (double)i : NAN;
    for (int side = 0; side < 2; side++)
        assert_int_equal(dusk_threshold_monitor_start(&m[side], &o, &plan, records, side ? RECORDS : 0,
                                                      sizeof *records, DUSK_WIDTH_FULL, NULL),
                         DUSK_OK);
    for (int i = 0; i < ASKED; i++)
        for (int side = 0; side < 2; side++) {
            double limit = 10 * i;
            bool above;
            assert_int_equal(
                dusk_threshold_monitor_release(m[side], &above, is_less, &limit, gen[side], NULL), DUSK_OK);
        }
    close_both_alike(gen);
    for (int side = 0; side < 2; side++) dusk_threshold_monitor_free(m[side]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_vectors_take_the_same_coins),
        cmocka_unit_test(monitors_take_the_same_coins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
