/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TOY_MODELS_H
#define TESTS_TOY_MODELS_H

/* Models made by hand, of learners that are listed nowhere: what they say of a row is plain to see, so that tests of
 * predictions, scores and files know the right answer. Fields: a number x in [0, 10], a category c of a, b; and the label y
 * (a category no, yes, or a number in [-5, 5]) before both. */

#include <math.h>

#include "learn/learner.h"
#include "support.h"

#define TOY_CLASSES "y category no,yes\nx numeric 0:10\nc category a,b\n"
#define TOY_NUMBERS "y numeric -5:5\nx numeric 0:10\nc category a,b\n"
#define TOY_PLAIN "x numeric 0:10\nc category a,b\n"

static inline size_t toy_two(const dusk_model *model)
{
    (void)model;
    return 2;
}
static inline size_t toy_one(const dusk_model *model)
{
    (void)model;
    return 1;
}
static inline bool toy_complete(const dusk_model *model)
{
    (void)model;
    return true;
}

/* x / 10 is the probability of yes; a missing x is 0. */
static inline dusk_status toy_classes(const dusk_model *model, const dusk_frame *frame, double *out,
                                      dusk_error *err)
{
    (void)model;
    (void)err;
    for (size_t i = 0; i < frame->rows; i++) {
        double x = frame->column[1].number[i];
        out[2 * i + 1] = isnan(x) ? 0 : x / 10;
        out[2 * i] = 1 - out[2 * i + 1];
    }
    return DUSK_OK;
}

/* x, and one more for b. */
static inline dusk_status toy_numbers(const dusk_model *model, const dusk_frame *frame, double *out,
                                      dusk_error *err)
{
    (void)model;
    (void)err;
    for (size_t i = 0; i < frame->rows; i++)
        out[i] = frame->column[1].number[i] + (frame->column[2].code[i] == 1);
    return DUSK_OK;
}

/* Group 1 from x = 5 on. */
static inline dusk_status toy_groups(const dusk_model *model, const dusk_frame *frame, double *out,
                                     dusk_error *err)
{
    (void)model;
    (void)err;
    for (size_t i = 0; i < frame->rows; i++) {
        out[2 * i + 1] = frame->column[0].number[i] >= 5;
        out[2 * i] = 1 - out[2 * i + 1];
    }
    return DUSK_OK;
}

static inline dusk_status toy_density(const dusk_model *model, const dusk_frame *frame, double *out,
                                      dusk_error *err)
{
    (void)model;
    (void)err;
    for (size_t i = 0; i < frame->rows; i++) out[i] = -frame->column[0].number[i];
    return DUSK_OK;
}

/* The coordinate along "components", as a learner of vectors has it. */
static inline dusk_status toy_vectors(const dusk_model *model, const dusk_frame *frame, double *out,
                                      dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t k, d;
    const double *part = dusk_model_array(model, "components", &k, &d);
    learn_matrix matrix = { .bound = 0 };
    if ((status = learn_matrix_make_all(&matrix, &model->features, frame, err)) != DUSK_OK) return status;
    for (size_t i = 0; i < frame->rows; i++) {
        out[i] = 0;
        for (size_t j = 0; j < d; j++) out[i] += (double)matrix.rows.x[i * d + j] / LEARN_ONE * part[j];
    }
    learn_matrix_clear(&matrix);
    return status;
}

static const dusk_setting toy_settings[] = { { NULL, NULL, NULL, 0, 0, false, NULL } };

#define TOY(task_, outputs_, predict_)                                                                       \
    {                                                                                                        \
        .shown = { "toy", task_, DUSK_NUMERICS_EXACT, "a toy", "", toy_settings }, .outputs = outputs_,      \
        .predict = predict_, .complete = toy_complete                                                        \
    }
static const learn_learner toy_binary = TOY(DUSK_TASK_BINARY, toy_two, toy_classes);
static const learn_learner toy_number = TOY(DUSK_TASK_NUMBER, toy_one, toy_numbers);
static const learn_learner toy_group = TOY(DUSK_TASK_GROUPS, toy_two, toy_groups);
static const learn_learner toy_vector = TOY(DUSK_TASK_VECTOR, toy_one, toy_vectors);
static const learn_learner toy_likely = TOY(DUSK_TASK_DENSITY, toy_one, toy_density);

static inline dusk_fields *toy_fields(const char *text)
{
    dusk_fields *fields;
    dusk_error err = { .message = "" };
    if (dusk_fields_parse(&fields, text, &err) != DUSK_OK) fail_msg("%s", err.message);
    return fields;
}

/* A model on these fields; the label is the field y. Without a label rows are encoded. */
static inline dusk_model *toy_model(const learn_learner *learner, const char *text)
{
    dusk_fields *fields = toy_fields(text);
    dusk_model *model;
    dusk_event event;
    size_t label = dusk_fields_find(fields, "y");
    assert_int_equal(learn_model_new(&model, learner, fields, label, NULL), DUSK_OK);
    assert_int_equal(dusk_event_pure(&event, 1, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&model->statement, &event, 0, DUSK_ADD_REMOVE, "row", NULL),
                     DUSK_OK);
    if (label == DUSK_NO_LINK)
        assert_int_equal(learn_features_init(&model->features, model->fields, label, false, 0, NULL),
                         DUSK_OK);
    assert_int_equal(learn_model_names(model, NULL), DUSK_OK);
    dusk_fields_free(fields);
    return model;
}

static inline dusk_frame *toy_frame(const char *text, size_t rows)
{
    dusk_fields *fields = toy_fields(text);
    dusk_frame *frame;
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    dusk_fields_free(fields);
    return frame;
}

#endif
