/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of queries: sparse vector with fresh thresholds and with Gaussian noise beside the
 * draws that each answer needs, a threshold monitor beside a plain count of the same
 * records; and how far from the threshold a query must be, beside the textbook's noise. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "dusk/mechanisms.h"
#include "mechanisms/sparse_vector.h"

enum { QUERIES = 20000, RECORDS = 1000000, HITS = 1000 };

typedef struct job {
    dusk_generator *gen;
    dusk_sparse_vector_options options;
    dusk_sparse_plan plan;
    dusk_additive threshold, query;
    dusk_threshold_monitor *monitor;
    double *records;
} job;

static dusk_sparse_vector_options options_of(dusk_noise_law noise)
{
    dusk_sparse_vector_options options;
    dusk_sparse_vector_options_init(&options);
    options.sensitivity = 1;
    options.threshold = 1e9;
    options.hits = HITS;
    options.epsilon = 1;
    options.delta = 1e-6;
    options.noise = noise;
    options.length = noise == DUSK_GAUSSIAN ? 2 * QUERIES : 0;
    return options;
}

/* --- speed ------------------------------------------------------------------------- */

static void ask_queries(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_sparse_vector *sv;
    bool above;
    bench_require(dusk_sparse_vector_start(&sv, &j->options, &j->plan, DUSK_WIDTH_FULL, j->gen, &err), &err);
    for (int i = 0; i < QUERIES; i++)
        bench_require(dusk_sparse_vector_release(sv, &above, NULL, 0, j->gen, &err), &err);
    dusk_sparse_vector_free(sv);
}

static void draw_both(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_int128 rho, nu;
    for (int i = 0; i < QUERIES; i++) {
        bench_require(dusk_additive_draw(&j->query, &nu, j->gen, &err), &err);
        bench_require(dusk_additive_draw(&j->threshold, &rho, j->gen, &err), &err);
        bench_keep((double)(nu + rho));
    }
}

static void run_queries(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const dusk_noise_law *noise = self->setup;
    dusk_error err;
    job j = { .gen = gen, .options = options_of(*noise) };
    bench_require(dusk_sparse_plan_make(&j.plan, &j.options, DUSK_GRID_DEFAULT, &err), &err);
    dusk_additive_init(&j.threshold, j.plan.law, j.plan.threshold_scale, DUSK_WIDTH_FULL);
    dusk_additive_init(&j.query, j.plan.law, j.plan.query_scale, DUSK_WIDTH_FULL);
    *out = bench_rate(bench_compare(ask_queries, draw_both, &j), QUERIES);
}

static bool is_small(const void *record, void *context)
{
    return *(const double *)record < *(const double *)context;
}

static void monitor(void *context)
{
    job *j = context;
    dusk_error err;
    double limit = 0.5;
    bool above;
    bench_require(dusk_threshold_monitor_release(j->monitor, &above, is_small, &limit, j->gen, &err), &err);
}

static void count_plainly(void *context)
{
    const job *j = context;
    double limit = 0.5;
    uint64_t count = 0;
    bool (*volatile predicate)(const void *, void *) = is_small;
    for (size_t i = 0; i < RECORDS; i++) count += predicate(&j->records[i], &limit);
    bench_keep((double)count);
}

static void run_monitor(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    (void)self;
    dusk_error err;
    dusk_threshold_monitor_options options;
    job j = { .gen = gen, .records = bench_uniform(RECORDS, 0, 1, gen) };
    dusk_threshold_monitor_options_init(&options);
    options.threshold = RECORDS / 4;
    options.contributions = 10;
    options.neighbours = DUSK_ADD_REMOVE;
    options.epsilon = 1;
    options.delta = 1e-6;
    bench_require(
        dusk_threshold_monitor_new(&j.monitor, &options, j.records, RECORDS, sizeof *j.records, &err), &err);
    *out = bench_rate(bench_compare(monitor, count_plainly, &j), RECORDS);
    dusk_threshold_monitor_free(j.monitor);
    free(j.records);
}

/* --- error ---------------------------------------------------------------------------- */

/* The deviation of what is compared. The floor is Dwork & Roth 2014, Theorem 3.25: Laplace noise
 * of sqrt(32 c ln(1/delta))/epsilon on the threshold, twice that on queries. */
static void run_error(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    (void)gen;
    const bool *monotonic = self->setup;
    dusk_error err;
    dusk_sparse_plan plan;
    dusk_sparse_vector_options options = options_of(DUSK_LAPLACE);
    options.monotonic = *monotonic;
    bench_require(dusk_sparse_plan_make(&plan, &options, DUSK_GRID_DEFAULT, &err), &err);
    out->value = sqrt(2 * (plan.threshold * plan.threshold + plan.query * plan.query));
    out->floor_value = sqrt(2 * 5.0 * 32 * HITS * log(1e6));
}

const bench_case bench_sparse_cases[] = {
    { .name = "release/sparse-vector/delta",
      .what = "20000 queries, a fresh threshold noise ready for each",
      .unit = "M queries/s",
      .floor = "two constant-work draws each",
      .aim = "",
      .run = run_queries,
      .setup = &(const dusk_noise_law){ DUSK_LAPLACE } },
    { .name = "release/sparse-vector/gaussian",
      .what = "the same with Gaussian noise",
      .unit = "M queries/s",
      .floor = "two constant-work draws each",
      .aim = "",
      .run = run_queries,
      .setup = &(const dusk_noise_law){ DUSK_GAUSSIAN } },
    { .name = "release/threshold-monitor",
      .what = "a predicate over 1e6 records, each of which is charged",
      .unit = "M records/s",
      .floor = "the predicate on each, and a sum",
      .aim = "",
      .run = run_monitor },
    { .name = "error/sparse-vector/delta",
      .what = "deviation of a comparison, 1000 hits at epsilon 1 and delta 1e-6",
      .unit = "counts",
      .floor = "the constants of Dwork & Roth 2014",
      .aim = "ratio <= 0.5",
      .run = run_error,
      .setup = &(const bool){ false } },
    { .name = "error/sparse-vector/delta/monotonic",
      .what = "the same where all queries move together",
      .unit = "counts",
      .floor = "the constants of Dwork & Roth 2014",
      .aim = "ratio <= 0.25",
      .run = run_error,
      .setup = &(const bool){ true } },
    { .name = NULL },
};
