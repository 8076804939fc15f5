/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SPECTRAL_H
#define TESTS_SPECTRAL_H

/* Trainings without a label, on frames of numbers that a function says, and jobs without a learner. */

#include <math.h>
#include <stdio.h>

#include "dusk/learn.h"
#include "learn/learner.h"
#include "seeded.h"

static inline dusk_frame *frame_of(const char *text, size_t rows)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    dusk_fields_free(fields);
    return frame;
}

/* Uniform on (-1, 1). */
static inline double even(uint64_t *seed) { return (double)(splitmix64(seed) >> 11) * 0x1p-52 - 1; }

/* Settings are "a=1 b=2"; the status of the plan where it is refused. */
static inline dusk_status try_training(dusk_model **out, const char *learner, const dusk_frame *frame,
                                       double epsilon, double delta, const char *settings, uint64_t seed,
                                       dusk_error *err)
{
    char text[256], *at = text;
    const char *words[16];
    dusk_train_options o;
    dusk_training *training;
    dusk_train_options_init(&o);
    snprintf(text, sizeof text, "%s", settings);
    for (char *word; (word = strtok_r(at, " ", &at));) words[o.settings_count++] = word;
    o.settings = words;
    o.epsilon = epsilon;
    o.delta = delta;
    o.neighbours = DUSK_ADD_REMOVE;
    o.accept_idealised = true;
    *out = NULL;
    dusk_status status = dusk_training_prepare(&training, learner, frame->fields, &o, err);
    if (status != DUSK_OK) return status;
    dusk_generator *gen = seeded(seed);
    status = dusk_training_run(training, out, frame, gen, err);
    dusk_generator_free(gen);
    dusk_training_free(training);
    return status;
}

static inline dusk_model *trained(const char *learner, const dusk_frame *frame, double epsilon, double delta,
                                  const char *settings, uint64_t seed)
{
    dusk_model *model;
    dusk_error err = { .message = "" };
    if (try_training(&model, learner, frame, epsilon, delta, settings, seed, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    return model;
}

/* An array of a model, of that shape and finite. */
static inline const double *array_of(const dusk_model *model, const char *name, size_t rows, size_t columns)
{
    size_t r, c;
    const double *x = dusk_model_array(model, name, &r, &c);
    assert_non_null(x);
    assert_int_equal(r, rows);
    assert_int_equal(c, columns);
    for (size_t i = 0; i < r * c; i++) assert_true(isfinite(x[i]));
    return x;
}

/* A job with a budget and features, for what learners are made of. */
static inline learn_job job_of(const dusk_frame *frame, bool constant, double epsilon, double delta)
{
    learn_job job = { .fields = frame->fields, .label = DUSK_NO_LINK };
    assert_int_equal(learn_budget_init(&job.budget, DUSK_ADD_REMOVE, epsilon, delta, 1, NULL), DUSK_OK);
    assert_int_equal(learn_features_init(&job.features, frame->fields, DUSK_NO_LINK, constant, 0, NULL),
                     DUSK_OK);
    return job;
}

static inline void end_job(learn_job *job)
{
    learn_features_clear(&job->features);
    dusk_buffer_clear(&job->said);
}

#endif
