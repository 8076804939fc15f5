/* SPDX-License-Identifier: Apache-2.0 */
/* Noise of doubles is right on paper: what is wrong with it is its bits. Equal parts of each
 * law get equally many draws; the snapping mechanism has exactly the masses of its law. */
#include "audit/float_noise.h"

#include <math.h>

#include "numeric/special.h"
#include "support.h"

enum { N = 1 << 16, PARTS = 64 };

static double laplace_cdf(double x) { return x < 0 ? exp(x) / 2 : 1 - exp(-x) / 2; }
static double uniform_cdf(double x) { return (x + 1) / 2; }

typedef struct law {
    audit_float_method *method;
    double (*cdf)(double);
} law;

/* Chi-square of PARTS equal parts, 63 degrees: beyond 140 with probability below 1e-7. */
static double misfit(const law *l, double scale, double value)
{
    audit_float_noise noise;
    unsigned count[PARTS] = { 0 };
    double sum = 0;
    audit_float_noise_init(&noise, l->method, scale, 5);
    for (size_t i = 0; i < N; i++) {
        double u = l->cdf((l->method(&noise, value) - value) / scale) * PARTS;
        count[u < 0 ? 0 : u >= PARTS ? PARTS - 1 : (int)u]++;
    }
    for (size_t i = 0; i < PARTS; i++) sum += (count[i] - (double)N / PARTS) * (count[i] - (double)N / PARTS);
    return sum / ((double)N / PARTS);
}

static void laws_are_right(void **state)
{
    const law laws[] = { { audit_float_laplace, laplace_cdf },
                         { audit_float_laplace_32, laplace_cdf },
                         { audit_float_laplace_numpy, laplace_cdf },
                         { audit_float_laplace_difference, laplace_cdf },
                         { audit_float_laplace_sign, laplace_cdf },
                         { audit_float_laplace_single, laplace_cdf },
                         { audit_float_laplace_data_grid, laplace_cdf },
                         { audit_float_box_muller, dusk_normal_cdf },
                         { audit_float_polar, dusk_normal_cdf },
                         { audit_float_ziggurat, dusk_normal_cdf },
                         { audit_float_uniform, uniform_cdf } };
    (void)state;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        double x = misfit(&laws[i], 3, 1);
        if (!(x < 140)) fail_msg("law %zu: chi-square %.1f", i, x);
    }
}

/* Far out the ziggurat has its own way. */
static void the_ziggurat_has_tails(void **state)
{
    audit_float_noise noise;
    unsigned beyond = 0;
    (void)state;
    audit_float_noise_init(&noise, audit_float_ziggurat, 1, 6);
    for (size_t i = 0; i < 1 << 21; i++) beyond += fabs(audit_float_ziggurat(&noise, 0)) > 3.5;
    double expected = 2 * dusk_normal_sf(3.5) * (1 << 21);
    assert_true(fabs(beyond - expected) < 5.5 * sqrt(expected));
}

/* Multiples of the power of two that is not below the scale, each with the mass of its interval; ties
 * go up; clamped at 2^20. */
static void snapping(void **state)
{
    audit_float_noise noise;
    const double scale = 1.5, step = 2, value = 0.75;
    unsigned count[9] = { 0 };
    (void)state;
    audit_float_noise_init(&noise, audit_float_snapping, scale, 7);
    for (size_t i = 0; i < N; i++) {
        double y = audit_float_snapping(&noise, value);
        assert_true(fmod(y, step) == 0);
        if (fabs(y) <= 8) count[(int)(y / step) + 4]++;
    }
    for (int k = -4; k <= 4; k++) {
        double low = ((k - 0.5) * step - value) / scale, high = ((k + 0.5) * step - value) / scale;
        double expected = N * (laplace_cdf(high) - laplace_cdf(low));
        assert_true(fabs(count[k + 4] - expected) < 5.5 * sqrt(expected));
    }
    audit_float_noise_init(&noise, audit_float_snapping, 1, 8);
    for (size_t i = 0; i < 1000; i++) {
        assert_true(audit_float_snapping(&noise, 0x1p30) <= 0x1p20);
        assert_true(audit_float_snapping(&noise, -INFINITY) >= -0x1p20);
    }
}

static void seeds_repeat(void **state)
{
    audit_float_noise a, b;
    (void)state;
    audit_float_noise_init(&a, audit_float_polar, 1, 9);
    audit_float_noise_init(&b, audit_float_polar, 1, 9);
    dusk_sampler sampler = audit_float_sampler(&a);
    double out[5], value = 0;
    assert_int_equal(sampler.draw(sampler.context, out, 5, &value, NULL), DUSK_OK);
    for (size_t i = 0; i < 5; i++) assert_true(out[i] == audit_float_polar(&b, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_are_right),
        cmocka_unit_test(the_ziggurat_has_tails),
        cmocka_unit_test(snapping),
        cmocka_unit_test(seeds_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
