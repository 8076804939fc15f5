/* SPDX-License-Identifier: Apache-2.0 */
/* delta(eps) of one pair of Gaussian location mixtures,
 *     P = sum a_i N(c_i, sigma^2),   Q = sum b_k N(d_k, sigma^2).
 * For the three directions (ADD with its axis turned round) the loss increases
 * in x, so that delta is the largest value, over s, of
 *     f(s) = P(x > s) - e^eps Q(x > s),
 * taken where the loss is eps. A threshold is found in double, made better in
 * MPFR, and enclosed between s1 and s2 by the signs of loss - eps there: f(s1)
 * is a lower bound, and what f can gain from s1 to s2 is of second order. The
 * derivations are in pair_mixture.proof.md. */
#include <float.h>
#include <math.h>

#include "accounting/mixture_law.h"
#include "base/mutant.h"

#define BITS 128 /* of the first try; how many bits cancel is seen then */
#define REFINEMENTS 3
#define BRACKETS 8    /* tries to enclose the threshold */
#define SLACK 0x1p-50 /* of the weights */

/* -1: the loss is at most eps at s; 1: at least; 0: not decided. *gap: e^eps Q's
 * density less that of P. */
static int side_of(dusk_interval *gap, const dusk_mixture_law *m, const dusk_interval *s)
{
    dusk_interval q;
    dusk_interval_init(&q, m->precision);
    dusk_mixture_law_densities(gap, &q, m, s);
    dusk_interval_sub(gap, &q, gap);
    dusk_interval_clear(&q);
    if (mpfr_nan_p(gap->lo) || mpfr_nan_p(gap->hi)) return 0;
    return mpfr_sgn(gap->lo) >= 0 ? -1 : mpfr_sgn(gap->hi) <= 0 ? 1 : 0;
}

/* [s.lo, s.hi] around the guess so that the threshold is inside; *gap is that of
 * s.lo. False when that cannot be shown. */
DUSK_PROVEN(enclose_threshold)
static bool enclose_threshold(dusk_interval *s, dusk_interval *gap, const dusk_mixture_law *m,
                              const mpfr_t guess)
{
    dusk_interval at, other;
    mpfr_t width;
    bool found = false;
    dusk_interval_init(&at, m->precision);
    dusk_interval_init(&other, m->precision);
    mpfr_init2(width, m->precision);
    mpfr_abs(width, guess, MPFR_RNDU);
    mpfr_add_d(width, width, m->sigma, MPFR_RNDU);
    mpfr_div_2ui(width, width, (unsigned long)m->precision * 2 / 3, MPFR_RNDU);
    for (int i = 0; i < BRACKETS && !found; i++) {
        mpfr_sub(s->lo, guess, width, MPFR_RNDD);
        mpfr_add(s->hi, guess, width, MPFR_RNDU);
        mpfr_set(at.lo, s->lo, MPFR_RNDD);
        mpfr_set(at.hi, s->lo, MPFR_RNDU);
        found = side_of(gap, m, &at) < 0;
        mpfr_set(at.lo, s->hi, MPFR_RNDD);
        mpfr_set(at.hi, s->hi, MPFR_RNDU);
        found = found && side_of(&other, m, &at) > 0;
        mpfr_mul_2ui(width, width, 14, MPFR_RNDU);
    }
    mpfr_clear(width);
    dusk_interval_clear(&at);
    dusk_interval_clear(&other);
    return found;
}

/* Add what f gains between s.lo and the threshold at most: the width times the
 * largest e^eps Q - P there. That is a factor that falls times exp(-x^2/(2
 * sigma^2)), so at most the gap at s.lo times what this can grow. */
