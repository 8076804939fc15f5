/* SPDX-License-Identifier: Apache-2.0 */
/* PATE on MNIST as its authors measure it: 60,000 private rows, 250 teachers, the first 9,000 rows of the test set public and without labels, the last 1,000 to
 * score by. The floor is the same with hardly any noise. And the CPU seconds of a training. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "dusk/learn.h"
#include "learn_data.h"

enum { OPEN = 9000, TRAININGS = 3 };

static dusk_frame *slice(const dusk_frame *frame, size_t first, size_t rows)
{
    dusk_frame *out;
    dusk_error err;
    bench_require(dusk_frame_new(&out, frame->fields, rows, &err), &err);
    for (size_t c = 0; c < frame->fields->count; c++) {
        const dusk_frame_column *from = &frame->column[c];
        if (from->number) memcpy(out->column[c].number, from->number + first, rows * sizeof *from->number);
        if (from->code) memcpy(out->column[c].code, from->code + first, rows * sizeof *from->code);
    }
    return out;
}

/* Of one training: the accuracy, and CPU seconds. */
static double train(const bench_data *data, const dusk_frame *open, const dusk_frame *last, double epsilon,
                    double *seconds, dusk_generator *gen)
{
    static const char *const settings[] = { "net=input 28 28; scatter 2 8; output",
                                            "range=unit",
                                            "questions=227",
                                            "threads=2",
                                            "components=128",
                                            "learning_rate=0.02",
                                            "epochs=40" };
    const double start = bench_cpu_seconds();
    dusk_train_options o;
    dusk_training *training;
    dusk_model *model;
    dusk_model_scores scores;
    dusk_error err;
    dusk_train_options_init(&o);
    o.label = data->label;
    o.epsilon = epsilon;
    o.delta = 1e-5;
    o.neighbours = DUSK_ADD_REMOVE;
    o.rows = data->train->rows;
    o.open_rows = open;
    o.settings = settings;
    o.settings_count = sizeof settings / sizeof *settings;
    bench_require(dusk_training_prepare(&training, "pate", data->train->fields, &o, &err), &err);
    bench_require(dusk_training_run(training, &model, data->train, gen, &err), &err);
    *seconds = bench_cpu_seconds() - start;
    bench_require(dusk_model_score(&scores, model, last, &err), &err);
    dusk_model_free(model);
    dusk_training_free(training);
    return scores.accuracy;
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const bool timed = self->setup != NULL;
    double value[TRAININGS], seconds[TRAININGS], mean = 0, squares = 0, floor_seconds;
    bench_data data;
    *out = (bench_result){ .value = NAN, .floor_value = NAN };
    if (!bench_data_open(&data, "mnist")) return;
    dusk_frame *open = slice(data.test, 0, OPEN), *last = slice(data.test, OPEN, data.test->rows - OPEN);
    const int trainings = timed ? 1 : TRAININGS;
    const double floor = train(&data, open, last, 1e4, &floor_seconds, gen);
    for (int i = 0; i < trainings; i++) {
        value[i] = train(&data, open, last, 2, &seconds[i], gen);
        if (timed) value[i] = seconds[i];
        mean += value[i] / trainings;
    }
    for (int i = 0; i < trainings; i++) squares += (value[i] - mean) * (value[i] - mean);
    *out = (bench_result){ .value = mean,
                           .floor_value = timed ? floor_seconds : floor,
                           .epsilon = 2,
                           .spread = trainings > 1 ? sqrt(squares / (trainings - 1)) : 0,
                           .trainings = trainings };
    dusk_frame_free(open);
    dusk_frame_free(last);
    bench_data_close(&data);
}

const bench_case bench_pate_cases[] = {
    { .name = "deep/pate/mnist",
      .what = "PATE, 250 teachers, 227 answers, scattering + linear student; delta 1e-5",
      .unit = "accuracy",
      .floor = "hardly any noise",
      .aim = ">= 0.98",
      .run = run },
    { .name = "deep/pate/mnist/time",
      .what = "PATE, CPU seconds of a training, two threads",
      .unit = "s",
      .floor = "hardly any noise",
      .aim = "<= 60",
      .run = run,
      .setup = "" },
    { .name = NULL },
};
