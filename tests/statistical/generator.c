/* SPDX-License-Identifier: Apache-2.0 */
/* Chi-square tests of the stream and of what is drawn from it, with fixed
 * seeds and alpha 1e-6 on each side. The cipher needs no such test; what is
 * tested is the way from its blocks to words, bytes and numbers. */
#include <math.h>
#include <string.h>

#include "random/sampling.h"
#include "random/tape.h"
#include "support.h"

enum { N = 1 << 12, ROUNDS = 1 << 11, CELLS = 1 << 16 };

static uint64_t words[N];
static uint64_t counts[CELLS];

static dusk_generator *start(uint64_t seed)
{
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    memset(counts, 0, sizeof counts);
    return gen;
}

/* Wilson and Hilferty 1931: (X / d)^(1/3) is nearly normal. */
static void assert_even(size_t cells)
{
    double total = 0, chi = 0, d = (double)cells - 1;
    for (size_t i = 0; i < cells; i++) total += (double)counts[i];
    double expected = total / (double)cells;
    assert_true(expected >= 50);
    for (size_t i = 0; i < cells; i++) chi += pow((double)counts[i] - expected, 2) / expected;
    double z = (cbrt(chi / d) - (1 - 2 / (9 * d))) / sqrt(2 / (9 * d));
    if (fabs(z) > 4.76) fail_msg("chi-square %.1f with %.0f degrees of freedom, z = %.2f", chi, d, z);
}

static void bytes_and_pairs(void **state)
{
    unsigned char bytes[8 * N];

    (void)state;
    for (int pairs = 0; pairs < 2; pairs++) {
        dusk_generator *gen = start(11);
        for (int r = 0; r < ROUNDS; r++) {
            assert_int_equal(dusk_generator_bytes(gen, bytes, sizeof bytes, NULL), DUSK_OK);
            for (size_t i = 0; i + 1 < sizeof bytes; i += 2) {
                counts[pairs ? bytes[i] * 256u + bytes[i + 1] : bytes[i]]++;
                if (!pairs) counts[bytes[i + 1]]++;
            }
        }
        assert_even(pairs ? CELLS : 256);
        dusk_generator_free(gen);
    }
}

static void single_bits(void **state)
{
    uint64_t ones[64] = { 0 };
    dusk_generator *gen = start(12);

    (void)state;
    for (int r = 0; r < ROUNDS; r++) {
        assert_int_equal(dusk_generator_words(gen, words, N, 64, NULL), DUSK_OK);
        for (size_t i = 0; i < N; i++)
            for (unsigned b = 0; b < 64; b++) ones[b] += words[i] >> b & 1;
    }
    double total = (double)N * ROUNDS;
    for (int b = 0; b < 64; b++) assert_true(fabs((double)ones[b] - total / 2) < 5.5 * sqrt(total) / 2);
    dusk_generator_free(gen);
}

/* How many bits two words share, at lags that would show a buffer used twice. */
static void words_at_a_distance(void **state)
{
    const size_t lags[] = { 1, 2, 8, 512, 2048, 4090, 4095 };
    dusk_generator *gen = start(13);
    double sum[7] = { 0 }, total[7] = { 0 };

    (void)state;
    for (int r = 0; r < ROUNDS; r++) {
        assert_int_equal(dusk_generator_words(gen, words, N, 64, NULL), DUSK_OK);
        for (int k = 0; k < 7; k++)
            for (size_t i = lags[k]; i < N; i++) {
                sum[k] += __builtin_popcountll(words[i] ^ words[i - lags[k]]);
                total[k] += 64;
            }
    }
    for (int k = 0; k < 7; k++) assert_true(fabs(sum[k] - total[k] / 2) < 5.2 * sqrt(total[k]) / 2);
    dusk_generator_free(gen);
}

static void narrow_words(void **state)
{
    (void)state;
    for (unsigned bits = 1; bits <= 16; bits += 5) {
        dusk_generator *gen = start(100 + bits);
        for (int r = 0; r < ROUNDS; r++) {
            assert_int_equal(dusk_generator_words(gen, words, N, bits, NULL), DUSK_OK);
            for (size_t i = 0; i < N; i++) counts[words[i] >> (64 - bits)]++;
        }
        assert_even((size_t)1 << bits);
        dusk_generator_free(gen);
    }
}

static void numbers_below(void **state)
{
    const uint64_t ranges[] = { 2, 3, 10, 1000, 65535 };

    (void)state;
    for (int k = 0; k < 5; k++) {
        dusk_generator *gen = start(200 + (unsigned)k);
        for (int r = 0; r < 4000000; r++) {
            uint64_t x;
            assert_int_equal(dusk_uniform_below(gen, &x, ranges[k], NULL), DUSK_OK);
            counts[x]++;
        }
        assert_even(ranges[k]);
        dusk_generator_free(gen);
    }
}

static void wide_numbers_below(void **state)
{
    const dusk_uint128 share = (dusk_uint128)1 << 116;
    dusk_generator *gen = start(300);

    (void)state;
    for (int r = 0; r < 1000000; r++) {
        dusk_uint128 x;
        assert_int_equal(dusk_uniform_below128(gen, &x, 700 * share, NULL), DUSK_OK);
        counts[(size_t)(x / share)]++;
    }
    assert_even(700);
    dusk_generator_free(gen);
}

static void orders(void **state)
{
    enum { ITEMS = 5 };
    static uint64_t places[ITEMS * ITEMS * ITEMS * ITEMS * ITEMS];
    dusk_generator *gen = start(400);
    size_t order[ITEMS], cells = 0;

    (void)state;
    for (int r = 0; r < 500000; r++) {
        size_t code = 0;
        assert_int_equal(dusk_shuffle(gen, order, ITEMS, NULL), DUSK_OK);
        for (int i = 0; i < ITEMS; i++) code = code * ITEMS + order[i];
        places[code]++;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i]) counts[cells++] = places[i];
    assert_int_equal(cells, 120);
    assert_even(cells);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_pairs),
        cmocka_unit_test(single_bits),
        cmocka_unit_test(words_at_a_distance),
        cmocka_unit_test(narrow_words),
        cmocka_unit_test(numbers_below),
        cmocka_unit_test(wide_numbers_below),
        cmocka_unit_test(orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
