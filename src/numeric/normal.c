/* SPDX-License-Identifier: Apache-2.0 */
/* The standard normal distribution, from libm's erf and erfc.
 *
 * P(Z > x) = erfc(x / sqrt 2) / 2, but rounding x / sqrt 2 alone costs x^2
 * units in the last place: 1e-13 at a tail of 1e-300. The quotient is
 * therefore kept in two doubles, and the low one enters through the
 * logarithmic derivative of erfc. Quantiles are found by Halley steps on the
 * logarithm of the tail, or on erf near the median, where x is small and the
 * tail says little about it.
 *
 * Only the _up and _down functions are bounds; they go through MPFR. */
#include <float.h>
#include <math.h>
#include <mpfr.h>

#include "base/mutant.h"
#include "numeric/special.h"

#define SQRT_HALF 0x1.6a09e667f3bcdp-1 /* 1 / sqrt 2, and what is left of it */
#define SQRT_HALF_LOW (-0x1.bdd3413b26456p-55)
#define LOG_SQRT_2PI 0.91893853320467274178
#define SQRT_2PI 2.50662827463100050242

/* --- tails ------------------------------------------------------------- */

/* -d ln erfc(z) / dz to about a tenth, which is enough for a correction
 * (Abramowitz & Stegun 7.1.13). */
static double erfc_decay(double z) { return z + sqrt(z * z + 4 / M_PI); }

double dusk_normal_sf(double x)
{
    if (!(fabs(x) < 1e8)) return 0.5 * erfc(x); /* 0, 1 or NaN */
    double z = x * SQRT_HALF;
    double low = fma(x, SQRT_HALF, -z) + x * SQRT_HALF_LOW;
    if (z > 2) low = DUSK_MUTATE(NORMAL_RESIDUAL_SIGN, low, -low);
    double tail = 0.5 * erfc(z);
    return tail - tail * (low * erfc_decay(z));
}

double dusk_normal_cdf(double x) { return dusk_normal_sf(-x); }

/* ln P(Z > x) for x >= 25 by the asymptotic series (A&S 26.2.12), where six
 * terms leave less than 1e-14 of a logarithm beyond 300. */
static double log_tail_far(double x)
{
    double w = 1 / (x * x);
    double series = -w * (1 - 3 * w * (1 - 5 * w * (1 - 7 * w * (1 - 9 * w * (1 - 11 * w)))));
    return -(0.5 * x) * x - (log(x) + LOG_SQRT_2PI - log1p(series));
}

double dusk_normal_log_sf(double x)
{
    if (x < 0) return log1p(-dusk_normal_sf(-x));
    return x < 25 ? log(dusk_normal_sf(x)) : log_tail_far(x);
}

/* --- quantiles --------------------------------------------------------- */

/* x with P(0 < Z < x) = q for 0 <= q <= 1/4, relative in x however small. */
static double central_quantile(double q)
{
    double v = 2 * M_PI * q * q;
    double x = SQRT_2PI * q * (1 + v * (1.0 / 6 + v * (7.0 / 120 + v * (127.0 / 5040))));
    for (int i = 0; i < 2; i++) { /* 3e-4 -> 1e-12 -> rounding */
        double excess = (0.5 * erf(x * SQRT_HALF) - q) * SQRT_2PI * exp(0.5 * x * x);
        x -= excess / (1 + 0.5 * x * excess);
    }
    return x;
}

/* x with P(Z > x) = p for 0 < p < 1/4. The start is A&S 26.2.23, within
 * 4.5e-4; two Halley steps on ln P(Z > x) leave rounding only. */
static double tail_quantile(double p)
{
    double log_p = log(p), t = sqrt(-2 * log_p);
    double x =
        t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 3; i++) {
        double log_tail = dusk_normal_log_sf(x);
        double hazard = exp(-0.5 * x * x - LOG_SQRT_2PI - log_tail);
        double step = (log_tail - log_p) / hazard;
        x += step / (1 + 0.5 * step * (hazard - x));
    }
    return x;
}

