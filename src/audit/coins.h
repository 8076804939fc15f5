/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_COINS_H
#define DUSK_AUDIT_COINS_H

/* Coins for audits: choices of the auditor, and the noise of mechanisms that are audited,
 * not used. Fast and repeatable from a seed (xoshiro256++, Blackman & Vigna 2021), and
 * therefore never for a release: nothing here protects anybody. */

#include <stdint.h>

#include "base/platform.h"
#include "dusk/base.h"

typedef struct audit_coins {
    uint64_t s[4];
} audit_coins;

static inline uint64_t audit_splitmix(uint64_t *x)
{
    uint64_t z = (*x += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline audit_coins audit_coins_seeded(uint64_t seed)
{
    audit_coins coins;
    for (int i = 0; i < 4; i++) coins.s[i] = audit_splitmix(&seed);
    return coins;
}

/* The seed that is given, or one from the system when it is 0. */
DUSK_MUST_USE dusk_status audit_seed(uint64_t *out, uint64_t given, dusk_error *err);

static inline uint64_t audit_word(audit_coins *coins)
{
    uint64_t *s = coins->s, sum = s[0] + s[3], out = ((sum << 23) | (sum >> 41)) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return out;
}

/* Uniform on (0, 1]: odd multiples of 2^-54, the largest of which rounds to 1. */
static inline double audit_uniform(audit_coins *coins)
{
    return ((double)(audit_word(coins) >> 11) + 0.5) * 0x1p-53;
}

/* Uniform on {0, ..., n - 1}, n >= 1, to within n 2^-64. */
static inline uint64_t audit_below(audit_coins *coins, uint64_t n)
{
    return (uint64_t)(((dusk_uint128)audit_word(coins) * n) >> 64);
}

#endif
