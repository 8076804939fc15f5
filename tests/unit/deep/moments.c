/* SPDX-License-Identifier: Apache-2.0 */
/* A layer `standard`: channels of features get mean 0 and deviation 1 where the budget allows to see them; a share of the budget pays, for as many sums as there are; rows that
 * are longer than the clip count as if they were as long; a start that has the layer brings its numbers, and nothing is paid. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "learners.h"

enum { ROWS = 4000 };
#define FIELDS "a numeric -4:4\nb numeric 0:1\nc category x,y\n"
#define CLIP_LARGE "standard clip 20"

static dusk_frame *frame_of(const dusk_fields *fields, size_t rows)
{
    dusk_frame *frame;
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        frame->column[0].number[i] = i % 2 ? -1 : 3; /* -0.25 and 0.75 in [-1, 1]: mean 0.25, deviation 0.5 */
        frame->column[1].number[i] = i % 4 < 2 ? 0.25 : 0.5; /* -0.5 and 0: mean -0.25, deviation 0.25 */
        frame->column[2].code[i] = (int32_t)(i % 2);
    }
    return frame;
}

static dusk_training *prepare(const dusk_fields *fields, double epsilon, size_t count,
                              const char *const *settings, dusk_error *err)
{
    dusk_train_options o = learners_options(dusk_learner_named("net"), epsilon, 1e-6);
    dusk_training *training = NULL;
    o.label = "c";
    o.rows = ROWS;
    o.settings = settings;
    o.settings_count = count;
    if (dusk_training_prepare(&training, "net", fields, &o, err) != DUSK_OK) assert_null(training);
    return training;
}

static dusk_model *run(dusk_training *training, const dusk_frame *frame)
{
    dusk_generator *gen = seeded(4);
    dusk_model *model;
    dusk_error err = { .message = "" };
    if (dusk_training_run(training, &model, frame, gen, &err) != DUSK_OK) fail_msg("%s", err.message);
    dusk_generator_free(gen);
    dusk_training_free(training);
    return model;
}

static dusk_fields *parse(void)
{
    dusk_fields *fields;
    assert_int_equal(dusk_fields_parse(&fields, FIELDS, NULL), DUSK_OK);
    return fields;
}

static const double *parameters_of(const dusk_model *model)
{
    size_t rows, columns;
    return dusk_model_array(model, "parameters", &rows, &columns);
}

/* Two channels of one place, or one of two places. */
static void channels_are_standard(void **state)
{
    const char *const plain[] = { "net=" CLIP_LARGE "; output", "rate=1", "steps=1" };
    const char *const places[] = { "net=input 2 1; tanh; " CLIP_LARGE "; output", "rate=1", "steps=1" };
    dusk_fields *fields = parse();
    dusk_frame *frame = frame_of(fields, ROWS);
    (void)state;
    dusk_model *model = run(prepare(fields, 5e4, 3, plain, NULL), frame);
    const double *w = parameters_of(model);
    assert_true(fabs(w[0] - 0.25) < 0.01 && fabs(w[1] + 0.25) < 0.01);
    assert_true(fabs(w[2] - 2) < 0.1 && fabs(w[3] - 4) < 0.5);
    dusk_model_free(model);
    model = run(prepare(fields, 5e4, 3, places, NULL), frame);
    double mean = 0, square = 0;
    for (int k = 0; k < 4; k++) {
        const double x = tanh((const double[]){ -0.25, 0.75, -0.5, 0 }[k]);
        mean += x / 4;
        square += x * x / 4;
    }
    w = parameters_of(model);
    assert_true(fabs(w[0] - mean) < 0.01 && fabs(w[1] - 1 / sqrt(square - mean * mean)) < 0.1);
    dusk_model_free(model);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
}

/* With a clip of 0.1 a row counts with 0.1 of its direction. */
static void long_rows_are_held_down(void **state)
{
    const char *const settings[] = { "net=standard clip 0.1; output", "rate=1", "steps=1" };
    dusk_fields *fields = parse();
    dusk_frame *frame = frame_of(fields, ROWS);
    double mean[2] = { 0 };
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double a = k % 2 ? -0.25 : 0.75, b = k < 2 ? -0.5 : 0;
        const double length = sqrt(a * a + b * b + a * a * a * a + b * b * b * b);
        mean[0] += 0.1 * a / length / 4;
        mean[1] += 0.1 * b / length / 4;
    }
    dusk_model *model = run(prepare(fields, 5e4, 3, settings, NULL), frame);
    const double *w = parameters_of(model);
    assert_true(fabs(w[0] - mean[0]) < 1e-3 && fabs(w[1] - mean[1]) < 1e-3);
    dusk_model_free(model);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
}

