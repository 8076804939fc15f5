/* SPDX-License-Identifier: Apache-2.0 */
/* Does the time of a draw tell its size? The correlation of |noise| with the
 * ticks of single draws below their 95 % quantile, at several scales. Machines
 * are noisy: a sample may be spoilt, so that a few fresh ones are allowed. A whole
 * process may be, too: on some processors |r| is 0.02 to 0.03 in every sample of
 * about one process in six, and not in others, so that a few fresh processes are
 * allowed. What shows in some processes only is not caught here: see the threat
 * model. A dependence of the work on the value spoils them all, as the last test
 * shows with a sampler that works the longer the larger its value is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/ticks.h"
#include "random/noise_additive.h"
#include "random/noise_sinh_normal.h"
#include "random/noise_staircase.h"
#include "random/noise_window.h"
#include "random/tape.h"
#include "support.h"

enum { DRAWS = 200000, SAMPLES = 5, LAYOUTS = 4 };
static double size[DRAWS], duration[DRAWS], sorted[DRAWS];

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Pearson's, of size and duration where the duration is not beyond its 95 %
 * quantile: there are the interrupts, and the refills of the generator. */
static double correlation(void)
{
    double n = 0, mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < DRAWS; i++) sorted[i] = duration[i];
    qsort(sorted, DRAWS, sizeof *sorted, compare_doubles);
    for (size_t i = 0; i < DRAWS; i++) {
        if (duration[i] > sorted[DRAWS / 20 * 19]) continue;
        double dx = size[i] - mx, dy = duration[i] - my; /* Welford 1962 */
        n++;
        mx += dx / n;
        my += dy / n;
        xx += dx * (size[i] - mx);
        yy += dy * (duration[i] - my);
        xy += dx * (duration[i] - my);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* One draw of a law, and what the time must not tell: its size, or a private number it was made from. */
typedef dusk_status sampler(const void *law, dusk_int128 *secret, dusk_generator *gen);

static double sample(sampler *draw, const void *law, dusk_generator *gen)
{
    for (size_t i = 0; i < DRAWS; i++) {
        dusk_int128 secret;
        uint64_t start = dusk_ticks();
        dusk_status status = draw(law, &secret, gen);
        uint64_t end = dusk_ticks();
        assert_int_equal(status, DUSK_OK);
        size[i] = fabs((double)secret);
        duration[i] = (double)(end - start);
    }
    return correlation();
}

/* The smallest |r| of several samples, as soon as one is below `enough`. */
static double least_correlation(sampler *draw, const void *law, double enough)
{
    dusk_generator *gen;
    double least = INFINITY;
    assert_int_equal(dusk_generator_new(&gen, NULL), DUSK_OK);
    for (int s = 0; s < SAMPLES && least >= enough; s++) least = fmin(least, fabs(sample(draw, law, gen)));
    dusk_generator_free(gen);
    return least;
}

static void assert_quiet(const char *what, sampler *draw, const void *law)
{
    double r = least_correlation(draw, law, 0.02);
    if (!(r < 0.02)) fail_msg("%s: time and size are correlated, |r| = %.4f", what, r);
}

static dusk_status draw_additive(const void *law, dusk_int128 *secret, dusk_generator *gen)
{
    return dusk_additive_draw(law, secret, gen, NULL);
}

static void assert_silent(dusk_additive_law law)
{
    const double scales[] = { 1, 0x1p20, 0x1p40 };
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        dusk_additive a;
        char what[40];
        dusk_additive_init(&a, law, scales[i], DUSK_WIDTH_FULL);
        snprintf(what, sizeof what, "law %d, scale %g", (int)law, scales[i]);
        assert_quiet(what, draw_additive, &a);
    }
}

static void laplace(void **state)
{
    (void)state;
    assert_silent(DUSK_ADDITIVE_LAPLACE);
}

static void gaussian(void **state)
{
    (void)state;
    assert_silent(DUSK_ADDITIVE_GAUSSIAN);
}

static void discrete_laplace(void **state)
{
    (void)state;
    assert_silent(DUSK_ADDITIVE_DISCRETE_LAPLACE);
}

static void discrete_gaussian(void **state)
{
    (void)state;
    assert_silent(DUSK_ADDITIVE_DISCRETE_GAUSSIAN);
}

static dusk_status draw_staircase(const void *law, dusk_int128 *secret, dusk_generator *gen)
{
    return dusk_staircase_sampler_draw(law, secret, gen, NULL);
}

static void staircase(void **state)
{
    dusk_staircase_sampler s;
    (void)state;
    dusk_staircase_sampler_init(&s, 1, (dusk_uint128)1 << 40, (dusk_uint128)3 << 38, DUSK_WIDTH_FULL);
    assert_quiet("staircase", draw_staircase, &s);
    dusk_staircase_sampler_init(&s, 20, 5, 4, DUSK_WIDTH_FULL);
    assert_quiet("staircase of many stairs", draw_staircase, &s);
}

static dusk_status draw_sinh_normal(const void *law, dusk_int128 *secret, dusk_generator *gen)
{
    return dusk_sinh_normal_sampler_draw(law, secret, gen, NULL);
}

static void sinh_normal(void **state)
{
    dusk_sinh_normal_sampler s;
    (void)state;
    dusk_sinh_normal_sampler_init(&s, 0x1p30, 0x1p31, DUSK_WIDTH_FULL);
    assert_quiet("sinh-normal", draw_sinh_normal, &s);
}

/* The private number is where in a window of 2^42 steps the value lies. */
static dusk_status draw_window(const void *law, dusk_int128 *secret, dusk_generator *gen)
{
    static uint64_t place = 1;
    dusk_int128 k;
    uint64_t below = splitmix64(&place) >> 22;
    *secret = below;
    return dusk_window_sampler_draw(law, &k, below, ((uint64_t)1 << 42) - below, gen, NULL);
}

static void window(void **state)
{
    dusk_window_sampler s;
    (void)state;
    for (int scale = 36; scale <= 44; scale += 4) {
        dusk_window_sampler_init(&s, ldexp(1, scale), DUSK_WIDTH_FULL);
        assert_quiet("window", draw_window, &s);
    }
}

/* What a sampler that counts up to its value does. */
static dusk_status draw_and_count(const void *law, dusk_int128 *secret, dusk_generator *gen)
{
    dusk_status status = draw_additive(law, secret, gen);
    dusk_int128 magnitude = *secret < 0 ? -*secret : *secret;
    for (volatile int64_t i = 0; i < (int64_t)magnitude; i++) {
    }
    return status;
}

static void a_loop_over_the_value_is_seen(void **state)
{
    dusk_additive a;
    (void)state;
    dusk_additive_init(&a, DUSK_ADDITIVE_LAPLACE, 64, DUSK_WIDTH_FULL);
    double r = least_correlation(draw_and_count, &a, 0.1);
    if (!(r > 0.1)) fail_msg("a value-dependent sampler went unnoticed, |r| = %.4f", r);
}

/* With as many arguments as there were layouts before this one. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace),          cmocka_unit_test(gaussian),
        cmocka_unit_test(discrete_laplace), cmocka_unit_test(discrete_gaussian),
        cmocka_unit_test(staircase),        cmocka_unit_test(sinh_normal),
        cmocka_unit_test(window),           cmocka_unit_test(a_loop_over_the_value_is_seen),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed == 0 || argc >= LAYOUTS) return failed;
    char *again[LAYOUTS + 1] = { argv[0] };
    for (int i = 1; i <= argc; i++) again[i] = argv[0];
    fflush(NULL);
    execv("/proc/self/exe", again);
    return failed;
}
