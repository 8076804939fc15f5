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

#include "accounting/mills_ratio.h"
#include "accounting/pair_make.h"
#include "base/mutant.h"
#include "numeric/root.h"
#include "numeric/rounding.h"

#define PARTS 32
#define BITS 192 /* of the first try; how many bits cancel is seen then */
#define REFINEMENTS 3
#define FAR 40        /* P(Z > 40) < 2^-1074 */
#define BRACKETS 8    /* tries to enclose the threshold */
#define SLACK 0x1p-50 /* of the weights */

typedef struct part {
    double centre;
    double guess; /* the weight, nearly */
    dusk_interval weight;
} part;

typedef struct mixtures {
    mpfr_prec_t precision;
    double sigma, epsilon;
    dusk_interval over; /* 1/sigma */
    size_t ps, qs;
    part p[PARTS], q[PARTS];
    double furthest; /* of P's centres */
    double shifted;  /* ln(e^eps - weight[0]) or ln(e^-eps - weight[0]), nearly */
    mpfr_t log_shifted;
} mixtures;

static void part_init(part *x, double centre, double guess, mpfr_prec_t precision)
{
    x->centre = centre;
    x->guess = guess;
    dusk_interval_init(&x->weight, precision);
    dusk_interval_set(&x->weight, guess);
}

/* weight[1..] stretched to one end of what they can be, and what is left at 0. */
static size_t parts_init(part *x, const dusk_pair *pair, double side, double stretch, mpfr_prec_t precision)
{
    double left = 1;
    dusk_interval factor;
    dusk_interval_init(&factor, precision);
    dusk_interval_set(&factor, stretch);
    part_init(&x[0], 0, 1, precision);
    for (size_t j = 1; j <= pair->shifts; j++) {
        part_init(&x[j], side * (double)j, pair->weight[j], precision);
        dusk_interval_mul(&x[j].weight, &x[j].weight, &factor);
        dusk_interval_sub(&x[0].weight, &x[0].weight, &x[j].weight);
        left -= pair->weight[j];
    }
    x[0].guess = left > 0 ? left : 0;
    dusk_interval_clear(&factor);
    return pair->shifts + 1;
}

static void mixtures_init(mixtures *m, const dusk_pair *pair, double epsilon, double stretch,
                          mpfr_prec_t precision)
{
    m->precision = precision;
    m->sigma = pair->sigma;
    m->epsilon = epsilon;
    m->ps = m->qs = 1;
    m->furthest = pair->direction == DUSK_ADD ? 0 : (double)pair->shifts;
    dusk_interval_init(&m->over, precision);
    dusk_interval_set(&m->over, pair->sigma);
    mpfr_ui_div(m->over.hi, 1, m->over.lo, MPFR_RNDU);
    mpfr_ui_div(m->over.lo, 1, m->over.lo, MPFR_RNDD);
    if (pair->direction == DUSK_ADD)
        part_init(&m->p[0], 0, 1, precision);
    else
        m->ps = parts_init(m->p, pair, 1, stretch, precision);
    if (pair->direction == DUSK_REMOVE)
        part_init(&m->q[0], 0, 1, precision);
    else
        m->qs = parts_init(m->q, pair, -1, stretch, precision);
    /* eps + ln(1 - weight[0] e^-eps), -eps + ln(1 - weight[0] e^eps) */
    double sign = pair->direction == DUSK_ADD ? -1 : 1;
    mpfr_srcptr stay = pair->direction == DUSK_ADD ? m->q[0].weight.lo : m->p[0].weight.lo;
    mpfr_init2(m->log_shifted, precision);
    mpfr_set_d(m->log_shifted, -sign * epsilon, MPFR_RNDN);
    mpfr_exp(m->log_shifted, m->log_shifted, MPFR_RNDN);
    mpfr_mul(m->log_shifted, m->log_shifted, stay, MPFR_RNDN);
    mpfr_ui_sub(m->log_shifted, 1, m->log_shifted, MPFR_RNDN);
    mpfr_log(m->log_shifted, m->log_shifted, MPFR_RNDN);
    mpfr_add_d(m->log_shifted, m->log_shifted, sign * epsilon, MPFR_RNDN);
    m->shifted = mpfr_get_d(m->log_shifted, MPFR_RNDN);
}

