/* SPDX-License-Identifier: Apache-2.0 */
/* Private training of networks: CPU seconds of an epoch of MNIST on one thread, noise and all, beside the same training without
 * clipping and noise. Lots are Poisson samples, noise is that of epsilon 3 at delta 1e-5 for 20 epochs. And what threads, noise that is drawn ahead, and carriers of gradients win. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "deep/training.h"
#include "learn_data.h"

typedef struct network {
    const char *text;
    double lot;
    size_t carriers;
} network;

typedef struct epoch {
    deep_plan plan;
    deep_rows rows;
    float *parameters;
    dusk_generator *gen;
} epoch;

static void run_once(epoch *e, bool plain)
{
    learn_job job = { .rows = 0 };
    dusk_error err;
    e->plan.plain = plain;
    bench_require(deep_net_start(&e->plan.net, e->parameters, e->gen, &err), &err);
    bench_require(deep_train(&job, &e->plan, &e->rows, e->parameters, NULL, e->gen, &err), &err);
}

static void read_rows(epoch *e, const bench_data *data)
{
    learn_features features;
    dusk_error err;
    bench_require(learn_features_init(&features, data->train->fields,
                                      dusk_fields_find(data->train->fields, data->label), false, 0, &err),
                  &err);
    for (size_t j = 0; j < features.width; j++) learn_features_rescale(&features, j, 0, 1.0 / 255);
    bench_require(deep_rows_make(&e->rows, &features, data->train, &err), &err);
    learn_features_clear(&features);
}

static void plan(epoch *e, const network *net, dusk_generator *gen)
{
    learn_budget budget;
    dusk_error err;
    deep_plan *p = &e->plan;
    *p = (deep_plan){
        .loss = DEEP_SOFTMAX, .clip = 1, .lot = net->lot, .rate = 0.1, .momentum = 0.9, .threads = 1
    };
    p->sampler.rate = net->lot / (double)e->rows.rows;
    p->steps = (uint64_t)rint(1 / p->sampler.rate);
    bench_require(deep_net_parse(&p->net, net->text, e->rows.width, 10, &err), &err);
    bench_require(learn_budget_init(&budget, DUSK_ADD_REMOVE, 3, 1e-5, 1, &err), &err);
    bench_require(learn_budget_sampled(&budget, &p->noise, (uint32_t)p->net.parameters, DEEP_STEPS, DEEP_GRID,
                                       1, &p->sampler, 20 * p->steps, &err),
                  &err);
    e->parameters = bench_allocate(p->net.parameters, sizeof *e->parameters);
    e->gen = gen;
}

/* An epoch of MNIST; false without the data. */
static bool open_epoch(epoch *e, const network *net, dusk_generator *gen)
{
    bench_data data;
    *e = (epoch){ .gen = gen };
    if (!bench_data_open(&data, "mnist")) return false;
    read_rows(e, &data);
    bench_data_close(&data);
    plan(e, net, gen);
    return true;
}

static void close_epoch(epoch *e)
{
    deep_net_clear(&e->plan.net);
    deep_rows_clear(&e->rows);
    free(e->parameters);
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    enum { TIMES = 3 };
    double work[TIMES], floor[TIMES];
    epoch e;
    *out = (bench_result){ .value = NAN, .floor_value = NAN };
    if (!open_epoch(&e, self->setup, gen)) return;
    for (int i = 0; i < TIMES; i++) {
        double start = bench_cpu_seconds();
        run_once(&e, false);
        work[i] = bench_cpu_seconds() - start;
        start = bench_cpu_seconds();
        run_once(&e, true);
        floor[i] = bench_cpu_seconds() - start;
    }
    *out = (bench_result){ .value = bench_median(work, TIMES),
                           .floor_value = bench_median(floor, TIMES),
                           .epsilon = 3 };
    close_epoch(&e);
}

/* Seconds on the clock of an epoch with two threads, one of which draws noise ahead, beside one thread: for a machine that does nothing else. */
static void run_threads(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    enum { TIMES = 3 };
    double two[TIMES], one[TIMES];
    epoch e;
    *out = (bench_result){ .value = NAN, .floor_value = NAN };
    if (!open_epoch(&e, self->setup, gen)) return;
    for (int i = 0; i < TIMES; i++)
        for (size_t k = 1; k <= 2; k++) {
            e.plan.threads = k;
            const double start = bench_clock_seconds();
            run_once(&e, false);
            (k == 1 ? one : two)[i] = bench_clock_seconds() - start;
        }
    *out = (bench_result){ .value = bench_median(two, TIMES),
                           .floor_value = bench_median(one, TIMES),
                           .epsilon = 3 };
    close_epoch(&e);
}

/* The same of two threads, one of which draws noise while the other begins, beside two that begin at once and draw it when the sums are there. */
static void run_ahead(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    enum { TIMES = 5 };
    double ahead[TIMES], after[TIMES];
    epoch e;
    *out = (bench_result){ .value = NAN, .floor_value = NAN };
    if (!open_epoch(&e, self->setup, gen)) return;
    e.plan.threads = 2;
    for (int i = 0; i < TIMES; i++)
        for (int k = 0; k < 2; k++) {
            e.plan.one_by_one = k;
            const double start = bench_clock_seconds();
            run_once(&e, false);
            (k ? after : ahead)[i] = bench_clock_seconds() - start;
        }
    *out = (bench_result){ .value = bench_median(ahead, TIMES),
                           .floor_value = bench_median(after, TIMES),
                           .epsilon = 3 };
    close_epoch(&e);
}

