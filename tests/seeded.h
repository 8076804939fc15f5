/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SEEDED_H
#define TESTS_SEEDED_H

/* Generators with a seed, for runs that repeat: one of a test's own, or one that all
 * tests of a group share as their state. */

#include "random/tape.h"
#include "support.h"

static inline dusk_generator *seeded(uint64_t seed)
{
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    return gen;
}

/* For the set-up of a group, which says the seed. */
static inline int open_seeded(void **state, uint64_t seed)
{
    return dusk_generator_new_seeded((dusk_generator **)state, seed, NULL) != DUSK_OK;
}

static inline int close_generator(void **state)
{
    dusk_generator_free(*state);
    return 0;
}

/* One that gives `length` zeros, at most 512, and then has no coins left. */
static inline dusk_generator *zeros(unsigned length)
{
    static const uint64_t bits[8] = { 0 };
    dusk_generator *tape;
    assert_int_equal(dusk_generator_new_tape(&tape, bits, length, NULL), DUSK_OK);
    return tape;
}

#endif
