/* SPDX-License-Identifier: Apache-2.0 */
/* Laplace mechanism [Dwork, McSherry, Nissim & Smith 2006, Theorem 1]: noise of
 * scale (l1 sensitivity) / epsilon in every coordinate is epsilon-private. How
 * it is drawn and released: noise.c. Proof: laplace.proof.md. */
#include "base/error.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"

DUSK_PROVEN(dusk_laplace_init)
dusk_status dusk_laplace_init(dusk_noise *out, uint32_t dimension, double sensitivity, double epsilon,
                              int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise noise;

    DUSK_TRY(dusk_noise_start(&noise, DUSK_LAPLACE, dimension, sensitivity, epsilon, 0, err));
    DUSK_TRY(dusk_noise_place(&noise, 1 / epsilon, grid, err));
    DUSK_TRY(dusk_noise_settle(&noise, dusk_div_up(noise.grid_sensitivity, epsilon), err));
    noise.scale = DUSK_MUTATE(LAPLACE_SCALE_HALVED, noise.scale, noise.scale / 2);
    *out = noise;
done:
    return status;
}
