/* SPDX-License-Identifier: Apache-2.0 */
/* How far a combination of independent noises strays. Gaussian: a normal tail, exactly.
 * Laplace, k weights of 1: the difference of two waiting times for k events, so that
 *     P(S > t) = sum_j C(k-1+j, j) 2^-(k+j) Q(k-j, t),  j = 0 .. k-1,
 * Q(i, t) being the upper tail of a gamma law of shape i. Other weights: the same with all
 * as large as the largest, or Chernoff's bound, whichever is less. The noise is within half a step of the ideal one
 * (discrete Laplace: within one), and so many steps come on top. Proof: stream_interval.proof.md.
 *
 * Tails are bounds; the quantile that follows is found by halving and is an upper bound. */
#include <math.h>

#include "base/mutant.h"
#include "mechanisms/stream.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

/* What the sums and exponents below may be off, many times over. */
static const double slack = 1 + 1e-9;

/* P(|S| > t) for k Laplace noises of scale 1. Positive terms only. */
DUSK_PROVEN(equal_laplace_tail)
static double equal_laplace_tail(unsigned k, double t)
{
    double gamma[2 * DUSK_TREE_LEVELS_MAX + 1], term = exp(-t), chance = ldexp(1, -(int)k), sum = 0;
    gamma[0] = 0; /* gamma[i] = Q(i, t) */
    for (unsigned i = 1; i <= k; i++) {
        gamma[i] = gamma[i - 1] + term;
        term *= t / i;
    }
    for (unsigned j = 0; j < k; j++) {
        sum += chance * gamma[k - j];
        chance *= 0.5 * (k + j) / (j + 1);
    }
    return 2 * sum * slack;
}

/* E exp(u w Z / w_max) <= (1 - u^2)^-(w / w_max)^2 for |w| <= w_max: -ln(1 - x) is convex. */
DUSK_PROVEN(laplace_tail)
static double laplace_tail(const dusk_combination *c, double t)
{
    double x = t / c->largest, a = c->squares / c->largest / c->largest;
    double u = x > 0 ? x / (a + sqrt(a * a + x * x)) : 0; /* any u in [0, 1) is sound, this one is best */
    return 2 * exp(-u * x - a * log1p(-u * u)) * slack;
}

/* Larger weights stray further, so that all may be taken for the largest. */
DUSK_PROVEN(ideal_tail)
static double ideal_tail(const dusk_combination *c, double t)
{
    double tail = laplace_tail(c, t);
    return c->count ? fmin(tail, equal_laplace_tail(c->count, t / c->largest)) : tail;
}

static double laplace_quantile(const dusk_combination *c, double p)
{
    double low = 0, high = 1;
    while (ideal_tail(c, high) > p) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < 50; i++) {
        double middle = low + (high - low) / 2;
        if (ideal_tail(c, middle) <= p)
            high = middle;
        else
            low = middle;
    }
    return high;
}

DUSK_PROVEN(dusk_combination_tail)
double dusk_combination_tail(const dusk_combination *c, dusk_noise_law law, double scale, double p)
{
    double rounding = law == DUSK_DISCRETE_LAPLACE ? c->sizes : c->sizes / 2, t;
    if (law == DUSK_GAUSSIAN) /* the margin of the quantile: special.h, and three roundings */
        t = dusk_mul_up(dusk_sqrt_up(DUSK_MUTATE(STREAM_INTERVAL_OF_ONE, c->squares, 1)),
                        dusk_normal_upper_quantile(p / 2) * (1 + 1e-12) + 1e-12);
    else
        t = laplace_quantile(c, p);
    return dusk_add_up(dusk_mul_up(scale, t), rounding);
}
