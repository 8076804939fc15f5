/* SPDX-License-Identifier: Apache-2.0 */
/* Boosting: right answers where privacy costs nothing, noise where it should be, and what is refused. */
#include <stdio.h>

#include "learners.h"

static dusk_model *train(const char *learner, const dusk_frame *frame, const char *label, double epsilon,
                         double delta, dusk_generator *gen)
{
    dusk_train_options o;
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    dusk_train_options_init(&o);
    o.label = label;
    o.epsilon = epsilon;
    o.delta = delta;
    o.neighbours = DUSK_ADD_REMOVE;
    if (dusk_training_prepare(&training, learner, frame->fields, &o, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, &err), DUSK_OK);
    dusk_training_free(training);
    return model;
}

static dusk_frame *frame_of(const char *text, size_t rows)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    dusk_fields_free(fields);
    return frame;
}

/* Sums of effects on a full grid are found to the last digits that the prior leaves. */
static void sums_of_effects_are_found(void **state)
{
    (void)state;
    enum { ROWS = 12000 };
    const double a[] = { -0.3, 0.1, 0.4 }, b[] = { 0.2, -0.25 };
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = frame_of("a category p,q,r\nb category s,t\ny numeric -1:1\n", ROWS);
    dusk_prediction prediction;
    for (size_t i = 0; i < ROWS; i++) {
        frame->column[0].code[i] = (int32_t)(i % 3);
        frame->column[1].code[i] = (int32_t)(i / 3 % 2);
        frame->column[2].number[i] = a[i % 3] + b[i / 3 % 2];
    }
    dusk_model *model = train("boosting_numbers", frame, "y", 1e6, 1e-6, gen);
    assert_int_equal(dusk_predict(&prediction, model, frame, NULL), DUSK_OK);
    assert_int_equal(prediction.columns, 1);
    for (size_t i = 0; i < 6; i++) assert_true(fabs(prediction.value[i] - frame->column[2].number[i]) < 0.01);
    dusk_prediction_clear(&prediction);
    dusk_model_free(model);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* With one column the probabilities are the shares of the categories, with and without delta. */
static void shares_are_found(void **state)
{
    (void)state;
    enum { ROWS = 40000 };
    const uint64_t tenths[] = { 1, 5, 8 };
    for (int pure = 0; pure < 2; pure++) {
        dusk_generator *gen = seeded(2);
        dusk_frame *frame = frame_of("a category p,q,r\ny category no,yes\n", ROWS);
        dusk_prediction prediction;
        for (size_t i = 0; i < ROWS; i++) {
            frame->column[0].code[i] = (int32_t)(i % 3);
            frame->column[1].code[i] = i / 3 % 10 < tenths[i % 3];
        }
        dusk_model *model = train("boosting", frame, "y", 1e6, pure ? 0 : 1e-6, gen);
        assert_int_equal(dusk_predict(&prediction, model, frame, NULL), DUSK_OK);
        assert_int_equal(prediction.columns, 2);
        for (size_t i = 0; i < 3; i++) {
            assert_true(fabs(prediction.value[2 * i + 1] - (double)tenths[i] / 10) < (pure ? 0.05 : 0.005));
            assert_true(fabs(prediction.value[2 * i] + prediction.value[2 * i + 1] - 1) < 1e-12);
        }
        dusk_prediction_clear(&prediction);
        dusk_model_free(model);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
}

/* A curve that no line follows. */
static void curves_are_found(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    dusk_generator *gen = seeded(3);
    dusk_frame *frame = frame_of("x numeric 0:1\ny category no,yes\n", ROWS);
    dusk_model_scores scores;
    for (size_t i = 0; i < ROWS; i++) {
        double x = ((double)i + 0.5) / ROWS;
        frame->column[0].number[i] = x;
        frame->column[1].code[i] = x > 0.25 && x < 0.75;
    }
    dusk_model *model = train("boosting", frame, "y", 2, 1e-6, gen);
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    assert_true(scores.accuracy > 0.95);
    dusk_model_free(model);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* Every released count varies over seeds at least as said, for all kinds of bounds; bins of other columns do not share it. */
static void every_count_has_noise(void **state)
{
    (void)state;
    enum { SEEDS = 200 };
    const char *text = "a numeric 0:1\nb numeric -1:0\nc numeric 5:6\ny category no,yes\n";
    dusk_frame *frame = frame_of(text, 50);
    dusk_train_options o;
    dusk_training *training;
    size_t rows, columns = 0;
    static double sum[400], square[400];
    dusk_train_options_init(&o);
    o.label = "y";
    o.epsilon = 1;
    o.neighbours = DUSK_ADD_REMOVE;
    o.delta = 1e-6;
    const char *settings[] = { "bins=3", "rounds=1" };
    o.settings = settings;
    o.settings_count = 2;
    assert_int_equal(dusk_training_prepare(&training, "boosting", frame->fields, &o, NULL), DUSK_OK);
    for (uint64_t s = 0; s < SEEDS; s++) {
        dusk_generator *gen = seeded(100 + s);
        dusk_model *model;
        assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
        const double *counts = dusk_model_array(model, "counts", &rows, &columns);
        assert_true(columns <= 400);
        for (size_t v = 0; v < columns; v++) {
            sum[v] += counts[v];
            square[v] += counts[v] * counts[v];
        }
        dusk_model_free(model);
        dusk_generator_free(gen);
    }
    /* gaussian(1 / mu): share 0.1 over three columns; mu at (1, 1e-6) is about 0.223 */
    double sigma = sqrt(3 / 0.1) / 0.223;
    for (size_t v = 0; v < columns; v++) {
        double variance = (square[v] - sum[v] * sum[v] / SEEDS) / (SEEDS - 1);
        assert_true(variance > 0.5 * sigma * sigma && variance < 1.7 * sigma * sigma);
    }
    dusk_training_free(training);
    dusk_frame_free(frame);
}

static void odd_requests_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *fields, *setting;
    } bad[] = {
        { "y category no,yes\n", "bins=4" },
        { "x numeric 0:1\ny category no,yes\n", "bins=0" },
        { "x numeric 0:1\ny category no,yes,maybe\n", "bins=4" },
        { "x numeric 0:1\ny category no,yes\n", "counts_share=0.99" },
        { "x numeric 0:1\ny numeric 0:1\n", "bins=4" },
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        dusk_frame *frame = frame_of(bad[k].fields, 0);
        dusk_train_options o;
        dusk_training *training;
        dusk_train_options_init(&o);
        o.label = "y";
        o.epsilon = 1;
        o.neighbours = DUSK_ADD_REMOVE;
        o.settings = &bad[k].setting;
        o.settings_count = 1;
        assert_int_equal(dusk_training_prepare(&training, "boosting", frame->fields, &o, NULL),
                         DUSK_ERR_ARGUMENT);
        assert_null(training);
        dusk_frame_free(frame);
    }
}

/* No rows, one class only, numbers that never change, labels that are no numbers: a model all the same. */
static void odd_rows_give_a_model(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int numeric = 0; numeric < 2; numeric++) {
            dusk_generator *gen = seeded(4);
            dusk_frame *frame =
                frame_of(numeric ? "x numeric 0:1\ny numeric 0:1\n" : "x numeric 0:1\ny category no,yes\n",
                         kind == 0 ? 0 : 20);
            dusk_prediction prediction;
            for (size_t i = 0; kind == 2 && i < 20; i++) {
                frame->column[0].number[i] = NAN;
                if (numeric)
                    frame->column[1].number[i] = NAN;
                else
                    frame->column[1].code[i] = -1;
            }
            dusk_model *model = train(numeric ? "boosting_numbers" : "boosting", frame, "y", 1, 1e-6, gen);
            assert_int_equal(dusk_predict(&prediction, model, frame, NULL), DUSK_OK);
            for (size_t i = 0; i < prediction.rows * prediction.columns; i++)
                assert_true(prediction.value[i] >= 0 && prediction.value[i] <= 1);
            dusk_prediction_clear(&prediction);
            dusk_model_free(model);
            dusk_frame_free(frame);
            dusk_generator_free(gen);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_effects_are_found), cmocka_unit_test(shares_are_found),
        cmocka_unit_test(curves_are_found),          cmocka_unit_test(every_count_has_noise),
        cmocka_unit_test(odd_requests_are_refused),  cmocka_unit_test(odd_rows_give_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
