/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>

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

static void test_interleave(void **unused)
{
    (void)unused;
    enum { ROOM = 13, COLUMNS = 21, STRIDE = 23 };
    double x[COLUMNS * ROOM], out[ROOM * STRIDE];
    for (size_t i = 0; i < COLUMNS * ROOM; i++) x[i] = (double)i;
    for (size_t n = 0; n <= ROOM; n++)
        for (size_t columns = 0; columns <= COLUMNS; columns++) {
            for (size_t i = 0; i < ROOM * STRIDE; i++) out[i] = -1;
            tensor_interleave(out, STRIDE, x, ROOM, n, columns);
            for (size_t i = 0; i < ROOM; i++)
                for (size_t c = 0; c < STRIDE; c++)
                    assert_true(out[i * STRIDE + c] == (i < n && c < columns ? (double)(c * ROOM + i) : -1));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_steps), cmocka_unit_test(test_interleave) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
