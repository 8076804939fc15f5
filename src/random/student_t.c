/* SPDX-License-Identifier: Apache-2.0 */
/* The tail quantile of Student's t, certified. P(|T| <= t) is a finite sum of
 * positive terms for whole degrees [Abramowitz & Stegun 1964, 26.7.3 and 26.7.4],
 * so that its error is known; a guess by Newton's method is moved outward until
 * the sum shows on which side of the quantile it lies. Proof: student_t.proof.md. */
#include "random/student_t.h"

#include <math.h>
#include <stdbool.h>

#include "numeric/special.h"

#define GUARD 32     /* digits beyond those asked for */
#define SUM_ERROR 10 /* P(|T| <= t) is off by less than 2^SUM_ERROR units of its precision */

/* sum_{i < terms} w_i c^i, w_0 = 1, w_i / w_{i-1} = (2i - 1 + odd) / (2i + odd). */
static void weighted_sum(mpfr_t out, const mpfr_t c, unsigned terms, unsigned odd)
{
    mpfr_set_ui(out, 1, MPFR_RNDN);
    for (unsigned i = terms - 1; i >= 1; i--) {
        mpfr_mul(out, out, c, MPFR_RNDN);
        mpfr_mul_ui(out, out, 2 * i - 1 + odd, MPFR_RNDN);
        mpfr_div_ui(out, out, 2 * i + odd, MPFR_RNDN);
        mpfr_add_ui(out, out, 1, MPFR_RNDN);
    }
}

/* P(|T| > t), t >= 0, off by less than 2^(SUM_ERROR - precision). */
DUSK_PROVEN(tail_of)
static void tail_of(mpfr_t out, const mpfr_t t, unsigned degrees)
{
    mpfr_t square, cosine2, sine, sum; /* of theta = atan(t / sqrt(degrees)) */
    mpfr_inits2(mpfr_get_prec(out), square, cosine2, sine, sum, (mpfr_ptr)0);
    mpfr_sqr(square, t, MPFR_RNDN);
    mpfr_add_ui(square, square, degrees, MPFR_RNDN);
    mpfr_ui_div(cosine2, degrees, square, MPFR_RNDN);
    mpfr_sqrt(square, square, MPFR_RNDN);
    mpfr_div(sine, t, square, MPFR_RNDN);
    if (degrees % 2 == 0) {
        weighted_sum(sum, cosine2, degrees / 2, 0);
        mpfr_mul(sum, sum, sine, MPFR_RNDN);
    } else {
        mpfr_set_zero(sum, 1);
        if (degrees > 1) {
            weighted_sum(sum, cosine2, degrees / 2, 1);
            mpfr_mul(sum, sum, sine, MPFR_RNDN);
            mpfr_sqrt(cosine2, cosine2, MPFR_RNDN);
            mpfr_mul(sum, sum, cosine2, MPFR_RNDN);
        }
        mpfr_sqrt_ui(square, degrees, MPFR_RNDN);
        mpfr_div(square, t, square, MPFR_RNDN);
        mpfr_atan(square, square, MPFR_RNDN);
        mpfr_add(sum, sum, square, MPFR_RNDN);
        mpfr_const_pi(square, MPFR_RNDN);
        mpfr_div(sum, sum, square, MPFR_RNDN);
        mpfr_mul_2ui(sum, sum, 1, MPFR_RNDN);
    }
    mpfr_ui_sub(out, 1, sum, MPFR_RNDN);
    mpfr_clears(square, cosine2, sine, sum, (mpfr_ptr)0);
}

/* Is t certainly on the side of Q(v) that `side` says (-1: t <= Q, 1: t >= Q)?
 * The tail decreases, so t <= Q(v) iff P(|T| > t) >= v. */
DUSK_PROVEN(is_on_side)
static bool is_on_side(const mpfr_t t, const mpfr_t v, int side, unsigned degrees, mpfr_prec_t precision)
{
    mpfr_t tail, error;
    mpfr_init2(tail, precision);
    mpfr_init2(error, 8);
    tail_of(tail, t, degrees);
    mpfr_set_ui_2exp(error, 1, SUM_ERROR - precision, MPFR_RNDN);
    if (side < 0)
        mpfr_sub(tail, tail, error, MPFR_RNDD);
    else
        mpfr_add(tail, tail, error, MPFR_RNDU);
    int order = mpfr_cmp(tail, v);
    mpfr_clears(tail, error, (mpfr_ptr)0);
    return side < 0 ? order >= 0 : order <= 0;
}

/* ln of the density of |T| at t, in double: it only steers Newton's method. */
static double log_density(double t, unsigned degrees)
{
    double d = degrees, constant = lgamma((d + 1) / 2) - lgamma(d / 2) - log(d * acos(-1)) / 2;
    double growth = t < 1e150 ? log1p(t * t / d) : 2 * log(t) - log(d);
    return log(2) + constant - (d + 1) / 2 * growth;
}

