/* SPDX-License-Identifier: Apache-2.0 */
/* Embeddings of a million tokens: what a step of private training needs besides the parameters, in memory at its peak and in time, lots being
 * Poisson samples. Noise goes to all numbers at every step, so that it is the floor of time; sums are of the rows that a sample touches, so that these are
 * the floor of memory. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "deep/training.h"
#include "mechanisms/totals.h"

enum { ROWS = 16384, LENGTH = 16, LOT = 4096, STEPS = 2, TOKENS = 1000000, WIDTH = 64, PIECE = 8192 };

typedef struct tokens {
    deep_plan plan;
    deep_rows rows;
    float *parameters;
    dusk_generator *gen;
} tokens;

static void open_tokens(tokens *t, dusk_generator *gen)
{
    learn_budget budget;
    dusk_error err = { .message = "" };
    uint64_t state = 1;
    deep_plan *p = &t->plan;
    *t = (tokens){ .gen = gen };
    *p =
        (deep_plan){ .loss = DEEP_SOFTMAX, .clip = 1, .lot = LOT, .steps = STEPS, .rate = 0.1, .threads = 1 };
    p->sampler.rate = (double)LOT / ROWS;
    bench_require(
        deep_net_parse(&p->net, "input 16; embedding 1000000 64; avgpool all; output", LENGTH, 2, &err),
        &err);
    bench_require(learn_budget_init(&budget, DUSK_ADD_REMOVE, 3, 1e-6, 1, &err), &err);
    bench_require(learn_budget_sampled(&budget, &p->noise, (uint32_t)p->net.parameters, DEEP_STEPS, DEEP_GRID,
                                       1, &p->sampler, 20 * ROWS / LOT, &err),
                  &err);
    t->rows = (deep_rows){ .rows = ROWS, .width = LENGTH };
    t->rows.raw = bench_allocate(ROWS * LENGTH, sizeof *t->rows.raw);
    t->rows.code = bench_allocate(ROWS, sizeof *t->rows.code);
    for (size_t j = 0; j < ROWS * LENGTH; j++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        t->rows.raw[j] = (float)((state >> 33) % TOKENS);
    }
    for (size_t i = 0; i < ROWS; i++) t->rows.code[i] = (int32_t)(i % 2);
    t->parameters = bench_allocate(p->net.parameters, sizeof *t->parameters);
}

static void close_tokens(tokens *t)
{
    deep_net_clear(&t->plan.net);
    free(t->rows.raw);
    free(t->rows.code);
    free(t->parameters);
}

static void train(tokens *t)
{
    learn_job job = { .rows = 0 };
    dusk_error err = { .message = "" };
    bench_require(deep_train(&job, &t->plan, &t->rows, t->parameters, NULL, t->gen, &err), &err);
}

static void run_memory(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    tokens t;
    (void)self;
    open_tokens(&t, gen);
    bench_forget_peak();
    const double before = bench_memory("VmRSS");
    train(&t);
    *out = (bench_result){ .value = bench_memory("VmHWM") - before,
                           .floor_value = (double)LOT * LENGTH * WIDTH * 8 / 1048576 };
    close_tokens(&t);
}

/* Noise of one step for numbers that are zero. */
static void draw_noise(tokens *t)
{
    static int64_t zero[PIECE];
    static float noise[PIECE];
    dusk_error err = { .message = "" };
    dusk_totals totals;
    bench_require(dusk_totals_begin(&totals, &t->plan.noise.gauss, NULL, t->gen, &err), &err);
    for (size_t first = 0, n = t->plan.net.parameters; first < n; first += PIECE)
        bench_require(dusk_totals_release_floats(&totals, noise, zero, n - first < PIECE ? n - first : PIECE,
                                                 t->gen, &err),
                      &err);
    bench_keep((double)noise[0]);
}

static void run_time(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    tokens t;
    (void)self;
    open_tokens(&t, gen);
    double start = bench_cpu_seconds();
    train(&t);
    const double step = (bench_cpu_seconds() - start) / STEPS;
    start = bench_cpu_seconds();
    draw_noise(&t);
    *out = (bench_result){ .value = step, .floor_value = bench_cpu_seconds() - start };
    close_tokens(&t);
}

const bench_case bench_embedding_cases[] = {
    { "deep/embedding/memory/1e6x64",
      "what a step needs besides parameters and rows, at the peak, lot 4096 of 16 tokens", "MB",
      "64-bit sums of as many rows as a lot has tokens", "ratio <= 3", run_memory, NULL },
    { "deep/embedding/step/1e6x64", "a step of private training, lot 4096 of 16 tokens", "s",
      "noise for every parameter", "ratio <= 2", run_time, NULL },
    { .name = NULL },
};
