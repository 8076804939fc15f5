/* SPDX-License-Identifier: Apache-2.0 */
/* The small superaccumulator of Neal, "Fast exact summation using small and
 * large superaccumulators" (arXiv 1505.05571, 2015): the sum as an integer
 * multiple of 2^-1074 in 32-bit digits, each kept in 64 signed bits so that
 * carries are needed only once in about two thousand additions.
 *
 * A double with significand m (53 bits, signed) at position p adds
 *     m 2^(p mod 32) = high 2^32 + low,  0 <= low < 2^32, |high| <= 2^52
 * to digits p / 32 and p / 32 + 1. Long arrays are added in several lanes, as
 * consecutive values often meet in the same digit and would wait for each
 * other. The time depends on the values only through infinities and NaN; do
 * not rely on it being constant. */
#include <math.h>
#include <string.h>

#include "base/mutant.h"
#include "base/platform.h"
#include "dusk/numeric.h"

enum {
    DIGITS = 70,
    DIGIT_BITS = 32,
    LOWEST_BIT = -1074, /* weight of the last bit of digit 0 */
    LANES = 4,
    LANE_ADDS = 256, /* per block; all lanes together stay below MAX_PENDING */
    MAX_PENDING = 2047
};
_Static_assert(sizeof(((dusk_exact_sum *)0)->chunk) == DIGITS * sizeof(int64_t), "DIGITS is chunk's length");
/* After a propagation digits are below 2^32, so MAX_PENDING further additions
 * of at most 2^52 each stay below 2^63. */
_Static_assert(LANES *LANE_ADDS <= MAX_PENDING, "a block fits between two propagations");

#define DIGIT_MASK (((int64_t)1 << DIGIT_BITS) - 1)

void dusk_exact_sum_init(dusk_exact_sum *sum) { memset(sum, 0, sizeof *sum); }

uint64_t dusk_exact_sum_skipped(const dusk_exact_sum *sum) { return sum->skipped; }

/* Bring all digits but the last into [0, 2^32); the last one has the sign. */
static void propagate(int64_t *digit)
{
    const int64_t keep = DUSK_MUTATE(EXACT_SUM_CARRY_LOST, -1, INT32_MAX);
    int64_t carry = 0;
    for (int i = 0; i < DIGITS - 1; i++) {
        int64_t total = digit[i] + carry;
        digit[i] = total & DIGIT_MASK;
        carry = (total >> DIGIT_BITS) & keep;
    }
    digit[DIGITS - 1] += carry;
}

static void make_room(dusk_exact_sum *sum, uint64_t additions)
{
    if (sum->pending + additions > MAX_PENDING) {
        propagate(sum->chunk);
        sum->pending = 0;
    }
    sum->pending += additions;
}

/* Add one value to an array of digits; 1 when it was none (inf or NaN). */
static inline uint64_t add_one(int64_t *digit, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t field = bits >> 52 & 0x7ff;
    if (__builtin_expect(field == 0x7ff, 0)) return 1;

    /* Subnormals have no hidden bit and the position of field 1. */
    uint64_t normal = field != 0;
    uint64_t position = field - normal;
    int64_t magnitude = (int64_t)((bits & 0xfffffffffffff) | normal << 52);
    int64_t sign = (int64_t)bits >> 63;
    int64_t significand = (magnitude ^ sign) - sign;

    uint64_t shift = position % DIGIT_BITS;
    int64_t *low = digit + position / DIGIT_BITS;
    low[0] += (int64_t)((uint64_t)significand << shift & (uint64_t)DIGIT_MASK);
    low[1] += significand >> (DIGIT_BITS - shift);
    return 0;
}

static void add_block(dusk_exact_sum *sum, const double *values)
{
    int64_t lane[LANES][DIGITS] = { { 0 } };
    uint64_t skipped = 0;
    for (size_t i = 0; i < LANES * LANE_ADDS; i += LANES) {
        for (size_t j = 0; j < LANES; j++) skipped += add_one(lane[j], values[i + j]);
    }
    make_room(sum, LANES * LANE_ADDS);
    for (int d = 0; d < DIGITS; d++) {
        for (int j = 0; j < LANES; j++) sum->chunk[d] += lane[j][d];
    }
    sum->skipped += skipped;
}

void dusk_exact_sum_add(dusk_exact_sum *sum, const double *values, size_t n)
{
    for (; n >= LANES * LANE_ADDS; n -= LANES * LANE_ADDS) {
        add_block(sum, values);
        values += LANES * LANE_ADDS;
    }
    if (n == 0) return;
    make_room(sum, n);
    for (size_t i = 0; i < n; i++) sum->skipped += add_one(sum->chunk, values[i]);
}

void dusk_exact_sum_merge(dusk_exact_sum *sum, const dusk_exact_sum *other)
{
    dusk_exact_sum small = *other;
    propagate(small.chunk);
    make_room(sum, 1); /* digits below 2^32: no more than one addition */
    for (int d = 0; d < DIGITS; d++) sum->chunk[d] += small.chunk[d];
    sum->skipped += small.skipped;
}

/* --- rounding the sum -------------------------------------------------- */

/* Bits [from, from + 64) of a number whose digits are in [0, 2^32). */
static uint64_t bits_at(const int64_t *digit, int from)
{
    uint64_t bits = 0;
    for (int i = from / DIGIT_BITS, at = -(from % DIGIT_BITS); at < 64 && i < DIGITS; i++, at += DIGIT_BITS) {
        bits |= at < 0 ? (uint64_t)digit[i] >> -at : (uint64_t)digit[i] << at;
    }
    return bits;
}

static int bit_length(const int64_t *digit)
{
    int top = DIGITS - 1;
    while (top >= 0 && digit[top] == 0) top--;
    return top < 0 ? 0 : top * DIGIT_BITS + 64 - __builtin_clzll((unsigned long long)digit[top]);
}

static int any_below(const int64_t *digit, int bit)
{
    int64_t seen = digit[bit / DIGIT_BITS] & (((int64_t)1 << bit % DIGIT_BITS) - 1);
    for (int i = 0; i < bit / DIGIT_BITS; i++) seen |= digit[i];
    return seen != 0;
}

/* A non-negative number, to nearest with ties to even. Doubles are multiples
 * of 2^-1074, so a result of at most 53 bits is exact, subnormal or not, and
 * ldexp never rounds: it can only overflow, and then rightly. */
static double round_magnitude(const int64_t *digit)
{
    int length = bit_length(digit);
    if (length <= 53) return ldexp((double)bits_at(digit, 0), LOWEST_BIT);
    int dropped = length - 53;
    uint64_t kept = bits_at(digit, dropped);
    uint64_t half = bits_at(digit, dropped - 1) & 1;
    uint64_t odd_or_above =
        DUSK_MUTATE(EXACT_SUM_TIES_UP, kept & 1, 1) | (uint64_t)any_below(digit, dropped - 1);
    kept += half & odd_or_above;
    return ldexp((double)kept, dropped + LOWEST_BIT);
}

double dusk_exact_sum_value(const dusk_exact_sum *sum)
{
    int64_t digit[DIGITS];
    memcpy(digit, sum->chunk, sizeof digit);
    propagate(digit);
    if (digit[DIGITS - 1] >= 0) return round_magnitude(digit);
    for (int d = 0; d < DIGITS; d++) digit[d] = -digit[d];
    propagate(digit);
    return -round_magnitude(digit);
}
