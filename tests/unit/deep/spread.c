/* SPDX-License-Identifier: Apache-2.0 */
/* Public rows among themselves: questions differ and stand for all groups, neighbours are the nearest ones, and answers flow to those who are near. */
#include "deep/spread.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "support.h"

enum { GROUPS = 5, EACH = 24, ROWS = GROUPS * EACH, WIDTH = 6 };

/* Groups far from each other, rows of all of them in turns. */
static void fill(float *x, uint64_t seed)
{
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < WIDTH; j++)
            x[i * WIDTH + j] = (j == i % GROUPS ? 10.0f : 0.0f) + (float)(splitmix64(&seed) % 1000) / 1000.0f;
}

static void test_spread(void **state)
{
    (void)state;
    const float x[] = { 0, 0, 2, 0, 0, 4 };
    const deep_open three = { x, 3, 2 }, none = { x, 0, 2 };
    /* pairs of 3 with themselves: (0 + 4 + 16) * 2 + 20 * 2 over 9 */
    assert_true(fabs(deep_open_spread(&three) - (4 + 16 + 20) * 2 / 9.0) < 1e-6);
    assert_true(deep_open_spread(&none) == 0);
}

static void test_questions(void **state)
{
    (void)state;
    float x[ROWS * WIDTH];
    fill(x, 1);
    const deep_open open = { x, ROWS, WIDTH };
    for (size_t questions = 0; questions <= ROWS; questions += questions < 8 ? 1 : 37) {
        size_t question[2][ROWS];
        bool taken[ROWS] = { false }, group[GROUPS] = { false };
        for (size_t t = 0; t < 2; t++)
            assert_int_equal(deep_choose_questions(question[t], questions, &open, 1 + 2 * t, NULL), DUSK_OK);
        assert_memory_equal(question[0], question[1], questions * sizeof(size_t));
        for (size_t q = 0; q < questions; q++) {
            assert_true(question[0][q] < ROWS && !taken[question[0][q]]);
            taken[question[0][q]] = true;
            group[question[0][q] % GROUPS] = true;
        }
        for (size_t g = 0; g < GROUPS && questions >= 3 * GROUPS; g++) assert_true(group[g]);
    }
    /* all the same, and as many questions as rows */
    memset(x, 0, sizeof x);
    size_t question[ROWS];
    assert_int_equal(deep_choose_questions(question, 10, &open, 1, NULL), DUSK_OK);
    for (size_t q = 0; q < 10; q++)
        for (size_t p = 0; p < q; p++) assert_true(question[p] != question[q]);
    assert_int_equal(deep_choose_questions(question, ROWS, &open, 1, NULL), DUSK_OK);
    for (size_t q = 0; q < ROWS; q++) assert_int_equal(question[q], q);
}

static double distance(const float *x, size_t a, size_t b)
{
    double sum = 0;
    for (size_t j = 0; j < WIDTH; j++) sum += pow((double)x[a * WIDTH + j] - (double)x[b * WIDTH + j], 2);
    return sum;
}

static void test_graph(void **state)
{
    (void)state;
    float x[ROWS * WIDTH];
    fill(x, 2);
    const deep_open open = { x, ROWS, WIDTH };
    deep_graph graph;
    assert_int_equal(deep_graph_make(&graph, &open, 0, 2, NULL), DUSK_OK);
    assert_true(graph.count == ROWS && graph.degree > 0 && graph.degree < EACH);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t d = 0; d < graph.degree; d++) {
            const uint32_t other = graph.neighbour[i * graph.degree + d];
            size_t nearer = 0;
            assert_true(other != i && other < ROWS && graph.weight[i * graph.degree + d] > 0);
            for (size_t j = 0; j < ROWS; j++)
                nearer += j != i && distance(x, i, j) < distance(x, i, other) - 1e-3;
            assert_true(nearer <= d);
        }
    deep_graph_clear(&graph);
    for (size_t count = 0; count < 3; count++) {
        const deep_open few = { x, count, WIDTH };
        assert_int_equal(deep_graph_make(&graph, &few, 0, 1, NULL), DUSK_OK);
        assert_true(graph.degree == (count > 1 ? count - 1 : 0));
        deep_graph_clear(&graph);
    }
}

/* Copies of rows lie elsewhere: a row is as near as the nearest of its own, and is a neighbour once. */
static void test_copies(void **state)
{
    (void)state;
    enum { COPIES = 2 };
    float x[(1 + COPIES) * ROWS * WIDTH];
    for (size_t k = 0; k <= COPIES; k++) fill(x + k * ROWS * WIDTH, 4 + (k == COPIES));
    const deep_open open = { x, ROWS, WIDTH };
    deep_graph graph;
    assert_int_equal(deep_graph_make(&graph, &open, COPIES, 2, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS; i++) {
        double near[ROWS];
        for (size_t j = 0; j < ROWS; j++) {
            near[j] = distance(x, i, j);
            for (size_t k = 1; k <= COPIES; k++) near[j] = fmin(near[j], distance(x, i, k * ROWS + j));
        }
        for (size_t d = 0; d < graph.degree; d++) {
            const uint32_t other = graph.neighbour[i * graph.degree + d];
            size_t nearer = 0;
            assert_true(other != i && other < ROWS);
            for (size_t e = 0; e < d; e++) assert_true(graph.neighbour[i * graph.degree + e] != other);
            for (size_t j = 0; j < ROWS; j++) nearer += j != i && near[j] < near[other] - 1e-3;
            assert_true(nearer <= d);
        }
    }
    deep_graph_clear(&graph);
}

/* One answer of each group but the last: its group has it, and nobody reaches the last. */
static void test_flow(void **state)
{
    (void)state;
    float x[ROWS * WIDTH], score[ROWS * GROUPS];
    int32_t answer[ROWS];
    deep_graph graph;
    fill(x, 3);
    const deep_open open = { x, ROWS, WIDTH };
    for (size_t i = 0; i < ROWS; i++) answer[i] = i < GROUPS - 1 ? (int32_t)i : -1;
    assert_int_equal(deep_graph_make(&graph, &open, 0, 1, NULL), DUSK_OK);
    assert_int_equal(deep_graph_spread(&graph, answer, GROUPS, score, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (size_t c = 0; c < GROUPS; c++) sum += (double)score[i * GROUPS + c];
        if (i % GROUPS == GROUPS - 1)
            assert_true(sum == 0);
        else
            assert_true(fabs(sum - 1) < 1e-3 && score[i * GROUPS + i % GROUPS] > 0.9f);
    }
    deep_graph_clear(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_spread), cmocka_unit_test(test_questions),
                                        cmocka_unit_test(test_graph), cmocka_unit_test(test_copies),
                                        cmocka_unit_test(test_flow) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
