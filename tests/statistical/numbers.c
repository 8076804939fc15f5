/* SPDX-License-Identifier: Apache-2.0 */
/* The laws for one number as they are released, at full width with fixed seeds: counts
 * of answers against the exact law by chi-square, on coarse grids and on grids of 2^40
 * steps. All tests together fail a right sampler with probability 1e-6. */
#include <math.h>

#include "dusk/mechanisms.h"
#include "numeric/special.h"
#include "seeded.h"
#include "support.h"

enum { N = 1 << 19, CELLS = 400 };
#define ALPHA (1e-6 / 40)

/* How often each cell came, and how often it should. */
typedef struct counts {
    double seen[CELLS], wanted[CELLS];
} counts;

/* Cells where fewer than 20 are expected are counted together. */
static void judge(const char *what, const counts *c)
{
    double chi = 0, freedom = -1, rare = 0, rare_wanted = 0;
    for (size_t i = 0; i < CELLS; i++) {
        double wanted = N * c->wanted[i];
        if (wanted < 20) {
            rare += c->seen[i];
            rare_wanted += wanted;
            continue;
        }
        chi += (c->seen[i] - wanted) * (c->seen[i] - wanted) / wanted;
        freedom++;
    }
    if (rare_wanted >= 20) {
        chi += (rare - rare_wanted) * (rare - rare_wanted) / rare_wanted;
        freedom++;
    } else {
        assert_true(rare < rare_wanted + 60);
    }
    double p = dusk_gamma_q(freedom / 2, chi / 2);
    if (p < ALPHA || p > 1 - ALPHA) fail_msg("%s: chi-square %g, %g degrees of freedom", what, chi, freedom);
}

/* P(noise <= x) of an ideal law. */
typedef double distribution(const dusk_noise *noise, double x);

/* Answers about `value` in cells of a public width; on the grid 0 a cell is one step. */
static void check(const char *what, const dusk_noise *noise, distribution *cdf, double cell, uint64_t seed)
{
    static counts c;
    dusk_generator *gen = seeded(seed);
    double value = 1000, edge = -CELLS / 2 * cell - cell / 2, below = 0;
    for (size_t i = 0; i < CELLS; i++) {
        double upto = i + 1 < CELLS ? cdf(noise, edge + (double)(i + 1) * cell) : 1;
        c.wanted[i] = upto - below;
        c.seen[i] = 0;
        below = upto;
    }
    for (size_t i = 0; i < N; i++) {
        double out;
        assert_int_equal(dusk_noise_release(noise, &out, value, gen, NULL), DUSK_OK);
        double at = floor((out - value - edge) / cell);
        c.seen[(size_t)fmin(fmax(at, 0), CELLS - 1)]++;
    }
    judge(what, &c);
    dusk_generator_free(gen);
}

/* By summing whole stairs and parts of one. */
static double staircase_cdf(const dusk_noise *noise, double x)
{
    double wide = noise->grid_sensitivity, b = exp(-wide / noise->scale), high = noise->shape;
    double a = (1 - b) / (2 * (high + b * (wide - high))), y = fabs(x), stair = floor(y / wide);
    double rest = y - stair * wide, sum = (1 - pow(b, stair)) / 2;
    sum += a * pow(b, stair) * (fmin(rest, high) + b * fmax(rest - high, 0));
    return x < 0 ? 0.5 - sum : 0.5 + sum;
}

static void staircase(void **state)
{
    dusk_noise noise;
    (void)state;
    assert_int_equal(dusk_staircase_init(&noise, 5, 0.7, 0.3, 0, NULL), DUSK_OK);
    check("staircase, odd", &noise, staircase_cdf, 1, 1);
    assert_int_equal(dusk_staircase_init(&noise, 5, 0.7, 0.4, 0, NULL), DUSK_OK);
    check("staircase, even", &noise, staircase_cdf, 1, 2);
    assert_int_equal(dusk_staircase_init(&noise, 1, 1, DUSK_GAMMA_ABSOLUTE, DUSK_GRID_DEFAULT, NULL),
                     DUSK_OK);
    check("staircase, fine", &noise, staircase_cdf, 0.05, 3);
    assert_int_equal(dusk_staircase_init(&noise, 1, 1e-3, DUSK_GAMMA_SQUARED, DUSK_GRID_DEFAULT, NULL),
                     DUSK_OK);
    check("staircase, small epsilon", &noise, staircase_cdf, 30, 4);
}

