/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_LAZY_H
#define DUSK_RANDOM_LAZY_H

/* A uniform number in (0, 1) whose binary digits are drawn when they are
 * needed, with no cap on its exponent:
 *     v = 2^-(zeros + 1) (1 + m),   m = 0.d1 d2 d3 ... in binary.
 * The number of leading zeros and `count` digits of m are known; the rest are
 * coins not yet tossed. Conditioned on what is known, v is uniform on its
 * interval, so digits drawn later are as good as digits drawn at once. */

#include <stdbool.h>
#include <stdint.h>

#include "numeric/real.h"
#include "random/generator.h"

typedef struct dusk_lazy {
    uint64_t zeros; /* digits before the leading one */
    bool leading;   /* has the leading one been seen? if not, zeros is a lower bound */
    uint64_t first; /* the first 64 digits of m, d1 highest; those not drawn are 0 */
    uint32_t count; /* how many digits of m are known */
    uint32_t room;  /* words at `more` */
    uint64_t *more; /* digits 65, 66, ...; NULL until needed */
    unsigned width; /* coins tossed at a time: 64 in production, fewer in tests */
} dusk_lazy;

/* Start with nothing known. */
void dusk_lazy_init(dusk_lazy *u, unsigned width);
void dusk_lazy_clear(dusk_lazy *u);
/* Append up to 64 digits that were drawn elsewhere (top bits of `word`). */
DUSK_MUST_USE dusk_status dusk_lazy_append(dusk_lazy *u, uint64_t word, unsigned bits, dusk_error *err);
/* Toss `width` further coins. */
DUSK_MUST_USE dusk_status dusk_lazy_refine(dusk_lazy *u, dusk_generator *gen, dusk_error *err);
/* The interval in which v lies, rounded outward to the precision of `out`. */
void dusk_lazy_enclose(const dusk_lazy *u, dusk_interval *out);

#endif
