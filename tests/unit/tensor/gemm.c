/* SPDX-License-Identifier: Apache-2.0 */
/* Every element of a product of floats is the chain of fused multiply-adds that gemm.h says, to the last bit, for all that this
 * machine has, whatever the shape, the strides and the neighbours are; products of 16-bit numbers are exact modulo 2^32; nothing
 * is written beside c. */
#include "tensor/gemm.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "support.h"
#include "tensor/lanes.h"

enum { MOST_GAP = 3, SHAPES = 600, GUARD = 1234567 };

static uint64_t coins;
static size_t below(size_t n) { return (size_t)(splitmix64(&coins) % n); }
static float number(void) { return (float)((int64_t)(splitmix64(&coins) >> 40) - (1 << 23)) * 0x1p-20f; }

static tensor_gemm_work opened(void)
{
    tensor_gemm_work work;
    dusk_error err;
    coins = 7;
    assert_int_equal(tensor_gemm_open(&work, &err), DUSK_OK);
    return work;
}

/* A matrix of rows x columns somewhere in `room`: by rows or by columns, with gaps. */
typedef struct layout {
    size_t row, column;
} layout;
static layout any_layout(size_t rows, size_t columns)
{
    const size_t gap = below(MOST_GAP), inner = below(8) == 0 ? 2 : 1;
    if (below(2)) return (layout){ inner * columns + gap, inner };
    return (layout){ inner, inner * rows + gap };
}

/* Sizes about those of tiles, and one in a while of those of pieces. */
static size_t any_size(size_t rarely)
{
    return below(16) == 0 ? rarely - below(5) : 1 + below(below(3) == 0 ? 70 : 18);
}

/* --- floats --------------------------------------------------------------------------------------- */

typedef struct problem {
    size_t m, n, k, stride;
    layout la, lb;
    bool add;
    float *a, *b, *before, *c;
} problem;

static float chain(int level, const problem *x, size_t i, size_t j)
{
    float s = x->add ? x->before[i * x->stride + j] : 0;
    for (size_t p = 0; p < x->k; p++) {
        const float a = x->a[i * x->la.row + p * x->la.column], b = x->b[p * x->lb.row + j * x->lb.column];
        s = level == 0 ? s + a * b : fmaf(a, b, s);
    }
    return s;
}

static bool same(float x, float y) { return isnan(x) ? isnan(y) : memcmp(&x, &y, sizeof x) == 0; }

static void multiply(int level, problem *x, tensor_gemm_work *work)
{
    memcpy(x->c, x->before, x->m * x->stride * sizeof *x->c);
    tensor_gemm(level, x->c, x->stride, (tensor_view){ x->a, x->la.row, x->la.column },
                (tensor_view){ x->b, x->lb.row, x->lb.column }, x->m, x->n, x->k, x->add, work);
}

static problem any_problem(size_t m, size_t n, size_t k)
{
    problem x = { .m = m, .n = n, .k = k, .stride = n + below(5), .add = below(2) };
    x.la = any_layout(m, k);
    x.lb = any_layout(k, n);
    x.a = calloc(2 * (m + MOST_GAP) * (k + MOST_GAP), sizeof(float));
    x.b = calloc(2 * (k + MOST_GAP) * (n + MOST_GAP), sizeof(float));
    x.before = calloc(m * x.stride + 1, sizeof(float));
    x.c = calloc(m * x.stride + 1, sizeof(float));
    assert_true(x.a && x.b && x.before && x.c);
    for (size_t i = 0; i < m; i++)
        for (size_t p = 0; p < k; p++) x.a[i * x.la.row + p * x.la.column] = number();
    for (size_t p = 0; p < k; p++)
        for (size_t j = 0; j < n; j++) x.b[p * x.lb.row + j * x.lb.column] = number();
    for (size_t i = 0; i < m * x.stride; i++) x.before[i] = number();
    return x;
}

