/* SPDX-License-Identifier: Apache-2.0 */
/* The Bingham distribution in the plane and in space: the share of draws in each of many parts of the circle, and the mean square along each
 * axis, against integrals. Alpha 1e-6 each. */
#include <math.h>

#include "learn/bingham.h"
#include "seeded.h"

/* On the circle exp(a cos^2 t + 2 c sin t cos t + b sin^2 t), in 16 parts: chi-squared of 15 degrees is above 58 with probability 5e-7. */
static void circle(void **state)
{
    enum { DRAWS = 20000, PARTS = 16, FINE = 1000 };
    const double shapes[][3] = { { 0, 0, 0 }, { 3, 1, -2 }, { 100, -1, 97 }, { -5, 0, 1 } };
    dusk_generator *gen = seeded(5);
    (void)state;
    for (size_t s = 0; s < 4; s++) {
        double a = shapes[s][0], c = shapes[s][1], b = shapes[s][2], most = fmax(a, b) + fabs(c);
        double expected[PARTS] = { 0 }, found[PARTS] = { 0 }, all = 0, chi = 0;
        for (size_t i = 0; i < PARTS * FINE; i++) {
            double t = 2 * M_PI * ((double)i + 0.5) / (PARTS * FINE), x = cos(t), y = sin(t);
            double density = exp(a * x * x + 2 * c * x * y + b * y * y - most);
            expected[i / FINE] += density;
            all += density;
        }
        for (int n = 0; n < DRAWS; n++) {
            double matrix[4] = { a, c, c, b }, v[2];
            assert_int_equal(learn_bingham_draw(v, matrix, 2, gen, NULL), DUSK_OK);
            assert_true(fabs(v[0] * v[0] + v[1] * v[1] - 1) < 1e-12);
            double t = atan2(v[1], v[0]) / (2 * M_PI);
            found[(size_t)((t < 0 ? t + 1 : t) * PARTS) % PARTS]++;
        }
        for (size_t i = 0; i < PARTS; i++) {
            double e = expected[i] / all * DRAWS;
            if (e > 5) chi += (found[i] - e) * (found[i] - e) / e;
        }
        assert_true(chi < 58);
    }
    dusk_generator_free(gen);
}

/* In space with axes 0, 2 and 6: E x_i^2 by integration over the sphere; 4.9 standard errors of 20000 draws, each of deviation below 0.36. */
static void space(void **state)
{
    enum { DRAWS = 20000, FINE = 400 };
    const double value[3] = { 0, 2, 6 };
    double expected[3] = { 0 }, found[3] = { 0 }, all = 0;
    dusk_generator *gen = seeded(6);
    (void)state;
    for (int i = 0; i < FINE; i++)
        for (int j = 0; j < FINE; j++) {
            double z = 2 * (i + 0.5) / FINE - 1, t = 2 * M_PI * (j + 0.5) / FINE, r = sqrt(1 - z * z);
            double x[3] = { r * cos(t), r * sin(t), z };
            double density = exp(value[0] * x[0] * x[0] + value[1] * x[1] * x[1] + value[2] * x[2] * x[2]);
            all += density;
            for (size_t k = 0; k < 3; k++) expected[k] += density * x[k] * x[k];
        }
    for (int n = 0; n < DRAWS; n++) {
        double matrix[9] = { 0, 0, 0, 0, 2, 0, 0, 0, 6 }, v[3];
        assert_int_equal(learn_bingham_draw(v, matrix, 3, gen, NULL), DUSK_OK);
        for (size_t k = 0; k < 3; k++) found[k] += v[k] * v[k] / DRAWS;
    }
    for (size_t k = 0; k < 3; k++) assert_true(fabs(found[k] - expected[k] / all) < 4.9 * 0.36 / sqrt(DRAWS));
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(circle), cmocka_unit_test(space) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
