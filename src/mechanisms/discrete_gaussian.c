/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Gaussian mechanism [Canonne, Kamath & Steinke 2020]: P(k) ~
 * exp(-k^2 / (2 sigma^2)) grid steps. Scalars are calibrated by the exact curve
 * (Theorem 7); vectors through concentrated privacy (Theorem 14), because their
 * exact curve depends on the direction of the difference. How it is drawn and
 * released: noise.c. Proof: discrete_gaussian.proof.md. */
#include <math.h>

#include "accounting/gaussian.h"
#include "base/error.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"

/* *kept: does rho-zCDP keep the promise? */
static dusk_status rho_keeps(bool *kept, double rho, dusk_budget promise, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    double epsilon;

    DUSK_TRY(dusk_event_zcdp(&event, rho, err));
    DUSK_TRY(dusk_event_epsilon_up(&event, &epsilon, promise.delta, err));
    *kept = epsilon <= promise.epsilon;
done:
    return status;
}

/* The largest rho that keeps the promise, to 2^-44 below it: bracketed by powers
 * of two times epsilon, then halved. The price grows with rho without bound. */
static dusk_status find_rho(double *rho, dusk_budget promise, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double low = promise.epsilon, high;
    bool kept = true;

    do {
        high = 2 * low;
        DUSK_TRY(rho_keeps(&kept, high, promise, err));
        if (kept) low = high;
    } while (kept);
    for (;; low /= 2) {
        DUSK_TRY(rho_keeps(&kept, low, promise, err));
        if (kept) break;
        high = low;
    }
    for (int i = 0; i < 44; i++) {
        double middle = low + (high - low) / 2;
        DUSK_TRY(rho_keeps(&kept, middle, promise, err));
        if (kept)
            low = middle;
        else
            high = middle;
    }
    *rho = low;
done:
    return status;
}

DUSK_PROVEN(dusk_discrete_gaussian_scale)
dusk_status dusk_discrete_gaussian_scale(const dusk_noise *noise, double *scale, dusk_error *err)
{
    dusk_budget promise = noise->promise;
    double steps = ldexp(noise->grid_sensitivity, -noise->grid), rho;
    dusk_status status = DUSK_OK;

    if (!(steps <= 0x1p62))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose a coarser grid",
                         "a sensitivity of more than 2^62 steps is too much for discrete noise");
    if (noise->dimension == 1) {
        uint64_t whole = (uint64_t)ceil(steps);
        *scale = ldexp(dusk_discrete_gaussian_sigma_up(whole, promise.epsilon, promise.delta), noise->grid);
    } else {
        DUSK_TRY(find_rho(&rho, promise, err));
        *scale = dusk_div_up(noise->grid_sensitivity, dusk_sqrt_down(2 * rho));
    }
done:
    return status;
}

DUSK_PROVEN(dusk_discrete_gaussian_init)
dusk_status dusk_discrete_gaussian_init(dusk_noise *out, uint32_t dimension, double sensitivity,
                                        double epsilon, double delta, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise noise;
    double scale;

    DUSK_TRY(dusk_noise_start(&noise, DUSK_DISCRETE_GAUSSIAN, dimension, sensitivity, epsilon, delta, err));
    DUSK_TRY(dusk_noise_place(&noise, 1, grid, err));
    DUSK_TRY(dusk_discrete_gaussian_scale(&noise, &scale, err));
    DUSK_TRY(dusk_noise_settle(&noise, scale, err));
    noise.scale = DUSK_MUTATE(DISCRETE_GAUSSIAN_SCALE_HALVED, noise.scale, noise.scale / 2);
    *out = noise;
done:
    return status;
}
