/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of touched rows are those of a whole matrix, in whatever pieces they are asked for, in one sum or in two that are merged, and after
 * a reset. */
#include "deep/touched.h"

#include <string.h>

#include "base/memory.h"
#include "support.h"

enum { ROWS = 700, WIDTH = 5 };

static void add(deep_touched *t, int64_t *whole, uint64_t *coins, size_t times, size_t spread)
{
    for (size_t k = 0; k < times; k++) {
        const uint32_t row = (uint32_t)(splitmix64(coins) % spread * (ROWS / spread));
        assert_int_equal(deep_touched_expect(t, 1, NULL), DUSK_OK);
        int64_t *to = deep_touched_row(t, row);
        for (size_t j = 0; j < WIDTH; j++) {
            const int64_t x = (int64_t)(splitmix64(coins) >> 20) - ((int64_t)1 << 43);
            to[j] += x;
            whole[row * WIDTH + j] += x;
        }
    }
}

static void check(deep_touched *t, const int64_t *whole, uint64_t *coins)
{
    int64_t piece[ROWS * WIDTH];
    for (int run = 0; run < 20; run++) {
        const size_t first = splitmix64(coins) % (ROWS * WIDTH);
        const size_t n = 1 + splitmix64(coins) % (ROWS * WIDTH - first);
        deep_touched_copy(t, first, n, piece);
        assert_memory_equal(piece, whole + first, n * sizeof *piece);
    }
    for (size_t first = 0; first < ROWS * WIDTH; first++) {
        deep_touched_copy(t, first, 1, piece);
        assert_true(piece[0] == whole[first]);
    }
}

static void test_sums(void **state)
{
    static const size_t spreads[] = { 1, 7, 350, ROWS };
    uint64_t coins = 3;
    (void)state;
    for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
        int64_t whole[ROWS * WIDTH] = { 0 };
        deep_touched t, other;
        deep_touched_open(&t, ROWS, WIDTH);
        deep_touched_open(&other, ROWS, WIDTH);
        check(&t, whole, &coins);
        add(&t, whole, &coins, 3, spreads[s]);
        check(&t, whole, &coins);
        add(&t, whole, &coins, 400, spreads[s]);
        check(&t, whole, &coins);
        assert_true(t.count <= spreads[s] && t.room <= ROWS);
        add(&other, whole, &coins, 200, 7);
        assert_int_equal(deep_touched_merge(&t, &other, NULL), DUSK_OK);
        check(&t, whole, &coins);
        memset(whole, 0, sizeof whole);
        deep_touched_reset(&t);
        check(&t, whole, &coins);
        add(&t, whole, &coins, 20, spreads[s]);
        check(&t, whole, &coins);
        deep_touched_close(&t);
        deep_touched_close(&t);
        deep_touched_close(&other);
    }
}

/* Rows that are far apart: memory is of those that were touched. */
static void test_many_rows(void **state)
{
    deep_touched t;
    uint64_t coins = 4;
    int64_t piece[64];
    (void)state;
    deep_touched_open(&t, (size_t)1 << 31, 64);
    assert_int_equal(deep_touched_expect(&t, 1001, NULL), DUSK_OK);
    assert_int_equal(t.room, 1001);
    for (int k = 0; k < 1000; k++) deep_touched_row(&t, (uint32_t)(splitmix64(&coins) >> 33))[k % 64]++;
    deep_touched_row(&t, 0x7fffffff)[63] = 9;
    deep_touched_copy(&t, ((size_t)0x7fffffff * 64), 64, piece);
    assert_true(piece[63] == 9);
    deep_touched_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
