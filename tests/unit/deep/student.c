/* SPDX-License-Identifier: Apache-2.0 */
/* A student: it learns what can be learned, from rows with a label alone, and without any it stays as it was. */
#include "deep/student.h"

#include <string.h>

#include "deep/loss.h"
#include "deep_nets.h"
#include "seeded.h"

enum { ROWS = 300, WIDTH = 3, CLASSES = 3 };

static void fill(float *x, int32_t *label, uint64_t seed)
{
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < WIDTH; j++)
            x[i * WIDTH + j] = (float)(splitmix64(&seed) % 2001) / 1000.0f - 1.0f;
        label[i] = x[i * WIDTH] > 0.3f ? 2 : x[i * WIDTH + 1] > 0 ? 1 : 0;
    }
}

static size_t right(const deep_net *net, const float *x, const int32_t *label, const float *parameters)
{
    deep_pass pass;
    size_t count = 0;
    assert_int_equal(deep_pass_open(&pass, net, 1, NULL), DUSK_OK);
    pass.parameters = parameters;
    pass.examples = 1;
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(pass.value[0], x + i * WIDTH, WIDTH * sizeof *x);
        deep_forward(&pass);
        const float *out = pass.value[net->layers];
        size_t best = 0;
        for (size_t c = 1; c < CLASSES; c++)
            if (out[c] > out[best]) best = c;
        count += (int32_t)best == label[i];
    }
    deep_pass_close(&pass);
    return count;
}

static void test_learns(void **state)
{
    (void)state;
    static float x[ROWS * WIDTH], parameters[200], first[200];
    static int32_t label[ROWS], some[ROWS], none[ROWS];
    deep_net net;
    assert_int_equal(deep_net_parse(&net, "dense 12; relu; output", WIDTH, CLASSES, NULL), DUSK_OK);
    assert_true(net.parameters <= 200);
    const deep_student student = { .net = &net, .rate = 0.02, .epochs = 40, .lot = 32 };
    dusk_generator *gen = seeded(1);
    fill(x, label, 1);
    assert_int_equal(deep_net_start(&net, first, gen, NULL), DUSK_OK);
    /* no labels at all */
    for (size_t i = 0; i < ROWS; i++) none[i] = -1;
    memcpy(parameters, first, sizeof first);
    assert_int_equal(deep_student_train(&student, x, none, ROWS, parameters, gen, NULL), DUSK_OK);
    assert_memory_equal(parameters, first, net.parameters * sizeof *first);
    /* all of them */
    assert_int_equal(deep_student_train(&student, x, label, ROWS, parameters, gen, NULL), DUSK_OK);
    assert_true(right(&net, x, label, parameters) > ROWS * 95 / 100);
    /* two thirds; the others are wrong, but say so */
    for (size_t i = 0; i < ROWS; i++) some[i] = i % 3 ? label[i] : -1;
    memcpy(parameters, first, sizeof first);
    assert_int_equal(deep_student_train(&student, x, some, ROWS, parameters, gen, NULL), DUSK_OK);
    assert_true(right(&net, x, label, parameters) > ROWS * 92 / 100);
    deep_net_clear(&net);
    dusk_generator_free(gen);
}

/* Rows that are all the same, and copies of them that differ: what it learns, it learns from copies, by the labels of their rows. */
static void test_copies(void **state)
{
    (void)state;
    enum { COPIES = 2 };
    static float x[ROWS * WIDTH], same[ROWS * WIDTH], moved[COPIES][ROWS * WIDTH], parameters[200];
    static int32_t label[ROWS];
    deep_net net;
    deep_rows copy[COPIES];
    assert_int_equal(deep_net_parse(&net, "dense 12; relu; output", WIDTH, CLASSES, NULL), DUSK_OK);
    dusk_generator *gen = seeded(2);
    fill(x, label, 2);
    for (size_t k = 0; k < COPIES; k++) {
        for (size_t i = 0; i < ROWS * WIDTH; i++) moved[k][i] = x[i] * (k == 0 ? 0.9f : 1.1f);
        copy[k] = (deep_rows){ .rows = ROWS, .width = WIDTH, .raw = moved[k] };
    }
    const deep_student student = {
        .net = &net, .rate = 0.02, .epochs = 20, .lot = 32, .copy = copy, .copies = COPIES
    };
    assert_int_equal(deep_net_start(&net, parameters, gen, NULL), DUSK_OK);
    assert_int_equal(deep_student_train(&student, same, label, ROWS, parameters, gen, NULL), DUSK_OK);
    assert_true(right(&net, x, label, parameters) > ROWS * 88 / 100);
    deep_net_clear(&net);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_learns), cmocka_unit_test(test_copies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
