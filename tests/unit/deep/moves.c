/* SPDX-License-Identifier: Apache-2.0 */
/* Moved pictures: slopes are turned as a matrix near 1 does it, each channel by itself, and nothing is made up at the sides; and what copies differ by is made shorter,
 * in the map as in the vectors. */
#include "deep/moves.h"

#include <math.h>
#include <string.h>

#include "deep/front.h"
#include "deep_nets.h"

enum { SIDE = 9, WIDTH = 6, ROWS = 40, COPIES = 2 };

/* One channel rises downwards, the other to the right. */
static void test_slopes(void **state)
{
    (void)state;
    const deep_shape picture = { SIDE, SIDE, 2 };
    float x[SIDE * SIDE * 2];
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        x[2 * i] = (float)(i / SIDE);
        x[2 * i + 1] = (float)(i % SIDE);
    }
    const deep_rows rows = { .rows = 1, .width = SIDE * SIDE * 2, .raw = x };
    for (size_t move = 0; move < DEEP_MOVES; move++) {
        deep_rows moved;
        double changed = 0;
        assert_int_equal(deep_rows_move(&moved, &rows, picture, move, NULL), DUSK_OK);
        assert_true(moved.rows == 1 && moved.width == rows.width && moved.raw);
        const float *middle = moved.raw + 2 * (SIDE / 2 * SIDE + SIDE / 2);
        for (size_t c = 0; c < 2; c++) {
            const double down = (double)(middle[2 * SIDE + c] - middle[c]),
                         right = (double)(middle[2 + c] - middle[c]);
            assert_true(fabs(down - (c == 0)) < 0.25 && fabs(right - (c == 1)) < 0.25);
            assert_true(fabs((double)middle[c] - SIDE / 2) < 1);
            for (size_t step = 1; step < 3; step++) /* the same slope further on */
                assert_true(fabs((double)(middle[2 * step + c] - middle[c]) - (double)step * right) < 1e-5);
        }
        for (size_t i = 0; i < SIDE * SIDE * 2; i++) {
            assert_true(moved.raw[i] >= 0 && moved.raw[i] <= SIDE - 1);
            changed += fabs((double)(moved.raw[i] - x[i]));
        }
        assert_true(changed > 1);
        deep_rows_clear(&moved);
    }
}

/* Copies differ from their rows in the first number alone: it becomes sqrt(1 + WIDTH) times shorter, and no other changes. */
static void check_shorten(size_t kept)
{
    deep_net net, front, rest;
    deep_map map;
    uint64_t seed = 7;
    float open[ROWS * WIDTH], x[(1 + COPIES) * ROWS * WIDTH], before[(1 + COPIES) * ROWS * WIDTH],
        after[ROWS * WIDTH], room[ROWS * WIDTH];
    tensor_gemm_work work = { .room = NULL };
    assert_int_equal(deep_net_parse(&net, "tanh; output", WIDTH, 2, NULL), DUSK_OK);
    assert_int_equal(deep_front_split(&net, &front, &rest, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS * WIDTH; i++) open[i] = (float)(splitmix64(&seed) % 1000) / 500 - 1;
    assert_int_equal(deep_map_make(&map, &front, open, ROWS, kept, NULL), DUSK_OK);
    const size_t w = map.width;
    assert_int_equal(tensor_gemm_open(&work, NULL), DUSK_OK);
    deep_map_vectors(&map, open, ROWS, x, room, &work);
    for (size_t k = 1; k <= COPIES; k++)
        for (size_t i = 0; i < ROWS * w; i++)
            x[k * ROWS * w + i] = x[i] + (i % w == 0 ? (float)(k == 1 ? 0.5 : -0.5) : 0);
    memcpy(before, x, sizeof x);
    assert_int_equal(deep_map_shorten(&map, x, ROWS, COPIES, NULL), DUSK_OK);
    for (size_t i = 0; i < (1 + COPIES) * ROWS * w; i++) {
        const double shorter = i % w == 0 ? sqrt(1 + (double)w) : 1;
        assert_true(fabs((double)before[i] / shorter - (double)x[i]) < 1e-5);
    }
    deep_map_vectors(&map, open, ROWS, after, room, &work);
    for (size_t i = 0; i < ROWS * w; i++) assert_true(fabs((double)(after[i] - x[i])) < 1e-5);
    for (size_t k = 1; k <= COPIES; k++) memcpy(x + k * ROWS * w, x, ROWS * w * sizeof *x);
    memcpy(before, x, sizeof x); /* copies that do not differ say nothing */
    assert_int_equal(deep_map_shorten(&map, x, ROWS, COPIES, NULL), DUSK_OK);
    assert_memory_equal(before, x, (1 + COPIES) * ROWS * w * sizeof *x);
    tensor_gemm_close(&work);
    deep_map_clear(&map);
    deep_net_clear(&net);
    deep_net_clear(&front);
    deep_net_clear(&rest);
}

static void test_shorten(void **state)
{
    (void)state;
    check_shorten(WIDTH);
    check_shorten(WIDTH - 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_slopes), cmocka_unit_test(test_shorten) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
