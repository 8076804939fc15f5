/* SPDX-License-Identifier: Apache-2.0 */
/* The privacy curve of the discrete Gaussian mechanism [Canonne, Kamath &
 * Steinke 2020, "The discrete Gaussian for differential privacy", Theorem 7]
 * and its inverses. Symbols: s the sensitivity, Y the noise,
 *     t = floor(epsilon sigma^2 / s - s/2) + 1,
 *     delta = P[Y >= t] - e^epsilon P[Y >= t + s].
 * Tails are written P[Y >= t] = e^(-t^2/(2 sigma^2)) R(t) / Z with
 *     R(t) = sum over j >= 0 of exp(-((t+j)^2 - t^2) / (2 sigma^2)),
 * so that nothing overflows. R is a plain sum for small sigma and an
 * Euler-Maclaurin sum with a proven remainder for large sigma: the curve is
 * tight at every sigma and costs the same. Nothing here draws noise. */
#include <math.h>
#include <stdbool.h>

#include "accounting/gaussian.h"
#include "accounting/inversion.h"
#include "accounting/mills_ratio.h"
#include "base/mutant.h"

#define SMOOTH 32.0   /* from this sigma on, Euler-Maclaurin */
#define POISSON 16.0  /* from this sigma on, Z by Poisson summation */
#define BITS 128      /* wanted in delta, with room for the small losses */
#define REFINEMENTS 5 /* doublings of the precision */
#define CORRECTIONS_MAX 1000

/* An enclosure of the curve at one point. */
typedef struct point {
    dusk_interval delta;
    dusk_interval by_epsilon; /* -d delta / d epsilon = e^epsilon P[Y >= t + s] */
} point;

/* The parameters at working precision. */
typedef struct law {
    mpfr_prec_t precision;
    double sigma;
    dusk_interval twice; /* 2 sigma^2 */
    dusk_interval total; /* Z = sum over all k of exp(-k^2/(2 sigma^2)) */
} law;

/* k^2 / (2 sigma^2) */
static void exponent(dusk_interval *out, const law *y, const mpfr_t k)
{
    mpfr_sqr(out->lo, k, MPFR_RNDD);
    mpfr_sqr(out->hi, k, MPFR_RNDU);
    dusk_interval_div(out, out, &y->twice);
}

/* R(t) for t >= 1 term by term. Each term is the last one times a ratio that
 * itself shrinks by e^(-1/sigma^2); what is left after the last term is at most
 * a geometric series. */
DUSK_PROVEN(sum_directly)
static void sum_directly(dusk_interval *out, const law *y, const mpfr_t t)
{
    dusk_interval term, ratio, shrink;
    dusk_interval_init(&term, y->precision);
    dusk_interval_init(&ratio, y->precision);
    dusk_interval_init(&shrink, y->precision);
    mpfr_mul_2ui(ratio.lo, t, 1, MPFR_RNDD);
    mpfr_add_ui(ratio.lo, ratio.lo, 1, MPFR_RNDD);
    mpfr_mul_2ui(ratio.hi, t, 1, MPFR_RNDU);
    mpfr_add_ui(ratio.hi, ratio.hi, 1, MPFR_RNDU);
    dusk_interval_div(&ratio, &ratio, &y->twice);
    dusk_interval_neg(&ratio, &ratio);
    dusk_interval_exp(&ratio, &ratio);
    dusk_interval_set(&shrink, -2);
    dusk_interval_div(&shrink, &shrink, &y->twice);
    dusk_interval_exp(&shrink, &shrink);
    dusk_interval_set(&term, 1);
    dusk_interval_set(out, 0);
    while (mpfr_sgn(term.hi) > 0 && mpfr_get_exp(term.hi) > -(mpfr_exp_t)y->precision) {
        dusk_interval_add(out, out, &term);
        mpfr_mul(term.lo, term.lo, ratio.lo, MPFR_RNDD);
        mpfr_mul(term.hi, term.hi, ratio.hi, MPFR_RNDU);
        mpfr_mul(ratio.lo, ratio.lo, shrink.lo, MPFR_RNDD);
        mpfr_mul(ratio.hi, ratio.hi, shrink.hi, MPFR_RNDU);
    }
    mpfr_ui_sub(ratio.lo, 1, ratio.hi, MPFR_RNDD);
    mpfr_div(term.hi, term.hi, ratio.lo, MPFR_RNDU);
    mpfr_add(out->hi, out->hi, term.hi, MPFR_RNDU);
    dusk_interval_clear(&term);
    dusk_interval_clear(&ratio);
    dusk_interval_clear(&shrink);
}