static void mixtures_clear(mixtures *m)
{
    mpfr_clear(m->log_shifted);
    for (size_t i = 0; i < m->ps; i++) dusk_interval_clear(&m->p[i].weight);
    for (size_t i = 0; i < m->qs; i++) dusk_interval_clear(&m->q[i].weight);
    dusk_interval_clear(&m->over);
}

/* --- in double: about where the threshold is ------------------------------- */

/* ln sum weight exp((2 c s - c^2)/(2 sigma^2)); *centre: the mean c. */
static double log_density(const part *x, size_t n, double s, double sigma, double *centre)
{
    double exponent[PARTS], most = -INFINITY, sum = 0, moment = 0;
    for (size_t i = 0; i < n; i++) {
        double c = x[i].centre;
        exponent[i] = x[i].guess > 0 ? log(x[i].guess) + c / sigma * ((s - c / 2) / sigma) : -INFINITY;
        if (exponent[i] > most) most = exponent[i];
    }
    for (size_t i = 0; i < n; i++) {
        double e = exp(exponent[i] - most);
        sum += e;
        moment += e * x[i].centre;
    }
    *centre = moment / sum;
    return most + log(sum);
}

/* Where one law is N(0, sigma^2), only the shifts of the other count: their sum
 * is e^(+-eps) - weight[0], which `shifted` has the logarithm of. */
static double loss_excess(double s, const void *context)
{
    const mixtures *m = context;
    double centre;
    if (m->qs == 1) return log_density(m->p + 1, m->ps - 1, s, m->sigma, &centre) - m->shifted;
    if (m->ps == 1) return m->shifted - log_density(m->q + 1, m->qs - 1, s, m->sigma, &centre);
    double p = log_density(m->p, m->ps, s, m->sigma, &centre);
    return p - log_density(m->q, m->qs, s, m->sigma, &centre) - m->epsilon;
}

/* False when no threshold was found; *slope of loss_excess there. */
static bool guess_threshold(double *s, double *slope, const mixtures *m)
{
    double low = m->ps == 1 ? -0.5 * (double)(m->qs - 1) - 1 : 0;
    double high = m->furthest + FAR * m->sigma, p = 0, q = 0;
    if (loss_excess(low, m) >= 0)
        high = low;
    else if (!isfinite(high) || dusk_root_bracket(&low, &high, 0, loss_excess, m) != 0)
        return false;
    *s = low;
    if (m->ps > 1) log_density(m->p + (m->qs == 1), m->ps - (m->qs == 1), low, m->sigma, &p);
    if (m->qs > 1) log_density(m->q + (m->ps == 1), m->qs - (m->ps == 1), low, m->sigma, &q);
    *slope = (p - q) / m->sigma / m->sigma;
    return *slope > 0 && isfinite(*slope);
}

/* --- enclosures -------------------------------------------------------------- */

/* (s - c) / sigma */
static void standardise(dusk_interval *out, const mixtures *m, const dusk_interval *s, double c)
{
    mpfr_sub_d(out->lo, s->lo, c, MPFR_RNDD);
    mpfr_sub_d(out->hi, s->hi, c, MPFR_RNDU);
    dusk_interval_mul(out, out, &m->over);
}

/* exp(shift - x^2/2) */
static void bell(dusk_interval *out, const dusk_interval *x, double shift)
{
    dusk_interval t;
    dusk_interval_init(&t, mpfr_get_prec(out->lo));
    dusk_interval_set(&t, shift);
    dusk_interval_mul(out, x, x);
    if (mpfr_sgn(out->lo) < 0) mpfr_set_zero(out->lo, 1);
    dusk_interval_scale(out, out, -1);
    dusk_interval_sub(out, &t, out);
    dusk_interval_exp(out, out);
    dusk_interval_clear(&t);
}

