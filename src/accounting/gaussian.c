/* SPDX-License-Identifier: Apache-2.0 */
/* The privacy curve of the Gaussian mechanism [Balle & Wang 2018, "Improving
 * the Gaussian mechanism for differential privacy", Theorem 8] and its two
 * inverses; beside it the classical noise of Dwork & Roth 2014. Symbols:
 *     h = 1/(2 sigma),  m = epsilon sigma,  x = m - h,  y = m + h,
 *     delta = Phi(-x) - e^epsilon Phi(-y) = phi(x) (M(x) - M(y)),
 * M being Mills' ratio, because e^epsilon phi(y) = phi(x). The second form has
 * no large factors; what cancels in M(x) - M(y) is paid for with precision.
 * Nothing here draws noise. */
#include "accounting/gaussian.h"

#include <math.h>

#include "accounting/inversion.h"
#include "accounting/mills_ratio.h"
#include "base/mutant.h"
#include "numeric/rounding.h"

#define BITS 160 /* wanted in delta, with room for the small losses */
#define REFINEMENTS 5

/* An enclosure of the curve at one point, and of its partial derivatives. */
typedef struct point {
    dusk_interval delta;
    dusk_interval by_epsilon;   /* -d delta / d epsilon  = phi(x) M(y)      */
    dusk_interval by_log_sigma; /* -d delta / d ln sigma = phi(x) / sigma   */
} point;

static void point_init(point *p, mpfr_prec_t precision)
{
    dusk_interval_init(&p->delta, precision);
    dusk_interval_init(&p->by_epsilon, precision);
    dusk_interval_init(&p->by_log_sigma, precision);
}

static void point_clear(point *p)
{
    dusk_interval_clear(&p->delta);
    dusk_interval_clear(&p->by_epsilon);
    dusk_interval_clear(&p->by_log_sigma);
}

/* Bits lost when M(x) - M(y) cancels (y - x = 1/sigma) and when x = m - h does. */
static mpfr_prec_t precision_for(double sigma, double epsilon)
{
    double y = epsilon * sigma + 0.5 / sigma;
    mpfr_prec_t lost = 0;
    if (sigma > 1) lost += ilogb(sigma);
    if (y > 1) lost += 2 * (mpfr_prec_t)ilogb(y);
    return BITS + lost;
}

DUSK_PROVEN(enclose)
static void enclose(point *p, double sigma, double epsilon)
{
    mpfr_prec_t precision = mpfr_get_prec(p->delta.lo);
    dusk_interval h, m, x, y;
    dusk_interval_init(&h, precision);
    dusk_interval_init(&m, precision);
    dusk_interval_init(&x, precision);
    dusk_interval_init(&y, precision);
    dusk_interval_set(&x, sigma);
    dusk_interval_set(&m, epsilon);
    dusk_interval_mul(&m, &m, &x);
    dusk_interval_set(&h, 0.5);
    dusk_interval_div(&h, &h, &x);
    dusk_interval_sub(&x, &m, &h);
    dusk_interval_add(&y, &m, &h);

    dusk_interval_scale(&p->by_log_sigma, &h, 1);
    dusk_normal_density(&m, &x);
    dusk_interval_mul(&p->by_log_sigma, &p->by_log_sigma, &m);
    dusk_mills_ratio(&x, &x);
    dusk_mills_ratio(&y, &y);
    dusk_interval_mul(&p->by_epsilon, &m, &y);
    dusk_interval_sub(&x, &x, &y);
    dusk_interval_mul(&p->delta, &m, &x);
    dusk_interval_clear(&h);
    dusk_interval_clear(&m);
    dusk_interval_clear(&x);
    dusk_interval_clear(&y);
}

/* hi - lo <= 2^-100 hi */
static bool is_tight(const dusk_interval *x)
{
    mpfr_t width;
    mpfr_init2(width, 64);
    mpfr_sub(width, x->hi, x->lo, MPFR_RNDU);
    bool tight =
        mpfr_zero_p(width) || (mpfr_sgn(x->lo) > 0 && mpfr_get_exp(width) < mpfr_get_exp(x->hi) - 100);
    mpfr_clear(width);
    return tight;
}

/* p is initialised here; requires dusk_far_tail(sigma, 1, epsilon) == 0. */
static void look(point *p, double sigma, double epsilon)
{
    mpfr_prec_t precision = precision_for(sigma, epsilon);
    for (int i = 0;; i++, precision *= 2) {
        point_init(p, precision);
        enclose(p, sigma, epsilon);
        /* A wide enclosure is still one: its upper end is only larger. */
        if (is_tight(&p->delta) || i == REFINEMENTS) return;
        point_clear(p);
    }
}

