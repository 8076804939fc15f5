/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_SAMPLING_H
#define DUSK_RANDOM_SAMPLING_H

/* Exact draws that make no promise by themselves: for bounding, choosing and
 * shuffling. Draws that make promises are in random/noise_*.h. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/platform.h"
#include "random/generator.h"

/* Uniform on {0, ..., n - 1}, n >= 1, exactly (Lemire 2019: multiply, and
 * reject the few words that would make it uneven). The width form takes words
 * of `width` coins (n <= 2^width) and is what exhaustive tests run. */
DUSK_MUST_USE dusk_status dusk_uniform_below(dusk_generator *gen, uint64_t *out, uint64_t n, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_uniform_below_width(dusk_generator *gen, uint64_t *out, uint64_t n,
                                                   unsigned width, dusk_error *err);
/* The same for n up to 2^126, by rejection: as many coins at a time as n - 1
 * has binary digits, fewer than two times on average. */
DUSK_MUST_USE dusk_status dusk_uniform_below128(dusk_generator *gen, dusk_uint128 *out, dusk_uint128 n,
                                                dusk_error *err);
/* A uniformly random order of 0, ..., n - 1 (Fisher-Yates). On failure the
 * contents of `order` are not to be used. */
DUSK_MUST_USE dusk_status dusk_shuffle(dusk_generator *gen, size_t *order, size_t n, dusk_error *err);

#endif
