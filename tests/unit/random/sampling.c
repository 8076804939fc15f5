/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform draws at the edges of their ranges, and that a shuffle turns its
 * choices into orders one to one. Their law: exhaustive/uniform.c. */
#include <string.h>

#include "random/sampling.h"
#include "random/tape.h"
#include "support.h"

static dusk_generator *tape_of(const uint64_t *words, unsigned count)
{
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new_tape(&gen, words, 64 * count, NULL), DUSK_OK);
    return gen;
}

static void bad_ranges_are_refused(void **state)
{
    dusk_generator *gen = tape_of(NULL, 0);
    uint64_t x = 77;
    dusk_uint128 y = 77;

    (void)state;
    assert_int_equal(dusk_uniform_below(gen, &x, 0, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_uniform_below_width(gen, &x, 5, 2, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_uniform_below_width(gen, &x, 1, 0, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_uniform_below_width(gen, &x, 1, 65, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_uniform_below128(gen, &y, 0, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_uniform_below(gen, &x, 6, NULL), DUSK_ERR_ENTROPY);
    assert_int_equal(dusk_uniform_below128(gen, &y, 6, NULL), DUSK_ERR_ENTROPY);
    assert_true(x == 77 && y == 77);
    dusk_generator_free(gen);
}

/* For odd n some word has the low product `low`, whatever it is: low / n mod 2^64. */
static uint64_t word_with_low_product(uint64_t n, uint64_t low)
{
    uint64_t inverse = n;
    for (int i = 0; i < 6; i++) inverse *= 2 - n * inverse;
    assert_true(inverse * n == 1);
    return inverse * low;
}

static void rejection_ends_exactly_at_the_excess(void **state)
{
    const uint64_t ranges[] = { 3, 5, 1000003, ((uint64_t)1 << 63) + 1, UINT64_MAX, UINT64_MAX - 2 };

    (void)state;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        uint64_t n = ranges[i], excess = (UINT64_MAX % n + 1) % n, x;
        uint64_t words[2] = { word_with_low_product(n, excess - 1), word_with_low_product(n, excess) };
        dusk_generator *gen = tape_of(words, 2);
        assert_int_equal(dusk_uniform_below(gen, &x, n, NULL), DUSK_OK);
        assert_int_equal(dusk_generator_taken(gen), 128);
        assert_true(x == (uint64_t)(((dusk_uint128)words[1] * n) >> 64));
        dusk_generator_free(gen);
    }
}

static void powers_of_two_keep_the_top_coins(void **state)
{
    const uint64_t words[2] = { 0xFEDCBA9876543210u, 0x0123456789ABCDEFu };
    dusk_generator *gen = tape_of(words, 2);
    dusk_uint128 wide;
    uint64_t x;

    (void)state;
    for (unsigned k = 0; k < 64; k++) {
        dusk_generator_rewind(gen, words, 64);
        assert_int_equal(dusk_uniform_below(gen, &x, (uint64_t)1 << k, NULL), DUSK_OK);
        assert_true(x == (k ? words[0] >> (64 - k) : 0));
    }
    for (unsigned k = 0; k <= 126; k++) {
        dusk_generator_rewind(gen, words, 128);
        assert_int_equal(dusk_uniform_below128(gen, &wide, (dusk_uint128)1 << k, NULL), DUSK_OK);
        assert_int_equal(dusk_generator_taken(gen), k);
        dusk_uint128 tape = (dusk_uint128)words[0] << 64 | words[1];
        assert_true(wide == (k ? tape >> (128 - k) : 0));
    }
    dusk_generator_free(gen);
}

static void wide_draws_stay_below_their_range(void **state)
{
    const dusk_uint128 one = 1;
    const dusk_uint128 ranges[] = {
        1, 2, 3, (one << 64) - 1, one << 64, (one << 64) + 1, (one << 125) + 1, one << 126
    };
    dusk_generator *gen;

    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 3, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        dusk_uint128 x, smallest = ranges[i], largest = 0;
        for (int j = 0; j < 2000; j++) {
            assert_int_equal(dusk_uniform_below128(gen, &x, ranges[i], NULL), DUSK_OK);
            assert_true(x < ranges[i]);
            if (x < smallest) smallest = x;
            if (x > largest) largest = x;
        }
        /* Each side fails with probability 0.98^2000 at most. */
        assert_true(smallest <= ranges[i] / 50 && largest >= ranges[i] - 1 - ranges[i] / 50);
    }
    dusk_generator_free(gen);
}

/* A word that makes dusk_uniform_below(n) give j: the middle of j's share. */
static uint64_t word_for(uint64_t j, uint64_t n)
{
    return (uint64_t)(((((dusk_uint128)j << 64) | ((dusk_uint128)1 << 63)) / n));
}

/* A number in base n for an order, to tell orders apart. */
static size_t code_of(const size_t *order, size_t n)
{
    size_t code = 0, seen = 0;
    for (size_t i = 0; i < n; i++) {
        assert_true(order[i] < n);
        seen |= (size_t)1 << order[i];
        code = code * n + order[i];
    }
    assert_int_equal(seen, ((size_t)1 << n) - 1);
    return code;
}

static void shuffles_are_one_to_one(void **state)
{
    static unsigned char found[6 * 6 * 6 * 6 * 6 * 6];
    size_t order[6], factorial = 1;

    (void)state;
    for (size_t n = 1; n <= 6; n++) {
        factorial *= n;
        memset(found, 0, sizeof found);
        for (size_t choice = 0; choice < factorial; choice++) {
            uint64_t words[6];
            size_t rest = choice, count = 0;
            for (size_t i = n; i > 1; rest /= i, i--) words[count++] = word_for(rest % i, i);
            dusk_generator *gen = tape_of(words, (unsigned)count);
            assert_int_equal(dusk_shuffle(gen, order, n, NULL), DUSK_OK);
            assert_int_equal(dusk_generator_taken(gen), 64 * count);
            assert_int_equal(found[code_of(order, n)]++, 0);
            dusk_generator_free(gen);
        }
    }
}

static void shuffle_of_nothing_and_of_much(void **state)
{
    enum { MANY = 100000 };
    static size_t order[MANY];
    static unsigned char seen[MANY];
    size_t fixed = 0;
    dusk_generator *gen;

    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 4, NULL), DUSK_OK);
    assert_int_equal(dusk_shuffle(gen, order, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_shuffle(gen, order, MANY, NULL), DUSK_OK);
    for (size_t i = 0; i < MANY; i++) {
        assert_true(order[i] < MANY && !seen[order[i]]++);
        fixed += order[i] == i;
    }
    assert_true(fixed < 15); /* Poisson(1) exceeds this with probability 1e-12 */
    dusk_generator_free(gen);
    gen = tape_of(NULL, 0);
    assert_int_equal(dusk_shuffle(gen, order, 3, NULL), DUSK_ERR_ENTROPY);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_ranges_are_refused),
        cmocka_unit_test(rejection_ends_exactly_at_the_excess),
        cmocka_unit_test(powers_of_two_keep_the_top_coins),
        cmocka_unit_test(wide_draws_stay_below_their_range),
        cmocka_unit_test(shuffles_are_one_to_one),
        cmocka_unit_test(shuffle_of_nothing_and_of_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
