/* SPDX-License-Identifier: Apache-2.0 */
/* Products and sums in lanes equal those of integers, for all that this machine has, for widths and numbers of rows around
 * the sizes of tiles; nothing is written beyond the cells. */
#include "tensor/lanes.h"

#include "support.h"

enum { WIDTHS = 36, ROWS = 11 };

static float number(size_t i) { return (float)((int64_t)(i * 2654435761u % 16384) - 8192); }

static void check(int level, size_t width, size_t rows)
{
    float x[ROWS * WIDTHS];
    double v[WIDTHS], c[ROWS], out[ROWS + 1], cells[WIDTHS + 1];
    for (size_t i = 0; i < rows * width; i++) x[i] = number(i + 17 * width);
    for (size_t j = 0; j < width; j++) v[j] = number(j + 5), cells[j] = (double)j;
    for (size_t i = 0; i < rows; i++) c[i] = number(i + 99);
    out[rows] = cells[width] = 0.5;
    tensor_lanes_multiply(level, out, x, rows, width, v);
    tensor_lanes_combine(level, cells, x, rows, width, c);
    for (size_t i = 0; i < rows; i++) {
        int64_t sum = 0;
        for (size_t j = 0; j < width; j++) sum += (int64_t)x[i * width + j] * (int64_t)v[j];
        assert_true(out[i] == (double)sum);
    }
    for (size_t j = 0; j < width; j++) {
        int64_t sum = (int64_t)j;
        for (size_t i = 0; i < rows; i++) sum += (int64_t)x[i * width + j] * (int64_t)c[i];
        assert_true(cells[j] == (double)sum);
    }
    assert_true(out[rows] == 0.5 && cells[width] == 0.5);
}

static void lanes_equal_integers(void **state)
{
    (void)state;
    for (int level = 0; level <= tensor_lanes_level(); level++)
        for (size_t width = 1; width < WIDTHS; width++)
            for (size_t rows = 0; rows <= ROWS; rows++) check(level, width, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lanes_equal_integers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
