/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_NUMERIC_FIXED_SUM_H
#define DUSK_NUMERIC_FIXED_SUM_H

/* Exact sums on a public grid: each value is clamped into [lower, upper],
 * rounded *toward zero* to a multiple of 2^grid (so that it never grows), and
 * added in 128-bit integers. NaN counts as the point of [lower, upper] that is
 * nearest to zero. 16 bytes a group, any order, any merge. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/platform.h"

typedef struct dusk_fixed_clamp {
    double lower, upper; /* finite, lower <= upper, |bound| / 2^grid <= 2^62 */
    int grid;            /* answers are multiples of 2^grid; -1074 <= grid <= 970 */
} dusk_fixed_clamp;

/* One value on the grid: trunc(clamp(x) / 2^grid). Branch-free on x. */
int64_t dusk_fixed_round(double x, const dusk_fixed_clamp *clamp);
/* The same made ready, for many values one by one. */
typedef struct dusk_fixed_map {
    double lower, upper;
    double scale[2];    /* 2^-grid as a product, since 2^1074 is no double */
    uint64_t nan_keeps; /* 0: the bits of NaN are cleared */
} dusk_fixed_map;
dusk_fixed_map dusk_fixed_prepare(const dusk_fixed_clamp *clamp);
/* NaN becomes 0, and the clamp then moves 0 to the point nearest to it.
 *
 * Both products are exact when |x| / 2^grid >= 1: scaling up cannot overflow
 * (the end is at most 2^62) and scaling down stays normal. Otherwise rounding
 * among subnormals cannot bring a value up to 1, and it truncates to 0. */
static inline int64_t dusk_fixed_step(double x, const dusk_fixed_map *map)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= (0 - (uint64_t)(x == x)) | map->nan_keeps;
    memcpy(&x, &bits, sizeof x);
    x = x > map->lower ? x : map->lower; /* maxsd and minsd: no branch */
    x = x < map->upper ? x : map->upper;
    return (int64_t)(x * map->scale[0] * map->scale[1]); /* toward zero */
}
/* Sum over n values (n < 2^63): |result| <= n 2^62 cannot overflow. */
dusk_int128 dusk_fixed_sum(const double *x, size_t n, const dusk_fixed_clamp *clamp);
/* k * 2^grid, rounded to nearest double. */
double dusk_fixed_value(dusk_int128 k, int grid);

#endif
