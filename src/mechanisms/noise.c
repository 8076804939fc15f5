/* SPDX-License-Identifier: Apache-2.0 */
/* Additive noise on a public grid. If the value lies on the grid, value +
 * round(Z) is a function of value + Z, so it is at least as private as the
 * ideal mechanism [Laplace: Dwork, McSherry, Nissim & Smith 2006, Theorem 1;
 * Gaussian: Balle & Wang 2018, Theorem 8]; discrete noise has proofs of its own
 * [Ghosh, Roughgarden & Sundararajan 2009; Canonne, Kamath & Steinke 2020]. What
 * rounding the value costs is in grid_sensitivity. Proof: noise.proof.md.
 *
 * The law of the draws is random/noise_additive.h; which scale keeps a promise
 * is said in laplace.c and its neighbours. */
#include "mechanisms/noise.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "mechanisms/request.h"
#include "numeric/rounding.h"

static bool is_gaussian(dusk_noise_law law) { return law == DUSK_GAUSSIAN || law == DUSK_DISCRETE_GAUSSIAN; }

static bool is_discrete(dusk_noise_law law)
{
    return law == DUSK_DISCRETE_LAPLACE || law == DUSK_DISCRETE_GAUSSIAN;
}

double dusk_noise_scale_in_steps(const dusk_noise *noise) { return ldexp(noise->scale, -noise->grid); }

double dusk_noise_sensitivity_in_steps(const dusk_noise *noise)
{
    return ldexp(noise->grid_sensitivity, -noise->grid);
}

/* --- calibration --------------------------------------------------------- */

static bool has_delta(dusk_noise_law law) { return is_gaussian(law) || law == DUSK_TRUNCATED_LAPLACE; }

dusk_status dusk_noise_start(dusk_noise *out, dusk_noise_law law, uint32_t dimension, double sensitivity,
                             double epsilon, double delta, dusk_error *err)
{
    if (dimension < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 1 for a single number", "dimension must be at least 1");
    dusk_status status = dusk_request_sensitivity(sensitivity, err);
    if (status == DUSK_OK) status = dusk_request_epsilon(epsilon, err);
    if (status != DUSK_OK) return status;
    if (has_delta(law) && !(delta > 0 && delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                         "delta must be above 0 and below 1");
    *out = (dusk_noise){ .law = law,
                         .dimension = dimension,
                         .sensitivity = sensitivity,
                         .promise = { epsilon, has_delta(law) ? delta : 0 } };
    return DUSK_OK;
}

/* 2^40 steps a scale, 2^30 for vectors, which are drawn in bulk, and for sinh-normal noise, which double
 * arithmetic then decides; finer where
 * epsilon is so small that rounding the sensitivity up would be felt, but never
 * past what can be drawn. */
static int default_grid(const dusk_noise *noise, double scale)
{
    int grid = ilogb(scale) - (noise->dimension > 1 || noise->law == DUSK_SINH_NORMAL ? 30 : 40);
    /* what rounding a vector adds, a step a coordinate in the norm, stays below 2^-10 */
    double steps = is_gaussian(noise->law) ? sqrt(noise->dimension) : noise->dimension;
    int fine = ilogb(fmax(noise->sensitivity / steps, DBL_MIN)) - (noise->dimension > 1 ? 10 : 20);
    int finest = ilogb(scale) - 58;
    if (fine < grid) grid = fine;
    return grid < finest ? finest : grid;
}

dusk_status dusk_noise_place(dusk_noise *noise, double ratio, int grid, dusk_error *err)
{
    double scale = noise->sensitivity * ratio;
    if (grid == DUSK_GRID_DEFAULT) {
        if (is_discrete(noise->law))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 0 for whole numbers",
                             "discrete noise has no default grid");
        if (!isfinite(scale) || !(scale >= DBL_MIN))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "measure the value in another unit",
                             "noise of scale %.3g cannot be represented", scale);
        grid = default_grid(noise, scale);
    }
    if (grid < DUSK_GRID_MIN || grid > DUSK_GRID_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "measure the value in another unit",
                         "the grid 2^%d lies outside 2^%d .. 2^%d", grid, DUSK_GRID_MIN, DUSK_GRID_MAX);
    noise->grid = grid;
    noise->grid_sensitivity = dusk_noise_rounded_sensitivity(noise);
    return DUSK_OK;
}

DUSK_PROVEN(dusk_noise_rounded_sensitivity)
double dusk_noise_rounded_sensitivity(const dusk_noise *noise)
{
    /* Exact, or below DBL_MIN: then what is meant is at most DBL_MIN. */
    double steps = fmax(ldexp(noise->sensitivity, -noise->grid), DBL_MIN);
    double others = DUSK_MUTATE(NOISE_VECTOR_ROUNDING_FREE, noise->dimension - 1.0, 0);
    if (noise->dimension > 1 && is_gaussian(noise->law))
        return ldexp(dusk_add_up(steps, dusk_sqrt_up(others + 1)), noise->grid);
    return ldexp(dusk_add_up(ceil(steps), others), noise->grid);
}

