/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian mechanism, calibrated by its exact privacy curve [Balle & Wang 2018,
 * Theorem 8], or classically [Dwork & Roth 2014, Theorem A.1], which needs more
 * noise and is proven for epsilon < 1 only. How it is drawn and released:
 * noise.c. Proof: gaussian.proof.md. */
#include <math.h>

#include "accounting/gaussian.h"
#include "base/error.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"

/* `ratio`: deviation over l2 sensitivity that keeps the promise of `noise`. */
static dusk_status finish(dusk_noise *out, dusk_noise *noise, double ratio, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_noise_place(noise, ratio, grid, err));
    DUSK_TRY(dusk_noise_settle(noise, dusk_mul_up(noise->grid_sensitivity, ratio), err));
    noise->scale = DUSK_MUTATE(GAUSSIAN_SCALE_HALVED, noise->scale, noise->scale / 2);
    *out = *noise;
done:
    return status;
}

DUSK_PROVEN(dusk_gaussian_init)
dusk_status dusk_gaussian_init(dusk_noise *out, uint32_t dimension, double sensitivity, double epsilon,
                               double delta, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise noise;

    DUSK_TRY(dusk_noise_start(&noise, DUSK_GAUSSIAN, dimension, sensitivity, epsilon, delta, err));
    DUSK_TRY(finish(out, &noise, dusk_gaussian_sigma_up(epsilon, delta), grid, err));
done:
    return status;
}

DUSK_PROVEN(dusk_gaussian_classical_init)
dusk_status dusk_gaussian_classical_init(dusk_noise *out, uint32_t dimension, double sensitivity,
                                         double epsilon, double delta, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise noise;

    DUSK_TRY(dusk_noise_start(&noise, DUSK_GAUSSIAN, dimension, sensitivity, epsilon, delta, err));
    if (!(epsilon < DUSK_MUTATE(GAUSSIAN_CLASSICAL_EVERYWHERE, 1, INFINITY)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use the analytic Gaussian, which holds for every epsilon",
                         "the classical Gaussian is proven for epsilon below 1 only");
    DUSK_TRY(finish(out, &noise, dusk_gaussian_classical_sigma_up(epsilon, delta), grid, err));
done:
    return status;
}

DUSK_PROVEN(dusk_gaussian_multiplier_init)
dusk_status dusk_gaussian_multiplier_init(dusk_noise *out, uint32_t dimension, double sensitivity,
                                          double multiplier, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise noise;

    DUSK_TRY(dusk_noise_start(&noise, DUSK_GAUSSIAN, dimension, sensitivity, 1, 0.5, err));
    if (!(multiplier > 0 && multiplier < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common choices lie between 0.5 and 100",
                         "the noise multiplier must be finite and above 0");
    noise.promise = (dusk_budget){ INFINITY, 0 };
    DUSK_TRY(finish(out, &noise,
                    DUSK_MUTATE(GAUSSIAN_MULTIPLIER_SQUARED, multiplier, multiplier * multiplier), grid,
                    err));
done:
    return status;
}
