/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest rows: those of a plain sort, wherever a row is; and one row more puts one vote in and one out at most. */
#include "deep/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { MOST = 60, WIDTH = 21, CLASSES = 4 };

static float x[MOST * WIDTH], question[WIDTH];
static int32_t code[MOST];

/* Few different numbers, so that there are ties; some are no numbers. */
static void fill(uint64_t *seed)
{
    for (size_t i = 0; i < MOST * WIDTH; i++) x[i] = (float)(splitmix64(seed) % 3);
    for (size_t j = 0; j < WIDTH; j++) question[j] = (float)(splitmix64(seed) % 3);
    for (size_t i = 0; i < MOST; i++) code[i] = (int32_t)(splitmix64(seed) % CLASSES);
    if (splitmix64(seed) % 2) x[(splitmix64(seed) % MOST) * WIDTH] = NAN;
}

static double distance(size_t row)
{
    double sum = 0;
    for (size_t j = 0; j < WIDTH; j++)
        sum += ((double)x[row * WIDTH + j] - (double)question[j]) *
               ((double)x[row * WIDTH + j] - (double)question[j]);
    return isnan(sum) ? INFINITY : sum;
}

static void vote(const size_t *row, size_t count, size_t k, int32_t *votes)
{
    const deep_vectors rows = { x, code, MOST, WIDTH };
    deep_near room[MOST + 1];
    deep_nearest_vote(&rows, question, row, count, k, CLASSES, room, votes);
}

static void test_are_the_nearest(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int turn = 0; turn < 300; turn++) {
        size_t row[MOST], count = 0;
        int32_t votes[CLASSES], expected[CLASSES] = { 0 };
        const size_t k = splitmix64(&seed) % 20;
        fill(&seed);
        for (size_t i = 0; i < MOST; i++)
            if (splitmix64(&seed) % 3) row[count++] = i;
        for (size_t i = 0; i < count; i++) {
            size_t before = 0;
            for (size_t j = 0; j < count; j++)
                before += distance(row[j]) < distance(row[i]) ||
                          (distance(row[j]) == distance(row[i]) && row[j] < row[i]);
            if (before < k) expected[code[row[i]]]++;
        }
        vote(row, count, k, votes);
        assert_memory_equal(votes, expected, sizeof votes);
    }
}

static void test_one_in_one_out(void **state)
{
    (void)state;
    uint64_t seed = 4;
    int in_place = 0;
    for (int turn = 0; turn < 500; turn++) {
        size_t row[MOST], without[MOST], count = 0;
        int32_t a[CLASSES], b[CLASSES], in = 0, out = 0;
        const size_t k = 1 + splitmix64(&seed) % 30;
        fill(&seed);
        for (size_t i = 0; i < MOST; i++)
            if (splitmix64(&seed) % 2) row[count++] = i;
        if (count == 0) continue;
        const size_t gone = splitmix64(&seed) % count;
        memcpy(without, row, sizeof row);
        memmove(without + gone, without + gone + 1, (count - gone - 1) * sizeof *row);
        vote(row, count, k, a);
        vote(without, count - 1, k, b);
        for (size_t c = 0; c < CLASSES; c++) {
            in += a[c] > b[c] ? a[c] - b[c] : 0;
            out += b[c] > a[c] ? b[c] - a[c] : 0;
        }
        assert_true(in <= 1 && out <= 1);
        if (count <= k) assert_true(in == 1 && out == 0); /* too few rows: one vote less */
        in_place += in == 1 && out == 1;
    }
    assert_true(in_place > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_are_the_nearest),
                                        cmocka_unit_test(test_one_in_one_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
