/* SPDX-License-Identifier: Apache-2.0 */
/* Networks that give rows back: how much comes back, in which units, what a code is, and what is refused. */
#include "learners.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 400, SETTINGS = 7 };

#define FIELDS "a numeric -1:3\nb numeric 0:10\nc numeric 0:1\nkind category x,y\n"

/* One number decides all of a row. */
static dusk_frame *make_frame(void)
{
    dusk_fields *fields;
    dusk_frame *frame;
    uint64_t seed = 5;
    assert_int_equal(dusk_fields_parse(&fields, FIELDS, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, ROWS, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS; i++) {
        const double u = (double)(splitmix64(&seed) >> 11) * 0x1p-53;
        frame->column[0].number[i] = -1 + 4 * u;
        frame->column[1].number[i] = 10 - 10 * u;
        frame->column[2].number[i] = u * u;
        frame->column[3].code[i] = u > 0.5;
    }
    dusk_fields_free(fields);
    return frame;
}

static dusk_train_options options_of(const char *const *settings, double epsilon)
{
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.epsilon = epsilon;
    o.delta = 1e-6;
    o.neighbours = DUSK_ADD_REMOVE;
    o.rows = ROWS;
    o.settings = settings;
    while (o.settings_count < SETTINGS && settings[o.settings_count]) o.settings_count++;
    return o;
}

static dusk_model *train(const char *const *settings, const dusk_frame *frame)
{
    const dusk_train_options o = options_of(settings, 1e6);
    dusk_generator *gen = seeded(7);
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    if (dusk_training_prepare(&training, "autoencoder", frame->fields, &o, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    dusk_generator_free(gen);
    return model;
}

static void test_rows_come_back(void **state)
{
    static const char *const settings[][SETTINGS] = {
        { "net=dense 1; tanh; dense 8; tanh; output", "rate=1", "steps=600", "learning_rate=1", "clip=10" },
        { "net=sigmoid; output", "rate=1", "steps=400", "learning_rate=1", "clip=10" }, /* a front */
    };
    dusk_frame *frame = make_frame();
    (void)state;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        dusk_model *model = train(settings[k], frame);
        dusk_model_scores scores;
        dusk_prediction back;
        assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
        if (!(scores.explained > 0.9)) fail_msg("%zu: %g", k, scores.explained);
        assert_true(scores.rows == ROWS && isnan(scores.accuracy) && isnan(scores.rmse));
        assert_int_equal(dusk_predict(&back, model, frame, NULL), DUSK_OK);
        assert_int_equal(back.columns, 5); /* kind=x, kind=y */
        for (size_t i = 0; i < ROWS; i++) {
            const double *row = back.value + 5 * i;
            assert_true(fabs(row[0] - frame->column[0].number[i]) < 0.8); /* in units of the fields */
            assert_true(fabs(row[1] - frame->column[1].number[i]) < 2);
            assert_true(row[0] >= -1 && row[0] <= 3 && row[1] >= 0 && row[1] <= 10);
        }
        dusk_prediction_clear(&back);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

/* The row as it comes back is what the last layer makes of the code. */
static void test_code(void **state)
{
    static const char *const settings[] = {
        "net=input 5; dense 2; output", "rate=1", "steps=60", "code=2", "clip=10", NULL
    };
    dusk_frame *frame = make_frame();
    dusk_model *model = train(settings, frame), *read;
    dusk_prediction code, same;
    dusk_model_scores scores;
    char *text;
    size_t rows, columns, length;
    double sum = 0, squares = 0, errors = 0, x;
    (void)state;
    assert_int_equal(dusk_predict(&code, model, frame, NULL), DUSK_OK);
    assert_int_equal(code.columns, 2);
    const double *w = dusk_model_array(model, "parameters", &rows, &columns) + 2 * 6;
    assert_int_equal(columns, 2 * 6 + 5 * 3);
    for (size_t i = 0; i < ROWS; i++) /* column 0, scaled to [-1, 1] */
    {
        const double back = w[0] * code.value[2 * i] + w[1] * code.value[2 * i + 1] + w[2];
        x = (frame->column[0].number[i] - 1) / 2;
        sum += x;
        squares += x * x;
        errors += (x - back) * (x - back);
    }
    assert_true(errors < 0.5 * (squares - sum * sum / ROWS));
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    assert_true(scores.explained > 0.5 && scores.explained < 1);
    assert_int_equal(dusk_model_format(model, &text, &length, NULL), DUSK_OK);
    assert_int_equal(dusk_model_parse(&read, text, length, NULL), DUSK_OK);
    assert_int_equal(dusk_predict(&same, read, frame, NULL), DUSK_OK);
    assert_memory_equal(same.value, code.value, ROWS * 2 * sizeof(double));
    dusk_prediction_clear(&code);
    dusk_prediction_clear(&same);
    dusk_ledger_free_text(text);
    dusk_model_free(model);
    dusk_model_free(read);
    dusk_frame_free(frame);
}

static void test_refused(void **state)
{
    static const struct {
        const char *learner, *label, *settings[SETTINGS], *part;
    } requests[] = {
        { "autoencoder", "kind", { "rate=1", "steps=3" }, "label" },
        { "autoencoder", NULL, { "rate=1", "steps=3", "net=dense 4" }, "gives 4 numbers, and 5 are needed" },
        { "autoencoder", NULL, { "rate=1", "steps=3", "range=raw" }, "raw numbers" },
        { "autoencoder", NULL, { "rate=1", "steps=3", "frozen=1" }, "frozen layers" },
        { "autoencoder", NULL, { "rate=1", "steps=3", "code=9" }, "no layer 9" },
        { "net", "kind", { "rate=1", "steps=3", "code=1" }, "what an autoencoder has" },
    };
    dusk_frame *frame = make_frame();
    (void)state;
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) {
        dusk_train_options o = options_of(requests[k].settings, 1);
        dusk_training *training = NULL;
        dusk_error err = { .message = "" };
        o.label = requests[k].label;
        assert_int_equal(dusk_training_prepare(&training, requests[k].learner, frame->fields, &o, &err),
                         DUSK_ERR_ARGUMENT);
        if (!strstr(err.message, requests[k].part)) fail_msg("%s", err.message);
        assert_true(err.hint[0] != 0);
        assert_null(training);
    }
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_come_back),
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
