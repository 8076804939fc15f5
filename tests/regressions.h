/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_REGRESSIONS_H
#define TESTS_REGRESSIONS_H

/* Frames of three numbers with awkward bounds and a label that is linear in them, and trainings on them. */

#include <math.h>

#include "dusk/learn.h"
#include "random/tape.h"
#include "support.h"

static const char regression_fields[] = "a numeric 0:1\nb numeric -1:0\nc numeric 5:6\ny numeric -10:10\n";

static inline double regression_uniform(uint64_t *seed) { return (double)(splitmix64(seed) >> 11) * 0x1p-53; }

/* Approximately normal, of deviation 1: enough for residuals. */
static inline double regression_normal(uint64_t *seed)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += regression_uniform(seed);
    return sum;
}

/* y = 2 a - 3 b + c - 4 + deviation * normal */
static inline double regression_truth(double a, double b, double c) { return 2 * a - 3 * b + c - 4; }

static inline dusk_frame *regression_frame(const char *text, size_t rows, double deviation, uint64_t seed)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        double x[3];
        for (size_t j = 0; j < 3; j++) {
            x[j] = fields->field[j].lower +
                   regression_uniform(&seed) * (fields->field[j].upper - fields->field[j].lower);
            frame->column[j].number[i] = x[j];
        }
        frame->column[3].number[i] =
            regression_truth(x[0], x[1], x[2]) + deviation * regression_normal(&seed);
    }
    dusk_fields_free(fields);
    return frame;
}

typedef struct regression_request {
    const char *learner, *label, *settings[6];
    double epsilon, delta;
    dusk_neighbours neighbours;
    uint64_t rows;
    bool idealised;
} regression_request;

static inline dusk_status regression_prepare(dusk_training **out, const regression_request *r,
                                             const dusk_fields *fields, dusk_error *err)
{
    dusk_train_options options;
    dusk_train_options_init(&options);
    options.label = r->label ? r->label : "y";
    options.epsilon = r->epsilon;
    options.delta = r->delta;
    options.neighbours = r->neighbours ? r->neighbours : DUSK_ADD_REMOVE;
    options.rows = r->rows;
    options.settings = r->settings;
    options.accept_idealised = r->idealised;
    while (options.settings_count < 6 && r->settings[options.settings_count]) options.settings_count++;
    return dusk_training_prepare(out, r->learner, fields, &options, err);
}

static inline dusk_model *regression_run(const regression_request *r, const dusk_frame *frame,
                                         dusk_generator *gen)
{
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    if (regression_prepare(&training, r, frame->fields, &err) != DUSK_OK) fail_msg("%s", err.message);
    assert_true(dusk_training_statement(training)->epsilon <= r->epsilon);
    if (dusk_training_run(training, &model, frame, gen, &err) != DUSK_OK) fail_msg("%s", err.message);
    dusk_training_free(training);
    return model;
}

static inline dusk_model *regression_train(const regression_request *r, const dusk_frame *frame,
                                           uint64_t seed)
{
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    dusk_model *model = regression_run(r, frame, gen);
    dusk_generator_free(gen);
    return model;
}

/* Number i of an array of one row. */
static inline double regression_number(const dusk_model *model, const char *name, size_t i)
{
    size_t rows, columns;
    const double *values = dusk_model_array(model, name, &rows, &columns);
    if (!values || rows != 1 || i >= columns) fail_msg("no number %zu of %s", i, name);
    return values[i];
}

static inline void regression_all_finite(const dusk_model *model)
{
    for (size_t i = 0; dusk_model_array_at(model, i); i++) {
        size_t rows, columns;
        const double *values = dusk_model_array(model, dusk_model_array_at(model, i), &rows, &columns);
        for (size_t k = 0; k < rows * columns; k++)
            if (!isfinite(values[k])) fail_msg("%s is not finite", dusk_model_array_at(model, i));
    }
}

static inline void regression_expect_refusal(const regression_request *r, const char *text,
                                             const char *sentence)
{
    dusk_fields *fields;
    dusk_training *training;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    assert_int_not_equal(regression_prepare(&training, r, fields, &err), DUSK_OK);
    assert_null(training);
    if (!strstr(err.message, sentence)) fail_msg("%s", err.message);
    assert_true(err.hint[0] != '\0');
    dusk_fields_free(fields);
}

#endif
