/* SPDX-License-Identifier: Apache-2.0 */
/* The map: directions are orthonormal and keep most of what differs, a row's vector depends on this row alone, bit for bit, and public rows without any difference are no trouble. */
#include "deep/map.h"

#include <math.h>
#include <string.h>

#include "deep/front.h"
#include "deep_nets.h"

enum { ROWS = 150, WIDTH = 20, KEPT = 4 };

static deep_rows random_rows(size_t rows, uint64_t seed)
{
    deep_rows out = { .rows = rows, .width = WIDTH, .x = dusk_allocate(rows * WIDTH + 1, sizeof *out.x) };
    for (size_t i = 0; i < rows; i++) { /* three directions, and a little noise */
        int factor[3];
        for (size_t k = 0; k < 3; k++) factor[k] = (int)(splitmix64(&seed) % 2000) - 1000;
        for (size_t j = 0; j < WIDTH; j++)
            out.x[i * WIDTH + j] = (int16_t)(factor[j % 3] + (int)(splitmix64(&seed) % 20));
    }
    return out;
}

static float *through_of(const deep_net *front, const deep_rows *rows)
{
    float *out = dusk_allocate(rows->rows * WIDTH + 1, sizeof *out);
    assert_int_equal(deep_rows_through(front, rows, out, 1, NULL), DUSK_OK);
    return out;
}

static void make_front(deep_net *net, deep_net *front, deep_net *rest)
{
    assert_int_equal(deep_net_parse(net, "tanh; output", WIDTH, 2, NULL), DUSK_OK);
    assert_int_equal(deep_front_split(net, front, rest, NULL), DUSK_OK);
}

static void clear_front(deep_net *net, deep_net *front, deep_net *rest)
{
    deep_net_clear(net);
    deep_net_clear(front);
    deep_net_clear(rest);
}

static void test_directions(void **state)
{
    (void)state;
    deep_net net, front, rest;
    deep_map map;
    double all = 0, kept = 0;
    make_front(&net, &front, &rest);
    deep_rows rows = random_rows(ROWS, 1);
    float *open = through_of(&front, &rows), *mapped = dusk_allocate(ROWS * KEPT, sizeof *mapped);
    assert_int_equal(deep_map_make(&map, &front, open, ROWS, KEPT, NULL), DUSK_OK);
    assert_true(map.from == WIDTH && map.width == KEPT && map.basis);
    for (size_t a = 0; a < KEPT; a++)
        for (size_t b = 0; b < KEPT; b++) {
            double dot = 0;
            for (size_t j = 0; j < WIDTH; j++)
                dot += (double)map.basis[a * WIDTH + j] * (double)map.basis[b * WIDTH + j];
            assert_true(fabs(dot - (a == b)) < 1e-4);
        }
    assert_int_equal(deep_map_rows(&map, &rows, mapped, 1, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < WIDTH; j++) {
            const double x = (double)((open[i * WIDTH + j] - map.centre[j]) * map.each[j]);
            all += x * x;
        }
        for (size_t k = 0; k < KEPT; k++) kept += (double)mapped[i * KEPT + k] * (double)mapped[i * KEPT + k];
    }
    assert_true(kept <= all * (1 + 1e-4) && kept > 0.98 * all);
    deep_map_clear(&map);
    dusk_deallocate(open);
    dusk_deallocate(mapped);
    deep_rows_clear(&rows);
    clear_front(&net, &front, &rest);
}

/* One row by itself, and among others, on one thread and on three. */
static void test_by_itself(void **state)
{
    (void)state;
    deep_net net, front, rest;
    deep_map map;
    make_front(&net, &front, &rest);
    deep_rows rows = random_rows(ROWS, 2);
    float *open = through_of(&front, &rows), *mapped[2], alone[KEPT];
    assert_int_equal(deep_map_make(&map, &front, open, ROWS, KEPT, NULL), DUSK_OK);
    for (size_t t = 0; t < 2; t++) {
        mapped[t] = dusk_allocate(ROWS * KEPT, sizeof *mapped[t]);
        assert_int_equal(deep_map_rows(&map, &rows, mapped[t], 1 + 2 * t, NULL), DUSK_OK);
    }
    assert_memory_equal(mapped[0], mapped[1], ROWS * KEPT * sizeof *mapped[0]);
    for (size_t i = 0; i < ROWS; i += 7) {
        const deep_rows one = { .rows = 1, .width = WIDTH, .x = rows.x + i * WIDTH };
        assert_int_equal(deep_map_rows(&map, &one, alone, 1, NULL), DUSK_OK);
        assert_memory_equal(alone, mapped[0] + i * KEPT, sizeof alone);
    }
    deep_map_clear(&map);
    dusk_deallocate(open);
    for (size_t t = 0; t < 2; t++) dusk_deallocate(mapped[t]);
    deep_rows_clear(&rows);
    clear_front(&net, &front, &rest);
}

static void test_no_difference(void **state)
{
    (void)state;
    deep_net net, front, rest;
    make_front(&net, &front, &rest);
    for (size_t count = 0; count < 4; count++)
        for (size_t width = KEPT; width <= WIDTH; width += WIDTH - KEPT) {
            deep_map map;
            deep_rows rows = random_rows(4, 3);
            float mapped[4 * WIDTH];
            for (size_t i = 0; i < count; i++) memcpy(rows.x + i * WIDTH, rows.x, WIDTH * sizeof *rows.x);
            float *open = through_of(&front, &rows);
            assert_int_equal(deep_map_make(&map, &front, open, count, width, NULL), DUSK_OK);
            assert_int_equal(deep_map_rows(&map, &rows, mapped, 1, NULL), DUSK_OK);
            for (size_t i = 0; i < 4 * width; i++) assert_true(isfinite(mapped[i]));
            deep_map_clear(&map);
            dusk_deallocate(open);
            deep_rows_clear(&rows);
        }
    clear_front(&net, &front, &rest);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_directions), cmocka_unit_test(test_by_itself),
                                        cmocka_unit_test(test_no_difference) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
