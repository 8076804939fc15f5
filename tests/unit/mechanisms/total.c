/* SPDX-License-Identifier: Apache-2.0 */
/* Totals: no contribution, however odd, adds more than the sensitivity, checked
 * in integers; those within it are added as they are; order and merging do not
 * matter. Noise of 2^-40 steps, which is 0, shows the exact total. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/platform.h"
#include "mechanisms/noise.h"
#include "random/sampling.h"
#include "random/tape.h"
#include "support.h"

static dusk_generator *seeded(uint64_t seed)
{
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    return gen;
}

/* Noise so small that every draw is 0. */
static dusk_noise silent(dusk_noise_law law, uint32_t dimension, double sensitivity, int grid)
{
    return (dusk_noise){ .law = law,
                         .grid = grid,
                         .dimension = dimension,
                         .scale = ldexp(1, grid - 40),
                         .sensitivity = sensitivity,
                         .grid_sensitivity = sensitivity,
                         .promise = { 0x1p60, 0.5 } };
}

static dusk_total *total_of(const dusk_noise *noise)
{
    dusk_total *total;
    assert_int_equal(dusk_total_new(&total, noise, NULL), DUSK_OK);
    return total;
}

static void clip(const dusk_noise *noise, double *out, const double *x, dusk_generator *gen)
{
    dusk_total *total = total_of(noise);
    dusk_total_add(total, x);
    assert_int_equal(dusk_total_release(total, out, gen, NULL), DUSK_OK);
    dusk_total_free(total);
}

/* A double of any size and any oddity. */
static double any_double(dusk_generator *gen)
{
    uint64_t kind, bits;
    double x;
    assert_int_equal(dusk_uniform_below(gen, &kind, 8, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_words(gen, &bits, 1, 64, NULL), DUSK_OK);
    memcpy(&x, &bits, sizeof x);
    if (kind == 0) return x; /* any bits at all */
    if (kind == 1) return 0;
    x = (double)(int64_t)bits * 0x1p-62;
    return kind < 6 ? x : ldexp(x, (int)(bits % 64) - 32);
}

/* The exact norm of doubles that are whole numbers of steps, squared for l2. */
static dusk_uint128 norm_of(const double *x, uint32_t d, int grid, bool l2)
{
    dusk_uint128 norm = 0;
    for (uint32_t i = 0; i < d; i++) {
        double steps = fabs(ldexp(x[i], -grid));
        assert_true(steps == floor(steps) && steps < 0x1p60);
        norm += l2 ? (dusk_uint128)steps * (dusk_uint128)steps : (dusk_uint128)steps;
    }
    return norm;
}

static void no_contribution_exceeds_the_sensitivity(void **state)
{
    const double sensitivities[] = { 1, 1.5, 0.1, 2.999999, 1.7320508075688772 };
    dusk_generator *gen = seeded(1);
    (void)state;
    for (dusk_noise_law law = DUSK_LAPLACE; law <= DUSK_GAUSSIAN; law++)
        for (int round = 0; round < 40000; round++) {
            uint32_t d = 1 + (uint32_t)round % 7;
            int grid = -(round % 30) - 4;
            double s = sensitivities[round % 5], x[7], out[7];
            dusk_noise noise = silent(law, d, s, grid);
            for (uint32_t i = 0; i < d; i++) x[i] = any_double(gen);
            clip(&noise, out, x, gen);
            double steps = ldexp(s, -grid);
            dusk_uint128 bound = law == DUSK_LAPLACE ? (dusk_uint128)steps : (dusk_uint128)(steps * steps);
            assert_true(norm_of(out, d, grid, law == DUSK_GAUSSIAN) <= bound);
        }
    dusk_generator_free(gen);
}

/* Nearest would make (2, 2) of this. */
static void rounding_is_toward_zero(void **state)
{
    const double x[2] = { 1.5, -1.5 }, y[2] = { 2.99, -0.0 };
    dusk_generator *gen = seeded(2);
    dusk_noise noise = silent(DUSK_LAPLACE, 2, 3, 0);
    double out[2];
    (void)state;
    clip(&noise, out, x, gen);
    assert_true(out[0] == 1 && out[1] == -1);
    clip(&noise, out, y, gen);
    assert_true(out[0] == 2 && out[1] == 0);
    dusk_generator_free(gen);
}

static void what_fits_is_added_as_it_is(void **state)
{
    const double fits[][3] = { { 3, -4, 0 }, { 5, 0, 0 }, { 0, 0, -5 }, { 1, 2, 2 }, { 0, 0, 0 } };
    dusk_generator *gen = seeded(3);
    double out[3];
    (void)state;
    for (int grid = 0; grid >= -50; grid -= 10) {
        dusk_noise noise = silent(DUSK_GAUSSIAN, 3, 5, grid);
        for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
            clip(&noise, out, fits[i], gen);
            assert_memory_equal(out, fits[i], sizeof out);
        }
    }
    dusk_generator_free(gen);
}

