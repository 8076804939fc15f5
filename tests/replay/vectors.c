/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, vectors and places with noise, call by call: what is added is a matter of public
 * numbers, what it is added to moves by what was declared once it is on the grid, and nothing
 * else leaves. Values are hostile on purpose. */
#include <float.h>
#include <math.h>

#include "dusk/mechanisms.h"
#include "replay.h"

enum { ROUNDS = 120, D = 7 };

static uint64_t seed = 5;

static double uniform(double low, double high)
{
    return low + (high - low) * ((double)(splitmix64(&seed) >> 11) * 0x1p-53);
}

typedef enum kind {
    LAPLACE,
    GAUSSIAN,
    CLASSICAL,
    DISCRETE_LAPLACE,
    DISCRETE_GAUSSIAN,
    STAIRCASE,
    TRUNCATED,
    SINH_NORMAL,
    KINDS
} kind;

static const double epsilon = 0.7, small = 1e-6;

static bool is_euclidean(kind k) { return k == GAUSSIAN || k == CLASSICAL || k == DISCRETE_GAUSSIAN; }

static void make(dusk_noise *out, kind k, uint32_t d, double s, int grid)
{
    dusk_status status = DUSK_ERR_INTERNAL;
    switch (k) {
    case LAPLACE: status = dusk_laplace_init(out, d, s, epsilon, grid, NULL); break;
    case GAUSSIAN: status = dusk_gaussian_init(out, d, s, epsilon, small, grid, NULL); break;
    case CLASSICAL: status = dusk_gaussian_classical_init(out, d, s, epsilon, small, grid, NULL); break;
    case DISCRETE_LAPLACE: status = dusk_discrete_laplace_init(out, d, s, epsilon, grid, NULL); break;
    case DISCRETE_GAUSSIAN:
        status = dusk_discrete_gaussian_init(out, d, s, epsilon, small, grid, NULL);
        break;
    case STAIRCASE: status = dusk_staircase_init(out, s, epsilon, DUSK_GAMMA_ABSOLUTE, grid, NULL); break;
    case TRUNCATED: status = dusk_truncated_laplace_init(out, s, epsilon, small, grid, NULL); break;
    default: status = dusk_sinh_normal_init(out, s, epsilon, small, grid, NULL); break;
    }
    assert_int_equal(status, DUSK_OK);
}

/* One in four is odd; of the others many lie between two points of the grid. */
static double value_near(int grid)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, -0.0, DBL_MAX, DBL_TRUE_MIN, 0x1p70, 0x1p53 };
    uint64_t r = splitmix64(&seed);
    if (r % 4 == 0) return odd[r / 4 % 8];
    return ldexp((double)(int64_t)(splitmix64(&seed) % 2000) - 1000, grid - 1) +
           (r % 4 == 1 ? uniform(-1, 1) : 0);
}

/* The neighbour: as far as `s` allows in the norm, in one coordinate or in all. */
static void move(double *to, const double *from, size_t n, double s, bool euclidean)
{
    size_t one = splitmix64(&seed) % n;
    bool all = splitmix64(&seed) % 2;
    double each = !all ? s : euclidean ? s / sqrt((double)n) : s / (double)n;
    each *= splitmix64(&seed) % 3 ? 1 - 0x1p-50 : uniform(0, 1);
    for (size_t i = 0; i < n; i++) {
        bool stays = !all && i != one;
        to[i] = isnan(from[i]) ? 0 : from[i];
        if (!stays) to[i] += splitmix64(&seed) % 2 ? each : -each;
        /* rounding of the sum may have taken it too far */
        if (!stays && fabs(to[i] - (isnan(from[i]) ? 0 : from[i])) > each) to[i] = from[i];
        if (stays) to[i] = from[i];
    }
}

