/* SPDX-License-Identifier: Apache-2.0 */
/* Contribution bounding: rows of a unit, a key of 1000 and a double; ten groups a unit, one row a group.
 * Every unit holds 20 rows, nearly all in different groups, so that each has to choose. The floor is what
 * a program would do that bounds nothing: read the columns and add up by key. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "query/bounding.h"

enum { KEYS = 1000, CHUNK = 2048, NAME = 16, TURNS = 3 };

typedef struct setup {
    size_t rows, units;
    size_t memory; /* 0: enough */
    bool text;
} setup;

/* A chunk of rows at a time, made again for every pass: a table of 200 M rows would not fit. */
typedef struct feed {
    const setup *what;
    uint64_t state;
    int64_t unit[CHUNK], key[CHUNK];
    double value[CHUNK];
    char name[CHUNK][NAME];
    const char *names[CHUNK];
    uint32_t lengths[CHUNK];
} feed;

static inline uint64_t next(feed *f)
{
    uint64_t z = f->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    return z ^ z >> 31;
}

static void fill(feed *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x = next(f);
        f->unit[i] = (int64_t)((x >> 32) * f->what->units >> 32);
        f->key[i] = (int64_t)((x & 0xffffffff) * KEYS >> 32);
        f->value[i] = (double)(x >> 40) * 0x1p-24;
        if (!f->what->text) continue;
        for (unsigned d = 0, u = (unsigned)f->unit[i]; d < 12; d++, u /= 10)
            f->name[i][d] = d < 8 ? (char)('0' + u % 10) : "@org"[d - 8];
        f->names[i] = f->name[i];
        f->lengths[i] = 12;
    }
}

typedef void use(void *context, const feed *f, size_t n);

static double pass(const setup *what, use *with, void *context)
{
    feed *f = bench_allocate(1, sizeof *f);
    double spent = 0;
    f->what = what;
    f->state = 7;
    for (size_t at = 0; at < what->rows; at += CHUNK) {
        size_t n = what->rows - at < CHUNK ? what->rows - at : CHUNK;
        fill(f, n);
        double start = bench_cpu_seconds();
        with(context, f, n);
        spent += bench_cpu_seconds() - start;
    }
    free(f);
    return spent;
}

static void add_plainly(void *context, const feed *f, size_t n)
{
    double *sum = context;
    for (size_t i = 0; i < n; i++) sum[f->key[i]] += f->value[i];
}

static void add_bounded(void *context, const feed *f, size_t n)
{
    dusk_error err;
    dusk_cells cells[3] = { { .type = DUSK_CELL_INTEGER, .integers = f->unit },
                            { .type = DUSK_CELL_INTEGER, .integers = f->key },
                            { .type = DUSK_CELL_REAL, .reals = f->value } };
    if (f->what->text)
        cells[0] = (dusk_cells){ .type = DUSK_CELL_TEXT, .texts = f->names, .lengths = f->lengths };
    dusk_chunk chunk = { n, 3, cells };
    bench_require(bounding_add(context, &chunk, &err), &err);
}

static double bound(const setup *what, dusk_generator *gen)
{
    static const dusk_cell_type key = DUSK_CELL_INTEGER, value = DUSK_CELL_REAL;
    const bounding_total total = { .kind = BOUNDING_SUM,
                                   .upper = 1,
                                   .centre = 0.5,
                                   .reach = 0.5,
                                   .grid = -40,
                                   .unit_low = NAN,
                                   .unit_high = NAN };
    const bounding_options options = { .unit_type = what->text ? DUSK_CELL_TEXT : DUSK_CELL_INTEGER,
                                       .key_types = &key,
                                       .keys = 1,
                                       .value_types = &value,
                                       .values = 1,
                                       .total = &total,
                                       .totals = 1,
                                       .groups_per_unit = 10,
                                       .rows_per_group = 1,
                                       .memory = what->memory ? what->memory : (size_t)4 << 30 };
    dusk_error err;
    bounding *b;
    bounded *groups;
    bench_require(bounding_new(&b, &options, gen, &err), &err);
    double spent = pass(what, add_bounded, b), start = bench_cpu_seconds();
    bench_require(bounding_finish(b, &groups, &err), &err);
    bounded_free(groups);
    bounding_free(b);
    return spent + bench_cpu_seconds() - start;
}

static void run_rate(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *what = self->setup;
    double work[TURNS], floor[TURNS], sum[KEYS] = { 0 };
    for (int i = 0; i < TURNS; i++) {
        work[i] = bound(what, gen);
        floor[i] = pass(what, add_plainly, sum);
        bench_keep(sum[i]);
    }
    *out = (bench_result){ (double)what->rows * 1e-6 / bench_median(work, TURNS),
                           (double)what->rows * 1e-6 / bench_median(floor, TURNS) };
}

/* Peak of the process in MB, beside the limit. It is a peak: what ran before counts too. */
static void run_peak(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *what = self->setup;
    struct rusage usage;
    bound(what, gen);
    getrusage(RUSAGE_SELF, &usage);
    *out = (bench_result){ (double)usage.ru_maxrss / 1024, (double)what->memory * 0x1p-20 };
}

#define RATE(label, text, wish, ...)                                                                         \
    {                                                                                                        \
        .name = "bounding/" label, .what = text, .unit = "M rows/s", .floor = "add up, unbounded",           \
        .aim = wish, .run = run_rate, .setup = &(const setup)                                                \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

const bench_case bench_bounding_cases[] = {
    RATE("integers", "20 M rows, 1 M integer units, 1000 keys", ">= 20", .rows = 20000000, .units = 1000000),
    RATE("spilled", "the same with 64 MB of memory, the rest in a file", "", .rows = 20000000,
         .units = 1000000, .memory = (size_t)64 << 20),
    RATE("texts", "the same with texts of 12 bytes as units", "", .rows = 20000000, .units = 1000000,
         .text = true),
    { .name = "bounding/peak",
      .what = "MB at most for 200 M rows, 20 M units, with a limit of 512 MB",
      .unit = "MB",
      .floor = "limit",
      .aim = "ratio <= 1.25",
      .run = run_peak,
      .setup = &(const setup){ .rows = 200000000, .units = 20000000, .memory = (size_t)512 << 20 } },
    { .name = NULL },
};
