/* SPDX-License-Identifier: Apache-2.0 */
/* Networks as learners: what could not be carried through is refused before a row is read; threads change nothing; weights that ran away
 * still are a model. */
#include "learners.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 700, SETTINGS = 6 };

typedef struct request {
    double epsilon;
    const char *settings[SETTINGS];
    const char *part; /* of the message of a refusal */
} request;

static dusk_train_options options_of(const request *r)
{
    dusk_train_options o = learners_options(dusk_learner_named("net"), r->epsilon, 1e-6);
    o.settings = r->settings;
    o.settings_count = 0;
    while (o.settings_count < SETTINGS && r->settings[o.settings_count]) o.settings_count++;
    return o;
}

static dusk_model *train(const request *r, const dusk_frame *frame)
{
    const dusk_train_options o = options_of(r);
    dusk_generator *gen = seeded(7);
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    if (dusk_training_prepare(&training, "net", frame->fields, &o, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    dusk_generator_free(gen);
    return model;
}

static dusk_frame *make_frame(size_t rows)
{
    dusk_generator *gen = seeded(3);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, rows, gen);
    dusk_generator_free(gen);
    return frame;
}

static void test_refused(void **state)
{
    static const request requests[] = {
        { 0.001, { "rate=1", "steps=3" }, "would drown every gradient" },
        { 1, { "rate=1", "steps=10000000" }, "would drown every gradient" },
        { 1, { "rate=1e-9" }, "so many epochs take 1e+10 steps" },
        { 1, { "rate=1e-300" }, "a sample that every row is in with chance 1e-300 has never any" },
        { 1, { "rate=0.001", "epochs=1000000" }, "so many epochs take 1e+09 steps" },
    };
    dusk_frame *frame = make_frame(1);
    (void)state;
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) {
        const dusk_train_options o = options_of(&requests[k]);
        dusk_training *training = NULL;
        dusk_error err = { .message = "" };
        assert_int_equal(dusk_training_prepare(&training, "net", frame->fields, &o, &err), DUSK_ERR_ARGUMENT);
        if (!strstr(err.message, requests[k].part)) fail_msg("%s", err.message);
        assert_true(err.hint[0] != 0);
        assert_null(training);
    }
    dusk_frame_free(frame);
}

/* Sums are of whole numbers, so that it does not matter who adds up what. (One thread alone draws other noise.) */
static void test_threads(void **state)
{
    static const char *const nets[] = { "net=dense 9; tanh; output",
                                        "net=input 6 1; tanh; dense 7 each; relu; conv1d 3 2; output" };
    static const char *const clippings[] = { "clipping=flat", "clipping=layers", "clipping=adaptive" };
    dusk_frame *frame = make_frame(ROWS);
    size_t rows, columns;
    (void)state;
    for (size_t k = 0; k < 6; k++) {
        const request two = { 1,
                              { nets[k % 2], clippings[k / 2], "rate=0.9", "steps=3", "threads=2" },
                              NULL };
        request more = two;
        more.settings[4] = k % 2 ? "threads=3" : "threads=5";
        dusk_model *a = train(&two, frame), *b = train(&more, frame);
        const double *v = dusk_model_array(a, "parameters", &rows, &columns);
        assert_memory_equal(v, dusk_model_array(b, "parameters", &rows, &columns), columns * sizeof *v);
        dusk_model_free(a);
        dusk_model_free(b);
    }
    dusk_frame_free(frame);
}

/* Weights of any size up to beyond all floats, as steps go by; what they predict are numbers. */
static void test_ran_away(void **state)
{
    dusk_frame *frame = make_frame(50);
    (void)state;
    for (int steps = 1; steps < 20; steps += 2) {
        char text[24];
        snprintf(text, sizeof text, "steps=%d", steps);
        const request wild = { 1,
                               { "net=dense 4; relu; dense 3; relu; output", "learning_rate=1e6", "decay=1",
                                 "rate=1", text },
                               NULL };
        dusk_model *model = train(&wild, frame);
        dusk_prediction said;
        size_t rows, columns;
        const double *v = dusk_model_array(model, "parameters", &rows, &columns);
        for (size_t j = 0; j < columns; j++) assert_true(fabs(v[j]) <= 0x1p100);
        assert_int_equal(dusk_predict(&said, model, frame, NULL), DUSK_OK);
        for (size_t j = 0; j < said.rows * said.columns; j++) assert_true(isfinite(said.value[j]));
        dusk_prediction_clear(&said);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_ran_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
