/* SPDX-License-Identifier: Apache-2.0 */
/* Teachers: what they say is right where it is plain, one row changes one of them, and threads change nothing. */
#include "deep/teachers.h"

#include <math.h>
#include <string.h>

#include "random/tape.h"
#include "seeded.h"

enum { ROWS = 300, WIDTH = 5, CLASSES = 3, TEACHERS = 7, QUESTIONS = 70 };

/* Class c lies about 4 e_c; `noise` times a number in [-1, 1] on each coordinate. */
static void make(float *x, int32_t *code, size_t n, double noise, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        code[i] = (int32_t)(splitmix64(&seed) % CLASSES);
        for (size_t j = 0; j < WIDTH; j++) {
            const double u = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1;
            x[i * WIDTH + j] = (float)(noise * u + (j == (size_t)code[i] ? 4 : 0));
        }
    }
}

static const deep_teaching usual = {
    .teachers = TEACHERS, .classes = CLASSES, .rows_most = 64, .width = 3, .ridge = 0.1, .threads = 1
};

static void test_right(void **state)
{
    (void)state;
    static float x[ROWS * WIDTH], q[QUESTIONS * WIDTH];
    static int32_t code[ROWS], want[QUESTIONS], votes[QUESTIONS * CLASSES], other[QUESTIONS * CLASSES];
    static uint32_t teacher[ROWS];
    make(x, code, ROWS, 1, 1);
    make(q, want, QUESTIONS, 1, 2);
    dusk_generator *gen = seeded(1);
    assert_int_equal(deep_deal(teacher, ROWS, TEACHERS, gen, NULL), DUSK_OK);
    const deep_vectors rows = { x, code, ROWS, WIDTH };
    assert_int_equal(deep_teachers_vote(&usual, &rows, teacher, q, QUESTIONS, votes, NULL), DUSK_OK);
    for (size_t i = 0; i < QUESTIONS; i++)
        for (size_t c = 0; c < CLASSES; c++)
            assert_int_equal(votes[i * CLASSES + c], (int32_t)c == want[i] ? TEACHERS : 0);
    deep_teaching threads = usual;
    threads.threads = 3;
    assert_int_equal(deep_teachers_vote(&threads, &rows, teacher, q, QUESTIONS, other, NULL), DUSK_OK);
    assert_memory_equal(votes, other, sizeof votes);
    const deep_vectors none = { x, code, 0, WIDTH };
    assert_int_equal(deep_teachers_vote(&usual, &none, teacher, q, QUESTIONS, votes, NULL), DUSK_OK);
    for (size_t i = 0; i < QUESTIONS * CLASSES; i++) assert_int_equal(votes[i], 0);
    dusk_generator_free(gen);
}

/* Rows that say nothing: teachers are of many minds, and one row changes one of them. */
static void test_one_row_is_one_teacher(void **state)
{
    (void)state;
    static float x[(ROWS + 1) * WIDTH], q[QUESTIONS * WIDTH];
    static int32_t code[ROWS + 1], want[QUESTIONS], a[QUESTIONS * CLASSES], b[QUESTIONS * CLASSES];
    static uint32_t teacher[ROWS + 1];
    bool moved = false;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        make(x, code, ROWS + 1, 20, seed);
        make(q, want, QUESTIONS, 20, seed + 100);
        dusk_generator *gen = seeded(seed);
        assert_int_equal(deep_deal(teacher, ROWS + 1, TEACHERS, gen, NULL), DUSK_OK);
        const deep_vectors more = { x, code, ROWS + 1, WIDTH }, fewer = { x, code, ROWS, WIDTH };
        assert_int_equal(deep_teachers_vote(&usual, &more, teacher, q, QUESTIONS, a, NULL), DUSK_OK);
        assert_int_equal(deep_teachers_vote(&usual, &fewer, teacher, q, QUESTIONS, b, NULL), DUSK_OK);
        for (size_t i = 0; i < QUESTIONS; i++) {
            int up = 0, down = 0;
            for (size_t c = 0; c < CLASSES; c++) {
                const int d = a[i * CLASSES + c] - b[i * CLASSES + c];
                up += d > 0 ? d : 0;
                down -= d < 0 ? d : 0;
            }
            assert_true(up <= 1 && down <= 1);
            moved |= up + down > 0;
        }
        dusk_generator_free(gen);
    }
    assert_true(moved);
}

/* Each teacher gets its part; all rows do not go to one. */
static void test_deal(void **state)
{
    (void)state;
    enum { MANY = 70000 };
    static uint32_t teacher[MANY];
    size_t held[TEACHERS] = { 0 };
    dusk_generator *gen = seeded(3);
    assert_int_equal(deep_deal(teacher, MANY, TEACHERS, gen, NULL), DUSK_OK);
    for (size_t i = 0; i < MANY; i++) held[teacher[i]]++;
    for (size_t t = 0; t < TEACHERS; t++) assert_true(fabs((double)held[t] - 10000) < 6 * sqrt(10000));
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_one_row_is_one_teacher),
        cmocka_unit_test(test_deal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