/* Add [-r, r] for an upper bound r. */
static void widen(dusk_interval *x, const mpfr_t r)
{
    mpfr_sub(x->lo, x->lo, r, MPFR_RNDD);
    mpfr_add(x->hi, x->hi, r, MPFR_RNDU);
}

static bool is_negligible(const mpfr_t r, mpfr_prec_t precision)
{
    return mpfr_zero_p(r) || (mpfr_number_p(r) && mpfr_get_exp(r) < -(mpfr_exp_t)precision);
}

/* What the Euler-Maclaurin sum walks along: with w = 1/(2 pi sigma), z = t/sigma,
 * odd = w^(2i-1) He_(2i-1)(z), even = w^(2i-2) He_(2i-2)(z), He being Hermite's
 * polynomials (e^(-x^2/2) differentiated n times is (-1)^n He_n(x) e^(-x^2/2)). */
typedef struct hermite {
    dusk_interval even, odd;
    dusk_interval zw, ww; /* z w and w^2 */
    dusk_interval scratch;
} hermite;

static void hermite_init(hermite *h, const law *y, const dusk_interval *z)
{
    dusk_interval_init(&h->even, y->precision);
    dusk_interval_init(&h->odd, y->precision);
    dusk_interval_init(&h->zw, y->precision);
    dusk_interval_init(&h->ww, y->precision);
    dusk_interval_init(&h->scratch, y->precision);
    dusk_interval_set(&h->even, 1);
    mpfr_const_pi(h->ww.lo, MPFR_RNDD);
    mpfr_const_pi(h->ww.hi, MPFR_RNDU);
    dusk_interval_scale(&h->ww, &h->ww, 1);
    dusk_interval_set(&h->zw, y->sigma);
    dusk_interval_mul(&h->ww, &h->ww, &h->zw);
    dusk_interval_div(&h->ww, &h->even, &h->ww); /* w */
    dusk_interval_mul(&h->zw, z, &h->ww);
    dusk_interval_mul(&h->ww, &h->ww, &h->ww);
    mpfr_set(h->odd.lo, h->zw.lo, MPFR_RNDD);
    mpfr_set(h->odd.hi, h->zw.hi, MPFR_RNDU);
}

static void hermite_clear(hermite *h)
{
    dusk_interval_clear(&h->even);
    dusk_interval_clear(&h->odd);
    dusk_interval_clear(&h->zw);
    dusk_interval_clear(&h->ww);
    dusk_interval_clear(&h->scratch);
}

/* old = zw latest - n ww old: one step of He_(n+1) = z He_n - n He_(n-1). */
static void hermite_step(hermite *h, dusk_interval *old, const dusk_interval *latest, unsigned n)
{
    dusk_interval_set(&h->scratch, n);
    dusk_interval_mul(old, old, &h->scratch);
    dusk_interval_mul(old, old, &h->ww);
    dusk_interval_mul(&h->scratch, &h->zw, latest);
    dusk_interval_sub(old, &h->scratch, old);
}

/* The i-th correction of R without its sign: 2 zeta(2i)/(2 pi)^(2i) times the
 * (2i-1)-th derivative, which is zeta(2i) odd / pi. */