static void what_does_not_fit_keeps_its_direction(void **state)
{
    const double far[][3] = { { 30, -40, 0 }, { 3e200, -4e200, 0 }, { 3e-3, -4e-3, 0 } };
    dusk_generator *gen = seeded(4);
    double out[3];
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        dusk_noise l1 = silent(DUSK_LAPLACE, 3, 7e-6, -50), l2 = silent(DUSK_GAUSSIAN, 3, 5e-6, -50);
        clip(&l1, out, far[i], gen);
        assert_true(fabs(out[0] - 3e-6) < 1e-14 && fabs(out[1] + 4e-6) < 1e-14 && out[2] == 0);
        clip(&l2, out, far[i], gen);
        assert_true(fabs(out[0] - 3e-6) < 1e-14 && fabs(out[1] + 4e-6) < 1e-14 && out[2] == 0);
    }
    dusk_noise noise = silent(DUSK_GAUSSIAN, 3, 5, -20);
    clip(&noise, out, (const double[]){ INFINITY, NAN, 1 }, gen);
    assert_true(out[0] > 4.99 && out[0] <= 5 && out[1] == 0 && out[2] == 0);
    dusk_generator_free(gen);
}

/* A8, A9: any order, any split, no overflow. */
static void order_and_merging_do_not_matter(void **state)
{
    enum { N = 300 };
    static double x[N][2];
    dusk_generator *gen = seeded(5);
    dusk_noise noise = silent(DUSK_GAUSSIAN, 2, 1e9, -20);
    dusk_total *forward = total_of(&noise), *backward = total_of(&noise), *part = total_of(&noise);
    double a[2], b[2];
    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 2; j++) x[i][j] = any_double(gen);
    for (int i = 0; i < N; i++) dusk_total_add(forward, x[i]);
    for (int i = N - 1; i >= 0; i--) dusk_total_add(i % 3 ? backward : part, x[i]);
    assert_int_equal(dusk_total_merge(backward, part, NULL), DUSK_OK);
    assert_int_equal(dusk_total_release(forward, a, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_total_release(backward, b, gen, NULL), DUSK_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(dusk_total_release(forward, a, gen, NULL), DUSK_OK); /* empty now */
    assert_true(a[0] == 0 && a[1] == 0);
    dusk_total_free(forward);
    dusk_total_free(backward);
    dusk_total_free(part);
    dusk_generator_free(gen);
}

static void recalibration_loses_no_sensitivity(void **state)
{
    (void)state;
    for (dusk_noise_law law = DUSK_LAPLACE; law <= DUSK_DISCRETE_GAUSSIAN; law++)
        for (uint32_t d = 1; d <= 1001; d += 500) {
            dusk_noise noise, before;
            dusk_event event;
            double epsilon;
            if (law == DUSK_LAPLACE)
                assert_int_equal(dusk_laplace_init(&noise, d, 2, 0.5, -12, NULL), DUSK_OK);
            if (law == DUSK_GAUSSIAN)
                assert_int_equal(dusk_gaussian_init(&noise, d, 2, 0.5, 1e-6, -12, NULL), DUSK_OK);
            if (law == DUSK_DISCRETE_LAPLACE)
                assert_int_equal(dusk_discrete_laplace_init(&noise, d, 2, 0.5, -12, NULL), DUSK_OK);
            if (law == DUSK_DISCRETE_GAUSSIAN)
                assert_int_equal(dusk_discrete_gaussian_init(&noise, d, 2, 0.5, 1e-6, -12, NULL), DUSK_OK);
            before = noise;
            assert_int_equal(dusk_noise_for_total(&noise, NULL), DUSK_OK);
            assert_true(noise.grid_sensitivity == 2 && noise.scale <= before.scale);
            assert_true(fabs(noise.scale / before.scale - 2 / before.grid_sensitivity) < 1e-6);
            assert_int_equal(dusk_noise_event(&noise, &event, NULL), DUSK_OK);
            assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, noise.promise.delta, NULL), DUSK_OK);
            assert_true(epsilon <= 0.5 && epsilon > 0.5 * (1 - 1e-9));
        }
}