/* A column that never changes is not blown up by noise. */
static void noise_is_no_deviation(void **state)
{
    const char *const settings[] = { "net=standard; output", "rate=1", "steps=1" };
    dusk_fields *fields = parse();
    dusk_frame *frame = frame_of(fields, ROWS);
    (void)state;
    for (size_t i = 0; i < ROWS; i++) frame->column[1].number[i] = 0.5;
    dusk_model *model = run(prepare(fields, 1, 3, settings, NULL), frame);
    assert_true(parameters_of(model)[3] < 30);
    dusk_model_free(model);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
}

/* What is said of a plan, and what it leaves to the steps. */
static void a_share_pays(void **state)
{
    const char *const with[] = { "net=standard; output", "rate=1", "steps=4", "scaling_share=0.19" };
    const char *const without[] = { "net=output", "rate=1", "steps=4" };
    dusk_fields *fields = parse();
    dusk_training *training[2] = { prepare(fields, 1, 4, with, NULL), prepare(fields, 1, 3, without, NULL) };
    double noise[3];
    (void)state;
    for (int k = 0; k < 2; k++) {
        char *text;
        assert_int_equal(dusk_training_explain(training[k], &text, NULL), DUSK_OK);
        const char *steps = strstr(text, "with noise of ");
        if (k == 0) {
            assert_non_null(strstr(text, "means and squares of 2 channels"));
            assert_int_equal(sscanf(steps, "with noise of %lf times that", &noise[2]), 1);
            steps = strstr(steps + 1, "with noise of ");
        }
        assert_int_equal(sscanf(steps, "with noise of %lf times that", &noise[k]), 1);
        dusk_ledger_free_text(text);
        dusk_training_free(training[k]);
    }
    assert_true(fabs(noise[0] / noise[1] - 1 / 0.9) < 0.002);            /* of mu^2 0.81 is left */
    assert_true(fabs(noise[2] / noise[1] - sqrt(1 / 0.19) / 2) < 0.002); /* one release of 0.19 */
    dusk_fields_free(fields);
}

static void a_start_brings_its_numbers(void **state)
{
    char path[] = "/tmp/dusk-moments-XXXXXX", start[80];
    const char *const first[] = { "net=standard; dense 3; tanh; output", "rate=1", "steps=1" };
    const char *second[] = { "net=standard; dense 3; tanh; dense 4; output", "rate=1", "steps=1", start,
                             "start_is=public" };
    dusk_fields *fields = parse();
    dusk_frame *frame = frame_of(fields, ROWS);
    dusk_error err = { .message = "" };
    (void)state;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    snprintf(start, sizeof start, "start=%s", path);
    dusk_model *model = run(prepare(fields, 10, 3, first, NULL), frame);
    assert_int_equal(dusk_model_write(model, path, NULL), DUSK_OK);
    dusk_training *training = prepare(fields, 1, 5, second, &err);
    if (!training) fail_msg("%s", err.message);
    char *text;
    assert_int_equal(dusk_training_explain(training, &text, NULL), DUSK_OK);
    assert_null(strstr(text, "means and squares"));
    dusk_ledger_free_text(text);
    dusk_model *next = run(training, frame);
    for (int j = 0; j < 4; j++) assert_true(parameters_of(next)[j] == parameters_of(model)[j]);
    dusk_model_free(model);
    dusk_model_free(next);
    unlink(path);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
}

static void refuse(const dusk_fields *fields, const char *net, const char *setting, const char *message)
{
    char text[200];
    const char *settings[] = { text, setting };
    dusk_error err = { .message = "" };
    snprintf(text, sizeof text, "net=%s", net);
    dusk_training *training = prepare(fields, 1, setting ? 2 : 1, settings, &err);
    if (training || !strstr(err.message, message)) fail_msg("%s: %s", net, err.message);
}

static void places_where_it_cannot_stand(void **state)
{
    dusk_fields *fields = parse();
    (void)state;
    refuse(fields, "dense 4; standard; output", NULL, "layer 2 (standard): what comes before it changes");
    refuse(fields, "dropout 0.5; standard; output", NULL, "layer 2 (standard): what comes before it changes");
    refuse(fields, "standard; tanh; standard; output", NULL, "layer 3 (standard): there is another one");
    refuse(fields, "residual; tanh; standard; add; output", NULL, "layer 3 (standard): it stands within");
    refuse(fields, "standard clip 0; output", NULL, "layer 1 (standard): clip is a number from 1e-06");
    refuse(fields, "standard; tanh", NULL, "the network has nothing to learn");
    refuse(fields, "dense 2; standard", "frozen=1", "the network has nothing to learn");
    dusk_training *training =
        prepare(fields, 1, 2, (const char *const[]){ "net=dense 4; standard; output", "frozen=1" }, NULL);
    assert_non_null(training);
    dusk_training_free(training);
    dusk_fields_free(fields);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_are_standard),      cmocka_unit_test(long_rows_are_held_down),
        cmocka_unit_test(noise_is_no_deviation),      cmocka_unit_test(a_share_pays),
        cmocka_unit_test(a_start_brings_its_numbers), cmocka_unit_test(places_where_it_cannot_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
