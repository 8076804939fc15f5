/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_NOISE_SINH_NORMAL_H
#define DUSK_RANDOM_NOISE_SINH_NORMAL_H

/* Sinh-normal noise [Bun, Dwork, Rothblum & Steinke 2018], exactly rounded: round(bend
 * arsinh(scale N / bend)), N standard normal. The tails of the Gaussian are bent to
 * those of a doubly exponential law. */

#include "base/platform.h"
#include "random/generator.h"
#include "random/rounded.h"

/* A sampler, ready to draw. A value. */
typedef struct dusk_sinh_normal_sampler {
    dusk_rounded normal; /* |N| times a power of two */
    double unit;         /* that power */
    double scale, bend;  /* grid steps */
    double margin;       /* how far the double value may be from the true one */
} dusk_sinh_normal_sampler;

/* Requires 2^-40 <= scale <= 2^60 and scale <= bend <= 2^120. `width` as in dusk_additive_init. */
void dusk_sinh_normal_sampler_init(dusk_sinh_normal_sampler *out, double scale, double bend, unsigned width);
/* One draw, saturated at +-2^126. Constant work for scales up to 2^32 steps, except when
 * the digits do not decide; beyond it is decided by MPFR more and more often, as often for
 * small values as for large ones. */
DUSK_MUST_USE dusk_status dusk_sinh_normal_sampler_draw(const dusk_sinh_normal_sampler *s, dusk_int128 *out,
                                                        dusk_generator *gen, dusk_error *err);

/* arsinh(x) for 0 <= x <= 2^20, off by at most 16 units 2^-53 of itself, with the same work for all
 * x, which the C library does not promise. */
double dusk_sinh_normal_arsinh(double x);

#endif
