/* SPDX-License-Identifier: Apache-2.0 */
/* As much noise as a target allows, and validation by stability, on public data sets: what was spent and how good the model is on rows that had no part in it. Of the rows that are
 * not learned from, half are the public rows that versions are checked by, and half are scored. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "dusk/learn_select.h"
#include "learn_data.h"

typedef struct selected {
    const char *learner, *data;
    double epsilon; /* the most */
    double target;  /* of versions; 0: validation by stability */
    bool private;   /* versions are checked by private rows held out */
    bool score;     /* the value is the score, not what was spent */
} selected;

enum { TIMES = 10 };

static const char *const regularisations[] = { "regularisation=30",   "regularisation=100",
                                               "regularisation=300",  "regularisation=1000",
                                               "regularisation=3000", "regularisation=10000" };

/* What a run gives. */
typedef struct gained {
    double spent, score;
} gained;

static dusk_train_options promise(const selected *how, const bench_data *data, const char *const *settings,
                                  double epsilon)
{
    const double rows = (double)data->train->rows;
    dusk_train_options train;
    dusk_train_options_init(&train);
    train.label = data->label;
    train.epsilon = epsilon;
    train.delta = 1 / rows / rows;
    train.neighbours = DUSK_ADD_REMOVE;
    train.rows = data->train->rows;
    train.settings = settings;
    train.settings_count = how->target == 0 ? 2 : strcmp(how->learner, "naive_bayes") != 0;
    return train;
}

static double score_of(const dusk_model *model, const dusk_frame *rows)
{
    dusk_model_scores scores;
    dusk_error err = { .message = "" };
    bench_require(dusk_model_score(&scores, model, rows, &err), &err);
    return isnan(scores.rmse) ? scores.accuracy : scores.rmse;
}

static gained climb(const selected *how, const bench_data *data, double epsilon, const dusk_frame *check,
                    const dusk_frame *rest, dusk_generator *gen)
{
    static const char *const settings[] = { "scaling=bounds" };
    dusk_train_options train = promise(how, data, settings, epsilon);
    dusk_ladder_options options;
    dusk_ladder *ladder;
    dusk_ladder_result result;
    dusk_error err = { .message = "" };
    dusk_ladder_options_init(&options);
    options.target = how->target;
    options.rows = how->private ? NULL : check;
    options.first = epsilon / 128;
    options.versions = 8;
    bench_require(dusk_ladder_prepare(&ladder, how->learner, data->train->fields, &train, &options, &err),
                  &err);
    bench_require(dusk_ladder_run(ladder, &result, data->train, gen, &err), &err);
    gained g = { result.spent.epsilon, score_of(result.model, rest) };
    dusk_model_free(result.model);
    dusk_ladder_free(ladder);
    return g;
}

static gained validate(const selected *how, const bench_data *data, double epsilon, const dusk_frame *rest,
                       dusk_generator *gen)
{
    static const char *const settings[] = { "form=output", "norm=1" };
    dusk_train_options train = promise(how, data, settings, epsilon);
    dusk_validation_options options;
    dusk_validation *validation;
    dusk_model *model;
    size_t candidate;
    dusk_error err = { .message = "" };
    dusk_validation_options_init(&options);
    options.candidates = regularisations;
    options.candidates_count = sizeof regularisations / sizeof *regularisations;
    bench_require(
        dusk_validation_prepare(&validation, how->learner, data->train->fields, &train, &options, &err),
        &err);
    bench_require(dusk_validation_run(validation, &model, &candidate, data->train, gen, &err), &err);
    gained g = { dusk_validation_statement(validation)->epsilon, score_of(model, rest) };
    dusk_model_free(model);
    dusk_validation_free(validation);
    return g;
}

static double once(const selected *how, const bench_data *data, double epsilon, dusk_generator *gen)
{
    dusk_frame *check, *rest;
    dusk_error err = { .message = "" };
    bench_require(dusk_frame_split(data->test, &check, &rest, 0.5, gen, &err), &err);
    gained g = how->target > 0 ? climb(how, data, epsilon, check, rest, gen)
                               : validate(how, data, epsilon, rest, gen);
    dusk_frame_free(check);
    dusk_frame_free(rest);
    return how->score ? g.score : g.spent;
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const selected *how = self->setup;
    double sum = 0, squares = 0;
    bench_data data;
    *out = (bench_result){ .value = NAN };
    if (!bench_data_open(&data, how->data)) {
        fprintf(stderr, "%s: skipped, DUSK_DATA has no %s\n", self->name, how->data);
        return;
    }
    for (int t = 0; t < TIMES; t++) {
        double value = once(how, &data, how->epsilon, gen);
        sum += value / TIMES;
        squares += value * value;
    }
    *out = (bench_result){ .value = sum,
                           .floor_value = how->score ? once(how, &data, 1000, gen) : how->epsilon,
                           .epsilon = how->epsilon,
                           .spread = sqrt(fmax(squares - TIMES * sum * sum, 0) / (TIMES - 1)),
                           .trainings = TIMES };
    bench_data_close(&data);
}

#define CASE(name_, what_, unit_, floor_, ...)                                                               \
    {                                                                                                        \
        .name = name_, .what = what_, .unit = unit_, .floor = floor_, .aim = "", .run = run,                 \
        .setup = &(const selected)                                                                           \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
#define CLIMBED(learner_, data_, target_, private_, by, unit_)                                               \
    CASE("learn/ladder/" learner_ "/" data_ "/" by "/" #target_ "/spent",                                    \
         "epsilon that " learner_ " on " data_ " needs for " #target_ ", by " by " rows", "epsilon",         \
         "the maximum", learner_, data_, 4, target_, private_, false),                                       \
        CASE("learn/ladder/" learner_ "/" data_ "/" by "/" #target_ "/score",                                \
             "what " learner_ " on " data_ " has then", unit_, "the same at epsilon 1000", learner_, data_,  \
             4, target_, private_, true)
#define BOTH(learner_, data_, target_, unit_)                                                                \
    CLIMBED(learner_, data_, target_, false, "public", unit_),                                               \
        CLIMBED(learner_, data_, target_, true, "private", unit_)
#define VALIDATED(learner_, data_, epsilon_)                                                                 \
    CASE("learn/validation/" learner_ "/" data_ "/" #epsilon_,                                               \
         "one of six regularisations of " learner_ " by stability on " data_ ", epsilon " #epsilon_,         \
         "accuracy", "the same at epsilon 1000", learner_, data_, epsilon_, 0, false, true)

const bench_case bench_learn_select_cases[] = {
    BOTH("naive_bayes", "adult", 0.80, "accuracy"),
    BOTH("functional", "adult", 0.83, "accuracy"),
    BOTH("naive_bayes", "covertype", 0.60, "accuracy"),
    BOTH("linear", "bike", 0.9, "rmse"),
    BOTH("linear", "protein", 0.7, "rmse"),
    VALIDATED("amp_svm", "adult", 1),
    VALIDATED("amp_svm", "adult", 4),
    VALIDATED("amp_svm", "bank", 1),
    VALIDATED("amp_svm", "bank", 4),
    { .name = NULL },
};