/* Of the discrete law, at x between two steps. */
static double truncated_cdf(const dusk_noise *noise, double x)
{
    double s = ldexp(noise->scale, -noise->grid), most = ldexp(noise->shape, -noise->grid), q = exp(-1 / s);
    double k = floor(ldexp(x, -noise->grid)), all = -expm1(-(most + 1) / s) - q * expm1(-most / s);
    if (k < -most) return 0;
    if (k >= most) return 1;
    double y = k < 0 ? -k - 1 : k; /* steps y + 1 .. most of one side are beyond */
    double beyond = exp(-(y + 1) / s) * -expm1(-(most - y) / s) / all;
    return k < 0 ? beyond : 1 - beyond;
}

static void truncated_laplace(void **state)
{
    dusk_noise noise;
    (void)state;
    assert_int_equal(dusk_truncated_laplace_init(&noise, 5, 0.7, 0.01, 0, NULL), DUSK_OK);
    check("truncated, coarse", &noise, truncated_cdf, 1, 5);
    assert_int_equal(dusk_truncated_laplace_init(&noise, 1, 1, 1e-6, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    check("truncated, fine", &noise, truncated_cdf, 0.05, 6);
    assert_int_equal(dusk_truncated_laplace_init(&noise, 1, 0.01, 0.2, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    check("truncated, nearly uniform", &noise, truncated_cdf, noise.shape / 150, 7);
}

static double sinh_normal_cdf(const dusk_noise *noise, double x)
{
    return dusk_normal_cdf(noise->shape / noise->scale * sinh(x / noise->shape));
}

static void sinh_normal(void **state)
{
    dusk_noise noise;
    (void)state;
    assert_int_equal(dusk_sinh_normal_tcdp_init(&noise, 1, 0.001, 1.5, 0, NULL), DUSK_OK);
    check("sinh-normal, coarse", &noise, sinh_normal_cdf, 1, 8);
    assert_int_equal(dusk_sinh_normal_tcdp_init(&noise, 1, 0.1, 1.2, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    check("sinh-normal, fine", &noise, sinh_normal_cdf, 0.1, 9);
}

/* Values inside and at an end of a range of 100 steps, and of 2^40 steps in 100 cells. */
static void bounded_laplace(void **state)
{
    (void)state;
    for (int fine = 0; fine < 2; fine++)
        for (int value = 0; value <= 60; value += 30) {
            static counts c;
            dusk_bounded_laplace m;
            dusk_generator *gen = seeded((uint64_t)(20 + value + fine));
            double all = 0;
            assert_int_equal(dusk_bounded_laplace_init(&m, 0, 100, 10, 0.7, fine ? -33 : 0, NULL), DUSK_OK);
            for (size_t i = 0; i < CELLS; i++) {
                double x = (double)i, from = fabs(x - value), to = fabs(x + 1 - value);
                c.wanted[i] = fine       ? x < 100 ? fabs(exp(-from / m.scale) - exp(-to / m.scale)) : 0
                              : x <= 100 ? exp(-from / m.scale)
                                         : 0;
                c.seen[i] = 0;
                all += c.wanted[i];
            }
            for (size_t i = 0; i < CELLS; i++) c.wanted[i] /= all;
            for (size_t i = 0; i < N; i++) {
                double out;
                assert_int_equal(dusk_bounded_laplace_release(&m, &out, value, gen, NULL), DUSK_OK);
                c.seen[(size_t)fmin(out, fine ? 99 : 100)]++;
            }
            judge(fine ? "bounded, fine" : "bounded, coarse", &c);
            dusk_generator_free(gen);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(staircase), cmocka_unit_test(truncated_laplace),
                                        cmocka_unit_test(bounded_laplace), cmocka_unit_test(sinh_normal) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