DUSK_PROVEN(add_gain)
static void add_gain(dusk_interval *f, const dusk_mixture_law *m, const dusk_interval *s,
                     const dusk_interval *gap)
{
    mpfr_t width, growth, size;
    mpfr_inits2(m->precision, width, growth, size, (mpfr_ptr)0);
    mpfr_sub(width, s->hi, s->lo, MPFR_RNDU);
    mpfr_mul(width, width, m->over.hi, MPFR_RNDU);
    mpfr_abs(size, s->lo, MPFR_RNDU);
    mpfr_abs(growth, s->hi, MPFR_RNDU);
    mpfr_add(growth, growth, size, MPFR_RNDU);
    mpfr_mul(growth, growth, m->over.hi, MPFR_RNDU);
    mpfr_mul(growth, growth, width, MPFR_RNDU);
    mpfr_div_2ui(growth, growth, 1, MPFR_RNDU);
    mpfr_exp(growth, growth, MPFR_RNDU);
    mpfr_mul(growth, growth, width, MPFR_RNDU); /* 1/sqrt(2 pi) < 1 */
    mpfr_mul(growth, growth, gap->hi, MPFR_RNDU);
    if (mpfr_nan_p(growth)) mpfr_set_inf(growth, 1);
    mpfr_add(f->hi, f->hi, growth, MPFR_RNDU);
    mpfr_clears(width, growth, size, (mpfr_ptr)0);
}

/* Whether P beyond the threshold is below every double. */
static bool is_far(const dusk_mixture_law *m)
{
    dusk_interval s, gap;
    dusk_interval_init(&s, m->precision);
    dusk_interval_init(&gap, m->precision);
    mpfr_set_d(s.hi, m->sigma, MPFR_RNDN);
    mpfr_mul_ui(s.hi, s.hi, DUSK_NORMAL_FAR, MPFR_RNDN);
    mpfr_add_d(s.hi, s.hi, m->furthest, MPFR_RNDU);
    mpfr_set(s.lo, s.hi, MPFR_RNDD);
    bool far = side_of(&gap, m, &s) < 0;
    dusk_interval_clear(&s);
    dusk_interval_clear(&gap);
    return far;
}

/* ADD: Q has at least the share weight[0] of P everywhere, so no loss is above
 * -ln weight[0]. True when eps is not below that; *cap >= delta. */
static bool is_beyond(double *cap, const dusk_mixture_law *m)
{
    dusk_interval t;
    bool beyond = false;
    *cap = 1;
    dusk_interval_init(&t, m->precision);
    if (m->ps == 1) {
        dusk_interval_set(&t, m->epsilon);
        dusk_interval_exp(&t, &t);
        mpfr_mul(t.lo, t.lo, m->q[0].weight.lo, MPFR_RNDD);
        beyond = mpfr_cmp_ui(t.lo, 1) >= 0;
        mpfr_ui_sub(t.hi, 1, t.lo, MPFR_RNDU);
    } else { /* they differ where a shift was taken only */
        mpfr_ui_sub(t.hi, 1, m->p[0].weight.lo, MPFR_RNDU);
    }
    double most = mpfr_get_d(t.hi, MPFR_RNDU);
    if (most < 1) *cap = most > 0 ? most : 0;
    dusk_interval_clear(&t);
    return beyond;
}

static bool is_narrow(const dusk_interval *f)
{
    if (!(mpfr_sgn(f->lo) > 0) || mpfr_inf_p(f->hi)) return false;
    mpfr_t width;
    mpfr_init2(width, 64);
    mpfr_sub(width, f->hi, f->lo, MPFR_RNDU);
    bool narrow = mpfr_zero_p(width) || mpfr_get_exp(width) < mpfr_get_exp(f->hi) - 60;
    mpfr_clear(width);
    return narrow;
}

