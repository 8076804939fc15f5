/* SPDX-License-Identifier: Apache-2.0 */
/* Certified reals: interval operations on MPFR ends, the refinement loop, and
 * enclosures of the quantile functions. See real.h. */
#include "numeric/real.h"

#include <stdbool.h>

#include "numeric/special.h"

#define COARSE 42 /* bits that the double quantile is good for */

void dusk_interval_init(dusk_interval *x, mpfr_prec_t precision)
{
    mpfr_init2(x->lo, precision);
    mpfr_init2(x->hi, precision);
}

void dusk_interval_clear(dusk_interval *x)
{
    mpfr_clear(x->lo);
    mpfr_clear(x->hi);
}

void dusk_interval_set(dusk_interval *out, double x)
{
    mpfr_set_d(out->lo, x, MPFR_RNDD);
    mpfr_set_d(out->hi, x, MPFR_RNDU);
}

void dusk_interval_set_int(dusk_interval *out, dusk_int128 k)
{
    mpfr_t exact; /* 128 bits hold any k */
    mpfr_init2(exact, 130);
    mpfr_set_si(exact, (long)(k >> 64), MPFR_RNDN);
    mpfr_mul_2ui(exact, exact, 64, MPFR_RNDN);
    mpfr_add_ui(exact, exact, (unsigned long)(uint64_t)k, MPFR_RNDN);
    mpfr_set(out->lo, exact, MPFR_RNDD);
    mpfr_set(out->hi, exact, MPFR_RNDU);
    mpfr_clear(exact);
}

void dusk_interval_add(dusk_interval *out, const dusk_interval *a, const dusk_interval *b)
{
    mpfr_add(out->lo, a->lo, b->lo, MPFR_RNDD);
    mpfr_add(out->hi, a->hi, b->hi, MPFR_RNDU);
}

void dusk_interval_neg(dusk_interval *out, const dusk_interval *a)
{
    mpfr_t lo;
    mpfr_init2(lo, mpfr_get_prec(a->hi));
    mpfr_neg(lo, a->hi, MPFR_RNDN); /* exact */
    mpfr_neg(out->hi, a->lo, MPFR_RNDU);
    mpfr_set(out->lo, lo, MPFR_RNDD);
    mpfr_clear(lo);
}

void dusk_interval_sub(dusk_interval *out, const dusk_interval *a, const dusk_interval *b)
{
    mpfr_t lo;
    mpfr_init2(lo, mpfr_get_prec(out->lo));
    mpfr_sub(lo, a->lo, b->hi, MPFR_RNDD);
    mpfr_sub(out->hi, a->hi, b->lo, MPFR_RNDU);
    mpfr_set(out->lo, lo, MPFR_RNDN); /* same precision: exact */
    mpfr_clear(lo);
}

