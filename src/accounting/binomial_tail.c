/* SPDX-License-Identifier: Apache-2.0 */
/* Binomial tails by the continued fraction of the incomplete beta function
 * [DiDonato & Morris 1992, "Algorithm 708", section 3.2]: with x = p, y = 1 - p,
 *     P(X >= a) = a y t_a K(a, b, x),  b = n - a + 1,  t_a = P(X = a),
 *     K = 1/(beta_0 + alpha_1/(beta_1 + alpha_2/(beta_2 + ...))),
 *     alpha_j = (a+j-1)(a+b+j-1) j (b-j) x^2 / (a+2j-1)^2,
 *     beta_j  = j + j(b-j)x/(a+2j-1) + (a+j)/(a+2j+1) (1 + lambda + j(1+y)),
 *     lambda  = a - (a+b) x.
 * Above the mean (lambda >= 0) every alpha and beta is positive, so neighbouring
 * convergents lie on the two sides of K; alpha_b = 0 ends it. Below the mean the
 * other tail is taken from the whole. Some deviations from the mean the terms
 * needed are few and do not depend on n; at the mean they are about sqrt(n). */
#include "accounting/binomial_tail.h"

#include <stdbool.h>

#include "base/mutant.h"

/* Terms that a fraction may have. */
#define TERMS_MAX (1u << 13)
/* All rounding errors together are below 2^(MARGIN - precision), relative. */
#define MARGIN 140

/* Numerators or denominators of two neighbouring convergents. */
typedef struct run {
    mpfr_t before, now;
} run;

static void run_init(run *r, mpfr_prec_t precision, unsigned long before, unsigned long now)
{
    mpfr_inits2(precision, r->before, r->now, (mpfr_ptr)0);
    mpfr_set_ui(r->before, before, MPFR_RNDN);
    mpfr_set_ui(r->now, now, MPFR_RNDN);
}

static void run_clear(run *r) { mpfr_clears(r->before, r->now, (mpfr_ptr)0); }

/* now' = beta now + alpha before */
static void run_step(run *r, const mpfr_t alpha, const mpfr_t beta)
{
    mpfr_mul(r->before, r->before, alpha, MPFR_RNDN);
    mpfr_fma(r->before, r->now, beta, r->before, MPFR_RNDN);
    mpfr_swap(r->before, r->now);
}

/* What a term is made of. */
typedef struct fraction {
    uint64_t a, b;
    mpfr_t x, y, one_lambda; /* 1 + lambda >= 1 */
    mpfr_t alpha, beta, work;
} fraction;

static void fraction_init(fraction *f, mpfr_prec_t precision)
{
    mpfr_inits2(precision, f->x, f->y, f->one_lambda, f->alpha, f->beta, f->work, (mpfr_ptr)0);
}

static void fraction_clear(fraction *f)
{
    mpfr_clears(f->x, f->y, f->one_lambda, f->alpha, f->beta, f->work, (mpfr_ptr)0);
}

/* alpha_j and beta_j; 1 <= j <= b. Whole numbers stay below 2^64. */
static void fraction_term(fraction *f, uint64_t j)
{
    uint64_t a = f->a, b = f->b, odd = a + 2 * j - 1;
    mpfr_mul_ui(f->work, f->x, j, MPFR_RNDN);
    mpfr_mul_ui(f->work, f->work, b - j, MPFR_RNDN);
    mpfr_div_ui(f->work, f->work, odd, MPFR_RNDN); /* j (b-j) x / (a+2j-1) */
    mpfr_mul(f->alpha, f->work, f->x, MPFR_RNDN);
    mpfr_mul_ui(f->alpha, f->alpha, a + j - 1, MPFR_RNDN);
    mpfr_mul_ui(f->alpha, f->alpha, a + b + j - 1, MPFR_RNDN);
    mpfr_div_ui(f->alpha, f->alpha, odd, MPFR_RNDN);

    mpfr_add_ui(f->beta, f->y, 1, MPFR_RNDN);
    mpfr_mul_ui(f->beta, f->beta, j, MPFR_RNDN);
    mpfr_add(f->beta, f->beta, f->one_lambda, MPFR_RNDN);
    mpfr_mul_ui(f->beta, f->beta, a + j, MPFR_RNDN);
    mpfr_div_ui(f->beta, f->beta, odd + 2, MPFR_RNDN);
    mpfr_add(f->beta, f->beta, f->work, MPFR_RNDN);
    mpfr_add_ui(f->beta, f->beta, j, MPFR_RNDN);
}