static void root_of_two_pi(dusk_interval *out)
{
    mpfr_const_pi(out->lo, MPFR_RNDD);
    mpfr_const_pi(out->hi, MPFR_RNDU);
    dusk_interval_scale(out, out, 1);
    mpfr_sqrt(out->lo, out->lo, MPFR_RNDD);
    mpfr_sqrt(out->hi, out->hi, MPFR_RNDU);
}

/* e^shift P(Z > x) */
static void tail(dusk_interval *out, const dusk_interval *x, double shift)
{
    mpfr_prec_t precision = mpfr_get_prec(out->lo);
    dusk_interval t, u;
    dusk_interval_init(&t, precision);
    dusk_interval_init(&u, precision);
    bool left = mpfr_cmp_si(x->lo, -1) < 0;
    if (left)
        dusk_interval_neg(&u, x);
    else
        dusk_interval_scale(&u, x, 0);
    if (mpfr_cmp_si(u.lo, -1) < 0) { /* an argument of which nothing is known */
        mpfr_set_zero(out->lo, 1);
        mpfr_set_ui(out->hi, 1, MPFR_RNDU);
    } else {
        bell(&t, &u, left ? 0 : shift);
        dusk_mills_ratio(&u, &u);
        dusk_interval_mul(out, &t, &u);
        root_of_two_pi(&t);
        dusk_interval_div(out, out, &t);
    }
    if (left) {
        dusk_interval_set(&t, 1);
        dusk_interval_sub(out, &t, out);
        dusk_interval_set(&t, shift);
        dusk_interval_exp(&t, &t);
        dusk_interval_mul(out, out, &t);
    }
    dusk_interval_clear(&t);
    dusk_interval_clear(&u);
}

/* e^shift times sum weight tail(x), or the same with the bell */
static void total(dusk_interval *out, const mixtures *m, const part *x, size_t n, const dusk_interval *s,
                  double shift, void (*of)(dusk_interval *, const dusk_interval *, double))
{
    dusk_interval t, at;
    dusk_interval_init(&t, m->precision);
    dusk_interval_init(&at, m->precision);
    dusk_interval_set(out, 0);
    for (size_t i = 0; i < n; i++) {
        standardise(&at, m, s, x[i].centre);
        of(&t, &at, shift);
        dusk_interval_mul(&t, &t, &x[i].weight);
        dusk_interval_add(out, out, &t);
    }
    dusk_interval_clear(&t);
    dusk_interval_clear(&at);
}

/* f(s) */
DUSK_PROVEN(advantage)
static void advantage(dusk_interval *out, const mixtures *m, const dusk_interval *s)
{
    dusk_interval t;
    dusk_interval_init(&t, m->precision);
    total(out, m, m->p, m->ps, s, 0, tail);
    total(&t, m, m->q, m->qs, s, m->epsilon, tail);
    dusk_interval_sub(out, out, &t);
    dusk_interval_clear(&t);
}

/* The densities of P and of e^eps Q at s, both times sigma sqrt(2 pi). */
static void densities(dusk_interval *p, dusk_interval *q, const mixtures *m, const dusk_interval *s)
{
    total(p, m, m->p, m->ps, s, 0, bell);
    total(q, m, m->q, m->qs, s, m->epsilon, bell);
}

/* -1: the loss is at most eps at s; 1: at least; 0: not decided. *gap: e^eps Q's
 * density less that of P. */
static int side_of(dusk_interval *gap, const mixtures *m, const dusk_interval *s)
{
    dusk_interval q;
    dusk_interval_init(&q, m->precision);
    densities(gap, &q, m, s);
    dusk_interval_sub(gap, &q, gap);
    dusk_interval_clear(&q);
    if (mpfr_nan_p(gap->lo) || mpfr_nan_p(gap->hi)) return 0;
    return mpfr_sgn(gap->lo) >= 0 ? -1 : mpfr_sgn(gap->hi) <= 0 ? 1 : 0;
}

