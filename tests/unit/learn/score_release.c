/* SPDX-License-Identifier: Apache-2.0 */
/* Released scores: right when there is little noise, with intervals that hold as often as they say, and refused by public facts
 * alone. */
#include "failing_memory.h"
#include "seeded.h"
#include "toy_models.h"

static dusk_train_options ask(double epsilon, double delta, uint64_t rows)
{
    dusk_train_options options;
    dusk_train_options_init(&options);
    options.epsilon = epsilon;
    options.delta = delta;
    options.rows = rows;
    options.neighbours = DUSK_ADD_REMOVE;
    return options;
}

/* 300 rows: two in three are right, some have no label. */
static dusk_frame *some_rows(void)
{
    dusk_frame *frame = toy_frame(TOY_CLASSES, 330);
    for (size_t i = 0; i < 330; i++) {
        frame->column[1].number[i] = i % 3 ? 2 : 8;
        frame->column[0].code[i] = i < 300 ? 0 : -1;
    }
    return frame;
}

typedef struct answer {
    double value, low, high;
    dusk_statement statement;
} answer;

static answer release(dusk_metric metric, const dusk_model *model, const dusk_frame *frame,
                      dusk_train_options options, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    dusk_error err = { .message = "" };
    answer got;
    if (dusk_model_score_release(&got.value, &got.low, &got.high, &got.statement, metric, model, frame,
                                 &options, gen, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    assert_true(got.low <= got.value && got.value <= got.high);
    dusk_generator_free(gen);
    return got;
}

static void little_noise_is_right(void **state)
{
    dusk_model *model = toy_model(&toy_binary, TOY_CLASSES), *line = toy_model(&toy_number, TOY_NUMBERS);
    dusk_model *group = toy_model(&toy_group, TOY_PLAIN);
    dusk_frame *frame = some_rows(), *numbers = toy_frame(TOY_NUMBERS, 300),
               *plain = toy_frame(TOY_PLAIN, 300);
    const double centres[6] = { -0.5, 1, 0, 0.5, 0, 1 };
    (void)state;
    assert_int_equal(learn_model_put(group, "centres", 2, 3, centres, NULL), DUSK_OK);
    for (size_t i = 0; i < 300; i++) numbers->column[1].number[i] = i % 2 ? 3 : 900; /* clamped: 5 */
    for (int k = 0; k < 4; k++) {
        dusk_train_options options = ask(1000, k % 2 ? 1e-6 : 0, k < 2 ? 0 : 300);
        answer got = release(DUSK_METRIC_ACCURACY, model, frame, options, 1);
        assert_true(fabs(got.value - 2.0 / 3) < 1e-3 && got.high - got.low < 1e-2);
        got = release(DUSK_METRIC_MSE, line, numbers, options, 1);
        assert_true(fabs(got.value - (9 + 25) / 2.0) < 0.1);
        got = release(DUSK_METRIC_INERTIA, group, plain, options, 1);
        assert_true(fabs(got.value - 0.25) < 0.02);
    }
    dusk_frame_free(frame);
    dusk_frame_free(numbers);
    dusk_frame_free(plain);
    dusk_model_free(model);
    dusk_model_free(line);
    dusk_model_free(group);
}

/* Of 200 intervals 190 hold on average, and fewer than 172 with probability below 1e-6. */
static void intervals_hold(void **state)
{
    dusk_model *model = toy_model(&toy_binary, TOY_CLASSES);
    dusk_frame *frame = some_rows();
    (void)state;
    for (int k = 0; k < 4; k++) {
        dusk_train_options options = ask(0.2, k % 2 ? 1e-6 : 0, k < 2 ? 0 : 300);
        int hold = 0;
        double width = 0;
        for (uint64_t seed = 0; seed < 200; seed++) {
            answer got = release(DUSK_METRIC_ACCURACY, model, frame, options, seed);
            hold += got.low <= 2.0 / 3 && 2.0 / 3 <= got.high;
            width += (got.high - got.low) / 200;
        }
        assert_true(hold >= 172);
        assert_true(width > 0.02 && width < 0.9);
    }
    dusk_frame_free(frame);
    dusk_model_free(model);
}

/* No rows: nothing is known, and nothing fails. */
static void no_rows(void **state)
{
    dusk_model *model = toy_model(&toy_binary, TOY_CLASSES);
    dusk_frame *frame = toy_frame(TOY_CLASSES, 0);
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        answer got = release(DUSK_METRIC_ACCURACY, model, frame, ask(1, 0, 0), seed);
        assert_true(got.low >= 0 && got.high <= 1 && isfinite(got.value));
    }
    dusk_frame_free(frame);
    dusk_model_free(model);
}

static void prices(void **state)
{
    dusk_model *model = toy_model(&toy_binary, TOY_CLASSES);
    dusk_fields *fields = toy_fields(TOY_CLASSES "unit person\nrows_per_unit 3\n");
    dusk_train_options options = ask(0.5, 1e-7, 1000);
    dusk_statement statement;
    (void)state;
    assert_int_equal(dusk_model_score_price(&statement, DUSK_METRIC_ACCURACY, model, fields, &options, NULL),
                     DUSK_OK);
    assert_true(statement.epsilon <= 0.5 && statement.epsilon > 0.499 && statement.delta == 1e-7);
    assert_string_equal(statement.unit, "person");
    assert_string_equal(statement.assumed, "at most 3 rows a unit; about 1000 rows, declared");
    dusk_fields_free(fields);
    fields =
        toy_fields(TOY_CLASSES "unit person\n"); /* nobody has seen to it that a person has one row only */
    options.rows = 0;
    assert_int_equal(dusk_model_score_price(&statement, DUSK_METRIC_ACCURACY, model, fields, &options, NULL),
                     DUSK_OK);
    assert_string_equal(statement.assumed, "at most 1 row a unit");
    dusk_fields_free(fields);
    dusk_model_free(model);
}

static void refusals(void **state)
{
    dusk_model *model = toy_model(&toy_binary, TOY_CLASSES), *group = toy_model(&toy_group, TOY_PLAIN);
    dusk_frame *frame = toy_frame(TOY_PLAIN, 3);
    dusk_train_options options = ask(1, 0, 0), never = { .size = 0 }, free = ask(0, 0, 0);
    dusk_generator *gen = seeded(1);
    dusk_statement s;
    double v, l, h;
    (void)state;
    assert_int_equal(dusk_model_score_price(&s, DUSK_METRIC_MSE, model, frame->fields, &options, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_model_score_price(&s, DUSK_METRIC_INERTIA, group, frame->fields, &options, NULL),
                     DUSK_ERR_ARGUMENT); /* no centres */
    assert_int_equal(dusk_model_score_price(&s, DUSK_METRIC_ACCURACY, model, frame->fields, &never, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_model_score_price(&s, DUSK_METRIC_ACCURACY, model, frame->fields, &free, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(
        dusk_model_score_release(&v, &l, &h, &s, DUSK_METRIC_ACCURACY, model, frame, &options, gen, NULL),
        DUSK_ERR_ARGUMENT); /* no label */
    dusk_generator_free(gen);
    dusk_frame_free(frame);
    dusk_model_free(model);
    dusk_model_free(group);
}

static void memory_may_fail(void **state)
{
    dusk_model *model = toy_model(&toy_binary, TOY_CLASSES);
    dusk_frame *frame = some_rows();
    dusk_train_options options = ask(1, 0, 0);
    (void)state;
    for (long n = 1;; n++) {
        dusk_generator *gen = seeded(1);
        dusk_error err = { .message = "" };
        dusk_statement s;
        double v = 7, l, h;
        dusk_memory_fail_at(n);
        bool done = went_through(
            dusk_model_score_release(&v, &l, &h, &s, DUSK_METRIC_ACCURACY, model, frame, &options, gen, &err),
            &err, n, 100);
        dusk_generator_free(gen);
        if (done) break;
        assert_true(v == 7);
    }
    dusk_frame_free(frame);
    dusk_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_noise_is_right),
        cmocka_unit_test(intervals_hold),
        cmocka_unit_test(no_rows),
        cmocka_unit_test(prices),
        cmocka_unit_test(refusals),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