/* The last two convergents. Odd ones rise to the value, even ones fall to it; one
 * after `last` = b - 1 terms is the value itself. */
static void convergents(dusk_interval *out, const run *top, const run *bottom, uint64_t last, uint64_t b)
{
    mpfr_div(last % 2 ? out->lo : out->hi, top->now, bottom->now, MPFR_RNDN);
    if (last + 1 == b)
        mpfr_set(last % 2 ? out->hi : out->lo, last % 2 ? out->lo : out->hi, MPFR_RNDN);
    else
        mpfr_div(last % 2 ? out->hi : out->lo, top->before, bottom->before, MPFR_RNDN);
    if (mpfr_cmp(out->lo, out->hi) > 0) mpfr_swap(out->lo, out->hi); /* by rounding */
}

static bool is_near(const dusk_interval *x, int bits, mpfr_t work)
{
    mpfr_sub(work, x->hi, x->lo, MPFR_RNDN);
    return mpfr_zero_p(work) || mpfr_get_exp(work) < mpfr_get_exp(x->hi) - bits;
}

/* Two convergents, `bits` good digits apart or as near as the terms allow. */
DUSK_PROVEN(fraction_enclose)
static bool fraction_enclose(dusk_interval *out, fraction *f, int bits)
{
    mpfr_prec_t precision = mpfr_get_prec(out->lo);
    run top, bottom;
    run_init(&top, precision, 0, 1);
    run_init(&bottom, precision, 1, 0);
    /* beta_0 = a (1 + lambda) / (a + 1) */
    mpfr_mul_ui(f->beta, f->one_lambda, f->a, MPFR_RNDN);
    mpfr_div_ui(bottom.now, f->beta, f->a + 1, MPFR_RNDN);
    uint64_t j = 0, end = f->b - 1 < TERMS_MAX ? f->b - 1 : TERMS_MAX;
    convergents(out, &top, &bottom, 0, f->b);
    while (j < end && !(j % 8 == 0 && j > 0 && is_near(out, bits, f->work))) {
        fraction_term(f, ++j);
        run_step(&top, f->alpha, f->beta);
        run_step(&bottom, f->alpha, f->beta);
        if (j % 8 == 0 || j == end) convergents(out, &top, &bottom, j, f->b);
    }
    run_clear(&top);
    run_clear(&bottom);
    return is_near(out, bits, f->work);
}

void dusk_binomial_weights_init(dusk_binomial_weights *weights, mpfr_prec_t precision)
{
    mpfr_inits2(precision, weights->log0, weights->log1, weights->total, weights->shift, (mpfr_ptr)0);
}

void dusk_binomial_weights_clear(dusk_binomial_weights *weights)
{
    mpfr_clears(weights->log0, weights->log1, weights->total, weights->shift, (mpfr_ptr)0);
}

/* add or subtract ln m! */
static void add_log_factorial(mpfr_t out, uint64_t m, bool subtract, mpfr_t work)
{
    int sign;
    mpfr_set_ui(work, m, MPFR_RNDN);
    mpfr_add_ui(work, work, 1, MPFR_RNDN);
    mpfr_lgamma(work, &sign, work, MPFR_RNDN);
    if (subtract)
        mpfr_sub(out, out, work, MPFR_RNDN);
    else
        mpfr_add(out, out, work, MPFR_RNDN);
}

void dusk_binomial_log_term(mpfr_t out, uint64_t n, uint64_t i, const dusk_binomial_weights *weights)
{
    mpfr_t work;
    mpfr_init2(work, mpfr_get_prec(out));
    mpfr_mul_ui(out, weights->log1, i, MPFR_RNDN);
    mpfr_mul_ui(work, weights->log0, n - i, MPFR_RNDN);
    mpfr_add(out, out, work, MPFR_RNDN);
    mpfr_add(out, out, weights->shift, MPFR_RNDN);
    if (i > 0 && i < n) {
        add_log_factorial(out, n, false, work);
        add_log_factorial(out, i, true, work);
        add_log_factorial(out, n - i, true, work);
    }
    mpfr_clear(work);
}