static void clear(problem *x)
{
    free(x->a);
    free(x->b);
    free(x->before);
    free(x->c);
}

static void check_all(int level, const problem *x)
{
    for (size_t i = 0; i < x->m; i++)
        for (size_t j = 0; j < x->stride; j++) {
            const size_t at = i * x->stride + j;
            assert_true(same(x->c[at], j < x->n ? chain(level, x, i, j) : x->before[at]));
        }
}

static void floats_are_chains(void **state)
{
    (void)state;
    tensor_gemm_work work = opened();
    for (size_t t = 0; t < SHAPES; t++) {
        const bool wide = t % 40 == 0,
                   deep = t % 40 == 20; /* beyond a piece in one way only: else it takes long */
        problem x = any_problem(any_size(wide || deep ? 6 : 140), wide ? 1030 : any_size(70),
                                deep ? 530 : any_size(wide ? 20 : 270));
        for (int level = 0; level <= tensor_lanes_level(); level++) {
            multiply(level, &x, &work);
            check_all(level, &x);
        }
        clear(&x);
    }
    tensor_gemm_close(&work);
}

/* A row has the same bits alone and among others, and what others hold does not matter, NaN and infinities included. */
static void rows_stand_alone(void **state)
{
    (void)state;
    tensor_gemm_work work = opened();
    const float odd[] = { NAN, INFINITY, -INFINITY, 3e38f, -0.0f, 1e-45f };
    for (size_t t = 0; t < 200; t++) {
        problem x = any_problem(1 + below(60), 1 + below(70), 1 + below(300));
        for (size_t i = 0; i < x.m; i++)
            for (size_t p = 0; p < x.k && below(2); p++) x.a[i * x.la.row + p * x.la.column] = odd[below(6)];
        for (int level = 0; level <= tensor_lanes_level(); level++) {
            multiply(level, &x, &work);
            const size_t row = below(x.m), first = below(row + 1), rows = row - first + 1 + below(x.m - row);
            problem few = x;
            few.a = x.a + first * x.la.row;
            few.before = x.before + first * x.stride;
            few.c = calloc(rows * x.stride, sizeof(float));
            few.m = rows;
            assert_non_null(few.c);
            multiply(level, &few, &work);
            for (size_t j = 0; j < x.n; j++)
                assert_true(same(few.c[(row - first) * x.stride + j], x.c[row * x.stride + j]));
            few.m = 1;
            few.a = x.a + row * x.la.row;
            few.before = x.before + row * x.stride;
            multiply(level, &few, &work);
            for (size_t j = 0; j < x.n; j++) assert_true(same(few.c[j], x.c[row * x.stride + j]));
            free(few.c);
        }
        clear(&x);
    }
    tensor_gemm_close(&work);
}

/* A column that is not finite spoils itself alone: nothing is multiplied by the zeros, or the leftovers, beside it. */
static void columns_stand_alone(void **state)
{
    (void)state;
    tensor_gemm_work work = opened();
    for (size_t t = 0; t < 40; t++) {
        problem x = any_problem(1 + below(20), 2 + below(40), 1 + below(30));
        const size_t bad = below(x.n);
        for (size_t p = 0; p < x.k; p++) x.b[p * x.lb.row + bad * x.lb.column] = p % 2 ? -INFINITY : INFINITY;
        for (int level = 0; level <= tensor_lanes_level(); level++) {
            multiply(level, &x, &work);
            check_all(level, &x);
        }
        clear(&x);
    }
    tensor_gemm_close(&work);
}

