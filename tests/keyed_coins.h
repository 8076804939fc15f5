/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_KEYED_COINS_H
#define TESTS_KEYED_COINS_H

/* Keyed coins from a seed, by either cipher. */

#include "random/keyed.h"
#include "seeded.h"

static inline dusk_keyed_coins *coins_of(uint64_t seed, bool aes)
{
    dusk_generator *gen = seeded(seed);
    dusk_keyed_coins *coins;
    assert_int_equal(dusk_keyed_new_by(&coins, aes, gen, NULL), DUSK_OK);
    dusk_generator_free(gen);
    return coins;
}

#endif
