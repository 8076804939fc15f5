/* SPDX-License-Identifier: Apache-2.0 */
/* Planar Laplace noise for places: geo-indistinguishability [Andres, Bordenabe,
 * Chatzikokolakis & Palamidessi 2013]. Two places x apart give any answer with
 * probabilities within a factor exp(epsilon x). The noise has density ~
 * exp(-epsilon |z|) in the plane, and the answer is the exact rounding of place plus
 * ideal noise to a public grid (random/noise_ball.h). The paper's own discretisation
 * rounds polar coordinates of finite precision and pays for it with a larger epsilon;
 * here nothing is lost. Proof: planar_laplace.proof.md.
 *
 * For degrees the earth is brought into a box of the plane by a map under which no distance is
 * longer than the true one on the WGS 84 ellipsoid, wherever the two places are, so that
 * epsilon holds for true distances. Nothing here watches how many places of one person are
 * released: the event is asked for that number. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/taint.h"
#include "mechanisms/knorm.h"
#include "mechanisms/planar_laplace.h"
#include "mechanisms/request.h"
#include "numeric/fixed_sum.h"
#include "numeric/rounding.h"
#include "random/noise_ball.h"
#include "random/record.h"
#include "random/rounded.h"

#define DEVIATION 1.7320508075688772 /* of a coordinate, in scales: sqrt(3) */

/* Radii of curvature of the WGS 84 ellipsoid in metres: the least, of the meridian at the
 * equator, and the largest, at the poles. */
#define LEAST_RADIUS 6335439.0
#define LARGEST_RADIUS 6399594.0
#define SLACK 1e-6 /* covers every rounding of the map for places that are a tenth of a metre apart */
#define LEAST_DISTANCE 1.0
#define LONGITUDE_MOST 600.0 /* beyond it is no place */

/* --- parameters --------------------------------------------------------------------- */

/* Whether coordinate i has no less noise than its unit asks for: scale >= 1 / (epsilon
 * unit). False for NaN. */
DUSK_PROVEN(has_noise)
static bool has_noise(const dusk_planar_laplace *planar, int i)
{
    double reach = dusk_mul_down(planar->scale[i], planar->unit[i]);
    return planar->unit[i] > 0 && dusk_mul_down(reach, planar->epsilon) >= 1;
}

static dusk_status check_degrees(double distance, const double low[2], const double high[2], dusk_error *err)
{
    if (!(low[0] >= -85 && high[0] <= 85 && low[1] >= -180 && high[1] <= 360))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "latitude comes first, both in degrees",
                         "the box must lie within latitudes -85 to 85 and longitudes -180 to 360");
    if (!(low[0] < high[0] && low[1] < high[1]))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "latitude comes first, both in degrees",
                         "the box must have a low end below its high end");
    if (!(high[0] - low[0] <= 90 && high[1] - low[1] <= 90))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "release places of each region with a box of its own",
                         "the box must be at most 90 degrees high and wide");
    if (distance > 0 && distance < LEAST_DISTANCE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "places are not known better than that",
                         "distance must be at least %g m on the earth", LEAST_DISTANCE);
    return DUSK_OK;
}

static dusk_status check_planar(const dusk_planar_laplace *planar, dusk_error *err)
{
    if (!(planar->epsilon > 0) || !isfinite(planar->epsilon))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ln(4) / 200 hides a place among those within 200 m",
                         "epsilon, per unit of distance, must be finite and above 0");
    if (!(planar->distance > 0) || !isfinite(planar->epsilon * planar->distance))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say how far apart places are that must not be told apart",
                         "distance must be finite and above 0");
    for (int i = 0; i < 2; i++) {
        if (!(planar->low[i] < planar->high[i]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give low and high of each coordinate",
                             "the box must have a low end below its high end");
        if (!has_noise(planar, i))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with dusk_planar_laplace_init or its kin",
                             "the noise was never made");
        dusk_status status = dusk_ball_check_grid(planar->scale[i], DEVIATION, planar->grid, err);
        if (status != DUSK_OK) return status;
    }
    return planar->degrees ? check_degrees(planar->distance, planar->low, planar->high, err) : DUSK_OK;
}

/* Scales for the units, the grid, and the check of it all. */
static dusk_status settle(dusk_planar_laplace *out, dusk_planar_laplace *planar, int grid, dusk_error *err)
{
    for (int i = 0; i < 2; i++) {
        planar->scale[i] = dusk_div_up(1, dusk_mul_down(planar->epsilon, planar->unit[i]));
        for (int k = 0; k < 8 && !has_noise(planar, i); k++)
            planar->scale[i] = nextafter(planar->scale[i], INFINITY);
    }
    planar->grid = grid != DUSK_GRID_DEFAULT
                       ? grid
                       : dusk_ball_default_grid(fmin(planar->scale[0], planar->scale[1]), DEVIATION);
    dusk_status status = check_planar(planar, err);
    if (status == DUSK_OK) *out = *planar;
    return status;
}

