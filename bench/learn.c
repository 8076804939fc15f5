/* SPDX-License-Identifier: Apache-2.0 */
/* Trainings on public data sets. */
#include "learn.h"

#include <math.h>
#include <stdio.h>
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
