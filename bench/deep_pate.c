/* SPDX-License-Identifier: Apache-2.0 */
/* PATE on MNIST: 60,000 private rows, 250 teachers; rows of the test set are public and without labels, others of them are scored by. As its authors measure it, the
 * first 9,000 are public and the last 1,000 are scored; and in five parts, each of which is scored once while the others are public. All settings but the network are
 * defaults; docs/learning/pate.md says how they were chosen. The floor is the same with hardly any noise, when all public rows are asked about. And the CPU seconds of a training.
 * And what answers cost by how teachers agreed, as it is reported, beside what noise alone says. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "dusk/learn.h"
#include "learn_data.h"

enum { OPEN = 9000, TRAININGS = 5 };

typedef struct pate_setup {
    double epsilon;
    bool parts, timed;
} pate_setup;

/* Rows from first to last and rows from other_first to other_last. */
static dusk_frame *slices(const dusk_frame *frame, size_t first, size_t last, size_t other_first,
                          size_t other_last)
{
    const size_t n = last - first, m = other_last - other_first;
    dusk_frame *out;
    dusk_error err;
    bench_require(dusk_frame_new(&out, frame->fields, n + m, &err), &err);
    for (size_t c = 0; c < frame->fields->count; c++) {
        const dusk_frame_column *from = &frame->column[c];
        if (!from->code) {
            for (size_t i = 0; i < n; i++) out->column[c].number[i] = dusk_frame_number(from, first + i);
            for (size_t i = 0; i < m; i++)
                out->column[c].number[n + i] = dusk_frame_number(from, other_first + i);
        } else {
            memcpy(out->column[c].code, from->code + first, n * sizeof *from->code);
            memcpy(out->column[c].code + n, from->code + other_first, m * sizeof *from->code);
        }
    }
    return out;
}

#define SETTINGS "net=input 28 28; scatter 2 8; output", "range=unit", "threads=2"

static dusk_model *learn(const bench_data *data, const dusk_frame *open, double epsilon,
                         const char *const *settings, size_t count, dusk_generator *gen)
{
    dusk_train_options o;
    dusk_training *training;
    dusk_model *model;
    dusk_error err;
    dusk_train_options_init(&o);
    o.label = data->label;
    o.epsilon = epsilon;
    o.delta = 1e-5;
    o.neighbours = DUSK_ADD_REMOVE;
    o.rows = data->train->rows;
    o.open_rows = open;
    o.settings = settings;
    o.settings_count = count;
    bench_require(dusk_training_prepare(&training, "pate", data->train->fields, &o, &err), &err);
    bench_require(dusk_training_run(training, &model, data->train, gen, &err), &err);
    dusk_training_free(training);
    return model;
}

/* The accuracy in percent of one training, where rows from first to last are scored by. */
static double train(const bench_data *data, size_t first, size_t last, double epsilon, double *seconds,
                    dusk_generator *gen)
{
    static const char *const settings[] = { SETTINGS };
    dusk_frame *open = slices(data->test, 0, first, last, data->test->rows),
               *scored = slices(data->test, first, last, last, last);
    const double start = bench_cpu_seconds();
    dusk_model *model = learn(data, open, epsilon, settings, sizeof settings / sizeof *settings, gen);
    dusk_model_scores scores;
    dusk_error err;
    *seconds = bench_cpu_seconds() - start;
    bench_require(dusk_model_score(&scores, model, scored, &err), &err);
    dusk_model_free(model);
    dusk_frame_free(open);
    dusk_frame_free(scored);
    return 100 * scores.accuracy;
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const pate_setup *s = self->setup;
    double value[TRAININGS], mean = 0, squares = 0, seconds;
    bench_data data;
    *out = (bench_result){ .value = NAN, .floor_value = NAN };
    if (!bench_data_open(&data, "mnist")) return;
    const int trainings = s->timed ? 1 : TRAININGS;
    const size_t all = data.test->rows, part = s->parts ? all / TRAININGS : all - OPEN;
    double floor = train(&data, all - part, all, 1e4, &seconds, gen);
    if (s->timed) floor = seconds;
    for (int i = 0; i < trainings; i++) {
        const size_t first = s->parts ? (size_t)i * part : OPEN;
        value[i] = train(&data, first, first + part, s->epsilon, &seconds, gen);
        if (s->timed) value[i] = seconds;
        mean += value[i] / trainings;
    }
    for (int i = 0; i < trainings; i++) squares += (value[i] - mean) * (value[i] - mean);
    *out = (bench_result){ .value = mean,
                           .floor_value = floor,
                           .epsilon = s->epsilon,
                           .spread = trainings > 1 ? sqrt(squares / (trainings - 1)) : 0,
                           .trainings = trainings };
    bench_data_close(&data);
}