typedef int mpfr_binary(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

/* The four corner values of a product or quotient bound all others. */
static void corners(dusk_interval *out, const dusk_interval *a, const dusk_interval *b, mpfr_binary *f)
{
    mpfr_srcptr left[4] = { a->lo, a->lo, a->hi, a->hi }, right[4] = { b->lo, b->hi, b->lo, b->hi };
    mpfr_t lo, hi, t;
    mpfr_inits2(mpfr_get_prec(out->lo), lo, hi, t, (mpfr_ptr)0);
    for (int i = 0; i < 4; i++) {
        f(t, left[i], right[i], MPFR_RNDD);
        if (i == 0 || mpfr_less_p(t, lo)) mpfr_set(lo, t, MPFR_RNDN);
        f(t, left[i], right[i], MPFR_RNDU);
        if (i == 0 || mpfr_greater_p(t, hi)) mpfr_set(hi, t, MPFR_RNDN);
    }
    mpfr_swap(out->lo, lo);
    mpfr_swap(out->hi, hi);
    mpfr_clears(lo, hi, t, (mpfr_ptr)0);
}

void dusk_interval_mul(dusk_interval *out, const dusk_interval *a, const dusk_interval *b)
{
    corners(out, a, b, mpfr_mul);
}

void dusk_interval_div(dusk_interval *out, const dusk_interval *a, const dusk_interval *b)
{
    corners(out, a, b, mpfr_div);
}

void dusk_interval_scale(dusk_interval *out, const dusk_interval *a, long exponent)
{
    mpfr_mul_2si(out->lo, a->lo, exponent, MPFR_RNDD);
    mpfr_mul_2si(out->hi, a->hi, exponent, MPFR_RNDU);
}

void dusk_interval_exp(dusk_interval *out, const dusk_interval *a)
{
    mpfr_exp(out->lo, a->lo, MPFR_RNDD);
    mpfr_exp(out->hi, a->hi, MPFR_RNDU);
}

void dusk_interval_expm1(dusk_interval *out, const dusk_interval *a)
{
    mpfr_expm1(out->lo, a->lo, MPFR_RNDD);
    mpfr_expm1(out->hi, a->hi, MPFR_RNDU);
}

void dusk_interval_log(dusk_interval *out, const dusk_interval *a)
{
    mpfr_log(out->lo, a->lo, MPFR_RNDD);
    mpfr_log(out->hi, a->hi, MPFR_RNDU);
}

double dusk_interval_width(const dusk_interval *x)
{
    mpfr_t width;
    mpfr_init2(width, 53);
    mpfr_sub(width, x->hi, x->lo, MPFR_RNDU);
    double result = mpfr_get_d(width, MPFR_RNDU);
    mpfr_clear(width);
    return result;
}

/* A question about a number, answered when its enclosure allows. */
typedef bool decide(const dusk_interval *x, void *answer);

static dusk_status refine(decide *decided, void *answer, dusk_enclose *enclose, void *real, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool done = false;
    for (mpfr_prec_t step = 1; step <= DUSK_REAL_STEPS && status == DUSK_OK && !done; step++) {
        dusk_interval x;
        dusk_interval_init(&x, step * DUSK_REAL_PRECISION);
        status = enclose(real, &x, err);
        done = status == DUSK_OK && decided(&x, answer);
        dusk_interval_clear(&x);
    }
    if (status != DUSK_OK || done) return status;
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "a real number could not be told from a boundary");
}

static bool decide_sign(const dusk_interval *x, void *answer)
{
    int low = mpfr_sgn(x->lo), high = mpfr_sgn(x->hi);
    *(int *)answer = low > 0 ? 1 : -1;
    return low > 0 || high < 0;
}

dusk_status dusk_real_sign(int *sign, dusk_enclose *enclose, void *real, dusk_error *err)
{
    return refine(decide_sign, sign, enclose, real, err);
}

/* floor of a finite end whose magnitude is below 2^126 */
static dusk_int128 floor_of(const mpfr_t x)
{
    mpz_t z, high;
    mpz_inits(z, high, NULL);
    mpfr_get_z(z, x, MPFR_RNDD);
    mpz_fdiv_q_2exp(high, z, 64);
    mpz_fdiv_r_2exp(z, z, 64);
    dusk_int128 k = (dusk_int128)mpz_get_si(high) * ((dusk_int128)1 << 64) + (dusk_int128)mpz_get_ui(z);
    mpz_clears(z, high, NULL);
    return k;
}

static bool decide_floor(const dusk_interval *x, void *answer)
{
    const dusk_int128 most = (dusk_int128)1 << 126;
    dusk_int128 *k = answer;
    mpfr_t bound;
    bool above, below, known = false;
    mpfr_init2(bound, 8);
    mpfr_set_ui_2exp(bound, 1, 126, MPFR_RNDN);
    above = mpfr_greaterequal_p(x->lo, bound);
    mpfr_neg(bound, bound, MPFR_RNDN);
    below = mpfr_lessequal_p(x->hi, bound);
    if (above || below) {
        *k = above ? most : -most;
        known = true;
    } else if (mpfr_number_p(x->lo) && mpfr_number_p(x->hi) && mpfr_get_exp(x->lo) <= 126 &&
               mpfr_get_exp(x->hi) <= 126) {
        *k = floor_of(x->lo);
        known = *k == floor_of(x->hi);
    }
    mpfr_clear(bound);
    return known;
}

