/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_NOISE_ADDITIVE_H
#define DUSK_RANDOM_NOISE_ADDITIVE_H

/* Additive noise in whole grid steps, with exactly the law named. */

#include "base/platform.h"
#include "random/generator.h"
#include "random/rounded.h"

typedef enum dusk_additive_law {
    DUSK_ADDITIVE_LAPLACE = 1,           /* round(Z), Z ~ Laplace(scale)                */
    DUSK_ADDITIVE_GAUSSIAN = 2,          /* round(Z), Z ~ N(0, scale^2)                 */
    DUSK_ADDITIVE_DISCRETE_LAPLACE = 3,  /* P(k) ~ exp(-|k| / scale)                    */
    DUSK_ADDITIVE_DISCRETE_GAUSSIAN = 4, /* P(k) ~ exp(-k^2 / (2 scale^2))              */
    DUSK_ADDITIVE_GEOMETRIC = 5          /* P(k) ~ exp(-k / scale), k >= 0              */
} dusk_additive_law;

/* A sampler, ready to draw. A value. */
typedef struct dusk_additive {
    dusk_additive_law law;
    double scale;      /* grid steps, 2^-40 .. 2^60 */
    dusk_rounded draw; /* the exactly rounded quantile it stands on */
    /* of the discrete Gaussian: */
    double inverse_square; /* 1 / scale^2, to nearest */
    double look_below;     /* only acceptance uniforms below this can reject a draw of the table */
    double look_margin;    /* how far the double test of acceptance may be off */
    double word_width;     /* 2^-width, the width of what a word leaves open */
} dusk_additive;

/* Requires 2^-40 <= scale <= 2^60. `width`: leading digits per uniform;
 * DUSK_WIDTH_FULL in production, 1..20 in exhaustive tests. */
void dusk_additive_init(dusk_additive *out, dusk_additive_law law, double scale, unsigned width);

/* One draw with constant work, saturated at +-2^126: an answer
 * clamp(value + k, +-2^125) with |value| <= 2^125 is exact post-processing. The
 * discrete Gaussian repeats trials of constant work, and how many is
 * independent of the value that comes out. */
DUSK_MUST_USE dusk_status dusk_additive_draw(const dusk_additive *additive, dusk_int128 *out,
                                             dusk_generator *gen, dusk_error *err);
/* n draws in bulk; scale <= 2^54; saturated at +-2^62. The time may depend on
 * the values drawn: draw before use. */
DUSK_MUST_USE dusk_status dusk_additive_fill(const dusk_additive *additive, int64_t *out, size_t n,
                                             dusk_generator *gen, dusk_error *err);

#endif
