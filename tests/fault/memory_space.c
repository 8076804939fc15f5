/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation of a release with noise of a norm fails, for every n until the
 * call succeeds: out of memory, no answer, no leak (the sanitizer build looks); also when
 * the memory is for digits that the first coins did not have. */
#include <string.h>

#include "failing_memory.h"
#include "random/noise_ball.h"
#include "random/rounded.h"
#include "seeded.h"
#include "support.h"

static void releases(void **state)
{
    double values[5] = { 1, 2, 3, 4, 5 }, out[5];
    (void)state;
    for (dusk_norm norm = DUSK_NORM_L1; norm <= DUSK_NORM_LINF; norm++) {
        dusk_knorm knorm;
        bool done = false;
        long n = 0;
        assert_int_equal(dusk_knorm_init(&knorm, norm, 5, 1, 1, 0, NULL), DUSK_OK);
        while (!done) {
            dusk_generator *gen = seeded(4);
            dusk_error err;
            for (size_t i = 0; i < 5; i++) out[i] = 7;
            dusk_memory_fail_at(++n);
            done = went_through(dusk_knorm_release(&knorm, out, values, gen, &err), &err, n, 1000);
            dusk_generator_free(gen);
            for (size_t i = 0; i < 5 && !done; i++) assert_true(out[i] == 7);
        }
        assert_true(n > 2);
    }
}

static void places(void **state)
{
    double place[4] = { 1, 2, 3, 4 }, out[4];
    dusk_planar_laplace planar;
    bool done = false;
    long n = 0;
    (void)state;
    assert_int_equal(dusk_planar_laplace_init(&planar, 0.01, 100, 0, NULL), DUSK_OK);
    while (!done) {
        dusk_generator *gen = seeded(4);
        dusk_error err;
        for (size_t i = 0; i < 4; i++) out[i] = 7.5;
        dusk_memory_fail_at(++n);
        done = went_through(dusk_planar_laplace_release(&planar, out, place, 2, gen, &err), &err, n, 1000);
        dusk_generator_free(gen);
        for (size_t i = 0; i < 4 && !done; i++) assert_true(out[i] == 7.5);
    }
    assert_true(n > 2);
}

/* 128 zeros in a row: more digits are needed, and there is no memory for them. */
static void further_digits(void **state)
{
    uint64_t coins[32] = { 0, 0, 0, 0, 0x1234 };
    dusk_int128 out = 7;
    dusk_generator *gen;
    dusk_ball ball;
    (void)state;
    assert_int_equal(dusk_generator_new_tape(&gen, coins, 32 * 64, NULL), DUSK_OK);
    assert_int_equal(dusk_ball_init(&ball, DUSK_BALL_L1, 2, DUSK_WIDTH_FULL, NULL), DUSK_OK);
    assert_int_equal(dusk_ball_draw(&ball, gen, NULL), DUSK_OK);
    dusk_memory_fail_at(1);
    assert_int_equal(dusk_ball_round(&ball, &out, 0, 1, 0.5, 0, gen, NULL), DUSK_ERR_MEMORY);
    dusk_memory_fail_at(0);
    assert_true(out == 7);
    assert_int_equal(dusk_ball_round(&ball, &out, 0, 1, 0.5, 0, gen, NULL), DUSK_OK);
    dusk_ball_clear(&ball);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(releases), cmocka_unit_test(places),
                                        cmocka_unit_test(further_digits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
