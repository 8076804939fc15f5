/* SPDX-License-Identifier: Apache-2.0 */
/* Keyed coins: who else is there does not matter, edges of ranges and rates are exact, and
 * the words are those of the ciphers, called here from outside. Laws: statistical/keyed.c. */
#include <openssl/evp.h>
#include <sodium.h>
#include <string.h>

#include "base/platform.h"
#include "failing_memory.h"
#include "keyed_coins.h"
#include "random/keyed.h"

enum { UNITS = 700 }; /* more than a batch, and no multiple of one */

static uint64_t units[UNITS];

static int name_units(void **state)
{
    uint64_t seed = 71;
    (void)state;
    for (size_t i = 0; i < UNITS; i++) units[i] = splitmix64(&seed);
    return 0;
}

/* Everything that one unit gets. */
typedef struct fate {
    uint64_t word, below;
    bool in;
} fate;

static void draw(dusk_keyed_coins *coins, const uint64_t *who, fate *out, size_t n)
{
    uint64_t words[UNITS], below[UNITS];
    bool in[UNITS];
    assert_int_equal(dusk_keyed_words(coins, 1, who, words, n, NULL), DUSK_OK);
    assert_int_equal(dusk_keyed_below(coins, 2, who, below, n, 3 * (UINT64_MAX / 4), NULL), DUSK_OK);
    assert_int_equal(dusk_keyed_include(coins, 3, who, in, n, UINT64_MAX / 3, NULL), DUSK_OK);
    for (size_t i = 0; i < n; i++) out[i] = (fate){ .word = words[i], .below = below[i], .in = in[i] };
}

static bool is_same(const fate *a, const fate *b)
{
    return a->word == b->word && a->below == b->below && a->in == b->in;
}

/* One unit less, and the others in another order: theirs stays what it was. */
static void others_do_not_matter(void **state)
{
    static fate all[UNITS], some[UNITS];
    (void)state;
    for (int aes = 0; aes < 2; aes++)
        for (size_t gone = 0; gone < UNITS; gone += 97) {
            uint64_t rest[UNITS];
            size_t from[UNITS], n = 0, order[2][UNITS], place[UNITS];
            dusk_keyed_coins *coins = coins_of(5, aes);
            draw(coins, units, all, UNITS);
            for (size_t i = UNITS; i-- > 0;)
                if (i != gone) {
                    from[n] = i;
                    rest[n++] = units[i];
                }
            draw(coins, rest, some, n);
            for (size_t i = 0; i < n; i++) assert_true(is_same(&some[i], &all[from[i]]));
            assert_int_equal(dusk_keyed_order(coins, 4, units, order[0], UNITS, NULL), DUSK_OK);
            assert_int_equal(dusk_keyed_order(coins, 4, rest, order[1], n, NULL), DUSK_OK);
            for (size_t i = 0; i < UNITS; i++) place[order[0][i]] = i;
            for (size_t i = 1; i < n; i++)
                assert_true(place[from[order[1][i - 1]]] < place[from[order[1][i]]]);
            dusk_keyed_free(coins);
        }
}

/* Rows without names: what is appended does not change what was there. */
static void rows_are_units_by_number(void **state)
{
    uint64_t few[300], many[UNITS], named[300], numbers[300];
    dusk_keyed_coins *coins = coins_of(6, true);
    (void)state;
    for (uint64_t i = 0; i < 300; i++) numbers[i] = i;
    assert_int_equal(dusk_keyed_words(coins, 9, NULL, few, 300, NULL), DUSK_OK);
    assert_int_equal(dusk_keyed_words(coins, 9, NULL, many, UNITS, NULL), DUSK_OK);
    assert_int_equal(dusk_keyed_words(coins, 9, numbers, named, 300, NULL), DUSK_OK);
    assert_memory_equal(few, many, sizeof few);
    assert_memory_equal(few, named, sizeof few);
    dusk_keyed_free(coins);
}

