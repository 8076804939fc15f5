/* SPDX-License-Identifier: Apache-2.0 */
/* K-norm mechanism [Hardt & Talwar 2010, section 4; l2: the "gamma noise" of
 * Chaudhuri, Monteleoni & Sarwate 2011]: noise of density ~ exp(-|z| / scale) with
 * scale = sensitivity / epsilon, all in one norm. The answer is round(value + noise)
 * on the grid, for the exact real value and ideal noise (random/noise_ball.h), so it
 * is a function of the ideal mechanism and no sensitivity is lost to rounding. Its
 * losses are no worse than those of Laplace noise on a line, for every norm, which is
 * what the event says. Proof: knorm.proof.md.
 *
 * Only the three norms; other convex bodies need a sampler of their own. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/taint.h"
#include "mechanisms/knorm.h"
#include "mechanisms/noise.h"
#include "mechanisms/request.h"
#include "numeric/fixed_sum.h"
#include "numeric/rounding.h"
#include "numeric/special.h"
#include "random/noise_ball.h"
#include "random/record.h"
#include "random/rounded.h"

#define FINEST 40 /* a coordinate deviates by at most 2^FINEST steps, by 2^USUAL if nobody chooses */
#define USUAL 24

static double scale_in_steps(const dusk_knorm *knorm) { return ldexp(knorm->scale, -knorm->grid); }

/* How much a coordinate deviates, about, in multiples of the scale. */
static double deviation(dusk_norm norm, double d)
{
    switch (norm) {
    case DUSK_NORM_L1: return sqrt(2);
    case DUSK_NORM_L2: return sqrt(d + 1);
    case DUSK_NORM_LINF: break;
    }
    return sqrt((d + 1) * (d + 2) / 3);
}

/* --- calibration ---------------------------------------------------------------- */

static dusk_status check_request(const dusk_knorm *knorm, dusk_error *err)
{
    if (knorm->norm < DUSK_NORM_L1 || knorm->norm > DUSK_NORM_LINF)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give DUSK_NORM_L1, DUSK_NORM_L2 or DUSK_NORM_LINF",
                         "norm is none of the norms");
    if (knorm->dimension < 1 || knorm->dimension > DUSK_BALL_DIMENSION_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "release longer vectors with l1 or l2 noise of dusk_noise",
                         "dimension must be from 1 to %u", DUSK_BALL_DIMENSION_MAX);
    if (!(knorm->sensitivity > 0) || !isfinite(knorm->sensitivity))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say by how much one unit can change the vector in the norm",
                         "sensitivity must be finite and above 0");
    return dusk_request_epsilon(knorm->epsilon, err);
}

/* What can be drawn: every answer and every scale is then a normal double. */
dusk_status dusk_ball_check_grid(double scale, double deviates, int grid, dusk_error *err)
{
    if (grid == DUSK_GRID_DEFAULT)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "measure the value in another unit",
                         "noise of scale %.3g cannot be represented", scale);
    if (grid < DUSK_GRID_MIN || grid > DUSK_GRID_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "measure the value in another unit",
                         "the grid 2^%d lies outside 2^%d .. 2^%d", grid, DUSK_GRID_MIN, DUSK_GRID_MAX);
    double steps = ldexp(scale, -grid);
    if (steps >= 0x1p-40 && steps * deviates <= ldexp(1, FINEST)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "choose a grid nearer to the noise, or measure the value in another unit",
                     "noise of scale %.3g lies outside what can be drawn on the grid 2^%d", scale, grid);
}

int dusk_ball_default_grid(double scale, double deviates)
{
    double size = scale * deviates;
    if (!isfinite(size) || !(size >= DBL_MIN)) return DUSK_GRID_DEFAULT; /* refused as a grid */
    return ilogb(size) - USUAL;
}

/* What accountants round up comes back a little above what was asked for. */
static dusk_status settle(dusk_knorm *knorm, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (double excess = 0x1p-52; excess <= 0x1p-40; excess *= 2) {
        dusk_event event;
        double epsilon;
        DUSK_TRY(dusk_knorm_event(knorm, &event, err));
        DUSK_TRY(dusk_event_epsilon_up(&event, &epsilon, 0, err));
        if (epsilon <= knorm->epsilon) return DUSK_OK;
        knorm->scale = dusk_mul_up(knorm->scale, 1 + excess);
    }
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "no scale was found that keeps epsilon %.17g",
                     knorm->epsilon);
