/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Laplace, or two-sided geometric, mechanism [Ghosh, Roughgarden &
 * Sundararajan 2009]: noise with P(k) ~ exp(-|k| / b) grid steps in every
 * coordinate is s/b-private at an l1 sensitivity of s steps, and no smaller
 * epsilon is true. How it is drawn and released: noise.c. Proof:
 * discrete_laplace.proof.md. */
#include "base/error.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"

DUSK_PROVEN(dusk_discrete_laplace_init)
dusk_status dusk_discrete_laplace_init(dusk_noise *out, uint32_t dimension, double sensitivity,
                                       double epsilon, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise noise;

    DUSK_TRY(dusk_noise_start(&noise, DUSK_DISCRETE_LAPLACE, dimension, sensitivity, epsilon, 0, err));
    DUSK_TRY(dusk_noise_place(&noise, 1 / epsilon, grid, err));
    DUSK_TRY(dusk_noise_settle(&noise, dusk_div_up(noise.grid_sensitivity, epsilon), err));
    noise.scale = DUSK_MUTATE(DISCRETE_LAPLACE_SCALE_HALVED, noise.scale, noise.scale / 2);
    *out = noise;
done:
    return status;
}