double dusk_normal_upper_quantile(double p)
{
    if (!(p >= 0 && p <= 1)) return NAN;
    if (p == 0) return INFINITY;
    if (p > 0.5) return -dusk_normal_upper_quantile(1 - p);         /* 1 - p is exact */
    return p < 0.25 ? tail_quantile(p) : central_quantile(0.5 - p); /* also exact */
}

double dusk_normal_quantile(double p) { return -dusk_normal_upper_quantile(p); }

/* --- bounds ------------------------------------------------------------ */

/* P(Z > x) for x >= 3 by the continued fraction of Laplace (DLMF 7.9.1),
 *     phi(x) / (x + 1/(x + 2/(x + 3/(x + ...)))),
 * cut after an even number of levels for an upper bound, an odd one for a
 * lower bound; the cut is about exp(-2 x sqrt(2 levels)) away. mpfr_erfc takes
 * ten to a hundred times longer for x in [6, 24]. */
static double tail_directed(double x, mpfr_rnd_t direction, mpfr_rnd_t opposite)
{
    MPFR_DECL_INIT(fraction, 128);
    MPFR_DECL_INIT(other, 128);
    unsigned levels = 2 * (unsigned)(230 / (x * x) + 12) + (direction == MPFR_RNDD);
    mpfr_set_d(fraction, x, MPFR_RNDN);
    for (unsigned k = levels; k > 0; k--) {
        mpfr_ui_div(fraction, k, fraction, MPFR_RNDN);
        mpfr_add_d(fraction, fraction, x, MPFR_RNDN);
    }
    /* Each of fewer than 128 levels added less than 2^-126 of relative error. */
    mpfr_div_2ui(other, fraction, 100, MPFR_RNDN);
    (direction == MPFR_RNDU ? mpfr_sub : mpfr_add)(fraction, fraction, other, opposite);

    mpfr_const_pi(other, opposite);
    mpfr_mul_2ui(other, other, 1, opposite);
    mpfr_sqrt(other, other, opposite);
    mpfr_mul(fraction, fraction, other, opposite);
    mpfr_set_d(other, x, MPFR_RNDN);
    mpfr_sqr(other, other, MPFR_RNDN); /* exact: 106 bits */
    mpfr_div_2ui(other, other, 1, MPFR_RNDN);
    mpfr_neg(other, other, MPFR_RNDN);
    mpfr_exp(other, other, direction);
    mpfr_div(other, other, fraction, direction);
    return mpfr_get_d(other, direction);
}

/* P(Z <= x) rounded in one direction throughout. erfc falls, so its argument
 * is rounded the other way. */
static double cdf_directed(double x, mpfr_rnd_t direction, mpfr_rnd_t opposite)
{
    if (x <= -3) return tail_directed(-x, direction, opposite);
    MPFR_DECL_INIT(wide, 96);
    MPFR_DECL_INIT(root, 96);
    mpfr_sqrt_ui(root, 2, x < 0 ? direction : opposite);
    mpfr_d_div(wide, -x, root, opposite);
    mpfr_erfc(wide, wide, direction);
    mpfr_div_2ui(wide, wide, 1, direction);
    return mpfr_get_d(wide, direction);
}

/* Beyond these the answer is known: P(Z < -40) < 2^-1074 and
 * P(Z > 9) < 2^-54. */
double dusk_normal_cdf_up(double x)
{
    if (x < -40) return isinf(x) ? 0.0 : DBL_TRUE_MIN;
    if (x > 9) return 1.0;
    if (isnan(x)) return x;
    return cdf_directed(x, DUSK_MUTATE(NORMAL_CDF_UP_IS_DOWN, MPFR_RNDU, MPFR_RNDD), MPFR_RNDD);
}

double dusk_normal_cdf_down(double x)
{
    if (x < -40) return 0.0;
    if (x > 9) return isinf(x) ? 1.0 : 1 - DBL_EPSILON / 2;
    if (isnan(x)) return x;
    return cdf_directed(x, MPFR_RNDD, MPFR_RNDU);
}
