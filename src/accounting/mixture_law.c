/* SPDX-License-Identifier: Apache-2.0 */
/* Tails and densities of Gaussian location mixtures, enclosed, and about where
 * their ratio is e^eps. The derivations are in mixture_law.proof.md. */
#include "accounting/mixture_law.h"

#include <math.h>

#include "accounting/mills_ratio.h"
#include "base/mutant.h"
#include "numeric/root.h"

#define PARTS DUSK_MIXTURE_PARTS
#define SMALL 0x1p-10 /* of a first weight: 1 minus the others does not know it well */

static void part_init(dusk_mixture_part *x, double centre, double guess, mpfr_prec_t precision)
{
    x->centre = centre;
    x->guess = guess;
    dusk_interval_init(&x->weight, precision);
    dusk_interval_set(&x->weight, guess);
}

/* weight[1..] times `stretch`, and what is left at 0; or, when the first weight is
 * small and known itself, all times `factor`. */
DUSK_PROVEN(parts_init)
static size_t parts_init(dusk_mixture_part *x, const dusk_pair *pair, double side, double stretch,
                         double factor, mpfr_prec_t precision)
{
    double left = 1;
    bool known = pair->weight[0] > 0 && pair->weight[0] < SMALL;
    dusk_interval f;
    dusk_interval_init(&f, precision);
    dusk_interval_set(&f, known ? factor : stretch);
    part_init(&x[0], 0, known ? pair->weight[0] : 1, precision);
    if (known) dusk_interval_mul(&x[0].weight, &x[0].weight, &f);
    for (size_t j = 1; j <= pair->shifts; j++) {
        part_init(&x[j], side * (double)j, pair->weight[j], precision);
        dusk_interval_mul(&x[j].weight, &x[j].weight, &f);
        if (!known) dusk_interval_sub(&x[0].weight, &x[0].weight, &x[j].weight);
        left -= pair->weight[j];
    }
    if (!known) x[0].guess = left > 0 ? left : 0;
    dusk_interval_clear(&f);
    return pair->shifts + 1;
}

void dusk_mixture_law_init(dusk_mixture_law *m, const dusk_pair *pair, double epsilon, double stretch,
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
        m->ps = parts_init(m->p, pair, 1, stretch, stretch, precision);
    if (pair->direction == DUSK_REMOVE)
        part_init(&m->q[0], 0, 1, precision);
    else
        m->qs = parts_init(m->q, pair, -1, stretch, 2 - stretch, precision);
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

void dusk_mixture_law_clear(dusk_mixture_law *m)
{
    mpfr_clear(m->log_shifted);
    for (size_t i = 0; i < m->ps; i++) dusk_interval_clear(&m->p[i].weight);
    for (size_t i = 0; i < m->qs; i++) dusk_interval_clear(&m->q[i].weight);
    dusk_interval_clear(&m->over);
}

/* --- in double: about where the threshold is ------------------------------- */

/* ln sum weight exp((2 c s - c^2)/(2 sigma^2)); *centre: the mean c. */
static double log_density(const dusk_mixture_part *x, size_t n, double s, double sigma, double *centre)
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
    const dusk_mixture_law *m = context;
    double centre;
    if (m->qs == 1) return log_density(m->p + 1, m->ps - 1, s, m->sigma, &centre) - m->shifted;
    if (m->ps == 1) return m->shifted - log_density(m->q + 1, m->qs - 1, s, m->sigma, &centre);
    double p = log_density(m->p, m->ps, s, m->sigma, &centre);
    return p - log_density(m->q, m->qs, s, m->sigma, &centre) - m->epsilon;
}

bool dusk_mixture_law_guess(double *s, double *slope, const dusk_mixture_law *m)
{
    double low = m->ps == 1 ? -0.5 * (double)(m->qs - 1) - 1 : 0;
    double high = m->furthest + DUSK_NORMAL_FAR * m->sigma, p = 0, q = 0;
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
static void standardise(dusk_interval *out, const dusk_mixture_law *m, const dusk_interval *s, double c)
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
static void total(dusk_interval *out, const dusk_mixture_law *m, const dusk_mixture_part *x, size_t n,
                  const dusk_interval *s, double shift,
                  void (*of)(dusk_interval *, const dusk_interval *, double))
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

DUSK_PROVEN(dusk_mixture_law_advantage)
void dusk_mixture_law_advantage(dusk_interval *out, const dusk_mixture_law *m, const dusk_interval *s)
{
    dusk_interval t;
    dusk_interval_init(&t, m->precision);
    total(out, m, m->p, m->ps, s, 0, tail);
    total(&t, m, m->q, m->qs, s, m->epsilon, tail);
    dusk_interval_sub(out, out, &t);
    dusk_interval_clear(&t);
}

/* The dusk_mixture_law_densities of P and of e^eps Q at s, both times sigma sqrt(2 pi). */
void dusk_mixture_law_densities(dusk_interval *p, dusk_interval *q, const dusk_mixture_law *m,
                                const dusk_interval *s)
{
    total(p, m, m->p, m->ps, s, 0, bell);
    total(q, m, m->q, m->qs, s, m->epsilon, bell);
}

/* ln sum of weight exp((2 c s - c^2)/(2 sigma^2) - log_shifted) over the shifts */
static void excess_of_shifts(mpfr_t out, const mpfr_t s, const dusk_mixture_law *m)
{
    const dusk_mixture_part *x = m->qs == 1 ? m->p : m->q;
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

void dusk_mixture_law_improve(mpfr_t s, const dusk_mixture_law *m, double slope)
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
        dusk_mixture_law_densities(&p, &q, m, &at);
        mpfr_div(p.lo, p.lo, q.lo, MPFR_RNDN);
        mpfr_log(p.lo, p.lo, MPFR_RNDN);
    }
    mpfr_div_d(p.lo, p.lo, slope, MPFR_RNDN);
    if (mpfr_number_p(p.lo)) mpfr_sub(s, s, p.lo, MPFR_RNDN);
    dusk_interval_clear(&p);
    dusk_interval_clear(&q);
    dusk_interval_clear(&at);
}
