/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_QUANTILE_KERNEL_H
#define DUSK_RANDOM_QUANTILE_KERNEL_H

/* The inner loops of exactly rounded noise: leading digits of a uniform number
 * in, floor(scale Q(v) + offset) out, together with the places where the
 * digits did not decide. One source, compiled once per instruction set; all
 * give the same bits, since every operation is an IEEE one. */

#include <stddef.h>
#include <stdint.h>

#include "random/quantile_table.h"

/* Digits of v = 2^-(zeros + 1) (1 + m). */
typedef struct dusk_digits {
    uint32_t zeros;  /* < DUSK_TABLE_OCTAVES */
    uint64_t hi, lo; /* m = (hi + lo 2^-64) 2^-64, up to the digits not drawn */
} dusk_digits;

/* How `few` computes; each with its error in the table. */
typedef enum dusk_precision { DUSK_PLAIN, DUSK_MEDIUM, DUSK_WIDE } dusk_precision;

typedef struct dusk_rounding {
    const dusk_quantile_table *table;
    double scale_hi, scale_lo;
    double shift;                          /* offset - 1/2: 0 rounds to nearest, -1/2 down */
    double margin;                         /* undecided when the distance to a boundary may be less */
    unsigned exponent_bits, mantissa_bits; /* narrow words: sign, exponent, mantissa from the top */
    int with_sign;                         /* apply the sign bit of the word */
    dusk_precision precision;              /* of `few`; the bulk forms have their own */
} dusk_rounding;

/* A rounded value as an unevaluated sum of two whole doubles, and where in the
 * step the unrounded value lies: value = whole_hi + whole_lo + rest, up to the
 * error that `margin` covers (or the margin itself, where the value was below it). */
typedef struct dusk_rounded_value {
    double whole_hi, whole_lo, rest;
    int undecided;
} dusk_rounded_value;

typedef struct dusk_two {
    double first, second;
} dusk_two;

typedef struct dusk_quantile_kernel {
    /* out[i] from words[i], in plain double. Writes the indices that are not
     * decided (or whose exponent field is all zeros) and returns how many. */
    size_t (*narrow)(const dusk_rounding *rounding, int64_t *out, uint32_t *undecided, const uint64_t *words,
                     size_t n);
    /* The same in double-double from two words of mantissa and one of exponent
     * (sign in its top bit) each: exponent[i], hi[i], lo[i]. */
    size_t (*wide)(const dusk_rounding *rounding, int64_t *out, uint32_t *undecided, const uint64_t *exponent,
                   const uint64_t *hi, const uint64_t *lo, size_t n);
    /* n magnitudes, one by one. The places of the table that are read do not
     * depend on the octave, that is on the size of the value. */
    void (*few)(const dusk_rounding *rounding, dusk_rounded_value *out, const dusk_digits *digits, size_t n);
    /* exp(-x) and exp(-y) within the error of exp_kernel.h. */
    dusk_two (*exp_two)(double x, double y);
    /* Coins of bias exp(-rate (top - score[i])) from their first `digits` digits,
     * left-justified in lead[i]: heads[i] = 1 heads, 0 tails, 2 not decided. */
    void (*flip)(uint8_t *heads, const uint32_t *lead, unsigned digits, double top, const double *score,
                 size_t n, double rate);
} dusk_quantile_kernel;

#define DUSK_COIN_LEAD 32 /* digits a coin looks at first */

/* The kernels for this processor. */
const dusk_quantile_kernel *dusk_quantile_kernel_best(void);

#endif
