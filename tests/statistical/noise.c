/* SPDX-License-Identifier: Apache-2.0 */
/* Released numbers at production width, with fixed seeds and alpha 1e-6: the
 * attacks A1, A2 and A3 on floating-point noise find nothing, the law is that of
 * the ideal noise, and intervals hold as often as they say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/mechanisms.h"
#include "numeric/special.h"
#include "random/tape.h"
#include "support.h"

enum { N = 1000000 };
static double out[N];

static dusk_generator *seeded(uint64_t seed)
{
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    return gen;
}

static void draw(const dusk_noise *noise, double value, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    for (int i = 0; i < N; i++)
        assert_int_equal(dusk_noise_release(noise, &out[i], value, gen, NULL), DUSK_OK);
    dusk_generator_free(gen);
}

static dusk_noise laplace(void)
{
    dusk_noise noise;
    assert_int_equal(dusk_laplace_init(&noise, 1, 1, 1, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    return noise;
}

static dusk_noise gaussian(void)
{
    dusk_noise noise;
    assert_int_equal(dusk_gaussian_init(&noise, 1, 1, 1, 1e-6, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    return noise;
}

static void assert_chi_square(double chi, double freedom)
{
    double p = dusk_gamma_q(freedom / 2, chi / 2);
    if (p < 1e-6 || p > 1 - 1e-6) fail_msg("chi-square %g with %g degrees of freedom", chi, freedom);
}

/* P(Z <= x) of the ideal noise about `value`. */
static double cdf(const dusk_noise *noise, double value, double x)
{
    double z = (x - value) / noise->scale;
    if (noise->law == DUSK_GAUSSIAN) return dusk_normal_cdf(z);
    return z < 0 ? exp(z) / 2 : 1 - exp(-z) / 2;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov: sqrt(N) D is above 2.7 with probability 1e-6. */
static void assert_law(const dusk_noise *noise, double value)
{
    double worst = 0;
    qsort(out, N, sizeof *out, by_size);
    for (int i = 0; i < N; i++) {
        double p = cdf(noise, value, out[i]);
        worst = fmax(worst, fmax(p - (double)i / N, (double)(i + 1) / N - p));
    }
    if (worst * sqrt(N) > 2.7) fail_msg("law %d: %g from the ideal", (int)noise->law, worst);
}

/* A1 [Mironov 2012]: every answer is a multiple of the public step, for every
 * value alike, and the low digits of the multiple are even. */
static void a1_answers_fill_the_grid_evenly(void **state)
{
    const dusk_noise kinds[] = { laplace(), gaussian() };
    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (double value = 0; value <= 1; value++) {
            uint64_t low[256] = { 0 };
            double chi = 0;
            draw(&kinds[k], value, 100 + k);
            for (int i = 0; i < N; i++) {
                double steps = ldexp(out[i], -kinds[k].grid);
                assert_true(steps == rint(steps) && fabs(steps) < 0x1p53);
                low[(uint64_t)(int64_t)steps & 255]++;
            }
            for (int i = 0; i < 256; i++) chi += pow((double)low[i] - N / 256.0, 2) / (N / 256.0);
            assert_chi_square(chi, 255);
        }
}

/* A2 [Haney et al. 2022], A3 [Jin et al. 2022]: near 0, answers of 0 have finer
 * digits than answers of 1 when noise is added in floating point. Here neither
 * has any. */
static void a2_a3_no_answer_has_finer_digits(void **state)
{
    const dusk_noise kinds[] = { laplace(), gaussian() };
    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (double value = 0; value <= 1; value++) {
            int near = 0, fine = 0;
            draw(&kinds[k], value, 200 + k);
            for (int i = 0; i < N; i++) {
                if (fabs(out[i]) >= 0.25) continue;
                near++;
                fine += ldexp(out[i], 53) != rint(ldexp(out[i], 53));
            }
            assert_true(near > N / 50);
            assert_int_equal(fine, 0);
        }
}

/* A3, the pair test: two answers in a row do not determine each other, as the two
 * numbers of a polar pair do. */
static void a3_pairs_are_independent(void **state)
{
    const dusk_noise kinds[] = { laplace(), gaussian() };
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        static uint64_t cells[4096];
        double chi = 0, expected = N / 2 / 4096.0;
        memset(cells, 0, sizeof cells);
        draw(&kinds[k], 0, 300 + k);
        for (int i = 0; i < N; i += 2) {
            double a = cdf(&kinds[k], 0, out[i]) * 64, b = cdf(&kinds[k], 0, out[i + 1]) * 64;
            cells[(size_t)fmin(a, 63) * 64 + (size_t)fmin(b, 63)]++;
        }
        for (int i = 0; i < 4096; i++) chi += pow((double)cells[i] - expected, 2) / expected;
        assert_chi_square(chi, 4095);
    }
}

