/* SPDX-License-Identifier: Apache-2.0 */
/* Frequency oracles at 1024 categories and epsilon 1, values as Zipf has them: what a report costs a device beside the coins that it takes, what it costs the server, estimates
 * of all categories included, beside reading it once, and how far off estimates are beside the formula. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dusk/local.h"
#include "dusk/local_wire.h"

enum { DOMAIN = 1024, VALUES = 4096 };

typedef struct job {
    dusk_survey survey;
    dusk_generator *gen;
    dusk_generator_entropy context;
    dusk_entropy entropy;
    size_t size, people;
    double coins; /* bytes of entropy of `people` reports */
    uint8_t *reports;
    uint32_t value[VALUES];
    double count[DOMAIN], deviation[DOMAIN];
} job;

/* Zipf 1.1: value v is as likely as (v + 1)^-1.1. */
static void draw_values(job *j)
{
    double total = 0, *at = bench_uniform(VALUES, 0, 1, j->gen), sum[DOMAIN];
    for (size_t v = 0; v < DOMAIN; v++) sum[v] = total += pow((double)(v + 1), -1.1);
    for (size_t i = 0; i < VALUES; i++) {
        uint32_t v = 0;
        while (v + 1 < DOMAIN && sum[v] < at[i] * total) v++;
        j->value[i] = v;
    }
    free(at);
}

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
    bench_require(dusk_tally_counts(tally, j->count, j->deviation, NULL, DOMAIN, &err), &err);
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
    dusk_error err;
    dusk_survey_options options;
    dusk_survey_options_init(&options);
    options.mechanism = *(const dusk_randomiser *)self->setup;
    options.domain = DOMAIN;
    options.epsilon = 1;
    memset(j, 0, sizeof *j);
    bench_require(dusk_survey_init(&j->survey, &options, &err), &err);
    j->gen = gen;
    j->entropy = dusk_entropy_of(&j->context, gen);
    j->size = dusk_report_size(&j->survey.task);
    j->people = people;
    j->reports = bench_allocate(people, j->size);
    draw_values(j);
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
    begin(&j, self, *(const dusk_randomiser *)self->setup == DUSK_OLH ? 100000 : 500000, gen);
    *out = bench_cost(bench_compare(aggregate, read_once, &j), (double)j.people);
    free(j.reports);
}

/* The mean over categories and surveys of the squared error of counts, by people. */
static void run_error(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    enum { SURVEYS = 20, PEOPLE = 8 * VALUES };
    static job j;
    double truth[DOMAIN] = { 0 }, error = 0, theory = 0;
    begin(&j, self, PEOPLE, gen);
    for (size_t i = 0; i < PEOPLE; i++) truth[j.value[i % VALUES]]++;
    for (size_t s = 0; s < SURVEYS; s++) {
        encode(&j);
        aggregate(&j);
        for (size_t v = 0; v < DOMAIN; v++) {
            error += (j.count[v] - truth[v]) * (j.count[v] - truth[v]) / PEOPLE;
            theory += dusk_survey_variance(&j.survey, truth[v] / PEOPLE);
        }
    }
    *out = (bench_result){ .value = error / SURVEYS / DOMAIN,
                           .floor_value = theory / SURVEYS / DOMAIN,
                           .epsilon = j.survey.epsilon };
    free(j.reports);
}

/* --- a large projective space ---------------------------------------------------------------------------------------------- */

typedef struct space {
    dusk_tally *tally;
    size_t domain;
    double *count;
} space;

static void decode(void *context)
{
    space *s = context;
    dusk_error err;
    bench_require(dusk_tally_counts(s->tally, s->count, NULL, NULL, s->domain, &err), &err);
}

static void read_counts(void *context)
{
    const space *s = context;
    double sum = 0;
    for (size_t i = 0; i < s->domain; i++) sum += s->count[i];
    bench_keep(sum);
}

static void run_decode(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    enum { PEOPLE = 1000000 };
    space s = { .domain = 3307948 };
    dusk_survey survey;
    dusk_survey_options options;
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    dusk_error err;
    uint8_t report[4];
    (void)self;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_PGR;
    options.domain = s.domain;
    options.epsilon = 5;
    bench_require(dusk_survey_init(&survey, &options, &err), &err);
    bench_require(dusk_tally_new(&s.tally, &survey, &err), &err);
    for (uint64_t i = 0; i < PEOPLE; i++) {
        dusk_client_report(&survey.task, report, i * i % s.domain, &entropy);
        dusk_tally_add(s.tally, report, 1);
    }
    s.count = bench_allocate(s.domain, sizeof *s.count);
    const bench_times times = bench_compare(decode, read_counts, &s);
    *out = (bench_result){ .value = times.work, .floor_value = times.floor };
    free(s.count);
    dusk_tally_free(s.tally);
}

