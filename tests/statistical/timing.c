/* SPDX-License-Identifier: Apache-2.0 */
/* Does the time of a draw tell its size? The correlation of |noise| with the
 * ticks of single draws below their 95 % quantile, at several scales. Machines
 * are noisy: a sample may be spoilt, so that a few fresh ones are allowed; a
 * real dependence spoils them all, as the last test shows with a sampler that
 * works the longer the larger its value is. */
#include <math.h>
#include <stdlib.h>
#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "random/noise_additive.h"
#include "random/tape.h"
#include "support.h"

enum { DRAWS = 200000, SAMPLES = 5 };
static double size[DRAWS], duration[DRAWS], sorted[DRAWS];

static inline uint64_t ticks(void)
{
#ifdef __x86_64__
    unsigned processor;
    _mm_lfence();
    uint64_t t = __rdtscp(&processor);
    _mm_lfence();
    return t;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

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

typedef dusk_status sampler(const dusk_additive *a, dusk_int128 *out, dusk_generator *gen, dusk_error *err);

static double sample(sampler *draw, const dusk_additive *a, dusk_generator *gen)
{
    for (size_t i = 0; i < DRAWS; i++) {
        dusk_int128 k;
        uint64_t start = ticks();
        dusk_status status = draw(a, &k, gen, NULL);
        uint64_t end = ticks();
        assert_int_equal(status, DUSK_OK);
        size[i] = fabs((double)k);
        duration[i] = (double)(end - start);
    }
    return correlation();
}

/* The smallest |r| of several samples, as soon as one is below `enough`. */
static double least_correlation(sampler *draw, dusk_additive_law law, double scale, double enough)
{
    dusk_additive a;
    dusk_generator *gen;
    double least = INFINITY;
    dusk_additive_init(&a, law, scale, DUSK_WIDTH_FULL);
    assert_int_equal(dusk_generator_new(&gen, NULL), DUSK_OK);
    for (int s = 0; s < SAMPLES && least >= enough; s++) least = fmin(least, fabs(sample(draw, &a, gen)));
    dusk_generator_free(gen);
    return least;
}

static void assert_silent(dusk_additive_law law)
{
    const double scales[] = { 1, 0x1p20, 0x1p40 };
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        double r = least_correlation(dusk_additive_draw, law, scales[i], 0.02);
        if (!(r < 0.02)) fail_msg("scale %g: time and size are correlated, |r| = %.4f", scales[i], r);
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

/* What a sampler that counts up to its value does. */
static dusk_status draw_and_count(const dusk_additive *a, dusk_int128 *out, dusk_generator *gen,
                                  dusk_error *err)
{
    dusk_status status = dusk_additive_draw(a, out, gen, err);
    dusk_int128 magnitude = *out < 0 ? -*out : *out;
    for (volatile int64_t i = 0; i < (int64_t)magnitude; i++) {
    }
    return status;
}

static void a_loop_over_the_value_is_seen(void **state)
{
    (void)state;
    double r = least_correlation(draw_and_count, DUSK_ADDITIVE_LAPLACE, 64, 0.1);
    if (!(r > 0.1)) fail_msg("a value-dependent sampler went unnoticed, |r| = %.4f", r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace),
        cmocka_unit_test(gaussian),
        cmocka_unit_test(discrete_laplace),
        cmocka_unit_test(discrete_gaussian),
        cmocka_unit_test(a_loop_over_the_value_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
