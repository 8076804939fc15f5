/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_EXCESS_SUM_H
#define DUSK_ACCOUNTING_EXCESS_SUM_H

/* The expected excess of a binomial count over a line:
 *     T = E (A - step M - offset)+,   M ~ Bin(trials, rho),  A ~ Bin(M, 1/2),
 * bounded from above in time O(sqrt(trials)). Privacy by shuffling is made of
 * such sums (blanket.c). */

#include <mpfr.h>

#include "base/platform.h"

/* The line is a fixed-point number of 64 fractional bits. Requires:
 *   1 <= trials <= DUSK_EXCESS_TRIALS_MAX,  0 < rho < 1
 *   0 <= step <= 1 and m/2 - 1/2 <= step m + offset at every m from 0 to trials
 *   odds = (1 - rho)/rho but for a relative 2^-53, log_rho and log_rest =
 *   ln(1 - rho) but for an absolute 2^-100 / trials. */
typedef struct dusk_excess_sum {
    uint64_t trials;
    dusk_uint128 step, offset;
    double odds;
    mpfr_srcptr log_rho, log_rest;
} dusk_excess_sum;

#define DUSK_EXCESS_TRIALS_MAX (UINT64_C(1) << 34)

/* out >= T; about 1e-9 above it in relation, or less. */
void dusk_excess_sum_up(mpfr_t out, const dusk_excess_sum *sum);

/* ln of `count` choose the two or three parts, whose sum is at most `count`; out
 * has 160 bits, and the error is below 2^-100. */
void dusk_log_choose(mpfr_t out, uint64_t count, uint64_t part, uint64_t other);

#endif
