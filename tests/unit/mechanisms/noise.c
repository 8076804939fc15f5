/* SPDX-License-Identifier: Apache-2.0 */
/* Additive mechanisms: what is refused, which grid is chosen, that rounding a
 * value never moves it further than declared, that the event keeps the promise
 * with little to spare, and that intervals are neither too short nor too long.
 * The law of the answers: exhaustive/noise_release.c. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mechanisms/noise.h"
#include "seeded.h"
#include "support.h"

/* One call for all laws; delta is ignored by the Laplace ones. */
static dusk_status make(dusk_noise *out, dusk_noise_law law, uint32_t dimension, double sensitivity,
                        double epsilon, double delta, int grid, dusk_error *err)
{
    switch (law) {
    case DUSK_LAPLACE: return dusk_laplace_init(out, dimension, sensitivity, epsilon, grid, err);
    case DUSK_GAUSSIAN: return dusk_gaussian_init(out, dimension, sensitivity, epsilon, delta, grid, err);
    case DUSK_DISCRETE_LAPLACE:
        return dusk_discrete_laplace_init(out, dimension, sensitivity, epsilon, grid, err);
    case DUSK_DISCRETE_GAUSSIAN:
        return dusk_discrete_gaussian_init(out, dimension, sensitivity, epsilon, delta, grid, err);
    default: break; /* laws for one number have tests of their own */
    }
    return DUSK_ERR_INTERNAL;
}

static void assert_refused(dusk_noise_law law, uint32_t dimension, double sensitivity, double epsilon,
                           double delta, int grid, const char *word)
{
    dusk_noise noise, before;
    dusk_error err = { .message = "" };
    memset(&noise, 7, sizeof noise);
    memcpy(&before, &noise, sizeof noise);
    assert_int_equal(make(&noise, law, dimension, sensitivity, epsilon, delta, grid, &err),
                     DUSK_ERR_ARGUMENT);
    if (!strstr(err.message, word)) fail_msg("'%s' should speak of %s", err.message, word);
    assert_true(strlen(err.hint) > 0);
    assert_memory_equal(&noise, &before, sizeof noise);
}

static void bad_parameters_are_refused(void **state)
{
    (void)state;
    for (dusk_noise_law law = DUSK_LAPLACE; law <= DUSK_DISCRETE_GAUSSIAN; law++) {
        const double bad[] = { 0, -1, NAN, INFINITY, -INFINITY };
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            assert_refused(law, 1, bad[i], 1, 1e-6, 0, "sensitivity");
            assert_refused(law, 1, 1, bad[i], 1e-6, 0, "epsilon");
        }
        assert_refused(law, 0, 1, 1, 1e-6, 0, "dimension");
        assert_refused(law, 1, 1, 1, 1e-6, DUSK_GRID_MIN - 1, "grid");
        assert_refused(law, 1, 1, 1, 1e-6, DUSK_GRID_MAX + 1, "grid");
        assert_refused(law, 1, 1, 1, 1e-6, -70, "steps");
        if (law == DUSK_GAUSSIAN || law == DUSK_DISCRETE_GAUSSIAN) {
            const double deltas[] = { 0, 1, -0.5, 2, NAN };
            for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++)
                assert_refused(law, 1, 1, 1, deltas[i], 0, "delta");
        }
        if (law >= DUSK_DISCRETE_LAPLACE) assert_refused(law, 1, 1, 1, 1e-6, DUSK_GRID_DEFAULT, "grid");
    }
    assert_refused(DUSK_LAPLACE, 1, 1, 0x1p60, 0, 0, "steps");
    assert_refused(DUSK_DISCRETE_LAPLACE, 1, 1, 1e-30, 0, 0, "steps");
    assert_refused(DUSK_LAPLACE, 1, DBL_MAX, 1, 0, DUSK_GRID_DEFAULT, "grid");
    assert_refused(DUSK_LAPLACE, 1, DBL_MAX, 0.1, 0, DUSK_GRID_DEFAULT, "scale");
    assert_refused(DUSK_LAPLACE, 1, DBL_TRUE_MIN, 1, 0, DUSK_GRID_DEFAULT, "scale");
}

