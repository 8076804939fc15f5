/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_NOISE_COIN_H
#define DUSK_RANDOM_NOISE_COIN_H

/* Biased coins, exact: a uniform number with lazily drawn digits is compared
 * with the bias until the digits decide. */

#include <stdbool.h>
#include <stdint.h>

#include "numeric/real.h"
#include "random/generator.h"
#include "random/lazy.h"

/* Bernoulli(a / b), 0 <= a <= b, b >= 1. */
DUSK_MUST_USE dusk_status dusk_coin_ratio(dusk_generator *gen, bool *out, uint64_t a, uint64_t b,
                                          unsigned width, dusk_error *err);
/* Bernoulli(p) for a real p in (0, 1) given by its enclosures. `guess` is p to
 * within 2^-40: it decides almost always; only the enclosure is trusted when
 * the leading digits come within 2^-36 of it. */
DUSK_MUST_USE dusk_status dusk_coin_real(dusk_generator *gen, bool *out, double guess, dusk_enclose *p,
                                         void *real, unsigned width, dusk_error *err);
/* Bernoulli(exp(-a / b)), a >= 0, b >= 1. */
DUSK_MUST_USE dusk_status dusk_coin_exp(dusk_generator *gen, bool *out, uint64_t a, uint64_t b,
                                        unsigned width, dusk_error *err);

/* heads[i] ~ Bernoulli(exp(-rate gap[i])), independent, for gap[i] >= 0 (not
 * NaN; +inf gives tails) and the positive rate = numerator / denominator of two
 * doubles; exact, in bulk: one bit per coin in heads[i / 64], bit i % 64.
 * gap[i] is the exact difference top - score[i] of two finite doubles. */
DUSK_MUST_USE dusk_status dusk_coin_gaps(dusk_generator *gen, uint64_t *heads, double top,
                                         const double *score, size_t n, double numerator, double denominator,
                                         unsigned width, dusk_error *err);

#endif
