/* SPDX-License-Identifier: Apache-2.0 */
/* The coins of devices, on every tape or at every place where an answer changes: probabilities are exactly what client.h says. */
#include "local/client.h"
#include "support.h"

/* Bytes that a test has written down; too few: no entropy. */
typedef struct tape {
    const uint8_t *bytes;
    size_t length, at;
} tape;

static int play(void *context, uint8_t *bytes, size_t n)
{
    tape *t = context;
    if (t->length - t->at < n) return 1;
    memcpy(bytes, t->bytes + t->at, n);
    t->at += n;
    return 0;
}

static int coin_of_word(uint64_t word, uint64_t p)
{
    uint8_t bytes[8];
    tape t = { bytes, sizeof bytes, 0 };
    dusk_entropy entropy = { play, &t };
    for (unsigned i = 0; i < 8; i++) bytes[i] = (uint8_t)(word >> (8 * i));
    return client_coin(&entropy, p);
}

/* Words below p come down heads, and no others: p of 2^64. The comparison is monotone in the word, so that both sides of p decide. */
static void a_coin_has_p_words(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (unsigned i = 0; i < 10000; i++) {
        const uint64_t p = splitmix64(&seed) >> (i % 64), word = splitmix64(&seed);
        if (p > 0) assert_int_equal(coin_of_word(p - 1, p), 1);
        assert_int_equal(coin_of_word(p, p), 0);
        assert_int_equal(coin_of_word(0, p), p > 0);
        assert_int_equal(coin_of_word(UINT64_MAX, p), 0);
        assert_int_equal(coin_of_word(word, p), word < p);
    }
}

/* `lanes` words of `digits` digits each, all of them at once in `code`: the coins' tape has digit j of lane i in bit i of word j, the highest digit
 * first. Digits that are not asked for are 0, as are those of p. */
static void check_lanes(unsigned lanes, unsigned digits, uint64_t top, uint64_t code)
{
    uint8_t bytes[8 * 64] = { 0 };
    tape t = { bytes, sizeof bytes, 0 };
    dusk_entropy entropy = { play, &t };
    uint64_t out, below = 0;
    for (unsigned i = 0; i < lanes; i++) {
        const uint64_t word = code >> (i * digits) & (((uint64_t)1 << digits) - 1);
        if (word < top) below |= (uint64_t)1 << i;
        for (unsigned j = 0; j < digits; j++)
            if (word >> (digits - 1 - j) & 1) bytes[8 * j + i / 8] |= (uint8_t)(1u << (i % 8));
    }
    assert_int_equal(client_coins(&entropy, &out, top << (64 - digits), lanes), 0);
    assert_true(out == below);
    assert_true(t.at <= 8 * digits); /* no digit after the last of p */
}

/* Each lane is heads for exactly `top` of its 2^digits words whatever the other lanes have: independent coins of p. */
static void lanes_are_words_below_p(void **state)
{
    (void)state;
    for (unsigned digits = 1; digits <= 5; digits++)
        for (unsigned lanes = 1; lanes <= 3; lanes++)
            for (uint64_t top = 0; top < (uint64_t)1 << digits; top++)
                for (uint64_t code = 0; code < (uint64_t)1 << (digits * lanes); code++)
                    check_lanes(lanes, digits, top, code);
}

/* All 64 lanes and all 64 digits, beside the comparison of words. */
static void lanes_at_full_width(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        const unsigned lanes = 1 + round % 64, close = (unsigned)(splitmix64(&seed) % 65);
        uint8_t bytes[8 * 64] = { 0 };
        tape t = { bytes, sizeof bytes, 0 };
        dusk_entropy entropy = { play, &t };
        const uint64_t p = splitmix64(&seed);
        uint64_t out, below = 0;
        for (unsigned i = 0; i < lanes; i++) { /* words that share `close` digits with p */
            const uint64_t word = close == 64 ? p : p ^ (splitmix64(&seed) >> close);
            if (word < p) below |= (uint64_t)1 << i;
            for (unsigned j = 0; j < 64; j++)
                if (word >> (63 - j) & 1) bytes[8 * j + i / 8] |= (uint8_t)(1u << (i % 8));
        }
        assert_int_equal(client_coins(&entropy, &out, p, lanes), 0);
        assert_true(out == below);
    }
}

/* What client_below makes of one word, or -1 where it throws it away. */
static int64_t below_of_word(uint32_t word, uint32_t n)
{
    uint8_t bytes[4];
    tape t = { bytes, sizeof bytes, 0 };
    dusk_entropy entropy = { play, &t };
    uint32_t out;
    for (unsigned i = 0; i < 4; i++) bytes[i] = (uint8_t)(word >> (8 * i));
    return client_below(&entropy, &out, n) ? -1 : (int64_t)out;
}

/* The words that give v are those from `first` to `last`: product word * n and its low half grow along them, so that the ends decide; words before `first` that
 * do not give v - 1 are thrown away. Every v has the same number of words. */
static void check_value(uint32_t n, uint64_t v)
{
    const uint64_t uneven = ((uint64_t)1 << 32) % n, first = ((v << 32) + uneven + n - 1) / n;
    const uint64_t last = (((v + 1) << 32) - 1) / n;
    assert_true(last - first + 1 == ((uint64_t)1 << 32) / n);
    assert_int_equal(below_of_word((uint32_t)first, n), (int64_t)v);
    assert_int_equal(below_of_word((uint32_t)last, n), (int64_t)v);
    for (uint64_t word = v << 32 ? ((v << 32) + n - 1) / n : 0; word < first; word++) /* one at most */
        assert_int_equal(below_of_word((uint32_t)word, n), -1);
}

static void below_is_even(void **state)
{
    static const uint32_t large[] = { 65521,      65536,          1000003,    (uint32_t)1 << 31,
                                      0x80000001, UINT32_MAX - 1, UINT32_MAX, 3000000000 };
    uint64_t seed = 3;
    (void)state;
    for (uint32_t n = 1; n <= 400; n++)
        for (uint64_t v = 0; v < n; v++) check_value(n, v);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        for (unsigned k = 0; k < 1000; k++) check_value(large[i], splitmix64(&seed) % large[i]);
}

/* A word that is thrown away is followed by another. */
static void below_tries_again(void **state)
{
    const uint8_t bytes[8] = { 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff };
    tape t = { bytes, sizeof bytes, 0 };
    dusk_entropy entropy = { play, &t };
    uint32_t out;
    (void)state;
    assert_int_equal(client_below(&entropy, &out, 3), 0);
    assert_int_equal(out, 2);
    assert_int_equal(t.at, 8);
}

static void without_entropy(void **state)
{
    const uint8_t bytes[8] = { 0 };
    tape t = { bytes, 0, 0 };
    dusk_entropy entropy = { play, &t };
    uint64_t lanes;
    uint32_t below;
    (void)state;
    assert_int_equal(client_coin(&entropy, 7), -1);
    assert_int_equal(client_coins(&entropy, &lanes, 7, 5), DUSK_CLIENT_NO_ENTROPY);
    assert_int_equal(client_below(&entropy, &below, 7), DUSK_CLIENT_NO_ENTROPY);
    t.length = 8; /* one word of digits, of 64 that are open */
    assert_int_equal(client_coins(&entropy, &lanes, 7, 64), DUSK_CLIENT_NO_ENTROPY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coin_has_p_words),  cmocka_unit_test(lanes_are_words_below_p),
        cmocka_unit_test(lanes_at_full_width), cmocka_unit_test(below_is_even),
        cmocka_unit_test(below_tries_again),   cmocka_unit_test(without_entropy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
