/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_NOISE_BALL_H
#define DUSK_RANDOM_NOISE_BALL_H

/* Noise with density ~ exp(-|z|) in d dimensions, |.| a norm, and the exact rounding
 * of value + scale noise. With R a sum of independent exponentials:
 *   l1   every coordinate is Laplace by itself
 *   l2   R of d terms times a point of the sphere. Two coordinates at a time are
 *        sqrt(E) (cos, sin)(2 pi V), over the root of the sum of all E [Box & Muller
 *        1958]; an odd d leaves the last sine out, also of the sum
 *   linf R of d + 1 terms times a point of the cube [-1, 1]^d
 * All of it is a function of uniform numbers, whose first 128 digits are drawn at
 * once. A coordinate is decided in double where the error bound of ball_kernel.h
 * allows; else by enclosures of all that is known, and further digits of every
 * uniform. See ball.proof.md. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/platform.h"
#include "numeric/real.h"
#include "random/generator.h"

typedef enum dusk_ball_norm { DUSK_BALL_L1 = 1, DUSK_BALL_L2 = 2, DUSK_BALL_LINF = 3 } dusk_ball_norm;

#define DUSK_BALL_DIMENSION_MAX (1u << 20)

/* Where the uniform numbers of each kind are. */
typedef struct dusk_ball_places {
    size_t radius;     /* 0 .. radius - 1: the terms of R; none for l1                  */
    size_t pairs;      /* of coordinates; l2 only                                       */
    size_t lengths;    /* from here the E of each pair; with d = 2 there are none       */
    size_t directions; /* from here angles of pairs, coordinates in the cube, all of l1 */
    size_t count;
} dusk_ball_places;

/* One vector of noise. Made by dusk_ball_init, filled by dusk_ball_draw as often as
 * wanted, ended by dusk_ball_clear. */
typedef struct dusk_ball {
    dusk_ball_norm norm;
    size_t dimension;
    unsigned width; /* coins at a time: DUSK_WIDTH_FULL, or 1..20 in tests */
    dusk_ball_places at;
    unsigned layers, room;  /* words of coins of every uniform: known, and what memory there is for */
    uint64_t *coins;        /* layer after layer */
    bool rough;             /* the double path has nothing to say */
    double doubt;           /* how far a coordinate may be off, beside its length */
    double *length;         /* of each pair, or one for all; NULL for l1 */
    unsigned level;         /* of the two enclosures that follow, 0: none */
    dusk_interval whole[2]; /* R, and the sum of the E */
} dusk_ball;

/* Requires 1 <= dimension <= DUSK_BALL_DIMENSION_MAX. On failure there is nothing to
 * clear. */
DUSK_MUST_USE dusk_status dusk_ball_init(dusk_ball *out, dusk_ball_norm norm, size_t dimension,
                                         unsigned width, dusk_error *err);
void dusk_ball_clear(dusk_ball *ball);
/* A fresh vector; looks at no value. */
DUSK_MUST_USE dusk_status dusk_ball_draw(dusk_ball *ball, dusk_generator *gen, dusk_error *err);
/* floor(value / 2^grid + scale Z_i + 1/2), 0 < scale <= 2^60 in steps, for the real number that the double `value`
 * is, clamped to +-2^100 steps (NaN: 0), and coordinate i of the noise; saturated
 * at +-2^125. */
DUSK_MUST_USE dusk_status dusk_ball_round(dusk_ball *ball, dusk_int128 *out, size_t i, double scale,
                                          double value, int grid, dusk_generator *gen, dusk_error *err);

/* The inside of dusk_ball_round, for the tests: by enclosures alone. */
DUSK_MUST_USE dusk_status dusk_ball_round_real(dusk_ball *ball, dusk_int128 *out, size_t i, double scale,
                                               double value, int grid, dusk_generator *gen, dusk_error *err);
/* One more layer of coins for every uniform. */
DUSK_MUST_USE dusk_status dusk_ball_refine(dusk_ball *ball, dusk_generator *gen, dusk_error *err);

#endif
