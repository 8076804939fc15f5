/* SPDX-License-Identifier: Apache-2.0 */
/* Sinh-normal mechanism: what is refused, that (epsilon, delta) is kept and hardly
 * more than Gaussian noise is needed for it, intervals that are neither too short nor too
 * long, and draws at every scale. The divergences: enclosure/sinh_normal.c; the law of
 * the draws: exhaustive/sinh_normal.c. */
#include <math.h>
#include <string.h>

#include "mechanisms/noise.h"
#include "number_laws.h"
#include "seeded.h"
#include "support.h"

static void bad_parameters_are_refused(void **state)
{
    const double bad[] = { 0, -1, NAN, INFINITY };
    dusk_noise noise, before;
    dusk_error err;
    (void)state;
    memset(&noise, 7, sizeof noise);
    memcpy(&before, &noise, sizeof noise);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(dusk_sinh_normal_tcdp_init(&noise, bad[i], 1, 2, 0, &err), DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_sinh_normal_tcdp_init(&noise, 1, bad[i], 2, 0, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "rho"));
        assert_int_equal(dusk_sinh_normal_tcdp_init(&noise, 1, 1, bad[i], 0, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "omega"));
        assert_int_equal(dusk_sinh_normal_init(&noise, 1, bad[i], 1e-6, 0, &err), DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_sinh_normal_init(&noise, 1, 1, bad[i], 0, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "delta"));
    }
    assert_int_equal(dusk_sinh_normal_tcdp_init(&noise, 1, 1, 1, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_sinh_normal_tcdp_init(&noise, 1, 1, 5, -70, &err), DUSK_ERR_ARGUMENT);
    assert_memory_equal(&noise, &before, sizeof noise);
}

static void noise_that_was_never_made_is_refused(void **state)
{
    dusk_noise good, noise;
    dusk_event event;
    const double shapes[] = { 0, -1, NAN, INFINITY, 8, 1 };
    (void)state;
    assert_int_equal(dusk_sinh_normal_tcdp_init(&good, 1, 0.1, 10, 0, NULL), DUSK_OK);
    assert_shapes_refused(&good, shapes, sizeof shapes / sizeof *shapes);
    noise = good;
    noise.scale = noise.shape;
    assert_int_equal(dusk_noise_event(&noise, &event, NULL), DUSK_ERR_ARGUMENT);
}

static void the_promise_is_kept(void **state)
{
    (void)state;
    for (double epsilon = 0.1; epsilon < 10; epsilon *= 6)
        for (double delta = 1e-10; delta < 0.1; delta *= 300) {
            dusk_noise noise, gaussian;
            dusk_event event;
            dusk_composition *composition;
            dusk_account account;
            assert_int_equal(dusk_sinh_normal_init(&noise, 2, epsilon, delta, DUSK_GRID_DEFAULT, NULL),
                             DUSK_OK);
            assert_int_equal(dusk_noise_event(&noise, &event, NULL), DUSK_OK);
            assert_int_equal(dusk_composition_new(&composition, DUSK_ADD_REMOVE, NULL), DUSK_OK);
            assert_int_equal(dusk_composition_add(composition, &event, 1, NULL), DUSK_OK);
            assert_int_equal(dusk_account_epsilon(&account, composition, delta, DUSK_BEST, NULL), DUSK_OK);
            dusk_composition_free(composition);
            assert_true(account.bound.upper <= epsilon && account.bound.upper > epsilon * (1 - 1e-6));
            assert_int_equal(dusk_gaussian_init(&gaussian, 1, 2, epsilon, delta, DUSK_GRID_DEFAULT, NULL),
                             DUSK_OK);
            assert_true(noise.scale > gaussian.scale && noise.scale < 1.6 * gaussian.scale);
        }
}

static void intervals_are_exact(void **state)
{
    (void)state;
    for (double rho = 0.001; rho < 2; rho *= 4)
        for (int c = 1; c < 20; c++) {
            dusk_noise noise;
            double confidence = 1 - pow(10, -c / 2.0);
            assert_int_equal(dusk_sinh_normal_tcdp_init(&noise, 1, rho, 1.01, 0, NULL), DUSK_OK);
            double t = steps_within(&noise, confidence), ratio = noise.shape / noise.scale / sqrt(2);
            assert_true(erfc(ratio * sinh((t + 0.5) / noise.shape)) <= (1 - confidence) * (1 + 1e-6));
            if (t > 0)
                assert_true(erfc(ratio * sinh((t - 0.5) / noise.shape)) > (1 - confidence) * (1 - 1e-6));
        }
}

/* Both where double arithmetic decides and where it cannot. */
static void every_scale_works(void **state)
{
    dusk_generator *gen = seeded(9);
    (void)state;
    for (int grid = 0; grid >= -55; grid -= 11) {
        dusk_noise noise;
        double out, sum = 0;
        assert_int_equal(dusk_sinh_normal_tcdp_init(&noise, 1, 0.01, 2, grid, NULL), DUSK_OK);
        for (int i = 0; i < 400; i++) {
            assert_int_equal(dusk_noise_release(&noise, &out, 5, gen, NULL), DUSK_OK);
            assert_true(ldexp(out, -grid) == rint(ldexp(out, -grid)));
            sum += fabs(out - 5);
        }
        double mean = noise.scale * 0.76; /* 0.798, a little bent */
        assert_true(sum / 400 > mean * 0.8 && sum / 400 < mean * 1.2);
    }
    dusk_generator_free(gen);
}

/* Bent tails: far out it is nearer than Gaussian noise of the same deviation. */
static void tails_are_bent(void **state)
{
    dusk_noise noise;
    double width;
    (void)state;
    assert_int_equal(dusk_sinh_normal_tcdp_init(&noise, 1, 0.001, 1.5, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    assert_int_equal(dusk_noise_interval(&noise, &width, 1 - 0x1p-52, NULL), DUSK_OK);
    assert_true(width < 0.75 * 8.13 * noise.scale);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused), cmocka_unit_test(noise_that_was_never_made_is_refused),
        cmocka_unit_test(the_promise_is_kept),        cmocka_unit_test(intervals_are_exact),
        cmocka_unit_test(every_scale_works),          cmocka_unit_test(tails_are_bent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
