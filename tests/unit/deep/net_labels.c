/* SPDX-License-Identifier: Apache-2.0 */
/* Several labels at once: each is learned as if it were alone, none is learned from, missing ones say nothing. */
#include "learners.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 300 };

#define FIELDS                                                                                               \
    "a category no,yes\nx numeric -1:1\nb category no,yes\nz numeric 0:10\nc category off,on\nkind "         \
    "category "                                                                                              \
    "p,q,r\n"
enum { A, X, B, Z, C, KIND };

static dusk_frame *make_frame(void)
{
    dusk_fields *fields;
    dusk_frame *frame;
    uint64_t seed = 5;
    assert_int_equal(dusk_fields_parse(&fields, FIELDS, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, ROWS, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS; i++) {
        const double x = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1;
        const double z = (double)(splitmix64(&seed) >> 11) * 0x1p-53 * 10;
        frame->column[X].number[i] = x;
        frame->column[Z].number[i] = z;
        frame->column[A].code[i] = i % 7 == 0 ? -1 : x > 0.3;
        frame->column[B].code[i] = z < 4;
        frame->column[C].code[i] = i % 11 == 0 ? -1 : 2 * x + z / 5 > 1;
        frame->column[KIND].code[i] = (int32_t)(splitmix64(&seed) % 3);
    }
    dusk_fields_free(fields);
    return frame;
}

static const char *const settings[] = { "net=output", "rate=1", "steps=80", "learning_rate=2", "clip=20" };

static dusk_train_options options_of(const char *label, bool privacy)
{
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.label = label;
    o.epsilon = privacy ? 1e6 : 0;
    o.no_privacy = !privacy;
    o.delta = privacy ? 1e-6 : 0;
    o.neighbours = DUSK_ADD_REMOVE;
    o.rows = ROWS;
    o.settings = settings;
    o.settings_count = sizeof settings / sizeof *settings;
    return o;
}

static dusk_model *train(const char *label, bool privacy, const dusk_frame *frame)
{
    const dusk_train_options o = options_of(label, privacy);
    dusk_generator *gen = seeded(7);
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    if (dusk_training_prepare(&training, "net_labels", frame->fields, &o, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    dusk_generator_free(gen);
    return model;
}

static double accuracy_of(const dusk_model *model, const dusk_frame *frame)
{
    dusk_model_scores scores;
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    assert_int_equal(scores.rows, ROWS); /* every row has some label */
    assert_true(scores.majority > 0.5 && scores.majority < 0.8 && scores.log_loss < 0.5);
    return scores.accuracy;
}

/* By private training, in the order of the fields, from rows that have no labels, and after being read from a file. */
static void test_learned(void **state)
{
    static const char *const features[] = { "x", "z", "kind" };
    dusk_frame *frame = make_frame(), bare = { .rows = ROWS };
    dusk_model *model = train("c,a,b", true, frame), *read;
    dusk_frame_column column[3] = { frame->column[X], frame->column[Z], frame->column[KIND] };
    dusk_fields *fields;
    dusk_prediction all, same;
    char *text;
    size_t length, rows, columns, right = 0, known = 0;
    (void)state;
    assert_true(accuracy_of(model, frame) > 0.93);
    (void)dusk_model_array(model, "parameters", &rows, &columns);
    assert_int_equal(columns, 3 * (5 + 1)); /* x, z and three kinds: no label */
    assert_true(dusk_model_label(model) == DUSK_NO_LINK && dusk_model_is_label(model, A) &&
                dusk_model_is_label(model, C) && !dusk_model_is_label(model, X));
    assert_int_equal(dusk_fields_copy(&fields, frame->fields, features, 3, NULL), DUSK_OK);
    bare.fields = fields;
    bare.column = column;
    assert_int_equal(dusk_model_format(model, &text, &length, NULL), DUSK_OK);
    assert_int_equal(dusk_model_parse(&read, text, length, NULL), DUSK_OK);
    assert_int_equal(dusk_predict(&all, model, frame, NULL), DUSK_OK);
    assert_int_equal(dusk_predict(&same, read, &bare, NULL), DUSK_OK);
    assert_int_equal(all.columns, 3);
    assert_memory_equal(all.value, same.value, ROWS * 3 * sizeof(double));
    for (size_t i = 0; i < ROWS; i++) { /* the second is b */
        known++;
        right += (all.value[3 * i + 1] > 0.5) == (frame->column[B].code[i] == 1);
    }
    assert_true((double)right > 0.9 * (double)known);
    dusk_model_scores scores;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_model_score(&scores, read, &bare, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "the rows have no field a"));
    dusk_prediction_clear(&all);
    dusk_prediction_clear(&same);
    dusk_ledger_free_text(text);
    dusk_fields_free(fields);
    dusk_model_free(model);
    dusk_model_free(read);
    dusk_frame_free(frame);
}

/* One layer, neither clipped nor with noise: labels together are labels one by one, but for which of them are columns. */
static void test_as_if_alone(void **state)
{
    static const char *const keep[] = { "a", "x", "b", "z" };
    dusk_frame *frame = make_frame(), part = { .rows = ROWS };
    dusk_frame_column column[4] = { frame->column[A], frame->column[X], frame->column[B], frame->column[Z] };
    dusk_fields *fields;
    size_t rows, columns;
    (void)state;
    assert_int_equal(dusk_fields_copy(&fields, frame->fields, keep, 4, NULL), DUSK_OK);
    part.fields = fields;
    part.column = column;
    dusk_model *both = train("a,b", false, &part);
    const double *w = dusk_model_array(both, "parameters", &rows, &columns);
    assert_int_equal(columns, 2 * 3);
    for (size_t k = 0; k < 2; k++) {
        static const char *const one[][3] = { { "a", "x", "z" }, { "x", "b", "z" } };
        dusk_frame alone = { .rows = ROWS };
        dusk_frame_column some[3];
        dusk_fields *own;
        assert_int_equal(dusk_fields_copy(&own, fields, one[k], 3, NULL), DUSK_OK);
        for (size_t c = 0; c < 3; c++) some[c] = column[dusk_fields_find(fields, one[k][c])];
        alone.fields = own;
        alone.column = some;
        dusk_model *model = train(k ? "b" : "a", false, &alone);
        const double *v = dusk_model_array(model, "parameters", &rows, &columns);
        assert_int_equal(columns, 3);
        for (size_t j = 0; j < 3; j++)
            if (!(fabs(v[j] - w[3 * k + j]) < 1e-4)) fail_msg("%g is not %g", v[j], w[3 * k + j]);
        dusk_model_free(model);
        dusk_fields_free(own);
    }
    dusk_model_free(both);
    dusk_fields_free(fields);
    dusk_frame_free(frame);
}

/* A row whose label is missing moves nothing of that label. */
static void test_missing(void **state)
{
    dusk_frame *frame = make_frame();
    double before[16];
    size_t rows, columns;
    (void)state;
    dusk_model *model = train("b,a", false, frame);
    const double *w = dusk_model_array(model, "parameters", &rows, &columns);
    memcpy(before, w, sizeof before); /* of a, the first field, and of b */
    assert_int_equal(columns, 2 * 8); /* c is a column here */
    dusk_model_free(model);
    for (size_t i = 0; i < ROWS; i++)
        if (frame->column[A].code[i] < 0) frame->column[X].number[i] = -frame->column[X].number[i];
    model = train("b,a", false, frame);
    w = dusk_model_array(model, "parameters", &rows, &columns);
    double others = 0;
    for (size_t j = 0; j < 8; j++) assert_true(fabs(w[j] - before[j]) < 1e-5);
    for (size_t j = 8; j < 16; j++) others += fabs(w[j] - before[j]);
    assert_true(others > 0.01);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

static void observe(void *context, const dusk_train_point *point) { *(double *)context = point->loss; }

/* What is told of public rows in the end is what the model says of them: the sum over labels, a row. */
static void test_told(void **state)
{
    dusk_frame *frame = make_frame();
    dusk_train_options o = options_of("a,b,c", true);
    dusk_generator *gen = seeded(7);
    dusk_training *training;
    dusk_model *model;
    dusk_model_scores scores;
    double loss = 0, known = 0;
    (void)state;
    o.check_rows = frame;
    o.observe = observe;
    o.observe_context = &loss;
    assert_int_equal(dusk_training_prepare(&training, "net_labels", frame->fields, &o, NULL), DUSK_OK);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS; i++)
        known += (frame->column[A].code[i] >= 0) + 1 + (frame->column[C].code[i] >= 0);
    assert_true(fabs(loss * ROWS - scores.log_loss * known) < 1e-3 * known);
    dusk_training_free(training);
    dusk_model_free(model);
    dusk_generator_free(gen);
    dusk_frame_free(frame);
}

static void test_refused(void **state)
{
    static const struct {
        const char *label, *part;
    } requests[] = {
        { NULL, "net_labels needs labels" },   { "a,,b", "is not among the fields" },
        { "a,none", "the label none is not" }, { "a,b,a", "the label a is named twice" },
        { "a,x", "x is no category of two" },  { "kind", "kind is no category of two" },
        { "", "is not among the fields" },
    };
    dusk_frame *frame = make_frame();
    dusk_fields *only;
    dusk_training *training = NULL;
    dusk_error err = { .message = "" };
    (void)state;
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) {
        const dusk_train_options o = options_of(requests[k].label, true);
        assert_int_equal(dusk_training_prepare(&training, "net_labels", frame->fields, &o, &err),
                         DUSK_ERR_ARGUMENT);
        if (!strstr(err.message, requests[k].part)) fail_msg("%s", err.message);
        assert_true(err.hint[0] != 0 && !training);
    }
    dusk_train_options o = options_of("a,b", true);
    assert_int_equal(dusk_fields_parse(&only, "a category no,yes\nb category no,yes\n", NULL), DUSK_OK);
    assert_int_equal(dusk_training_prepare(&training, "net_labels", only, &o, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "no columns to learn from"));
    dusk_model *model = train("a,b", true, frame);
    dusk_statement statement;
    assert_int_equal(dusk_model_score_price(&statement, DUSK_METRIC_ACCURACY, model, frame->fields, &o, &err),
                     DUSK_ERR_ARGUMENT);
    dusk_model_free(model);
    dusk_fields_free(only);
    dusk_frame_free(frame);
}

/* Labels are a part of the plan: who goes on with others would release something else for the same price. */
static void test_going_on(void **state)
{
    char path[64];
    dusk_frame *frame = make_frame();
    uint64_t charge;
    (void)state;
    snprintf(path, sizeof path, "/tmp/net_labels_%ld.keep", (long)getpid());
    for (size_t k = 0; k < 3; k++) { /* a begins, b must not go on with it, a may */
        const dusk_train_options o = options_of(k == 1 ? "b" : "a", true);
        dusk_training *training;
        dusk_error err = { .message = "" };
        assert_int_equal(dusk_training_prepare(&training, "net_labels", frame->fields, &o, &err), DUSK_OK);
        const dusk_status status = dusk_training_keep(training, path, 10, k > 0, &charge, &err);
        if ((status == DUSK_OK) != (k != 1)) fail_msg("%zu: %s", k, err.message);
        if (k == 0) assert_int_equal(dusk_training_begin(training, NULL, 0, NULL), DUSK_OK);
        dusk_training_free(training);
    }
    (void)unlink(path);
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learned), cmocka_unit_test(test_as_if_alone), cmocka_unit_test(test_missing),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_going_on),    cmocka_unit_test(test_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
