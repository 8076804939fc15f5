/* SPDX-License-Identifier: Apache-2.0 */
/* The front of a net: where it ends, that front and rest are the whole net, and that what a row becomes depends on this row alone, whoever else is there and
 * on however many threads. */
#include "deep/front.h"

#include <math.h>

#include "deep_nets.h"

static void ends_at(const char *text, size_t in, size_t layers)
{
    deep_net net, front, rest;
    dusk_error err = { 0 };
    if (deep_net_parse(&net, text, in, 2, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    assert_int_equal(deep_front_layers(&net), layers);
    assert_int_equal(deep_front_split(&net, &front, &rest, NULL), DUSK_OK);
    assert_int_equal(front.layers, layers);
    assert_int_equal(front.parameters, 0);
    assert_int_equal(rest.parameters, net.parameters);
    assert_int_equal(deep_size(front.out), deep_size(rest.in));
    deep_net_clear(&net);
    deep_net_clear(&front);
    deep_net_clear(&rest);
}

static void test_where_it_ends(void **state)
{
    (void)state;
    ends_at("output", 5, 0);
    ends_at("tanh; output", 5, 1);
    ends_at("tanh; relu; dense 3; relu; output", 5, 2);
    ends_at("layernorm; tanh; output", 5, 0);
    ends_at("layernorm fixed; tanh; output", 5, 2);
    ends_at("tanh; dropout 0.5; relu; output", 5, 1);
    ends_at("relu; residual; tanh; add; output", 5, 4);
    ends_at("relu; residual; tanh; dense 5; add; output", 5, 1);
    ends_at("relu; residual; tanh; residual; tanh; add; dropout 0.1; add; output", 5, 1);
    ends_at("input 8 8; scatter 1 2; groupnorm 1 fixed; output", 64, 2);
}

static deep_rows random_rows(size_t rows, size_t width, uint64_t seed)
{
    deep_rows out = { .rows = rows, .width = width, .x = dusk_allocate(rows * width + 1, sizeof *out.x) };
    for (size_t j = 0; j < rows * width; j++) out.x[j] = (int16_t)(splitmix64(&seed) % 8192);
    return out;
}

/* Front and rest, against the whole net. */
static void test_whole(void **state)
{
    (void)state;
    const tried_net tried = {
        "input 6 5; scatter 1 2; relu; groupnorm 1 fixed; flatten; residual; tanh; dense 27; add; dense 3",
        30, 3
    };
    enum { ROWS = 7 };
    tried_pass whole;
    deep_pass part;
    deep_net front, rest;
    open_tried(&whole, &tried, ROWS, 5);
    deep_rows rows = random_rows(ROWS, 30, 9);
    whole.pass.examples = ROWS;
    for (size_t i = 0; i < ROWS; i++) deep_rows_take(&rows, i, whole.pass.value[0] + i * 30);
    deep_forward(&whole.pass);
    assert_int_equal(deep_front_split(&whole.net, &front, &rest, NULL), DUSK_OK);
    assert_int_equal(front.layers, 4);
    assert_int_equal(deep_front_run(&front, &rows, 1, NULL), DUSK_OK);
    assert_int_equal(deep_pass_open(&part, &rest, ROWS, NULL), DUSK_OK);
    part.parameters = whole.parameters;
    part.examples = ROWS;
    for (size_t i = 0; i < ROWS; i++) deep_rows_take(&rows, i, part.value[0] + i * rows.width);
    deep_forward(&part);
    for (size_t j = 0; j < ROWS * 3; j++)
        assert_true(fabsf(part.value[rest.layers][j] - whole.pass.value[whole.net.layers][j]) < 0.01f);
    deep_pass_close(&part);
    deep_rows_clear(&rows);
    deep_net_clear(&front);
    deep_net_clear(&rest);
    close_tried(&whole);
}

/* The last row of few and of many, on one thread and on several. */
static void test_alone(void **state)
{
    (void)state;
    enum { MANY = 70, WIDTH = 48 };
    deep_net net, front, rest;
    assert_int_equal(
        deep_net_parse(&net, "input 6 8; scatter 1 3; groupnorm 2 fixed; output", WIDTH, 2, NULL), DUSK_OK);
    assert_int_equal(deep_front_split(&net, &front, &rest, NULL), DUSK_OK);
    for (size_t many = 2; many <= MANY; many += 17)
        for (size_t threads = 1; threads <= 3; threads++) {
            deep_rows one = random_rows(1, WIDTH, 4), all = random_rows(many, WIDTH, many);
            memcpy(all.x + (many - 1) * WIDTH, one.x, WIDTH * sizeof *one.x);
            assert_int_equal(deep_front_run(&front, &one, 1, NULL), DUSK_OK);
            assert_int_equal(deep_front_run(&front, &all, threads, NULL), DUSK_OK);
            assert_int_equal(all.rows, many);
            assert_true(one.step[0] == all.step[many - 1]);
            assert_memory_equal(one.x, all.x + (many - 1) * all.width, one.width * sizeof *one.x);
            deep_rows_clear(&one);
            deep_rows_clear(&all);
        }
    deep_rows none = random_rows(0, WIDTH, 1);
    assert_int_equal(deep_front_run(&front, &none, 2, NULL), DUSK_OK);
    assert_int_equal(none.rows, 0);
    deep_rows_clear(&none);
    deep_net_clear(&net);
    deep_net_clear(&front);
    deep_net_clear(&rest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where_it_ends),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
