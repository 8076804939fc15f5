/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

/* cmocka, with the headers that it wants to come first, and repeatable random
 * inputs (not coins: those come from random/tape.h). */

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <string.h>

/* splitmix64 [Steele, Lea & Flood 2014]. */
static inline uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
