/* SPDX-License-Identifier: Apache-2.0 */
/* Coins by (stream, unit) beside as many bytes of the sequential stream: what it costs that
 * the coins of one unit do not depend on who else is there. */
#include <stdlib.h>

#include "bench.h"
#include "random/generator.h"
#include "random/keyed.h"

enum { UNITS = 1000000 };

typedef struct job {
    dusk_generator *gen;
    dusk_keyed_coins *coins;
    uint64_t *units, *words;
    size_t *order;
    bool *in;
} job;

static void words(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(dusk_keyed_words(j->coins, 1, j->units, j->words, UNITS, &err), &err);
}

static void include(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(dusk_keyed_include(j->coins, 2, j->units, j->in, UNITS, UINT64_MAX / 100, &err), &err);
}

/* Of rows by number, as a training samples. */
static void sample_of(const job *j, uint32_t stream, double rate)
{
    dusk_error err;
    size_t count;
    bench_require(
        dusk_keyed_sample(j->coins, stream, j->order, UNITS, dusk_keyed_rate_down(rate), &count, &err), &err);
}
static void sample_often(void *context) { sample_of(context, 6, 0.1); }
static void sample(void *context) { sample_of(context, 7, 0.01); }
static void sample_rare(void *context) { sample_of(context, 8, 0.0001); }

static void below(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(dusk_keyed_below(j->coins, 3, j->units, j->words, UNITS, 1000, &err), &err);
}

static void order(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(dusk_keyed_order(j->coins, 4, j->units, j->order, UNITS, &err), &err);
}

/* Three of ten contributions each, for a tenth as many units. */
static void choose(void *context)
{
    job *j = context;
    dusk_error err;
    size_t chosen[3], count;
    for (size_t i = 0; i < UNITS / 10; i++)
        bench_require(dusk_keyed_choose(j->coins, 5, j->units[i], 10, 3, chosen, &count, &err), &err);
}

static void sequential(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(dusk_generator_words(j->gen, j->words, UNITS, 64, &err), &err);
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    dusk_error err;
    job j = { .gen = gen };
    bench_require(dusk_keyed_new(&j.coins, gen, &err), &err);
    j.units = bench_allocate(UNITS, sizeof *j.units);
    j.words = bench_allocate(UNITS, sizeof *j.words);
    j.order = bench_allocate(UNITS, sizeof *j.order);
    j.in = bench_allocate(UNITS, sizeof *j.in);
    bench_require(dusk_generator_words(gen, j.units, UNITS, 64, &err), &err);
    *out = bench_rate(bench_compare(*(bench_work *const *)self->setup, sequential, &j), UNITS);
    dusk_keyed_free(j.coins);
    free(j.units);
    free(j.words);
    free(j.order);
    free(j.in);
}

#define CASE(verb, text, wish)                                                                               \
    {                                                                                                        \
        .name = "keyed/" #verb, .what = text, .unit = "M/s", .floor = "one word of the stream each",         \
        .aim = wish, .run = run, .setup = &(bench_work *const)                                               \
        {                                                                                                    \
            verb                                                                                             \
        }                                                                                                    \
    }

const bench_case bench_keyed_cases[] = {
    CASE(words, "64 coins a unit", ">= 50"),
    CASE(include, "Poisson sample at rate 0.01", ">= 50"),
    CASE(sample_often, "rows, of which a tenth are a Poisson sample", ">= 500"),
    CASE(sample, "rows, of which a hundredth are one", ">= 2000"),
    CASE(sample_rare, "rows, of which a ten-thousandth are one", ">= 100000"),
    CASE(below, "a number below 1000 a unit", ">= 50"),
    CASE(choose, "contributions looked at: 3 of 10 stay, 10^5 units", ""),
    CASE(order, "a random order of the units", ""),
    { .name = NULL },
};
