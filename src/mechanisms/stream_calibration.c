/* SPDX-License-Identifier: Apache-2.0 */
/* The noise of a stream: how far one unit moves the numbers, how far that moves what is
 * released, on which grid, and the least scale whose event keeps the promise. Nothing here
 * looks at a number. Proof: stream_calibration.proof.md. */
#include <float.h>
#include <math.h>

#include "accounting/gaussian.h"
#include "base/error.h"
#include "base/mutant.h"
#include "mechanisms/stream.h"
#include "numeric/rounding.h"

/* --- distances ------------------------------------------------------------------------ */

/* Never further than the numbers that there can be are apart, 0 being one of them; and no
 * further than declared, if clamping leaves the 0 of a step without items where it is. */
DUSK_PROVEN(dusk_stream_item_reach)
double dusk_stream_item_reach(const dusk_stream_options *o)
{
    double apart = dusk_sub_up(fmax(o->upper, 0), fmin(o->lower, 0));
    bool declared = o->sensitivity > 0 && o->lower <= 0 && o->upper >= 0;
    return declared ? fmin(o->sensitivity, apart) : apart;
}

static uint64_t length_of(const dusk_stream_options *o)
{
    return o->length ? o->length : DUSK_STREAM_LENGTH_MAX;
}

static double largest_number(const dusk_stream_options *o) { return fmax(fabs(o->lower), fabs(o->upper)); }

/* The norm of what one item of size 1 does to all that is released: one node of each
 * level, or a column of C. */
static double item_norm_up(const dusk_stream *s)
{
    if (dusk_stream_is_matrix(&s->options)) return s->matrix.norm;
    return s->options.delta == 0 ? s->touched : dusk_sqrt_up(s->touched);
}

/* How many items count: all m at once, or, where columns of C are orthogonal because the
 * items of a unit are that far apart, sqrt(m). Twice where old items leave and new ones come. */
DUSK_PROVEN(items_up)
static double items_up(const dusk_stream *s)
{
    const dusk_stream_options *o = &s->options;
    bool apart =
        dusk_stream_is_matrix(o) && o->separation >= DUSK_MUTATE(MATRIX_BANDS_OVERLAP, s->matrix.bands, 1);
    double items = apart ? dusk_sqrt_up(o->items_per_unit) : o->items_per_unit;
    return o->neighbours == DUSK_REPLACE_ONE ? 2 * items : items;
}

/* An epoch of k + 1 levels has the noise of one level, times the norm of an item in it. */
DUSK_PROVEN(dusk_stream_epoch_scale)
double dusk_stream_epoch_scale(const dusk_stream *s, unsigned epoch)
{
    double levels = epoch + 1;
    return dusk_mul_up(s->unit_scale, s->options.delta == 0 ? levels : dusk_sqrt_up(levels));
}

/* --- the grid ---------------------------------------------------------------------------- */

/* Trees of whole numbers have whole noise, and matrices 30 binary digits more than numbers.
 * Otherwise the grid is so fine that rounding is far below the noise, and coarse enough for
 * draws (2^59 steps a scale) and for every sum (2^79 steps). */
static int choose_grid(const dusk_stream *s, double ratio)
{
    const dusk_stream_options *o = &s->options;
    bool matrix = dusk_stream_is_matrix(o);
    if (o->whole && matrix) return -DUSK_MATRIX_BITS;
    if (o->whole && o->method == DUSK_STREAM_TREE) return 0;
    double each = dusk_stream_item_reach(o), reach = (o->whole ? ceil(each) : each) * items_up(s);
    double scale = fmin(fmax(reach * item_norm_up(s) * ratio, DBL_MIN), DBL_MAX);
    int largest = ilogb(largest_number(o)) + 1, grid = ilogb(scale) - (matrix ? 58 : 52);
    int terms = matrix ? ilogb(s->matrix.sizes) + 2 : (int)dusk_tree_levels(length_of(o));
    if (!matrix && grid < largest - 61) grid = largest - 61;
    if (grid < largest + terms - (DUSK_STREAM_WIDEST - 1)) grid = largest + terms - (DUSK_STREAM_WIDEST - 1);
    if (grid < ilogb(reach) - 57) grid = ilogb(reach) - 57;
    return o->whole && grid > 0 ? 0 : grid;
}

/* The numbers on the grid: each at most 2^62 units of its own, and every exact value that
 * is released at most 2^79 steps. What is whole is cut to whole numbers, also where the
 * grid of the noise is finer. */
DUSK_PROVEN(place)
static dusk_status place(dusk_stream *s, int grid, dusk_error *err)
{
    const dusk_stream_options *o = &s->options;
    bool matrix = dusk_stream_is_matrix(o);
    s->clamp =
        (dusk_fixed_clamp){ o->lower, o->upper, o->whole ? 0 : grid + (matrix ? DUSK_MATRIX_BITS : 0) };
    s->shift = (unsigned)(s->clamp.grid - grid);
    double largest = ldexp(largest_number(o), -grid), terms = matrix ? s->matrix.sizes : (double)length_of(o);
    if (!(ldexp(largest, -(int)s->shift) <= 0x1p62 && largest * terms <= ldexp(1, DUSK_STREAM_WIDEST - 1)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare narrower bounds or a shorter stream",
                         "a sum of that many numbers within these bounds is too large");
    double each = ceil(fmax(ldexp(dusk_stream_item_reach(o), -s->clamp.grid), DBL_MIN));
    s->distance = ldexp(dusk_mul_up(items_up(s), each), (int)s->shift);
    if (!(s->distance <= 0x1p60))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare narrower bounds or fewer items a unit",
                         "one unit moves the sums by more than 2^60 steps of the grid");
    return DUSK_OK;
}

