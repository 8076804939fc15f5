/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of keyed coins over many units and keys, with fixed seeds: chi-square, alpha 1e-6. Units
 * are the numbers from 0 on, the worst that a bad function could be given. */
#include <math.h>

#include "keyed_coins.h"
#include "law.h"
#include "random/keyed.h"

enum { N = 1 << 20, TRIALS = 60000 };

static uint64_t words[N];
static uint64_t seen[1 << 16];
static double even[1 << 16];

static void start(size_t cells)
{
    for (size_t i = 0; i < cells; i++) {
        seen[i] = 0;
        even[i] = 1.0 / (double)cells;
    }
}

static void words_of_units_are_even(void **state)
{
    (void)state;
    for (int aes = 0; aes < 2; aes++)
        for (unsigned shift = 0; shift < 64; shift += 16) {
            dusk_keyed_coins *coins = coins_of(21, aes);
            start(1 << 16);
            assert_int_equal(dusk_keyed_words(coins, 1, NULL, words, N, NULL), DUSK_OK);
            for (size_t i = 0; i < N; i++) seen[words[i] >> shift & 0xffff]++;
            assert_law(seen, even, 1 << 16, N);
            dusk_keyed_free(coins);
        }
}

/* A unit and the next one, and one unit on two streams: bit by bit. */
static void neighbours_are_independent(void **state)
{
    static uint64_t other[N];
    dusk_keyed_coins *coins = coins_of(22, true);
    double both[2] = { 0 }, sigma = sqrt(64.0 * N) / 2;
    (void)state;
    assert_int_equal(dusk_keyed_words(coins, 1, NULL, words, N, NULL), DUSK_OK);
    assert_int_equal(dusk_keyed_words(coins, 2, NULL, other, N, NULL), DUSK_OK);
    for (size_t i = 0; i < N; i++) {
        both[0] += __builtin_popcountll(words[i] ^ words[(i + 1) % N]);
        both[1] += __builtin_popcountll(words[i] ^ other[i]);
    }
    for (int i = 0; i < 2; i++) assert_true(fabs(both[i] - 32.0 * N) < 5 * sigma);
    dusk_keyed_free(coins);
}

static void inclusion_is_poisson(void **state)
{
    static bool in[N];
    const double rates[] = { 0.001, 0.25, 0.7 };
    dusk_keyed_coins *coins = coins_of(23, true);
    (void)state;
    for (int r = 0; r < 3; r++) {
        uint64_t counts[2] = { 0 };
        double p[2] = { 1 - rates[r], rates[r] };
        assert_int_equal(
            dusk_keyed_include(coins, (uint32_t)r, NULL, in, N, dusk_keyed_rate_down(rates[r]), NULL),
            DUSK_OK);
        for (size_t i = 0; i < N; i++) counts[in[i]]++;
        assert_law(counts, p, 2, N);
    }
    dusk_keyed_free(coins);
}

/* All sets of five rows, by both ways to sample. */
static void samples_are_of_independent_rows(void **state)
{
    const double rates[] = { 0.031, 0.032, 0.4 };
    dusk_keyed_coins *coins = coins_of(27, true);
    (void)state;
    for (int r = 0; r < 3; r++) {
        uint64_t counts[32] = { 0 };
        double p[32];
        for (unsigned set = 0; set < 32; set++) {
            const int in = __builtin_popcount(set);
            p[set] = pow(rates[r], in) * pow(1 - rates[r], 5 - in);
        }
        for (uint32_t stream = 0; stream < 20 * TRIALS; stream++) {
            size_t row[5], count;
            unsigned set = 0;
            assert_int_equal(
                dusk_keyed_sample(coins, stream, row, 5, dusk_keyed_rate_down(rates[r]), &count, NULL),
                DUSK_OK);
            for (size_t i = 0; i < count; i++) set |= 1u << row[i];
            counts[set]++;
        }
        assert_law(counts, p, 32, 20 * TRIALS);
    }
    dusk_keyed_free(coins);
}

