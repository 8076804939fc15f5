/* SPDX-License-Identifier: Apache-2.0 */
/* How many rows: the count plus noise in whole numbers, discrete Laplace (delta
 * 0) or rounded Gaussian. The latter is a function of the ideal Gaussian
 * mechanism, and so can be calibrated by its exact curve whatever the number of
 * coordinates; the discrete Gaussian cannot. Proof: sum.proof.md. */
#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/noise.h"
#include "random/rounded.h"

#include <math.h>

/* Under replace-one a unit's m rows become any number up to m: as far as adding
 * or removing them. One row stays one row: then there is nothing to hide. */
static double count_sensitivity(const dusk_aggregate *how)
{
    return DUSK_MUTATE(COUNT_IGNORES_ROWS_PER_UNIT, how->rows_per_unit, 1);
}

static dusk_status release_public(dusk_answer *out, const dusk_aggregate *how, uint64_t rows, dusk_error *err)
{
    dusk_answer answer = { .value = (double)rows, .confidence = how->confidence };
    dusk_range range = dusk_range_about(answer.value, 0, 0);
    dusk_status status = DUSK_OK;
    dusk_event event;

    DUSK_TRY(dusk_aggregate_event(&event, NULL, 0, err));
    DUSK_TRY(dusk_aggregate_state(&answer.statement, how, false, &event, err));
    answer.low = range.low;
    answer.high = range.high;
    *out = answer;
done:
    return status;
}

DUSK_PROVEN(dusk_count_release)
dusk_status dusk_count_release(dusk_answer *out, const dusk_aggregate *how, uint64_t rows,
                               dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_answer answer;
    dusk_noise noise;
    dusk_event event;
    double half_width, change = count_sensitivity(how);

    DUSK_TRY(dusk_aggregate_check(how, false, err));
    if (dusk_aggregate_size_is_public(how)) return release_public(out, how, rows, err);
    DUSK_TRY(dusk_aggregate_count_noise(&noise, how, 1, 1, change, change, err));
    DUSK_TRY(dusk_aggregate_interval(&half_width, how, 1, &noise, err));
    DUSK_TRY(dusk_noise_event(&noise, &event, err));
    DUSK_TRY(dusk_aggregate_state(&answer.statement, how, false, &event, err));
    DUSK_TRY(dusk_noise_release_steps(&noise, &answer.value, rows, DUSK_WIDTH_FULL, gen, err));
    /* A count is whole and not negative; nothing was rounded. */
    dusk_range range = dusk_range_clamp(dusk_range_about(answer.value, floor(half_width), 0), 0, INFINITY);
    answer.low = range.low;
    answer.high = range.high;
    answer.confidence = how->confidence;
    *out = answer;
done:
    return status;
}