/* Half a block of (stream, unit, turn), from the key, by the libraries themselves. */
static uint64_t cipher_block(const unsigned char *key, bool aes, uint32_t stream, uint64_t unit,
                             uint32_t turn, unsigned which)
{
    unsigned char in[16] = { 0 }, out[32];
    uint64_t half[2];
    int n = 0;
    if (aes) {
        EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
        memcpy(in, &unit, 8);
        memcpy(in + 8, &stream, 4);
        memcpy(in + 12, &turn, 4);
        assert_int_equal(EVP_EncryptInit_ex(ctx, EVP_aes_256_ecb(), NULL, key, NULL), 1);
        assert_int_equal(EVP_EncryptUpdate(ctx, out, &n, in, 16), 1);
        EVP_CIPHER_CTX_free(ctx);
    } else {
        unsigned char nonce[8];
        memcpy(nonce, &stream, 4);
        memcpy(nonce + 4, &turn, 4);
        assert_int_equal(crypto_stream_chacha20_xor_ic(out, in, 16, nonce, unit, key), 0);
    }
    memcpy(half, out, 16);
    return half[which];
}

/* W_t of (stream, unit). */
static uint64_t cipher_word(const unsigned char *key, bool aes, uint32_t stream, uint64_t unit, uint32_t t)
{
    return cipher_block(key, aes, stream, unit, t / 2, t % 2);
}

/* Numbers below one that refuses nearly every second word, so that many are looked at. */
static void coins_are_those_of_the_cipher(void **state)
{
    const uint64_t n = ((uint64_t)1 << 63) + 1, excess = ((uint64_t)1 << 63) - 1;
    unsigned char key[32];
    uint64_t words[UNITS], below[UNITS];
    (void)state;
    for (int aes = 0; aes < 2; aes++) {
        dusk_keyed_coins *coins = coins_of(7, aes);
        dusk_generator *gen = seeded(7);
        uint32_t most = 0;
        assert_int_equal(dusk_generator_bytes(gen, key, sizeof key, NULL), DUSK_OK);
        dusk_generator_free(gen);
        assert_int_equal(dusk_keyed_words(coins, 8, units, words, UNITS, NULL), DUSK_OK);
        assert_int_equal(dusk_keyed_below(coins, 8, units, below, UNITS, n, NULL), DUSK_OK);
        for (size_t i = 0; i < UNITS; i++) {
            uint32_t t = 0;
            assert_true(words[i] == cipher_word(key, aes, 8, units[i], 0));
            while (cipher_word(key, aes, 8, units[i], t) * n < excess) t++;
            assert_true(below[i] ==
                        (uint64_t)((dusk_uint128)cipher_word(key, aes, 8, units[i], t) * n >> 64));
            most = t > most ? t : most;
        }
        assert_true(most > 5);
        dusk_keyed_free(coins);
    }
}

/* The 64 digits that decide about a sample: 16 of a block that eight units share, 48 of the unit's own first word. */
static uint64_t sample_digits(const unsigned char *key, bool aes, uint32_t stream, uint64_t unit)
{
    const uint64_t half[2] = { cipher_block(key, aes, stream, unit / 8, UINT32_MAX, 0),
                               cipher_block(key, aes, stream, unit / 8, UINT32_MAX, 1) };
    uint16_t lead[8];
    memcpy(lead, half, sizeof lead);
    return (uint64_t)lead[unit % 8] << 48 | cipher_word(key, aes, stream, unit, 0) >> 16;
}

static bool is_in(dusk_keyed_coins *coins, uint64_t unit, uint64_t rate)
{
    bool in;
    assert_int_equal(dusk_keyed_include(coins, 3, &unit, &in, 1, rate, NULL), DUSK_OK);
    return in;
}

