/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of a probability from a count [Clopper & Pearson 1934, Biometrika 26, 404-413]:
 * with k hits in n trials the lower one is the x with P(Bin(n, x) >= k) = error, the upper
 * one that with P(Bin(n, x) <= k) = error. Both tails are incomplete beta functions, which
 * are computed in double; what is returned lies on the safe side by more than their error,
 * and is looked at once more at the end.
 *
 * More than 2^40 trials are more than the incomplete beta function is known to be right
 * for: then, and for numbers that make no sense, the bounds are 0 and 1, which always hold. */
#include <math.h>

#include "base/mutant.h"
#include "base/platform.h"
#include "dusk/audit_mechanisms.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

#define MOST_TRIALS (UINT64_C(1) << 40)
/* Smaller errors are below what the incomplete beta function can say. */
#define LEAST_ERROR 1e-280
/* Relative room for the error of a tail: a thousand times what is stated. */
#define ROOM 1e-7

/* x^(1/n), rounded down; 0 < x < 1. */
static double root_down(double x, uint64_t n)
{
    return dusk_exp_down(dusk_div_down(dusk_log_down(x), (double)n));
}

/* The largest x found for which P(Bin(n, x) >= k) = I_x(k, n-k+1) is at most `error` for
 * certain; 0 < k < n. */
DUSK_PROVEN(tail_root_down)
static double tail_root_down(uint64_t k, uint64_t n, double error)
{
    double a = (double)k, b = (double)(n - k + 1), aim = error * (1 - 2 * ROOM);
    double x = dusk_beta_inc_inv(a, b, aim);
    for (double step = 0x1p-50; step < 1; step *= 2) {
        if (x > 0 && x < 1 && dusk_beta_inc(a, b, x) <= error * (1 - ROOM)) return x;
        x *= 1 - step;
    }
    return 0;
}

static bool makes_sense(uint64_t hits, uint64_t trials, double error)
{
    return hits <= trials && trials > 0 && trials <= MOST_TRIALS && error >= LEAST_ERROR && error < 1;
}

DUSK_PROVEN(dusk_clopper_pearson_down)
double dusk_clopper_pearson_down(uint64_t hits, uint64_t trials, double error)
{
    if (!makes_sense(hits, trials, error) || hits == 0) return 0;
    if (hits == trials) return root_down(error, trials);
    return tail_root_down(DUSK_MUTATE(AUDIT_WRONG_TAIL, hits, hits + 1), trials, error);
}

DUSK_PROVEN(dusk_clopper_pearson_up)
double dusk_clopper_pearson_up(uint64_t hits, uint64_t trials, double error)
{
    if (!makes_sense(hits, trials, error) || hits == trials) return 1;
    uint64_t misses = trials - hits;
    return dusk_sub_up(1, hits == 0 ? root_down(error, trials) : tail_root_down(misses, trials, error));
}
