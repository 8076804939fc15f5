/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of pairs, every number of rows and vectors of them, equal plain loops: also those that this machine would not choose, since it
 * has better ones. */
#include "tensor/gemm_tiles.h"

#include "support.h"
#include "tensor/lanes.h"

enum { K = 9, WIDTH = TENSOR_TILE_WIDTH, ROWS = TENSOR_TILE_ROWS };

typedef union cells {
    uint32_t pair[ROWS * K + K * WIDTH];
    int16_t number[2 * (ROWS * K + K * WIDTH)];
} cells;

static void check(tensor_tile *tile, size_t rows, size_t width, bool start, const cells *in)
{
    uint32_t c[ROWS * WIDTH];
    const size_t b = ROWS * K; /* the first cell of b */
    for (size_t i = 0; i < ROWS * WIDTH; i++) c[i] = (uint32_t)i;
    tile(c, WIDTH, (const char *)in->pair, 4 * K, 4, (const char *)(in->pair + b), 4 * WIDTH, K, width,
         start);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < WIDTH; j++) {
            uint32_t s = start && i < rows && j < width ? 0 : (uint32_t)(i * WIDTH + j);
            for (size_t p = 0; p < K && i < rows && j < width; p++)
                for (size_t h = 0; h < 2; h++)
                    s +=
                        (uint32_t)(in->number[2 * (i * K + p) + h] * in->number[2 * (b + p * WIDTH + j) + h]);
            assert_int_equal(c[i * WIDTH + j], s);
        }
}

static void check_tiles(const tensor_tiles *tiles, const cells *in)
{
    const size_t lanes = tiles->lanes;
    for (size_t rows = 1; rows <= tiles->rows; rows++)
        for (size_t width = tiles->whole ? lanes : 1; width <= 2 * lanes; width += tiles->whole ? lanes : 1)
            for (int start = 0; start < 2; start++)
                check((width <= lanes ? tiles->one : tiles->two)[rows - 1], rows, width, start, in);
}

static void tiles_equal_loops(void **state)
{
    (void)state;
    uint64_t coins = 3;
    cells in;
    for (size_t i = 0; i < sizeof in.pair / sizeof *in.pair; i++)
        in.pair[i] = i % 3 ? (uint32_t)(splitmix64(&coins) >> 32) : 0x80008000u;
    for (int level = 0; level <= tensor_lanes_level(); level++) {
        check_tiles(tensor_tiles_of_pairs(level, false), &in);
        check_tiles(tensor_tiles_of_pairs(level, tensor_tiles_have_dots()), &in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tiles_equal_loops) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