/* ln sum of weight exp((2 c s - c^2)/(2 sigma^2) - log_shifted) over the shifts */
static void excess_of_shifts(mpfr_t out, const mpfr_t s, const mixtures *m)
{
    const part *x = m->qs == 1 ? m->p : m->q;
    size_t n = m->qs == 1 ? m->ps : m->qs;
    mpfr_t t;
    mpfr_init2(t, m->precision);
    mpfr_set_zero(out, 1);
    for (size_t i = 1; i < n; i++) {
        mpfr_sub_d(t, s, x[i].centre / 2, MPFR_RNDN);
        mpfr_mul_d(t, t, x[i].centre, MPFR_RNDN);
        mpfr_mul(t, t, m->over.lo, MPFR_RNDN);
        mpfr_mul(t, t, m->over.lo, MPFR_RNDN);
        mpfr_sub(t, t, m->log_shifted, MPFR_RNDN);
        mpfr_exp(t, t, MPFR_RNDN);
        mpfr_mul(t, t, x[i].weight.lo, MPFR_RNDN);
        mpfr_add(out, out, t, MPFR_RNDN);
    }
    mpfr_log(out, out, MPFR_RNDN);
    if (m->ps == 1) mpfr_neg(out, out, MPFR_RNDN);
    mpfr_clear(t);
}

/* One step of Newton's method for the threshold. */
static void improve(mpfr_t s, const mixtures *m, double slope)
{
    dusk_interval p, q, at;
    dusk_interval_init(&p, m->precision);
    dusk_interval_init(&q, m->precision);
    dusk_interval_init(&at, m->precision);
    mpfr_set(at.lo, s, MPFR_RNDD);
    mpfr_set(at.hi, s, MPFR_RNDU);
    if (m->ps == 1 || m->qs == 1) {
        excess_of_shifts(p.lo, s, m);
    } else {
        densities(&p, &q, m, &at);
        mpfr_div(p.lo, p.lo, q.lo, MPFR_RNDN);
        mpfr_log(p.lo, p.lo, MPFR_RNDN);
    }
    mpfr_div_d(p.lo, p.lo, slope, MPFR_RNDN);
    if (mpfr_number_p(p.lo)) mpfr_sub(s, s, p.lo, MPFR_RNDN);
    dusk_interval_clear(&p);
    dusk_interval_clear(&q);
    dusk_interval_clear(&at);
}

/* [s.lo, s.hi] around the guess so that the threshold is inside; *gap is that of
 * s.lo. False when that cannot be shown. */
DUSK_PROVEN(enclose_threshold)
static bool enclose_threshold(dusk_interval *s, dusk_interval *gap, const mixtures *m, const mpfr_t guess)
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

/* Add what f gains between s.lo and the threshold at most: width times the
 * largest e^eps Q - P there, which is e^eps Q (1 - e^(L - eps)), and that
 * factor falls. gap is the difference at s.lo, of which Q's part may grow. */
DUSK_PROVEN(add_gain)
static void add_gain(dusk_interval *f, const mixtures *m, const dusk_interval *s, const dusk_interval *gap)
{
    dusk_interval at, q, most;
    dusk_interval_init(&at, m->precision);
    dusk_interval_init(&q, m->precision);
    dusk_interval_init(&most, m->precision);
    mpfr_set(at.lo, s->lo, MPFR_RNDD);
    mpfr_set(at.hi, s->lo, MPFR_RNDU);
    total(&q, m, m->q, m->qs, &at, m->epsilon, bell);
    total(&most, m, m->q, m->qs, s, m->epsilon, bell);
    mpfr_div(most.hi, most.hi, q.lo, MPFR_RNDU); /* at least 1 */
    mpfr_mul(most.hi, most.hi, gap->hi, MPFR_RNDU);
    mpfr_sub(q.hi, s->hi, s->lo, MPFR_RNDU);
    mpfr_mul(most.hi, most.hi, q.hi, MPFR_RNDU);
    mpfr_mul(most.hi, most.hi, m->over.hi, MPFR_RNDU); /* 1/sqrt(2 pi) < 1 */
    if (mpfr_nan_p(most.hi) || !(mpfr_sgn(q.lo) > 0)) mpfr_set_inf(most.hi, 1);
    mpfr_add(f->hi, f->hi, most.hi, MPFR_RNDU);
    dusk_interval_clear(&at);
    dusk_interval_clear(&q);
    dusk_interval_clear(&most);
}

