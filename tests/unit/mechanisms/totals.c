/* SPDX-License-Identifier: Apache-2.0 */
/* Totals in pieces: what one release of all of them gives for the same coins, bit for bit; every coordinate once; noise
 * that was drawn ahead once; the limits; and nothing in the answers after a failure. */
#include "mechanisms/totals.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dusk/accounting.h"
#include "mechanisms/noise.h"
#include "seeded.h"

enum { N = 5000 };

/* Noise of `scale` steps of 2^grid for n coordinates. */
static dusk_noise gaussian(uint32_t n, double scale, int grid)
{
    dusk_noise noise;
    assert_int_equal(dusk_gaussian_multiplier_init(&noise, n, ldexp(1, grid), scale, grid, NULL), DUSK_OK);
    assert_int_equal(dusk_noise_for_total(&noise, NULL), DUSK_OK);
    return noise;
}

static void some_totals(int64_t *out, size_t n)
{
    uint64_t state = 11;
    for (size_t i = 0; i < n; i++) out[i] = (int64_t)splitmix64(&state) >> (14 + i % 50);
}

/* All in pieces of `size`, by noise of these coins. */
static void in_pieces(double *out, const dusk_noise *noise, const int64_t *totals, size_t size,
                      dusk_ahead *ahead, dusk_generator *gen)
{
    dusk_totals release;
    assert_int_equal(dusk_totals_begin(&release, noise, ahead, gen, NULL), DUSK_OK);
    for (size_t at = 0; at < noise->dimension; at += size) {
        size_t m = noise->dimension - at < size ? noise->dimension - at : size;
        assert_int_equal(dusk_totals_release(&release, out + at, totals + at, m, gen, NULL), DUSK_OK);
    }
}

static void together(double *out, const dusk_noise *noise, const int64_t *totals, dusk_generator *gen)
{
    static dusk_int128 wide[N];
    for (size_t i = 0; i < noise->dimension; i++) wide[i] = totals[i];
    assert_int_equal(dusk_noise_release_totals(noise, out, wide, noise->dimension, gen, NULL), DUSK_OK);
}

/* Whole blocks take the same coins whatever; other pieces do as long as no draw needs more than its word, which these
 * seeds see to. */
static void pieces_are_what_all_together_gives(void **state)
{
    static const size_t sizes[] = { N, 2048, 512, 1024, 1, 7, 8, 100, 513, 2049 };
    static const double scales[] = { 0x1p-3, 1, 0x1.8p22, 0x1p30 };
    static int64_t totals[N];
    static double all[N], pieces[N], before[N];
    static float floats[N];
    (void)state;
    some_totals(totals, N);
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            dusk_noise noise = gaussian((uint32_t)(k ? N - k : N), scales[s], k % 2 ? -22 : 3);
            dusk_generator *gen[4] = { seeded(1), seeded(1), seeded(1), seeded(1) };
            dusk_ahead ahead = { .n = 0 };
            dusk_totals release;
            together(all, &noise, totals, gen[0]);
            in_pieces(pieces, &noise, totals, sizes[k], NULL, gen[1]);
            assert_int_equal(dusk_ahead_draw(&ahead, &noise, gen[2], NULL), DUSK_OK);
            in_pieces(before, &noise, totals, sizes[k], &ahead, gen[2]);
            assert_int_equal(dusk_totals_begin(&release, &noise, NULL, gen[3], NULL), DUSK_OK);
            assert_int_equal(
                dusk_totals_release_floats(&release, floats, totals, noise.dimension, gen[3], NULL), DUSK_OK);
            assert_memory_equal(pieces, all, noise.dimension * sizeof *all);
            assert_memory_equal(before, all, noise.dimension * sizeof *all);
            for (size_t i = 0; i < noise.dimension; i++) assert_true(floats[i] == (float)all[i]);
            dusk_ahead_clear(&ahead);
            for (int i = 0; i < 4; i++) dusk_generator_free(gen[i]);
        }
}

/* Draws that need more coins than a word, of which a million hold some thirty: still alike in whole blocks. */
static void draws_that_need_more_coins_agree(void **state)
{
    enum { MANY = 1 << 20 };
    dusk_noise noise = gaussian(MANY, 0x1p26, -22);
    int64_t *totals = calloc(MANY, sizeof *totals);
    double *all = calloc(MANY, sizeof *all), *pieces = calloc(MANY, sizeof *pieces);
    dusk_int128 *wide = calloc(MANY, sizeof *wide);
    dusk_generator *gen[2] = { seeded(5), seeded(5) };
    (void)state;
    assert_true(totals && all && pieces && wide);
    assert_int_equal(dusk_noise_release_totals(&noise, all, wide, MANY, gen[0], NULL), DUSK_OK);
    in_pieces(pieces, &noise, totals, 4096, NULL, gen[1]);
    assert_memory_equal(pieces, all, MANY * sizeof *all);
    for (int i = 0; i < 2; i++) dusk_generator_free(gen[i]);
    free(totals);
    free(all);
    free(pieces);
    free(wide);
}

