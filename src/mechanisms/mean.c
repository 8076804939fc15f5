/* SPDX-License-Identifier: Apache-2.0 */
/* The mean of clamped rows: the middle of the bounds, plus a noisy sum of
 * deviations from it over a noisy count. Centring halves the noise of the sum,
 * and the number of rows is never used as it is unless it is public. Proof:
 * mean.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"
#include "random/rounded.h"

/* noise[0] is for the sum; noise[1], unless the size is public, for the count. */
typedef struct mean_plan {
    dusk_centre centre;
    unsigned parts;
    dusk_noise noise[2];
    double sum_width, count_width;
    dusk_statement statement;
} mean_plan;

/* A unit's deviations add up to something between -m reach and m reach. */
static dusk_status make_plan(mean_plan *plan, const dusk_aggregate *how, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    double rows = how->rows_per_unit, sides = how->neighbours == DUSK_REPLACE_ONE ? 2 : 1;

    DUSK_TRY(dusk_aggregate_check(how, true, err));
    plan->centre = dusk_centre_of(how);
    plan->parts = dusk_aggregate_size_is_public(how) ? 1 : 2;
    plan->count_width = 0;
    DUSK_TRY(dusk_aggregate_sum_noise(&plan->noise[0], how, plan->parts,
                                      dusk_mul_up(sides * rows, plan->centre.reach), plan->centre.reach,
                                      err));
    DUSK_TRY(dusk_aggregate_interval(&plan->sum_width, how, plan->parts, &plan->noise[0], err));
    if (plan->parts == 2) {
        DUSK_TRY(dusk_aggregate_count_noise(&plan->noise[1], how, 2, 1, rows, rows, err));
        DUSK_TRY(dusk_aggregate_interval(&plan->count_width, how, 2, &plan->noise[1], err));
    }
    DUSK_TRY(dusk_aggregate_event(&event, plan->noise, plan->parts, err));
    DUSK_TRY(dusk_aggregate_state(&plan->statement, how, true, &event, err));
done:
    return status;
}

/* The mean of no rows counts as the middle, that is 0 / 1. A row's deviation
 * was rounded by the grid and by one subtraction. */
dusk_range dusk_mean_range(const dusk_centre *centre, dusk_range total, dusk_range rows, int grid)
{
    dusk_range mean = dusk_range_ratio(total, dusk_range_clamp(rows, 1, INFINITY));
    double lost = ldexp(1, grid) + centre->reach * 0x1p-52;
    mean.low = dusk_add_down(centre->middle, dusk_sub_down(mean.low, lost));
    mean.high = dusk_add_up(centre->middle, dusk_add_up(mean.high, lost));
    return dusk_range_clamp(mean, centre->lower, centre->upper);
}

static dusk_range mean_range(const mean_plan *plan, double sum, double count)
{
    dusk_range rows = dusk_range_about(count, floor(plan->count_width), 0);
    dusk_range total = dusk_range_about(sum, plan->sum_width, plan->noise[0].grid);
    return dusk_mean_range(&plan->centre, total, rows, plan->noise[0].grid);
}

DUSK_PROVEN(dusk_mean_release)
dusk_status dusk_mean_release(dusk_answer *out, const dusk_aggregate *how, const double *rows, size_t n,
                              dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    mean_plan plan;
    double sum, count = (double)n;

    DUSK_TRY(make_plan(&plan, how, err));
    dusk_int128 exact = dusk_centre_sum(&plan.centre, rows, n, plan.noise[0].grid);
    DUSK_TRY(dusk_noise_release_steps(&plan.noise[0], &sum, exact, DUSK_WIDTH_FULL, gen, err));
    unsigned parts = DUSK_MUTATE(REPLAY_CALL_ON_ONE_SIDE, plan.parts, n % 2 ? 1 : plan.parts);
    if (DUSK_MUTATE(MEAN_USES_N, parts, 1) == 2)
        DUSK_TRY(dusk_noise_release_steps(&plan.noise[1], &count, n, DUSK_WIDTH_FULL, gen, err));
    dusk_range range = mean_range(&plan, sum, count);
    *out =
        (dusk_answer){ .value = fmin(fmax(plan.centre.middle + sum / fmax(count, 1), how->lower), how->upper),
                       .low = range.low,
                       .high = range.high,
                       .confidence = how->confidence,
                       .statement = plan.statement };
done:
    return status;
}
