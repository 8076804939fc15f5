/* SPDX-License-Identifier: Apache-2.0 */
/* Votes on the clip: one example moves them by one vote, and a gradient at its longest with its vote is within what is declared; the clip goes
 * to the quantile that was asked for, from far above and below, with noise and without examples. */
#include <math.h>

#include "deep/clip.h"
#include "deep/sums.h"
#include "seeded.h"

static void a_gradient_and_its_vote_are_as_long_as_declared(void **state)
{
    (void)state;
    for (uint64_t examples = 0; examples < 20; examples++)
        for (uint64_t within = 0; within <= examples; within++) {
            const int64_t votes = deep_clip_votes(within, examples);
            for (uint64_t one = 0; one < 2; one++) {
                const double moved = (double)(deep_clip_votes(within + one, examples + 1) - votes);
                assert_true(moved * moved + DEEP_STEPS * DEEP_STEPS <= DEEP_VOTED_STEPS * DEEP_VOTED_STEPS);
                assert_true(fabs(moved) == DEEP_CLIP_VOTE);
            }
        }
    assert_true(DEEP_VOTED_STEPS == floor(DEEP_VOTED_STEPS));
}

/* Lengths are even on [0, 10], so that a part c / 10 is within the clip c. */
static double settle(double clip, double quantile, double noise)
{
    uint64_t seed = 7;
    const uint64_t lot = 200;
    double late = 0;
    for (int step = 0; step < 400; step++) {
        uint64_t within = 0;
        for (uint64_t i = 0; i < lot; i++) within += (double)(splitmix64(&seed) >> 11) * 0x1p-53 * 10 <= clip;
        const double coin = splitmix64(&seed) % 2 ? noise : -noise;
        const double votes = ldexp((double)deep_clip_votes(within, lot), DEEP_GRID) + coin;
        clip = deep_next_clip(clip, votes, (double)lot, quantile, 0.2);
        if (step >= 300) late += clip / 100;
    }
    return late;
}

static void the_clip_goes_to_the_quantile(void **state)
{
    (void)state;
    static const double quantiles[] = { 0.1, 0.5, 0.8 };
    for (size_t k = 0; k < 3; k++)
        for (int far = 0; far < 2; far++) {
            const double start = far ? 1000 : 0.01;
            assert_true(fabs(settle(start, quantiles[k], 0) - 10 * quantiles[k]) < 0.3);
            assert_true(fabs(settle(start, quantiles[k], 2) - 10 * quantiles[k]) < 1);
        }
}

static void noise_alone_cannot_break_the_clip(void **state)
{
    (void)state;
    double clip = 1;
    for (int step = 0; step < 10000; step++) {
        clip = deep_next_clip(clip, step % 2 ? 1e12 : INFINITY, 1, 0.5, 10);
        assert_true(clip >= 1e-9 && clip <= 1);
    }
    for (int step = 0; step < 10000; step++) clip = deep_next_clip(clip, -1e12, 1, 0.5, 10);
    assert_true(clip == 1e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gradient_and_its_vote_are_as_long_as_declared),
        cmocka_unit_test(the_clip_goes_to_the_quantile),
        cmocka_unit_test(noise_alone_cannot_break_the_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
