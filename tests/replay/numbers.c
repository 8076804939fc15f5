/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring values with the same coins: additive noise is drawn from public numbers only, so
 * answers differ by the values' own steps and no more, and no coin more or less is
 * taken. Values are hostile on purpose. */
#include <float.h>
#include <math.h>

#include "dusk/mechanisms.h"
#include "random/generator.h"
#include "random/tape.h"
#include "support.h"

static void make(dusk_noise *out, int kind, double sensitivity, int grid)
{
    dusk_status status = DUSK_ERR_INTERNAL;
    switch (kind) {
    case 0: status = dusk_staircase_init(out, sensitivity, 0.7, DUSK_GAMMA_SQUARED, grid, NULL); break;
    case 1: status = dusk_truncated_laplace_init(out, sensitivity, 0.7, 1e-6, grid, NULL); break;
    default: status = dusk_sinh_normal_tcdp_init(out, sensitivity, 0.1, 4, grid, NULL); break;
    }
    assert_int_equal(status, DUSK_OK);
}

static double release(const dusk_noise *noise, double value, uint64_t seed, uint64_t *next)
{
    dusk_generator *gen;
    double out;
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    assert_int_equal(dusk_noise_release(noise, &out, value, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_words(gen, next, 1, 64, NULL), DUSK_OK);
    dusk_generator_free(gen);
    return out;
}

static void answers_move_with_their_values(void **state)
{
    uint64_t at = 5;
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (uint64_t round = 0; round < 600; round++) {
            dusk_noise noise;
            uint64_t next[2];
            double sensitivity = 1 + (double)(splitmix64(&at) % 100) / 7;
            make(&noise, kind, sensitivity, round % 3 ? -(int)(round % 20) : DUSK_GRID_DEFAULT);
            double value = (double)(int64_t)splitmix64(&at) * 0x1p-50;
            double other = value + sensitivity * ((double)(splitmix64(&at) % 2001) / 1000 - 1);
            double a = release(&noise, value, round, &next[0]), b = release(&noise, other, round, &next[1]);
            assert_true(fabs(a - b) <= noise.grid_sensitivity * (1 + 1e-9));
            assert_int_equal(next[0], next[1]);
        }
}

static void odd_values_give_ordinary_answers(void **state)
{
    const double odd[] = { NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_TRUE_MIN, -0.0 };
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            dusk_noise noise;
            uint64_t next[2];
            make(&noise, kind, 1, DUSK_GRID_DEFAULT);
            assert_true(isfinite(release(&noise, odd[i], i, &next[0])));
            release(&noise, 1, i, &next[1]);
            assert_int_equal(next[0], next[1]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_move_with_their_values),
                                        cmocka_unit_test(odd_values_give_ordinary_answers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