static void what_cannot_be_totalled_is_refused(void **state)
{
    dusk_generator *tape;
    dusk_noise noise;
    dusk_total *total, *other;
    dusk_error err;
    double out[2] = { 7, 7 };
    (void)state;
    assert_int_equal(dusk_laplace_init(&noise, 2, 1, 1, -10, NULL), DUSK_OK);
    assert_int_equal(dusk_total_new(&total, &noise, &err),
                     DUSK_ERR_ARGUMENT); /* covers rounding: not for this */
    assert_null(total);
    assert_int_equal(dusk_laplace_init(&noise, 2, 1, 1, 3, NULL), DUSK_OK);
    assert_int_equal(dusk_noise_for_total(&noise, &err), DUSK_ERR_ARGUMENT); /* all would round to 0 */
    assert_int_equal(dusk_discrete_laplace_init(&noise, 2, 1.5, 1, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_noise_for_total(&noise, &err), DUSK_ERR_ARGUMENT);
    memset(&noise, 0, sizeof noise);
    assert_int_equal(dusk_noise_for_total(&noise, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_total_new(&total, &noise, &err), DUSK_ERR_ARGUMENT);

    dusk_noise a = silent(DUSK_LAPLACE, 2, 1, -10), b = silent(DUSK_LAPLACE, 2, 2, -10);
    for (int n = 1; n <= 3; n++) {
        dusk_memory_fail_at(n);
        assert_int_equal(dusk_total_new(&total, &a, &err), DUSK_ERR_MEMORY);
        assert_null(total);
    }
    dusk_memory_fail_at(0);
    total = total_of(&a);
    other = total_of(&b);
    assert_int_equal(dusk_total_merge(total, other, &err), DUSK_ERR_ARGUMENT);
    dusk_total_add(total, (const double[]){ 0.5, 0.25 });
    assert_int_equal(dusk_generator_new_tape(&tape, NULL, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_total_release(total, out, tape, &err), DUSK_ERR_ENTROPY);
    assert_true(out[0] == 7 && out[1] == 7);
    dusk_generator_free(tape);
    tape = seeded(9); /* nothing was lost */
    assert_int_equal(dusk_total_release(total, out, tape, &err), DUSK_OK);
    assert_true(out[0] == 0.5 && out[1] == 0.25);
    dusk_generator_free(tape);
    dusk_total_free(total);
    dusk_total_free(other);
    dusk_total_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_contribution_exceeds_the_sensitivity),
        cmocka_unit_test(rounding_is_toward_zero),
        cmocka_unit_test(what_fits_is_added_as_it_is),
        cmocka_unit_test(what_does_not_fit_keeps_its_direction),
        cmocka_unit_test(order_and_merging_do_not_matter),
        cmocka_unit_test(recalibration_loses_no_sensitivity),
        cmocka_unit_test(what_cannot_be_totalled_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
