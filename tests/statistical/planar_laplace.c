/* SPDX-License-Identifier: Apache-2.0 */
/* Planar Laplace noise as it is released, in the plane and in degrees: the distance from
 * the place, which has the law of two exponentials added, and the direction, which is
 * uniform and independent of it; on a grid that is coarse beside the noise the share of
 * each cell. Chi-square; all tests together fail a right sampler with probability 1e-6.
 * DUSK_SEED chooses other coins. */
#include <math.h>
#include <stdlib.h>

#include "dusk/dusk.h"
#include "numeric/special.h"
#include "random/tape.h"
#include "support.h"

enum { N = 400000, BINS = 64, CELLS = 13 };

#define ALPHA (1e-6 / 10)

static dusk_generator *generator(uint64_t seed)
{
    const char *other = getenv("DUSK_SEED");
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new_seeded(&gen, seed + (other ? strtoull(other, NULL, 0) : 0), NULL),
                     DUSK_OK);
    return gen;
}

static void check_polar(const dusk_planar_laplace *planar, const double *place, dusk_generator *gen)
{
    static double count[BINS][BINS], places[2 * N], out[2 * N];
    double chi = 0, expected = (double)N / (BINS * BINS);
    for (size_t i = 0; i < BINS; i++)
        for (size_t j = 0; j < BINS; j++) count[i][j] = 0;
    for (size_t i = 0; i < 2 * (size_t)N; i++) places[i] = place[i % 2];
    assert_int_equal(dusk_planar_laplace_release(planar, out, places, N, gen, NULL), DUSK_OK);
    for (size_t i = 0; i < (size_t)N; i++) {
        double x = (out[2 * i] - place[0]) / planar->scale[0];
        double y = (out[2 * i + 1] - place[1]) / planar->scale[1];
        double r = hypot(x, y), angle = atan2(y, x) / (2 * M_PI) + 0.5;
        size_t a = (size_t)(-expm1(log1p(r) - r) * BINS), b = (size_t)(angle * BINS);
        count[a < BINS ? a : BINS - 1][b < BINS ? b : BINS - 1]++;
    }
    for (size_t i = 0; i < BINS; i++)
        for (size_t j = 0; j < BINS; j++)
            chi += (count[i][j] - expected) * (count[i][j] - expected) / expected;
    double tail = dusk_gamma_q((BINS * BINS - 1) / 2.0, chi / 2);
    if (tail < ALPHA) fail_msg("radius and direction: tail %g", tail);
}

static void radius_and_direction(void **state)
{
    const double low[2] = { 40, -75 }, high[2] = { 42, -72 }, place[2] = { 41.1, -73.3 };
    dusk_generator *gen = generator(21);
    dusk_planar_laplace planar;
    (void)state;
    assert_int_equal(dusk_planar_laplace_init(&planar, 0.01, 100, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    check_polar(&planar, place, gen);
    assert_int_equal(dusk_planar_laplace_degrees_init(&planar, 0.01, 100, low, high, DUSK_GRID_DEFAULT, NULL),
                     DUSK_OK);
    check_polar(&planar, place, gen);
    dusk_generator_free(gen);
}

/* The density over a cell of side 1 around (k, m), places off the grid. */
static double cell(double epsilon, const double *place, double k, double m)
{
    enum { FINE = 200 };
    double sum = 0;
    for (int i = 0; i < FINE; i++)
        for (int j = 0; j < FINE; j++)
            sum += exp(-epsilon *
                       hypot(k - 0.5 + (i + 0.5) / FINE - place[0], m - 0.5 + (j + 0.5) / FINE - place[1]));
    return sum * epsilon * epsilon / (2 * M_PI * FINE * FINE);
}

static void cells_of_a_coarse_grid(void **state)
{
    static double count[CELLS][CELLS], out[2 * N], places[2 * N];
    const double place[2] = { 0.3, -0.45 }, epsilon = 0.8;
    double chi = 0, rest = N, beyond = N;
    size_t bins = 0;
    dusk_generator *gen = generator(22);
    dusk_planar_laplace planar;
    (void)state;
    assert_int_equal(dusk_planar_laplace_init(&planar, epsilon, 1, 0, NULL), DUSK_OK);
    for (size_t i = 0; i < 2 * (size_t)N; i++) places[i] = place[i % 2];
    assert_int_equal(dusk_planar_laplace_release(&planar, out, places, N, gen, NULL), DUSK_OK);
    for (size_t i = 0; i < (size_t)N; i++)
        if (fabs(out[2 * i]) <= CELLS / 2 && fabs(out[2 * i + 1]) <= CELLS / 2)
            count[(int)out[2 * i] + CELLS / 2][(int)out[2 * i + 1] + CELLS / 2]++;
    for (int k = 0; k < CELLS; k++)
        for (int m = 0; m < CELLS; m++) {
            double expected = N * cell(epsilon, place, k - CELLS / 2, m - CELLS / 2);
            if (expected < 30) continue;
            chi += (count[k][m] - expected) * (count[k][m] - expected) / expected;
            rest -= expected;
            beyond -= count[k][m];
            bins++;
        }
    chi += (beyond - rest) * (beyond - rest) / rest;
    double tail = dusk_gamma_q((double)bins / 2, chi / 2);
    if (tail < ALPHA) fail_msg("cells: tail %g of %zu", tail, bins);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(radius_and_direction),
                                        cmocka_unit_test(cells_of_a_coarse_grid) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
