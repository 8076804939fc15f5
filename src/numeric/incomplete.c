/* SPDX-License-Identifier: Apache-2.0 */
/* Regularised incomplete gamma and beta functions.
 *
 * Each is a leading factor times a sum of order sqrt(a) (DLMF 8.7.1, 8.9.2;
 * for beta the even part of DLMF 8.17.22, as in Didonato & Morris, TOMS 708,
 * 1992). The factor x^a e^-x / Gamma(a+1) is a quotient of huge numbers; it is
 * computed from deviances k ln(k/m) + m - k, which are positive and small
 * where the answer is not (Loader 2000), with x - a and (a+b) x - a kept in
 * two doubles. The smaller tail, as seen from the mean, is always the one
 * computed; the other is 1 minus it.
 *
 * Time grows like sqrt(max(a, b)), about a millisecond at 1e9; no uniform
 * expansion is used. Not bounds. */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/mutant.h"
#include "numeric/special.h"

#define LOG_SQRT_2PI 0.91893853320467274178
#define TINY 1e-300 /* stands for a zero denominator (Lentz) */

enum { MAX_TERMS = 20000000 };

/* --- leading factors --------------------------------------------------- */

typedef struct two_doubles {
    double high, low;
} two_doubles;

static two_doubles two_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (two_doubles){ sum, (a - (sum - part)) + (b - part) };
}

/* lgamma would write the global signgam. */
static double log_gamma(double a)
{
    int sign;
    return lgamma_r(a, &sign);
}

/* ln Gamma(a+1) - ln(sqrt(2 pi a) (a/e)^a). */
static double stirling_error(double a)
{
    if (a < 10) return log_gamma(a + 1) - (a + 0.5) * log(a) + a - LOG_SQRT_2PI;
    static const double coefficient[] = { 1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                          1.0 / 1188, -691.0 / 360360, 1.0 / 156 };
    double w = 1 / (a * a), sum = 0;
    for (int i = 6; i >= 0; i--) sum = sum * w + coefficient[i];
    return sum / a;
}

/* u - ln(1+u) for -0.7 <= u <= 2, relative: with r = u / (2+u) it is
 * r u - 2 (r^3/3 + r^5/5 + ...). */
static double log1p_gap(double u)
{
    double r = u / (2 + u), w = r * r, power = 1, sum = 0;
    for (int k = 3; k < 80 && power > DBL_EPSILON / 4; k += 2) {
        sum += power / k;
        power *= w;
    }
    return r * (u - 2 * w * sum);
}

/* k ln(k/m) + m - k >= 0, where d = m - k is known better than m. */
static double deviance(double k, double m, two_doubles d)
{
    double u = d.high / k;
    if (u < -0.7) return d.high - k * log(m / k);
    if (u > 2) return d.high - k * log1p(u);
    double rest = fma(-u, k, d.high) + d.low; /* k times what u lacks */
    return k * log1p_gap(u) + rest * (u / (1 + u));
}

/* x^a e^-x / Gamma(a+1) */
static double gamma_factor(double a, double x)
{
    double exponent = deviance(a, x, two_sum(x, -a));
    return exp(-exponent) * (exp(-stirling_error(a)) / sqrt(2 * M_PI * a));
}

/* (a+b) x - a: where x lies from the mean of the beta distribution. */
static two_doubles beta_distance(double a, double b, double x)
{
    two_doubles n = two_sum(a, b);
    double product = n.high * x, product_low = fma(n.high, x, -product) + n.low * x;
    two_doubles d = two_sum(product, -a);
    return two_sum(d.high, d.low + product_low);
}

/* x^a (1-x)^b / B(a,b), with d = beta_distance(a, b, x). */
static double beta_factor(double a, double b, double x, two_doubles d)
{
    double n = a + b;
    /* 1 - x is needed only where it is exact: m is used when m < 0.3 k. */
    double exponent = deviance(a, n * x, d) + deviance(b, n * (1 - x), (two_doubles){ -d.high, -d.low });
    double error = stirling_error(n) - stirling_error(a) - stirling_error(b);
    return exp(-exponent) * (sqrt(a / n * (b / (2 * M_PI))) * exp(error));
}

