/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models by descent: where epsilon is huge they are the minimisers that plain descent without noise finds; penalties and
 * constraints do what they say; classes that never occur are the least likely; every weight varies over coins at least as
 * its last gradient's noise makes it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dusk/learn.h"
#include "learn/loss.h"
#include "seeded.h"

enum { ROWS = 3000 };
static const char fields_text[] = "a numeric -1:1\nb numeric 0:1\nc numeric 5:6\nkind category u,v,w\n"
                                  "good category no,yes\nclass category p,q,r,never\ny numeric -2:2\n";
enum { A, B, C, KIND, GOOD, CLASS, Y };

static double uniform(uint64_t *seed) { return (double)(splitmix64(seed) >> 11) * 0x1p-53; }

static dusk_frame *make_frame(size_t rows)
{
    dusk_fields *fields;
    dusk_frame *frame;
    uint64_t seed = 3;
    assert_int_equal(dusk_fields_parse(&fields, fields_text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        double a = 2 * uniform(&seed) - 1, b = uniform(&seed), c = 5 + uniform(&seed);
        int32_t kind = (int32_t)(splitmix64(&seed) % 3);
        double score = 2 * a - 1.5 * (b - 0.5) + (kind == 1 ? 0.7 : 0);
        frame->column[A].number[i] = a;
        frame->column[B].number[i] = b;
        frame->column[C].number[i] = c;
        frame->column[KIND].code[i] = kind;
        frame->column[GOOD].code[i] = uniform(&seed) < 1 / (1 + exp(-score));
        frame->column[CLASS].code[i] = a > 0.4 ? 0 : b > 0.5 ? 1 : 2;
        frame->column[Y].number[i] = 0.5 * score + (i % 10 ? 0.1 * (uniform(&seed) - 0.5) : 0);
    }
    dusk_fields_free(fields);
    return frame;
}

typedef struct request {
    const char *learner, *label, *settings[8];
    double epsilon, delta;
} request;

static dusk_model *train(const request *r, const dusk_frame *frame, uint64_t seed)
{
    dusk_train_options o;
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    dusk_generator *gen = seeded(seed);
    dusk_train_options_init(&o);
    o.label = r->label;
    o.epsilon = r->epsilon;
    o.delta = r->delta;
    o.neighbours = DUSK_ADD_REMOVE;
    o.settings = r->settings;
    while (o.settings_count < 8 && r->settings[o.settings_count]) o.settings_count++;
    if (dusk_training_prepare(&training, r->learner, frame->fields, &o, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    dusk_generator_free(gen);
    return model;
}

/* Columns: a b c kind=u kind=v kind=w class=.. or others, 1. */
static const double *weights_of(const dusk_model *model, size_t *width)
{
    size_t rows;
    const double *w = dusk_model_array(model, "weights", &rows, width);
    assert_non_null(w);
    return w;
}

static size_t feature(const dusk_model *model, const char *name)
{
    size_t i = 0;
    while (strcmp(dusk_model_feature(model, i), name)) i++;
    return i;
}

/* The minimiser of the logistic loss on a and b, in the model's scale, by many plain steps. */
static void logistic_reference(double *w, const dusk_frame *frame)
{
    double m[2] = { 0, 0 }, s[2] = { 0, 0 };
    for (int c = 0; c < 2; c++) {
        for (size_t i = 0; i < ROWS; i++) m[c] += frame->column[c].number[i] / ROWS;
        for (size_t i = 0; i < ROWS; i++) s[c] += pow(frame->column[c].number[i] - m[c], 2) / ROWS;
    }
    memset(w, 0, 3 * sizeof *w);
    for (int t = 0; t < 300; t++) {
        double g[3] = { 0, 0, 0 };
        for (size_t i = 0; i < ROWS; i++) {
            double x[3] = { (frame->column[0].number[i] - m[0]) / sqrt(s[0]),
                            (frame->column[1].number[i] - m[1]) / sqrt(s[1]), 1 };
            double p = 1 / (1 + exp(-(w[0] * x[0] + w[1] * x[1] + w[2])));
            for (int j = 0; j < 3; j++) g[j] += (p - frame->column[GOOD].code[i]) * x[j] / ROWS;
        }
        for (int j = 0; j < 3; j++) w[j] -= 2 * g[j];
    }
}

static dusk_frame *narrow(const dusk_frame *frame)
{
    dusk_fields *fields;
    dusk_frame *out;
    assert_int_equal(
        dusk_fields_parse(&fields, "a numeric -1:1\nb numeric 0:1\ngood category no,yes\n", NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&out, fields, frame->rows, NULL), DUSK_OK);
    memcpy(out->column[0].number, frame->column[A].number, frame->rows * sizeof(double));
    memcpy(out->column[1].number, frame->column[B].number, frame->rows * sizeof(double));
    memcpy(out->column[2].code, frame->column[GOOD].code, frame->rows * sizeof(int32_t));
    dusk_fields_free(fields);
    return out;
}

static void huge_epsilon_is_plain(void **state)
{
    dusk_frame *frame = make_frame(ROWS), *two = narrow(frame);
    request r = { "logistic", "good", { "steps=200", "clip=8", "rate=2" }, 1e6, 1e-6 };
    double expected[3];
    size_t width;
    (void)state;
    dusk_model *model = train(&r, two, 1);
    const double *w = weights_of(model, &width);
    assert_int_equal(width, 3);
    logistic_reference(expected, frame);
    for (int j = 0; j < 3; j++) assert_true(fabs(w[j] - expected[j]) < 0.02);
    dusk_model_free(model);
    dusk_frame_free(two);
    dusk_frame_free(frame);
}

static void penalties_and_constraints_hold(void **state)
{
    dusk_frame *frame = make_frame(ROWS);
    const request all[] = {
        { "logistic", "good", { "l1=120", "average=0", "momentum=0", "rate=0.3", "steps=80" }, 1e5, 1e-6 },
        { "logistic", "good", { "group=1e5" }, 1e5, 1e-6 },
        { "logistic", "good", { "radius=0.25", "average=0" }, 1, 1e-6 },
        { "svm", "good", { "sign=positive" }, 0.5, 1e-6 },
        { "svm", "good", { "l2=1e9", "loss=smooth_hinge" }, 0.5, 1e-6 },
    };
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        size_t width, zeros = 0;
        dusk_model *model = train(&all[k], frame, k + 1);
        const double *w = weights_of(model, &width);
        double square = 0;
        for (size_t j = 0; j < width; j++) {
            square += w[j] * w[j];
            zeros += w[j] == 0;
            if (k == 3 && j + 1 < width) assert_true(w[j] >= 0);
            if (k == 4 && j + 1 < width) assert_true(fabs(w[j]) < 1e-3);
        }
        if (k == 0) assert_true(zeros >= 1 && zeros < width - 2 && w[feature(model, "c")] == 0);
        if (k == 1) assert_true(zeros == width - 1 && w[width - 1] != 0);
        if (k == 2) assert_true(square <= 0.25 * 0.25 * (1 + 1e-9) && square > 0.01);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

static double right(const request *r, const dusk_frame *frame, double *least)
{
    dusk_model *model = train(r, frame, 7);
    dusk_prediction p;
    double count = 0;
    assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
    *least = 1;
    for (size_t i = 0; i < p.rows; i++) {
        const double *q = p.value + i * p.columns;
        size_t best = 0;
        double sum = 0;
        for (size_t c = 0; c < p.columns; c++) {
            if (q[c] > q[best]) best = c;
            sum += q[c];
        }
        assert_true(fabs(sum - 1) < 1e-9);
        *least = fmin(*least, 1 - q[p.columns - 1]);
        size_t label = dusk_model_label(model);
        count += (int32_t)best == frame->column[label].code[i];
    }
    dusk_prediction_clear(&p);
    dusk_model_free(model);
    return count / (double)frame->rows;
}

static void classes_are_found(void **state)
{
    dusk_frame *frame = make_frame(ROWS);
    const request r = { "multinomial", "class", { NULL }, 5, 1e-6 };
    double least, accuracy = right(&r, frame, &least);
    (void)state;
    assert_true(accuracy > 0.9);
    assert_true(least > 0.7); /* the class that never occurs */
    dusk_frame_free(frame);
}

static void far_labels_do_not_rule(void **state)
{
    const char *losses[] = { "loss=huber", "loss=pseudo_huber", "loss=log_cosh", "loss=squared" };
    dusk_frame *frame = make_frame(ROWS);
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        request r = { "huber_regression", "y", { losses[k], "knee=0.05", "steps=100" }, 50, 1e-6 };
        dusk_prediction p;
        dusk_model *model = train(&r, frame, k);
        double error = 0;
        assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
        for (size_t i = 0; i < p.rows; i++) error += fabs(p.value[i] - frame->column[Y].number[i]) / ROWS;
        assert_true(error < 0.1);
        dusk_prediction_clear(&p);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

/* One step from 0 with a rate of 1 releases the gradient itself: every weight must have its deviation, over rows. */
static void every_weight_varies(void **state)
{
    const double deltas[] = { 0, 1e-6 };
    dusk_frame *frame = make_frame(50);
    (void)state;
    for (int k = 0; k < 2; k++) {
        enum { RUNS = 60, MOST = 40 };
        double sum[MOST] = { 0 }, square[MOST] = { 0 };
        size_t width = 0;
        request r = {
            "logistic", "good", { "steps=1", "rate=1", "clip=1", "scaling=bounds" }, 0.5, deltas[k]
        };
        for (uint64_t seed = 0; seed < RUNS; seed++) {
            dusk_model *model = train(&r, frame, 100 + seed);
            const double *w = weights_of(model, &width);
            for (size_t j = 0; j < width; j++) sum[j] += w[j] / RUNS, square[j] += w[j] * w[j] / RUNS;
            dusk_model_free(model);
        }
        double least =
            k ? 1 / 0.5 : 1 / 0.5 * sqrt((double)width); /* at the least, times 1 / n with n about 50 */
        for (size_t j = 0; j < width; j++) assert_true(sqrt(square[j] - sum[j] * sum[j]) > 0.5 * least / 60);
    }
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_epsilon_is_plain), cmocka_unit_test(penalties_and_constraints_hold),
        cmocka_unit_test(classes_are_found),     cmocka_unit_test(far_labels_do_not_rule),
        cmocka_unit_test(every_weight_varies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