static void correction(dusk_interval *out, hermite *h, unsigned i)
{
    mpfr_zeta_ui(out->lo, 2 * i, MPFR_RNDD);
    mpfr_set(out->hi, out->lo, MPFR_RNDU);
    mpfr_nextabove(out->hi); /* zeta is correctly rounded */
    mpfr_const_pi(h->scratch.lo, MPFR_RNDD);
    mpfr_const_pi(h->scratch.hi, MPFR_RNDU);
    dusk_interval_div(out, out, &h->scratch);
    dusk_interval_mul(out, out, &h->odd);
}

/* out = sigma M(z) + 1/2, and *loose = 6.5 sigma e^(z^2/4) rounded up. */
static void smooth_start(dusk_interval *out, mpfr_t loose, const law *y, const dusk_interval *z)
{
    dusk_interval constant;
    dusk_interval_init(&constant, y->precision);
    mpfr_sqr(loose, z->hi, MPFR_RNDU);
    mpfr_div_2ui(loose, loose, 2, MPFR_RNDU);
    mpfr_exp(loose, loose, MPFR_RNDU);
    mpfr_mul_d(loose, loose, 6.5, MPFR_RNDU);
    mpfr_mul_d(loose, loose, y->sigma, MPFR_RNDU);
    dusk_mills_ratio(out, z);
    dusk_interval_set(&constant, y->sigma);
    dusk_interval_mul(out, out, &constant);
    dusk_interval_set(&constant, 0.5);
    dusk_interval_add(out, out, &constant);
    dusk_interval_clear(&constant);
}

/* R(t) for t >= 1 by Euler-Maclaurin: sigma M(z) + 1/2 + corrections with signs
 * +, -, +, ... After n corrections the remainder is at most 2 zeta(2n)/(2 pi)^(2n)
 * times the integral of |g^(2n)|, g(x) = exp(-((t+x)^2 - t^2)/(2 sigma^2)):
 *   - if z^2 >= 8n + 2, He_(2n) has no zero beyond z, the integral is
 *     |g^(2n-1)(0)|, and the bound is the size of the last correction;
 *   - always, by Cramer's |He_k(x)| <= 1.0865 sqrt(k!) e^(x^2/4), it is at most
 *     6.5 sigma e^(z^2/4) sqrt((2n)!) w^(2n), kept in `loose`. */
DUSK_PROVEN(sum_smoothly)
static void sum_smoothly(dusk_interval *out, const law *y, const mpfr_t t)
{
    dusk_interval z, term;
    hermite h;
    mpfr_t loose;
    dusk_interval_init(&z, y->precision);
    dusk_interval_init(&term, y->precision);
    mpfr_init2(loose, y->precision);
    mpfr_div_d(z.lo, t, y->sigma, MPFR_RNDD);
    mpfr_div_d(z.hi, t, y->sigma, MPFR_RNDU);
    double z_down = mpfr_get_d(z.lo, MPFR_RNDD);
    hermite_init(&h, y, &z);
    smooth_start(out, loose, y, &z);
    for (unsigned i = 1;; i++) {
        correction(&term, &h, i);
        if (i % 2)
            dusk_interval_add(out, out, &term);
        else
            dusk_interval_sub(out, out, &term);
        mpfr_mul_ui(loose, loose, 2 * i, MPFR_RNDU); /* sqrt(2i (2i-1)) <= 2i */
        mpfr_mul(loose, loose, h.ww.hi, MPFR_RNDU);
        bool last = is_negligible(loose, y->precision) || i == CORRECTIONS_MAX;
        bool last_steady = z_down * z_down > 8 * i + 3 && is_negligible(term.hi, y->precision);
        if (last || last_steady) {
            widen(out, last ? loose : term.hi);
            break;
        }
        hermite_step(&h, &h.even, &h.odd, 2 * i - 1);
        hermite_step(&h, &h.odd, &h.even, 2 * i);
    }
    hermite_clear(&h);
    mpfr_clear(loose);
    dusk_interval_clear(&z);
    dusk_interval_clear(&term);
}

