/* SPDX-License-Identifier: Apache-2.0 */
/* Planar Laplace noise: parameters, event, radius, boxes, and the projection of degrees:
 * distances that noise is made for are at most true ones, as Vincenty's formula for the
 * ellipsoid gives them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "dusk/dusk.h"
#include "seeded.h"
#include "support.h"

static uint64_t seed = 8;

static double uniform(void) { return (double)(splitmix64(&seed) >> 11) * 0x1p-53; }

static dusk_planar_laplace make(double epsilon, double distance, int grid)
{
    dusk_planar_laplace planar;
    dusk_error err = { .message = "" };
    if (dusk_planar_laplace_init(&planar, epsilon, distance, grid, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    return planar;
}

static void events(void **state)
{
    dusk_planar_laplace planar = make(0.005, 200, 0);
    dusk_event event;
    double epsilon;
    char text[100];
    (void)state;
    assert_int_equal(dusk_planar_laplace_event(&planar, 3, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, "metric(0.005, 200) * 3");
    assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, 0, NULL), DUSK_OK);
    assert_true(epsilon >= 3 && epsilon < 3 * (1 + 1e-15));
    assert_int_equal(dusk_planar_laplace_event(&planar, 0, &event, NULL), DUSK_ERR_ARGUMENT);
    for (double e = 1e-9; e < 1e9; e *= 1.7) { /* noise is never less than epsilon asks for */
        planar = make(e, 1, DUSK_GRID_DEFAULT);
        for (int i = 0; i < 2; i++)
            assert_true(fma(planar.scale[i], e, -1) >= 0 && planar.scale[i] * e < 1 + 1e-14);
    }
}

