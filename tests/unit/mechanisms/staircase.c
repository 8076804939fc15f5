/* SPDX-License-Identifier: Apache-2.0 */
/* Staircase mechanism: what is refused, which gamma is best, that the event costs no less
 * than the law of the answers at every distance up to the sensitivity, and that
 * intervals are neither too short nor too long. The law of the draws:
 * exhaustive/staircase.c. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "mechanisms/noise.h"
#include "number_laws.h"
#include "seeded.h"
#include "support.h"

static void bad_parameters_are_refused(void **state)
{
    const double bad[] = { 0, 1, -0.5, 1.5, NAN, INFINITY };
    dusk_noise noise, before;
    dusk_error err;
    (void)state;
    memset(&noise, 7, sizeof noise);
    memcpy(&before, &noise, sizeof noise);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(dusk_staircase_init(&noise, 1, 1, bad[i], 0, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "gamma"));
    }
    assert_int_equal(dusk_staircase_init(&noise, 0, 1, 0.5, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_staircase_init(&noise, 1, NAN, 0.5, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_staircase_init(&noise, 1, 0x1p41, 0.5, -10, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_staircase_init(&noise, 1, 1, 0.5, -70, &err), DUSK_ERR_ARGUMENT);
    assert_memory_equal(&noise, &before, sizeof noise);
}

/* Fields that somebody filled by hand. */
static void noise_that_was_never_made_is_refused(void **state)
{
    dusk_noise good, noise;
    dusk_event event;
    (void)state;
    assert_int_equal(dusk_staircase_init(&good, 3, 1, 0.3, 0, NULL), DUSK_OK);
    const double shapes[] = { 0, 0.25, 3, -1, 0.75, NAN, INFINITY };
    assert_shapes_refused(&good, shapes, sizeof shapes / sizeof *shapes);
    noise = good;
    noise.dimension = 2;
    assert_int_equal(dusk_noise_event(&noise, &event, NULL), DUSK_ERR_ARGUMENT);
    noise = good;
    noise.grid_sensitivity = 3.5;
    assert_int_equal(dusk_noise_event(&noise, &event, NULL), DUSK_ERR_ARGUMENT);
}

/* Expected |Z|^power for stairs of width 1, summed over stairs. */
static double expected_error(double epsilon, double gamma, double power)
{
    double b = exp(-epsilon), a = (1 - b) / (gamma + b * (1 - gamma)), sum = 0, n = power + 1;
    for (double k = 0; exp(-k * epsilon) > 1e-18; k++)
        sum += a * exp(-k * epsilon) / n *
               (pow(k + gamma, n) - pow(k, n) + b * (pow(k + 1, n) - pow(k + gamma, n)));
    return sum;
}

static void the_best_gamma_is_best(void **state)
{
    (void)state;
    for (double epsilon = 0.05; epsilon < 12; epsilon *= 1.7)
        for (int power = 1; power <= 2; power++) {
            dusk_noise noise;
            double wanted = power == 1 ? DUSK_GAMMA_ABSOLUTE : DUSK_GAMMA_SQUARED;
            assert_int_equal(dusk_staircase_init(&noise, 1, epsilon, wanted, DUSK_GRID_DEFAULT, NULL),
                             DUSK_OK);
            double gamma = noise.shape / noise.grid_sensitivity, best = expected_error(epsilon, gamma, power);
            assert_true(gamma > 0 && gamma <= 0.5 + 1e-6);
            for (double g = 0.005; g < 1; g += 0.005)
                assert_true(best <= expected_error(epsilon, g, power) * (1 + 1e-9));
            /* never worse than Laplace noise, whose moments are 1/epsilon and 2/epsilon^2 */
            assert_true(best < (power == 1 ? 1 / epsilon : 2 / (epsilon * epsilon)));
        }
}

/* P(K = k) for steps k >= 0 from half-step cells of equal density. */
static double law(const dusk_noise *noise, double k)
{
    double ratio = noise->scale / noise->grid_sensitivity, b = exp(-1 / ratio);
    double twice = 2 * ldexp(noise->grid_sensitivity, -noise->grid),
           inner = ldexp(noise->shape, 1 - noise->grid);
    double a = (1 - b) / (2 * (inner + b * (twice - inner))), p = 0;
    for (int side = 0; side < 2; side++) { /* the half steps below and above k */
        double half = 2 * fabs(k) - 1 + side;
        if (half < 0) half = 0; /* k = 0: the mirror image */
        double stair = floor(half / twice);
        p += a * pow(b, stair) * (half - stair * twice < inner ? 1 : b);
    }
    return p;
}

