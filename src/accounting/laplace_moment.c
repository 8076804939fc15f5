/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of the privacy loss of Laplace noise, sampled or not. With e = 1/scale
 * and t from -e to e the exponent of the likelihood ratio exp(t) of Laplace laws
 * at distance 1, the ratio of the sampled law is r(t) = 1 + q (exp(t) - 1); the
 * base law has mass 1/2 at t = -e, exp(-e)/2 at t = e, and the density
 * exp(-(t+e)/2)/4 between. With
 *     phi_p(x) = x^p - 1 - p (x - 1) >= 0      (p > 1 or p < 0)
 * every moment is 1 plus an expectation of phi, because E[r] = 1: nothing
 * cancels. The middle part is a Gauss-Legendre sum on pieces, its error bounded
 * on a Bernstein ellipse; see laplace_moment.proof.md. */
#include <float.h>

#include "accounting/bound.h"
#include "accounting/pair_moment.h"
#include "base/mutant.h"
#include "numeric/gauss_legendre.h"

#define PIECES_MAX 4000.0
#define LARGE 300.0 /* exponents beyond are bounded by the largest loss */

/* phi_p(u) as a function of t, where u = r(t) / least. */
typedef struct integrand {
    double e, q, p;
    double least; /* 1, or r(-e): then `relative` */
    bool relative;
} integrand;

/* A value and how far it may be off. */
typedef struct value {
    double is, error;
} value;

/* phi_p(exp(l)) for an l that is right to 32 DUSK_ULP of itself. */
static value phi(double p, double l)
{
    double a = expm1(p * l), b = p * expm1(l), is = a - b;
    double size = fabs(p * l) * (fmax(1, a + 1) + fmax(1, exp(l)));
    return (value){ is > 0 ? is : 0, 64 * DUSK_ULP * size };
}

/* ln u at t, within 24 DUSK_ULP of itself. */
static double log_ratio(const integrand *f, double t)
{
    double q = f->q, more = f->relative ? q * exp(-f->e) * expm1(t + f->e) / f->least : q * expm1(t);
    if (fabs(more) < 0.5) return log1p(more);
    return log(((1 - q) + q * exp(t)) / f->least);
}

/* An upper bound of |phi_p(u)| on the ellipse with foci c - a and c + a: there
 * the real part of r is at least cos(short axis) times r at the real part. */
static double ellipse_bound(const integrand *f, double c, double a)
{
    double high = ((1 - f->q) + f->q * exp(c + DUSK_LONG_AXIS * a)) / f->least;
    double low = ((1 - f->q) + f->q * exp(c - DUSK_LONG_AXIS * a)) / f->least * cos(DUSK_SHORT_AXIS * a);
    double power = pow(f->p > 0 ? high : low, f->p);
    return 1.001 * (power + 1 + fabs(f->p) * (high + 1));
}

/* Add the integral of exp(-(t+e)/2)/4 phi_p(u(t)) over [c - a, c + a]. */
static void add_piece(value *sum, const integrand *f, double c, double a)
{
    value piece = { 0, 0 };
    double moved = 16 * DUSK_ULP * f->e; /* nodes are that near to where they should be */
    for (int i = 0; i < 2 * DUSK_NODES; i++) {
        double t = c + (i % 2 ? a : -a) * dusk_gauss_legendre[i / 2][0], l = log_ratio(f, t);
        double w = dusk_gauss_legendre[i / 2][1] * exp(-(t + f->e) / 2) / 4;
        double slope = fabs(f->p) * (exp((f->p - 1) * l) + 1) * f->q * exp(t) / f->least;
        value v = phi(f->p, l);
        piece.is += w * v.is;
        piece.error += w * (v.error + moved * (slope + v.is) + 64 * DUSK_ULP * v.is * (1 + f->e));
    }
    double bound = ellipse_bound(f, c, a) * exp(-(c - DUSK_LONG_AXIS * a + f->e) / 2) / 4;
    double curved = 4 * moved * moved * bound / (a * a);
    sum->is += a * piece.is;
    sum->error += a * (piece.error * 1.001 + DUSK_LEGENDRE_ERROR * bound + curved);
}

static double pieces_of(const integrand *f, double from)
{
    double most = 4 / (fabs(f->p) + 1);
    return ceil((f->e - from) / 2 / (most < 0.55 ? most : 0.55));
}

/* E[phi_p(u); from < t]: the middle part and the atom at t = e. */
static void add_expectation(value *sum, const integrand *f, double from)
{
    double pieces = pieces_of(f, from), a = (f->e - from) / 2 / pieces, before = sum->is;
    for (double i = 0; i < pieces; i++) add_piece(sum, f, from + (2 * i + 1) * a, a);
    value v = phi(f->p, log_ratio(f, f->e));
    double mass = exp(-f->e) / 2;
    sum->is += mass * v.is;
    sum->error += mass * (v.error + 64 * DUSK_ULP * v.is) + (sum->is - before) * (pieces + 64) * DUSK_ULP;
}

