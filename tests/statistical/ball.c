/* SPDX-License-Identifier: Apache-2.0 */
/* Noise of a norm as it is released: full width, a seeded generator. The norm has the
 * law of a sum of d exponentials; where the vector points is independent of that and
 * uniform on the sphere of the norm, seen through numbers that are then uniform; every
 * coordinate has its share. Chi-square; all tests together fail a right sampler with
 * probability 1e-6. DUSK_SEED chooses other coins. */
#include <math.h>
#include <stdlib.h>

#include "dusk/dusk.h"
#include "numeric/special.h"
#include "seeded.h"
#include "support.h"

enum { N = 200000, BINS = 64, MOST = 9 };

#define TESTS 200
#define ALPHA (1e-6 / TESTS)

static double norm_of(dusk_norm norm, const double *z, size_t d)
{
    double sum = 0, most = 0;
    for (size_t i = 0; i < d; i++) {
        sum += norm == DUSK_NORM_L2 ? z[i] * z[i] : fabs(z[i]);
        most = fmax(most, fabs(z[i]));
    }
    return norm == DUSK_NORM_LINF ? most : norm == DUSK_NORM_L2 ? sqrt(sum) : sum;
}

typedef struct counts {
    double bin[BINS][BINS]; /* two numbers that should be uniform and independent */
} counts;

static size_t bin_of(double u) { return (size_t)fmin(fmax(u * BINS, 0), BINS - 1); }

static void check(const counts *c, const char *what, dusk_norm norm, size_t d)
{
    double chi = 0, one[2][BINS] = { { 0 } }, expected = (double)N / (BINS * BINS), all = (double)N / BINS;
    for (size_t i = 0; i < BINS; i++)
        for (size_t j = 0; j < BINS; j++) {
            chi += (c->bin[i][j] - expected) * (c->bin[i][j] - expected) / expected;
            one[0][i] += c->bin[i][j];
            one[1][j] += c->bin[i][j];
        }
    double tail = dusk_gamma_q((BINS * BINS - 1) / 2.0, chi / 2);
    if (tail < ALPHA) fail_msg("norm %d, %zu dimensions, %s: together, tail %g", (int)norm, d, what, tail);
    for (int side = 0; side < 2; side++) {
        chi = 0;
        for (size_t i = 0; i < BINS; i++) chi += (one[side][i] - all) * (one[side][i] - all) / all;
        tail = dusk_gamma_q((BINS - 1) / 2.0, chi / 2);
        if (tail < ALPHA) fail_msg("norm %d, %zu dimensions, %s %d: tail %g", (int)norm, d, what, side, tail);
    }
}

/* Where one coordinate stands on the sphere of the norm, as a number that is uniform on
 * (0, 1). l2: its square is Beta(1/2, (d-1)/2). l1: |z_i| / |z| is Beta(1, d - 1). linf: the
 * largest is 1, the others uniform; a coordinate that is the largest is spread by its
 * sign and by the next one. */
static double place(dusk_norm norm, const double *z, size_t i, size_t d, double length)
{
    double a = z[i] / length, inner;
    switch (norm) {
    case DUSK_NORM_L2: inner = dusk_beta_inc(0.5, ((double)d - 1) / 2, a * a); break;
    case DUSK_NORM_L1: inner = 1 - pow(1 - fabs(a), (double)d - 1); break;
    default: /* P(|a| <= x) = x (d - 1)/d, and 1/d at 1 */
        inner = fabs(a) * ((double)d - 1) / (double)d;
        if (fabs(a) == 1) inner = (((double)d - 1) + fabs(z[(i + 1) % d] / length)) / (double)d;
        break;
    }
    return a < 0 ? (1 - inner) / 2 : (1 + inner) / 2;
}

static void check_norm(dusk_norm norm, uint32_t d, dusk_generator *gen)
{
    static counts radius_and_place, two_places;
    double values[MOST] = { 0.3, -7.25, 1e3 / 7 }, z[MOST];
    dusk_knorm knorm;
    assert_int_equal(dusk_knorm_init(&knorm, norm, d, 2, 0.5, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    radius_and_place = two_places = (counts){ 0 };
    for (int n = 0; n < N; n++) {
        assert_int_equal(dusk_knorm_release(&knorm, z, values, gen, NULL), DUSK_OK);
        for (size_t i = 0; i < d; i++) z[i] = (z[i] - values[i]) / knorm.scale;
        double length = norm_of(norm, z, d), u = dusk_gamma_p(d, length), v[2];
        for (size_t k = 0; k < 2; k++) v[k] = place(norm, z, ((size_t)n + k * (d - 1)) % d, d, length);
        radius_and_place.bin[bin_of(u)][bin_of(v[0])]++;
        if (d > 1) two_places.bin[bin_of(fmod(v[1] * 64, 1))][bin_of(v[1])]++;
    }
    check(&radius_and_place, "radius and place", norm, d);
    if (d > 1) check(&two_places, "a place and its digits", norm, d);
}

static void norms(void **state)
{
    static const uint32_t dimension[] = { 2, 3, 4, MOST };
    const char *seed = getenv("DUSK_SEED");
    dusk_generator *gen = seeded(seed ? strtoull(seed, NULL, 0) : 5);
    (void)state;
    for (dusk_norm norm = DUSK_NORM_L1; norm <= DUSK_NORM_LINF; norm++)
        for (size_t i = 0; i < sizeof dimension / sizeof *dimension; i++) check_norm(norm, dimension[i], gen);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(norms) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