/* Whether P beyond the threshold is below every double. */
static bool is_far(const mixtures *m)
{
    dusk_interval s, gap;
    dusk_interval_init(&s, m->precision);
    dusk_interval_init(&gap, m->precision);
    mpfr_set_d(s.hi, m->sigma, MPFR_RNDN);
    mpfr_mul_ui(s.hi, s.hi, FAR, MPFR_RNDN);
    mpfr_add_d(s.hi, s.hi, m->furthest, MPFR_RNDU);
    mpfr_set(s.lo, s.hi, MPFR_RNDD);
    bool far = side_of(&gap, m, &s) < 0;
    dusk_interval_clear(&s);
    dusk_interval_clear(&gap);
    return far;
}

/* ADD: Q has at least the share weight[0] of P everywhere, so no loss is above
 * -ln weight[0]. True when eps is not below that; *cap >= delta. */
static bool is_beyond(double *cap, const mixtures *m)
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
static bool look(dusk_interval *f, mixtures *m)
{
    double guess, slope;
    dusk_interval s, gap;
    bool guessed = guess_threshold(&guess, &slope, m);
    if (!guessed) guess = 0.5 * m->furthest;
    mpfr_t at;
    mpfr_init2(at, m->precision);
    dusk_interval_init(&s, m->precision);
    dusk_interval_init(&gap, m->precision);
    mpfr_set_d(at, guess, MPFR_RNDN);
    for (mpfr_prec_t bits = 0; guessed && bits < m->precision; bits += 64) improve(at, m, slope);
    mpfr_set(s.lo, at, MPFR_RNDD);
    mpfr_set(s.hi, at, MPFR_RNDU);
    bool enclosed = guessed && mpfr_number_p(at) && enclose_threshold(&s, &gap, m, at);
    if (enclosed) {
        dusk_interval point;
        dusk_interval_init(&point, m->precision);
        mpfr_set(point.lo, s.lo, MPFR_RNDD);
        mpfr_set(point.hi, s.lo, MPFR_RNDU);
        advantage(f, m, &point);
        add_gain(f, m, &s, &gap);
        dusk_interval_clear(&point);
    } else if (mpfr_number_p(at)) { /* any event gives a lower bound */
        advantage(f, m, &s);
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
        mixtures m;
        dusk_interval f;
        double cap;
        mixtures_init(&m, pair, epsilon, stretch, precision);
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
        dusk_interval_clear(&f);
        mixtures_clear(&m);
    }
    return delta;
}

/* delta grows with each weight: the ends are at their ends. */
DUSK_PROVEN(dusk_mixture_delta)
dusk_bound dusk_mixture_delta(const dusk_pair *pair, double epsilon)
{
    dusk_bound low = delta_of(pair, epsilon, 1 - SLACK), high = delta_of(pair, epsilon, 1 + SLACK);
    return (dusk_bound){ low.lower, DUSK_MUTATE(WEIGHTS_ARE_EXACT, high.upper, low.upper) };
}

DUSK_PROVEN(dusk_gaussian_delta_down)
double dusk_gaussian_delta_down(double sigma, double epsilon)
{
    dusk_pair pair = { .direction = DUSK_REMOVE, .sigma = sigma, .shifts = 1, .weight = { 0, 1 } };
    if (!(sigma > 0 && isfinite(sigma))) return 0;
    return delta_of(&pair, epsilon, 1).lower;
}