/* The largest loss, rounded up. */
static double largest_loss(dusk_direction direction, double e, double q)
{
    double high = e < LARGE ? log1p(q * expm1(e)) : e;
    double low = log((1 - q) + q * exp(-e));
    if (e < LARGE && q * -expm1(-e) < 0.5) low = log1p(q * expm1(-e));
    double loss = direction == DUSK_REMOVE ? high : direction == DUSK_ADD ? -low : high - low;
    loss *= 1 + 16 * DUSK_ULP;
    return loss < 2 * e ? loss : 2 * e;
}

/* The moment minus 1 at exactly these e and q; false when it is too large. */
DUSK_PROVEN(sampled)
static bool sampled(value *out, const dusk_pair *pair, double e, double q, double s)
{
    bool replace = pair->direction == DUSK_REPLACE, both = replace || pair->folded;
    double least = (1 - q) + q * exp(-e), from = pair->folded ? 0 : -e;
    integrand plus = { e, q, s + 1, replace ? least : 1, replace }, minus = plus;
    minus.p = -s;
    bool up = both || pair->direction == DUSK_REMOVE, down = both || pair->direction == DUSK_ADD;
    *out = (value){ 0, 0 };
    if (!(e < LARGE && (s + 1) * largest_loss(DUSK_REPLACE, e, q) < 2 * LARGE)) return false;
    if (!(pieces_of(&plus, from) <= PIECES_MAX)) return false;
    if (up) add_expectation(out, &plus, from);
    if (down) add_expectation(out, &minus, from);
    if (!both) { /* the atom at t = -e */
        value v = phi(up ? plus.p : minus.p, log_ratio(&plus, -e));
        out->is += v.is / 2;
        out->error += v.error / 2;
    }
    if (replace) {
        out->is *= least;
        out->error *= least;
    }
    out->error += 64 * DUSK_ULP * out->is + DBL_MIN;
    return isfinite(out->is) && isfinite(out->error);
}

/* s e + ln(1 - s/(2s+1) (1 - exp(-(2s+1) e))) [Mironov 2017, Table II] */
static double plain(double e, double s, bool up)
{
    double n = 2 * s + 1, drop = up ? -dusk_expm1_up(-n * e * (1 - 4 * DUSK_ULP)) : -dusk_expm1_down(-n * e);
    double cut = s / n * drop * (up ? 1 - 8 * DUSK_ULP : 1 + 8 * DUSK_ULP);
    return up ? dusk_add_up(dusk_mul_up(s, e), dusk_log1p_up(-cut))
              : dusk_add_down(dusk_mul_down(s, e), dusk_log1p_down(-(cut < 0.5 ? cut : 0.5)));
}

static double moment(const dusk_pair *pair, double e, double q, double s, bool up)
{
    value m;
    if (q >= 1 && s * e > 0.5) return plain(e, s, up);
    if (sampled(&m, pair, e, q, s)) {
        double error = DUSK_MUTATE(LAPLACE_MOMENT_WITHOUT_ERROR, m.error, 0);
        return up ? dusk_log1p_up(dusk_add_up(m.is, error)) : dusk_log1p_down(fmax(0, m.is - error));
    }
    return up ? INFINITY : 0;
}

double dusk_laplace_largest_loss(const dusk_pair *pair)
{
    double e = dusk_div_up(1, pair->scale.lower);
    return pair->rate < 1 ? largest_loss(pair->direction, e, fmin(1, pair->rate * (1 + 6 * DUSK_ULP))) : e;
}

/* Both e and q make the law worse, so that their upper ends give the upper end. */
DUSK_PROVEN(dusk_laplace_log_moment)
dusk_bound dusk_laplace_log_moment(const dusk_pair *pair, double s)
{
    double e_down = dusk_div_down(1, pair->scale.upper), e_up = dusk_div_up(1, pair->scale.lower);
    double q_down = pair->rate, q_up = pair->rate;
    if (pair->rate < 1) {
        q_down *= 1 - 4 * DUSK_ULP;
        q_up = fmin(1, q_up * (1 + 6 * DUSK_ULP));
    }
    dusk_bound k = { moment(pair, e_down, q_down, s, false), moment(pair, e_up, q_up, s, true) };
    double most = dusk_mul_up(s, dusk_laplace_largest_loss(pair));
    if (!(k.upper <= most)) k.upper = most;
    if (k.lower > k.upper) k.lower = k.upper;
    return k;
}