dusk_status dusk_real_floor(dusk_int128 *out, dusk_enclose *enclose, void *real, dusk_error *err)
{
    return refine(decide_floor, out, enclose, real, err);
}

/* x near the number with erfc(x / sqrt 2) = v: a guess that the caller checks.
 * Newton on ln erfc from the double quantile. */
static void half_normal_guess(mpfr_t x, const mpfr_t v)
{
    mpfr_prec_t precision = mpfr_get_prec(x);
    mpfr_t target, tail, density, t;
    mpfr_inits2(precision, target, tail, density, t, (mpfr_ptr)0);
    mpfr_log(target, v, MPFR_RNDN);
    double p = mpfr_get_d(v, MPFR_RNDN) / 2;
    if (p > 1e-290)
        mpfr_set_d(x, dusk_normal_upper_quantile(p), MPFR_RNDN);
    else {
        mpfr_mul_si(x, target, -2, MPFR_RNDN);
        mpfr_sqrt(x, x, MPFR_RNDN);
    }
    for (int i = 0; i < 60; i++) {
        mpfr_sqr(t, x, MPFR_RNDN);
        mpfr_div_2ui(t, t, 1, MPFR_RNDN);
        mpfr_sqrt(tail, t, MPFR_RNDN);
        mpfr_erfc(tail, tail, MPFR_RNDN);
        mpfr_neg(t, t, MPFR_RNDN);
        mpfr_exp(density, t, MPFR_RNDN);
        mpfr_div(density, tail, density, MPFR_RNDN);
        mpfr_const_pi(t, MPFR_RNDN);
        mpfr_div_2ui(t, t, 1, MPFR_RNDN);
        mpfr_sqrt(t, t, MPFR_RNDN);
        mpfr_mul(density, density, t, MPFR_RNDN); /* -1 / (ln tail)' */
        mpfr_log(tail, tail, MPFR_RNDN);
        mpfr_sub(t, tail, target, MPFR_RNDN);
        mpfr_mul(t, t, density, MPFR_RNDN);
        mpfr_add(x, x, t, MPFR_RNDN);
        if (mpfr_sgn(x) < 0) mpfr_set_zero(x, 1);
        /* quadratic convergence: a step of half the digits is the last one */
        if (mpfr_zero_p(t) || mpfr_zero_p(x) || mpfr_get_exp(t) < mpfr_get_exp(x) - precision / 2 + 4) break;
    }
    mpfr_clears(target, tail, density, t, (mpfr_ptr)0);
}

/* Is x certainly on the side of Q(v) that `side` says (-1: x <= Q, 1: x >= Q)?
 * erfc decreases, so x <= Q(v) iff erfc(x / sqrt 2) >= v. */
static bool half_normal_checked(const mpfr_t x, const mpfr_t v, int side)
{
    mpfr_rnd_t with = side < 0 ? MPFR_RNDU : MPFR_RNDD, against = side < 0 ? MPFR_RNDD : MPFR_RNDU;
    mpfr_t y, root;
    mpfr_inits2(mpfr_get_prec(x) + 16, y, root, (mpfr_ptr)0);
    mpfr_sqrt_ui(root, 2, against);
    mpfr_div(y, x, root, with);
    mpfr_erfc(y, y, against);
    int order = mpfr_cmp(y, v);
    mpfr_clears(y, root, (mpfr_ptr)0);
    return side < 0 ? order >= 0 : order <= 0;
}

/* A bound on Q(v) from below (side -1) or above (1), for v in (0, 1), good to
 * about `digits` bits. */
