/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SAME_COINS_H
#define TESTS_SAME_COINS_H

/* The two sides of a replay: each has its generator, with the same coins, and in the end
 * both must have taken as many. */

#include "random/generator.h"
#include "random/tape.h"
#include "support.h"

static inline void open_both(dusk_generator *gen[2], uint64_t seed)
{
    for (int side = 0; side < 2; side++)
        assert_int_equal(dusk_generator_new_seeded(&gen[side], seed, NULL), DUSK_OK);
}

/* The next word says whether both have taken as much; then they are freed. */
static inline void close_both_alike(dusk_generator *gen[2])
{
    uint64_t word[2];
    for (int side = 0; side < 2; side++) {
        assert_int_equal(dusk_generator_words(gen[side], &word[side], 1, 64, NULL), DUSK_OK);
        dusk_generator_free(gen[side]);
    }
    assert_int_equal(word[0], word[1]);
}

#endif
