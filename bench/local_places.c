/* SPDX-License-Identifier: Apache-2.0 */
/* Places by planar Laplace noise: what a report costs a device beside the coins that it takes, what the shares of all cells cost the server, how far reports are beside theory; and JSON of sketches beside reading it once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dusk/local_estimates.h"
#include "dusk/local_places.h"
#include "dusk/local_wire.h"

enum { COLUMNS = 50, ROWS = 40, CELLS = COLUMNS * ROWS };

typedef struct job {
    dusk_survey survey;
    dusk_generator *gen;
    dusk_generator_entropy context;
    dusk_entropy entropy;
    size_t people, size;
    double coins;
    uint8_t *reports;
    dusk_tally *tally;
    double shares[CELLS];
} job;

/* Heaps of people about three cells, and some everywhere. */
static uint64_t place_of(size_t i)
{
    static const uint64_t heap[] = { 8 * COLUMNS + 11, 25 * COLUMNS + 30, 26 * COLUMNS + 33 };
    return i % 4 == 3 ? i * 7919 % CELLS : heap[i % 4] + i / 4 % 3 + COLUMNS * (i / 12 % 3);
}

static void encode(void *context)
{
    job *j = context;
    for (size_t i = 0; i < j->people; i++)
        dusk_client_report(&j->survey.task, j->reports + i * j->size, place_of(i), &j->entropy);
}

static void take_coins(void *context)
{
    const job *j = context;
    bench_take_bytes(j->gen, j->coins);
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

static void begin(job *j, size_t people, double epsilon, dusk_generator *gen)
{
    dusk_error err;
    dusk_survey_options options;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_PLANAR;
    options.width = COLUMNS;
    options.rows = ROWS;
    options.cell = 100;
    options.within = 500;
    options.epsilon = epsilon;
    memset(j, 0, sizeof *j);
    bench_require(dusk_survey_init(&j->survey, &options, &err), &err);
    bench_require(dusk_tally_new(&j->tally, &j->survey, &err), &err);
    j->gen = gen;
    j->entropy = dusk_entropy_of(&j->context, gen);
    j->people = people;
    j->size = dusk_report_size(&j->survey.task);
    j->reports = bench_allocate(people, j->size);
    meter m = { .of = j->entropy };
    j->entropy = (dusk_entropy){ take, &m };
    encode(j);
    j->entropy = m.of;
    j->coins = m.bytes;
    dusk_tally_add(j->tally, j->reports, people);
}

static void end(job *j)
{
    dusk_tally_free(j->tally);
    free(j->reports);
}

static void run_encode(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static job j;
    begin(&j, 20000, *(const double *)self->setup, gen);
    *out = bench_cost(bench_compare(encode, take_coins, &j), (double)j.people);
    end(&j);
}

static void estimate(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(dusk_tally_shares(j->tally, j->shares, CELLS, &err), &err);
}

static void read_shares(void *context)
{
    const job *j = context;
    double sum = 0;
    for (size_t i = 0; i < CELLS; i++) sum += j->shares[i];
    bench_keep(sum);
}

static void run_shares(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static job j;
    begin(&j, 100000, *(const double *)self->setup, gen);
    const bench_times times = bench_compare(estimate, read_shares, &j);
    *out = (bench_result){ .value = 1e3 * times.work, .floor_value = 1e3 * times.floor };
    end(&j);
}

static void run_distance(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static job j;
    static double squares[CELLS];
    double sum = 0, theory = 0;
    dusk_error err;
    begin(&j, 400000, *(const double *)self->setup, gen);
    bench_require(dusk_survey_distances(&j.survey, squares, &err), &err);
    for (size_t i = 0; i < j.people; i++) {
        double x, y, a, b;
        dusk_cell_place(&j.survey, j.reports[2 * i] + 256u * j.reports[2 * i + 1], &x, &y);
        dusk_cell_place(&j.survey, place_of(i), &a, &b);
        sum += (x - a) * (x - a) + (y - b) * (y - b);
        theory += squares[place_of(i)];
    }
    *out = (bench_result){ .value = sqrt(sum / (double)j.people),
                           .floor_value = sqrt(theory / (double)j.people),
                           .epsilon = j.survey.epsilon * dusk_survey_steps(&j.survey) };
    end(&j);
}

/* --- JSON ------------------------------------------------------------------------------------------------------------------- */

typedef struct stream {
    dusk_survey survey;
    char *text;
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
    bench_require(dusk_intake_take_json(intake, (const uint8_t *)s->text, s->length, &err), &err);
    if (dusk_intake_taken(intake) != s->records) abort();
    dusk_intake_free(intake);
    dusk_collector_free(collector);
}

static void read_bytes(void *context)
{
    const stream *s = context;
    bench_read_bytes(s->text, s->length);
}

static void run_json(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    enum { RECORDS = 50000 };
    const size_t room = (RECORDS + 10) * (size_t)24;
    stream s = { .records = RECORDS, .text = bench_allocate(room, 1) };
    dusk_survey_options options;
    dusk_error err;
    (void)self;
    (void)gen;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_HCMS;
    options.rows = options.width = 1024;
    options.epsilon = 4;
    bench_require(dusk_survey_init(&s.survey, &options, &err), &err);
    s.length =
        (size_t)snprintf(s.text, room,
                         "{\"segments\":[{\"algorithm\":\"HadamardCountMedianSketch\",\"key\":\"survey\","
                         "\"parameters\":{\"epsilon\":4,\"k\":1024,\"m\":1024},\"records\":[");
    for (unsigned i = 0; i < RECORDS; i++)
        s.length += (size_t)snprintf(s.text + s.length, room - s.length, "%s\"%u,%u,%s1\"", i ? "," : "",
                                     i * 7919 % 1024, i * 104729 % 1024, i % 3 ? "" : "-");
    s.length += (size_t)snprintf(s.text + s.length, room - s.length, "]}]}");
    *out = bench_cost(bench_compare(collect, read_bytes, &s), RECORDS);
    free(s.text);
}

static const double near = 0.5, far = 1.0 / 6;

const bench_case bench_local_place_cases[] = {
    { "local/encode/planar/0.5", "a report of a place, epsilon 0.5 a step", "ns/report",
      "the coins that it takes", "", run_encode, &near },
    { "local/encode/planar/0.17", "the same, epsilon 1 within 5 cells", "ns/report",
      "the coins that it takes", "", run_encode, &far },
    { "local/shares/planar", "shares of 2000 cells from 100000 reports, epsilon 0.5 a step", "ms",
      "reading the shares", "", run_shares, &near },
    { "local/distance/planar", "how far reports are, cells of 100, epsilon 1 within 500",
      "root of the mean square", "theory", "ratio <= 1.03", run_distance, &far },
    { "local/json/hcms", "records of hcms as JSON", "ns/record", "reading the bytes once", "", run_json,
      NULL },
    { .name = NULL },
};
