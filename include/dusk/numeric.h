/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_NUMERIC_H
#define DUSK_NUMERIC_H

#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"

/* Exact sums. A sum of doubles depends on the order of its terms, and one
 * more row can shift every later rounding: the sum of a private column then
 * moves by far more than the row itself. An exact sum has neither problem:
 * whatever the order, the threads or the pieces it was added in, it is the
 * real sum, rounded once at the end. */

#ifdef __cplusplus
extern "C" {
#endif

/* An exact accumulator for doubles: every finite double can be added, up to
 * 2^62 of them. Infinities and NaN are counted, not added: see
 * dusk_exact_sum_skipped. A value: copy it freely; merging is addition. */
typedef struct dusk_exact_sum {
    int64_t chunk[70]; /* 32-bit digits with room for carries, lowest first */
    uint64_t pending;  /* additions since the carries were last propagated */
    uint64_t skipped;  /* infinities and NaN seen */
} dusk_exact_sum;

DUSK_API void dusk_exact_sum_init(dusk_exact_sum *sum);
DUSK_API void dusk_exact_sum_add(dusk_exact_sum *sum, const double *values, size_t n);
DUSK_API void dusk_exact_sum_merge(dusk_exact_sum *sum, const dusk_exact_sum *other);
/* The sum of everything added, correctly rounded to nearest, ties to even. */
DUSK_API double dusk_exact_sum_value(const dusk_exact_sum *sum);
DUSK_API uint64_t dusk_exact_sum_skipped(const dusk_exact_sum *sum);

#ifdef __cplusplus
}
#endif
#endif