/* A number near Q(v): nothing is promised about it. Where t > 1 the steps are
 * taken on logarithmic scales, on which tails are nearly straight. */
static void guess_quantile(mpfr_t t, const mpfr_t v, unsigned degrees, mpfr_prec_t digits)
{
    double p = mpfr_get_d(v, MPFR_RNDN), start = p > 1e-290 ? dusk_beta_inc_inv(degrees / 2.0, 0.5, p) : 0;
    mpfr_t tail, step;
    mpfr_inits2(mpfr_get_prec(t), tail, step, (mpfr_ptr)0);
    mpfr_set_d(t, start > 0 ? sqrt(degrees * (1 - start) / start) : 0x1p64, MPFR_RNDN);
    for (int i = 0; i < 40 && mpfr_get_exp(t) < 1000; i++) {
        double at = mpfr_get_d(t, MPFR_RNDN);
        tail_of(tail, t, degrees);
        mpfr_sub(step, tail, v, MPFR_RNDN);
        double far = exp(log_density(at, degrees)); /* density */
        if (!(far > 0) || mpfr_zero_p(step)) break;
        if (at > 1 && mpfr_sgn(tail) > 0) {
            double slope = at * far / mpfr_get_d(tail, MPFR_RNDN);
            mpfr_div(step, tail, v, MPFR_RNDN);
            mpfr_log(step, step, MPFR_RNDN);
            mpfr_div_d(step, step, slope > 0 ? slope : degrees, MPFR_RNDN);
            mpfr_exp(step, step, MPFR_RNDN);
            mpfr_mul(step, t, step, MPFR_RNDN);
            mpfr_sub(step, step, t, MPFR_RNDN);
        } else {
            mpfr_div_d(step, step, far, MPFR_RNDN);
        }
        mpfr_add(t, t, step, MPFR_RNDN);
        if (mpfr_sgn(t) <= 0 || !mpfr_number_p(t)) mpfr_set_d(t, at / 2, MPFR_RNDN);
        if (mpfr_zero_p(t) || mpfr_zero_p(step) || mpfr_get_exp(step) < mpfr_get_exp(t) - digits) break;
    }
    if (!mpfr_number_p(t) || mpfr_sgn(t) < 0) mpfr_set_zero(t, 1);
    mpfr_clears(tail, step, (mpfr_ptr)0);
}

/* A bound on Q(v) from below (side -1) or above (1), v in (0, 1). */
DUSK_PROVEN(quantile_bound)
static void quantile_bound(mpfr_t out, const mpfr_t v, int side, unsigned degrees)
{
    mpfr_prec_t digits = mpfr_get_prec(out), lost = -mpfr_get_exp(v);
    mpfr_prec_t precision = digits + (lost > 0 ? lost : 0) + GUARD;
    mpfr_t guess, t, step;
    mpfr_inits2(precision, guess, t, step, (mpfr_ptr)0);
    guess_quantile(guess, v, degrees, digits);
    mpfr_exp_t top = mpfr_zero_p(guess) || mpfr_get_exp(guess) < 0 ? 0 : mpfr_get_exp(guess);
    mpfr_set_ui_2exp(step, 1, top - (mpfr_exp_t)digits, MPFR_RNDN);
    for (;;) {
        if (side < 0)
            mpfr_sub(t, guess, step, MPFR_RNDD);
        else
            mpfr_add(t, guess, step, MPFR_RNDU);
        if (mpfr_sgn(t) <= 0) mpfr_set_zero(t, 1); /* Q(v) >= 0 always */
        if ((side < 0 && mpfr_zero_p(t)) || is_on_side(t, v, side, degrees, precision)) break;
        mpfr_mul_2ui(step, step, 2, MPFR_RNDN);
    }
    mpfr_set(out, t, side < 0 ? MPFR_RNDD : MPFR_RNDU);
    mpfr_clears(guess, t, step, (mpfr_ptr)0);
}

/* One end of the enclosure, v not below 0. */
static void quantile_end(mpfr_t out, const mpfr_t v, int side, unsigned degrees)
{
    if (mpfr_sgn(v) <= 0)
        mpfr_set_inf(out, 1);
    else if (mpfr_cmp_ui(v, 1) >= 0)
        mpfr_set_zero(out, 1);
    else
        quantile_bound(out, v, side, degrees);
}

void dusk_student_t_quantile(unsigned degrees, dusk_interval *out, const dusk_interval *v)
{
    dusk_interval t;
    dusk_interval_init(&t, mpfr_get_prec(out->lo));
    quantile_end(t.lo, v->hi, -1, degrees);
    quantile_end(t.hi, v->lo, 1, degrees);
    mpfr_swap(out->lo, t.lo);
    mpfr_swap(out->hi, t.hi);
    dusk_interval_clear(&t);
}
