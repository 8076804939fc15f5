/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by BLAS equal sums of integers, at the largest numbers that are allowed, for every width around the sizes of
 * its kernels, in any order of rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "random/sampling.h"
#include "seeded.h"
#include "support.h"
#include "tensor/exact.h"

static double whole(dusk_generator *gen, double most)
{
    uint64_t word;
    assert_int_equal(dusk_uniform_below(gen, &word, 2 * (uint64_t)most + 1, NULL), DUSK_OK);
    return (double)word - most;
}

static float *random_rows(dusk_generator *gen, size_t rows, size_t width, double most)
{
    float *x = dusk_allocate(rows * width, sizeof *x);
    for (size_t i = 0; i < rows * width; i++) x[i] = (float)whole(gen, most);
    return x;
}

typedef struct sums {
    tensor_sum combined, gram, weighted, single;
} sums;

/* Everything at once: K vectors, rows of whole numbers up to 2^12, coefficients up to 2^19: products of weighted
 * grams up to 2^43. */
enum { K = 3 };
#define X_MOST 0x1p12
#define C_MOST 0x1p19

static void run(sums *out, const float *x, size_t rows, size_t width, const double *coefficients)
{
    tensor_rows source = { x, rows, width };
    tensor_block block;
    assert_int_equal(tensor_block_open(&block, &source, NULL), DUSK_OK);
    double *scratch = dusk_allocate(block.room * width, sizeof *scratch);
    assert_int_equal(tensor_sum_init(&out->combined, K * width, NULL), DUSK_OK);
    assert_int_equal(tensor_sum_init(&out->gram, width * width, NULL), DUSK_OK);
    assert_int_equal(tensor_sum_init(&out->weighted, width * width, NULL), DUSK_OK);
    assert_int_equal(tensor_sum_init(&out->single, width, NULL), DUSK_OK);
    while (tensor_block_next(&block)) {
        const double *c = coefficients + block.first * K;
        double *first = dusk_allocate(block.rows, sizeof *first);
        for (size_t i = 0; i < block.rows; i++) first[i] = c[i * K];
        tensor_sum_combine(&out->combined, &block, c, K, C_MOST * X_MOST);
        tensor_sum_gram(&out->gram, &block, X_MOST * X_MOST);
        tensor_sum_weighted_gram(&out->weighted, &block, first, scratch, C_MOST * X_MOST * X_MOST);
        tensor_sum_combine(&out->single, &block, first, 1, C_MOST * X_MOST);
        dusk_deallocate(first);
    }
    dusk_deallocate(scratch);
    tensor_block_close(&block);
}

static void clear(sums *s)
{
    tensor_sum_clear(&s->combined);
    tensor_sum_clear(&s->gram);
    tensor_sum_clear(&s->weighted);
    tensor_sum_clear(&s->single);
}

static dusk_int128 product(const float *x, size_t rows, size_t width, size_t a, size_t b, const double *c)
{
    dusk_int128 sum = 0;
    for (size_t i = 0; i < rows; i++)
        sum +=
            (dusk_int128)(int64_t)x[i * width + a] * (int64_t)x[i * width + b] * (c ? (int64_t)c[i * K] : 1);
    return sum;
}

static void equal_integer_sums(void **state)
{
    static const size_t widths[] = { 1, 2, 3, 5, 7, 8, 9, 16, 20, 33, 101 };
    dusk_generator *gen = seeded(1);
    (void)state;
    for (size_t t = 0; t < sizeof widths / sizeof *widths; t++) {
        size_t width = widths[t], rows = 2500;
        float *x = random_rows(gen, rows, width, X_MOST);
        double *c = dusk_allocate(rows * K, sizeof *c);
        sums s;
        for (size_t i = 0; i < rows * K; i++)
            c[i] = i % 5 ? C_MOST - 1 : whole(gen, C_MOST); /* large odd sums */
        for (size_t i = 0; i < rows; i++) x[i * width] = (float)X_MOST - 1;
        run(&s, x, rows, width, c);
        const dusk_int128 *combined = tensor_sum_totals(&s.combined), *gram = tensor_sum_totals(&s.gram),
                          *weighted = tensor_sum_totals(&s.weighted), *single = tensor_sum_totals(&s.single);
        for (size_t a = 0; a < width; a++) {
            for (size_t k = 0; k < K; k++) {
                dusk_int128 sum = 0;
                for (size_t i = 0; i < rows; i++)
                    sum += (dusk_int128)(int64_t)c[i * K + k] * (int64_t)x[i * width + a];
                assert_true(combined[k * width + a] == sum);
                if (k == 0) assert_true(single[a] == sum);
            }
            for (size_t b = 0; b < width; b += 1 + width / 7) {
                assert_true(gram[a * width + b] == product(x, rows, width, a, b, NULL));
                assert_true(weighted[a * width + b] == product(x, rows, width, a, b, c));
            }
        }
        clear(&s);
        dusk_deallocate(x);
        dusk_deallocate(c);
    }
    dusk_generator_free(gen);
}