DUSK_PROVEN(dusk_planar_laplace_init)
dusk_status dusk_planar_laplace_init(dusk_planar_laplace *out, double epsilon, double distance, int grid,
                                     dusk_error *err)
{
    dusk_planar_laplace planar = { .epsilon = epsilon,
                                   .distance = distance,
                                   .stretch = 1,
                                   .unit = { 1, 1 },
                                   .low = { -INFINITY, -INFINITY },
                                   .high = { INFINITY, INFINITY } };
    return settle(out, &planar, grid, err);
}

dusk_status dusk_planar_laplace_bound(dusk_planar_laplace *planar, const double low[2], const double high[2],
                                      dusk_error *err)
{
    dusk_planar_laplace bounded = *planar;
    for (int i = 0; i < 2; i++) {
        if (!(low[i] >= planar->low[i] && high[i] <= planar->high[i]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it anew", "a box can only become smaller");
        bounded.low[i] = low[i];
        bounded.high[i] = high[i];
    }
    dusk_status status = check_planar(&bounded, err);
    if (status == DUSK_OK) *planar = bounded;
    return status;
}

/* How far the box reaches from the equator. */
static double farthest(const double low[2], const double high[2])
{
    return fmax(fabs(low[0]), fabs(high[0]));
}

DUSK_PROVEN(dusk_planar_laplace_degrees_init)
dusk_status dusk_planar_laplace_degrees_init(dusk_planar_laplace *out, double epsilon, double distance,
                                             const double low[2], const double high[2], int grid,
                                             dusk_error *err)
{
    const double degree = M_PI / 180;
    dusk_status status = check_degrees(distance, low, high, err);
    if (status != DUSK_OK) return status;
    double nearest = low[0] < 0 && high[0] > 0 ? 0 : fmin(fabs(low[0]), fabs(high[0]));
    double narrow = cos(farthest(low, high) * degree), broad = cos(nearest * degree);
    double half = (high[1] - low[1]) / 2 * degree, turned = sqrt(1 + half * half);
    double latitude = LEAST_RADIUS * degree / turned * (1 - SLACK);
    dusk_planar_laplace planar = {
        .degrees = true,
        .epsilon = epsilon,
        .distance = distance,
        .stretch = LARGEST_RADIUS / LEAST_RADIUS * turned * (broad / narrow) * (1 + 3 * SLACK),
        .unit = { latitude, DUSK_MUTATE(PLANAR_WIDEST_PARALLEL, narrow, 1.0) * latitude * (1 - SLACK) },
        .low = { low[0], low[1] },
        .high = { high[0], high[1] },
    };
    return settle(out, &planar, grid, err);
}

/* --- event and interval ---------------------------------------------------------------- */

DUSK_PROVEN(dusk_planar_laplace_event)
dusk_status dusk_planar_laplace_event(const dusk_planar_laplace *planar, uint64_t places, dusk_event *out,
                                      dusk_error *err)
{
    dusk_event one;
    dusk_status status = check_planar(planar, err);
    if (status == DUSK_OK) status = dusk_event_metric(&one, planar->epsilon, planar->distance, err);
    return status == DUSK_OK ? dusk_event_repeat(out, &one, places, err) : status;
}

DUSK_PROVEN(dusk_planar_laplace_interval)
dusk_status dusk_planar_laplace_interval(const dusk_planar_laplace *planar, double *radius, double confidence,
                                         dusk_error *err)
{
    dusk_status status = check_planar(planar, err);
    if (status != DUSK_OK) return status;
    if ((status = dusk_request_confidence(confidence, err)) != DUSK_OK) return status;
    double scale = 0, step = ldexp(0.5, planar->grid), rounding = 0;
    for (int i = 0; i < 2; i++) {
        double half = dusk_mul_up(step, planar->unit[i]);
        scale = fmax(scale, dusk_mul_up(planar->scale[i], planar->unit[i]));
        rounding = dusk_add_up(rounding, dusk_mul_up(half, half));
    }
    double noise = dusk_mul_up(scale, dusk_gamma_tail_up(2, dusk_sub_down(1, confidence)));
    *radius = dusk_mul_up(planar->stretch, dusk_add_up(noise, dusk_sqrt_up(rounding)));
    return DUSK_OK;
}

/* --- release --------------------------------------------------------------------------- */

/* Without a branch, so that time does not tell whether a place lies in the box. */
static double choose(bool first, double a, double b)
{
    uint64_t x, y, mask = -(uint64_t)first;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = (x & mask) | (y & ~mask);
    memcpy(&a, &x, sizeof a);
    return a;
}

static double clamp(double x, double low, double high)
{
    x = choose(isnan(x), 0, x);
    x = choose(x < high, x, high);
    return choose(x > low, x, low);
}

/* The longitude of the box that a place counts as. Around the earth it goes from one end of the box to
 * the other and back again; towards the poles meridians are near each other, and so are these. */
DUSK_PROVEN(bring_longitude)
static double bring_longitude(const dusk_planar_laplace *planar, double latitude, double longitude)
{
    double half = (planar->high[1] - planar->low[1]) / 2, middle = planar->low[1] + half;
    double most = farthest(planar->low, planar->high);
    double far = fabs(clamp(latitude, -90, 90)), x = clamp(longitude, -LONGITUDE_MOST, LONGITUDE_MOST);
    bool beside = (x < planar->low[1]) | (x > planar->high[1]), beyond = far > most;
    double turn = x - middle;
    turn -= 360 * rint(turn / 360);
    turn = choose(fabs(turn) > 180 - half, copysign(180 - fabs(turn), turn), turn);
    turn = clamp(choose(beside, turn, x - middle), -half, half);
    turn *= choose(beyond, (90 - far) / (90 - most), 1);
    return choose(DUSK_MUTATE(PLANAR_OUTSIDE_CLAMPED, beside | beyond, false), middle + turn, x);
}

/* One coordinate of one place. */
static dusk_status release_one(const dusk_planar_laplace *planar, double *out, int i, const double *place,
                               dusk_ball *ball, dusk_generator *gen, dusk_error *err)
{
    dusk_int128 steps;
    double scale = ldexp(planar->scale[i], -planar->grid), x = place[i];
    if (planar->degrees && i == 1) x = bring_longitude(planar, place[0], place[1]);
    x = clamp(x, planar->low[i], planar->high[i]);
    dusk_status status = dusk_ball_round(ball, &steps, DUSK_MUTATE(PLANAR_NOISE_ON_A_LINE, (size_t)i, 0),
                                         scale, x, planar->grid, gen, err);
    if (status == DUSK_OK)
        *out = clamp(dusk_fixed_value(steps, planar->grid), planar->low[i], planar->high[i]);
    return status;
}

#ifdef DUSK_TESTING
/* One person's place, which is two numbers, may be anywhere: the promise is by distance. */
static void record_places(const dusk_planar_laplace *planar, const double *places, double *answers, size_t n,
                          dusk_generator *gen)
{
    dusk_record_header header = {
        .what = "planar_laplace",
        .norm = DUSK_RECORD_L0,
        .sensitivity = 2,
        .scale = planar->scale[0],
        .parameter = { { "grid", planar->grid },
                       { "other scale", planar->scale[1] },
                       { "places", (double)n } },
    };
    dusk_record_at at = dusk_record_begin(gen, &header);
    for (size_t i = 0; i < 2 * n; i++) dusk_record_real(at, i, places[i], &answers[i]);
}
#endif

DUSK_PROVEN(dusk_planar_laplace_release_width)
dusk_status dusk_planar_laplace_release_width(const dusk_planar_laplace *planar, double *out,
                                              const double *places, size_t n, unsigned width,
                                              dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ball ball = { 0 };
    double *answers = NULL;

    DUSK_TRY(check_planar(planar, err));
    if (n > SIZE_MAX / 2) return dusk_fail_memory(err);
    DUSK_NEW(answers, 2 * n);
    DUSK_TRY(dusk_ball_init(&ball, DUSK_BALL_L2, 2, width, err));
    for (size_t k = 0; k < n; k++) {
        DUSK_TRY(dusk_ball_draw(&ball, gen, err));
        for (size_t i = 0; i < 2; i++)
            DUSK_TRY(release_one(planar, &answers[2 * k + i], (int)i, &places[2 * k], &ball, gen, err));
    }
    DUSK_RECORD(record_places(planar, places, answers, n, gen);)
    DUSK_DECLASSIFY(answers, 2 * n * sizeof *answers);
    for (size_t k = 0; k < 2 * n; k++) out[k] = answers[k];
done:
    dusk_ball_clear(&ball);
    dusk_deallocate(answers);
    return status;
}

dusk_status dusk_planar_laplace_release(const dusk_planar_laplace *planar, double *out, const double *places,
                                        size_t n, dusk_generator *gen, dusk_error *err)
{
    return dusk_planar_laplace_release_width(planar, out, places, n, DUSK_WIDTH_FULL, gen, err);
}