/* Noise for several releases: the event says the multiplier, and hardly less noise than was drawn. */
static void multiplier_is_kept(void **state)
{
    (void)state;
    for (double multiplier = 0.25; multiplier < 1e4; multiplier *= 3) {
        dusk_noise noise;
        dusk_event event, least;
        double epsilon, most;
        assert_int_equal(dusk_gaussian_multiplier_init(&noise, 7, 3, multiplier, -30, NULL), DUSK_OK);
        assert_true(noise.scale >= 3 * multiplier && noise.scale <= 3 * multiplier * (1 + 1e-8));
        assert_int_equal(dusk_noise_for_total(&noise, NULL), DUSK_OK);
        assert_true(noise.grid_sensitivity == 3 && noise.scale <= 3 * multiplier * (1 + 1e-12));
        assert_int_equal(dusk_noise_event(&noise, &event, NULL), DUSK_OK);
        assert_int_equal(dusk_event_gaussian(&least, multiplier * (1 - 1e-12), NULL), DUSK_OK);
        assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, 1e-6, NULL), DUSK_OK);
        assert_int_equal(dusk_event_epsilon_up(&least, &most, 1e-6, NULL), DUSK_OK);
        assert_true(epsilon <= most && epsilon >= most * (1 - 1e-6));
        assert_int_equal(dusk_gaussian_multiplier_init(&noise, 1, 1, -multiplier, 0, NULL),
                         DUSK_ERR_ARGUMENT);
    }
}

static void classical_gaussian_ends_at_epsilon_one(void **state)
{
    dusk_noise classical, analytic;
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_gaussian_classical_init(&classical, 1, 1, 1, 1e-6, 0, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "below 1"));
    assert_int_equal(dusk_gaussian_classical_init(&classical, 1, 1, 0.5, 1e-6, -30, NULL), DUSK_OK);
    assert_int_equal(dusk_gaussian_init(&analytic, 1, 1, 0.5, 1e-6, -30, NULL), DUSK_OK);
    assert_true(classical.scale >= sqrt(2 * log(1.25e6)) / 0.5);
    assert_true(classical.scale < sqrt(2 * log(1.25e6)) / 0.5 * (1 + 1e-9));
    assert_true(analytic.scale < classical.scale);
}

