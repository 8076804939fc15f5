/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums beside the plain loop that is neither exact nor order-free. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dusk/numeric.h"
#include "numeric/fixed_sum.h"

enum { VALUES = 20000000 };

typedef struct job {
    double *values;
} job;

static void plain_sum(void *context)
{
    const job *j = context;
    double sum = 0;
    for (size_t i = 0; i < VALUES; i++) sum += j->values[i];
    bench_keep(sum);
}

static void fixed_sum(void *context)
{
    const job *j = context;
    const dusk_fixed_clamp clamp = { .lower = 0, .upper = 100, .grid = -30 };
    bench_keep(dusk_fixed_value(dusk_fixed_sum(j->values, VALUES, &clamp), clamp.grid));
}

static void exact_sum(void *context)
{
    const job *j = context;
    dusk_exact_sum sum;
    dusk_exact_sum_init(&sum);
    dusk_exact_sum_add(&sum, j->values, VALUES);
    bench_keep(dusk_exact_sum_value(&sum));
}

/* Multiply value i by a power of two between 2^-300 and 2^300. */
static void spread(double *values)
{
    for (size_t i = 0; i < VALUES; i++) {
        uint64_t bits, exponent = 723 + (i * 2654435761u >> 7) % 601;
        memcpy(&bits, &values[i], sizeof bits);
        bits = (bits & ~((uint64_t)0x7ff << 52)) | exponent << 52;
        memcpy(&values[i], &bits, sizeof bits);
    }
}

typedef struct setup {
    bench_work *work;
    int spread;
} setup;

static void run_sum(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *s = self->setup;
    job j = { bench_uniform(VALUES, -10, 110, gen) };
    if (s->spread) spread(j.values);
    *out = bench_rate(bench_compare(s->work, plain_sum, &j), VALUES);
    free(j.values);
}

#define SUM(title, text, work_, spread_)                                                                     \
    {                                                                                                        \
        .name = "sum/" title, .what = text, .unit = "M values/s", .floor = "plain loop", .aim = ">= 250",    \
        .run = run_sum, .setup = &(const setup)                                                              \
        {                                                                                                    \
            .work = work_, .spread = spread_                                                                 \
        }                                                                                                    \
    }

const bench_case bench_sum_cases[] = {
    SUM("fixed-point", "2e7 doubles clamped, rounded to a grid and added in 128 bits", fixed_sum, 0),
    SUM("exact-doubles", "2e7 doubles of similar size added exactly", exact_sum, 0),
    SUM("exact-doubles/spread", "2e7 doubles between 2^-300 and 2^300 added exactly", exact_sum, 1),
    { .name = NULL },
};
