/* SPDX-License-Identifier: Apache-2.0 */
/* Trees, forests, boosting, and the search for settings: utility on public data sets beside the same learner without privacy, and the time
 * of boosting beside the same rounds in doubles, without noise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "dusk/learn_select.h"
#include "learn.h"
#include "learn_data.h"

/* --- a search ------------------------------------------------------------------------------------------- */

static const char *const tree_candidates[] = { "depth=2",           "depth=3", "depth=4",
                                               "depth=5",           "depth=6", "depth=3 score=gini",
                                               "depth=5 score=gini" };
enum { CANDIDATES = sizeof tree_candidates / sizeof *tree_candidates, SEARCHES = 10 };

static double search_once(const bench_data *data, double epsilon, dusk_generator *gen)
{
    dusk_train_options train;
    dusk_search_options options;
    dusk_search *search;
    dusk_search_result result;
    dusk_model_scores scores;
    dusk_error err = { .message = "" };
    dusk_train_options_init(&train);
    train.label = data->label;
    train.epsilon = epsilon;
    train.neighbours = DUSK_ADD_REMOVE;
    dusk_search_options_init(&options);
    options.candidates = tree_candidates;
    options.candidates_count = CANDIDATES;
    bench_require(dusk_search_prepare(&search, "tree", data->train->fields, &train, &options, &err), &err);
    bench_require(dusk_search_run(search, &result, data->train, gen, &err), &err);
    bench_require(dusk_model_score(&scores, result.model, data->test, &err), &err);
    dusk_model_free(result.model);
    dusk_search_free(search);
    return scores.accuracy;
}

static void run_search(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const bench_learn *how = self->setup;
    double sum = 0, squares = 0;
    bench_data data;
    *out = (bench_result){ .value = NAN };
    if (!bench_data_open(&data, how->data)) {
        fprintf(stderr, "%s: skipped, DUSK_DATA has no %s\n", self->name, how->data);
        return;
    }
    for (int t = 0; t < SEARCHES; t++) {
        double value = search_once(&data, how->epsilon, gen);
        sum += value / SEARCHES;
        squares += value * value;
    }
    *out = (bench_result){ .value = sum,
                           .floor_value = search_once(&data, 1000, gen),
                           .epsilon = how->epsilon,
                           .spread = sqrt(fmax(squares - SEARCHES * sum * sum, 0) / (SEARCHES - 1)),
                           .trainings = SEARCHES };
    bench_data_close(&data);
}

/* --- time ------------------------------------------------------------------------------------------------- */

enum { ROWS = 1000000, COLUMNS = 20, BINS = 32, ROUNDS = 16 };

typedef struct timed {
    dusk_frame *frame;
    dusk_training *training;
    dusk_generator *gen;
} timed;

static void train(void *context)
{
    timed *t = context;
    dusk_error err = { .message = "" };
    dusk_model *model;
    bench_require(dusk_training_run(t->training, &model, t->frame, t->gen, &err), &err);
    dusk_model_free(model);
}

/* Newton steps on sums by bins, in doubles. */
static void plain_rounds(void *context)
{
    const timed *t = context;
    unsigned char *code = bench_allocate((size_t)ROWS * COLUMNS, 1);
    double *margin = bench_allocate(ROWS, sizeof *margin);
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t i = 0; i < ROWS; i++)
            code[j * ROWS + i] =
                (unsigned char)fmin((t->frame->column[j].number[i] + 1) * BINS / 2, BINS - 1);
    for (size_t i = 0; i < ROWS; i++) margin[i] = 0;
    for (size_t k = 0; k < ROUNDS * COLUMNS; k++) {
        const unsigned char *c = code + k % COLUMNS * ROWS;
        double sum[BINS] = { 0 }, count[BINS] = { 0 };
        for (size_t i = 0; i < ROWS; i++) {
            sum[c[i]] += t->frame->column[COLUMNS].code[i] - 1 / (1 + exp(-margin[i]));
            count[c[i]]++;
        }
        for (size_t v = 0; v < BINS; v++) sum[v] /= 0.25 * count[v] + 1;
        for (size_t i = 0; i < ROWS; i++) margin[i] += sum[c[i]];
    }
    bench_keep(margin[0]);
    free(code);
    free(margin);
}

