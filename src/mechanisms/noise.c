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
#include "base/memory.h"
#include "base/mutant.h"
#include "base/taint.h"
#include "numeric/fixed_sum.h"
#include "numeric/rounding.h"
#include "numeric/special.h"
#include "random/noise_additive.h"

static bool is_gaussian(dusk_noise_law law) { return law == DUSK_GAUSSIAN || law == DUSK_DISCRETE_GAUSSIAN; }

static bool is_discrete(dusk_noise_law law)
{
    return law == DUSK_DISCRETE_LAPLACE || law == DUSK_DISCRETE_GAUSSIAN;
}

static double scale_in_steps(const dusk_noise *noise) { return ldexp(noise->scale, -noise->grid); }

/* --- calibration --------------------------------------------------------- */

dusk_status dusk_noise_start(dusk_noise *out, dusk_noise_law law, uint32_t dimension, double sensitivity,
                             double epsilon, double delta, dusk_error *err)
{
    if (dimension < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 1 for a single number", "dimension must be at least 1");
    if (!(sensitivity > 0) || !isfinite(sensitivity))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say by how much one unit can change the value",
                         "sensitivity must be finite and above 0");
    if (!(epsilon > 0) || !isfinite(epsilon))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common choices lie between 0.1 and 10",
                         "epsilon must be finite and above 0");
    if (is_gaussian(law) && !(delta > 0 && delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                         "delta must be above 0 and below 1");
    *out = (dusk_noise){ .law = law,
                         .dimension = dimension,
                         .sensitivity = sensitivity,
                         .promise = { epsilon, is_gaussian(law) ? delta : 0 } };
    return DUSK_OK;
}

/* 2^40 steps a scale, 2^30 for vectors, which are drawn in bulk; finer where
 * epsilon is so small that rounding the sensitivity up would be felt, but never
 * past what can be drawn. */
static int default_grid(const dusk_noise *noise, double scale)
{
    int grid = ilogb(scale) - (noise->dimension > 1 ? 30 : 40);
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

static dusk_status check_scale(const dusk_noise *noise, dusk_error *err)
{
    double steps = scale_in_steps(noise);
    if (steps >= 0x1p-40 && steps <= 0x1p60 && ldexp(noise->grid_sensitivity, -noise->grid) <= 0x1p100)
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "choose a grid nearer to sensitivity / epsilon, or measure the value in another unit",
                     "noise of scale %.3g lies outside 2^-40 .. 2^60 steps of the grid 2^%d", noise->scale,
                     noise->grid);
}

