/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_PERMUTE_AND_FLIP_H
#define DUSK_MECHANISMS_PERMUTE_AND_FLIP_H

#include <stddef.h>

#include "base/error.h"
#include "random/generator.h"

/* Choose one of n >= 1 candidates by permute-and-flip with coins of bias
 * exp(-rate (max - score)), rate = numerator / denominator > 0 of two doubles.
 * Any scores; see dusk_noisy_score. `width`: coins tossed at a time, 64 in
 * production; n <= 2^width. `index` is untouched on failure. */
DUSK_MUST_USE dusk_status dusk_permute_and_flip(size_t *index, const double *scores, size_t n,
                                                double numerator, double denominator, unsigned width,
                                                dusk_generator *gen, dusk_error *err);

#endif