static void refused(void **state)
{
    const double bad[] = { 0, -1, NAN, INFINITY }, low[2] = { 40, -75 }, high[2] = { 41, -73 };
    dusk_planar_laplace planar = make(1, 1, 0), kept = planar;
    dusk_error err;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(dusk_planar_laplace_init(&planar, bad[i], 1, 0, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "epsilon"));
        assert_int_equal(dusk_planar_laplace_init(&planar, 1, bad[i], 0, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "distance"));
    }
    assert_int_equal(dusk_planar_laplace_init(&planar, 1e200, 1e200, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_planar_laplace_init(&planar, 1, 1, 100, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_planar_laplace_init(&planar, 1, 1, -100, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_planar_laplace_bound(&planar, high, low, &err), DUSK_ERR_ARGUMENT);
    assert_memory_equal(&planar, &kept, sizeof planar);
    const double boxes[][4] = { { 40, -75, 40, -73 },  { 41, -75, 40, -73 },   { NAN, 0, 1, 1 },
                                { -86, 0, -80, 1 },    { 80, 0, 86, 1 },       { -50, 0, 50, 1 },
                                { 0, -181, 1, -170 },  { 0, 350, 1, 361 },     { 0, -50, 1, 50 },
                                { 0, 0, 1, INFINITY }, { -INFINITY, 0, 0, 1 }, { 0, 1, 1, 0 } };
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        assert_int_equal(
            dusk_planar_laplace_degrees_init(&planar, 1, 1, boxes[i], boxes[i] + 2, DUSK_GRID_DEFAULT, &err),
            DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_planar_laplace_degrees_init(&planar, 0.01, 0.9, low, high, -20, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_planar_laplace_degrees_init(&planar, 0.01, 200, low, high, -20, &err), DUSK_OK);
    assert_int_equal(dusk_planar_laplace_bound(&planar, (double[]){ 39, -74 }, high, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_planar_laplace_bound(&planar, (double[]){ 40.5, -74 }, high, &err), DUSK_OK);
}

/* By hand: too little noise is not released. */
static void fields_are_checked(void **state)
{
    dusk_planar_laplace good = make(0.01, 100, 0), bad[6];
    double place[2] = { 1, 2 }, out[2] = { 7, 7 }, radius;
    dusk_generator *gen = seeded(1);
    dusk_event event;
    (void)state;
    for (size_t i = 0; i < 6; i++) bad[i] = good;
    bad[0].scale[1] *= 1 - 1e-12;
    bad[1].unit[0] = NAN;
    bad[2].low[0] = NAN;
    bad[3].grid = -2000;
    bad[4].epsilon = NAN;
    bad[5].degrees = true; /* without a box */
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(dusk_planar_laplace_release(&bad[i], out, place, 1, gen, NULL), DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_planar_laplace_event(&bad[i], 1, &event, NULL), DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_planar_laplace_interval(&bad[i], &radius, 0.5, NULL), DUSK_ERR_ARGUMENT);
    }
    assert_true(out[0] == 7 && out[1] == 7);
    dusk_generator_free(gen);
}

/* P(|Z| > r) = (1 + eps r) exp(-eps r). */
static void the_radius_is_the_inverse(void **state)
{
    static const double confidence[] = { 0.001, 0.5, 0.95, 1 - 1e-9 };
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (double e = 1e-4; e < 1e5; e *= 10) {
            dusk_planar_laplace planar = make(e, 1, DUSK_GRID_DEFAULT);
            double radius, p = 1 - confidence[i];
            assert_int_equal(dusk_planar_laplace_interval(&planar, &radius, confidence[i], NULL), DUSK_OK);
            double x = e * radius, y = x * (1 - 1e-5);
            assert_true((1 + x) * exp(-x) <= p && (1 + y) * exp(-y) >= p * (1 - 1e-9));
        }
    dusk_planar_laplace planar = make(1, 1, 0);
    double radius;
    assert_int_equal(dusk_planar_laplace_interval(&planar, &radius, 1, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_planar_laplace_interval(&planar, &radius, 0, NULL), DUSK_ERR_ARGUMENT);
}

static void boxes_and_hostile_places(void **state)
{
    const double places[] = { NAN, NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 3, 4, -1e5, 1e5 };
    const double low[2] = { -50, 10 }, high[2] = { 60.3, 20.7 };
    dusk_planar_laplace planar = make(0.1, 10, 0);
    double out[10];
    dusk_generator *gen = seeded(2);
    (void)state;
    assert_int_equal(dusk_planar_laplace_release(&planar, out, places, 5, gen, NULL), DUSK_OK);
    for (size_t i = 0; i < 10; i++) assert_true(isfinite(out[i]) && out[i] == rint(out[i]));
    assert_true(out[0] != out[1]); /* noise in the plane, not on a line */
    assert_true(fabs(out[0]) < 1e4 && out[2] > 1e28 && out[3] < -1e28);
    assert_int_equal(dusk_planar_laplace_bound(&planar, low, high, NULL), DUSK_OK);
    for (int round = 0; round < 100; round++) {
        assert_int_equal(dusk_planar_laplace_release(&planar, out, places, 5, gen, NULL), DUSK_OK);
        for (size_t i = 0; i < 10; i++) assert_true(out[i] >= low[i % 2] && out[i] <= high[i % 2]);
    }
    assert_int_equal(dusk_planar_laplace_release(&planar, out, places, 0, gen, NULL), DUSK_OK);
    dusk_generator_free(gen);
}

/* A quarter of the unit is four times the noise in that coordinate, from the same coins,
 * and none in the other. */
static void units_scale_coordinates(void **state)
{
    dusk_planar_laplace fine = make(0.7, 1, -2), wide = make(0.7, 1, 0);
    double place[2] = { 0, 0 }, out[2][2];
    (void)state;
    wide.unit[1] = 0.25;
    wide.scale[1] *= 4;
    for (uint64_t k = 0; k < 200; k++) {
        for (int i = 0; i < 2; i++) {
            dusk_generator *gen = seeded(k);
            assert_int_equal(dusk_planar_laplace_release(i ? &wide : &fine, out[i], place, 1, gen, NULL),
                             DUSK_OK);
            dusk_generator_free(gen);
        }
        assert_true(out[1][1] == 4 * out[0][1] && fabs(out[1][0] - out[0][0]) <= 0.625);
    }
}

/* --- the earth -------------------------------------------------------------------------- */

/* Vincenty 1975, the inverse problem on WGS 84, in metres. */
static double vincenty(const double *p, const double *q)
{
    const double a = 6378137, f = 1 / 298.257223563, b = a * (1 - f), degree = M_PI / 180;
    double u1 = atan((1 - f) * tan(p[0] * degree)), u2 = atan((1 - f) * tan(q[0] * degree));
    double l = remainder(q[1] - p[1], 360) * degree, lambda = l, before, sigma, sin_sigma, cos_sigma, c2,
           cos_m;
    do {
        double x = cos(u2) * sin(lambda), y = cos(u1) * sin(u2) - sin(u1) * cos(u2) * cos(lambda);
        sin_sigma = hypot(x, y);
        if (sin_sigma == 0) return 0;
        cos_sigma = sin(u1) * sin(u2) + cos(u1) * cos(u2) * cos(lambda);
        sigma = atan2(sin_sigma, cos_sigma);
        double s = cos(u1) * cos(u2) * sin(lambda) / sin_sigma;
        c2 = 1 - s * s;
        cos_m = c2 > 1e-15 ? cos_sigma - 2 * sin(u1) * sin(u2) / c2 : 0;
        double c = f / 16 * c2 * (4 + f * (4 - 3 * c2));
        before = lambda;
        lambda =
            l + (1 - c) * f * s * (sigma + c * sin_sigma * (cos_m + c * cos_sigma * (2 * cos_m * cos_m - 1)));
    } while (fabs(lambda - before) > 1e-14);
    double u = c2 * (a * a - b * b) / (b * b);
    double big_a = 1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u)));
    double big_b = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)));
    double m2 = 2 * cos_m * cos_m - 1;
    double d = big_b * sin_sigma *
               (cos_m + big_b / 4 *
                            (cos_sigma * m2 -
                             big_b / 6 * cos_m * (4 * sin_sigma * sin_sigma - 3) * (4 * cos_m * cos_m - 3)));
    return b * big_a * (sigma - d);
}

