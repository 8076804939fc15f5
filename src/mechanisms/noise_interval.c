/* SPDX-License-Identifier: Apache-2.0 */
/* How far an answer with additive noise is from the truth: the tail of each law on
 * the grid, exactly or rounded up. Proof: noise_interval.proof.md. */
#include <math.h>

#include "base/error.h"
#include "mechanisms/noise.h"
#include "mechanisms/request.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

/* Enough for the error of the normal quantile in special.h, at 0 too. */
static double normal_deviate_up(double tail)
{
    return dusk_normal_upper_quantile(tail) * (1 + 1e-12) + 1e-12;
}

/* The least t with P(|K| > t) <= p for the discrete Gaussian law, by adding up
 * its tail from far out; `slack` covers the rounding of those sums. */
static double discrete_gaussian_tail(double sigma, double p)
{
    const double slack = 1 + 1e-9;
    double last = ceil(40 * sigma) + 2, norm = 0, tail = 0;
    for (double k = last; k >= 1; k--) norm += 2 * exp(-k * k / (2 * sigma * sigma));
    norm += 1;
    for (double k = last; k >= 1; k--) {
        tail += 2 * exp(-k * k / (2 * sigma * sigma));
        if (tail * slack > p * norm) return k;
    }
    return 0;
}

/* A t, in steps, with P(|K| > t) <= p. A rounded number exceeds t when the ideal
 * one reaches t + 1/2. */
static double tail_steps(const dusk_noise *noise, double p)
{
    double scale = dusk_noise_scale_in_steps(noise), x;
    switch (noise->law) {
    case DUSK_LAPLACE: x = dusk_mul_up(scale, -dusk_log_down(p)) - 0.5; break;
    case DUSK_GAUSSIAN: x = dusk_mul_up(scale, normal_deviate_up(p / 2)) - 0.5; break;
    case DUSK_DISCRETE_LAPLACE: /* P(|K| > t) = 2 q^(t+1) / (1 + q), q = exp(-1/scale) */
        x = dusk_mul_down(p / 2, dusk_add_down(1, dusk_exp_down(dusk_div_down(-1, scale))));
        x = dusk_mul_up(scale, -dusk_log_down(x)) - 1;
        break;
    case DUSK_STAIRCASE: return dusk_staircase_tail(noise, p);
    case DUSK_TRUNCATED_LAPLACE: return dusk_truncated_laplace_tail(noise, p);
    case DUSK_SINH_NORMAL: return dusk_sinh_normal_tail(noise, normal_deviate_up(p / 2));
    default: /* P(|K| > t) <= P(|Z| >= t): Canonne, Kamath & Steinke 2020, Proposition 25 */
        if (scale <= 0x1p12) return discrete_gaussian_tail(scale, p);
        x = dusk_mul_up(scale, normal_deviate_up(p / 2));
        break;
    }
    return fmax(ceil(x * (1 + 0x1p-52)), 0); /* the subtraction was to nearest */
}

/* 1 - confidence^(1/dimension), rounded down: the coordinates are independent. */
static double tail_of_each(double confidence, uint32_t dimension)
{
    return -dusk_expm1_up(dusk_div_up(dusk_log_up(confidence), dimension));
}

DUSK_PROVEN(dusk_noise_interval)
dusk_status dusk_noise_interval(const dusk_noise *noise, double *half_width, double confidence,
                                dusk_error *err)
{
    dusk_status status = dusk_noise_check(noise, err);
    if (status != DUSK_OK) return status;
    if ((status = dusk_request_confidence(confidence, err)) != DUSK_OK) return status;
    double steps = tail_steps(noise, tail_of_each(confidence, noise->dimension));
    *half_width = ldexp(dusk_add_up(steps, 0.5), noise->grid); /* half a step: the value was rounded */
    return DUSK_OK;
}