/* CPU seconds of an epoch with gradients by carriers, beside one with all of them; both private. */
static void run_carriers(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    enum { TIMES = 3 };
    const network *net = self->setup;
    const deep_tuning_wish wish = { DEEP_TUNE_CARRIED, net->carriers, 1000, 0, "all" };
    double time[2][TIMES];
    deep_tuning tuning;
    dusk_error err;
    epoch e;
    *out = (bench_result){ .value = NAN, .floor_value = NAN };
    if (!open_epoch(&e, net, gen)) return;
    bench_require(deep_tuning_open(&tuning, &e.plan.net, &wish, &err), &err);
    for (int i = 0; i < TIMES; i++)
        for (int all = 0; all < 2; all++) {
            e.plan.carriers = all ? (deep_tuning){ .part = NULL } : tuning;
            const double start = bench_cpu_seconds();
            run_once(&e, false);
            time[all][i] = bench_cpu_seconds() - start;
        }
    *out = (bench_result){ .value = bench_median(time[0], TIMES),
                           .floor_value = bench_median(time[1], TIMES),
                           .epsilon = 3 };
    deep_tuning_clear(&tuning);
    close_epoch(&e);
}

/* What the data, reading it into the network and an epoch take at their peak, besides the program. */
static void run_memory(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    bench_data data;
    epoch e = { .gen = gen };
    *out = (bench_result){ .value = NAN, .floor_value = NAN };
    bench_forget_peak();
    const double before = bench_memory("VmRSS");
    if (!bench_data_open(&data, "mnist")) return;
    const double bytes = (double)data.train->fields->count * (double)(data.train->rows + data.test->rows);
    read_rows(&e, &data);
    plan(&e, self->setup, gen);
    run_once(&e, false);
    *out =
        (bench_result){ .value = bench_memory("VmHWM") - before, .floor_value = bytes / 1e6, .epsilon = 3 };
    bench_data_close(&data);
    close_epoch(&e);
}

#define EPOCH(which, size, net, aimed)                                                                       \
    {                                                                                                        \
        .name = "deep/epoch/mnist/" which "/" #size, .what = which ": " net ", lot " #size, .unit = "s",     \
        .floor = "without privacy", .aim = aimed, .run = run, .setup = &(const network)                      \
        {                                                                                                    \
            net, size, 0                                                                                     \
        }                                                                                                    \
    }

#define CNN                                                                                                  \
    "input 28 28; conv 16 8 stride 2 pad 3; tanh; maxpool 2 1; conv 32 4 stride 2; tanh; maxpool 2 1; "      \
    "dense 32; tanh; output"

#define THREADS(which, size, net)                                                                            \
    {                                                                                                        \
        .name = "deep/threads/mnist/" which "/" #size, .what = "two threads, " which ", lot " #size,         \
        .unit = "s", .floor = "one thread", .aim = "", .run = run_threads, .setup = &(const network)         \
        {                                                                                                    \
            net, size, 0                                                                                     \
        }                                                                                                    \
    }

#define AHEAD(which, size, net)                                                                              \
    {                                                                                                        \
        .name = "deep/ahead/mnist/" which "/" #size,                                                         \
        .what = "two threads, noise ahead, " which ", lot " #size, .unit = "s",                              \
        .floor = "noise when sums are there", .aim = "", .run = run_ahead, .setup = &(const network)         \
        {                                                                                                    \
            net, size, 0                                                                                     \
        }                                                                                                    \
    }

#define CARRIERS(which, size, net)                                                                           \
    {                                                                                                        \
        .name = "deep/carriers/mnist/" which "/" #size, .what = which ", 16 carriers, lot " #size,           \
        .unit = "s", .floor = "all of the gradient", .aim = "", .run = run_carriers,                         \
        .setup = &(const network)                                                                            \
        {                                                                                                    \
            net, size, 16                                                                                    \
        }                                                                                                    \
    }

const bench_case bench_deep_cases[] = {
    EPOCH("logistic", 256, "output", "<= 0.12"),
    EPOCH("logistic", 2048, "output", "<= 0.1"),
    EPOCH("mlp", 256, "dense 256; relu; output", "<= 1.2, ratio <= 1.6"),
    EPOCH("mlp", 2048, "dense 256; relu; output", "<= 0.8, ratio <= 1.3"),
    EPOCH("cnn", 256, CNN, "<= 6, ratio <= 1.3"),
    EPOCH("cnn", 2048, CNN, "<= 6, ratio <= 1.3"),
    THREADS("mlp", 256, "dense 256; relu; output"),
    THREADS("mlp", 2048, "dense 256; relu; output"),
    THREADS("cnn", 256, CNN),
    THREADS("cnn", 2048, CNN),
    AHEAD("logistic", 256, "output"),
    AHEAD("mlp", 256, "dense 256; relu; output"),
    AHEAD("mlp", 2048, "dense 256; relu; output"),
    CARRIERS("mlp", 256, "dense 256; relu; output"),
    CARRIERS("mlp", 2048, "dense 256; relu; output"),
    { .name = "deep/memory/mnist/mlp/2048",
      .what = "peak of memory, data and all: mlp, lot 2048",
      .unit = "MB",
      .floor = "70,000 rows of 785 bytes",
      .aim = "<= 155",
      .run = run_memory,
      .setup = &(const network){ "dense 256; relu; output", 2048, 0 } },
    { .name = NULL },
};
