/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of a binomial curve next to its mean, one by one: there the continued
 * fraction of binomial_tail.c is slow. With u_i = t_i / t_k and x_i = e^(eps - L_i),
 *     u_{i+1} = u_i (n-i)/(i+1) w1/w0,   x_{i+1} = x_i e^-step,
 *     1 - x_{i+1} = (1 - x_i) + x_i (1 - e^-step):
 * only products and sums of positive numbers, so that relative errors grow by a few
 * roundings a term. */
#include <float.h>
#include <math.h>

#include "accounting/binomial_tail.h"
#include "base/mutant.h"

DUSK_PROVEN(dusk_binomial_window)
double dusk_binomial_window(dusk_interval *out, uint64_t n, uint64_t k, uint64_t end,
                            const dusk_binomial_weights *weights, const mpfr_t gap, const mpfr_t step)
{
    mpfr_t work;
    mpfr_init2(work, mpfr_get_prec(out->lo));
    mpfr_neg(work, gap, MPFR_RNDN);
    mpfr_exp(out->lo, work, MPFR_RNDN);
    mpfr_expm1(work, work, MPFR_RNDN);
    long double x = mpfr_get_ld(out->lo, MPFR_RNDN), rest = -mpfr_get_ld(work, MPFR_RNDN);
    mpfr_neg(work, step, MPFR_RNDN);
    mpfr_exp(out->lo, work, MPFR_RNDN);
    mpfr_expm1(work, work, MPFR_RNDN);
    long double keep = mpfr_get_ld(out->lo, MPFR_RNDN), go = -mpfr_get_ld(work, MPFR_RNDN);
    mpfr_sub(work, weights->log1, weights->log0, MPFR_RNDN);
    mpfr_exp(work, work, MPFR_RNDN);
    long double odds = mpfr_get_ld(work, MPFR_RNDN), term = 1, sum = 0, other = 0;
    uint64_t last = DUSK_MUTATE(BINOMIAL_WINDOW_SHORT, end, end - 1);
    for (uint64_t i = k; i < last; i++) {
        sum += term * rest;
        other += term * x;
        term *= (long double)(n - i) * odds / (long double)(i + 1);
        rest += x * go;
        x *= keep;
    }
    /* 5 roundings for `term`, 4 for `rest`, 2 for the sum, each time */
    double error = 16 * (double)LDBL_EPSILON * ((double)(end - k) + 8);
    dusk_binomial_log_term(work, n, k, weights);
    mpfr_exp(work, work, MPFR_RNDN);
    mpfr_set_ld(out->lo, sum, MPFR_RNDN);
    mpfr_mul(out->lo, out->lo, work, MPFR_RNDN);
    mpfr_set_ld(out->hi, other, MPFR_RNDN);
    mpfr_mul(work, work, out->hi, MPFR_RNDN);
    double slope = mpfr_get_d(work, MPFR_RNDN);
    mpfr_mul_d(out->hi, out->lo, 1 + error, MPFR_RNDU);
    mpfr_mul_d(out->lo, out->lo, 1 - error, MPFR_RNDD);
    mpfr_clear(work);
    return slope;
}
