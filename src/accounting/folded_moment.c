/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of the privacy loss of Gaussian noise on samples without replacement: a folded MIXTURE of one shift. With mu = 1/sigma, the ratio of the sampled law
 * is r(t) = 1 + q (exp(t) - 1) at t of N(-mu^2/2, mu^2), and what is above 1 of a moment is
 *     E[(r^(s+1) - 1) (1 - r^-s); t > 0]:
 * no factor is negative, so nothing cancels. A Gauss-Legendre sum on pieces, its error bounded on a Bernstein ellipse, and the tail by a geometric
 * one; see folded_moment.proof.md. */
#include <float.h>
#include <math.h>

#include "accounting/bound.h"
#include "accounting/pair_moment.h"
#include "base/mutant.h"
#include "numeric/gauss_legendre.h"

#define PIECES_MAX 4000
#define LARGE 600.0 /* exponents beyond are for another bound */
#define ENOUGH 0x1p-46

/* The law at exactly this q, and the order. */
typedef struct folded {
    double s, q, variance; /* mu^2 */
} folded;

/* The integrand at t, and how far it may be off, relatively, when t is off by `moved`. */
static double integrand(const folded *f, double t, double moved, double *off)
{
    double grown = f->q * expm1(t), l = log1p(grown), from_mean = t + f->variance / 2;
    double z = from_mean * from_mean / (2 * f->variance);
    double log_off = (1 + t) / t * moved + 16 * DUSK_ULP;
    *off = (3 + (f->s + 1) * l) * log_off + from_mean / f->variance * moved + (16 * z + 64) * DUSK_ULP;
    return exp(-z) * expm1((f->s + 1) * l) * -expm1(-f->s * l);
}

/* An upper bound of the integrand on the ellipse with foci c - a and c + a. */
static double ellipse_bound(const folded *f, double c, double a)
{
    const double right = c + DUSK_LONG_AXIS * a, left = c - DUSK_LONG_AXIS * a, up = DUSK_SHORT_AXIS * a;
    const double high = fmax(1, 1 + f->q * expm1(right));
    const double low = fmin(1, ((1 - f->q) + f->q * exp(left)) * cos(up));
    const double apart = f->q * (exp(right) + 1), near = fmax(0, left + f->variance / 2);
    const double first = fmin(pow(high, f->s + 1) + 1, (f->s + 1) * apart * pow(high, f->s));
    const double second = fmin(pow(low, -f->s) + 1, f->s * apart * pow(low, -f->s - 1));
    return 1.001 * first * second * exp((up * up - near * near) / (2 * f->variance));
}

/* The integral over [c - a, c + a]; the error is added to *error. */
static double piece(double *error, const folded *f, double c, double a)
{
    double sum = 0, off;
    const double moved = 8 * DUSK_ULP * (c + a);
    for (int i = 0; i < 2 * DUSK_NODES; i++) {
        const double t = c + (i % 2 ? a : -a) * dusk_gauss_legendre[i / 2][0];
        const double is = a * dusk_gauss_legendre[i / 2][1] * integrand(f, t, moved, &off);
        sum += is;
        *error += is * off;
    }
    *error += a * DUSK_LEGENDRE_ERROR * ellipse_bound(f, c, a);
    return sum;
}

/* No more than what is beyond t > 0; +inf where that is not seen yet. */
static double tail(const folded *f, double t)
{
    const double from_mean = t + f->variance / 2, fall = from_mean / f->variance - (f->s + 1);
    const double log_value = (f->s + 1) * log1p(f->q * expm1(t)) - from_mean * from_mean / (2 * f->variance);
    return fall > 0x1p-20 * (f->s + 1) && log_value < LARGE ? 1.001 * exp(log_value) / fall : INFINITY;
}

/* The moment minus 1, and how far it may be off; false when it is too large, or there are too many pieces. */
DUSK_PROVEN(excess)
static bool excess(double *out, double *error, const folded *f)
{
    const double a = fmin(fmin(0.55, 4 / (f->s + 2)), sqrt(f->variance));
    double sum = 0, off = 0, beyond = INFINITY;
    for (int i = 0; i < PIECES_MAX; i++) {
        const double end = (2 * (double)i + 2) * a;
        if (!((f->s + 1) * log1p(f->q * expm1(end + 2 * a)) < LARGE && end < LARGE)) return false;
        sum += piece(&off, f, (2 * (double)i + 1) * a, a);
        beyond = tail(f, end);
        if (beyond <= ENOUGH * sum) break;
    }
    if (!(beyond <= ENOUGH * sum)) return false;
    const double norm = 1 / sqrt(2 * M_PI * f->variance);
    *out = norm * sum;
    *error = 1.01 * norm * (off + beyond + sum * (PIECES_MAX + 64) * DUSK_ULP) + DBL_MIN;
    return isfinite(*out) && isfinite(*error);
}

/* The moment grows with q and mu, whose upper ends give the upper end. */
DUSK_PROVEN(dusk_folded_log_moment)
dusk_bound dusk_folded_log_moment(const dusk_pair *pair, double s)
{
    const double sigma = pair->sigma, q = pair->weight[1];
    const folded above = { s, fmin(1, q * (1 + 6 * DUSK_ULP)), dusk_div_up(1, dusk_mul_down(sigma, sigma)) };
    const folded below = { s, q * (1 - 6 * DUSK_ULP), dusk_div_down(1, dusk_mul_up(sigma, sigma)) };
    dusk_bound k = { 0, INFINITY };
    double is, error;
    if (!(pair->shifts == 1 && s < 1e10 && below.variance >= DBL_MIN && above.variance < LARGE)) return k;
    if (excess(&is, &error, &above))
        k.upper = dusk_log1p_up(dusk_add_up(is, DUSK_MUTATE(FOLDED_MOMENT_WITHOUT_ERROR, error, -1e-9 * is)));
    if (excess(&is, &error, &below)) k.lower = dusk_log1p_down(fmax(0, is - error));
    return k;
}