/* Products of rows and vectors whose lengths multiply to just below 2^53. */
static void products_are_exact(void **state)
{
    dusk_generator *gen = seeded(2);
    (void)state;
    for (size_t width = 1; width <= 130; width += 3) {
        enum { ROWS = 70, VECTORS = 5 };
        float *x = random_rows(gen, ROWS, width, 0x1p18);
        double *v = dusk_allocate(VECTORS * width, sizeof *v), out[1024 * VECTORS], one[1024];
        tensor_rows source = { x, ROWS, width };
        tensor_block block;
        double most = floor(0x1p35 / (double)width);
        for (size_t i = 0; i < VECTORS * width; i++) v[i] = whole(gen, most);
        assert_int_equal(tensor_block_open(&block, &source, NULL), DUSK_OK);
        while (tensor_block_next(&block)) {
            tensor_block_multiply(&block, out, v, VECTORS);
            tensor_block_multiply(&block, one, v, 1);
            for (size_t i = 0; i < block.rows; i++)
                for (size_t j = 0; j < VECTORS; j++) {
                    int64_t sum = 0;
                    for (size_t c = 0; c < width; c++)
                        sum += (int64_t)x[(block.first + i) * width + c] * (int64_t)v[j * width + c];
                    assert_true(out[i * VECTORS + j] == (double)sum);
                    if (j == 0) assert_true(one[i] == (double)sum);
                }
        }
        tensor_block_close(&block);
        dusk_deallocate(x);
        dusk_deallocate(v);
    }
    dusk_generator_free(gen);
}

static void no_rows(void **state)
{
    tensor_rows source = { NULL, 0, 4 };
    tensor_block block;
    (void)state;
    assert_int_equal(tensor_block_open(&block, &source, NULL), DUSK_OK);
    assert_false(tensor_block_next(&block));
    assert_false(tensor_block_next(&block));
    tensor_block_close(&block);
}

static void parts_add_up(void **state)
{
    double values[] = { 0x1p43 - 1, 1 - 0x1p43, 3 };
    tensor_sum sum;
    (void)state;
    assert_int_equal(tensor_sum_init(&sum, 4, NULL), DUSK_OK);
    for (int i = 0; i < 5001; i++) tensor_sum_add(&sum, 1, values, 3, 0x1p43);
    const dusk_int128 *total = tensor_sum_totals(&sum);
    assert_true(total[0] == 0 && total[1] == 5001 * (((dusk_int128)1 << 43) - 1) &&
                total[2] == -(5001 * (((dusk_int128)1 << 43) - 1)));
    assert_true(total[3] == 15003);
    tensor_sum_reset(&sum);
    assert_true(tensor_sum_totals(&sum)[3] == 0);
    tensor_sum_clear(&sum);
}

/* 2^53 + 1 is no double, and what bounds a cell must not be rounded to 2^53, either. */
static void parts_do_not_meet_the_end(void **state)
{
    double large = TENSOR_ROW_MOST, two = 2, odd = TENSOR_ROW_MOST - 1;
    tensor_sum sum;
    (void)state;
    assert_int_equal(tensor_sum_init(&sum, 1, NULL), DUSK_OK);
    for (int i = 0; i < 1023; i++) tensor_sum_add(&sum, 0, &large, 1, large);
    tensor_sum_add(&sum, 0, &two, 1, two);
    tensor_sum_add(&sum, 0, &odd, 1, odd);
    assert_true(tensor_sum_totals(&sum)[0] == ((dusk_int128)1 << 53) + 1);
    tensor_sum_clear(&sum);
}

/* Products and sums are of what is in the block, once somebody has changed it, for one vector and for more. */
static void changed_blocks_are_read_again(void **state)
{
    float x[6] = { 1, 2, 3, 4, 5, 6 };
    double v[4] = { 1, 10, 1, 10 }, out[6], c[6] = { 1, 1, 1, 1, 1, 1 };
    tensor_rows source = { x, 3, 2 };
    (void)state;
    for (size_t k = 1; k <= 2; k++) {
        tensor_block block;
        tensor_sum sum;
        assert_int_equal(tensor_block_open(&block, &source, NULL), DUSK_OK);
        assert_int_equal(tensor_sum_init(&sum, 2 * k, NULL), DUSK_OK);
        assert_true(tensor_block_next(&block));
        for (size_t i = 0; i < 6; i++) block.x[i] += 100;
        block.changed = true;
        tensor_block_multiply(&block, out, v, k);
        assert_true(out[0] == 101 + 1020 && out[k] == 103 + 1040);
        tensor_sum_combine(&sum, &block, c, k, 1000);
        assert_true(tensor_sum_totals(&sum)[1] == 102 + 104 + 106);
        assert_false(tensor_block_next(&block));
        assert_true(tensor_block_next(&block));
        tensor_block_multiply(&block, out, v, k);
        assert_true(out[0] == 1 + 20);
        tensor_sum_clear(&sum);
        tensor_block_close(&block);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_integer_sums),
        cmocka_unit_test(products_are_exact),
        cmocka_unit_test(no_rows),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(parts_do_not_meet_the_end),
        cmocka_unit_test(changed_blocks_are_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