/* R(t), t >= 1. From t = 2 sigma^2 on a term is at most e^-2 of the one before:
 * the plain sum is short. */
static void ratio(dusk_interval *out, const law *y, const mpfr_t t)
{
    if (y->sigma < SMOOTH || mpfr_greaterequal_p(t, y->twice.lo))
        sum_directly(out, y, t);
    else
        sum_smoothly(out, y, t);
}

/* Z: from R(1) for small sigma; else sigma sqrt(2 pi) (1 + 2 e^(-2 pi^2 sigma^2) + ...)
 * by Poisson summation, where all but the first term is below 2^-7000. */
DUSK_PROVEN(law_total)
static void law_total(law *y)
{
    mpfr_t one;
    mpfr_init2(one, y->precision);
    mpfr_set_ui(one, 1, MPFR_RNDN);
    if (y->sigma < POISSON) {
        dusk_interval weight;
        dusk_interval_init(&weight, y->precision);
        exponent(&weight, y, one);
        dusk_interval_neg(&weight, &weight);
        dusk_interval_exp(&weight, &weight);
        ratio(&y->total, y, one);
        dusk_interval_mul(&y->total, &y->total, &weight);
        dusk_interval_scale(&y->total, &y->total, 1);
        dusk_interval_set(&weight, 1);
        dusk_interval_add(&y->total, &y->total, &weight);
        dusk_interval_clear(&weight);
    } else {
        mpfr_const_pi(y->total.lo, MPFR_RNDD);
        mpfr_const_pi(y->total.hi, MPFR_RNDU);
        dusk_interval_mul(&y->total, &y->total, &y->twice);
        mpfr_sqrt(y->total.lo, y->total.lo, MPFR_RNDD);
        mpfr_sqrt(y->total.hi, y->total.hi, MPFR_RNDU);
        mpfr_set_ui_2exp(one, 1, -7000, MPFR_RNDU);
        mpfr_add_ui(one, one, 1, MPFR_RNDU);
        mpfr_mul(y->total.hi, y->total.hi, one, MPFR_RNDU);
    }
    mpfr_clear(one);
}

static void law_init(law *y, double sigma, mpfr_prec_t precision)
{
    y->precision = precision;
    y->sigma = sigma;
    dusk_interval_init(&y->twice, precision);
    dusk_interval_init(&y->total, precision);
    dusk_interval_set(&y->twice, sigma);
    dusk_interval_mul(&y->twice, &y->twice, &y->twice);
    dusk_interval_scale(&y->twice, &y->twice, 1);
    law_total(y);
}

static void law_clear(law *y)
{
    dusk_interval_clear(&y->twice);
    dusk_interval_clear(&y->total);
}

/* e^gain P[Y >= k] for k >= 1; gain - k^2/(2 sigma^2) stays near or below 0. */
static void tail(dusk_interval *out, const law *y, const mpfr_t k, double gain)
{
    dusk_interval weight;
    dusk_interval_init(&weight, y->precision);
    exponent(&weight, y, k);
    dusk_interval_set(out, gain);
    dusk_interval_sub(&weight, out, &weight);
    dusk_interval_exp(&weight, &weight);
    ratio(out, y, k);
    dusk_interval_mul(out, out, &weight);
    dusk_interval_div(out, out, &y->total);
    dusk_interval_clear(&weight);
}

/* t, exactly: the precision grows until both ends have the same floor, which
 * it has below 8700 bits, epsilon sigma^2/s - s/2 being a fraction of bounded size. */