static void nothing_is_a_product(void **state)
{
    (void)state;
    tensor_gemm_work work = opened();
    const float one[4] = { 1, 1, 1, 1 };
    const tensor_view v = { one, 1, 1 };
    const int16_t whole[4] = { 1, 1, 1, 1 };
    const tensor_view16 w = { whole, 1, 1 };
    for (int level = 0; level <= tensor_lanes_level(); level++) {
        float c[4] = { 5, 6, 7, 8 };
        int32_t d[4] = { 5, 6, 7, 8 };
        tensor_gemm(level, c, 2, v, v, 0, 2, 2, false, &work);
        tensor_gemm(level, c, 2, v, v, 2, 0, 2, false, &work);
        tensor_gemm(level, c, 2, v, v, 2, 2, 0, true, &work);
        tensor_gemm16(level, d, 2, w, w, 2, 2, 0, &work);
        tensor_gemm16(level, d, 2, w, w, 0, 2, 2, &work);
        for (size_t i = 0; i < 4; i++) assert_true(c[i] == (float)(5 + i) && d[i] == (int32_t)(5 + i));
        tensor_gemm(level, c, 2, v, v, 2, 1, 0, false, &work);
        assert_true(c[0] == 0 && c[1] == 6 && c[2] == 0 && c[3] == 8);
    }
    tensor_gemm_close(&work);
}

/* --- whole numbers of 16 bits --------------------------------------------------------------------- */

static int16_t any_whole(void)
{
    static const int16_t ends[] = { INT16_MIN, INT16_MAX, -INT16_MAX, -1, 0, 1 };
    return below(2) ? ends[below(6)] : (int16_t)(splitmix64(&coins) >> 48);
}

static void check_whole(size_t m, size_t n, size_t k, tensor_gemm_work *work)
{
    const layout la = any_layout(m, k), lb = any_layout(k, n);
    const size_t stride = n + below(4), in_a = 2 * (m + MOST_GAP) * (k + MOST_GAP),
                 in_b = 2 * (n + MOST_GAP) * (k + MOST_GAP);
    const bool ends = below(4) == 0; /* all at one end: sums wrap, and pairs of products as well */
    int16_t *a = calloc(in_a, sizeof *a), *b = calloc(in_b, sizeof *b);
    int32_t *c = calloc(m * stride, sizeof *c);
    assert_true(a && b && c);
    for (size_t i = 0; i < in_a; i++) a[i] = ends ? INT16_MIN : any_whole();
    for (size_t i = 0; i < in_b; i++) b[i] = ends ? INT16_MIN : any_whole();
    for (int level = 0; level <= tensor_lanes_level(); level++) {
        for (size_t i = 0; i < m * stride; i++) c[i] = GUARD;
        tensor_gemm16(level, c, stride, (tensor_view16){ a, la.row, la.column },
                      (tensor_view16){ b, lb.row, lb.column }, m, n, k, work);
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < stride; j++) {
                uint32_t s = GUARD;
                for (size_t p = 0; p < k && j < n; p++)
                    s += (uint32_t)(a[i * la.row + p * la.column] * b[p * lb.row + j * lb.column]);
                assert_true((uint32_t)c[i * stride + j] == s);
            }
    }
    free(a);
    free(b);
    free(c);
}

static void whole_numbers_are_exact(void **state)
{
    (void)state;
    tensor_gemm_work work = opened();
    for (size_t t = 0; t < SHAPES; t++) {
        const bool wide = t % 40 == 0, deep = t % 40 == 20;
        check_whole(any_size(wide || deep ? 6 : 140), wide ? 1030 : any_size(70),
                    deep ? 1031 + below(10) : any_size(wide ? 20 : 100), &work);
    }
    tensor_gemm_close(&work);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    tensor_gemm_work work = { &coins, 1 };
    dusk_error err;
    dusk_memory_fail_at(1);
    assert_int_equal(tensor_gemm_open(&work, &err), DUSK_ERR_MEMORY);
    dusk_memory_fail_at(0);
    assert_null(work.room);
    tensor_gemm_close(&work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_chains),       cmocka_unit_test(rows_stand_alone),
        cmocka_unit_test(columns_stand_alone),     cmocka_unit_test(nothing_is_a_product),
        cmocka_unit_test(whole_numbers_are_exact), cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
