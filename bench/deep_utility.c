/* SPDX-License-Identifier: Apache-2.0 */
/* How right private networks are on pictures: the share of the held-out rows that get their class, in percent, at delta 1e-5, mean and spread over trainings with fresh
 * coins. The floor is the same training without clipping and noise. Lots, rates and the like of scatter and cnn were
 * chosen on the last 10,000 rows of the training files, which are not those that count here (docs/networks.md); those of the others are round numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "deep/front.h"
#include "deep/training.h"
#include "learn_data.h"

typedef struct task {
    const char *set, *net;
    double epsilon;
    int trainings;
    double lot, epochs, clip, rate, momentum, average;
    double plain; /* the rate without clipping: gradients are as long as they are */
    deep_clipping clipping;
} task;

typedef struct study {
    deep_plan plan; /* its net is what is learned; the front was run */
    deep_rows train, test;
    float *parameters;
    double features; /* seconds on the clock that they took */
} study;

static void read_rows(deep_rows *out, const dusk_frame *frame, const char *label)
{
    learn_features features;
    dusk_error err;
    bench_require(
        learn_features_init(&features, frame->fields, dusk_fields_find(frame->fields, label), false, 0, &err),
        &err);
    for (size_t j = 0; j < features.width; j++) learn_features_rescale(&features, j, 0, 1.0 / 255);
    bench_require(deep_rows_make(out, &features, frame, &err), &err);
    learn_features_clear(&features);
}

static bool open_study(study *s, const task *t)
{
    bench_data data;
    deep_net net, front;
    dusk_error err;
    *s = (study){ .parameters = NULL };
    if (!bench_data_open(&data, t->set)) return false;
    read_rows(&s->train, data.train, data.label);
    read_rows(&s->test, data.test, data.label);
    bench_data_close(&data);
    bench_require(deep_net_parse(&net, t->net, s->train.width, 10, &err), &err);
    bench_require(deep_front_split(&net, &front, &s->plan.net, &err), &err);
    if (front.layers > 0) {
        const double start = bench_clock_seconds();
        bench_require(deep_front_run(&front, &s->train, 2, &err), &err);
        s->features = bench_clock_seconds() - start;
        bench_require(deep_front_run(&front, &s->test, 2, &err), &err);
    }
    deep_net_clear(&net);
    deep_net_clear(&front);
    s->parameters = bench_allocate(s->plan.net.parameters, sizeof *s->parameters);
    return true;
}

static void close_study(study *s)
{
    deep_net_clear(&s->plan.net);
    deep_rows_clear(&s->train);
    deep_rows_clear(&s->test);
    free(s->parameters);
}

static void plan(study *s, const task *t)
{
    learn_budget budget;
    dusk_error err;
    deep_plan *p = &s->plan;
    const deep_net net = p->net;
    *p = (deep_plan){
        .net = net,
        .loss = DEEP_SOFTMAX,
        .clipping = t->clipping,
        .clip = t->clip,
        .lot = t->lot,
        .rate = t->rate,
        .momentum = t->momentum,
        .average = t->average,
        .threads = 2,
    };
    bench_require(learn_sampler_init(&p->sampler, LEARN_POISSON, t->lot / (double)s->train.rows,
                                     s->train.rows, DUSK_ADD_REMOVE, &err),
                  &err);
    p->steps = (uint64_t)rint(t->epochs / p->sampler.rate);
    bench_require(learn_budget_init(&budget, DUSK_ADD_REMOVE, t->epsilon, 1e-5, 1, &err), &err);
    bench_require(learn_budget_sampled(&budget, &p->noise, (uint32_t)net.parameters, DEEP_STEPS, DEEP_GRID, 1,
                                       &p->sampler, p->steps, &err),
                  &err);
}

/* In percent. */
static double share_right(const study *s)
{
    enum { ROOM = 64 };
    deep_pass pass;
    dusk_error err;
    size_t right = 0;
    bench_require(deep_pass_open(&pass, &s->plan.net, ROOM, &err), &err);
    pass.parameters = s->parameters;
    for (size_t first = 0; first < s->test.rows; first += pass.examples) {
        pass.examples = s->test.rows - first < ROOM ? s->test.rows - first : ROOM;
        for (size_t i = 0; i < pass.examples; i++)
            deep_rows_take(&s->test, first + i, pass.value[0] + i * s->test.width);
        deep_forward(&pass);
        for (size_t i = 0; i < pass.examples; i++) {
            const deep_real *y = pass.value[s->plan.net.layers] + i * 10;
            int32_t best = 0;
            for (int32_t k = 1; k < 10; k++)
                if (y[k] > y[best]) best = k;
            right += best == s->test.code[first + i];
        }
    }
    deep_pass_close(&pass);
    return 100 * (double)right / (double)s->test.rows;
}

