/* SPDX-License-Identifier: Apache-2.0 */
/* Totals of clipped vectors. Every unit's contribution is scaled into the ball
 * of the sensitivity and rounded toward zero to the grid; the norm of the
 * integers that come out is then checked exactly, so that no property of
 * floating-point arithmetic is needed for privacy, only for accuracy. Integers
 * are added, so order, threads and machines do not matter. Proof:
 * total.proof.md.
 *
 * The promise is for adding or removing one unit. When units are exchanged two
 * contributions change: declare twice the clipping norm, or halve epsilon. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "numeric/fixed_sum.h"
#include "numeric/rounding.h"
#include "random/rounded.h"

struct dusk_total {
    dusk_noise noise;
    bool euclidean;     /* the norm is l2 */
    dusk_uint128 bound; /* of the norm in steps, squared when euclidean; rounded down */
    dusk_int128 *sum;
    int64_t *steps; /* of the contribution at hand */
};

/* --- recalibration ------------------------------------------------------------ */

static bool is_multiple_of_step(const dusk_noise *noise)
{
    double steps = ldexp(noise->sensitivity, -noise->grid);
    return steps == floor(steps);
}

/* Scalars and l1 vectors of discrete noise are calibrated in whole steps. */
static bool needs_whole_steps(const dusk_noise *noise)
{
    return noise->law == DUSK_DISCRETE_LAPLACE ||
           (noise->law == DUSK_DISCRETE_GAUSSIAN && noise->dimension == 1);
}

/* Rounding one number costs nothing when the sensitivity is whole steps. */
static bool is_for_one_number(const dusk_noise *noise) { return noise->law > DUSK_DISCRETE_GAUSSIAN; }

