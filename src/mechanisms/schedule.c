/* SPDX-License-Identifier: Apache-2.0 */
/* One promise for several choices and measurements. Without delta the epsilons add up.
 * With delta the shares are of zero-concentrated privacy, rho [Bun & Steinke 2016]: sigma
 * = s sqrt(t / (2 rho)) for a measurement that is made t times, epsilon = sqrt(8 rho / t) for a
 * choice of bounded range [Cesar & Rogers 2021]. That fixes the proportions only: how
 * large rho may be is what the best accountant says about the event of the whole, which
 * is what will be stated. Proof: schedule.proof.md. */
#include "mechanisms/schedule.h"

#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"

/* The part for a budget: epsilon without delta, rho with. */
static dusk_status build_part(dusk_schedule_part *part, const dusk_aggregate *how, double budget,
                              dusk_error *err)
{
    bool pure = how->delta == 0;
    double each = budget * part->share / (double)part->times;
    dusk_noise *noise = &part->noise;
    dusk_status status = DUSK_OK;

    if (part->choice)
        return dusk_selection_init(&part->selection, DUSK_SELECT_EXPONENTIAL, part->sensitivity, false,
                                   pure ? each : sqrt(8 * each), err);
    DUSK_TRY(dusk_noise_start(noise, pure ? DUSK_DISCRETE_LAPLACE : DUSK_GAUSSIAN, part->dimension,
                              part->sensitivity, how->epsilon, how->delta, err));
    noise->grid = 0;
    noise->grid_sensitivity = noise->sensitivity; /* whole numbers stay as they are */
    noise->scale = part->sensitivity * (pure ? 1 / each : sqrt(0.5 / each));
done:
    return status;
}

static dusk_status add_event(dusk_event *sum, const dusk_schedule_part *part, bool first, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;

    if (part->choice)
        DUSK_TRY(dusk_selection_event(&part->selection, 1, &event, err));
    else
        DUSK_TRY(dusk_noise_event(&part->noise, &event, err));
    DUSK_TRY(dusk_event_repeat(&event, &event, DUSK_MUTATE(SCHEDULE_COUNTS_ONCE, part->times, 1), err));
    if (first)
        *sum = event;
    else
        DUSK_TRY(dusk_event_add(sum, sum, &event, err));
done:
    return status;
}

/* *kept: is the whole within the promise? */
DUSK_PROVEN(try_budget)
static dusk_status try_budget(bool *kept, dusk_schedule_part *parts, size_t n, const dusk_aggregate *how,
                              double budget, dusk_statement *statement, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;

    for (size_t i = 0; i < n; i++) {
        DUSK_TRY(build_part(&parts[i], how, budget, err));
        DUSK_TRY(add_event(&event, &parts[i], i == 0, err));
    }
    DUSK_TRY(dusk_aggregate_state(statement, how, false, &event, err));
    *kept = statement->epsilon <= how->epsilon;
done:
    return status;
}

/* Without delta: a little below epsilon, so that what is rounded up adds up to it. */
static dusk_status calibrate_pure(dusk_schedule_part *parts, size_t n, const dusk_aggregate *how,
                                  dusk_statement *statement, dusk_error *err)
{
    bool kept = false;
    for (double less = 0x1p-52; less <= 0x1p-20; less *= 2) {
        dusk_status status = try_budget(&kept, parts, n, how, how->epsilon * (1 - less), statement, err);
        if (status != DUSK_OK || kept) return status;
    }
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "no schedule was found that keeps epsilon %.17g",
                     how->epsilon);
}

/* With delta: rho of the textbook conversion, then as much more as the accountant allows,
 * to within a thousandth. */
static dusk_status calibrate_rho(dusk_schedule_part *parts, size_t n, const dusk_aggregate *how,
                                 dusk_statement *statement, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double log_delta = -log(how->delta), high;
    double low = how->epsilon / (sqrt(log_delta + how->epsilon) + sqrt(log_delta));
    bool kept = false;

    low *= low;
    for (int i = 0; i < 64 && !kept; i++) {
        DUSK_TRY(try_budget(&kept, parts, n, how, low, statement, err));
        if (!kept) low /= 2;
    }
    if (!kept)
        return dusk_fail(err, DUSK_ERR_INTERNAL, "",
                         "no schedule was found that keeps epsilon %.17g, delta %.17g", how->epsilon,
                         how->delta);
    for (high = 2 * low; kept; high *= 2) {
        DUSK_TRY(try_budget(&kept, parts, n, how, high, statement, err));
        if (kept) low = high;
    }
    high = 2 * low;
    while (high - low > 0x1p-10 * low) {
        double middle = low + (high - low) / 2;
        DUSK_TRY(try_budget(&kept, parts, n, how, middle, statement, err));
        if (kept)
            low = middle;
        else
            high = middle;
    }
    DUSK_TRY(try_budget(&kept, parts, n, how, low, statement, err)); /* fill in what was kept */
    if (!kept) status = dusk_fail(err, DUSK_ERR_INTERNAL, "", "an accountant changed its mind");
done:
    return status;
}

DUSK_PROVEN(dusk_schedule_calibrate)
dusk_status dusk_schedule_calibrate(dusk_schedule_part *parts, size_t n, const dusk_aggregate *how,
                                    dusk_statement *statement, dusk_error *err)
{
    return how->delta == 0 ? calibrate_pure(parts, n, how, statement, err)
                           : calibrate_rho(parts, n, how, statement, err);
}
