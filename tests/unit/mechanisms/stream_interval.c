/* SPDX-License-Identifier: Apache-2.0 */
/* Tails of combinations of noises against closed forms. */
#include <math.h>

#include "mechanisms/stream.h"
#include "support.h"

static dusk_combination equal(unsigned k, bool known)
{
    return (dusk_combination){ .squares = k, .sizes = k, .largest = 1, .count = known ? k : 0 };
}

static const double chances[] = { 0.5, 0.1, 1e-3, 1e-9, 0x1p-52 };

/* One Laplace noise: P(|Z| > t) = exp(-t). Two: exp(-t) (1 + t / 2). */
static void few_laplace_noises_are_exact(void **state)
{
    (void)state;
    dusk_combination one = equal(1, true), two = equal(2, true);
    for (int i = 0; i < 5; i++) {
        double t = dusk_combination_tail(&one, DUSK_LAPLACE, 0x1p20, chances[i]) - 0.5;
        assert_true(t >= -0x1p20 * log(chances[i]) * (1 - 1e-15) &&
                    t < -0x1p20 * log(chances[i]) * (1 + 1e-6));
        t = (dusk_combination_tail(&two, DUSK_LAPLACE, 0x1p20, chances[i]) - 1) * 0x1p-20;
        double p = exp(-t) * (1 + t / 2);
        assert_true(p <= chances[i] && p > chances[i] * (1 - 1e-6));
    }
}

/* The law of k Laplace noises by adding up densities on a fine lattice. */
static void many_laplace_noises_are_exact(void **state)
{
    (void)state;
    enum { N = 4096, K = 5 };
    static double law[2 * N + 1], more[2 * N + 1];
    const double h = 1.0 / 64, q = exp(-h);
    for (int i = -N; i <= N; i++) law[i + N] = i == 0;
    for (int k = 0; k < K; k++) { /* two-sided geometric steps: forward and backward recursion */
        double up = 0, down = 0;
        for (int i = 0; i <= 2 * N; i++) more[i] = up = up * q + law[i];
        for (int i = 2 * N; i >= 0; i--) {
            more[i] += down * q;
            down = down * q + law[i];
        }
        for (int i = 0; i <= 2 * N; i++) law[i] = more[i] * (1 - q) / (1 + q);
    }
    dusk_combination c = equal(K, true);
    for (int i = 0; i < 4; i++) {
        double t = (dusk_combination_tail(&c, DUSK_LAPLACE, 0x1p20, chances[i]) - K / 2.0) * 0x1p-20, p = 0;
        for (int j = -N; j <= N; j++)
            if (fabs(j * h) > t) p += law[j + N];
        if (fabs(p / chances[i] - 1) > 0.03) fail_msg("P(|S| > %g) is %g, not %g", t, p, chances[i]);
    }
}

static void bounds_for_any_weights_are_above(void **state)
{
    (void)state;
    for (unsigned k = 1; k < 60; k += k)
        for (int i = 1; i < 5; i++) {
            dusk_combination exact = equal(k, true), any = equal(k, false);
            double t = dusk_combination_tail(&exact, DUSK_LAPLACE, 1000, chances[i]);
            double above = dusk_combination_tail(&any, DUSK_LAPLACE, 1000, chances[i]);
            assert_true(above >= t && above < 2.5 * t);
        }
}

/* Scales 1 and a: P(|S| > t) = (exp(-t) - a^2 exp(-t / a)) / (1 - a^2). */
static void weights_that_differ(void **state)
{
    (void)state;
    for (double a = 0.1; a < 1; a += 0.2) {
        dusk_combination c = { .squares = 1 + a * a, .sizes = 1 + a, .largest = 1, .count = 2 };
        for (int i = 0; i < 5; i++) {
            double t = (dusk_combination_tail(&c, DUSK_LAPLACE, 0x1p20, chances[i]) - c.sizes / 2) * 0x1p-20;
            double p = (exp(-t) - a * a * exp(-t / a)) / (1 - a * a);
            assert_true(p <= chances[i] && t < 1.5 * -log(chances[i]) + 1);
        }
    }
}

static void gaussian_combinations_add_in_squares(void **state)
{
    (void)state;
    dusk_combination c = { .squares = 7.25, .sizes = 10, .largest = 2 };
    double t = dusk_combination_tail(&c, DUSK_GAUSSIAN, 1000, 0.05);
    assert_true(fabs(t - 5 - 1000 * sqrt(7.25) * 1.9599639845400545) < 1e-6);
    t = dusk_combination_tail(&c, DUSK_DISCRETE_LAPLACE, 1000, 0.05);
    assert_true(fabs(t - dusk_combination_tail(&c, DUSK_LAPLACE, 1000, 0.05) - 5) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_laplace_noises_are_exact),
        cmocka_unit_test(many_laplace_noises_are_exact),
        cmocka_unit_test(bounds_for_any_weights_are_above),
        cmocka_unit_test(weights_that_differ),
        cmocka_unit_test(gaussian_combinations_add_in_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