static double train(study *s, bool plain, dusk_generator *gen)
{
    learn_job job = { .rows = 0 };
    dusk_error err;
    s->plan.plain = plain;
    bench_require(deep_net_start(&s->plan.net, s->parameters, gen, &err), &err);
    bench_require(deep_train(&job, &s->plan, &s->train, s->parameters, NULL, gen, &err), &err);
    return share_right(s);
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const task *t = self->setup;
    const double n = t->trainings;
    double sum = 0, squares = 0;
    study s;
    *out = (bench_result){ .value = NAN, .floor_value = NAN };
    if (!open_study(&s, t)) return;
    plan(&s, t);
    for (int i = 0; i < t->trainings; i++) {
        const double right = train(&s, false, gen);
        sum += right;
        squares += right * right;
    }
    s.plan.rate = t->plain;
    *out = (bench_result){ .value = sum / n,
                           .floor_value = train(&s, true, gen),
                           .epsilon = t->epsilon,
                           .spread = n > 1 ? sqrt(fmax(squares - sum * sum / n, 0) / (n - 1)) : 0,
                           .trainings = t->trainings };
    close_study(&s);
}

/* Seconds on the clock of one training on two threads, its features included, from rows that were read. */
static void run_clock(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const task *t = self->setup;
    study s;
    *out = (bench_result){ .value = NAN, .floor_value = NAN };
    if (!open_study(&s, t)) return;
    const double features = s.features;
    plan(&s, t);
    double start = bench_clock_seconds();
    train(&s, false, gen);
    const double private = features + bench_clock_seconds() - start;
    s.plan.rate = t->plain;
    start = bench_clock_seconds();
    train(&s, true, gen);
    *out = (bench_result){ .value = private,
                           .floor_value = features + bench_clock_seconds() - start,
                           .epsilon = t->epsilon };
    close_study(&s);
}

#define CASE(data, which, at, aimed, ...)                                                                    \
    {                                                                                                        \
        .name = "deep/accuracy/" data "/" which "/" #at,                                                     \
        .what = which " on " data ", epsilon " #at ", delta 1e-5", .unit = "%", .floor = "without privacy",  \
        .aim = aimed, .run = run, .setup = &(const task)                                                     \
        {                                                                                                    \
            .set = data, .epsilon = at, __VA_ARGS__                                                          \
        }                                                                                                    \
    }
#define SCATTER                                                                                              \
    .net = "input 28 28; scatter 2 8; groupnorm 27 fixed; layernorm fixed; output", .lot = 8192,             \
    .epochs = 30, .clip = 0.1, .plain = 0.02, .momentum = 0.5, .average = 0.95, .trainings = 5
#define CNN                                                                                                  \
    .net = "input 28 28; groupnorm 1 fixed; conv 16 8 stride 2 pad 3; tanh; maxpool 2 1; conv 32 4 stride "  \
           "2; tanh; maxpool 2 1; dense 32; tanh; output",                                                   \
    .clip = 0.1, .trainings = 3
#define CNN_LONG CNN, .lot = 8192, .epochs = 100, .rate = 20, .plain = 0.3, .momentum = 0.5, .average = 0.95
#define CNN_SHORT CNN, .lot = 2048, .rate = 3, .plain = 0.05, .momentum = 0.9, .average = 0.98
#define LOGISTIC                                                                                             \
    .net = "output", .lot = 4096, .epochs = 40, .clip = 0.1, .rate = 8, .plain = 0.5, .momentum = 0.9,       \
    .average = 0.9, .trainings = 5
#define MLP                                                                                                  \
    .net = "dense 256; tanh; output", .lot = 4096, .epochs = 20, .clip = 0.1, .rate = 8, .plain = 0.05,      \
    .momentum = 0.9, .average = 0.95, .trainings = 3

const bench_case bench_deep_utility_cases[] = {
    CASE("mnist", "scatter", 3, ">= 98.7", SCATTER, .rate = 40),
    CASE("mnist", "scatter", 1, ">= 97.5", SCATTER, .rate = 20),
    CASE("fashion-mnist", "scatter", 3, ">= 89.7", SCATTER, .rate = 40),
    CASE("fashion-mnist", "scatter", 1, ">= 86", SCATTER, .rate = 20),
    CASE("mnist", "cnn", 2.93, ">= 98.1", CNN_LONG),
    CASE("mnist", "cnn", 1.19, ">= 95", CNN_SHORT, .epochs = 20),
    CASE("mnist", "cnn", 0.5, ">= 90", CNN_SHORT, .epochs = 10),
    CASE("mnist", "mlp", 3, "", MLP),
    CASE("mnist", "mlp", 1, "", MLP),
    CASE("mnist", "logistic", 3, "", LOGISTIC),
    CASE("mnist", "logistic", 1, "", LOGISTIC),
    { .name = "deep/recipe/mnist/scatter/3",
      .what = "a training of scatter on mnist by two threads, features included, rows being read",
      .unit = "s",
      .floor = "without privacy",
      .aim = "<= 30",
      .run = run_clock,
      .setup = &(const task){ .set = "mnist", .epsilon = 3, SCATTER, .rate = 40 } },
    { .name = NULL },
};