DUSK_PROVEN(dusk_gaussian_delta_up)
double dusk_gaussian_delta_up(double sigma, double epsilon)
{
    if (!(sigma > 0) || !(epsilon >= 0)) return 1;
    if (isinf(sigma) || isinf(epsilon)) return 0;
    int far = dusk_far_tail(sigma, 1, epsilon);
    if (far) return far > 0 ? DBL_TRUE_MIN : 1;
    point p;
    look(&p, sigma, epsilon);
    double delta = mpfr_get_d(p.delta.hi, DUSK_MUTATE(GAUSSIAN_DELTA_ROUNDS_DOWN, MPFR_RNDU, MPFR_RNDD));
    point_clear(&p);
    return delta < 1 ? delta : 1;
}

/* What is fixed while the other parameter moves. */
typedef struct target {
    double sigma, epsilon, delta;
} target;

/* A look, with Newton's step for ln delta along epsilon or ln sigma. */
static dusk_curve_point look_for_curve(double sigma, double epsilon, double delta, bool by_sigma)
{
    int far = dusk_far_tail(sigma, 1, epsilon);
    /* Far on the left delta is above every double below 1. */
    if (far) return (dusk_curve_point){ .excess = far > 0 ? -INFINITY : INFINITY, .step = NAN };
    point p;
    look(&p, sigma, epsilon);
    dusk_curve_point result = { .excess = dusk_curve_excess(p.delta.hi, delta) };
    dusk_interval *by = by_sigma ? &p.by_log_sigma : &p.by_epsilon;
    mpfr_div(by->lo, p.delta.hi, by->lo, MPFR_RNDN);
    result.step = result.excess * mpfr_get_d(by->lo, MPFR_RNDN);
    point_clear(&p);
    return result;
}

static dusk_curve_point along_epsilon(double epsilon, const void *context)
{
    const target *t = context;
    return look_for_curve(t->sigma, epsilon, t->delta, false);
}

static dusk_curve_point along_sigma(double sigma, const void *context)
{
    const target *t = context;
    return look_for_curve(sigma, t->epsilon, t->delta, true);
}

/* A z >= 0 with 1 - Phi(z) <= delta, but for rounding: e^(-z^2/2)/2 is above the tail. */
static double tail_point(double delta) { return delta < 0.5 ? sqrt(-2 * (log(delta) + M_LN2)) : 0; }

DUSK_PROVEN(dusk_gaussian_epsilon_up)
double dusk_gaussian_epsilon_up(double sigma, double delta)
{
    if (!(sigma > 0) || !(delta > 0)) return INFINITY;
    if (delta >= 1 || dusk_gaussian_delta_up(sigma, 0) <= delta) return 0;
    target t = { .sigma = sigma, .delta = delta };
    /* delta(epsilon) < 1 - Phi(x), so x = z is enough. */
    double start = (0.5 / sigma + tail_point(delta)) / sigma;
    return dusk_curve_invert(along_epsilon, &t, start, false);
}

DUSK_PROVEN(dusk_gaussian_sigma_up)
double dusk_gaussian_sigma_up(double epsilon, double delta)
{
    if (!(epsilon >= 0) || !(delta > 0)) return INFINITY;
    if (delta >= 1) return DBL_TRUE_MIN;
    target t = { .epsilon = epsilon, .delta = delta };
    /* Two points that are enough: epsilon sigma - 1/(2 sigma) = z, and
     * delta(0) <= 1/(sigma sqrt(2 pi)). */
    double z = tail_point(delta);
    double start = (z + sqrt(z * z + 2 * epsilon)) / (2 * epsilon), other = 0.4 / delta;
    double sigma = dusk_curve_invert(along_sigma, &t, start < other ? start : other, true);
    return DUSK_MUTATE(GAUSSIAN_SIGMA_NOT_CERTIFIED, sigma, sigma * (1 - 0x1p-40));
}

DUSK_PROVEN(dusk_gaussian_classical_sigma_up)
double dusk_gaussian_classical_sigma_up(double epsilon, double delta)
{
    /* ln 1.25 - ln delta: the quotient itself could overflow. */
    double log_ratio = dusk_sub_up(dusk_log_up(1.25), dusk_log_down(delta));
    return dusk_div_up(dusk_sqrt_up(2 * log_ratio), epsilon);
}
