/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform integers and random orders, exactly: Lemire 2019, "Fast random
 * integer generation in an interval" (ACM TOMACS 29(1), algorithm 5), and the
 * Fisher-Yates shuffle. The number of words taken is random but independent of
 * the value drawn. Nothing here makes a promise; see random/noise_*.h. */
#include "random/sampling.h"

#include "base/error.h"
#include "base/mutant.h"

static dusk_status fail_range(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for a range that holds at least one number",
                     "a uniform draw needs 1 <= n <= 2^width, width <= 64");
}

/* 2^width mod n for 1 <= n <= 2^width: how many of the 2^width words are too many for an even split. */
DUSK_PROVEN(excess)
static uint64_t excess(uint64_t n, unsigned width)
{
    uint64_t words = width == 64 ? 0 - n : ((uint64_t)1 << width) - n; /* n fewer is the same mod n */
    return DUSK_MUTATE(UNIFORM_SKIPS_REJECTION, words % n, 0);
}

DUSK_PROVEN(dusk_uniform_below_width)
dusk_status dusk_uniform_below_width(dusk_generator *gen, uint64_t *out, uint64_t n, unsigned width,
                                     dusk_error *err)
{
    if (width < 1 || width > 64 || n == 0 || (n - 1) >> (width - 1) > 1) return fail_range(err);
    for (;;) {
        uint64_t word;
        dusk_status status = dusk_generator_words(gen, &word, 1, width, err);
        if (status != DUSK_OK) return status;
        /* The word carries its coins at the top, so the split falls at bit 64 for every width. */
        dusk_uint128 product = (dusk_uint128)word * n;
        uint64_t low = (uint64_t)product >> (64 - width);
        /* excess < n: the division is needed only when low < n. */
        if (low < n && low < excess(n, width)) continue;
        *out = (uint64_t)(product >> 64);
        return DUSK_OK;
    }
}

dusk_status dusk_uniform_below(dusk_generator *gen, uint64_t *out, uint64_t n, dusk_error *err)
{
    return dusk_uniform_below_width(gen, out, n, 64, err);
}

/* The number of binary digits of x; 0 for 0. */
DUSK_PROVEN(digits)
static unsigned digits(dusk_uint128 x)
{
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
    if (high) return 128 - (unsigned)__builtin_clzll(high);
    return low ? 64 - (unsigned)__builtin_clzll(low) : 0;
}

/* `count` coins as a number below 2^count, count <= 128. */
DUSK_PROVEN(draw_digits)
static dusk_status draw_digits(dusk_generator *gen, dusk_uint128 *out, unsigned count, dusk_error *err)
{
    uint64_t high = 0, low = 0;
    dusk_status status = DUSK_OK;
    unsigned top = count > 64 ? count - 64 : 0, rest = count - top;

    if (top) DUSK_TRY(dusk_generator_words(gen, &high, 1, top, err));
    if (rest) DUSK_TRY(dusk_generator_words(gen, &low, 1, rest, err));
    if (top) high >>= 64 - top;
    if (rest) low >>= 64 - rest;
    *out = (dusk_uint128)high << 64 | low;
done:
    return status;
}

DUSK_PROVEN(dusk_uniform_below128)
dusk_status dusk_uniform_below128(dusk_generator *gen, dusk_uint128 *out, dusk_uint128 n, dusk_error *err)
{
    dusk_uint128 x;
    if (n == 0) return fail_range(err);
    do {
        dusk_status status = draw_digits(gen, &x, digits(n - 1), err);
        if (status != DUSK_OK) return status;
    } while (x >= n);
    *out = x;
    return DUSK_OK;
}

DUSK_PROVEN(dusk_shuffle)
dusk_status dusk_shuffle(dusk_generator *gen, size_t *order, size_t n, dusk_error *err)
{
    const size_t stop = DUSK_MUTATE(SHUFFLE_STOPS_EARLY, 1, 2);
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (size_t i = n; i > stop; i--) {
        uint64_t j;
        dusk_status status = dusk_uniform_below(gen, &j, i, err);
        if (status != DUSK_OK) return status;
        size_t last = order[i - 1];
        order[i - 1] = order[j];
        order[j] = last;
    }
    return DUSK_OK;
}