DUSK_PROVEN(dusk_noise_for_total)
dusk_status dusk_noise_for_total(dusk_noise *noise, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise made = *noise;
    dusk_event event;
    double scale;

    DUSK_TRY(dusk_noise_event(noise, &event, err)); /* refuses what was never made */
    if (ldexp(noise->sensitivity, -noise->grid) < 1 ||
        ((needs_whole_steps(noise) || is_for_one_number(noise)) && !is_multiple_of_step(noise)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose a finer grid",
                         "a total needs a sensitivity of at least one step, and of whole steps with "
                         "discrete noise");
    if (is_for_one_number(noise) && noise->grid_sensitivity == noise->sensitivity) return DUSK_OK;
    made.grid_sensitivity = made.sensitivity;
    if (noise->law == DUSK_DISCRETE_GAUSSIAN)
        DUSK_TRY(dusk_discrete_gaussian_scale(&made, &scale, err));
    else /* the same scale over sensitivity */
        scale = dusk_mul_up(dusk_div_up(noise->scale, noise->grid_sensitivity), made.sensitivity);
    DUSK_TRY(dusk_noise_settle(&made, scale, err));
    *noise = made;
done:
    return status;
}

/* --- one contribution ----------------------------------------------------------- */

/* floor(x^2), exactly, for 1 <= x <= 2^62. */
static dusk_uint128 square_down(double x)
{
    int exponent;
    dusk_uint128 digits = (dusk_uint128)ldexp(frexp(x, &exponent), 53), square = digits * digits;
    int shift = 2 * (exponent - 53);
    return shift >= 0 ? square << shift : square >> -shift;
}

/* Is the exact norm of the integers within the bound? Each is at most 2^62, so
 * that neither a square nor the sum before it passes 2^125. */
DUSK_PROVEN(fits)
static bool fits(const dusk_total *total)
{
    dusk_uint128 norm = 0;
    for (size_t i = 0; i < total->noise.dimension; i++) {
        dusk_uint128 size = (dusk_uint128)llabs(total->steps[i]);
        norm += total->euclidean ? size * size : size;
        if (norm > total->bound) return false;
    }
    return true;
}

/* NaN counts as 0, infinities as the largest double. */
static double finite_part(double x)
{
    if (isnan(x)) return 0;
    return fmin(fmax(x, -DBL_MAX), DBL_MAX);
}

/* About min(1, sensitivity / norm): scaled by the largest coordinate, so that
 * nothing overflows. */
static double clipping_factor(const dusk_total *total, const double *x)
{
    double largest = 0, norm = 0, bound = total->noise.sensitivity;
    for (size_t i = 0; i < total->noise.dimension; i++) largest = fmax(largest, fabs(finite_part(x[i])));
    if (largest == 0) return 1;
    for (size_t i = 0; i < total->noise.dimension; i++) {
        double ratio = fabs(finite_part(x[i])) / largest;
        norm += total->euclidean ? ratio * ratio : ratio;
    }
    if (total->euclidean) norm = sqrt(norm);
    return largest * norm <= bound ? 1 : bound / largest / norm;
}

/* The contribution times `factor`, toward zero on the grid. */
static void round_steps(dusk_total *total, const double *x, double factor, bool nearest)
{
    for (size_t i = 0; i < total->noise.dimension; i++) {
        double y = ldexp(finite_part(x[i]) * factor, -total->noise.grid);
        y = fmin(fmax(y, -0x1p62), 0x1p62);
        total->steps[i] = (int64_t)(nearest ? rint(y) : y);
    }
}

DUSK_PROVEN(dusk_total_add)
void dusk_total_add(dusk_total *total, const double *contribution)
{
    const bool nearest = DUSK_MUTATE(TOTAL_ROUNDS_NEAREST, false, true);
    const bool clipped = DUSK_MUTATE(REPLAY_CONTRIBUTION_UNBOUNDED, true, false);
    double factor = clipped ? clipping_factor(total, contribution) : 1;
    round_steps(total, contribution, factor, nearest);
    for (double excess = 0x1p-50; !fits(total) && !nearest && clipped; excess = fmin(2 * excess, 0.5)) {
        factor *= 1 - excess; /* to 0 in the end, which fits */
        round_steps(total, contribution, factor, false);
    }
    for (size_t i = 0; i < total->noise.dimension; i++) total->sum[i] += total->steps[i];
}

/* --- the handle ------------------------------------------------------------------ */

dusk_status dusk_total_new(dusk_total **out, const dusk_noise *noise, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_total *total = NULL;
    dusk_event event;
    double steps;

    *out = NULL;
    DUSK_TRY(dusk_noise_event(noise, &event, err)); /* refuses what was never made */
    steps = ldexp(noise->sensitivity, -noise->grid);
    if (noise->grid_sensitivity != noise->sensitivity || !(steps >= 1 && steps <= 0x1p62))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "recalibrate it with dusk_noise_for_total",
                         "a total needs noise whose grid_sensitivity is its sensitivity, 1 to 2^62 steps");
    DUSK_NEW(total, 1);
    total->noise = *noise;
    total->euclidean = noise->law == DUSK_GAUSSIAN || noise->law == DUSK_DISCRETE_GAUSSIAN;
    total->bound = total->euclidean ? square_down(steps) : (dusk_uint128)steps;
    DUSK_NEW(total->sum, noise->dimension);
    DUSK_NEW(total->steps, noise->dimension);
    *out = total;
    total = NULL;
done:
    dusk_total_free(total);
    return status;
}

void dusk_total_free(dusk_total *total)
{
    if (!total) return;
    if (total->sum) dusk_wipe(total->sum, total->noise.dimension * sizeof *total->sum);
    if (total->steps) dusk_wipe(total->steps, total->noise.dimension * sizeof *total->steps);
    dusk_deallocate(total->sum);
    dusk_deallocate(total->steps);
    dusk_deallocate(total);
}

dusk_status dusk_total_merge(dusk_total *total, const dusk_total *other, dusk_error *err)
{
    const dusk_noise *a = &total->noise, *b = &other->noise;
    if (total == other)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "merge each part once",
                         "a total cannot be merged into itself");
    if (a->law != b->law || a->grid != b->grid || a->dimension != b->dimension || a->scale != b->scale ||
        a->sensitivity != b->sensitivity || a->shape != b->shape)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "make all parts of a total with one noise",
                         "totals of different noise cannot be merged");
    for (size_t i = 0; i < a->dimension; i++) total->sum[i] += other->sum[i];
    return DUSK_OK;
}

DUSK_PROVEN(dusk_total_release)
dusk_status dusk_total_release(dusk_total *total, double *out, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pool pool = { 0 };
    size_t n = total->noise.dimension;

    DUSK_TRY(dusk_pool_draw(&pool, &total->noise, n, DUSK_WIDTH_FULL, gen, err));
    for (size_t i = 0; i < n; i++) {
        out[i] = dusk_fixed_value(dusk_pool_add(&pool, i, total->sum[i]), total->noise.grid);
        total->sum[i] = 0;
    }
done:
    dusk_pool_clear(&pool);
    return status;
}
