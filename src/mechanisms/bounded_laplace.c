/* SPDX-License-Identifier: Apache-2.0 */
/* Laplace mechanism on a bounded domain [Holohan, Antonatos, Braghin & Mac Aonghusa
 * 2020]: the answer lies in a public range, with P(k) ~ exp(-|k - w|/b) on the grid
 * points of the range. What the law is divided by depends on the private w, so that noise of
 * scale sensitivity/epsilon, renormalised, is *not* epsilon-private; the scale is found from the
 * exact epsilon of the law on the grid. Draws are without rejection, the number of
 * which would tell how near w is to an end (random/window.c). Proof: bounded_laplace.proof.md. */
#include "mechanisms/bounded_laplace.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "base/taint.h"
#include "mechanisms/noise.h"
#include "mechanisms/request.h"
#include "numeric/fixed_sum.h"
#include "numeric/rounding.h"
#include "random/noise_window.h"
#include "random/record.h"

#define CELLS_MAX 0x1p52  /* so that numbers of steps are doubles */
#define STEPS_MAX 0x1p100 /* from 0 to an end of the range */

/* 1 - exp(-n/scale), n >= 0 */
static double part_up(double n, double scale) { return -dusk_expm1_down(dusk_div_down(-n, scale)); }
static double part_down(double n, double scale) { return -dusk_expm1_up(dusk_div_up(-n, scale)); }

/* D/b + ln(C(D)/C(0)), where C(w) is what the law of w is divided by. */
DUSK_PROVEN(dusk_bounded_laplace_epsilon_up)
double dusk_bounded_laplace_epsilon_up(double scale, double steps, double cells)
{
    double distance = fmin(steps, cells), q = dusk_exp_up(dusk_div_up(-1, scale));
    double more = dusk_mul_up(part_up(distance, scale), part_up(cells - distance, scale));
    more = dusk_div_up(dusk_mul_up(q, more), part_down(cells + 1, scale));
    more = DUSK_MUTATE(BOUNDED_RENORMALISED_ONLY, more, 0);
    return dusk_add_up(dusk_div_up(distance, scale), dusk_log1p_up(more));
}

/* --- the range in steps ----------------------------------------------------- */

/* ldexp may lose a number, but not its sign. */
static double first_step(const dusk_bounded_laplace *m)
{
    return fmax(ceil(ldexp(m->lower, -m->grid)), m->lower > 0 ? 1 : -INFINITY);
}

static double last_step(const dusk_bounded_laplace *m)
{
    return fmin(floor(ldexp(m->upper, -m->grid)), m->upper < 0 ? -1 : INFINITY);
}

static double scale_in_steps(const dusk_bounded_laplace *m) { return ldexp(m->scale, -m->grid); }
static double sensitivity_in_steps(const dusk_bounded_laplace *m)
{
    return ceil(fmax(ldexp(m->sensitivity, -m->grid), DBL_MIN));
}

/* 2^40 steps in the range, finer where the sensitivity would be felt to be rounded up. */
static int default_grid(double lower, double upper, double sensitivity)
{
    int range = ilogb(upper / 2 - lower / 2) + 1, grid = range - 40;
    int fine = ilogb(fmax(sensitivity, DBL_MIN)) - 20;
    if (fine < grid) grid = fine;
    if (grid < range - 50) grid = range - 50;
    int far = ilogb(fmax(fabs(lower), fabs(upper))) - 98;
    return grid < far ? far : grid;
}

static dusk_status check_range(const dusk_bounded_laplace *m, dusk_error *err)
{
    if (!(m->grid >= DUSK_GRID_MIN && m->grid <= DUSK_GRID_MAX))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "measure the value in another unit",
                         "the grid 2^%d lies outside 2^%d .. 2^%d", m->grid, DUSK_GRID_MIN, DUSK_GRID_MAX);
    double first = first_step(m), last = last_step(m);
    if (first >= -STEPS_MAX && last <= STEPS_MAX && last - first >= 1 && last - first <= CELLS_MAX)
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose another grid, or measure the value in another unit",
                     "the range must hold 2 to 2^52 points of the grid 2^%d, within 2^100 steps of 0",
                     m->grid);
}

DUSK_PROVEN(check)
static dusk_status check(const dusk_bounded_laplace *m, dusk_error *err)
{
    double scale = scale_in_steps(m);
    if (!(m->sensitivity > 0 && isfinite(m->sensitivity) && isfinite(m->lower) && isfinite(m->upper) &&
          m->lower < m->upper && scale >= 0x1p-40 && scale <= 0x1p60))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with dusk_bounded_laplace_init",
                         "the mechanism was never made, or its noise cannot be drawn on this grid");
    return check_range(m, err);
}

/* --- calibration -------------------------------------------------------------- */

/* About the least scale, in steps, that gives at most epsilon; 0 when none does. */
static double least_scale(double steps, double cells, double epsilon)
{
    double high = fmax(fmin(steps, cells) / epsilon, 0x1p-40); /* never less than without a range */
    while (dusk_bounded_laplace_epsilon_up(high, steps, cells) > epsilon && high <= 0x1p60) high *= 2;
    if (!(high <= 0x1p60)) return 0;
    double low = fmax(high / 2, 0x1p-40);
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        if (dusk_bounded_laplace_epsilon_up(middle, steps, cells) <= epsilon)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static dusk_status check_request(double lower, double upper, double sensitivity, double epsilon,
                                 dusk_error *err)
{
    if (!isfinite(lower) || !isfinite(upper) || !(lower < upper) || !isfinite(upper - lower))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "the range must not be taken from the data",
                         "the range needs two finite ends, the lower below the upper");
    dusk_status status = dusk_request_sensitivity(sensitivity, err);
    return status == DUSK_OK ? dusk_request_epsilon(epsilon, err) : status;
}

