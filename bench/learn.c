/* SPDX-License-Identifier: Apache-2.0 */
/* Trainings on public data sets. */
#include "learn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn_data.h"

static double metric_of(bench_metric metric, const dusk_model_scores *scores, const dusk_field *label)
{
    double half = label && label->kind == DUSK_FIELD_NUMERIC ? (label->upper - label->lower) / 2 : 1;
    switch (metric) {
    case BENCH_ACCURACY: return scores->accuracy;
    case BENCH_AUC: return scores->auc;
    case BENCH_MSE: return scores->rmse / half * (scores->rmse / half);
    case BENCH_INERTIA: return scores->inertia;
    case BENCH_EXPLAINED: return scores->explained;
    case BENCH_LOG_LIKELIHOOD: return scores->log_likelihood;
    }
    return NAN;
}

/* "a=1 b=2" into words; the text is changed. */
static size_t split_words(char *text, const char **word, size_t room)
{
    size_t n = 0;
    while (n < room && *(text += strspn(text, " "))) {
        word[n++] = text;
        text += strcspn(text, " ");
        if (*text) *text++ = '\0';
    }
    return n;
}

static double train_once(const bench_learn *how, const bench_data *data, double epsilon, dusk_generator *gen)
{
    char text[512];
    const char *words[32];
    double rows = (double)data->train->rows;
    dusk_train_options options;
    dusk_training *training;
    dusk_model *model;
    dusk_model_scores scores;
    dusk_error err = { .message = "" };

    snprintf(text, sizeof text, "%s", how->settings);
    dusk_train_options_init(&options);
    options.settings = words;
    options.settings_count = split_words(text, words, 32);
    options.label = data->label;
    options.epsilon = epsilon;
    options.delta = how->delta < 0 ? 1 / rows / rows : how->delta;
    options.neighbours = DUSK_ADD_REMOVE;
    options.rows = data->train->rows;
    options.accept_idealised = true;
    bench_require(dusk_training_prepare(&training, how->learner, data->train->fields, &options, &err), &err);
    bench_require(dusk_training_run(training, &model, data->train, gen, &err), &err);
    bench_require(dusk_model_score(&scores, model, data->test, &err), &err);
    size_t label = dusk_model_label(model);
    double value =
        metric_of(how->metric, &scores, label == DUSK_NO_LINK ? NULL : &data->test->fields->field[label]);
    dusk_model_free(model);
    dusk_training_free(training);
    return value;
}

/* The frame without that column; the others move over. */
static dusk_frame *without(dusk_frame *frame, const char *column)
{
    const size_t all = frame->fields->count, gone = dusk_fields_find(frame->fields, column);
    const char **keep = bench_allocate(all, sizeof *keep);
    dusk_error err = { .message = "" };
    dusk_fields *fields;
    dusk_frame *out;
    size_t kept = 0;
    if (gone == DUSK_NO_LINK) return frame;
    for (size_t c = 0; c < all; c++)
        if (c != gone) keep[kept++] = frame->fields->field[c].name;
    bench_require(dusk_fields_copy(&fields, frame->fields, keep, kept, &err), &err);
    bench_require(dusk_frame_new(&out, fields, 0, &err), &err);
    for (size_t c = 0, to = 0; c < all; c++) {
        if (c == gone) continue;
        dusk_frame_column empty = out->column[to];
        out->column[to++] = frame->column[c];
        frame->column[c] = empty;
    }
    out->rows = frame->rows;
    frame->rows = 0;
    dusk_frame_free(frame);
    dusk_fields_free(fields);
    free(keep);
    return out;
}

/* Learners without a label look at all columns: of densities it is one of them, others do without. */
static void drop_label(bench_data *data, const char *learner)
{
    const dusk_task task = dusk_learner_named(learner)->task;
    if (!data->label || task <= DUSK_TASK_NUMBER) return;
    if (task != DUSK_TASK_DENSITY) {
        data->train = without(data->train, data->label);
        data->test = without(data->test, data->label);
    }
    data->label = NULL;
}

void bench_learn_run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const bench_learn *how = self->setup;
    double sum = 0, squares = 0;
    bench_data data;

    *out = (bench_result){ .value = NAN };
    if (!bench_data_open(&data, how->data)) {
        fprintf(stderr, "%s: skipped, DUSK_DATA has no %s\n", self->name, how->data);
        return;
    }
    drop_label(&data, how->learner);
    for (int t = 0; t < how->trainings; t++) {
        double value = train_once(how, &data, how->epsilon, gen);
        sum += value;
        squares += value * value;
    }
    double n = how->trainings, mean = sum / n;
    *out = (bench_result){ .value = mean,
                           .floor_value = train_once(how, &data, 1e6, gen),
                           .epsilon = how->epsilon,
                           .spread = n > 1 ? sqrt(fmax(squares - n * mean * mean, 0) / (n - 1)) : 0,
                           .trainings = how->trainings };
    bench_data_close(&data);
}
