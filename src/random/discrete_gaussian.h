/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_DISCRETE_GAUSSIAN_H
#define DUSK_RANDOM_DISCRETE_GAUSSIAN_H

/* Draws from P(k) ~ exp(-k^2 / (2 scale^2)) on the integers; part of
 * random/noise_additive.h, which see. */

#include "random/noise_additive.h"

void dusk_discrete_gaussian_sampler_init(dusk_additive *out, double scale, unsigned width);
/* One trial. P(accepted and *out = k) = c exp(-k^2 / (2 scale^2)) with
 * c = exp(-1 / (8 scale^2)) / (scale sqrt(2 pi)) for scale >= 1 and
 * c = (1 - exp(-1 / (2 scale^2))) / 2 below. */
DUSK_MUST_USE dusk_status dusk_discrete_gaussian_sampler_try(const dusk_additive *a, bool *accepted,
                                                             dusk_int128 *out, dusk_generator *gen,
                                                             dusk_error *err);
/* Trials until one is accepted. */
DUSK_MUST_USE dusk_status dusk_discrete_gaussian_sampler_draw(const dusk_additive *a, dusk_int128 *out,
                                                              dusk_generator *gen, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_discrete_gaussian_sampler_fill(const dusk_additive *a, int64_t *out, size_t n,
                                                              dusk_generator *gen, dusk_error *err);

#endif
