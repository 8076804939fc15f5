/* SPDX-License-Identifier: Apache-2.0 */
/* Several attributes of a person, of 10, 2, 20 and 5 categories, at epsilon 1: what a report costs a device beside the coins that it takes, what it costs the server, estimates of all cells included, beside
 * reading it once, and how far off estimates are beside the formula. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dusk/local.h"

enum { VALUES = 4096, CELLS = 1024 };

typedef struct setup {
    dusk_randomiser mechanism;
    uint32_t order;
} setup;

typedef struct job {
    dusk_survey survey;
    dusk_generator *gen;
    dusk_generator_entropy context;
    dusk_entropy entropy;
    size_t size, people;
    double coins; /* bytes of entropy of `people` reports */
    uint8_t *reports;
    uint64_t value[VALUES];
    double count[CELLS], deviation[CELLS];
} job;

static void encode(void *context)
{
    job *j = context;
    for (size_t i = 0; i < j->people; i++)
        dusk_client_report(&j->survey.task, j->reports + i * j->size, j->value[i % VALUES], &j->entropy);
}

static void take_coins(void *context)
{
    const job *j = context;
    bench_take_bytes(j->gen, j->coins);
}

static void aggregate(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_tally *tally;
    bench_require(dusk_tally_new(&tally, &j->survey, &err), &err);
    dusk_tally_add(tally, j->reports, j->people);
    bench_require(dusk_tally_counts(tally, j->count, j->deviation, NULL, j->survey.task.domain, &err), &err);
    dusk_tally_free(tally);
}

static void read_once(void *context)
{
    const job *j = context;
    bench_read_bytes(j->reports, j->people * j->size);
}

/* Counts what is taken. */
typedef struct meter {
    dusk_entropy of;
    double bytes;
} meter;

static int take(void *context, uint8_t *bytes, size_t n)
{
    meter *m = context;
    m->bytes += (double)n;
    return m->of.fill(m->of.context, bytes, n);
}

static void begin(job *j, const bench_case *self, size_t people, dusk_generator *gen)
{
    static const uint32_t sizes[] = { 10, 2, 20, 5 };
    const setup *s = self->setup;
    dusk_error err;
    dusk_survey_options options;
    dusk_survey_options_init(&options);
    options.mechanism = s->mechanism;
    options.hashes = s->order;
    options.epsilon = 1;
    options.attributes = 4;
    memcpy(options.sizes, sizes, sizeof sizes);
    memset(j, 0, sizeof *j);
    bench_require(dusk_survey_init(&j->survey, &options, &err), &err);
    if (j->survey.task.domain > CELLS) abort();
    j->gen = gen;
    j->entropy = dusk_entropy_of(&j->context, gen);
    j->size = dusk_report_size(&j->survey.task);
    j->people = people;
    j->reports = bench_allocate(people, j->size);
    for (uint64_t i = 0; i < VALUES; i++) j->value[i] = i * i % 2000; /* the first categories are frequent */
    meter m = { .of = j->entropy };
    j->entropy = (dusk_entropy){ take, &m };
    encode(j);
    j->entropy = m.of;
    j->coins = m.bytes;
}

static void run_encode(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static job j;
    begin(&j, self, 20000, gen);
    *out = bench_cost(bench_compare(encode, take_coins, &j), (double)j.people);
    free(j.reports);
}

static void run_aggregate(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static job j;
    begin(&j, self, 500000, gen);
    *out = bench_cost(bench_compare(aggregate, read_once, &j), (double)j.people);
    free(j.reports);
}

/* How many people of the survey are in a cell, by attributes and categories. */
static void count_cells(const job *j, double *truth)
{
    const dusk_survey *survey = &j->survey;
    const uint32_t order = survey->task.hashes;
    for (size_t i = 0; i < j->people; i++) {
        uint32_t category[DUSK_ATTRIBUTES_MOST];
        dusk_client_unpack(&survey->task, j->value[i % VALUES], category);
        for (uint32_t a = 0; a < survey->task.attributes; a++)
            for (uint32_t b = order == 2 ? a + 1 : a; b < (order == 2 ? survey->task.attributes : a + 1);
                 b++) {
                const uint32_t at[2] = { a, b }, of[2] = { category[a], category[b] };
                truth[dusk_survey_cell(survey, at, of, order)]++;
            }
    }
}

static void run_error(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    enum { SURVEYS = 400, PEOPLE = VALUES };
    static job j;
    double truth[CELLS] = { 0 }, error = 0, theory = 0;
    begin(&j, self, PEOPLE, gen);
    count_cells(&j, truth);
    const uint32_t cells = j.survey.task.domain;
    for (size_t s = 0; s < SURVEYS; s++) {
        encode(&j);
        aggregate(&j);
        for (uint32_t v = 0; v < cells; v++)
            error += (j.count[v] - truth[v]) * (j.count[v] - truth[v]) / PEOPLE;
    }
    for (uint32_t v = 0; v < cells; v++) theory += dusk_survey_variance_of(&j.survey, v, truth[v] / PEOPLE);
    *out = (bench_result){ .value = error / SURVEYS / cells,
                           .floor_value = theory / cells,
                           .epsilon = j.survey.epsilon };
    free(j.reports);
}

#define CASES(short, mechanism, order, device, server)                                                       \
    { .name = "local/" short "/encode",                                                                      \
      .what = "a report on attributes of 10, 2, 20 and 5 categories, epsilon 1",                             \
      .unit = "ns",                                                                                          \
      .floor = "its coins from the generator",                                                               \
      .aim = device,                                                                                         \
      .run = run_encode,                                                                                     \
      .setup = &(const setup){ mechanism, order } },                                                         \
        { .name = "local/" short "/aggregate",                                                               \
          .what = "such a report added, with the estimates of all cells",                                    \
          .unit = "ns",                                                                                      \
          .floor = "reading it once",                                                                        \
          .aim = server,                                                                                     \
          .run = run_aggregate,                                                                              \
          .setup = &(const setup){ mechanism, order } },                                                     \
    {                                                                                                        \
        .name = "local/" short "/error", .what = "squared error of cells by people", .unit = "MSE/n",        \
        .floor = "the formula", .aim = "ratio <= 1.03", .run = run_error, .setup = &(const setup)            \
        {                                                                                                    \
            mechanism, order                                                                                 \
        }                                                                                                    \
    }

const bench_case bench_local_several_cases[] = {
    CASES("spl", DUSK_SPL, 1, "<= 300", "<= 50"),
    CASES("smp", DUSK_SMP, 1, "<= 150", "<= 50"),
    CASES("smp/pairs", DUSK_SMP, 2, "<= 400", "<= 150"),
    CASES("rsfd", DUSK_RSFD, 1, "<= 300", "<= 50"),
    { .name = NULL },
};