/* Of named units and of rows, whose neighbours in a block have other digits. */
static void inclusion_ends_exactly_at_the_rate(void **state)
{
    unsigned char key[32];
    (void)state;
    for (int aes = 0; aes < 2; aes++) {
        dusk_keyed_coins *coins = coins_of(8, aes);
        dusk_generator *gen = seeded(8);
        assert_int_equal(dusk_generator_bytes(gen, key, sizeof key, NULL), DUSK_OK);
        dusk_generator_free(gen);
        for (size_t i = 0; i < UNITS; i += 7) {
            const uint64_t unit = i % 2 ? units[i] : i, digits = sample_digits(key, aes, 3, unit);
            bool rows[UNITS];
            assert_false(is_in(coins, unit, digits));
            assert_true(is_in(coins, unit, digits + 1));
            assert_false(is_in(coins, unit, 0));
            if (i % 2) continue;
            assert_int_equal(dusk_keyed_include(coins, 3, NULL, rows, UNITS, digits, NULL), DUSK_OK);
            assert_false(rows[i]);
            assert_int_equal(dusk_keyed_include(coins, 3, NULL, rows, i + 1, digits + 1, NULL), DUSK_OK);
            assert_true(rows[i]);
        }
        dusk_keyed_free(coins);
    }
}

/* Rows of many batches, named and by number, with and without those behind them, at small and at great rates. */
static void samples_of_rows_are_those_of_their_numbers(void **state)
{
    enum { ROWS = 5003 };
    static uint64_t numbers[ROWS];
    static bool named[ROWS], rows[ROWS], first[ROWS];
    static const double rates[] = { 0, 0x1p-40, 0.004, 0.3, 1 };
    unsigned char key[32];
    (void)state;
    for (uint64_t i = 0; i < ROWS; i++) numbers[i] = i;
    for (int aes = 0; aes < 2; aes++) {
        dusk_keyed_coins *coins = coins_of(13, aes);
        dusk_generator *gen = seeded(13);
        assert_int_equal(dusk_generator_bytes(gen, key, sizeof key, NULL), DUSK_OK);
        dusk_generator_free(gen);
        for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
            const uint64_t rate = dusk_keyed_rate_down(rates[r]);
            assert_int_equal(dusk_keyed_include(coins, 1, numbers, named, ROWS, rate, NULL), DUSK_OK);
            assert_int_equal(dusk_keyed_include(coins, 1, NULL, rows, ROWS, rate, NULL), DUSK_OK);
            assert_int_equal(dusk_keyed_include(coins, 1, NULL, first, 2500, rate, NULL), DUSK_OK);
            assert_memory_equal(rows, named, sizeof rows);
            assert_memory_equal(rows, first, 2500 * sizeof *rows);
            for (size_t i = r; i < ROWS; i += 31)
                assert_int_equal(rows[i], sample_digits(key, aes, 1, i) < rate);
        }
        dusk_keyed_free(coins);
    }
}

static void rates_round_down(void **state)
{
    (void)state;
    assert_true(dusk_keyed_rate_down(0.5) == (uint64_t)1 << 63);
    assert_true(dusk_keyed_rate_down(0x1p-64) == 1);
    assert_true(dusk_keyed_rate_down(0x1.8p-64) == 1);
    assert_true(dusk_keyed_rate_down(0x1p-65) == 0);
    assert_true(dusk_keyed_rate_down(1 - 0x1p-53) == UINT64_MAX - 2047);
    assert_true(dusk_keyed_rate_down(1) == UINT64_MAX && dusk_keyed_rate_down(7) == UINT64_MAX);
    assert_true(dusk_keyed_rate_down(-1) == 0 && dusk_keyed_rate_down(0.0 / 0.0) == 0);
}

static void choices_are_sets(void **state)
{
    dusk_keyed_coins *coins = coins_of(9, true);
    size_t chosen[50], count;
    (void)state;
    for (size_t held = 0; held <= 50; held++)
        for (size_t most = 0; most <= 50; most += 7) {
            assert_int_equal(dusk_keyed_choose(coins, 1, held, held, most, chosen, &count, NULL), DUSK_OK);
            assert_int_equal(count, held < most ? held : most);
            for (size_t i = 0; i < count; i++) {
                assert_true(chosen[i] < held);
                assert_true(i == 0 || chosen[i - 1] < chosen[i]);
            }
        }
    assert_int_equal(dusk_keyed_choose(coins, 1, 1, (size_t)1 << 31, 1, chosen, &count, NULL),
                     DUSK_ERR_ARGUMENT);
    dusk_keyed_free(coins);
}

