/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums of a stream, a step at a time, parameters and all, beside a plain running
 * sum; and the error of each method beside that of the tree at the same promise. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "dusk/mechanisms.h"

typedef struct setup {
    dusk_stream_method method;
    double delta;
    uint64_t length, window;
    uint32_t bands;
} setup;

typedef struct job {
    const setup *how;
    dusk_generator *gen;
    double *numbers;
} job;

static dusk_stream *begin(const setup *how, bool whole)
{
    dusk_stream_options options;
    dusk_stream *stream;
    dusk_error err;
    dusk_stream_options_init(&options);
    options.method = how->method;
    options.neighbours = DUSK_ADD_REMOVE;
    options.whole = whole;
    options.lower = 0;
    options.upper = 1;
    options.length = how->length;
    options.window = how->window;
    options.bands = how->bands;
    options.epsilon = 1;
    options.delta = how->delta;
    bench_require(dusk_stream_new(&stream, &options, &err), &err);
    return stream;
}

static void take_steps(void *context)
{
    job *j = context;
    dusk_stream *stream = begin(j->how, true);
    dusk_error err;
    double value = 0;
    for (uint64_t t = 0; t < j->how->length; t++)
        bench_require(dusk_stream_release(stream, &value, j->numbers[t], j->gen, &err), &err);
    bench_keep(value);
    dusk_stream_free(stream);
}

static void add_up(void *context)
{
    job *j = context;
    double sum = 0;
    for (uint64_t t = 0; t < j->how->length; t++) {
        sum += j->numbers[t];
        bench_keep(sum);
    }
}

static void run_steps(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = { .how = self->setup, .gen = gen };
    j.numbers = bench_uniform(j.how->length, 0, 2, gen);
    *out = bench_rate(bench_compare(take_steps, add_up, &j), (double)j.how->length);
    free(j.numbers);
}

/* Root of the mean over all steps of the squared half-width of one deviation. */
static double error_of(const setup *how)
{
    dusk_stream *stream = begin(how, false); /* no half steps of rounding */
    dusk_error err;
    double squares = 0, half;
    for (uint64_t t = 1; t <= how->length; t++) {
        bench_require(dusk_stream_interval(stream, &half, t, 0.6826894921370859, &err), &err);
        squares += half * half;
    }
    dusk_stream_free(stream);
    return sqrt(squares / (double)how->length);
}

static void run_error(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    (void)gen;
    setup tree = *(const setup *)self->setup;
    tree.method = DUSK_STREAM_TREE;
    out->value = error_of(self->setup);
    out->floor_value = error_of(&tree);
}

#define STEPS(title, text, ...)                                                                              \
    {                                                                                                        \
        .name = "stream/" title, .what = text, .unit = "M steps/s", .floor = "plain running sum", .aim = "", \
        .run = run_steps, .setup = &(const setup)                                                            \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
#define ERROR(title, text, METHOD, n)                                                                        \
    {                                                                                                        \
        .name = "stream/error/" title, .what = text, .unit = "rms error", .floor = "binary tree",            \
        .aim = "ratio <= 1", .run = run_error, .setup = &(const setup)                                       \
        {                                                                                                    \
            METHOD, 1e-6, n, 0, 0                                                                            \
        }                                                                                                    \
    }

const bench_case bench_time_cases[] = {
    STEPS("tree", "a count after each of 2^16 steps, discrete Laplace", DUSK_STREAM_TREE, 0, 1 << 16, 0, 0),
    STEPS("tree/gaussian", "the same with Gaussian noise", DUSK_STREAM_TREE, 1e-6, 1 << 16, 0, 0),
    STEPS("tree/window", "the last 1000 of 2^16 steps", DUSK_STREAM_TREE, 0, 1 << 16, 1000, 0),
    STEPS("honaker", "all nodes of the tree, 2^16 steps", DUSK_STREAM_HONAKER, 1e-6, 1 << 16, 0, 0),
    STEPS("square-root", "2^12 steps", DUSK_STREAM_SQUARE_ROOT, 1e-6, 1 << 12, 0, 0),
    STEPS("banded", "64 bands, 2^14 steps", DUSK_STREAM_BANDED, 1e-6, 1 << 14, 0, 64),
    ERROR("honaker/2^10", "epsilon 1, delta 1e-6", DUSK_STREAM_HONAKER, 1 << 10),
    ERROR("honaker/2^16", "epsilon 1, delta 1e-6", DUSK_STREAM_HONAKER, 1 << 16),
    ERROR("square-root/2^10", "epsilon 1, delta 1e-6", DUSK_STREAM_SQUARE_ROOT, 1 << 10),
    ERROR("square-root/2^13", "epsilon 1, delta 1e-6", DUSK_STREAM_SQUARE_ROOT, 1 << 13),
    ERROR("square-root/2^16", "epsilon 1, delta 1e-6", DUSK_STREAM_SQUARE_ROOT, 1 << 16),
    { .name = NULL },
};