/* A hundred million rows at a rate of 2e-8: how many are in, where they are, and how far apart two of them are. */
static void a_few_of_very_many(void **state)
{
    enum { COUNTS = 40, PLACES = 100 };
    const double n = 1e8, q = 2e-8;
    uint64_t counts[COUNTS] = { 0 }, places[PLACES] = { 0 }, apart[PLACES] = { 0 }, all = 0, pairs = 0;
    double p[COUNTS], even_places[PLACES], near[PLACES];
    dusk_keyed_coins *coins = coins_of(28, true);
    (void)state;
    for (int k = 0; k < COUNTS; k++)
        p[k] = exp(lgamma(n + 1) - lgamma(k + 1.0) - lgamma(n - k + 1) + k * log(q) + (n - k) * log1p(-q));
    for (int k = 0; k < PLACES; k++) {
        even_places[k] = 1.0 / PLACES;
        near[k] = (2 * (PLACES - k) - 1) / (double)(PLACES * PLACES); /* of two uniform numbers */
    }
    for (uint32_t stream = 0; stream < TRIALS; stream++) {
        size_t row[200], count;
        assert_int_equal(
            dusk_keyed_sample(coins, stream, row, (size_t)n, dusk_keyed_rate_down(q), &count, NULL), DUSK_OK);
        counts[count < COUNTS ? count : COUNTS - 1]++;
        for (size_t i = 0; i < count; i++) places[row[i] / (size_t)(n / PLACES)]++;
        if (count > 1) apart[(row[count - 1] - row[0]) / (size_t)(n / PLACES)] += count == 2;
        all += count;
        pairs += count == 2;
    }
    assert_law(counts, p, COUNTS, TRIALS);
    assert_law(places, even_places, PLACES, (double)all);
    assert_law(apart, near, PLACES, (double)pairs);
    dusk_keyed_free(coins);
}

static void numbers_are_even(void **state)
{
    dusk_keyed_coins *coins = coins_of(24, true);
    (void)state;
    for (uint64_t n = 2; n < 1000; n += 111) {
        start(n);
        assert_int_equal(dusk_keyed_below(coins, (uint32_t)n, NULL, words, N, n, NULL), DUSK_OK);
        for (size_t i = 0; i < N; i++) seen[words[i]]++;
        assert_law(seen, even, n, N);
    }
    /* three quarters of all words: every third one would be counted twice without rejection */
    start(3);
    assert_int_equal(dusk_keyed_below(coins, 1, NULL, words, N, 3 * ((uint64_t)1 << 62), NULL), DUSK_OK);
    for (size_t i = 0; i < N; i++) seen[words[i] % 3]++;
    assert_law(seen, even, 3, N);
    dusk_keyed_free(coins);
}

/* All sets of 2 among 5, and of 3 among 5. */
static void choices_are_even(void **state)
{
    dusk_keyed_coins *coins = coins_of(25, true);
    (void)state;
    for (size_t most = 2; most <= 3; most++) {
        uint64_t counts[32] = { 0 };
        double p[32];
        for (unsigned set = 0; set < 32; set++) p[set] = (size_t)__builtin_popcount(set) == most ? 0.1 : 0;
        for (uint64_t unit = 0; unit < TRIALS; unit++) {
            size_t chosen[5], count;
            unsigned set = 0;
            assert_int_equal(dusk_keyed_choose(coins, 7, unit, 5, most, chosen, &count, NULL), DUSK_OK);
            for (size_t i = 0; i < count; i++) set |= 1u << chosen[i];
            counts[set]++;
        }
        assert_law(counts, p, 32, TRIALS);
    }
    dusk_keyed_free(coins);
}

/* The 24 orders of four units, over many streams. */
static void orders_are_even(void **state)
{
    dusk_keyed_coins *coins = coins_of(26, true);
    (void)state;
    start(24);
    for (uint32_t stream = 0; stream < TRIALS; stream++) {
        size_t order[4], code = 0;
        assert_int_equal(dusk_keyed_order(coins, stream, NULL, order, 4, NULL), DUSK_OK);
        for (size_t i = 0; i < 4; i++) {
            size_t smaller = 0;
            for (size_t j = i + 1; j < 4; j++) smaller += order[j] < order[i];
            code = code * (4 - i) + smaller;
        }
        seen[code]++;
    }
    assert_law(seen, even, 24, TRIALS);
    dusk_keyed_free(coins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_units_are_even),
        cmocka_unit_test(neighbours_are_independent),
        cmocka_unit_test(inclusion_is_poisson),
        cmocka_unit_test(numbers_are_even),
        cmocka_unit_test(choices_are_even),
        cmocka_unit_test(orders_are_even),
        cmocka_unit_test(samples_are_of_independent_rows),
        cmocka_unit_test(a_few_of_very_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
