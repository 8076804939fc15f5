/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring vectors and places with the same coins: the noise is the same, so an
 * answer moves no further than its value does, but for the step that rounding may add;
 * the other coordinates do not move at all, and the same coins are taken. Values are
 * hostile on purpose. */
#include <float.h>
#include <math.h>

#include "dusk/dusk.h"
#include "same_coins.h"

enum { ROUNDS = 300, D = 7 };

static uint64_t seed = 31;

static double hostile(void)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, -0.0, DBL_MAX, DBL_TRUE_MIN, 0x1p53, 0.5 };
    uint64_t r = splitmix64(&seed);
    return r % 4 ? (double)(int64_t)splitmix64(&seed) * 0x1p-56 : odd[r / 4 % 8];
}

/* Clamped as the release does: what the answer speaks of. */
static double seen(double x, double limit) { return isnan(x) ? 0 : fmin(fmax(x, -limit), limit); }

static void check_moves(const double *in[2], double out[2][D], size_t n, double step)
{
    double limit = step * 0x1p100;
    for (size_t i = 0; i < n; i++) {
        double moved = fabs(out[0][i] - out[1][i]),
               allowed = fabs(seen(in[0][i], limit) - seen(in[1][i], limit));
        if (allowed == 0)
            assert_true(moved == 0);
        else
            assert_true(moved <= (allowed + step) * (1 + 0x1p-50));
    }
}

static void vectors(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        double value[2][D], out[2][D];
        const double *in[2] = { value[0], value[1] };
        int grid = (int)(splitmix64(&seed) % 12) - 8;
        dusk_generator *gen[2];
        dusk_knorm knorm;
        assert_int_equal(dusk_knorm_init(&knorm, (dusk_norm)(1 + round % 3), D, 1, 0.5, grid, NULL), DUSK_OK);
        for (size_t i = 0; i < D; i++) value[0][i] = value[1][i] = hostile();
        value[1][round % D] = hostile();
        open_both(gen, round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_knorm_release(&knorm, out[side], value[side], gen[side], NULL), DUSK_OK);
        check_moves(in, out, D, ldexp(1, grid));
        close_both_alike(gen);
    }
}

static void places(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        double value[2][6], out[2][D];
        const double *in[2] = { value[0], value[1] };
        dusk_generator *gen[2];
        dusk_planar_laplace planar;
        assert_int_equal(dusk_planar_laplace_init(&planar, 0.01, 200, -3, NULL), DUSK_OK);
        for (size_t i = 0; i < 6; i++) value[0][i] = value[1][i] = hostile();
        value[1][round % 6] = hostile();
        open_both(gen, round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_planar_laplace_release(&planar, out[side], value[side], 3, gen[side], NULL),
                             DUSK_OK);
        check_moves(in, out, 6, 0.125);
        close_both_alike(gen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(vectors), cmocka_unit_test(places) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
