/* SPDX-License-Identifier: Apache-2.0 */
/* The density ratio of a Gaussian mixture, and the taper that cuts off its farthest
 * losses. A loss that nobody will ever see (x beyond 40 deviations, say) can still
 * rule a moment of high order; w(x) P has its moments without it. */
#include <math.h>

#include "accounting/mixture.h"
#include "numeric/special.h"

/* r(x) - 1 = sum_j w_j (e^y_j - 1), y_j = j (2 x - j) / (2 sigma^2). Weights are
 * off by 8 DUSK_UNIT, y by 6 DUSK_UNIT (|2 j x| + j^2) / (2 sigma^2), each term by 4 more roundings. */
DUSK_PROVEN(dusk_mixture_ratio_at)
dusk_mixture_ratio dusk_mixture_ratio_at(const dusk_pair *pair, double x)
{
    double variance2 = 2 * (pair->sigma * pair->sigma), J = (double)pair->shifts;
    double top = J * (2 * x - J) / variance2, low = (2 * x - 1) / variance2;
    double excess = 0, size = 0, blur = 0, slope = 0;
    if (top < low) top = low;
    double shift = top > 500 ? top : 0, scale = shift > 0 ? exp(-shift) : 1;
    for (size_t j = 1; j <= pair->shifts; j++) {
        double d = (double)j, y = d * (2 * x - d) / variance2;
        double e = shift > 0 ? exp(y - shift) : expm1(y), p = shift > 0 ? e : 1 + e;
        double w = pair->weight[j];
        excess += w * e;
        size += w * fabs(e);
        blur += w * p * (d * (2 * fabs(x) + d) / variance2 + fabs(shift));
        slope += w * p * d;
    }
    dusk_mixture_ratio out;
    if (shift > 0) { /* the rest of r is below e^-400 of it */
        out.log = shift + log(excess + scale);
        out.excess = INFINITY;
        out.error = DUSK_BLUR * (6 * DUSK_UNIT * blur / excess + (32 + J) * DUSK_UNIT + DUSK_LIBM * out.log +
                                 scale / excess);
        out.slope = 2 * slope / (excess * variance2);
        return out;
    }
    double r = 1 + excess;
    out.excess = excess;
    out.log = log1p(excess);
    out.error =
        DUSK_BLUR * ((6 * DUSK_UNIT * blur + (32 + J) * DUSK_UNIT * size) / r + DUSK_LIBM * fabs(out.log));
    out.slope = 2 * slope / (r * variance2);
    if (!(r > 0x1p-30)) out.error = INFINITY;
    return out;
}

void dusk_mixture_ratios(dusk_mixture_ratio *a, dusk_mixture_ratio *b, const dusk_pair *pair, double x)
{
    const dusk_mixture_ratio one = { 0 };
    *a = pair->direction == DUSK_ADD ? one : dusk_mixture_ratio_at(pair, x);
    *b = pair->direction == DUSK_REMOVE ? one
                                        : dusk_mixture_ratio_at(pair, pair->direction == DUSK_ADD ? x : -x);
}

dusk_mixture dusk_mixture_whole(const dusk_pair *pair) { return (dusk_mixture){ .pair = pair, .width = 0 }; }

/* What a taper at `at` takes away: under N(j, sigma^2) the mean of 1 - w(x) is
 * P(N(j, sigma^2 + width^2) > at). */
static double lost_at(const dusk_pair *pair, double at, double wider)
{
    double sum = dusk_normal_sf(at / wider);
    for (size_t j = 1; j <= pair->shifts; j++)
        sum += pair->weight[j] * dusk_normal_sf((at - (double)j) / wider);
    return sum;
}

DUSK_PROVEN(dusk_mixture_tapered)
dusk_mixture dusk_mixture_tapered(const dusk_pair *pair, double lost, double sharpness)
{
    dusk_mixture out = { .pair = pair, .width = pair->sigma / sharpness };
    double wider = sqrt(pair->sigma * pair->sigma + out.width * out.width);
    if (!(lost > 1e-290 && lost < 1e-3)) return dusk_mixture_whole(pair);
    double low = wider * dusk_normal_upper_quantile(lost), high = low + (double)pair->shifts;
    for (int i = 0; i < 12; i++) {
        double middle = low / 2 + high / 2;
        *(lost_at(pair, middle, wider) > lost ? &low : &high) = middle;
    }
    out.at = high;
    out.lost = 1.001 * lost_at(pair, high * (1 - 0x1p-46), wider);
    return out;
}

DUSK_PROVEN(dusk_mixture_log_taper)
double dusk_mixture_log_taper(const dusk_mixture *mixture, double x, double *error)
{
    double z = mixture->width > 0 ? (x - mixture->at) / mixture->width : -INFINITY;
    if (z < -12) { /* w is 1 to 2e-33 */
        *error = mixture->width > 0 ? 2e-33 : 0;
        return 0;
    }
    double log_w = dusk_normal_log_sf(z), hazard = z > 0 ? z + 1 : 1;
    *error = 0x1p-45 * fabs(log_w) + hazard * 4 * DUSK_UNIT * (fabs(x) + fabs(mixture->at)) / mixture->width;
    return log_w;
}