/* Laws beside the Gaussian, and answers that follow their totals step by step. */
static void answers_move_with_their_totals(void **state)
{
    static const int64_t none[N], *zero = none;
    static int64_t some[N];
    static double without[N], with[N];
    dusk_noise noise[3];
    (void)state;
    for (size_t i = 0; i < N; i++) some[i] = (int64_t)i * (i % 2 ? 3 : -5);
    assert_int_equal(dusk_laplace_init(&noise[0], N, 1, 1, -20, NULL), DUSK_OK);
    assert_int_equal(dusk_discrete_laplace_init(&noise[1], N, 1, 1, -20, NULL), DUSK_OK);
    assert_int_equal(dusk_discrete_gaussian_init(&noise[2], N, 1, 1, 1e-6, -20, NULL), DUSK_OK);
    for (int law = 0; law < 3; law++) {
        dusk_generator *gen[2] = { seeded(3), seeded(3) };
        unsigned bare = 0;
        in_pieces(without, &noise[law], zero, 700, NULL, gen[0]);
        in_pieces(with, &noise[law], some, 700, NULL, gen[1]);
        for (size_t i = 0; i < N; i++) {
            assert_true(with[i] - without[i] == ldexp((double)some[i], -20));
            bare += without[i] == 0;
        }
        assert_true(bare <= 2); /* of a million steps each */
        for (int i = 0; i < 2; i++) dusk_generator_free(gen[i]);
    }
}

static void totals_end_at_the_limits(void **state)
{
    static const int64_t far[] = { INT64_MAX,
                                   INT64_MIN,
                                   (int64_t)1 << 53,
                                   -((int64_t)1 << 52) - 1,
                                   ((int64_t)1 << 52) + 1,
                                   (int64_t)1 << 52,
                                   -((int64_t)1 << 52),
                                   ((int64_t)1 << 52) - 1,
                                   INT64_MAX - 1,
                                   0,
                                   1 };
    enum { FAR = sizeof far / sizeof *far };
    const int64_t most = (int64_t)1 << 52, none[FAR] = { 0 };
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        double drawn[FAR], out[FAR];
        dusk_noise noise = gaussian(FAR, seed % 2 ? 2 : 0x1p32, -30);
        dusk_generator *gen[2] = { seeded(seed), seeded(seed) };
        in_pieces(drawn, &noise, none, FAR, NULL, gen[0]);
        in_pieces(out, &noise, far, seed % 3 ? FAR : 3, NULL, gen[1]);
        for (size_t i = 0; i < FAR; i++) {
            int64_t k = (int64_t)ldexp(drawn[i], 30), w = far[i] > most    ? most
                                                          : far[i] < -most ? -most
                                                                           : far[i];
            int64_t sum = w + k > most ? most : w + k < -most ? -most : w + k;
            assert_true(out[i] == ldexp((double)sum, -30));
        }
        for (int i = 0; i < 2; i++) dusk_generator_free(gen[i]);
    }
}