dusk_status dusk_noise_check_scale(const dusk_noise *noise, dusk_error *err)
{
    double steps = dusk_noise_scale_in_steps(noise);
    if (steps >= 0x1p-40 && steps <= 0x1p60 && dusk_noise_sensitivity_in_steps(noise) <= 0x1p100)
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "choose a grid nearer to sensitivity / epsilon, or measure the value in another unit",
                     "noise of scale %.3g lies outside 2^-40 .. 2^60 steps of the grid 2^%d", noise->scale,
                     noise->grid);
}

/* What the mechanism costs at promise.delta, at most. */
static dusk_status price_up(const dusk_noise *noise, double *epsilon, dusk_error *err)
{
    dusk_event event;
    dusk_status status = dusk_noise_event(noise, &event, err);
    if (status != DUSK_OK) return status;
    if (noise->law != DUSK_STAIRCASE)
        return dusk_event_epsilon_up(&event, epsilon, noise->promise.delta, err);
    *epsilon = dusk_staircase_epsilon_up(noise);
    return DUSK_OK;
}

/* What accountants round up comes back a little above what was asked for. */
DUSK_PROVEN(dusk_noise_settle)
dusk_status dusk_noise_settle(dusk_noise *noise, double scale, dusk_error *err)
{
    dusk_noise trial = *noise;
    for (double excess = 0x1p-52; excess <= 0x1p-20; excess *= 2) {
        double epsilon;
        dusk_status status;
        trial.scale = scale;
        if ((status = dusk_noise_check_scale(&trial, err)) != DUSK_OK) return status;
        if ((status = price_up(&trial, &epsilon, err)) != DUSK_OK) return status;
        if (epsilon <= trial.promise.epsilon) {
            *noise = trial;
            return DUSK_OK;
        }
        scale = dusk_mul_up(scale, 1 + excess);
    }
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "no scale was found that keeps epsilon %.17g, delta %.17g",
                     noise->promise.epsilon, noise->promise.delta);
}

/* --- event ----------------------------------------------------------------- */

static dusk_status event_of_discrete(const dusk_noise *noise, dusk_event *out, dusk_error *err)
{
    double scale = dusk_noise_scale_in_steps(noise), steps = dusk_noise_sensitivity_in_steps(noise);
    if (noise->law == DUSK_DISCRETE_GAUSSIAN && noise->dimension > 1) {
        double root = dusk_div_up(steps, scale);
        return dusk_event_zcdp(out, dusk_mul_up(root, root) / 2, err);
    }
    if (!(steps <= 0x1p62))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose a coarser grid",
                         "a sensitivity of more than 2^62 steps is too much for discrete noise");
    uint64_t whole = (uint64_t)ceil(steps);
    if (noise->law == DUSK_DISCRETE_LAPLACE) return dusk_event_discrete_laplace(out, scale, whole, err);
    return dusk_event_discrete_gaussian(out, scale, whole, err);
}

static bool is_made(const dusk_noise *noise)
{
    if (noise->dimension < 1 || noise->grid < DUSK_GRID_MIN || noise->grid > DUSK_GRID_MAX) return false;
    if (!(noise->sensitivity > 0 && noise->grid_sensitivity >= noise->sensitivity)) return false;
    if (noise->law == DUSK_STAIRCASE) return dusk_staircase_is_made(noise);
    if (noise->law == DUSK_TRUNCATED_LAPLACE) return dusk_truncated_laplace_is_made(noise);
    if (noise->law == DUSK_SINH_NORMAL) return dusk_sinh_normal_is_made(noise);
    return noise->law >= DUSK_LAPLACE && noise->law <= DUSK_DISCRETE_GAUSSIAN;
}

/* The fields are public, so somebody may have filled them by hand. */
dusk_status dusk_noise_check(const dusk_noise *noise, dusk_error *err)
{
    if (is_made(noise)) return dusk_noise_check_scale(noise, err);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with dusk_laplace_init or one of its kin",
                     "the noise was never made");
}

DUSK_PROVEN(dusk_noise_event)
dusk_status dusk_noise_event(const dusk_noise *noise, dusk_event *out, dusk_error *err)
{
    dusk_status status = dusk_noise_check(noise, err);
    if (status != DUSK_OK) return status;
    double ratio = dusk_div_down(noise->scale, noise->grid_sensitivity); /* less noise than there is */
    switch (noise->law) {
    case DUSK_LAPLACE: return dusk_event_laplace(out, ratio, err);
    case DUSK_GAUSSIAN: return dusk_event_gaussian(out, ratio, err);
    case DUSK_STAIRCASE: return dusk_staircase_event(noise, out, err);
    case DUSK_TRUNCATED_LAPLACE: return dusk_truncated_laplace_event(noise, out, err);
    case DUSK_SINH_NORMAL: return dusk_sinh_normal_event(noise, out, err);
    case DUSK_DISCRETE_LAPLACE:
    case DUSK_DISCRETE_GAUSSIAN: break;
    }
    return event_of_discrete(noise, out, err);
}