done:
    return status;
}

DUSK_PROVEN(dusk_knorm_init)
dusk_status dusk_knorm_init(dusk_knorm *out, dusk_norm norm, uint32_t dimension, double sensitivity,
                            double epsilon, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_knorm knorm = {
        .norm = norm, .dimension = dimension, .sensitivity = sensitivity, .epsilon = epsilon
    };
    DUSK_TRY(check_request(&knorm, err));
    knorm.scale = dusk_div_up(sensitivity, epsilon);
    knorm.grid =
        grid != DUSK_GRID_DEFAULT ? grid : dusk_ball_default_grid(knorm.scale, deviation(norm, dimension));
    DUSK_TRY(settle(&knorm, err));
    knorm.scale = DUSK_MUTATE(KNORM_SCALE_HALVED, knorm.scale, knorm.scale / 2);
    *out = knorm;
done:
    return status;
}

/* The fields are public, so somebody may have filled them by hand. */
static dusk_status check_knorm(const dusk_knorm *knorm, dusk_error *err)
{
    dusk_status status = check_request(knorm, err);
    if (status != DUSK_OK) return status;
    return dusk_ball_check_grid(knorm->scale, deviation(knorm->norm, knorm->dimension), knorm->grid, err);
}

/* --- event ------------------------------------------------------------------------ */

DUSK_PROVEN(dusk_knorm_event)
dusk_status dusk_knorm_event(const dusk_knorm *knorm, dusk_event *out, dusk_error *err)
{
    dusk_status status = check_knorm(knorm, err);
    if (status != DUSK_OK) return status;
    return dusk_event_laplace(out, dusk_div_down(knorm->scale, knorm->sensitivity), err);
}

/* --- interval --------------------------------------------------------------------- */

/* An r with P(a sum of d exponentials > r) <= p. No more than d + sqrt(2 d t) + t with
 * t = ln(1/p) [Boucheron, Lugosi & Massart 2013, section 2.4]; below that the tail
 * itself, with room for its error, decides. */
double dusk_gamma_tail_up(double d, double p)
{
    double t = -dusk_log_down(p), low = 0;
    double r = dusk_add_up(dusk_add_up(d, dusk_sqrt_up(dusk_mul_up(2 * d, t))), t);
    if (d == 1) return t;
    for (int i = 0; i < 60; i++) {
        double middle = low + (r - low) / 2;
        if (dusk_gamma_q(DUSK_MUTATE(KNORM_RADIUS_ONE_TERM_SHORT, d, d - 1), middle) * (1 + 1e-9) <= p)
            r = middle;
        else
            low = middle;
    }
    return r;
}

/* An a with P(some |A_i| > a) <= p for a point A of the sphere in d >= 2 dimensions:
 * P(|A_1| > a) <= (1 - a^2)^((d - 1)/2). */
static double largest_coordinate_up(double d, double p)
{
    double exponent = dusk_div_down(2 * dusk_log_down(dusk_div_down(p, d)), d - 1);
    return fmin(1, dusk_sqrt_up(-dusk_expm1_down(exponent)));
}

/* How far a coordinate, every one of them, but with probability p, is off: in
 * multiples of the scale. */
static double coordinates_up(const dusk_knorm *knorm, double p)
{
    double d = knorm->dimension, all = dusk_gamma_tail_up(d, p);
    if (knorm->norm == DUSK_NORM_L1) {
        double each = -dusk_expm1_up(dusk_div_up(dusk_log_up(dusk_sub_up(1, p)), d));
        return fmin(all, -dusk_log_down(each));
    }
    if (knorm->norm == DUSK_NORM_LINF || d < 2) return all;
    return fmin(all, dusk_mul_up(dusk_gamma_tail_up(d, p / 2), largest_coordinate_up(d, p / 2)));
}