/* Move the ends outward by the errors of rounding. */
static void widen(dusk_interval *x)
{
    mpfr_prec_t precision = mpfr_get_prec(x->lo);
    mpfr_t factor;
    mpfr_init2(factor, precision);
    mpfr_set_ui_2exp(factor, 1, MARGIN - (mpfr_exp_t)precision, MPFR_RNDN);
    mpfr_ui_sub(factor, 1, factor, MPFR_RNDD);
    mpfr_mul(x->lo, x->lo, factor, MPFR_RNDD);
    mpfr_div(x->hi, x->hi, factor, MPFR_RNDU);
    mpfr_clear(factor);
}

/* p and q of the weights, without cancellation, and 1 + lambda of the tail >= k;
 * mirrored when the mean is above it. True when mirrored. */
static bool fraction_aim(fraction *f, uint64_t n, uint64_t k, const dusk_binomial_weights *weights)
{
    mpfr_sub(f->x, weights->log0, weights->log1, MPFR_RNDN);
    mpfr_neg(f->y, f->x, MPFR_RNDN);
    mpfr_exp(f->x, f->x, MPFR_RNDN);
    mpfr_exp(f->y, f->y, MPFR_RNDN);
    mpfr_add_ui(f->x, f->x, 1, MPFR_RNDN);
    mpfr_add_ui(f->y, f->y, 1, MPFR_RNDN);
    mpfr_ui_div(f->x, 1, f->x, MPFR_RNDN);
    mpfr_ui_div(f->y, 1, f->y, MPFR_RNDN);
    mpfr_mul_ui(f->work, f->x, n + 1, MPFR_RNDN);
    mpfr_ui_sub(f->one_lambda, k, f->work, MPFR_RNDN); /* lambda */
    bool mirrored = mpfr_sgn(f->one_lambda) < 0;
    f->a = mirrored ? n - k + 1 : k;
    f->b = n + 1 - f->a;
    if (mirrored) mpfr_swap(f->x, f->y);
    mpfr_abs(f->one_lambda, f->one_lambda, MPFR_RNDN);
    mpfr_add_ui(f->one_lambda, f->one_lambda, 1, MPFR_RNDN);
    return mirrored;
}

DUSK_PROVEN(dusk_binomial_tail)
bool dusk_binomial_tail(dusk_interval *out, uint64_t n, uint64_t k, const dusk_binomial_weights *weights,
                        int bits)
{
    mpfr_prec_t precision = mpfr_get_prec(out->lo);
    dusk_interval whole;
    fraction f;
    fraction_init(&f, precision);
    dusk_interval_init(&whole, precision);
    mpfr_mul_ui(whole.lo, weights->total, n, MPFR_RNDN);
    mpfr_add(whole.lo, whole.lo, weights->shift, MPFR_RNDN);
    mpfr_exp(whole.lo, whole.lo, MPFR_RNDN);
    mpfr_set(whole.hi, whole.lo, MPFR_RNDN);
    widen(&whole);
    bool reached = true, mirrored = k == 0 || fraction_aim(&f, n, k, weights);
    if (k == 0) {
        mpfr_set_zero(out->lo, 1);
        mpfr_set_zero(out->hi, 1);
    } else {
        reached = fraction_enclose(out, &f, bits);
        dusk_binomial_log_term(f.work, n, mirrored ? k - 1 : k, weights);
        mpfr_exp(f.work, f.work, MPFR_RNDN);
        mpfr_mul_ui(f.work, f.work, f.a, MPFR_RNDN);
        mpfr_mul(f.work, f.work, f.y, MPFR_RNDN);
        mpfr_mul(out->lo, out->lo, f.work, MPFR_RNDN);
        mpfr_mul(out->hi, out->hi, f.work, MPFR_RNDN);
        widen(out);
    }
    if (mirrored) dusk_interval_sub(out, &whole, out);
    dusk_interval_clear(&whole);
    fraction_clear(&f);
    return reached;
}
