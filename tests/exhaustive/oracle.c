/* SPDX-License-Identifier: Apache-2.0 */
/* The chance of every point of a small lattice to be the perturbed minimum, summed over all noise that counts: between any two neighbouring
 * tables it changes by no more than exp(epsilon), for noise of the scale shift / epsilon. */
#include "learn/oracle.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "support.h"

enum { SIDES = 2, POINTS = 3, MOST = 16, ROWS_MOST = 4, KINDS = 4 };
#define EPSILON 2.0

/* Rows of one number and a label; the third is too long for the lattice to be made for it. */
static const float number[KINDS] = { 1, -1, 1, 7 };
static const int32_t label[KINDS] = { 1, 1, 0, 1 };

static void chances(double *out, const learn_oracle *o, const size_t *kind, size_t rows)
{
    float x[ROWS_MOST];
    int32_t code[ROWS_MOST];
    const double scale = learn_oracle_shift(o) / EPSILON, ratio = exp(-1 / scale),
                 one = (1 - ratio) / (1 + ratio);
    for (size_t i = 0; i < rows; i++) x[i] = number[kind[i]], code[i] = label[kind[i]];
    learn_matrix matrix = { .rows = { x, rows, 1 }, .code = code };
    for (size_t p = 0; p < POINTS; p++) out[p] = 0;
    for (int a = -MOST; a <= MOST; a++)
        for (int b = -MOST; b <= MOST; b++) {
            const dusk_int128 noise[SIDES] = { a, b };
            size_t point;
            assert_int_equal(learn_oracle_minimise(o, &point, &matrix, noise, NULL), DUSK_OK);
            out[point] += one * one * exp(-(abs(a) + abs(b)) / scale);
        }
}

static double worst; /* ratio of all pairs */

static void compare(const learn_oracle *o, const size_t *kind, size_t rows)
{
    double with[POINTS], without[POINTS], missing[2] = { 1, 1 };
    chances(with, o, kind, rows);
    chances(without, o, kind, rows - 1);
    for (size_t p = 0; p < POINTS; p++) missing[0] -= with[p], missing[1] -= without[p];
    assert_true(fabs(missing[0]) < 1e-4 && fabs(missing[1]) < 1e-4);
    for (size_t p = 0; p < POINTS; p++) {
        double up = (with[p] - 1e-4) / (without[p] + 1e-4), down = (without[p] - 1e-4) / (with[p] + 1e-4);
        worst = fmax(worst, fmax(up, down));
        if (fmax(up, down) > exp(EPSILON))
            fail_msg("point %zu has the chances %g and %g with %zu rows", p, with[p], without[p], rows);
    }
}

static void chances_of_neighbours(void **state)
{
    (void)state;
    const int64_t centre[] = { 0 };
    const learn_oracle errors = { 1, SIDES, false, 2, 4096, 2, centre };
    const learn_oracle ramp = { 1, SIDES, true, 3, 4096, 1, centre };
    for (size_t k = 0; k < KINDS; k++)
        for (size_t rows = 1; rows <= 3; rows += 2) {
            compare(&errors, (const size_t[]){ 0, k % 2 ? 0 : 1, k }, rows);
            compare(&ramp, (const size_t[]){ k, 0, k % 2 ? 0 : k }, rows);
        }
    assert_true(worst > exp(0.9 * EPSILON)); /* what is claimed is nearly reached */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(chances_of_neighbours) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