/* What accountants round up comes back a little above what was asked for. */
DUSK_PROVEN(dusk_noise_settle)
dusk_status dusk_noise_settle(dusk_noise *noise, double scale, dusk_error *err)
{
    dusk_noise trial = *noise;
    for (double excess = 0x1p-52; excess <= 0x1p-20; excess *= 2) {
        dusk_event event;
        double epsilon;
        dusk_status status;
        trial.scale = scale;
        if ((status = check_scale(&trial, err)) != DUSK_OK) return status;
        if ((status = dusk_noise_event(&trial, &event, err)) != DUSK_OK) return status;
        if ((status = dusk_event_epsilon_up(&event, &epsilon, trial.promise.delta, err)) != DUSK_OK)
            return status;
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
    double scale = scale_in_steps(noise), steps = ldexp(noise->grid_sensitivity, -noise->grid);
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

/* The fields are public, so somebody may have filled them by hand. */
static dusk_status check_noise(const dusk_noise *noise, dusk_error *err)
{
    bool known = noise->law >= DUSK_LAPLACE && noise->law <= DUSK_DISCRETE_GAUSSIAN;
    if (known && noise->dimension >= 1 && noise->grid >= DUSK_GRID_MIN && noise->grid <= DUSK_GRID_MAX &&
        noise->sensitivity > 0 && noise->grid_sensitivity >= noise->sensitivity)
        return check_scale(noise, err);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with dusk_laplace_init or one of its kin",
                     "the noise was never made");
}

DUSK_PROVEN(dusk_noise_event)
dusk_status dusk_noise_event(const dusk_noise *noise, dusk_event *out, dusk_error *err)
{
    dusk_status status = check_noise(noise, err);
    if (status != DUSK_OK) return status;
    double ratio = dusk_div_down(noise->scale, noise->grid_sensitivity); /* less noise than there is */
    switch (noise->law) {
    case DUSK_LAPLACE: return dusk_event_laplace(out, ratio, err);
    case DUSK_GAUSSIAN: return dusk_event_gaussian(out, ratio, err);
    case DUSK_DISCRETE_LAPLACE:
    case DUSK_DISCRETE_GAUSSIAN: break;
    }
    return event_of_discrete(noise, out, err);
}

/* --- interval -------------------------------------------------------------- */

/* Enough for the error of the normal quantile in special.h, at 0 too. */
static double normal_deviate_up(double tail)
{
    return dusk_normal_upper_quantile(tail) * (1 + 1e-12) + 1e-12;
}

/* The least t with P(|K| > t) <= p for the discrete Gaussian law, by adding up
 * its tail from far out; `slack` covers the rounding of those sums. */
static double discrete_gaussian_tail(double sigma, double p)
{
    const double slack = 1 + 1e-9;
    double last = ceil(40 * sigma) + 2, norm = 0, tail = 0;
    for (double k = last; k >= 1; k--) norm += 2 * exp(-k * k / (2 * sigma * sigma));
    norm += 1;
    for (double k = last; k >= 1; k--) {
        tail += 2 * exp(-k * k / (2 * sigma * sigma));
        if (tail * slack > p * norm) return k;
    }
    return 0;
}

/* A t, in steps, with P(|K| > t) <= p. A rounded number exceeds t when the ideal
 * one reaches t + 1/2. */
static double tail_steps(const dusk_noise *noise, double p)
{
    double scale = scale_in_steps(noise), x;
    switch (noise->law) {
    case DUSK_LAPLACE: x = dusk_mul_up(scale, -dusk_log_down(p)) - 0.5; break;
    case DUSK_GAUSSIAN: x = dusk_mul_up(scale, normal_deviate_up(p / 2)) - 0.5; break;
    case DUSK_DISCRETE_LAPLACE: /* P(|K| > t) = 2 q^(t+1) / (1 + q), q = exp(-1/scale) */
        x = dusk_mul_down(p / 2, dusk_add_down(1, dusk_exp_down(dusk_div_down(-1, scale))));
        x = dusk_mul_up(scale, -dusk_log_down(x)) - 1;
        break;
    default: /* P(|K| > t) <= P(|Z| >= t): Canonne, Kamath & Steinke 2020, Proposition 25 */
        if (scale <= 0x1p12) return discrete_gaussian_tail(scale, p);
        x = dusk_mul_up(scale, normal_deviate_up(p / 2));
        break;
    }
    return fmax(ceil(x * (1 + 0x1p-52)), 0); /* the subtraction was to nearest */
}

/* 1 - confidence^(1/dimension), rounded down: the coordinates are independent. */
static double tail_of_each(double confidence, uint32_t dimension)
{
    return -dusk_expm1_up(dusk_div_up(dusk_log_up(confidence), dimension));
}

DUSK_PROVEN(dusk_noise_interval)
dusk_status dusk_noise_interval(const dusk_noise *noise, double *half_width, double confidence,
                                dusk_error *err)
{
    dusk_status status = check_noise(noise, err);
    if (status != DUSK_OK) return status;
    if (!(confidence > 0 && confidence < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a probability such as 0.95",
                         "confidence must be above 0 and below 1");
    double steps = tail_steps(noise, tail_of_each(confidence, noise->dimension));
    *half_width = ldexp(dusk_add_up(steps, 0.5), noise->grid); /* half a step: the value was rounded */
    return DUSK_OK;
}

/* --- release ----------------------------------------------------------------- */

static dusk_int128 clamp_steps(dusk_int128 steps, dusk_int128 limit)
{
    steps = steps < limit ? steps : limit;
    return steps > -limit ? steps : -limit;
}

DUSK_PROVEN(dusk_noise_steps)
dusk_int128 dusk_noise_steps(double value, int grid)
{
    double x = ldexp(isnan(value) ? 0 : value, -grid); /* exact, or tiny, or infinite */
    x = fmin(fmax(x, -0x1p100), 0x1p100);
    double whole = floor(x);
    return (dusk_int128)(whole + (x - whole >= 0.5));
}

static dusk_additive sampler_of(const dusk_noise *noise, unsigned width)
{
    dusk_additive sampler;
    dusk_additive_init(&sampler, (dusk_additive_law)noise->law, scale_in_steps(noise), width);
    return sampler;
}
_Static_assert((int)DUSK_LAPLACE == (int)DUSK_ADDITIVE_LAPLACE &&
                   (int)DUSK_GAUSSIAN == (int)DUSK_ADDITIVE_GAUSSIAN &&
                   (int)DUSK_DISCRETE_LAPLACE == (int)DUSK_ADDITIVE_DISCRETE_LAPLACE &&
                   (int)DUSK_DISCRETE_GAUSSIAN == (int)DUSK_ADDITIVE_DISCRETE_GAUSSIAN,
               "the laws have the same numbers in both rooms");

static const dusk_int128 widest = (dusk_int128)1 << 125;

DUSK_PROVEN(dusk_noise_release_steps)
dusk_status dusk_noise_release_steps(const dusk_noise *noise, double *out, dusk_int128 steps, unsigned width,
                                     dusk_generator *gen, dusk_error *err)
{
    dusk_additive sampler = sampler_of(noise, width);
    dusk_int128 draw;
    dusk_status status = dusk_additive_draw(&sampler, &draw, gen, err);
    if (status != DUSK_OK) return status;
    steps = clamp_steps(clamp_steps(steps, widest) + draw, widest);
    DUSK_DECLASSIFY(&steps, sizeof steps);
    *out = dusk_fixed_value(steps, noise->grid);
    return DUSK_OK;
}

void dusk_pool_clear(dusk_pool *pool)
{
    if (pool->narrow) dusk_wipe(pool->narrow, pool->n * sizeof *pool->narrow);
    if (pool->wide) dusk_wipe(pool->wide, pool->n * sizeof *pool->wide);
    dusk_deallocate(pool->narrow);
    dusk_deallocate(pool->wide);
    *pool = (dusk_pool){ 0 };
}

/* Noise of 2^62 steps stands for more; at these scales it is 2^30 scales away and
 * would take a billion coins that all fall the same way. */
static dusk_status check_unsaturated(const dusk_pool *pool, dusk_error *err)
{
    const int64_t most = (int64_t)1 << 62;
    int64_t saturated = 0;
    for (size_t i = 0; i < pool->n; i++) saturated |= (pool->narrow[i] >= most) | (pool->narrow[i] <= -most);
    return saturated ? dusk_fail(err, DUSK_ERR_INTERNAL, "", "a draw was too large for bulk noise") : DUSK_OK;
}

DUSK_PROVEN(dusk_pool_draw)
dusk_status dusk_pool_draw(dusk_pool *pool, const dusk_noise *noise, size_t n, unsigned width,
                           dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_additive sampler = sampler_of(noise, width);
    bool narrow = sampler.scale <= DUSK_POOL_NARROW_SCALE;

    *pool = (dusk_pool){ .n = n };
    if (narrow) {
        DUSK_NEW(pool->narrow, n);
        DUSK_TRY(dusk_additive_fill(&sampler, pool->narrow, n, gen, err));
        DUSK_TRY(check_unsaturated(pool, err));
    } else {
        DUSK_NEW(pool->wide, n);
        for (size_t i = 0; i < n; i++) DUSK_TRY(dusk_additive_draw(&sampler, &pool->wide[i], gen, err));
    }
done:
    if (status != DUSK_OK) dusk_pool_clear(pool);
    return status;
}

dusk_int128 dusk_pool_add(const dusk_pool *pool, size_t i, dusk_int128 steps)
{
    dusk_int128 draw = pool->narrow ? pool->narrow[i] : pool->wide[i];
    steps = clamp_steps(clamp_steps(steps, widest) + draw, widest);
    DUSK_DECLASSIFY(&steps, sizeof steps);
    return steps;
}

/* Noise for a dusk_total counts on contributions that were rounded one by one. */
static dusk_status check_rounding(const dusk_noise *noise, dusk_error *err)
{
    if (noise->grid_sensitivity >= dusk_noise_rounded_sensitivity(noise)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "use it with a dusk_total, or make it anew",
                     "this noise was recalibrated for a total and does not cover the rounding of values");
}

/* dusk_noise_steps and dusk_pool_add for bulk noise below 2^53 steps: the value's
 * steps and the noise are whole doubles, and their sum is rounded once, so that
 * it depends on nothing but the exact sum. The step and its inverse are normal
 * doubles, so that both products are exact or, the first, tiny or infinite. */
DUSK_PROVEN(add_narrow)
static void add_narrow(double *out, const double *values, const int64_t *noise, size_t n, int grid)
{
    const double inverse = ldexp(1, -grid), step = ldexp(1, grid), limit = 0x1p100;
    for (size_t i = 0; i < n; i++) {
        double x = isnan(values[i]) ? 0 : values[i] * inverse;
        x = x < limit ? x : limit;
        x = x > -limit ? x : -limit;
        double whole = floor(x);
        out[i] = ((whole + (x - whole >= 0.5)) + (double)noise[i]) * step;
    }
    DUSK_DECLASSIFY(out, n * sizeof *out);
}

static bool is_small(const dusk_pool *pool)
{
    int64_t large = !pool->narrow;
    for (size_t i = 0; pool->narrow && i < pool->n; i++)
        large |= (pool->narrow[i] > (int64_t)1 << 53) | (pool->narrow[i] < -((int64_t)1 << 53));
    return !large;
}

DUSK_PROVEN(dusk_noise_release_width)
dusk_status dusk_noise_release_width(const dusk_noise *noise, double *out, const double *values,
                                     unsigned width, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pool pool = { 0 };

    DUSK_TRY(check_noise(noise, err));
    DUSK_TRY(check_rounding(noise, err));
    if (noise->dimension == 1) {
        dusk_int128 steps = DUSK_MUTATE(NOISE_TIES_TO_EVEN, dusk_noise_steps(values[0], noise->grid),
                                        (dusk_int128)rint(ldexp(values[0], -noise->grid)));
        return dusk_noise_release_steps(noise, out, steps, width, gen, err);
    }
    DUSK_TRY(dusk_pool_draw(&pool, noise, noise->dimension, width, gen, err));
    if (is_small(&pool)) {
        add_narrow(out, values, pool.narrow, pool.n, noise->grid);
        goto done;
    }
    for (size_t i = 0; i < pool.n; i++) {
        dusk_int128 steps = dusk_pool_add(&pool, i, dusk_noise_steps(values[i], noise->grid));
        out[i] = dusk_fixed_value(steps, noise->grid);
    }
done:
    dusk_pool_clear(&pool);
    return status;
}

dusk_status dusk_noise_release(const dusk_noise *noise, double *out, double value, dusk_generator *gen,
                               dusk_error *err)
{
    if (noise->dimension != 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use dusk_noise_release_vector",
                         "this noise is for vectors, not for one number");
    return dusk_noise_release_width(noise, out, &value, DUSK_WIDTH_FULL, gen, err);
}

dusk_status dusk_noise_release_vector(const dusk_noise *noise, double *out, const double *values,
                                      dusk_generator *gen, dusk_error *err)
{
    return dusk_noise_release_width(noise, out, values, DUSK_WIDTH_FULL, gen, err);
}