typedef struct report_setup {
    double epsilon;
    const char *settings[5];
} report_setup;

/* The epsilon that is reported, in the middle of three trainings, and that of noise alone. */
static void run_report(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const report_setup *s = self->setup;
    const char *settings[] = { SETTINGS,       "teachers=250", "moves=no",     "report=yes",  s->settings[0],
                               s->settings[1], s->settings[2], s->settings[3], s->settings[4] };
    double said[3], alone = NAN;
    size_t count = 6, rows, columns;
    bench_data data;
    *out = (bench_result){ .value = NAN, .floor_value = NAN };
    if (!bench_data_open(&data, "mnist")) return;
    while (count < sizeof settings / sizeof *settings && settings[count]) count++;
    for (int i = 0; i < 3; i++) {
        dusk_model *model = learn(&data, data.test, s->epsilon, settings, count, gen);
        const double *report = dusk_model_array(model, "report", &rows, &columns);
        said[i] = report[3];
        alone = report[5];
        dusk_model_free(model);
    }
    *out = (bench_result){ .value = fmax(fmin(said[0], said[1]), fmin(fmax(said[0], said[1]), said[2])),
                           .floor_value = alone };
    bench_data_close(&data);
}

#define LAST "the first 9,000 rows of the test set are public, the last 1,000 are scored; delta 1e-5"
#define PARTS "five parts of the test set, each scored once while the others are public; delta 1e-5"
#define CASE(name_, what_, unit_, aim_, epsilon_, parts_, timed_)                                            \
    {                                                                                                        \
        .name = "deep/pate/mnist/" name_, .what = what_, .unit = unit_, .floor = "hardly any noise",         \
        .aim = aim_, .run = run, .setup = &(const pate_setup)                                                \
        {                                                                                                    \
            epsilon_, parts_, timed_                                                                         \
        }                                                                                                    \
    }

#define REPORT(name_, what_, epsilon_, ...)                                                                  \
    {                                                                                                        \
        .name = "deep/report/mnist/" name_, .what = what_, .unit = "epsilon", .floor = "by noise alone",     \
        .aim = "", .run = run_report, .setup = &(const report_setup)                                         \
        {                                                                                                    \
            epsilon_, { __VA_ARGS__ }                                                                        \
        }                                                                                                    \
    }

const bench_case bench_pate_cases[] = {
    CASE("last/2", LAST, "%", ">= 98", 2, false, false),
    CASE("parts/2", PARTS, "%", ">= 98", 2, true, false),
    CASE("time/2", "CPU seconds of a training, two threads", "s", "<= 90", 2, false, true),
    CASE("parts/1", PARTS, "%", "", 1, true, false),
    CASE("parts/3", PARTS, "%", "", 3, true, false),
    REPORT("gnmax/8", "noise=0.04", 8, "noise=0.04"),
    REPORT("gnmax/4", "noise=0.08", 4, "noise=0.08"),
    REPORT("gnmax/2", "noise=0.1 margin=0 report_share=0.2", 2, "noise=0.1", "margin=0", "report_share=0.2"),
    REPORT("confident/8", "noise=0.03 threshold=0.2 margin=0", 8, "noise=0.03", "margin=0",
           "method=confident", "threshold=0.2"),
    REPORT("interactive/8", "noise=0.03 threshold=0.2 margin=0", 8, "noise=0.03", "margin=0",
           "method=interactive", "threshold=0.2"),
    REPORT("interactive/8/more", "the same, report_share=0.3", 8, "noise=0.03", "margin=0",
           "method=interactive", "threshold=0.2", "report_share=0.3"),
    { .name = NULL },
};
