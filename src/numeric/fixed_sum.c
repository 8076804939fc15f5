/* SPDX-License-Identifier: Apache-2.0 */
/* Sums on a public grid. Each row becomes an integer by itself, before any
 * addition, so a sum of integers is all that a release ever sees: its
 * sensitivity is that of one row (compare Casacuberta et al., "Widespread
 * underestimation of sensitivity in differentially private libraries and how
 * to fix it", CCS 2022).
 *
 * Nothing here branches on a value, or uses one as an address: private bits
 * reach arithmetic only. Bounds and grid are public and must have been
 * checked by the caller. */
#include "numeric/fixed_sum.h"

#include <math.h>
#include <string.h>

#include "base/mutant.h"

dusk_fixed_map dusk_fixed_prepare(const dusk_fixed_clamp *clamp)
{
    int first = -clamp->grid / 2;
    return (dusk_fixed_map){ .lower = clamp->lower,
                             .upper = clamp->upper,
                             .scale = { ldexp(1.0, first), ldexp(1.0, -clamp->grid - first) },
                             .nan_keeps = DUSK_MUTATE(FIXED_SUM_NAN_PASSES, 0, UINT64_MAX) };
}

/* NaN becomes 0, and the clamp then moves 0 to the point nearest to it.
 *
 * Both products are exact when |x| / 2^grid >= 1: scaling up cannot overflow
 * (the end is at most 2^62) and scaling down stays normal. Otherwise rounding
 * among subnormals cannot bring a value up to 1, and it truncates to 0. */
static inline int64_t to_grid(double x, const dusk_fixed_map *map)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= (0 - (uint64_t)(x == x)) | map->nan_keeps;
    memcpy(&x, &bits, sizeof x);
    x = x > map->lower ? x : map->lower; /* maxsd and minsd: no branch */
    x = x < map->upper ? x : map->upper;
    return (int64_t)(x * map->scale[0] * map->scale[1]); /* toward zero */
}

int64_t dusk_fixed_round(double x, const dusk_fixed_clamp *clamp)
{
    dusk_fixed_map map = dusk_fixed_prepare(clamp);
    return to_grid(x, &map);
}

int64_t dusk_fixed_step(double x, const dusk_fixed_map *map) { return to_grid(x, map); }

dusk_int128 dusk_fixed_sum(const double *x, size_t n, const dusk_fixed_clamp *clamp)
{
    const dusk_fixed_map map = dusk_fixed_prepare(clamp);
    dusk_int128 total = 0;
    for (size_t i = 0; i < n; i++) total += to_grid(x[i], &map);
    return DUSK_MUTATE(FIXED_SUM_WRAPS, total, (int64_t)(uint64_t)total);
}

double dusk_fixed_value(dusk_int128 k, int grid)
{
    /* The conversion is to nearest; what it keeps is a multiple of 2^grid, so
     * that scaling is exact (grid >= -1074) or overflows. */
    return ldexp((double)k, grid);
}