static void the_default_grid_has_2_to_the_40_steps_a_scale(void **state)
{
    (void)state;
    for (dusk_noise_law law = DUSK_LAPLACE; law <= DUSK_GAUSSIAN; law++)
        for (double s = 1e-200; s < 1e200; s *= 7.3e9)
            for (double epsilon = 1e-9; epsilon < 1e6; epsilon *= 31) {
                dusk_noise noise;
                assert_int_equal(make(&noise, law, 1, s, epsilon, 1e-9, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
                double steps = ldexp(noise.scale, -noise.grid);
                assert_true(steps >= 0x1p40);
                if (epsilon > 1e-4) assert_true(steps < 0x1p41 * (1 + 1e-6));
                /* Rounding the sensitivity up is never felt. */
                assert_true(noise.grid_sensitivity >= s && noise.grid_sensitivity <= s * (1 + 0x1p-19));
            }
}

/* --- the value ------------------------------------------------------------------ */

static void values_round_by_whole_steps(void **state)
{
    (void)state;
    assert_true(dusk_noise_steps(0.5, 0) == 1);
    assert_true(dusk_noise_steps(1.5, 0) == 2);
    assert_true(dusk_noise_steps(2.5, 0) == 3);
    assert_true(dusk_noise_steps(-0.5, 0) == 0);
    assert_true(dusk_noise_steps(-1.5, 0) == -1);
    assert_true(dusk_noise_steps(nextafter(0.5, 0), 0) == 0);
    assert_true(dusk_noise_steps(nextafter(-0.5, -1), 0) == -1);
    assert_true(dusk_noise_steps(-0.0, 0) == 0);
    assert_true(dusk_noise_steps(DBL_TRUE_MIN, 0) == 0 && dusk_noise_steps(-DBL_TRUE_MIN, 0) == 0);
    assert_true(dusk_noise_steps(NAN, 0) == 0);
    assert_true(dusk_noise_steps(INFINITY, 0) == (dusk_int128)1 << 100);
    assert_true(dusk_noise_steps(-INFINITY, 5) == -((dusk_int128)1 << 100));
    assert_true(dusk_noise_steps(1e300, -900) == (dusk_int128)1 << 100);
    assert_true(dusk_noise_steps(0x1.8p54, 1) == (dusk_int128)3 << 52);
    assert_true(dusk_noise_steps(0x1.fffffffffffffp52, 0) == 0x1fffffffffffff);
    assert_true(dusk_noise_steps(0x1.fffffffffffffp51, 0) == 0x10000000000000);
    assert_true(dusk_noise_steps(0.3, -2) == 1);
    for (int i = -200; i <= 200; i++) /* moving by whole steps moves by as many */
        for (int k = -3; k <= 3; k++)
            assert_true(dusk_noise_steps(i / 8.0 + k, 0) == dusk_noise_steps(i / 8.0, 0) + k);
}

/* The largest norm of R(a) - R(b) over all a, b on a lattice of eighths with
 * |a - b| <= sensitivity. Only b - a and the fractions of a matter. */
static double worst_move(dusk_noise_law law, uint32_t d, double sensitivity)
{
    double worst = 0;
    int reach = (int)(8 * sensitivity);
    int from[3] = { 0 }, by[3] = { 0 };
    bool l2 = law == DUSK_GAUSSIAN || law == DUSK_DISCRETE_GAUSSIAN;
    int froms = d == 1 ? 8 : d == 2 ? 64 : 512, moves = 1, width = 2 * reach + 1;
    for (uint32_t i = 0; i < d; i++) moves *= width;
    for (int f = 0; f < froms; f++)
        for (int m = 0; m < moves; m++) {
            double before = 0, after = 0;
            for (uint32_t i = 0, ff = (uint32_t)f, mm = (uint32_t)m; i < d; i++) {
                from[i] = (int)(ff % 8);
                by[i] = (int)(mm % (uint32_t)width) - reach;
                ff /= 8;
                mm /= (uint32_t)width;
                double step = (double)(dusk_noise_steps((from[i] + by[i]) / 8.0, 0) -
                                       dusk_noise_steps(from[i] / 8.0, 0));
                before += l2 ? by[i] * by[i] / 64.0 : fabs(by[i] / 8.0);
                after += l2 ? step * step : fabs(step);
            }
            if ((l2 ? sqrt(before) : before) <= sensitivity) worst = fmax(worst, l2 ? sqrt(after) : after);
        }
    return worst;
}

static void rounded_values_stay_within_grid_sensitivity(void **state)
{
    (void)state;
    for (dusk_noise_law law = DUSK_LAPLACE; law <= DUSK_DISCRETE_GAUSSIAN; law++)
        for (uint32_t d = 1; d <= 3; d++)
            for (double s = 0.25; s <= (d < 3 ? 1.5 : 0.5); s += 0.25) {
                dusk_noise noise = { .law = law, .dimension = d, .sensitivity = s };
                double declared = dusk_noise_rounded_sensitivity(&noise), seen = worst_move(law, d, s);
                if (seen > declared) fail_msg("law %d, d %u, s %g: %g > %g", (int)law, d, s, seen, declared);
                /* For l1 it cannot be less (more coordinates show it on a finer lattice only). */
                if (law == DUSK_LAPLACE && d <= 2) assert_true(seen == declared);
            }
}

/* --- promise and interval ---------------------------------------------------------- */

static double price(const dusk_noise *noise)
{
    dusk_event event;
    double epsilon;
    assert_int_equal(dusk_noise_event(noise, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, noise->promise.delta, NULL), DUSK_OK);
    return epsilon;
}

static void the_event_keeps_the_promise_with_little_to_spare(void **state)
{
    const double deltas[] = { 1e-12, 1e-6, 0.01, 0.3 };
    (void)state;
    for (dusk_noise_law law = DUSK_LAPLACE; law <= DUSK_DISCRETE_GAUSSIAN; law++)
        for (uint32_t d = 1; d <= 1000; d += 333)
            for (double epsilon = 0.01; epsilon < 50; epsilon *= 3.7)
                for (size_t i = 0; i < 4; i++) {
                    dusk_noise noise;
                    assert_int_equal(make(&noise, law, d, 3, epsilon, deltas[i], -20, NULL), DUSK_OK);
                    double given = price(&noise);
                    if (given > epsilon) fail_msg("law %d: %.17g > %.17g", (int)law, given, epsilon);
                    if (given < epsilon * (1 - 1e-9)) fail_msg("law %d: wasteful %.17g", (int)law, given);
                    assert_true(noise.promise.epsilon == epsilon && noise.sensitivity == 3);
                }
}

/* P(|K| > t) in closed form, for scales of a few steps. */
static double tail(const dusk_noise *noise, double t)
{
    double b = noise->scale, q = exp(-1 / b), sum = 0, all = 0;
    switch (noise->law) {
    case DUSK_LAPLACE: return exp(-(t + 0.5) / b);
    case DUSK_GAUSSIAN: return erfc((t + 0.5) / b / sqrt(2));
    case DUSK_DISCRETE_LAPLACE: return 2 * pow(q, t + 1) / (1 + q);
    case DUSK_DISCRETE_GAUSSIAN:
        for (double k = -ceil(40 * b); k <= ceil(40 * b); k++) {
            all += exp(-k * k / (2 * b * b));
            sum += fabs(k) > t ? exp(-k * k / (2 * b * b)) : 0;
        }
        return sum / all;
    default: break;
    }
    return NAN;
}

static void intervals_are_exact(void **state)
{
    (void)state;
    for (dusk_noise_law law = DUSK_LAPLACE; law <= DUSK_DISCRETE_GAUSSIAN; law++)
        for (double epsilon = 0.05; epsilon < 4; epsilon *= 2)
            for (int c = 1; c < 8; c++) {
                dusk_noise noise;
                double confidence = 1 - pow(10, -c / 2.0), width;
                assert_int_equal(make(&noise, law, 1, 1, epsilon, 1e-4, 0, NULL), DUSK_OK);
                assert_int_equal(dusk_noise_interval(&noise, &width, confidence, NULL), DUSK_OK);
                double t = width - 0.5; /* whole steps, and half a step for the value */
                assert_true(t == rint(t) && t >= 0);
                assert_true(tail(&noise, t) <= (1 - confidence) * (1 + 1e-8));
                if (t > 0) assert_true(tail(&noise, t - 1) > (1 - confidence) * (1 - 1e-8));
            }
}

/* Far out, and for many coordinates at once, against the tails of the ideal laws. */
static void intervals_hold_for_all_coordinates(void **state)
{
    dusk_noise noise;
    double width;
    (void)state;
    assert_int_equal(dusk_laplace_init(&noise, 1000000, 1, 1, -60, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_laplace_init(&noise, 1000000, 1, 1, -40, NULL), DUSK_OK);
    assert_int_equal(dusk_noise_interval(&noise, &width, 0.95, NULL), DUSK_OK);
    double each = -expm1(log(0.95) / 1e6);
    assert_true(fabs(width / (noise.scale * -log(each)) - 1) < 1e-9);
    assert_int_equal(dusk_discrete_gaussian_init(&noise, 1, 1, 1, 1e-6, -30, NULL), DUSK_OK);
    assert_int_equal(dusk_noise_interval(&noise, &width, 1 - 1e-9, NULL), DUSK_OK);
    assert_true(fabs(width / (noise.scale * 6.109410204869) - 1) < 1e-8);
    assert_int_equal(dusk_noise_interval(&noise, &width, 1, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_noise_interval(&noise, &width, NAN, NULL), DUSK_ERR_ARGUMENT);
}

/* --- release -------------------------------------------------------------------------- */

/* A30: noise of any scale from 2^-40 to 2^60 steps works alike. */
static void a30_every_scale_works(void **state)
{
    dusk_generator *gen = seeded(30);
    (void)state;
    for (dusk_noise_law law = DUSK_LAPLACE; law <= DUSK_DISCRETE_GAUSSIAN; law++)
        for (int k = -40; k <= 60; k++) {
            dusk_noise noise = {
                .law = law, .dimension = 1, .scale = ldexp(1, k), .sensitivity = 1, .grid_sensitivity = 1
            };
            double out, width, most = 0;
            assert_int_equal(dusk_noise_interval(&noise, &width, 0.5, NULL), DUSK_OK);
            for (int i = 0; i < 60; i++) {
                assert_int_equal(dusk_noise_release(&noise, &out, 0, gen, NULL), DUSK_OK);
                assert_true(out == rint(out));
                most = fmax(most, fabs(out));
            }
            /* Half of them are expected beyond, half within: 2^-60 to fail. */
            assert_true(most < ldexp(64, k) + 1);
            if (k >= 0) assert_true(most > width / 4);
        }
    for (int k = -40; k <= 60; k += 4) { /* through the front door */
        dusk_noise noise;
        double out;
        assert_int_equal(dusk_laplace_init(&noise, 1, 1, ldexp(1, -k), 0, NULL), DUSK_OK);
        assert_true(noise.scale == ldexp(1, k));
        assert_int_equal(dusk_noise_release(&noise, &out, 5, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_laplace_init(&noise, 1, ldexp(1, k), 1, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
        assert_true(noise.scale == ldexp(1, k) && noise.grid == k - 40);
        assert_int_equal(dusk_noise_release(&noise, &out, 5, gen, NULL), DUSK_OK);
    }
    dusk_generator_free(gen);
}

/* A8, A9 for what is released: an answer saturates, it never wraps. */
static void answers_do_not_wrap(void **state)
{
    dusk_generator *gen = seeded(8);
    dusk_noise noise;
    double out, huge[2] = { DBL_MAX, -DBL_MAX }, pair[2];
    (void)state;
    assert_int_equal(dusk_laplace_init(&noise, 1, 1, 0x1p-60, 0, NULL), DUSK_OK);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(dusk_noise_release(&noise, &out, DBL_MAX, gen, NULL), DUSK_OK);
        assert_true(out > 0x1p99 && out <= 0x1p125);
        assert_int_equal(dusk_noise_release_steps(&noise, &out, -((dusk_int128)1 << 126), 64, gen, NULL),
                         DUSK_OK);
        assert_true(out >= -0x1p125 && out < -0x1p124);
    }
    assert_int_equal(dusk_laplace_init(&noise, 2, 1, 1, -20, NULL), DUSK_OK); /* bulk */
    assert_int_equal(dusk_noise_release_vector(&noise, pair, huge, gen, NULL), DUSK_OK);
    assert_true(pair[0] == 0x1p80 && pair[1] == -0x1p80); /* 2^100 steps; the noise is below the last place */
    dusk_generator_free(gen);
}

/* A11 for what is released. */
static void odd_values_give_ordinary_answers(void **state)
{
    const double odd[] = { NAN, -NAN, INFINITY, -INFINITY, -0.0, DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_MAX };
    dusk_generator *gen = seeded(11);
    dusk_noise noise;
    double out;
    (void)state;
    assert_int_equal(dusk_laplace_init(&noise, 1, 1, 1, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_int_equal(dusk_noise_release(&noise, &out, odd[i], gen, NULL), DUSK_OK);
        assert_true(isfinite(out));
    }
    dusk_generator_free(gen);
}

static void bulk_and_single_draws_agree_in_shape(void **state)
{
    enum { N = 20000 };
    static double values[N], out[N];
    dusk_generator *gen = seeded(5);
    (void)state;
    for (int i = 0; i < N; i++) values[i] = i;
    for (int grid = -20; grid >= -40; grid -= 20) { /* bulk, and not */
        dusk_noise noise;
        double sum = 0;
        assert_int_equal(dusk_laplace_init(&noise, N, 1, 1, grid, NULL), DUSK_OK);
        assert_int_equal(dusk_noise_release_vector(&noise, out, values, gen, NULL), DUSK_OK);
        for (int i = 0; i < N; i++) sum += fabs(out[i] - values[i]) / noise.scale;
        assert_true(fabs(sum / N - 1) < 0.04);
    }
    dusk_generator_free(gen);
}

/* The 64-bit path of bulk noise gives what 128 bits would. */
static void bulk_is_what_a_pool_gives(void **state)
{
    const double odd[] = { 0,      0.5, 1.5,    -0.5,   -1.5,    NAN,      INFINITY, -INFINITY, DBL_MAX,
                           -1e300, 0.3, 1e-310, 0x1p60, -0x1p61, 0x1.8p52, -0.25,    12345.678, -0x1p-30 };
    enum { N = sizeof odd / sizeof *odd };
    (void)state;
    for (int grid = -25; grid <= 25; grid += 5)
        for (uint64_t seed = 0; seed < 20; seed++) {
            dusk_generator *a = seeded(seed), *b = seeded(seed);
            dusk_noise noise;
            dusk_pool pool;
            double out[N], values[N]; /* each in lanes, and behind the last of them */
            for (size_t i = 0; i < N; i++) values[i] = odd[(i + seed) % N];
            assert_int_equal(dusk_laplace_init(&noise, N, 3, 0.5, grid, NULL), DUSK_OK);
            assert_int_equal(dusk_noise_release_vector(&noise, out, values, a, NULL), DUSK_OK);
            assert_int_equal(dusk_pool_draw(&pool, &noise, N, 64, b, NULL), DUSK_OK);
            assert_non_null(pool.narrow);
            for (size_t i = 0; i < N; i++) {
                dusk_int128 steps = dusk_pool_add(&pool, i, dusk_noise_steps(values[i], grid));
                assert_true(out[i] == ldexp((double)steps, grid));
            }
            dusk_pool_clear(&pool);
            dusk_generator_free(a);
            dusk_generator_free(b);
        }
}

/* What a total moves by, its answer moves by: the noise is drawn before and each has its own. */
static void totals_get_noise_each(void **state)
{
    enum { N = 40 };
    const dusk_int128 none[N] = { 0 }, some[N] = { 5, -7, (dusk_int128)1 << 50 };
    double without[N], with[N];
    dusk_noise noise[2], unmade = { 0 };
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_discrete_laplace_init(&noise[0], 1, 1, 0.01, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_laplace_init(&noise[1], 1, 1, 1, -4, NULL), DUSK_OK);
    for (int law = 0; law < 2; law++) {
        dusk_generator *gen[2] = { seeded(7), seeded(7) }, *tape = zeros(1);
        unsigned zero = 0;
        assert_int_equal(dusk_noise_release_totals(&noise[law], without, none, N, gen[0], NULL), DUSK_OK);
        assert_int_equal(dusk_noise_release_totals(&noise[law], with, some, N, gen[1], NULL), DUSK_OK);
        for (int i = 0; i < N; i++) {
            assert_true(with[i] - without[i] == ldexp((double)some[i], noise[law].grid));
            zero += without[i] == 0;
        }
        assert_true(zero < N / 4);
        assert_int_equal(dusk_noise_release_totals(&noise[law], with, none, N, tape, &err), DUSK_ERR_ENTROPY);
        assert_true(with[2] - without[2] == ldexp(0x1p50, noise[law].grid));
        assert_int_equal(dusk_noise_release_totals(&noise[law], with, none, 0, gen[0], NULL), DUSK_OK);
        assert_int_equal(dusk_noise_release_totals(&unmade, with, none, N, gen[0], &err), DUSK_ERR_ARGUMENT);
        for (int i = 0; i < 2; i++) dusk_generator_free(gen[i]);
        dusk_generator_free(tape);
    }
}

static void failures_leave_no_answer(void **state)
{
    dusk_generator *tape, *gen = seeded(1);
    dusk_noise noise, vector;
    double out[3] = { 7, 7, 7 }, values[3] = { 1, 2, 3 };
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_generator_new_tape(&tape, NULL, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_laplace_init(&noise, 1, 1, 1, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    assert_int_equal(dusk_noise_release(&noise, out, 1, tape, &err), DUSK_ERR_ENTROPY);
    for (int grid = -20; grid >= -40; grid -= 20) {
        assert_int_equal(dusk_laplace_init(&vector, 3, 1, 1, grid, NULL), DUSK_OK);
        assert_int_equal(dusk_noise_release_vector(&vector, out, values, tape, &err), DUSK_ERR_ENTROPY);
        dusk_memory_fail_at(1);
        assert_int_equal(dusk_noise_release_vector(&vector, out, values, gen, &err), DUSK_ERR_MEMORY);
        dusk_memory_fail_at(0);
    }
    assert_int_equal(dusk_noise_release(&vector, out, 1, gen, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_noise_for_total(&vector, NULL), DUSK_OK);
    assert_int_equal(dusk_noise_release_vector(&vector, out, values, gen, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "total"));
    memset(&noise, 0, sizeof noise);
    assert_int_equal(dusk_noise_release(&noise, out, 1, gen, &err), DUSK_ERR_ARGUMENT);
    noise.dimension = 1;
    assert_int_equal(dusk_noise_release(&noise, out, 1, gen, &err), DUSK_ERR_ARGUMENT);
    for (int i = 0; i < 3; i++) assert_true(out[i] == 7);
    dusk_generator_free(tape);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(multiplier_is_kept),
        cmocka_unit_test(classical_gaussian_ends_at_epsilon_one),
        cmocka_unit_test(the_default_grid_has_2_to_the_40_steps_a_scale),
        cmocka_unit_test(values_round_by_whole_steps),
        cmocka_unit_test(rounded_values_stay_within_grid_sensitivity),
        cmocka_unit_test(the_event_keeps_the_promise_with_little_to_spare),
        cmocka_unit_test(intervals_are_exact),
        cmocka_unit_test(intervals_hold_for_all_coordinates),
        cmocka_unit_test(a30_every_scale_works),
        cmocka_unit_test(answers_do_not_wrap),
        cmocka_unit_test(odd_values_give_ordinary_answers),
        cmocka_unit_test(bulk_and_single_draws_agree_in_shape),
        cmocka_unit_test(bulk_is_what_a_pool_gives),
        cmocka_unit_test(totals_get_noise_each),
        cmocka_unit_test(failures_leave_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