static void numbers_and_vectors(void **state)
{
    (void)state;
    for (kind k = LAPLACE; k < KINDS; k++)
        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint32_t d = k < STAIRCASE && round % 2 ? D : 1;
            double s = 1 + (double)(splitmix64(&seed) % 40) / 4, value[2][D], out[2][D];
            bool discrete = k == DISCRETE_LAPLACE || k == DISCRETE_GAUSSIAN;
            int grid = (int)(round % 5) - 4;
            dusk_noise noise;
            if (!discrete && round % 7 == 0) grid = DUSK_GRID_DEFAULT;
            if (k == DISCRETE_GAUSSIAN) s = ceil(s);
            make(&noise, k, d, s, grid);
            for (size_t i = 0; i < d; i++) value[0][i] = value_near(noise.grid);
            move(value[1], value[0], d, s, is_euclidean(k));
            replay r = replay_open(round);
            for (int side = 0; side < 2; side++)
                assert_int_equal(
                    d == 1 ? dusk_noise_release(&noise, out[side], value[side][0], r.gen[side], NULL)
                           : dusk_noise_release_vector(&noise, out[side], value[side], r.gen[side], NULL),
                    DUSK_OK);
            replay_same(out[0], out[1], d);
            bool exact = k == LAPLACE || k == DISCRETE_LAPLACE || k == STAIRCASE;
            replay_close(&r, (replay_declared){ .epsilon = epsilon, .delta = exact ? 0 : small });
        }
}

static void bounded(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        double s = 1 + (double)(splitmix64(&seed) % 40) / 4, value[2], out[2];
        int grid = round % 7 ? (int)(round % 5) - 4 : DUSK_GRID_DEFAULT;
        dusk_bounded_laplace m;
        assert_int_equal(dusk_bounded_laplace_init(&m, -20, 50, s, epsilon, grid, NULL), DUSK_OK);
        value[0] = value_near(m.grid);
        move(&value[1], &value[0], 1, s, false);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_bounded_laplace_release(&m, &out[side], value[side], r.gen[side], NULL),
                             DUSK_OK);
        replay_same(&out[0], &out[1], 1);
        replay_close(&r, (replay_declared){ .epsilon = epsilon });
    }
}

/* Vectors near 0, where all of the sensitivity can be used. */
static void norms(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        dusk_norm norm = (dusk_norm)(1 + round % 3);
        double value[2][D], out[2][D], s = 1.5;
        dusk_knorm knorm;
        assert_int_equal(dusk_knorm_init(&knorm, norm, D, s, 0.5, (int)(round % 9) - 8, NULL), DUSK_OK);
        for (size_t i = 0; i < D; i++) value[0][i] = uniform(-4, 4);
        value[0][round % D] = NAN;
        if (norm == DUSK_NORM_LINF)
            for (size_t i = 0; i < D; i++)
                value[1][i] = (isnan(value[0][i]) ? 0 : value[0][i]) - s * (1 - 1e-12);
        else
            move(value[1], value[0], D, s, norm == DUSK_NORM_L2);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_knorm_release(&knorm, out[side], value[side], r.gen[side], NULL), DUSK_OK);
        replay_same(out[0], out[1], D);
        /* next to where rounding changes a coordinate takes more coins, as is documented */
        replay_close(&r, (replay_declared){ .epsilon = 0.5, .coins_vary = true });
    }
}

static void places(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        double value[2][6], out[2][6];
        dusk_planar_laplace planar;
        if (round % 2)
            assert_int_equal(dusk_planar_laplace_init(&planar, 0.01, 200, -3, NULL), DUSK_OK);
        else
            assert_int_equal(dusk_planar_laplace_degrees_init(&planar, 0.01, 200, (double[]){ 40, 0 },
                                                              (double[]){ 50, 10 }, DUSK_GRID_DEFAULT, NULL),
                             DUSK_OK);
        for (size_t i = 0; i < 6; i++) value[0][i] = value[1][i] = value_near(0);
        for (size_t i = 0; i < 2; i++) value[1][2 * (round % 3) + i] = value_near(0);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(
                dusk_planar_laplace_release(&planar, out[side], value[side], 3, r.gen[side], NULL), DUSK_OK);
        replay_same(out[0], out[1], 6);
        replay_close(&r, (replay_declared){ .coins_vary = true });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(numbers_and_vectors), cmocka_unit_test(bounded),
                                        cmocka_unit_test(norms), cmocka_unit_test(places) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
