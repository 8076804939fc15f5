/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_NOISE_STAIRCASE_H
#define DUSK_RANDOM_NOISE_STAIRCASE_H

/* Staircase noise [Geng & Viswanath 2014], exactly rounded to whole steps: its
 * density is constant between multiples of half a step, so that no digits of a
 * real number are needed. */

#include "base/platform.h"
#include "random/generator.h"
#include "random/rounded.h"

/* A sampler, ready to draw. A value. */
typedef struct dusk_staircase_sampler {
    dusk_rounded stairs;      /* which stair: P(g) ~ exp(-g / ratio) */
    double ratio;             /* 1 / epsilon of the law */
    dusk_uint128 sensitivity; /* D: a stair is D steps wide */
    dusk_uint128 inner;       /* its high part, in half steps: 2 gamma D, 1 .. 2 D - 1 */
    double guess;             /* about the probability of the high part */
    unsigned width;
} dusk_staircase_sampler;

/* Requires 2^-40 <= ratio <= 2^60, 1 <= sensitivity <= 2^100, 1 <= inner <= 2 sensitivity - 1.
 * `width` as in dusk_additive_init. */
void dusk_staircase_sampler_init(dusk_staircase_sampler *out, double ratio, dusk_uint128 sensitivity,
                                 dusk_uint128 inner, unsigned width);
/* One draw, saturated at +-2^126. How many coins it takes is independent of the
 * value that comes out. */
DUSK_MUST_USE dusk_status dusk_staircase_sampler_draw(const dusk_staircase_sampler *s, dusk_int128 *out,
                                                      dusk_generator *gen, dusk_error *err);

#endif
