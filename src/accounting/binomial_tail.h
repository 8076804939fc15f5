/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_BINOMIAL_TAIL_H
#define DUSK_ACCOUNTING_BINOMIAL_TAIL_H

/* Tails of (weight0 + weight1)^n, enclosed at any precision: the cost does not
 * grow with n, and n may be 2^62. */

#include <stdbool.h>
#include <stdint.h>

#include "numeric/real.h"

/* Weights by their logarithms, at most 2^32 in size, and total = ln(weight0 +
 * weight1), all right to an absolute 2^(48 - precision). Everything is multiplied
 * by e^shift, shift being a double. */
typedef struct dusk_binomial_weights {
    mpfr_t log0, log1, total, shift;
} dusk_binomial_weights;

void dusk_binomial_weights_init(dusk_binomial_weights *weights, mpfr_prec_t precision);
void dusk_binomial_weights_clear(dusk_binomial_weights *weights);

/* Enclose e^shift times the sum over i >= k of C(n, i) weight1^i weight0^(n-i), for
 * 0 <= k <= n, 1 <= n <= 2^62, at the precision of `out` (at least
 * DUSK_BINOMIAL_BITS, and that of the weights). False when the continued fraction
 * did not reach a relative width of about 2^-bits within its limit; the enclosure
 * is then wider. What is below 2^-(2^29) may come out as 0. */
#define DUSK_BINOMIAL_BITS 256
bool dusk_binomial_tail(dusk_interval *out, uint64_t n, uint64_t k, const dusk_binomial_weights *weights,
                        int bits);

/* binomial_window.c: enclose the sum over k <= i < end of C(n, i) weight1^i weight0^(n-i)
 * (1 - exp(-gap - (i - k) step)), gap >= 0 and step > 0 being right to a relative
 * 2^-100; end <= n. Returns about the same sum with exp(...) in the place of 1 - exp(...). */
double dusk_binomial_window(dusk_interval *out, uint64_t n, uint64_t k, uint64_t end,
                            const dusk_binomial_weights *weights, const mpfr_t gap, const mpfr_t step);
/* ln of e^shift C(n, i) weight1^i weight0^(n-i), to an absolute 2^(112 - precision). */
void dusk_binomial_log_term(mpfr_t out, uint64_t n, uint64_t i, const dusk_binomial_weights *weights);

#endif