static void the_projection_never_lengthens(void **state)
{
    static const double boxes[][4] = { { 40.4, -74.3, 41, -73.6 }, { -1, 10, 1, 12 },
                                       { 60, 5, 70, 30 },          { -34.1, 150.5, -33.5, 151.4 },
                                       { -45, -90, 45, 0 },        { 0, 0, 85, 90 },
                                       { -85, 170, -60, 180 },     { 51.5, -0.01, 51.51, 0.01 } };
    double tightest = 0;
    (void)state;
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++) {
        const double *low = boxes[k], *high = boxes[k] + 2;
        dusk_planar_laplace planar;
        assert_int_equal(
            dusk_planar_laplace_degrees_init(&planar, 0.01, 200, low, high, DUSK_GRID_DEFAULT, NULL),
            DUSK_OK);
        for (int i = 0; i < 4000; i++) {
            double p[2], q[2], size = ldexp(1, -(i % 12));
            for (int j = 0; j < 2; j++) {
                p[j] = low[j] + (high[j] - low[j]) * uniform();
                q[j] = p[j] + (high[j] - low[j]) * (uniform() - 0.5) * size;
                q[j] = fmin(fmax(q[j], low[j]), high[j]);
            }
            if (i % 5 == 0) p[0] = q[0] = fabs(low[0]) > fabs(high[0]) ? low[0] : high[0];
            double truth = vincenty(p, q);
            double made = hypot((p[0] - q[0]) * planar.unit[0], (p[1] - q[1]) * planar.unit[1]);
            if (truth < 1) continue; /* metres: where Vincenty's own error shows */
            if (!(made <= truth * (1 + 1e-7) && truth <= made * planar.stretch * (1 + 1e-7)))
                fail_msg("box %zu: %.10g m are taken for %.10g, stretch %g", k, truth, made, planar.stretch);
            tightest = fmax(tightest, made / truth);
        }
    }
    assert_true(tightest > 0.989); /* and not much less */
}

/* What a place counts as: the answer with so little noise that it does not matter, the same for all. */
static void counts_as(const dusk_planar_laplace *planar, double out[2], const double place[2])
{
    dusk_generator *gen = seeded(4);
    assert_int_equal(dusk_planar_laplace_release(planar, out, place, 1, gen, NULL), DUSK_OK);
    dusk_generator_free(gen);
}

/* Places anywhere: beyond the box, behind the earth, at the poles, on both sides of the 180th meridian and of
 * the meridian opposite to the box, also with longitudes that are a turn further. */