/* --- the noise ------------------------------------------------------------------------------ */

static dusk_noise_law law_of(const dusk_stream_options *o)
{
    if (o->delta > 0) return DUSK_GAUSSIAN;
    return o->whole && o->method == DUSK_STREAM_TREE ? DUSK_DISCRETE_LAPLACE : DUSK_LAPLACE;
}

/* Noise scale over sensitivity. */
static double ratio_up(const dusk_stream_options *o)
{
    return o->delta == 0 ? dusk_div_up(1, o->epsilon) : dusk_gaussian_sigma_up(o->epsilon, o->delta);
}

/* Whatever the epochs of a unit's items, it is one shift of `distance` by the noise of one
 * level, or less. Discrete noise of several scales is not one shift: only the pure bound. */
DUSK_PROVEN(endless_event)
static dusk_status endless_event(const dusk_stream *s, const dusk_noise *noise, dusk_event *out,
                                 dusk_error *err)
{
    double unit = ldexp(s->unit_scale > 0 ? s->unit_scale : noise->scale, -noise->grid);
    double ratio = dusk_div_down(unit, s->distance);
    switch (noise->law) {
    case DUSK_GAUSSIAN: return dusk_event_gaussian(out, ratio, err);
    case DUSK_LAPLACE: return dusk_event_laplace(out, ratio, err);
    default: return dusk_event_pure(out, dusk_div_up(s->distance, unit), err);
    }
}

DUSK_PROVEN(dusk_stream_event_of)
dusk_status dusk_stream_event_of(const dusk_stream *s, const dusk_noise *noise, dusk_event *out,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event node;
    double steps = ldexp(noise->scale, -noise->grid), ratio = dusk_div_down(steps, s->distance);

    if (dusk_stream_is_matrix(&s->options)) return dusk_event_matrix(out, ratio, s->matrix.norm, err);
    if (dusk_stream_is_endless(&s->options)) return endless_event(s, noise, out, err);
    if (noise->law == DUSK_GAUSSIAN) return dusk_event_tree(out, ratio, UINT64_C(1) << (s->touched - 1), err);
    if (noise->law == DUSK_LAPLACE)
        DUSK_TRY(dusk_event_laplace(&node, ratio, err));
    else
        DUSK_TRY(dusk_event_discrete_laplace(&node, steps, (uint64_t)s->distance, err));
    DUSK_TRY(dusk_event_repeat(out, &node, s->touched, err));
done:
    return status;
}

/* The scale, raised until what an accountant says of the event is what was promised. */
DUSK_PROVEN(settle)
static dusk_status settle(dusk_stream *s, const dusk_noise *start, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise trial = *start;
    for (double excess = 0x1p-52; excess <= 0x1p-20; excess *= 2) {
        dusk_event event;
        dusk_statement statement;
        DUSK_TRY(dusk_stream_event_of(s, &trial, &event, err));
        DUSK_TRY(dusk_statement_init(&statement, &event, s->options.delta, s->options.neighbours,
                                     s->options.unit, err));
        if (statement.epsilon <= s->options.epsilon) {
            s->noise = trial;
            return DUSK_OK;
        }
        DUSK_TRY(dusk_noise_settle(&trial, dusk_mul_up(trial.scale, 1 + excess), err));
    }
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "no scale was found that keeps epsilon %.17g, delta %.17g",
                     s->options.epsilon, s->options.delta);
done:
    return status;
}

DUSK_PROVEN(dusk_stream_calibrate)
dusk_status dusk_stream_calibrate(dusk_stream *s, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_stream_options *o = &s->options;
    double ratio = ratio_up(o), sensitivity;
    dusk_noise noise;

    if (grid == DUSK_GRID_DEFAULT) grid = choose_grid(s, ratio);
    DUSK_TRY(place(s, grid, err));
    sensitivity = ldexp(dusk_mul_up(s->distance, item_norm_up(s)), grid);
    DUSK_TRY(dusk_noise_start(&noise, law_of(o), 1, sensitivity, o->epsilon, o->delta, err));
    DUSK_TRY(dusk_noise_place(&noise, ratio, grid, err));
    noise.grid_sensitivity = noise.sensitivity; /* numbers are cut one by one: see place */
    DUSK_TRY(dusk_noise_settle(&noise, dusk_mul_up(sensitivity, ratio), err));
    DUSK_TRY(settle(s, &noise, err));
    if (!dusk_stream_is_endless(o)) return DUSK_OK;
    s->unit_scale = s->noise.scale;
    if (!(ldexp(dusk_stream_epoch_scale(s, DUSK_TREE_LEVELS_MAX), -grid) <= 0x1p60))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare a length, or measure the numbers in another unit",
                         "the noise of later epochs is too large for the grid");
done:
    return status;
}