static void answers_have_the_ideal_law(void **state)
{
    const dusk_noise kinds[] = { laplace(), gaussian() };
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        draw(&kinds[k], 3, 400 + k);
        assert_law(&kinds[k], 3);
    }
}

/* In bulk, and drawn one by one. */
static void vectors_have_the_ideal_law(void **state)
{
    static double values[N];
    dusk_generator *gen = seeded(7);
    (void)state;
    for (int i = 0; i < N; i++) values[i] = 5;
    for (int grid = -20; grid >= -40; grid -= 20)
        for (int k = 0; k < 2; k++) {
            dusk_noise noise;
            if (k) assert_int_equal(dusk_gaussian_init(&noise, N, 4000, 1, 1e-6, grid, NULL), DUSK_OK);
            if (!k) assert_int_equal(dusk_laplace_init(&noise, N, 4000, 1, grid, NULL), DUSK_OK);
            assert_int_equal(dusk_noise_release_vector(&noise, out, values, gen, NULL), DUSK_OK);
            assert_law(&noise, 5);
        }
    dusk_generator_free(gen);
}

/* The discrete laws, whose steps are seen one by one. */
static void discrete_answers_have_their_law(void **state)
{
    enum { SPAN = 12 };
    (void)state;
    for (int k = 0; k < 2; k++) {
        dusk_noise noise;
        double counts[2 * SPAN + 1] = { 0 }, chi = 0, norm = 0, rest = 0;
        if (k) assert_int_equal(dusk_discrete_gaussian_init(&noise, 1, 1, 1, 1e-3, 0, NULL), DUSK_OK);
        if (!k) assert_int_equal(dusk_discrete_laplace_init(&noise, 1, 1, 0.5, 0, NULL), DUSK_OK);
        double s = noise.scale;
        draw(&noise, 7, 500);
        for (int i = 0; i < N; i++) {
            double step = out[i] - 7;
            if (fabs(step) <= SPAN) counts[(int)step + SPAN]++;
        }
        for (double i = -1000; i <= 1000; i++) norm += k ? exp(-i * i / (2 * s * s)) : exp(-fabs(i) / s);
        for (double i = -SPAN; i <= SPAN; i++) {
            double p = (k ? exp(-i * i / (2 * s * s)) : exp(-fabs(i) / s)) / norm;
            chi += pow(counts[(int)i + SPAN] - N * p, 2) / (N * p);
            rest += p;
        }
        double seen = 0;
        for (int i = 0; i <= 2 * SPAN; i++) seen += counts[i];
        chi += pow(N - seen - N * (1 - rest), 2) / (N * (1 - rest));
        assert_chi_square(chi, 2 * SPAN + 1);
    }
}

static void intervals_hold_as_often_as_they_say(void **state)
{
    const dusk_noise kinds[] = { laplace(), gaussian() };
    const double confidences[] = { 0.5, 0.95, 0.999 };
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        draw(&kinds[k], -2.5, 600 + k);
        for (size_t c = 0; c < 3; c++) {
            double width, held = 0, p = confidences[c];
            assert_int_equal(dusk_noise_interval(&kinds[k], &width, p, NULL), DUSK_OK);
            for (int i = 0; i < N; i++) held += fabs(out[i] + 2.5) <= width;
            assert_true(fabs(held - N * p) < 4.9 * sqrt(N * p * (1 - p)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a1_answers_fill_the_grid_evenly),
        cmocka_unit_test(a2_a3_no_answer_has_finer_digits),
        cmocka_unit_test(a3_pairs_are_independent),
        cmocka_unit_test(answers_have_the_ideal_law),
        cmocka_unit_test(vectors_have_the_ideal_law),
        cmocka_unit_test(discrete_answers_have_their_law),
        cmocka_unit_test(intervals_hold_as_often_as_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