static void no_place_is_moved_apart(void **state)
{
    static const double boxes[][4] = { { 40.4, -74.3, 41, -73.6 }, { -19, 176, -16, 180 },
                                       { -19, 177, -16, 182 },     { 55, 150, 75, 200 },
                                       { -45, -90, 45, 0 },        { 0, 0, 85, 90 },
                                       { -85, 170, -60, 260 },     { 51.5, -0.01, 51.51, 0.01 } };
    (void)state;
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++) {
        const double *low = boxes[k], *high = boxes[k] + 2;
        dusk_planar_laplace planar;
        assert_int_equal(
            dusk_planar_laplace_degrees_init(&planar, 1e4, 1, low, high, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
        for (int i = 0; i < 3000; i++) {
            double p[2] = { 180 * uniform() - 90, 360 * uniform() - 180 }, q[2], seen[2][2];
            double size = ldexp(20, -(i % 16)),
                   edge[] = { 180, low[1], high[1], (low[1] + high[1]) / 2 + 180 };
            if (i % 3 == 0) p[1] = edge[i / 3 % 4] + size * (uniform() - 0.5);
            if (i % 4 == 0) p[0] = copysign(90 - 10 * size * uniform() * uniform(), p[0]);
            if (i % 5 == 0) p[0] = (i % 2 ? low[0] : high[0]) + size * (uniform() - 0.5);
            p[0] = fmin(fmax(p[0], -89.999), 89.999);
            q[0] = fmin(fmax(p[0] + size * (uniform() - 0.5), -89.999), 89.999);
            q[1] = p[1] + size * (uniform() - 0.5) * (i % 2 ? 1 : 1 / cos(p[0] * M_PI / 180));
            if (fabs(q[1] - p[1]) > 60) continue;
            double truth = vincenty(p, q);
            if (i % 7 == 0) q[1] -= 360;
            counts_as(&planar, seen[0], p);
            counts_as(&planar, seen[1], q);
            double made =
                hypot((seen[0][0] - seen[1][0]) * planar.unit[0], (seen[0][1] - seen[1][1]) * planar.unit[1]);
            if (!(made <= truth * (1 + 1e-7) + 1e-3))
                fail_msg("box %zu: (%.17g, %.17g) and (%.17g, %.17g), %.10g m, are taken for %.10g", k, p[0],
                         p[1], q[0], q[1], truth, made);
        }
        for (int i = 0; i < 200; i++) { /* in the box nothing is moved, whichever turn it is */
            double p[2] = { low[0] + (high[0] - low[0]) * uniform(),
                            low[1] + (high[1] - low[1]) * uniform() },
                   out[2];
            double turned[2] = { p[0], p[1] + (p[1] < 0 ? 360 : -360) };
            counts_as(&planar, out, i % 3 ? p : turned);
            assert_true(hypot((out[0] - p[0]) * planar.unit[0], (out[1] - p[1]) * planar.unit[1]) < 1e-2);
        }
    }
}

static void degrees_are_released_in_the_box(void **state)
{
    const double low[2] = { 40.4, -74.3 }, high[2] = { 41, -73.6 }, place[2] = { 40.7, -73.99 };
    dusk_planar_laplace planar;
    dusk_generator *gen = seeded(3);
    double out[2], radius;
    size_t within = 0, rounds = 2000;
    (void)state;
    assert_int_equal(dusk_planar_laplace_degrees_init(&planar, 0.01, 200, low, high, DUSK_GRID_DEFAULT, NULL),
                     DUSK_OK);
    assert_int_equal(dusk_planar_laplace_interval(&planar, &radius, 0.9, NULL), DUSK_OK);
    for (size_t i = 0; i < rounds; i++) {
        assert_int_equal(dusk_planar_laplace_release(&planar, out, place, 1, gen, NULL), DUSK_OK);
        within += vincenty(place, out) <= radius;
    }
    assert_true((double)within > 0.88 * (double)rounds && (double)within < 0.94 * (double)rounds);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events),
        cmocka_unit_test(refused),
        cmocka_unit_test(fields_are_checked),
        cmocka_unit_test(the_radius_is_the_inverse),
        cmocka_unit_test(boxes_and_hostile_places),
        cmocka_unit_test(units_scale_coordinates),
        cmocka_unit_test(the_projection_never_lengthens),
        cmocka_unit_test(no_place_is_moved_apart),
        cmocka_unit_test(degrees_are_released_in_the_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
