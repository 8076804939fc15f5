/* SPDX-License-Identifier: Apache-2.0 */
/* delta(eps) of one pair, run once: sums for atoms, closed forms for Gaussian
 * and Laplace noise, pair_mixture.c for mixtures. A folded pair has the same
 * delta at eps >= 0 as the law it was made of. The derivations are in
 * pair_delta.proof.md. */
#include <float.h>

#include "accounting/bound.h"
#include "accounting/gaussian.h"
#include "accounting/pair_make.h"
#include "base/mutant.h"
#include "numeric/real.h"

/* Of a sum of terms m (1 - e^(eps - l)): the difference is rounded (2^-53, and
 * 1 - e^-y is less sensitive than y), expm1 is within 4 steps (2^-50), the
 * product (2^-53); sums are compensated. */
#define TERM_ERROR 0x1p-49
#define SLACK 0x1p-50 /* of a rate */
#define BITS 192
#define REFINEMENTS 6

/* Sum of mass (1 - e^(eps - loss)) over losses above eps, one end of each. */
static double sum_atoms(const dusk_pair *pair, double epsilon, bool up)
{
    double sum = 0, rest = 0;
    for (size_t i = pair->atoms; i-- > 0;) {
        double loss = up ? pair->loss[i].upper : pair->loss[i].lower;
        if (!(loss > epsilon)) break; /* ends increase */
        double term = (up ? pair->mass[i].upper : pair->mass[i].lower) * -expm1(epsilon - loss);
        double total = sum + term, back = total - sum;
        rest += (sum - (total - back)) + (term - back);
        sum = total;
    }
    return sum + rest;
}

DUSK_PROVEN(delta_of_atoms)
static double delta_of_atoms(const dusk_pair *pair, double epsilon, bool up)
{
    double sum = sum_atoms(pair, epsilon, up), tiny = (double)pair->atoms * DBL_TRUE_MIN; /* near underflow */
    if (!up) return sum * (1 - TERM_ERROR) - tiny;
    if (isnan(sum)) return 1; /* masses out of range */
    if (sum > 0) return sum * (1 + TERM_ERROR) + tiny;
    for (size_t i = pair->atoms; i-- > 0 && pair->loss[i].upper > epsilon;)
        if (pair->mass[i].upper > 0) return tiny; /* it underflowed */
    return 0;
}

DUSK_PROVEN(delta_of_gaussian)
static double delta_of_gaussian(const dusk_pair *pair, double epsilon, bool up)
{
    double sigma = pair->sigma; /* 1/mu */
    if (!(sigma > 0))
        sigma = up ? dusk_div_down(1, dusk_sqrt_up(pair->mu_squared.upper))
                   : dusk_div_up(1, dusk_sqrt_down(pair->mu_squared.lower));
    return up ? dusk_gaussian_delta_up(sigma, epsilon) : dusk_gaussian_delta_down(sigma, epsilon);
}

/* With d = 1/scale, and u the loss of the Laplace pair at the threshold, which
 * lies in [-d, d],
 *   REMOVE   u = ln(1 + (e^eps - 1)/q)            delta = q D
 *   ADD      u = -ln(1 - (1 - e^-eps)/q)          delta = q e^(eps - u) D
 *   REPLACE  u = ln(((1-q)(e^eps - 1) + q e^(eps - d))/q)   delta = q D
 * where D = 1 - e^((u - d)/2), and delta = 0 when u is not below d. */
typedef struct laplace_law {
    dusk_direction direction;
    double scale, rate, epsilon;
} laplace_law;

/* ADD: u and the factor of D. */
static void threshold_of_add(dusk_interval *u, dusk_interval *factor, const dusk_interval *epsilon,
                             const dusk_interval *q)
{
    dusk_interval_neg(u, epsilon);
    dusk_interval_expm1(u, u);
    dusk_interval_add(u, u, q); /* e^-eps - (1 - q) */
    if (mpfr_sgn(u->hi) <= 0) { /* no loss is so large */
        mpfr_set_inf(u->lo, 1);
        mpfr_set_inf(u->hi, 1);
        dusk_interval_set(factor, 0);
        return;
    }
    if (mpfr_sgn(u->lo) <= 0) mpfr_set_zero(u->lo, 1); /* q/u = inf */
    mpfr_div(factor->lo, q->lo, u->hi, MPFR_RNDD);
    mpfr_div(factor->hi, q->hi, u->lo, MPFR_RNDU);
    mpfr_swap(u->lo, factor->lo);
    mpfr_swap(u->hi, factor->hi);
    mpfr_log(u->lo, u->lo, MPFR_RNDD);
    mpfr_log(u->hi, u->hi, MPFR_RNDU);
    dusk_interval_sub(factor, epsilon, u); /* q e^(eps - u) */
    dusk_interval_exp(factor, factor);
    dusk_interval_mul(factor, factor, q);
}

/* REMOVE and REPLACE: u = eps + ln(((1-q)(1 - e^-eps) + q v)/q), v = 1 or e^-d. */
static void threshold_of_others(dusk_interval *u, const dusk_interval *epsilon, const dusk_interval *q,
                                const dusk_interval *v)
{
    dusk_interval t;
    dusk_interval_init(&t, mpfr_get_prec(u->lo));
    dusk_interval_neg(&t, epsilon);
    dusk_interval_expm1(&t, &t);
    dusk_interval_neg(&t, &t);
    dusk_interval_set(u, 1);
    dusk_interval_sub(u, u, q);
    dusk_interval_mul(u, u, &t);
    dusk_interval_mul(&t, q, v);
    dusk_interval_add(u, u, &t);
    dusk_interval_div(u, u, q);
    dusk_interval_log(u, u);
    dusk_interval_add(u, u, epsilon);
    dusk_interval_clear(&t);
}

