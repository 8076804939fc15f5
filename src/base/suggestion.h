/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_SUGGESTION_H
#define DUSK_BASE_SUGGESTION_H

/* Did you mean: offer every known word, read the nearest one if it is near. Only words that are public are offered. */

#include <stddef.h>

typedef struct dusk_suggestion {
    const char *typed;
    const char *best; /* NULL when nothing is near enough */
    size_t distance;
} dusk_suggestion;
void dusk_suggestion_init(dusk_suggestion *suggestion, const char *typed);
void dusk_suggestion_offer(dusk_suggestion *suggestion, const char *known);

#endif