/* --- continued fractions ----------------------------------------------- */

/* The modified Lentz method, one step at a time: b0 + a1/(b1 + a2/(b2 + ...)). */
typedef struct fraction {
    double value, c, d;
} fraction;

static fraction fraction_start(double b)
{
    double value = fabs(b) < TINY ? TINY : b;
    return (fraction){ value, value, 0 };
}

/* False when the step changed nothing any more. */
static bool fraction_step(fraction *f, double a, double b)
{
    f->d = b + a * f->d;
    f->c = b + a / f->c;
    if (fabs(f->d) < TINY) f->d = TINY;
    if (fabs(f->c) < TINY) f->c = TINY;
    f->d = 1 / f->d;
    double change = f->c * f->d;
    f->value *= change;
    return fabs(change - 1) > DBL_EPSILON;
}

/* --- gamma ------------------------------------------------------------- */

/* P(a, x) for x < max(a, 1): terms fall from the first. */
static double gamma_series(double a, double x)
{
    double sum = 1, term = 1;
    for (int i = 1; i < MAX_TERMS && term > sum * (DBL_EPSILON / 64); i++) {
        term *= x / (a + i);
        sum += term;
    }
    return sum * gamma_factor(a, x);
}

/* ln Gamma(1+a) for 0 < a < 1, relative: 1 + a drops digits of a, and the
 * slope at 1 (minus Euler's constant, plus a pi^2/6) gives them back. */
static double log_gamma_1p(double a)
{
    double one = 1 + a, dropped = a - (one - 1);
    return log_gamma(one) + dropped * (a * 1.645 - 0.577);
}

/* Q(a, x) for a, x < 1: 1 - x^a/Gamma(1+a) and the rest of P's alternating
 * series (Gautschi 1979), as P itself may be too close to 1. */
static double gamma_upper_small(double a, double x)
{
    double exponent = a * log(x) - log_gamma_1p(a), power = -1, sum = 0;
    for (int i = 1; fabs(power) > DBL_EPSILON / 64; i++) {
        power *= -x / i;
        sum += power / (a + i);
    }
    return a * exp(exponent) * sum - expm1(exponent);
}

/* Q(a, x) for x >= a, and x >= 1. */
static double gamma_fraction(double a, double x)
{
    double b = (x - a) + 1;
    fraction f = fraction_start(b);
    for (int i = 1; i < MAX_TERMS && fraction_step(&f, i * (a - i), b + 2.0 * i); i++) continue;
    return DUSK_MUTATE(GAMMA_Q_SHIFTED, a, a + 1) / f.value * gamma_factor(a, x);
}

/* The domain is a > 0, x >= 0. */
static bool gamma_at_end(double a, double x, double *p)
{
    *p = a > 0 && x >= 0 ? (x > 0 ? 1.0 : 0.0) : NAN;
    return !(a > 0 && x > 0 && isfinite(a) && isfinite(x));
}

double dusk_gamma_p(double a, double x)
{
    double p;
    if (gamma_at_end(a, x, &p)) return p;
    return x < fmax(a, 1) ? gamma_series(a, x) : 1 - gamma_fraction(a, x);
}

double dusk_gamma_q(double a, double x)
{
    double p;
    if (gamma_at_end(a, x, &p)) return 1 - p;
    if (x >= fmax(a, 1)) return gamma_fraction(a, x);
    return a < 1 ? gamma_upper_small(a, x) : 1 - gamma_series(a, x);
}

/* --- beta -------------------------------------------------------------- */

/* I_x(a,b) and its complement, with the density times x (1-x), which is the
 * leading factor. */
typedef struct beta_tails {
    double lower, upper, factor;
} beta_tails;

/* The continued fraction whose inverse multiplies the factor, for x below the
 * mean; `above` = a (1-x) - b x = -(distance from the mean). */
