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

int64_t dusk_fixed_round(double x, const dusk_fixed_clamp *clamp)
{
    dusk_fixed_map map = dusk_fixed_prepare(clamp);
    return dusk_fixed_step(x, &map);
}

dusk_int128 dusk_fixed_sum(const double *x, size_t n, const dusk_fixed_clamp *clamp)
{
    const dusk_fixed_map map = dusk_fixed_prepare(clamp);
    dusk_int128 total = 0;
    for (size_t i = 0; i < n; i++) total += dusk_fixed_step(x[i], &map);
    return DUSK_MUTATE(FIXED_SUM_WRAPS, total, (int64_t)(uint64_t)total);
}

double dusk_fixed_value(dusk_int128 k, int grid)
{
    /* The conversion is to nearest; what it keeps is a multiple of 2^grid, so
     * that scaling is exact (grid >= -1074) or overflows. */
    return ldexp((double)k, grid);
}