static void measure_time(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    timed t = { .gen = gen };
    dusk_fields *fields;
    dusk_train_options options;
    dusk_error err = { .message = "" };
    (void)self;
    bench_require(dusk_fields_parse(&fields, "x[20] numeric -1:1\ny category no,yes\n", &err), &err);
    bench_require(dusk_frame_new(&t.frame, fields, ROWS, &err), &err);
    double *x = bench_uniform((size_t)ROWS * COLUMNS, -1, 1, gen);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) t.frame->column[j].number[i] = x[i * COLUMNS + j];
        t.frame->column[COLUMNS].code[i] = x[i * COLUMNS] + x[i * COLUMNS + 1] * x[i * COLUMNS + 2] > 0;
    }
    free(x);
    dusk_train_options_init(&options);
    options.label = "y";
    options.epsilon = 1;
    options.delta = 1e-12;
    options.neighbours = DUSK_ADD_REMOVE;
    bench_require(dusk_training_prepare(&t.training, "boosting", fields, &options, &err), &err);
    bench_times times = bench_compare(train, plain_rounds, &t);
    *out = (bench_result){ .value = times.work, .floor_value = times.floor };
    dusk_training_free(t.training);
    dusk_frame_free(t.frame);
    dusk_fields_free(fields);
}

/* --- cases -------------------------------------------------------------------------------------------------- */

#define TRAINED(learner_, data_, epsilon_, metric_, unit_, aim_)                                             \
    {                                                                                                        \
        .name = "learn/" learner_ "/" data_ "/" #epsilon_,                                                   \
        .what = learner_ " on " data_ ", epsilon " #epsilon_ ", delta 1/N^2", .unit = unit_,                 \
        .floor = "the same without privacy", .aim = aim_, .run = bench_learn_run,                            \
        .setup = &(const bench_learn)                                                                        \
        {                                                                                                    \
            .learner = learner_, .settings = "", .data = data_, .metric = metric_, .epsilon = epsilon_,      \
            .delta = -1, .trainings = 10                                                                     \
        }                                                                                                    \
    }
#define CLASSES(learner, data, epsilon, aim) TRAINED(learner, data, epsilon, BENCH_ACCURACY, "accuracy", aim)
#define NUMBERS(data, epsilon) TRAINED("boosting_numbers", data, epsilon, BENCH_MSE, "mse", "")
#define THREE(learner, data)                                                                                 \
    CLASSES(learner, data, 0.1, ""), CLASSES(learner, data, 0.5, ""), CLASSES(learner, data, 1, "")
#define SEARCHED(data_, epsilon_)                                                                            \
    {                                                                                                        \
        .name = "learn/search/" data_ "/" #epsilon_,                                                         \
        .what = "the best of seven settings of a tree on " data_ ", pure epsilon " #epsilon_,                \
        .unit = "accuracy", .floor = "the same at epsilon 1000", .aim = "", .run = run_search,               \
        .setup = &(const bench_learn)                                                                        \
        {                                                                                                    \
            .data = data_, .epsilon = epsilon_                                                               \
        }                                                                                                    \
    }

const bench_case bench_learn_tree_cases[] = {
    CLASSES("boosting", "adult", 0.1, ">= 0.83"),
    CLASSES("boosting", "adult", 0.5, ""),
    CLASSES("boosting", "adult", 1, ">= 0.85"),
    THREE("boosting", "bank"),
    THREE("boosting", "compas"),
    THREE("forest", "adult"),
    THREE("forest", "bank"),
    THREE("forest", "compas"),
    THREE("forest", "covertype"),
    THREE("tree", "adult"),
    THREE("tree", "bank"),
    THREE("tree", "compas"),
    THREE("tree", "covertype"),
    NUMBERS("california", 0.1),
    NUMBERS("california", 1),
    NUMBERS("bike", 0.1),
    NUMBERS("bike", 1),
    SEARCHED("adult", 1),
    SEARCHED("bank", 1),
    SEARCHED("covertype", 1),
    { .name = "learn/boosting/time/1e6x20",
      .what = "boosting of 10^6 rows, 20 columns, 16 rounds",
      .unit = "s",
      .floor = "the same rounds in doubles, without privacy",
      .aim = "ratio <= 1.1",
      .run = measure_time },
    { .name = NULL },
};
