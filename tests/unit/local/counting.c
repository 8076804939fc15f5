/* SPDX-License-Identifier: Apache-2.0 */
/* Fast ways of adding up beside the plain ones, bit for bit. */
#include "local/counting.h"
#include "support.h"

static void columns(void **state)
{
    static const uint32_t bits[] = { 1, 7, 8, 9, 63, 64, 65, 511, 512, 513, 1024, 1100 };
    static const size_t n[] = { 0, 1, 3, 4, 15, 16, 17, 31, 239, 240, 241, 500 };
    static uint8_t rows[500 * 150];
    int64_t fast[1101], plain[1101];
    uint64_t seed = 1;
    (void)state;
    for (size_t i = 0; i < sizeof rows; i++) rows[i] = (uint8_t)splitmix64(&seed);
    for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
        for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
            const size_t stride = (bits[b] + 7) / 8 + k % 3;
            for (size_t i = 0; i < 1101; i++) fast[i] = plain[i] = (int64_t)i;
            local_columns_add(fast, bits[b], rows, stride, n[k]);
            local_columns_add_plain(plain, bits[b], rows, stride, n[k]);
            assert_memory_equal(fast, plain, sizeof fast);
        }
}

/* Every bit in every row: the largest that planes must hold. */
static void full_columns(void **state)
{
    static uint8_t rows[1000 * 64];
    int64_t fast[512] = { 0 };
    (void)state;
    memset(rows, 0xff, sizeof rows);
    local_columns_add(fast, 512, rows, 64, 1000);
    for (size_t i = 0; i < 512; i++) assert_int_equal(fast[i], 1000);
}

static void padding(void **state)
{
    const uint8_t row[2] = { 0xff, 0x08 };
    (void)state;
    assert_false(local_row_is_padded(8, row));
    assert_true(local_row_is_padded(7, row));
    assert_true(local_row_is_padded(11, row));
    assert_false(local_row_is_padded(12, row));
    assert_false(local_row_is_padded(16, row));
}

static void histograms(void **state)
{
    static const uint32_t limit[] = { 2, 255, 256, 257, 1000, 65536, 65537, 100000 };
    static int64_t fast[100001], plain[100001];
    uint8_t reports[4 * 1003];
    uint64_t seed = 2;
    (void)state;
    for (size_t k = 0; k < sizeof limit / sizeof *limit; k++) {
        const uint32_t bytes = client_bytes_for(limit[k]);
        uint64_t dropped = 0;
        memset(fast, 0, sizeof fast);
        memset(plain, 0, sizeof plain);
        for (size_t i = 0; i < 1003; i++)
            client_put(reports + i * bytes, splitmix64(&seed) % (limit[k] + limit[k] / 8), bytes);
        for (size_t i = 0; i < 1003; i++) {
            const uint64_t x = client_get(reports + i * bytes, bytes);
            if (x < limit[k]) plain[x]++;
            dropped += x >= limit[k];
        }
        assert_true(local_histogram_add(fast, limit[k], reports, bytes, 1003) == dropped);
        assert_memory_equal(fast, plain, sizeof fast);
    }
}

static void transform(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (size_t n = 1; n <= 256; n *= 2) {
        int64_t x[256], fast[256];
        for (size_t i = 0; i < n; i++) x[i] = fast[i] = (int64_t)(splitmix64(&seed) >> 20) - (1 << 20);
        local_hadamard(fast, n);
        for (size_t j = 0; j < n; j++) {
            int64_t sum = 0;
            for (size_t y = 0; y < n; y++) sum += __builtin_parityll(j & y) ? -x[y] : x[y];
            assert_true(fast[j] == sum);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns),    cmocka_unit_test(full_columns), cmocka_unit_test(padding),
        cmocka_unit_test(histograms), cmocka_unit_test(transform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
