/* SPDX-License-Identifier: Apache-2.0 */
/* The population variance of clamped rows, from three noisy numbers: the count,
 * the sum of deviations from the middle of the bounds, and the sum of their
 * squares, itself taken about half the largest square, which halves its noise:
 *     variance = (Q + n H) / n - (T / n)^2,   Q = sum(d^2 - H), T = sum(d).
 * Proof: variance.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"
#include "random/rounded.h"

/* noise[0]: sum; noise[1]: squares; noise[2], unless the size is public: count. */
typedef struct variance_plan {
    dusk_centre centre;
    unsigned parts;
    dusk_noise noise[3];
    double width[3];
    dusk_statement statement;
} variance_plan;

static dusk_status make_plan(variance_plan *plan, const dusk_aggregate *how, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    double rows = how->rows_per_unit, sides = how->neighbours == DUSK_REPLACE_ONE ? 2 : 1;

    DUSK_TRY(dusk_aggregate_check(how, true, err));
    dusk_centre c = plan->centre = dusk_centre_of(how);
    plan->parts = dusk_aggregate_size_is_public(how) ? 2 : 3;
    plan->width[2] = 0;
    DUSK_TRY(dusk_aggregate_sum_noise(&plan->noise[0], how, plan->parts, dusk_mul_up(sides * rows, c.reach),
                                      c.reach, err));
    double squares = DUSK_MUTATE(VARIANCE_SQUARES_TOO_QUIET, c.half_square, c.half_square / 4);
    DUSK_TRY(dusk_aggregate_sum_noise(&plan->noise[1], how, plan->parts, dusk_mul_up(sides * rows, squares),
                                      c.half_square, err));
    if (plan->parts == 3) DUSK_TRY(dusk_aggregate_count_noise(&plan->noise[2], how, 3, 1, rows, rows, err));
    for (unsigned i = 0; i < plan->parts; i++)
        DUSK_TRY(dusk_aggregate_interval(&plan->width[i], how, plan->parts, &plan->noise[i], err));
    DUSK_TRY(dusk_aggregate_event(&event, plan->noise, plan->parts, err));
    DUSK_TRY(dusk_aggregate_state(&plan->statement, how, true, &event, err));
done:
    return status;
}

/* Interval arithmetic on what the three numbers may have been. Of no rows the
 * variance is 0. */
dusk_range dusk_variance_range(const dusk_centre *c, const dusk_range numbers[3], const int grids[2])
{
    dusk_range rows = numbers[2], count = dusk_range_clamp(rows, 1, INFINITY);
    dusk_range mean = dusk_range_ratio(numbers[0], count), second = dusk_range_ratio(numbers[1], count);
    double mean_lost = ldexp(1, grids[0]) + c->reach * 0x1p-52;
    double second_lost = ldexp(1, grids[1]) + c->half_square * 0x1p-48;
    mean = (dusk_range){ dusk_sub_down(mean.low, mean_lost), dusk_add_up(mean.high, mean_lost) };
    dusk_range square = dusk_range_square(dusk_range_clamp(mean, -c->reach, c->reach));
    double low =
        dusk_sub_down(dusk_add_down(second.low, c->half_square), dusk_add_up(square.high, second_lost));
    double high = dusk_add_up(dusk_sub_up(dusk_add_up(second.high, c->half_square), square.low), second_lost);
    return dusk_range_clamp((dusk_range){ rows.low < 1 ? 0 : low, high }, 0, dusk_mul_up(c->reach, c->reach));
}

static dusk_range variance_range(const variance_plan *plan, const double *noisy)
{
    const int grids[2] = { plan->noise[0].grid, plan->noise[1].grid };
    const dusk_range numbers[3] = { dusk_range_about(noisy[0], plan->width[0], grids[0]),
                                    dusk_range_about(noisy[1], plan->width[1], grids[1]),
                                    dusk_range_about(noisy[2], floor(plan->width[2]), 0) };
    return dusk_variance_range(&plan->centre, numbers, grids);
}

double dusk_variance_value(const dusk_centre *c, const double *noisy)
{
    double count = fmax(noisy[2], 1), mean = fmin(fmax(noisy[0] / count, -c->reach), c->reach);
    double second = (noisy[1] + fmax(noisy[2], 0) * c->half_square) / count;
    return fmin(fmax(second - mean * mean, 0), dusk_mul_up(c->reach, c->reach));
}

static double variance_value(const variance_plan *plan, const double *noisy)
{
    return dusk_variance_value(&plan->centre, noisy);
}

DUSK_PROVEN(dusk_variance_release)
dusk_status dusk_variance_release(dusk_answer *out, const dusk_aggregate *how, const double *rows, size_t n,
                                  dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    variance_plan plan;
    double noisy[3] = { 0, 0, (double)n };

    DUSK_TRY(make_plan(&plan, how, err));
    const dusk_int128 exact[3] = { dusk_centre_sum(&plan.centre, rows, n, plan.noise[0].grid),
                                   dusk_centre_sum_squares(&plan.centre, rows, n, plan.noise[1].grid),
                                   (dusk_int128)n };
    for (unsigned i = 0; i < plan.parts; i++)
        DUSK_TRY(dusk_noise_release_steps(&plan.noise[i], &noisy[i], exact[i], DUSK_WIDTH_FULL, gen, err));
    dusk_range range = variance_range(&plan, noisy);
    *out = (dusk_answer){ .value = variance_value(&plan, noisy),
                          .low = range.low,
                          .high = range.high,
                          .confidence = how->confidence,
                          .statement = plan.statement };
done:
    return status;
}
