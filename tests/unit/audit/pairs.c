/* SPDX-License-Identifier: Apache-2.0 */
/* Standard pairs are neighbours, differ, and hold the patterns that the sparse vector
 * technique breaks on; local search finds the place that the given pair missed. */
#include "audit_samplers.h"
#include "support.h"

static void neighbours(void **state)
{
    (void)state;
    for (size_t length = 1; length <= 12; length++)
        for (int d = DUSK_ONE_MOVES; d <= DUSK_ALL_MOVE; d++) {
            dusk_input_pairs *p;
            assert_int_equal(dusk_input_pairs_new(&p, length, (dusk_distance)d, NULL), DUSK_OK);
            assert_true(p->count >= 3);
            for (size_t i = 0; i < p->count; i++) {
                size_t moved = 0;
                for (size_t j = 0; j < length; j++) {
                    double step = fabs(p->list[i].input[0][j] - p->list[i].input[1][j]);
                    assert_true(step <= 1);
                    moved += step > 0;
                }
                assert_true(moved >= 1 && (d == DUSK_ALL_MOVE || moved == 1));
                assert_non_null(p->list[i].name);
            }
            dusk_input_pairs_free(p);
        }
}

static void half_is_there(void **state)
{
    (void)state;
    static const double a[4] = { 1, 1, 1, 1 }, b[4] = { 2, 2, 0, 0 };
    dusk_input_pairs *p;
    bool found = false;
    assert_int_equal(dusk_input_pairs_new(&p, 4, DUSK_ALL_MOVE, NULL), DUSK_OK);
    for (size_t i = 0; i < p->count; i++)
        found |= !memcmp(p->list[i].input[0], a, sizeof a) && !memcmp(p->list[i].input[1], b, sizeof b);
    assert_true(found);
    dusk_input_pairs_free(p);
}

static void refused(void **state)
{
    (void)state;
    dusk_input_pairs *p = (dusk_input_pairs *)state;
    assert_int_equal(dusk_input_pairs_new(&p, 0, DUSK_ALL_MOVE, NULL), DUSK_ERR_ARGUMENT);
    assert_null(p);
    assert_int_equal(dusk_input_pairs_new(&p, 3, (dusk_distance)9, NULL), DUSK_ERR_ARGUMENT);
    dusk_input_pairs_free(NULL);
}

/* Noise everywhere but at the third number: a pair that moves the first sees epsilon 1/4. */
static dusk_status draw_forgetful(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    toy *t = context;
    (void)err;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < 3; j++) *out++ = input[j] + (j == 2 ? 0.25 : 4) * toy_laplace(&t->coins);
    return DUSK_OK;
}

static void search(void **state)
{
    (void)state;
    static const double a[3] = { 1, 1, 1 }, b[3] = { 2, 1, 1 };
    const dusk_input_pair given = { { a, b }, "first" };
    toy t = { audit_coins_seeded(3), 1, 3, 3 };
    dusk_sampler sampler = toy_sampler(&t, draw_forgetful);
    dusk_audit_options options;
    dusk_audit_options_init(&options);
    options.epsilon = 0.5;
    options.draws = 40000;
    options.seed = 9;
    dusk_audit_report r;
    assert_int_equal(dusk_audit_run(&r, &sampler, &given, 1, &options, NULL), DUSK_OK);
    assert_true(r.verdict != DUSK_VIOLATION && !r.varied && r.epsilon <= 0.25);
    options.search = DUSK_ONE_MOVES;
    assert_int_equal(dusk_audit_run(&r, &sampler, &given, 1, &options, NULL), DUSK_OK);
    assert_true(r.verdict == DUSK_VIOLATION && r.varied && r.epsilon > 3 && r.epsilon <= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours),
        cmocka_unit_test(half_is_there),
        cmocka_unit_test(refused),
        cmocka_unit_test(search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