static double beta_fraction(double a, double b, double x, double above)
{
    fraction f = fraction_start(a * (above + 1) / (a + 1));
    bool more = true;
    for (int m = 1; m < MAX_TERMS && more; m++) {
        double e = a + 2.0 * m - 1, step = m * (b - m) * x / e;
        double numerator = (a + m - 1) * (a + b + m - 1) * x / e * step;
        double denominator = m + step + (a + m) * (above + 1 + m * (2 - x)) / (a + 2.0 * m + 1);
        more = fraction_step(&f, numerator, denominator);
    }
    return f.value;
}

/* Which tail to compute. Close to an end where the density is unbounded the
 * fraction of the far tail is long and loses digits; the near one is short,
 * and not so close to 1 there. */
static bool lower_first(double distance, double n, double x)
{
    double y = 1 - x;
    if (distance < 0) return !(n * y < 0.1 && y < 0.5);
    return n * x < 0.1 && x < 0.5;
}

static beta_tails beta_both(double a, double b, double x)
{
    two_doubles d = beta_distance(a, b, x);
    beta_tails t = { .factor = beta_factor(a, b, x, d) };
    if (lower_first(d.high, a + b, x)) {
        t.lower = t.factor / beta_fraction(a, b, x, -d.high);
        t.upper = 1 - t.lower;
    } else {
        t.upper = t.factor / beta_fraction(b, a, 1 - x, d.high);
        t.lower = 1 - t.upper;
    }
    return t;
}

static bool beta_domain(double a, double b, double x)
{
    return a > 0 && b > 0 && x >= 0 && x <= 1 && isfinite(a) && isfinite(b);
}

double dusk_beta_inc(double a, double b, double x)
{
    if (!beta_domain(a, b, x)) return NAN;
    if (x == 0 || x == 1) return x;
    return beta_both(a, b, x).lower;
}

/* --- inverse of beta --------------------------------------------------- */

/* x with x^a / (a B(a,b)) = p, in logarithms: right for small x. */
static double small_x_guess(double a, double b, double p)
{
    double log_beta = log_gamma(a) + log_gamma(b) - log_gamma(a + b);
    return exp((log(p) + log(a) + log_beta) / a);
}

/* A first x: the normal law when both parameters are large, else the power
 * law where it says something below the mean. 0: the answer underflows. */
static double first_guess(double a, double b, double p)
{
    double mean = a / (a + b);
    if (a > 30 && b > 30) {
        double z = dusk_normal_quantile(fmin(fmax(p, 1e-300), 1 - DBL_EPSILON));
        double x = mean + z * sqrt(mean * (b / (a + b)) / (a + b + 1));
        return x > 0 && x < 1 ? x : mean;
    }
    double x = small_x_guess(a, b, p);
    return x < mean ? x : mean;
}

/* Newton's step for ln x, on the logarithm of the tail that holds p. */
static double newton_step(const beta_tails *t, double x, double p, bool use_lower)
{
    double slope = t->factor / (1 - x);
    if (use_lower) return -log(t->lower / p) * t->lower / slope;
    return -log((1 - p) / t->upper) * t->upper / slope;
}

static double between(double low, double high)
{
    return low > 0 && high / low > 4 ? sqrt(low) * sqrt(high) : low + 0.5 * (high - low);
}

double dusk_beta_inc_inv(double a, double b, double p)
{
    if (!beta_domain(a, b, p)) return NAN;
    if (p == 0 || p == 1) return p;
    bool use_lower = p <= 0.5;
    double low = 0, high = 1, x = first_guess(a, b, p);
    for (int i = 0; i < 200 && x > 0; i++) {
        beta_tails t = beta_both(a, b, x);
        bool too_high = use_lower ? t.lower > p : t.upper < 1 - p;
        if (too_high)
            high = x;
        else
            low = x;
        double step = newton_step(&t, x, p, use_lower);
        double next = x * exp(step);
        if (fabs(step) < 1e-11 * (1 - x)) return next < 1 ? next : x; /* the error is its square */
        if (!(next > low && next < high)) next = between(low, high);
        if (next == x || next <= low || next >= high) return next;
        x = next;
    }
    return x;
}