/* delta of one law at one precision. */
DUSK_PROVEN(enclose_laplace)
static void enclose_laplace(dusk_interval *delta, const laplace_law *law)
{
    mpfr_prec_t precision = mpfr_get_prec(delta->lo);
    dusk_interval d, e, q, u, v;
    dusk_interval *const all[] = { &d, &e, &q, &u, &v };
    for (int i = 0; i < 5; i++) dusk_interval_init(all[i], precision);
    dusk_interval_set(&u, 1);
    dusk_interval_set(&d, law->scale);
    dusk_interval_div(&d, &u, &d);
    dusk_interval_set(&e, law->epsilon);
    dusk_interval_set(&q, law->rate);
    dusk_interval_set(&v, 1);
    dusk_interval_set(delta, law->rate);
    if (DUSK_MUTATE(LAPLACE_MIRROR_FORGOTTEN, law->direction == DUSK_REPLACE, false)) {
        dusk_interval_neg(&v, &d);
        dusk_interval_exp(&v, &v);
    }
    if (law->rate >= 1 && law->direction != DUSK_REPLACE)
        dusk_interval_set(&u, law->epsilon);
    else if (law->direction == DUSK_ADD)
        threshold_of_add(&u, delta, &e, &q);
    else
        threshold_of_others(&u, &e, &q, &v);
    dusk_interval_sub(&u, &u, &d);
    if (mpfr_sgn(u.lo) > 0) mpfr_set_zero(u.lo, 1);
    if (mpfr_sgn(u.hi) > 0) mpfr_set_zero(u.hi, 1);
    dusk_interval_scale(&u, &u, -1);
    dusk_interval_expm1(&u, &u);
    dusk_interval_neg(&u, &u);
    dusk_interval_mul(delta, delta, &u);
    for (int i = 0; i < 5; i++) dusk_interval_clear(all[i]);
}

/* Both ends of delta for one law, as doubles. */
static dusk_bound look_at_laplace(const laplace_law *law)
{
    dusk_bound delta = { 0, 1 };
    mpfr_prec_t precision = BITS;
    bool narrow = false;
    for (int i = 0; i < REFINEMENTS && !narrow; i++, precision *= 2) {
        dusk_interval x;
        dusk_interval_init(&x, precision);
        enclose_laplace(&x, law);
        double low = mpfr_get_d(x.lo, MPFR_RNDD), high = mpfr_get_d(x.hi, MPFR_RNDU);
        if (low > delta.lower) delta.lower = low;
        if (high < delta.upper) delta.upper = high;
        narrow = high == 0 || delta.upper - delta.lower <= 0x1p-52 * delta.upper;
        dusk_interval_clear(&x);
    }
    return delta;
}

/* delta grows with the rate and with the distance. */
DUSK_PROVEN(delta_of_laplace)
static double delta_of_laplace(const dusk_pair *pair, double epsilon, bool up)
{
    laplace_law law = { pair->direction, up ? pair->scale.lower : pair->scale.upper, pair->rate, epsilon };
    if (pair->rate < 1) {
        law.rate = up ? dusk_mul_up(pair->rate, 1 + SLACK) : dusk_mul_down(pair->rate, 1 - SLACK);
        if (law.rate > 1) law.rate = 1;
    }
    dusk_bound delta = look_at_laplace(&law);
    return up ? delta.upper : delta.lower;
}

static double delta_of(const dusk_pair *pair, double epsilon, bool up)
{
    if (isinf(epsilon)) return 0;
    switch (pair->kind) {
    case DUSK_PAIR_ATOMS: return delta_of_atoms(pair, epsilon, up);
    case DUSK_PAIR_GAUSSIAN: return delta_of_gaussian(pair, epsilon, up);
    case DUSK_PAIR_MIXTURE:
        return up ? dusk_mixture_delta_up(pair, epsilon) : dusk_mixture_delta_down(pair, epsilon);
    case DUSK_PAIR_LAPLACE: return delta_of_laplace(pair, epsilon, up);
    }
    return up ? 1 : 0;
}

DUSK_PROVEN(dusk_pair_delta_up)
double dusk_pair_delta_up(const dusk_pair *pair, double epsilon)
{
    double delta = delta_of(pair, epsilon, true);
    if (DUSK_MUTATE(INFINITE_LOSS_FORGOTTEN, true, false)) delta = dusk_add_up(delta, pair->infinite.upper);
    return delta < 1 ? delta : 1;
}

DUSK_PROVEN(dusk_pair_delta_down)
double dusk_pair_delta_down(const dusk_pair *pair, double epsilon)
{
    double delta = dusk_add_down(delta_of(pair, epsilon, false), pair->infinite.lower);
    return delta > 0 ? (delta < 1 ? delta : 1) : 0;
}

dusk_status dusk_pair_delta(dusk_bound *delta, const dusk_pair *pair, double epsilon, dusk_error *err)
{
    if (!(epsilon >= 0)) return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "epsilon must not be negative");
    *delta = (dusk_bound){ dusk_pair_delta_down(pair, epsilon), dusk_pair_delta_up(pair, epsilon) };
    return DUSK_OK;
}