DUSK_PROVEN(find_threshold)
static void find_threshold(mpfr_t t, double sigma, uint64_t sensitivity, double epsilon)
{
    bool decided = false;
    for (mpfr_prec_t precision = mpfr_get_prec(t); !decided; precision *= 2) {
        dusk_interval edge, s;
        dusk_interval_init(&edge, precision);
        dusk_interval_init(&s, precision);
        dusk_interval_set(&s, sigma);
        dusk_interval_mul(&s, &s, &s);
        dusk_interval_set(&edge, epsilon);
        dusk_interval_mul(&edge, &edge, &s);
        dusk_interval_set_int(&s, (dusk_int128)sensitivity);
        dusk_interval_div(&edge, &edge, &s);
        dusk_interval_scale(&s, &s, -1);
        dusk_interval_sub(&edge, &edge, &s);
        mpfr_floor(edge.lo, edge.lo);
        mpfr_floor(edge.hi, edge.hi);
        decided = mpfr_equal_p(edge.lo, edge.hi);
        mpfr_add_ui(t, edge.lo, DUSK_MUTATE(DISCRETE_GAUSSIAN_SHIFT, 1u, 2u), MPFR_RNDD);
        dusk_interval_clear(&edge);
        dusk_interval_clear(&s);
    }
}

DUSK_PROVEN(enclose)
static void enclose(point *p, double sigma, uint64_t sensitivity, double epsilon, mpfr_prec_t precision)
{
    law y;
    mpfr_t t;
    dusk_interval_init(&p->delta, precision);
    dusk_interval_init(&p->by_epsilon, precision);
    mpfr_init2(t, precision);
    law_init(&y, sigma, precision);
    find_threshold(t, sigma, sensitivity, epsilon);
    if (mpfr_sgn(t) > 0) {
        tail(&p->delta, &y, t, 0);
    } else { /* P[Y >= t] = 1 - P[Y >= 1 - t] */
        mpfr_ui_sub(t, 1, t, MPFR_RNDN);
        tail(&p->delta, &y, t, 0);
        mpfr_ui_sub(t, 1, t, MPFR_RNDN);
        dusk_interval_set(&p->by_epsilon, 1);
        dusk_interval_sub(&p->delta, &p->by_epsilon, &p->delta);
    }
    /* exact: t and t + s have fewer bits than the precision */
    mpfr_add_ui(t, t, sensitivity, MPFR_RNDN);
    tail(&p->by_epsilon, &y, t, epsilon);
    dusk_interval_sub(&p->delta, &p->delta, &p->by_epsilon);
    mpfr_clear(t);
    law_clear(&y);
}

static void point_clear(point *p)
{
    dusk_interval_clear(&p->delta);
    dusk_interval_clear(&p->by_epsilon);
}

/* Whole numbers up to t + s must fit, and the differences cancel. */
static mpfr_prec_t precision_for(double sigma, uint64_t sensitivity, double epsilon)
{
    double y = epsilon / (double)sensitivity * sigma + 0.5 * (double)sensitivity / sigma;
    mpfr_prec_t lost = 0;
    if (sigma > 1) lost += ilogb(sigma);
    if (y > 1) lost += 2 * (mpfr_prec_t)ilogb(y);
    if (epsilon > 1) lost += ilogb(epsilon);
    return BITS + lost;
}

/* hi - lo <= 2^-80 hi */
static bool is_tight(const dusk_interval *x)
{
    mpfr_t width;
    mpfr_init2(width, 64);
    mpfr_sub(width, x->hi, x->lo, MPFR_RNDU);
    bool tight =
        mpfr_zero_p(width) || (mpfr_sgn(x->lo) > 0 && mpfr_get_exp(width) < mpfr_get_exp(x->hi) - 80);
    mpfr_clear(width);
    return tight;
}

static void look(point *p, double sigma, uint64_t sensitivity, double epsilon)
{
    mpfr_prec_t precision = precision_for(sigma, sensitivity, epsilon);
    for (int i = 0;; i++, precision *= 2) {
        enclose(p, sigma, sensitivity, epsilon, precision);
        /* A wide enclosure is still one: its upper end is only larger. */
        if (is_tight(&p->delta) || i == REFINEMENTS) return;
        point_clear(p);
    }
}

