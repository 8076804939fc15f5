/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_NOISY_MAX_H
#define DUSK_MECHANISMS_NOISY_MAX_H

/* The largest of noisy values, exactly: candidate i has the value
 *     rate score_i + ln(weight_i) + noise_i,    rate = numerator / denominator,
 * with independent ideal noise. Scores, weights and the rate are taken as the
 * real numbers they are; nothing is rounded before the choice is made, and
 * nothing overflows. With Gumbel noise P(i) ~ weight_i exp(rate score_i). The
 * time depends on the scores. */

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "random/generator.h"

typedef enum dusk_noisy_law {
    DUSK_NOISY_GUMBEL = 1, /* P(G > x) = 1 - exp(-exp(-x))  */
    DUSK_NOISY_LAPLACE = 2 /* scale 1: density exp(-|x|) / 2 */
} dusk_noisy_law;

/* The candidates, borrowed. */
typedef struct dusk_noisy_scores {
    const double *scores;    /* any doubles; see dusk_noisy_score */
    const uint64_t *weights; /* how many equal candidates each stands for; 0: never chosen; NULL: all 1 */
    size_t n;
    double numerator, denominator; /* positive and finite */
    dusk_noisy_law law;
    unsigned width; /* coins tossed at a time: 64 in production, 2..20 in exhaustive tests */
} dusk_noisy_scores;

/* The k candidates of largest value, largest first. Requires 1 <= k, and at
 * least k candidates with a positive weight: fewer are DUSK_ERR_INTERNAL, so
 * callers see to it by public means. `indices` is untouched on failure. */
DUSK_MUST_USE dusk_status dusk_noisy_max(size_t *indices, size_t k, const dusk_noisy_scores *in,
                                         dusk_generator *gen, dusk_error *err);

/* The score that counts: NaN is the lowest double, infinities the largest. */
static inline double dusk_noisy_score(double score)
{
    score = score > -DBL_MAX ? score : -DBL_MAX; /* false for NaN too */
    return score < DBL_MAX ? score : DBL_MAX;
}

/* Doubles that enclose the noise of all uniforms that begin with the coins of
 * `word`, and the value of candidate i less `rate top`, where top is at least
 * its score. Separate from the choice so that a test can hold them against
 * wide arithmetic. */
typedef struct dusk_noisy_key {
    double lo, hi;
} dusk_noisy_key;
dusk_noisy_key dusk_noisy_noise(dusk_noisy_law law, uint64_t word, unsigned width);
dusk_noisy_key dusk_noisy_value(const dusk_noisy_scores *in, size_t i, double top, uint64_t word);

#endif