/* f at its largest, at one precision; false when more of it could help. */
static bool look(dusk_interval *f, dusk_mixture_law *m)
{
    double guess, slope;
    dusk_interval s, gap;
    bool guessed = dusk_mixture_law_guess(&guess, &slope, m);
    if (!guessed) guess = 0.5 * m->furthest;
    mpfr_t at;
    mpfr_init2(at, m->precision);
    dusk_interval_init(&s, m->precision);
    dusk_interval_init(&gap, m->precision);
    mpfr_set_d(at, guess, MPFR_RNDN);
    for (mpfr_prec_t bits = 0; guessed && bits < m->precision; bits += 64)
        dusk_mixture_law_improve(at, m, slope);
    mpfr_set(s.lo, at, MPFR_RNDD);
    mpfr_set(s.hi, at, MPFR_RNDU);
    bool enclosed = guessed && mpfr_number_p(at) && enclose_threshold(&s, &gap, m, at);
    if (enclosed) {
        dusk_interval point;
        dusk_interval_init(&point, m->precision);
        mpfr_set(point.lo, s.lo, MPFR_RNDD);
        mpfr_set(point.hi, s.lo, MPFR_RNDU);
        dusk_mixture_law_advantage(f, m, &point);
        add_gain(f, m, &s, &gap);
        dusk_interval_clear(&point);
    } else if (mpfr_number_p(at)) { /* any event gives a lower bound */
        dusk_mixture_law_advantage(f, m, &s);
        mpfr_set_inf(f->hi, 1);
    }
    dusk_interval_clear(&s);
    dusk_interval_clear(&gap);
    mpfr_clear(at);
    return !guessed || (enclosed && is_narrow(f));
}

/* delta with all weights but the first one times `stretch`. */
DUSK_PROVEN(delta_of)
static dusk_bound delta_of(const dusk_pair *pair, double epsilon, double stretch)
{
    double size = pair->sigma > 1 ? pair->sigma : 1 / pair->sigma;
    mpfr_prec_t precision = BITS + 4 * (size < 0x1p100 ? ilogb(size) : 100);
    dusk_bound delta = { 0, 1 };
    bool done = false;
    for (int i = 0; i < REFINEMENTS && !done; i++, precision *= 2) {
        dusk_mixture_law m;
        dusk_interval f;
        double cap;
        dusk_mixture_law_init(&m, pair, epsilon, stretch, precision);
        dusk_interval_init(&f, precision);
        mpfr_set_inf(f.hi, 1);
        mpfr_set_inf(f.lo, -1);
        if (is_beyond(&cap, &m)) {
            mpfr_set_zero(f.lo, 1);
            mpfr_set_zero(f.hi, 1);
            done = true;
        } else if (is_far(&m)) {
            mpfr_set_zero(f.lo, 1);
            mpfr_set_d(f.hi, DBL_TRUE_MIN, MPFR_RNDU);
            done = true;
        } else {
            done = look(&f, &m);
        }
        double low = mpfr_nan_p(f.lo) ? 0 : mpfr_get_d(f.lo, MPFR_RNDD);
        double high = mpfr_nan_p(f.hi) ? 1 : mpfr_get_d(f.hi, MPFR_RNDU);
        if (cap < high) high = cap;
        if (low > delta.lower) delta.lower = low;
        if (high < delta.upper) delta.upper = high;
        if (delta.upper - delta.lower <= 0x1p-50 * delta.upper) done = true;
        dusk_interval_clear(&f);
        dusk_mixture_law_clear(&m);
    }
    return delta;
}

/* delta grows with each weight: the ends are at their ends. */
DUSK_PROVEN(dusk_mixture_delta_down)
double dusk_mixture_delta_down(const dusk_pair *pair, double epsilon)
{
    return delta_of(pair, epsilon, 1 - SLACK).lower;
}

DUSK_PROVEN(dusk_mixture_delta_up)
double dusk_mixture_delta_up(const dusk_pair *pair, double epsilon)
{
    return delta_of(pair, epsilon, DUSK_MUTATE(WEIGHTS_ARE_EXACT, 1 + SLACK, 1 - SLACK)).upper;
}

DUSK_PROVEN(dusk_gaussian_delta_down)
double dusk_gaussian_delta_down(double sigma, double epsilon)
{
    dusk_pair pair = { .direction = DUSK_REMOVE, .sigma = sigma, .shifts = 1, .weight = { 0, 1 } };
    if (!(sigma > 0 && isfinite(sigma))) return 0;
    return delta_of(&pair, epsilon, 1).lower;
}
