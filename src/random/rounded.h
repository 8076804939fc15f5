/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_ROUNDED_H
#define DUSK_RANDOM_ROUNDED_H

/* floor(scale Q(v) + offset), v uniform on (0, 1), Q a quantile function with a
 * table: drawn exactly. The leading digits of v go through the table in double
 * or double-double arithmetic with a certified error; when the interval of
 * possible results contains an integer, further digits are drawn and MPFR
 * decides. The margin that triggers this is a constant of the scale, so that
 * it tells nothing of the value. See rounded.proof.md. */

#include <stdbool.h>
#include <stddef.h>

#include "base/platform.h"
#include "numeric/real.h"
#include "random/generator.h"
#include "random/lazy.h"
#include "random/quantile_kernel.h"

#define DUSK_WIDTH_FULL 64

/* A magnitude sampler. A value; made by dusk_rounded_init. */
typedef struct dusk_rounded {
    const dusk_quantile_kernel *kernel; /* of this processor */
    dusk_tail tail;                     /* EXPONENTIAL or HALF_NORMAL */
    unsigned width;                     /* DUSK_WIDTH_FULL, or the digits a test draws at a time */
    bool extra;                         /* single draws take one more word of coins along, see word[3] */
    bool narrow_suffices;               /* bulk draws may use one word each, and plain double */
    dusk_rounding narrow, wide;         /* what the bulk kernels need; margins included */
    dusk_rounding few;                  /* what single draws need: the coins of wide */
} dusk_rounded;

/* The scale is scale_hi + scale_lo exactly, between 2^-82 and 2^62. `offset`
 * 0.5 rounds to nearest, 0 down. `width`: DUSK_WIDTH_FULL, or 1..20 in tests. */
void dusk_rounded_init(dusk_rounded *out, dusk_tail tail, double scale_hi, double scale_lo, double offset,
                       unsigned width);

/* One draw, and what is known about it. */
typedef struct dusk_rounded_draw {
    dusk_int128 magnitude; /* saturated at 2^126 */
    bool negative;         /* an independent fair coin */
    bool resolved;         /* the leading digits did not decide: v holds the digits */
    double rest;           /* with offset 0.5 and not resolved: scale Q(v) - magnitude to
                              within few.margin */
    uint64_t word[4];      /* the coins: sign and exponent, mantissa; with `extra` one more word
                              of `width` coins that the draw does not look at */
    dusk_lazy v;           /* resolved: to be cleared by the caller */
} dusk_rounded_draw;

/* Draw n <= DUSK_FEW at once with constant work: the same instructions whatever
 * the values, except when the coins do not decide (less than one draw in 2^25).
 * On failure nothing is left to clear. */
#define DUSK_FEW 2
DUSK_MUST_USE dusk_status dusk_rounded_few(const dusk_rounded *r, dusk_rounded_draw *out, size_t n,
                                           dusk_generator *gen, dusk_error *err);
/* Put the digits behind a draw that was not resolved into draw->v. */
DUSK_MUST_USE dusk_status dusk_rounded_digits(const dusk_rounded *r, dusk_rounded_draw *draw,
                                              dusk_error *err);

/* n draws in bulk, saturated at 2^62, with the sign applied if `with_sign`;
 * the scale must be at most 2^55. */
DUSK_MUST_USE dusk_status dusk_rounded_fill(const dusk_rounded *r, int64_t *out, size_t n, bool with_sign,
                                            dusk_generator *gen, dusk_error *err);

/* The bulk loop in pieces, for laws that need to know the digits. */
#define DUSK_BLOCK 512
typedef struct dusk_rounded_block {
    uint64_t word[DUSK_BLOCK], hi[DUSK_BLOCK], lo[DUSK_BLOCK]; /* coins: hi and lo in the wide form only */
    int64_t value[DUSK_BLOCK];
    uint32_t undecided[DUSK_BLOCK]; /* which values are not valid yet, */
    size_t undecided_count;         /* and how many */
} dusk_rounded_block;

/* m <= DUSK_BLOCK draws by the kernels; what they leave undecided is listed. */
DUSK_MUST_USE dusk_status dusk_rounded_block_draw(const dusk_rounded *r, dusk_rounded_block *block, size_t m,
                                                  bool with_sign, dusk_generator *gen, dusk_error *err);
/* The digits behind draw i of the block; clear v afterwards, also on failure. */
DUSK_MUST_USE dusk_status dusk_rounded_block_digits(const dusk_rounded *r, const dusk_rounded_block *block,
                                                    size_t i, dusk_lazy *v, dusk_error *err);
/* Decide the magnitude of a draw from all its digits, drawing more as needed. */
DUSK_MUST_USE dusk_status dusk_rounded_resolve(const dusk_rounded *r, dusk_int128 *magnitude, dusk_lazy *v,
                                               dusk_generator *gen, dusk_error *err);
/* Enclose scale Q(v) for the digits known of v. */
void dusk_rounded_enclose(const dusk_rounded *r, const dusk_lazy *v, dusk_interval *out);

#endif