/* The norm of a vector of ones. */
static double norm_of_ones_up(const dusk_knorm *knorm)
{
    double d = knorm->dimension;
    return knorm->norm == DUSK_NORM_L1 ? d : knorm->norm == DUSK_NORM_L2 ? dusk_sqrt_up(d) : 1;
}

DUSK_PROVEN(dusk_knorm_interval)
dusk_status dusk_knorm_interval(const dusk_knorm *knorm, double *radius, double *half_width,
                                double confidence, dusk_error *err)
{
    dusk_status status = check_knorm(knorm, err);
    if (status != DUSK_OK) return status;
    if ((status = dusk_request_confidence(confidence, err)) != DUSK_OK) return status;
    double p = dusk_sub_down(1, confidence), half = ldexp(0.5, knorm->grid); /* rounding the answer */
    double all = dusk_mul_up(knorm->scale, dusk_gamma_tail_up(knorm->dimension, p));
    *radius = dusk_add_up(all, dusk_mul_up(half, norm_of_ones_up(knorm)));
    *half_width = dusk_add_up(dusk_mul_up(knorm->scale, coordinates_up(knorm, p)), half);
    return DUSK_OK;
}

/* --- release ------------------------------------------------------------------------ */

#ifdef DUSK_TESTING
static void record_vector(const dusk_knorm *knorm, const double *values, double *answers, dusk_generator *gen)
{
    static const dusk_record_norm norm[] = {
        [DUSK_NORM_L1] = DUSK_RECORD_L1, [DUSK_NORM_L2] = DUSK_RECORD_L2, [DUSK_NORM_LINF] = DUSK_RECORD_LINF
    };
    const double most = ldexp(1, knorm->grid + 100);
    dusk_record_header header = {
        .what = "k_norm",
        .law = DUSK_RECORD_NORM,
        .norm = norm[knorm->norm],
        .sensitivity = knorm->sensitivity,
        .scale = knorm->scale,
        .epsilon = knorm->epsilon,
        .parameter = { { "grid", knorm->grid }, { "dimension", knorm->dimension } },
    };
    dusk_record_at at = dusk_record_begin(gen, &header);
    for (size_t i = 0; i < knorm->dimension; i++) {
        double value = isnan(values[i]) ? 0 : fmin(fmax(values[i], -most), most);
        dusk_record_real(at, i, value, &answers[i]);
    }
}
#endif

DUSK_PROVEN(dusk_knorm_release_width)
dusk_status dusk_knorm_release_width(const dusk_knorm *knorm, double *out, const double *values,
                                     unsigned width, dusk_generator *gen, dusk_error *err)
{
    static const dusk_ball_norm kind[] = {
        [DUSK_NORM_L1] = DUSK_BALL_L1, [DUSK_NORM_L2] = DUSK_BALL_L2, [DUSK_NORM_LINF] = DUSK_BALL_LINF
    };
    dusk_status status = DUSK_OK;
    dusk_ball ball = { 0 };
    double *answers = NULL;
    size_t n = knorm->dimension;

    DUSK_TRY(check_knorm(knorm, err));
    DUSK_NEW(answers, n);
    DUSK_TRY(dusk_ball_init(&ball, kind[knorm->norm], n, width, err));
    DUSK_TRY(dusk_ball_draw(&ball, gen, err));
    for (size_t i = 0; i < n; i++) {
        dusk_int128 steps;
        DUSK_TRY(dusk_ball_round(&ball, &steps, i, scale_in_steps(knorm), values[i], knorm->grid, gen, err));
        answers[i] = dusk_fixed_value(steps, knorm->grid);
    }
    DUSK_RECORD(record_vector(knorm, values, answers, gen);)
    DUSK_DECLASSIFY(answers, n * sizeof *answers);
    for (size_t i = 0; i < n; i++) out[i] = answers[i];
done:
    dusk_ball_clear(&ball);
    dusk_deallocate(answers);
    return status;
}

dusk_status dusk_knorm_release(const dusk_knorm *knorm, double *out, const double *values,
                               dusk_generator *gen, dusk_error *err)
{
    return dusk_knorm_release_width(knorm, out, values, DUSK_WIDTH_FULL, gen, err);
}
