/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of clamped rows. Every row becomes a whole number of grid steps by
 * itself, toward zero, and integers are added: so one unit moves the sum by no
 * more than its own rows, whatever the order and the other rows are. Proof:
 * sum.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/noise.h"
#include "numeric/fixed_sum.h"
#include "numeric/rounding.h"
#include "random/rounded.h"

/* How far one unit can move the sum. With 0 to m rows its own sum lies between
 * m min(lower, 0) and m max(upper, 0); with exactly one row, in [lower, upper]. */
static double sum_sensitivity(const dusk_aggregate *how)
{
    double most = fmax(how->upper, 0), least = fmin(how->lower, 0);
    if (dusk_aggregate_size_is_public(how)) return dusk_sub_up(how->upper, how->lower);
    if (how->neighbours == DUSK_REPLACE_ONE) return dusk_mul_up(how->rows_per_unit, dusk_sub_up(most, least));
    return dusk_mul_up(how->rows_per_unit, fmax(most, -least));
}

/* What the rounding of rows can take from the sum at most: a step each, for 2^32
 * rows unless their number is public. */
static double rounding_loss(const dusk_aggregate *how, const dusk_noise *noise, size_t n)
{
    double rows = dusk_aggregate_size_is_public(how) ? (double)n : 0x1p32;
    return ldexp(rows * (1 + 0x1p-52), noise->grid);
}

DUSK_PROVEN(dusk_sum_release)
dusk_status dusk_sum_release(dusk_answer *out, const dusk_aggregate *how, const double *rows, size_t n,
                             dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_answer answer;
    dusk_noise noise;
    dusk_event event;
    double half_width;

    DUSK_TRY(dusk_aggregate_check(how, true, err));
    DUSK_TRY(dusk_aggregate_sum_noise(&noise, how, 1, sum_sensitivity(how),
                                      fmax(fabs(how->lower), fabs(how->upper)), err));
    DUSK_TRY(dusk_aggregate_interval(&half_width, how, 1, &noise, err));
    DUSK_TRY(dusk_noise_event(&noise, &event, err));
    DUSK_TRY(dusk_aggregate_state(&answer.statement, how, true, &event, err));
    const dusk_fixed_clamp clamp = { .lower = how->lower,
                                     .upper = DUSK_MUTATE(SUM_UNCLAMPED, how->upper, 4 * how->upper),
                                     .grid = noise.grid };
    noise.scale *= DUSK_MUTATE(REPLAY_SCALE_FROM_DATA, 1, 1 + (double)n / 1000);
    dusk_int128 sum = dusk_fixed_sum(rows, n, &clamp);
    DUSK_TRY(dusk_noise_release_steps(&noise, &answer.value, sum, DUSK_WIDTH_FULL, gen, err));
    dusk_range range =
        dusk_range_about(answer.value, dusk_add_up(half_width, rounding_loss(how, &noise, n)), noise.grid);
    answer.low = range.low;
    answer.high = range.high;
    answer.confidence = how->confidence;
    *out = answer;
done:
    return status;
}
