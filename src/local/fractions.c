/* SPDX-License-Identifier: Apache-2.0 */
/* Fractions of 2^64: from an epsilon, rounded so that it is kept, and back, rounded up. Proof: fractions.proof.md. */
#include <math.h>
#include <mpfr.h>

#include "base/mutant.h"
#include "local/protocol.h"

double local_chance(uint64_t p) { return ldexp((double)p, -64); }

/* 2^64 / (1 + weight e^-epsilon), every step rounded so that the result is not above it. */
DUSK_PROVEN(local_keep_down)
uint64_t local_keep_down(double epsilon, double weight)
{
    mpfr_t x;
    mpfr_init2(x, 192);
    mpfr_set_d(x, -epsilon, MPFR_RNDU);
    mpfr_exp(x, x, MPFR_RNDU);
    mpfr_mul_d(x, x, weight, MPFR_RNDU);
    mpfr_add_ui(x, x, 1, MPFR_RNDU);
    mpfr_ui_div(x, 1, x, MPFR_RNDD);
    mpfr_mul_2ui(x, x, 64, MPFR_RNDD);
    if (DUSK_MUTATE(KEEP_ROUNDS_UP, false, true)) mpfr_add_ui(x, x, 1, MPFR_RNDU);
    mpfr_floor(x, x);
    uint64_t p = mpfr_cmp_d(x, 0x1p64) >= 0 ? UINT64_MAX : 0;
    if (!p) {
        mpfr_t high;
        mpfr_init2(high, 192);
        mpfr_div_2ui(high, x, 32, MPFR_RNDD);
        mpfr_floor(high, high);
        const uint64_t top = mpfr_get_ui(high, MPFR_RNDD);
        mpfr_mul_2ui(high, high, 32, MPFR_RNDD);
        mpfr_sub(x, x, high, MPFR_RNDD);
        p = top << 32 | mpfr_get_ui(x, MPFR_RNDD);
        mpfr_clear(high);
    }
    mpfr_clear(x);
    return p > 0 ? p : 1;
}

static void set_wide(mpfr_t out, dusk_uint128 x) /* exactly, at 128 bits or more */
{
    mpfr_set_ui(out, (unsigned long)(x >> 64), MPFR_RNDN);
    mpfr_mul_2ui(out, out, 64, MPFR_RNDN);
    mpfr_add_ui(out, out, (unsigned long)x, MPFR_RNDN);
}

DUSK_PROVEN(local_log_ratio_up)
double local_log_ratio_up(dusk_uint128 a, dusk_uint128 b)
{
    mpfr_t x, y;
    mpfr_inits2(192, x, y, (mpfr_ptr)0);
    set_wide(x, a > b ? a : b);
    set_wide(y, a > b ? b : a);
    mpfr_div(x, x, y, MPFR_RNDU);
    mpfr_log(x, x, MPFR_RNDU);
    const double up = mpfr_get_d(x, DUSK_MUTATE(LOG_RATIO_ROUNDS_DOWN, MPFR_RNDU, MPFR_RNDD));
    mpfr_clears(x, y, (mpfr_ptr)0);
    return up;
}

double local_log_odds_up(uint64_t p, uint64_t a, uint64_t b)
{
    return local_log_ratio_up((dusk_uint128)p * a, (((dusk_uint128)1 << 64) - p) * b);
}

void local_pure_estimate(double truth, double other, double supports, double reports, double *count,
                         double *deviation)
{
    const double gain = truth - other, estimate = (supports - reports * other) / gain;
    const double holders = fmin(fmax(estimate, 0), reports); /* of which variance depends little */
    *count = estimate;
    if (deviation)
        *deviation = sqrt(holders * truth * (1 - truth) + (reports - holders) * other * (1 - other)) / gain;
}

void local_no_estimate(double *count, double *deviation)
{
    *count = 0;
    if (deviation) *deviation = 0;
}

double local_pure_variance(double truth, double other, double share)
{
    const double gain = truth - other;
    return (share * truth * (1 - truth) + (1 - share) * other * (1 - other)) / (gain * gain);
}