static void the_same_unit_twice_keeps_its_order(void **state)
{
    const uint64_t twice[] = { 5, 9, 5, 9, 5 };
    size_t order[5];
    dusk_keyed_coins *coins = coins_of(10, false);
    (void)state;
    assert_int_equal(dusk_keyed_order(coins, 1, twice, order, 5, NULL), DUSK_OK);
    size_t first = twice[order[0]] == 5 ? 0 : 2; /* where the fives stand */
    assert_true(order[first] == 0 && order[first + 1] == 2 && order[first + 2] == 4);
    dusk_keyed_free(coins);
}

static void copies_toss_alike_and_names_differ(void **state)
{
    dusk_keyed_coins *coins = coins_of(11, true), *copy, *other = coins_of(12, true);
    uint64_t a[UNITS], b[UNITS];
    (void)state;
    assert_int_equal(dusk_keyed_copy(&copy, coins, NULL), DUSK_OK);
    assert_int_equal(dusk_keyed_words(coins, 1, units, a, UNITS, NULL), DUSK_OK);
    assert_int_equal(dusk_keyed_words(copy, 1, units, b, UNITS, NULL), DUSK_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(dusk_keyed_words(coins, 2, units, b, UNITS, NULL), DUSK_OK);
    for (size_t i = 0; i < UNITS; i++) assert_true(a[i] != b[i]);
    assert_true(dusk_keyed_unit(coins, "ann", 3) == dusk_keyed_unit(copy, "ann", 3));
    assert_true(dusk_keyed_unit(coins, "ann", 3) != dusk_keyed_unit(coins, "bob", 3));
    assert_true(dusk_keyed_unit(coins, "ann", 3) != dusk_keyed_unit(other, "ann", 3));
    assert_int_equal(dusk_keyed_below(coins, 1, units, a, UNITS, 0, NULL), DUSK_ERR_ARGUMENT);
    dusk_keyed_free(coins);
    dusk_keyed_free(copy);
    dusk_keyed_free(other);
    dusk_keyed_free(NULL);
}

static void failures_leave_nothing(void **state)
{
    dusk_generator *empty = zeros(100), *gen = seeded(1);
    dusk_keyed_coins *coins = (void *)units;
    size_t order[9];
    (void)state;
    assert_int_equal(dusk_keyed_new(&coins, empty, NULL), DUSK_ERR_ENTROPY);
    assert_null(coins);
    dusk_memory_fail_at(1);
    assert_int_equal(dusk_keyed_new(&coins, gen, NULL), DUSK_ERR_MEMORY);
    assert_null(coins);
    assert_int_equal(dusk_keyed_new(&coins, gen, NULL), DUSK_OK);
    for (long i = 1; i <= 3; i++) {
        dusk_memory_fail_at(i);
        assert_int_equal(dusk_keyed_order(coins, 1, NULL, order, 9, NULL), DUSK_ERR_MEMORY);
    }
    dusk_memory_fail_at(0);
    dusk_keyed_free(coins);
    dusk_generator_free(gen);
    dusk_generator_free(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_do_not_matter),
        cmocka_unit_test(rows_are_units_by_number),
        cmocka_unit_test(coins_are_those_of_the_cipher),
        cmocka_unit_test(inclusion_ends_exactly_at_the_rate),
        cmocka_unit_test(samples_of_rows_are_those_of_their_numbers),
        cmocka_unit_test(rates_round_down),
        cmocka_unit_test(choices_are_sets),
        cmocka_unit_test(the_same_unit_twice_keeps_its_order),
        cmocka_unit_test(copies_toss_alike_and_names_differ),
        cmocka_unit_test(failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, name_units, NULL);
}
