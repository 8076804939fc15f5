/* SPDX-License-Identifier: Apache-2.0 */
/* Rates that nobody gave: noise moves parameters by as much as is said, whatever the noise, the clip, the optimiser and the schedule are; and no rate is longer than one that works
 * without noise. Trainings are of nobody, so that parameters are noise and nothing else. */
#include "deep/learning_rate.h"

#include <math.h>

#include "learners.h"

enum { ROWS = 200, NUMBERS = 4002, SETTINGS = 6 };

typedef struct request {
    const char *setting[SETTINGS];
    double least, most; /* how far parameters are from 0, where they began */
} request;

/* A walk of 4002 numbers is within 7 % of its expected length but in one of 10^7; with momentum its end is missing, and methods that divide are held to no more than its size. */
static const request requests[] = {
    { { "momentum=0" }, 13.9, 16.1 },
    { { "momentum=0.9" }, 12, 16.1 },
    { { "momentum=0", "clip=0.01" }, 13.9, 16.1 },
    { { "momentum=0", "clip=30", "steps=20" }, 13.9, 16.1 },
    { { "momentum=0", "schedule=root" }, 13.9, 16.1 },
    { { "momentum=0", "schedule=cosine", "warm_up=0.3", "cool_down=0.2" }, 13.9, 16.1 },
    { { "momentum=0", "noise_fall=0.2" }, 13.9, 16.1 },
    { { "momentum=0", "sampler=shuffled", "correlation=bands", "bands=8" }, 13.9, 16.1 },
    { { "momentum=0", "sampler=shuffled", "correlation=tree" }, 13.9, 16.1 },
    { { "optimiser=adam", "rate=0.01", "steps=400" }, 8, 25 },
    { { "optimiser=adam_unbiased", "rate=0.01", "steps=400" }, 4, 40 },
    { { "optimiser=adagrad", "rate=0.01", "steps=400" }, 8, 25 },
};

static dusk_training *prepared(const request *r, const dusk_fields *fields, uint64_t rows, double epsilon,
                               bool plain)
{
    const char *settings[SETTINGS + 1] = { "net=output" };
    dusk_train_options o;
    dusk_training *training;
    dusk_error err;
    dusk_train_options_init(&o);
    while (o.settings_count < SETTINGS && r->setting[o.settings_count]) {
        settings[o.settings_count + 1] = r->setting[o.settings_count];
        o.settings_count++;
    }
    o.settings = settings;
    o.settings_count++;
    o.label = "y";
    o.rows = rows;
    o.neighbours = DUSK_REPLACE_ONE;
    o.epsilon = plain ? 0 : epsilon;
    o.delta = plain ? 0 : 1e-5;
    o.no_privacy = plain;
    if (dusk_training_prepare(&training, "net", fields, &o, &err) != DUSK_OK) fail_msg("%s", err.message);
    return training;
}

static dusk_frame *nobody(void)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, "x[2000] numeric -1:1\ny category no,yes\n", NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, 0, NULL), DUSK_OK);
    dusk_fields_free(fields);
    return frame;
}

static double length_of(const dusk_model *model)
{
    size_t rows, columns;
    double square = 0;
    const double *p = dusk_model_array(model, "parameters", &rows, &columns);
    assert_true(rows * columns == NUMBERS);
    for (size_t j = 0; j < NUMBERS; j++) square += p[j] * p[j];
    return sqrt(square);
}

static void noise_walks_as_far_as_is_said(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(21);
    dusk_frame *frame = nobody();
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) {
        dusk_training *training = prepared(&requests[k], frame->fields, ROWS, 1, false);
        dusk_model *model;
        assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
        const double length = length_of(model);
        if (!(length >= requests[k].least && length <= requests[k].most)) fail_msg("%zu: %g", k, length);
        dusk_model_free(model);
        dusk_training_free(training);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* The rate in the model; or 0, where one was given. */
static double rate_of(const request *r, const dusk_frame *frame, uint64_t rows, double epsilon, bool plain,
                      dusk_generator *gen)
{
    dusk_training *training = prepared(r, frame->fields, rows, epsilon, plain);
    size_t n, columns;
    dusk_model *model;
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    const double *found = dusk_model_array(model, "learning_rate", &n, &columns);
    const double rate = found ? *found : 0;
    dusk_model_free(model);
    dusk_training_free(training);
    return rate;
}

static void no_rate_is_too_long(void **state)
{
    (void)state;
    static const struct {
        request request;
        double private, plain;
    } most[] = {
        { { .setting = { "steps=5", "rate=1" } }, 1, 0.1 },
        { { .setting = { "steps=5", "rate=1", "clip=0.25" } }, 4, 0.1 },
        { { .setting = { "steps=5", "rate=1", "clip=4" } }, 1, 0.1 },
        { { .setting = { "steps=5", "rate=1", "optimiser=adamw" } }, 0.03, 0.001 },
        { { .setting = { "steps=5", "rate=1", "optimiser=adam_unbiased" } }, 0.01, 0.001 },
        { { .setting = { "steps=5", "rate=1", "optimiser=adagrad" } }, 0.1, 0.01 },
        { { .setting = { "steps=5", "rate=1", "learning_rate=0.3" } }, 0, 0 },
    };
    dusk_generator *gen = seeded(22);
    dusk_frame *frame = nobody();
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        assert_true(rate_of(&most[k].request, frame, 100000000, 8, false, gen) == most[k].private);
        assert_true(rate_of(&most[k].request, frame, ROWS, 1, true, gen) == most[k].plain);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_walks_as_far_as_is_said),
        cmocka_unit_test(no_rate_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
