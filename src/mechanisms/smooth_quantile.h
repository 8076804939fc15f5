/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_SMOOTH_QUANTILE_H
#define DUSK_MECHANISMS_SMOOTH_QUANTILE_H

/* Order statistics and their smooth sensitivity. */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Sorted rows within [lower, upper]; row i, counted from 1, is lower for i < 1 and
 * upper for i > n. */
typedef struct dusk_ordered {
    const double *rows;
    size_t n;
    double lower, upper;
} dusk_ordered;

/* The rank of the quantile target / 2^32 among n rows: ceil(target n / 2^32). One row
 * more raises it by 0 or 1. */
size_t dusk_rank_of(uint64_t target, size_t n);
/* q as a share of 2^32, from 1 to 2^32 - 1. */
uint64_t dusk_rank_target(double q);
double dusk_ordered_row(const dusk_ordered *x, int64_t i);

/* Clamp n rows (NaN counts as 0 first) and sort them. The same work for every content. */
DUSK_MUST_USE dusk_status dusk_ordered_new(dusk_ordered *out, const double *rows, size_t n, double lower,
                                           double upper, dusk_error *err);
/* Wipe and free what dusk_ordered_new made; fine on an empty one. */
void dusk_ordered_clear(dusk_ordered *x);

/* max over k >= 0 of e^(-beta k) G((k+1) m), G(j) being the longest window of j rows
 * that touches rank r; a unit has m rows. Between the real maximum and (1 + 2^-31)
 * times it, where that is above (upper - lower) e^-290. */
double dusk_ordered_smooth(const dusk_ordered *x, size_t r, uint32_t m, double beta);

#endif
