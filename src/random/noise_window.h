/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_NOISE_WINDOW_H
#define DUSK_RANDOM_NOISE_WINDOW_H

/* Discrete Laplace noise that stays within a window, exactly and without rejection:
 * P(k) ~ exp(-|k| / scale) for -below <= k <= above. */

#include "base/platform.h"
#include "random/generator.h"
#include "random/rounded.h"

/* A sampler, ready to draw. A value. */
typedef struct dusk_window_sampler {
    dusk_rounded geometric; /* P(g) ~ exp(-g / scale) */
    double scale;
    unsigned width;
} dusk_window_sampler;

/* Requires 2^-40 <= scale <= 2^60. `width` as in dusk_additive_init. */
void dusk_window_sampler_init(dusk_window_sampler *out, double scale, unsigned width);
/* One draw; below and above are at most 2^100 and may be private: the work is the
 * same whatever they are, except when coins do not decide. */
DUSK_MUST_USE dusk_status dusk_window_sampler_draw(const dusk_window_sampler *s, dusk_int128 *out,
                                                   dusk_uint128 below, dusk_uint128 above,
                                                   dusk_generator *gen, dusk_error *err);

#endif
