/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_LIMIT_DOMAIN_H
#define DUSK_MECHANISMS_LIMIT_DOMAIN_H

#include "dusk/mechanisms.h"

/* What is chosen from: `limit` places and the threshold behind them. */
#define DUSK_NO_KEY SIZE_MAX /* a place that no key fills */
typedef struct dusk_limit_places {
    size_t *key;    /* limit of them: which key, or DUSK_NO_KEY */
    double *scores; /* limit + 1 of them: above the limit+1-st largest count */
} dusk_limit_places;

/* Fill the places with the keys of the largest counts, ties at the end of the
 * list by lot. `width` coins are tossed at a time: 64 for the public functions,
 * fewer in exhaustive tests (n <= 2^width). */
DUSK_MUST_USE dusk_status dusk_limit_domain_fill(const dusk_limit_domain *domain, dusk_limit_places *places,
                                                 const uint64_t *counts, size_t n, unsigned width,
                                                 dusk_generator *gen, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_limit_domain_release_width(const dusk_limit_domain *domain, size_t *indices,
                                                          size_t *shown, const uint64_t *counts, size_t n,
                                                          unsigned width, dusk_generator *gen,
                                                          dusk_error *err);

#endif