DUSK_PROVEN(dusk_discrete_gaussian_delta_up)
double dusk_discrete_gaussian_delta_up(double sigma, uint64_t sensitivity, double epsilon)
{
    if (sensitivity == 0) return 0;
    if (!(sigma > 0) || !(epsilon >= 0)) return 1;
    if (isinf(sigma) || isinf(epsilon)) return 0;
    int far = dusk_far_tail(sigma, sensitivity, epsilon);
    if (far) return far > 0 ? DBL_TRUE_MIN : 1;
    point p;
    look(&p, sigma, sensitivity, epsilon);
    double delta = mpfr_get_d(p.delta.hi, MPFR_RNDU);
    point_clear(&p);
    return delta < 1 ? delta : 1;
}

/* What is fixed while the other parameter moves. */
typedef struct target {
    double sigma, epsilon, delta;
    uint64_t sensitivity;
} target;

/* While t stays the same, delta = A - e^epsilon B. From the left that line in
 * e^epsilon is exact or falls short; from the right ln delta is the better line. */
static double epsilon_step(const point *p, double excess, double delta)
{
    mpfr_t step;
    mpfr_init2(step, mpfr_get_prec(p->delta.hi));
    if (excess > 0)
        mpfr_sub_d(step, p->delta.hi, delta, MPFR_RNDN);
    else
        mpfr_mul_d(step, p->delta.hi, excess, MPFR_RNDN);
    mpfr_div(step, step, p->by_epsilon.lo, MPFR_RNDN);
    if (excess > 0) mpfr_log1p(step, step, MPFR_RNDN);
    double result = mpfr_get_d(step, MPFR_RNDN);
    mpfr_clear(step);
    return result;
}

static dusk_curve_point along_epsilon(double epsilon, const void *context)
{
    const target *g = context;
    int far = dusk_far_tail(g->sigma, g->sensitivity, epsilon);
    if (far) return (dusk_curve_point){ .excess = far > 0 ? -INFINITY : INFINITY, .step = NAN };
    point p;
    look(&p, g->sigma, g->sensitivity, epsilon);
    dusk_curve_point result = { .excess = dusk_curve_excess(p.delta.hi, g->delta) };
    result.step = epsilon_step(&p, result.excess, g->delta);
    point_clear(&p);
    return result;
}

static dusk_curve_point along_sigma(double sigma, const void *context)
{
    const target *g = context;
    target at = { .sigma = sigma, .delta = g->delta, .sensitivity = g->sensitivity };
    dusk_curve_point result = along_epsilon(g->epsilon, &at);
    result.step = NAN; /* that one is along epsilon */
    return result;
}

DUSK_PROVEN(dusk_discrete_gaussian_epsilon_up)
double dusk_discrete_gaussian_epsilon_up(double sigma, uint64_t sensitivity, double delta)
{
    if (sensitivity == 0) return 0;
    if (!(sigma > 0) || !(delta > 0)) return INFINITY;
    if (delta >= 1 || dusk_discrete_gaussian_delta_up(sigma, sensitivity, 0) <= delta) return 0;
    target g = { .sigma = sigma, .delta = delta, .sensitivity = sensitivity };
    /* P[Y >= t] <= exp(-t^2/(2 sigma^2)): x = z sigma is enough. */
    double s = (double)sensitivity, z = sqrt(-2 * log(delta));
    return dusk_curve_invert(along_epsilon, &g, (0.5 * s / sigma + z) * s / sigma, false);
}

DUSK_PROVEN(dusk_discrete_gaussian_sigma_up)
double dusk_discrete_gaussian_sigma_up(uint64_t sensitivity, double epsilon, double delta)
{
    if (sensitivity == 0) return DBL_TRUE_MIN;
    if (!(epsilon >= 0) || !(delta > 0)) return INFINITY;
    if (delta >= 1) return DBL_TRUE_MIN;
    target g = { .epsilon = epsilon, .delta = delta, .sensitivity = sensitivity };
    double start = (double)sensitivity * dusk_gaussian_sigma_up(epsilon, delta);
    return dusk_curve_invert(along_sigma, &g, start, true);
}
