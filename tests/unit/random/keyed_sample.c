/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of rows from one to the next: every gap is that of its digits, worked out here to 300 bits, also where doubles are wrong by one; at large rates the sample
 * is that of rows one by one. Laws: statistical/keyed.c. */
#include <mpfr.h>
#include <string.h>

#include "base/platform.h"
#include "keyed_coins.h"
#include "random/keyed.h"

#define RARE ((uint64_t)1 << 59)
enum { ROOM = 4096, BITS = 300, WORDS = 4 };

static size_t row[ROOM];

/* floor(ln v / ln(1 - p)) of 256 digits of v, the rest a half. */
static size_t gap_by_hand(dusk_keyed_coins *coins, uint32_t stream, uint64_t number, uint64_t rate)
{
    mpfr_t v, p;
    mpfr_inits2(BITS, v, p, (mpfr_ptr)0);
    mpfr_set_d(v, 0.5, MPFR_RNDN);
    for (uint64_t t = WORDS; t-- > 0;) {
        const uint64_t unit = number | t << 40;
        uint64_t word;
        assert_int_equal(dusk_keyed_words(coins, stream, &unit, &word, 1, NULL), DUSK_OK);
        mpfr_add_ui(v, v, (unsigned long)word, MPFR_RNDN);
        mpfr_div_2ui(v, v, 64, MPFR_RNDN);
    }
    mpfr_log(v, v, MPFR_RNDN);
    mpfr_set_ui(p, (unsigned long)rate, MPFR_RNDN);
    mpfr_div_2ui(p, p, 64, MPFR_RNDN);
    mpfr_neg(p, p, MPFR_RNDN);
    mpfr_log1p(p, p, MPFR_RNDN);
    mpfr_div(v, v, p, MPFR_RNDN);
    const double gap = mpfr_get_d(v, MPFR_RNDD); /* below 2^53: the double below it has the same floor */
    mpfr_clears(v, p, (mpfr_ptr)0);
    return gap < 0x1p60 ? (size_t)gap : (size_t)1 << 60;
}

static void assert_by_hand(dusk_keyed_coins *coins, uint32_t stream, size_t n, uint64_t rate)
{
    size_t count, next = 0;
    assert_int_equal(dusk_keyed_sample(coins, stream, row, n, rate, &count, NULL), DUSK_OK);
    assert_true(count <= ROOM);
    for (uint64_t i = 0; i <= count; i++) {
        next += gap_by_hand(coins, stream, i, rate);
        if (i == count) assert_true(next >= n);
        if (i < count) assert_true(row[i] == next++);
    }
}

/* Of 2^52 rows one draw in a thousand is wrong in doubles. */
static void gaps_are_those_of_their_digits(void **state)
{
    static const uint64_t rates[] = { 1, 3, 0x123456789abcdef, RARE - 1, RARE / 2 + 1 };
    (void)state;
    for (int aes = 0; aes < 2; aes++) {
        dusk_keyed_coins *coins = coins_of(31, aes);
        for (uint32_t stream = 0; stream < 5; stream++)
            for (size_t r = 0; r < sizeof rates / sizeof *rates; r++)
                assert_by_hand(coins, stream, 20000, rates[r]);
        for (uint32_t stream = 5; stream < 25; stream++)
            assert_by_hand(coins, stream, (size_t)1 << 52, 1 << 22);
        assert_by_hand(coins, 25, (size_t)1 << 53, 2050);
        dusk_keyed_free(coins);
    }
}

/* Rows that come behind do not change who of those before is in. */
static void rows_behind_do_not_matter(void **state)
{
    static const uint64_t rates[] = { RARE / 3, RARE - 1, RARE, UINT64_MAX / 3 };
    static size_t some[ROOM];
    dusk_keyed_coins *coins = coins_of(32, true);
    size_t all, count;
    (void)state;
    for (size_t r = 0; r < 4; r++)
        for (size_t n = 0; n <= ROOM; n += 372) {
            size_t before = 0;
            assert_int_equal(dusk_keyed_sample(coins, 1, row, ROOM, rates[r], &all, NULL), DUSK_OK);
            assert_int_equal(dusk_keyed_sample(coins, 1, some, n, rates[r], &count, NULL), DUSK_OK);
            while (before < all && row[before] < n) before++;
            assert_int_equal(count, before);
            assert_memory_equal(some, row, count * sizeof *row);
        }
    dusk_keyed_free(coins);
}

static void large_rates_are_row_by_row(void **state)
{
    static const uint64_t rates[] = { RARE, UINT64_MAX / 3, UINT64_MAX };
    static bool in[ROOM - 1];
    dusk_keyed_coins *coins = coins_of(33, true);
    (void)state;
    for (size_t r = 0; r < 3; r++) {
        size_t count, at = 0;
        assert_int_equal(dusk_keyed_sample(coins, 2, row, ROOM - 1, rates[r], &count, NULL), DUSK_OK);
        assert_int_equal(dusk_keyed_include(coins, 2, NULL, in, ROOM - 1, rates[r], NULL), DUSK_OK);
        for (size_t i = 0; i < ROOM - 1; i++)
            if (in[i]) assert_int_equal(row[at++], i);
        assert_int_equal(count, at);
    }
    dusk_keyed_free(coins);
}

static void nobody_is_in_at_rate_0(void **state)
{
    dusk_keyed_coins *coins = coins_of(34, true);
    size_t count = 7;
    (void)state;
    assert_int_equal(dusk_keyed_sample(coins, 1, NULL, (size_t)1 << 53, 0, &count, NULL), DUSK_OK);
    assert_int_equal(count, 0);
    assert_int_equal(dusk_keyed_sample(coins, 1, NULL, 0, 1, &count, NULL), DUSK_OK);
    assert_int_equal(count, 0);
    dusk_keyed_free(coins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_those_of_their_digits),
        cmocka_unit_test(rows_behind_do_not_matter),
        cmocka_unit_test(large_rates_are_row_by_row),
        cmocka_unit_test(nobody_is_in_at_rate_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
