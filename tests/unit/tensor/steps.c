/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "support.h"
#include "tensor/lanes.h"
#include "tensor/steps.h"

static double one_step(double x, const tensor_scale *s)
{
    if (!isfinite(x)) x = s->missing;
    x = (fmin(fmax(x, s->lower), s->upper) - s->centre) * s->factor;
    return trunc(fmin(fmax(x, -s->most), s->most) * s->one);
}

static double odd_number(uint64_t *seed)
{
    static const double odd[] = { NAN,  INFINITY,     -INFINITY, DBL_MAX, -DBL_MAX, 0,
                                  -0.0, DBL_TRUE_MIN, 1e300,     3,       -3 };
    uint64_t r = splitmix64(seed);
    return r % 3 == 0 ? odd[r / 3 % 11] : (double)(int64_t)splitmix64(seed) * 0x1p-61;
}

/* Every number as one would do it by itself, at every level that this machine has, for every length and place. */
static void test_steps(void **unused)
{
    (void)unused;
    static const tensor_scale scales[] = {
        { 0.5, -1, 1, 0, 1, 64, 0x1p15 }, { -3, -3, 3, 0.25, 40, 64, 0x1p15 }, /* ends at +-64 */
        { 2, 1, 2, 1.5, -2, 64, 0x1p15 }, { 0, -1e300, 1e300, 0, 1e-300, 1, 0x1p15 },
        { 0, 0, 1, 0.5, 0, 64, 0x1p15 },
    };
    uint64_t seed = 1;
    for (size_t k = 0; k < 5; k++)
        for (size_t n = 0; n < 40; n++) {
            double x[40], out[40];
            for (size_t i = 0; i < n; i++) x[i] = odd_number(&seed);
            for (int level = 0; level <= tensor_lanes_level(); level++) {
                tensor_steps(level, out, x, n, &scales[k]);
                for (size_t i = 0; i < n; i++) assert_true(out[i] == one_step(x[i], &scales[k]));
            }
            tensor_steps(tensor_lanes_level(), x, x, n, &scales[k]); /* in place */
            assert_memory_equal(x, out, n * sizeof *x);
        }
}

/* Four columns into rows: the same steps, the squares added up, nothing else written. */
static void test_rows(void **unused)
{
    (void)unused;
    enum { ROOM = 23, STRIDE = 7 };
    const tensor_scale scale[4] = { { 0.5, -1, 1, 0, 1, 64, 0x1p15 },
                                    { 0, 0, 4, 2, 0.5, 64, 0x1p15 },
                                    { 2, 1, 2, 1.5, -2, 64, 0x1p15 },
                                    { -3, -3, 3, 0.25, 40, 64, 0x1p15 } };
    uint64_t seed = 2;
    for (size_t n = 0; n <= ROOM; n++)
        for (int k = 0; k < 6; k++) {
            const int level = k % 3 < tensor_lanes_level() ? k % 3 : tensor_lanes_level();
            const size_t last = k < 3 ? 0 : 3; /* whether one of them ends at +-64 */
            double column[4][ROOM], out[ROOM * STRIDE], squares[ROOM];
            const double *const x[4] = { column[0], column[1], column[2], column[3] };
            const tensor_scale used[4] = { scale[0], scale[1], scale[2], scale[last] };
            for (size_t c = 0; c < 4; c++)
                for (size_t i = 0; i < ROOM; i++) column[c][i] = odd_number(&seed);
            for (size_t i = 0; i < ROOM * STRIDE; i++) out[i] = -1;
            for (size_t i = 0; i < ROOM; i++) squares[i] = 5;
            tensor_steps_rows(level, out + 1, STRIDE, squares, x, n, used);
            for (size_t i = 0; i < ROOM; i++) {
                double square = 5;
                for (size_t c = 0; c < STRIDE; c++) {
                    bool written = i < n && c >= 1 && c <= 4;
                    double expected = written ? one_step(column[c - 1][i], &used[c - 1]) : -1;
                    assert_true(out[i * STRIDE + c] == expected);
                    if (written) square += expected * expected;
                }
                assert_true(squares[i] == square);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_steps), cmocka_unit_test(test_rows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