static void every_coordinate_is_released_once(void **state)
{
    const int64_t totals[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    double out[8] = { 9, 9, 9, 9, 9, 9, 9, 9 };
    float floats[3] = { 9, 9, 9 };
    dusk_noise noise = gaussian(5, 100, 0);
    dusk_totals release;
    dusk_generator *gen = seeded(2);
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_totals_begin(&release, &noise, NULL, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_totals_release(&release, out, totals, 6, gen, &err), DUSK_ERR_ARGUMENT);
    for (int i = 0; i < 6; i++) assert_true(out[i] == 0);
    assert_int_equal(dusk_totals_release(&release, out, totals, 3, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_totals_release(&release, out, totals, 0, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_totals_release_floats(&release, floats, totals, 3, gen, &err), DUSK_ERR_ARGUMENT);
    for (int i = 0; i < 3; i++) assert_true(floats[i] == 0);
    assert_int_equal(dusk_totals_release(&release, out + 3, totals, 2, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_totals_release(&release, out, totals, 1, gen, &err), DUSK_ERR_ARGUMENT);
    dusk_generator_free(gen);
}

static void noise_ahead_is_used_once(void **state)
{
    static const int64_t none[N];
    static double first[N], second[N];
    dusk_noise noise = gaussian(N, 1000, 0), other = gaussian(N, 1001, 0), shorter = gaussian(N - 1, 1000, 0);
    dusk_ahead ahead = { .n = 0 };
    dusk_totals release;
    dusk_generator *gen = seeded(4);
    dusk_error err;
    size_t same = 0;
    (void)state;
    assert_int_equal(dusk_totals_begin(&release, &noise, &ahead, gen, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_ahead_draw(&ahead, &noise, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_totals_begin(&release, &other, &ahead, gen, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_totals_begin(&release, &shorter, &ahead, gen, &err), DUSK_ERR_ARGUMENT);
    in_pieces(first, &noise, none, 1000, &ahead, gen);
    assert_int_equal(dusk_totals_begin(&release, &noise, &ahead, gen, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_totals_release(&release, second, none, 1, gen, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_ahead_draw(&ahead, &noise, gen, NULL), DUSK_OK);
    in_pieces(second, &noise, none, 1000, &ahead, gen);
    for (size_t i = 0; i < N; i++) same += first[i] == second[i];
    assert_true(same < 20); /* of 5000 pairs of draws of deviation 1000 */
    for (size_t i = 2048; i < N; i++) same += first[i] == first[i - 2048];
    assert_true(same < 30);
    dusk_ahead_clear(&ahead);
    dusk_ahead_clear(&ahead);
    dusk_generator_free(gen);
}

static void what_cannot_be_released_is_refused(void **state)
{
    dusk_noise unmade = { 0 }, finer, single;
    dusk_ahead ahead = { .n = 0 };
    dusk_totals release;
    dusk_generator *gen = seeded(6);
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_gaussian_multiplier_init(&finer, 4, 1, 1, -40, NULL), DUSK_OK);
    assert_int_equal(dusk_staircase_init(&single, 1, 1, DUSK_GAMMA_ABSOLUTE, DUSK_GRID_DEFAULT, NULL),
                     DUSK_OK);
    const dusk_noise *bad[] = { &unmade, &finer, &single };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const int64_t total = 5;
        double out = 9;
        assert_int_equal(dusk_totals_begin(&release, bad[i], NULL, gen, &err), DUSK_ERR_ARGUMENT);
        assert_true(strlen(err.hint) > 0);
        assert_int_equal(dusk_totals_release(&release, &out, &total, 1, gen, &err), DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_ahead_draw(&ahead, bad[i], gen, &err), DUSK_ERR_ARGUMENT);
    }
    assert_null(ahead.steps);
    dusk_generator_free(gen);
}

/* No memory, or no coins, in the first piece or in a later one; then all goes on. */
static void failures_leave_nothing(void **state)
{
    static const int64_t totals[N] = { 7, 8, 9 };
    static double out[N];
    dusk_noise noise = gaussian(N, 1000, 0);
    dusk_ahead ahead = { .n = 0 };
    dusk_totals release;
    dusk_generator *gen = seeded(8), *tape = zeros(512);
    dusk_error err;
    (void)state;
    dusk_memory_fail_at(1);
    assert_int_equal(dusk_ahead_draw(&ahead, &noise, gen, &err), DUSK_ERR_MEMORY);
    dusk_memory_fail_at(0);
    assert_int_equal(dusk_ahead_draw(&ahead, &noise, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_ahead_draw(&ahead, &noise, tape, &err), DUSK_ERR_ENTROPY);
    assert_int_equal(dusk_totals_begin(&release, &noise, &ahead, gen, &err), DUSK_ERR_ARGUMENT);
    dusk_ahead_clear(&ahead);
    assert_int_equal(dusk_totals_begin(&release, &noise, NULL, gen, NULL), DUSK_OK);
    for (size_t i = 0; i < N; i++) out[i] = 1;
    assert_int_equal(dusk_totals_release(&release, out, totals, N, tape, &err), DUSK_ERR_ENTROPY);
    for (size_t i = 0; i < N; i++) assert_true(out[i] == 0);
    assert_int_equal(dusk_totals_release(&release, out, totals, N, gen, NULL), DUSK_OK);
    dusk_generator_free(gen);
    dusk_generator_free(tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_what_all_together_gives),
        cmocka_unit_test(draws_that_need_more_coins_agree),
        cmocka_unit_test(answers_move_with_their_totals),
        cmocka_unit_test(totals_end_at_the_limits),
        cmocka_unit_test(every_coordinate_is_released_once),
        cmocka_unit_test(noise_ahead_is_used_once),
        cmocka_unit_test(what_cannot_be_released_is_refused),
        cmocka_unit_test(failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