/* An upper bound on delta at an epsilon, by the best accountant. */
static double delta_of(const dusk_event *event, double epsilon)
{
    dusk_composition *composition;
    dusk_account account;
    assert_int_equal(dusk_composition_new(&composition, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_add(composition, event, 1, NULL), DUSK_OK);
    assert_int_equal(dusk_account_delta(&account, composition, epsilon, DUSK_BEST, NULL), DUSK_OK);
    dusk_composition_free(composition);
    return account.bound.upper;
}

/* The delta at epsilon `at` of answers for values `shift` steps apart. */
static double told_apart(const dusk_noise *noise, double shift, double at)
{
    double delta = 0, far = ceil(40 * noise->scale / ldexp(1, noise->grid)) + 50;
    for (double k = -far; k <= far; k++) delta += fmax(law(noise, k) - exp(at) * law(noise, k - shift), 0);
    return delta;
}

static void the_event_costs_no_less_than_the_law(void **state)
{
    (void)state;
    for (int grid = 0; grid >= -2; grid--)
        for (double epsilon = 0.3; epsilon < 5; epsilon *= 2.1)
            for (double gamma = 0.1; gamma < 1; gamma += 0.2) {
                dusk_noise noise;
                dusk_event event;
                assert_int_equal(dusk_staircase_init(&noise, 2, epsilon, gamma, grid, NULL), DUSK_OK);
                assert_int_equal(dusk_noise_event(&noise, &event, NULL), DUSK_OK);
                double given = dusk_staircase_epsilon_up(&noise),
                       steps = ldexp(noise.grid_sensitivity, -grid);
                assert_true(given <= epsilon && given > epsilon * (1 - 1e-9));
                for (double at = 0; at <= epsilon * 1.01; at += epsilon / 4) {
                    double said = delta_of(&event, at), worst = 0;
                    for (double shift = 1; shift <= steps; shift++) {
                        double delta = told_apart(&noise, shift, at);
                        assert_true(delta <= said + 1e-12);
                        worst = fmax(worst, delta);
                    }
                    /* and no more where the stairs end between grid points */
                    if (fmod(dusk_staircase_inner(&noise), 2) == 1) assert_true(worst > said - 1e-6);
                }
            }
}

static void intervals_are_exact(void **state)
{
    (void)state;
    for (double epsilon = 0.1; epsilon < 8; epsilon *= 2)
        for (double gamma = 0.05; gamma < 1; gamma += 0.3)
            for (int c = 1; c < 8; c++) {
                dusk_noise noise;
                double confidence = 1 - pow(10, -c / 2.0), beyond = 0;
                assert_int_equal(dusk_staircase_init(&noise, 5, epsilon, gamma, 0, NULL), DUSK_OK);
                double t = steps_within(&noise, confidence);
                for (double k = t + 1; k < t + 400 / epsilon; k++) beyond += 2 * law(&noise, k);
                assert_least(beyond, t > 0 ? 2 * law(&noise, t) : 1, confidence, 1e-9);
            }
}

/* Wide grids, tiny and huge epsilons: the mean is where it should be. */
static void every_scale_works(void **state)
{
    dusk_generator *gen = seeded(5);
    (void)state;
    for (int e = -50; e <= 30; e += 5) {
        dusk_noise noise;
        double out, width, sum = 0, epsilon = ldexp(1, e);
        assert_int_equal(dusk_staircase_init(&noise, 3, epsilon, 0.5, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
        assert_int_equal(dusk_noise_interval(&noise, &width, 1 - 1e-12, NULL), DUSK_OK);
        for (int i = 0; i < 400; i++) {
            assert_int_equal(dusk_noise_release(&noise, &out, 1e6, gen, NULL), DUSK_OK);
            assert_true(fabs(out - 1e6) <= width * (1 + 1e-9));
            sum += fabs(out - 1e6);
        }
        /* half of the mass, or more, within the first stair of width 3 */
        double mean = 3 * expected_error(fmax(epsilon, 0.01), 0.5, 1) * (epsilon < 0.01 ? 0.01 / epsilon : 1);
        assert_true(sum / 400 > mean * 0.7 && sum / 400 < mean * 1.4);
    }
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused), cmocka_unit_test(noise_that_was_never_made_is_refused),
        cmocka_unit_test(the_best_gamma_is_best),     cmocka_unit_test(the_event_costs_no_less_than_the_law),
        cmocka_unit_test(intervals_are_exact),        cmocka_unit_test(every_scale_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
