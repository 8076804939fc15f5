/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles equal integers, for all that this machine has, for widths and numbers of rows around the sizes of tiles and chunks; nothing is
 * written beyond the cells. */
#include "tensor/tiles.h"

#include <math.h>
#include <string.h>

#include "support.h"
#include "tensor/lanes.h"

enum { WIDTH_MOST = 300, ROWS_MOST = 40, VECTORS_MOST = 70 };

static double number(size_t i) { return (double)((int64_t)(i * 2654435761u % 16384) - 8192); }

static void fill(double *x, size_t n, size_t from)
{
    for (size_t i = 0; i < n; i++) x[i] = number(i + from);
}

static double product(const double *x, size_t by_x, const double *y, size_t by_y, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += (int64_t)x[i * by_x] * (int64_t)y[i * by_y];
    return (double)sum;
}

static void check_gram(int level, size_t width, size_t rows)
{
    static double x[ROWS_MOST * WIDTH_MOST], cells[WIDTH_MOST * WIDTH_MOST + 1];
    fill(x, rows * width, width);
    for (size_t i = 0; i < width * width; i++) cells[i] = 3;
    cells[width * width] = 0.5;
    if (!tensor_tiles_gram(level, cells, x, rows, width)) {
        assert_true(level < 2 || width > 256);
        return;
    }
    for (size_t a = 0; a < width; a++)
        for (size_t b = a; b < width; b += 1 + width / 50)
            assert_true(cells[a * width + b] == 3 + product(x + a, width, x + b, width, rows));
    assert_true(cells[width * width] == 0.5);
}

static void check_multiply(int level, size_t width, size_t rows, size_t k)
{
    static double x[ROWS_MOST * WIDTH_MOST], v[VECTORS_MOST * WIDTH_MOST], out[ROWS_MOST * VECTORS_MOST + 1];
    fill(x, rows * width, width);
    fill(v, k * width, 7 * k);
    out[rows * k] = 0.5;
    if (!tensor_tiles_multiply(level, out, x, rows, width, v, k)) {
        assert_true(level < 2 || width > 256 || k > 64);
        return;
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < k; j++)
            assert_true(out[i * k + j] == product(x + i * width, 1, v + j * width, 1, width));
    assert_true(out[rows * k] == 0.5);
}

static void tiles_equal_integers(void **state)
{
    static const size_t wide[] = { 63, 100, 127, 128, 129, 256, 257 };
    (void)state;
    for (int level = 0; level <= tensor_lanes_level(); level++) {
        for (size_t width = 1; width < 40; width++)
            for (size_t rows = 0; rows <= ROWS_MOST; rows += 1 + rows / 2) {
                check_gram(level, width, rows);
                for (size_t k = 1; k <= VECTORS_MOST; k += 1 + k / 3) check_multiply(level, width, rows, k);
            }
        for (size_t w = 0; w < sizeof wide / sizeof *wide; w++) {
            check_gram(level, wide[w], ROWS_MOST);
            check_multiply(level, wide[w], ROWS_MOST, 25);
        }
    }
}

static void check_rows(int level, size_t width)
{
    enum { ROWS = 13, GROUPS = 3, STRIDE = 45 };
    double x[ROWS * STRIDE], centres[GROUPS * STRIDE], out[ROWS], cells[GROUPS * STRIDE] = { 0 };
    float narrow[ROWS * STRIDE];
    int32_t which[ROWS];
    fill(x, ROWS * width, width);
    fill(centres, GROUPS * width, 5);
    for (size_t i = 0; i < ROWS; i++) which[i] = (int32_t)(i % GROUPS);
    tensor_tiles_distances(level, out, x, ROWS, width, centres, which);
    for (size_t i = 0; i < ROWS; i++) {
        double v[STRIDE];
        for (size_t c = 0; c < width; c++) v[c] = x[i * width + c] - centres[i % GROUPS * width + c];
        assert_true(out[i] == product(v, 1, v, 1, width));
    }
    tensor_tiles_distances(level, out, x, 1, width, centres + width, NULL);
    which[0] = 1;
    tensor_tiles_distances(level, out + 1, x, 1, width, centres, which);
    assert_true(out[0] == out[1]);
    which[0] = -1;
    tensor_tiles_scatter(level, cells, STRIDE, x, ROWS, width, which);
    for (size_t j = 0; j < GROUPS; j++)
        for (size_t c = 0; c < STRIDE; c++) {
            double sum = 0;
            for (size_t i = 1; i < ROWS; i++)
                if (i % GROUPS == j && c < width) sum += x[i * width + c];
            assert_true(cells[j * STRIDE + c] == sum);
        }
    tensor_tiles_narrow(level, narrow, x, ROWS * width);
    memset(x, 0, sizeof x);
    tensor_tiles_widen(level, x, narrow, ROWS * width);
    for (size_t i = 0; i < ROWS * width; i++) assert_true(x[i] == number(i + width));
}

/* Rows into a ball are the same on every machine: squares of distances are exact. */
static void check_ball(int level, size_t width)
{
    enum { ROWS = 9, MOST = 45 };
    float x[ROWS * MOST];
    double centre[MOST], out[ROWS * MOST], plain[ROWS * MOST];
    for (size_t i = 0; i < ROWS * width; i++) x[i] = (float)number(i + 1);
    fill(centre, width, 3);
    const double radius = 9000 * sqrt((double)width), ball = 0x1p18;
    tensor_lanes_into_ball(0, plain, x, ROWS, width, centre, radius, radius, ball);
    tensor_lanes_into_ball(level, out, x, ROWS, width, centre, radius, radius, ball);
    assert_memory_equal(out, plain, ROWS * width * sizeof *out);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(product(out + i * width, 1, out + i * width, 1, width) <= ball * ball);
}

static void rows_equal_integers(void **state)
{
    (void)state;
    for (int level = 0; level <= tensor_lanes_level(); level++)
        for (size_t width = 1; width < 45; width++) {
            check_rows(level, width);
            check_ball(level, width);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tiles_equal_integers),
                                        cmocka_unit_test(rows_equal_integers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