/* --- records ---------------------------------------------------------------------------------------------------------------- */

typedef struct stream {
    dusk_survey survey;
    uint8_t *bytes;
    size_t length, records;
} stream;

static void collect(void *context)
{
    const stream *s = context;
    dusk_error err;
    dusk_collector *collector;
    dusk_intake *intake;
    bench_require(dusk_collector_new(&collector, &s->survey, 0, 1, &err), &err);
    bench_require(dusk_intake_new(&intake, collector, 0, &err), &err);
    bench_require(dusk_intake_take(intake, s->bytes, s->length, &err), &err);
    dusk_intake_end(intake);
    if (dusk_intake_taken(intake) != s->records) abort();
    dusk_intake_free(intake);
    dusk_collector_free(collector);
}

static void read_bytes(void *context)
{
    const stream *s = context;
    bench_read_bytes(s->bytes, s->length);
}

static void run_records(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    enum { RECORDS = 200000 };
    stream s = { .records = RECORDS };
    dusk_survey_options options;
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    dusk_error err;
    (void)self;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_HADAMARD;
    options.domain = DOMAIN;
    options.epsilon = 1;
    bench_require(dusk_survey_init(&s.survey, &options, &err), &err);
    s.bytes = bench_allocate(RECORDS, 64);
    for (uint64_t i = 0; i < RECORDS; i++) {
        uint8_t report[4];
        dusk_client_report(&s.survey.task, report, i % DOMAIN, &entropy);
        s.length += dusk_client_record(&s.survey.task, 0, s.bytes + s.length, report, &entropy);
    }
    *out = bench_rate(bench_compare(collect, read_bytes, &s), RECORDS);
    free(s.bytes);
}

#define CASES(short, long, device, server)                                                                   \
    { .name = "local/" short "/encode",                                                                      \
      .what = "a report of one of 1024 categories, epsilon 1",                                               \
      .unit = "ns",                                                                                          \
      .floor = "its coins from the generator",                                                               \
      .aim = device,                                                                                         \
      .run = run_encode,                                                                                     \
      .setup = &(const dusk_randomiser){ long } },                                                           \
        { .name = "local/" short "/aggregate",                                                               \
          .what = "a report added, with the estimates of all categories",                                    \
          .unit = "ns",                                                                                      \
          .floor = "reading it once",                                                                        \
          .aim = server,                                                                                     \
          .run = run_aggregate,                                                                              \
          .setup = &(const dusk_randomiser){ long } },                                                       \
    {                                                                                                        \
        .name = "local/" short "/error", .what = "squared error of counts by people, Zipf 1.1",              \
        .unit = "MSE/n", .floor = "the formula", .aim = "ratio <= 1.03", .run = run_error,                   \
        .setup = &(const dusk_randomiser)                                                                    \
        {                                                                                                    \
            long                                                                                             \
        }                                                                                                    \
    }

const bench_case bench_local_frequency_cases[] = {
    CASES("grr", DUSK_GRR, "<= 20", "<= 2"),
    CASES("sue", DUSK_SUE, "<= 1500", "<= 100"),
    CASES("oue", DUSK_OUE, "<= 1500", "<= 100"),
    CASES("olh", DUSK_OLH, "<= 100", "<= 400"),
    CASES("ss", DUSK_SS, "<= 5000", "<= 100"),
    CASES("hadamard", DUSK_HADAMARD, "<= 20", "<= 2"),
    CASES("hr", DUSK_HR, "<= 50", "<= 2"),
    CASES("pgr", DUSK_PGR, "<= 200", "<= 2"),
    CASES("cms", DUSK_CMS, "<= 1500", ""),
    CASES("hcms", DUSK_HCMS, "<= 25", "<= 25"),
    CASES("rappor", DUSK_RAPPOR, "", ""),
    CASES("dbitflip", DUSK_DBITFLIP, "", ""),
    CASES("tree", DUSK_TREE, "<= 50", "<= 4"),
    { .name = "local/pgr/decode/3307948",
      .what = "estimates of 3307948 categories at epsilon 5, from a million reports",
      .unit = "s",
      .floor = "reading the counters once",
      .aim = "<= 3.7",
      .run = run_decode,
      .setup = NULL },
    { .name = "local/records",
      .what = "a record parsed, its nonce looked up and kept, its report counted",
      .unit = "M/s",
      .floor = "reading its bytes once",
      .aim = ">= 1",
      .run = run_records,
      .setup = NULL },
    { .name = NULL },
};