DUSK_PROVEN(dusk_bounded_laplace_init)
dusk_status dusk_bounded_laplace_init(dusk_bounded_laplace *out, double lower, double upper,
                                      double sensitivity, double epsilon, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_bounded_laplace m;

    DUSK_TRY(check_request(lower, upper, sensitivity, epsilon, err));
    if (grid == DUSK_GRID_DEFAULT) grid = default_grid(lower, upper, sensitivity);
    m = (dusk_bounded_laplace){
        .grid = grid, .lower = lower, .upper = upper, .sensitivity = sensitivity, .epsilon = epsilon
    };
    DUSK_TRY(check_range(&m, err));
    double cells = last_step(&m) - first_step(&m);
    m.scale = ldexp(least_scale(sensitivity_in_steps(&m), cells, epsilon), grid);
    if (!(m.scale > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose a coarser grid or a larger epsilon",
                         "no noise of up to 2^60 steps of the grid 2^%d gives epsilon %.3g", grid, epsilon);
    DUSK_TRY(check(&m, err));
    *out = m;
done:
    return status;
}

/* --- event and interval --------------------------------------------------------- */

DUSK_PROVEN(dusk_bounded_laplace_event)
dusk_status dusk_bounded_laplace_event(const dusk_bounded_laplace *m, dusk_event *out, dusk_error *err)
{
    dusk_status status = check(m, err);
    if (status != DUSK_OK) return status;
    double cells = last_step(m) - first_step(m);
    return dusk_event_pure(
        out, dusk_bounded_laplace_epsilon_up(scale_in_steps(m), sensitivity_in_steps(m), cells), err);
}

/* The worst w has the whole range on one side: q^t <= p + (1 - p) q^cells. */
DUSK_PROVEN(dusk_bounded_laplace_interval)
dusk_status dusk_bounded_laplace_interval(const dusk_bounded_laplace *m, double *half_width,
                                          double confidence, dusk_error *err)
{
    dusk_status status = check(m, err);
    if (status != DUSK_OK) return status;
    if ((status = dusk_request_confidence(confidence, err)) != DUSK_OK) return status;
    double scale = scale_in_steps(m), cells = last_step(m) - first_step(m), p = dusk_sub_down(1, confidence);
    double end = dusk_exp_down(dusk_div_down(-cells, scale));
    double x = dusk_add_down(p, dusk_mul_down(dusk_sub_down(1, p), end));
    double steps = fmin(ceil(dusk_mul_up(scale, -dusk_log_down(x))), cells);
    *half_width = ldexp(steps + 1, m->grid); /* a step: the value was brought to a point of the range */
    return DUSK_OK;
}

/* --- release ------------------------------------------------------------------------ */

/* Without a branch on the private steps. */
static dusk_int128 clamp(dusk_int128 steps, dusk_int128 first, dusk_int128 last)
{
    dusk_int128 above = -(dusk_int128)(steps > last), below = -(dusk_int128)(steps < first);
    return (last & above) | (first & below) | (steps & ~(above | below));
}

#ifdef DUSK_TESTING
static void record_number(const dusk_bounded_laplace *m, dusk_int128 input, dusk_int128 *output,
                          dusk_generator *gen)
{
    dusk_record_header header = {
        .what = "bounded_laplace",
        .norm = DUSK_RECORD_L1,
        .sensitivity = sensitivity_in_steps(m),
        .scale = scale_in_steps(m),
        .epsilon = m->epsilon,
        .parameter = { { "grid", m->grid }, { "lower", m->lower }, { "upper", m->upper } },
    };
    dusk_record_whole(dusk_record_begin(gen, &header), 0, input, output);
}
#endif

DUSK_PROVEN(dusk_bounded_laplace_release_width)
dusk_status dusk_bounded_laplace_release_width(const dusk_bounded_laplace *m, double *out, double value,
                                               unsigned width, dusk_generator *gen, dusk_error *err)
{
    dusk_window_sampler sampler;
    dusk_int128 noise;
    dusk_status status = check(m, err);
    if (status != DUSK_OK) return status;
    dusk_int128 first = (dusk_int128)first_step(m), last = (dusk_int128)last_step(m);
    dusk_int128 steps = clamp(dusk_noise_steps(value, m->grid), first, last);
    dusk_window_sampler_init(&sampler, scale_in_steps(m), width);
    status = dusk_window_sampler_draw(&sampler, &noise, (dusk_uint128)(steps - first),
                                      (dusk_uint128)(last - steps), gen, err);
    if (status != DUSK_OK) return status;
    DUSK_RECORD(const dusk_int128 input = steps;)
    steps += noise;
    DUSK_RECORD(record_number(m, input, &steps, gen);)
    DUSK_DECLASSIFY(&steps, sizeof steps);
    *out = dusk_fixed_value(steps, m->grid);
    return DUSK_OK;
}

dusk_status dusk_bounded_laplace_release(const dusk_bounded_laplace *mechanism, double *out, double value,
                                         dusk_generator *gen, dusk_error *err)
{
    return dusk_bounded_laplace_release_width(mechanism, out, value, DUSK_WIDTH_FULL, gen, err);
}