static void half_normal_bound(mpfr_t out, const mpfr_t v, int side, mpfr_prec_t digits)
{
    mpfr_t guess, x, step;
    mpfr_inits2(digits + 32, guess, x, step, (mpfr_ptr)0);
    if (digits > COARSE)
        half_normal_guess(guess, v);
    else
        mpfr_set_d(guess, dusk_normal_upper_quantile(mpfr_get_d(v, MPFR_RNDN) / 2), MPFR_RNDN);
    mpfr_set_ui_2exp(step, 1, (mpfr_zero_p(guess) ? 0 : mpfr_get_exp(guess)) - (mpfr_exp_t)digits, MPFR_RNDN);
    for (;;) {
        if (side < 0)
            mpfr_sub(x, guess, step, MPFR_RNDD);
        else
            mpfr_add(x, guess, step, MPFR_RNDU);
        if (mpfr_sgn(x) < 0) mpfr_set_zero(x, 1); /* 0 <= Q(v) always */
        if (mpfr_zero_p(x) || half_normal_checked(x, v, side)) break;
        mpfr_mul_2ui(step, step, 2, MPFR_RNDN);
    }
    mpfr_set(out, x, side < 0 ? MPFR_RNDD : MPFR_RNDU);
    mpfr_clears(guess, x, step, (mpfr_ptr)0);
}

/* One end of the quantile of a tail at v: side -1 bounds it from below. */
static void quantile_bound(dusk_tail tail, mpfr_t out, const mpfr_t v, int side, mpfr_prec_t digits)
{
    mpfr_rnd_t with = side < 0 ? MPFR_RNDD : MPFR_RNDU, against = side < 0 ? MPFR_RNDU : MPFR_RNDD;
    mpfr_t t;
    if (mpfr_sgn(v) <= 0) {
        mpfr_set_inf(out, 1);
        return;
    }
    mpfr_init2(t, mpfr_get_prec(out) + 16);
    switch (tail) {
    case DUSK_TAIL_EXPONENTIAL:
        mpfr_log(t, v, against);
        mpfr_neg(out, t, with);
        break;
    case DUSK_TAIL_HALF_NORMAL:
        if (mpfr_cmp_ui(v, 1) >= 0)
            mpfr_set_zero(out, 1);
        else
            half_normal_bound(out, v, side, digits);
        break;
    case DUSK_TAIL_GUMBEL:
        mpfr_neg(t, v, with);    /* -v, pushed up when bounding from above */
        mpfr_log1p(t, t, with);  /* and so is ln(1 - v) */
        mpfr_neg(t, t, against); /* exact */
        mpfr_log(t, t, against);
        mpfr_neg(out, t, with);
        break;
    }
    mpfr_clear(t);
}

/* An argument that is known to a few digits deserves a value of a few more. */
static mpfr_prec_t useful_digits(const dusk_interval *v, mpfr_prec_t precision)
{
    mpfr_t width;
    mpfr_prec_t digits = precision;
    mpfr_init2(width, 16);
    mpfr_sub(width, v->hi, v->lo, MPFR_RNDU);
    bool normal = mpfr_cmp_d(v->lo, 1e-290) > 0 && !mpfr_zero_p(width);
    if (normal && mpfr_get_exp(v->lo) - mpfr_get_exp(width) < COARSE - 8) digits = COARSE;
    mpfr_clear(width);
    return digits;
}

void dusk_tail_quantile(dusk_tail tail, dusk_interval *out, const dusk_interval *v)
{
    mpfr_prec_t digits = useful_digits(v, mpfr_get_prec(out->lo));
    dusk_interval x;
    dusk_interval_init(&x, mpfr_get_prec(out->lo));
    quantile_bound(tail, x.lo, v->hi, -1, digits);
    quantile_bound(tail, x.hi, v->lo, 1, digits);
    mpfr_swap(out->lo, x.lo);
    mpfr_swap(out->hi, x.hi);
    dusk_interval_clear(&x);
}
