/* SPDX-License-Identifier: Apache-2.0 */
/* Choices from counts and rows beside one pass over them, and the best of many runs
 * beside as many releases of one number. */
#include <stdlib.h>

#include "bench.h"
#include "dusk/mechanisms.h"

enum { ROWS = 1000000, TOP = 10, LIMIT = 1000, RUNS = 1000, CANDIDATES = 100 };

typedef struct job {
    dusk_generator *gen;
    uint64_t *counts;
    double *rows;
    dusk_limit_domain domain;
    dusk_aggregate how;
    dusk_candidates candidates;
    dusk_noise noise;
} job;

static void top_keys(void *context)
{
    job *j = context;
    dusk_error err;
    size_t chosen[TOP], shown;
    bench_require(dusk_limit_domain_release(&j->domain, chosen, &shown, j->counts, ROWS, j->gen, &err), &err);
    bench_keep((double)shown);
}

static void mode(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_statement statement;
    size_t chosen;
    double shortfall;
    bench_require(dusk_mode_release(&chosen, &shortfall, &statement, &j->how, j->counts, ROWS, j->gen, &err),
                  &err);
    bench_keep((double)chosen);
}

static void largest_count(void *context)
{
    const job *j = context;
    uint64_t largest = 0;
    for (size_t i = 0; i < ROWS; i++) largest = j->counts[i] > largest ? j->counts[i] : largest;
    bench_keep((double)largest);
}

static void bounds(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_bounds found;
    bench_require(dusk_bounds_release(&found, &j->how, 1e-9, 1e18, j->rows, ROWS, j->gen, &err), &err);
    bench_keep(found.upper);
}

static void largest_row(void *context)
{
    const job *j = context;
    double largest = j->rows[0];
    for (size_t i = 1; i < ROWS; i++) largest = j->rows[i] > largest ? j->rows[i] : largest;
    bench_keep(largest);
}

static void candidates(void *context)
{
    job *j = context;
    dusk_error err;
    bool any;
    size_t chosen;
    double score;
    bench_require(dusk_candidates_release_scores(&j->candidates, &any, &chosen, &score, &j->noise, j->rows,
                                                 CANDIDATES, j->gen, &err),
                  &err);
    bench_keep(score);
}

static void releases(void *context)
{
    job *j = context;
    dusk_error err;
    double x;
    for (int i = 0; i < RUNS; i++) {
        bench_require(dusk_noise_release(&j->noise, &x, j->rows[0], j->gen, &err), &err);
        bench_keep(x);
    }
}

typedef struct setup {
    bench_work *work, *floor;
    double amount;
} setup;

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *s = self->setup;
    dusk_error err;
    job j = { .gen = gen };
    j.rows = bench_uniform(ROWS, 0, 1e5, gen);
    j.counts = bench_allocate(ROWS, sizeof *j.counts);
    for (size_t i = 0; i < ROWS; i++) j.counts[i] = (uint64_t)(1e9 / (1 + j.rows[i] * j.rows[i]));
    bench_require(dusk_limit_domain_init(&j.domain, TOP, LIMIT, 1, 1, 0.1, 1e-6, &err), &err);
    bench_require(dusk_candidates_init(&j.candidates, 1, 10.0 / RUNS, &err), &err);
    j.candidates.padding = RUNS; /* as many runs in nearly every round */
    bench_require(dusk_laplace_init(&j.noise, 1, 1, 0.3, DUSK_GRID_DEFAULT, &err), &err);
    dusk_aggregate_init(&j.how);
    j.how.neighbours = DUSK_ADD_REMOVE;
    j.how.epsilon = 1;
    *out = bench_cost(bench_compare(s->work, s->floor, &j), s->amount);
    free(j.rows);
    free(j.counts);
}

const bench_case bench_choice_cases[] = {
    { "choice/top-keys/1e6", "the 10 best of 1e6 keys, looking at 1000", "ns/key",
      "one pass: the largest count", "", run, &(const setup){ top_keys, largest_count, ROWS } },
    { "choice/mode/1e6", "the mode of 1e6 public values", "ns/key", "one pass: the largest count", "", run,
      &(const setup){ mode, largest_count, ROWS } },
    { "choice/bounds/1e6", "bounds of 1e6 rows", "ns/row", "one pass: the largest row", "", run,
      &(const setup){ bounds, largest_row, ROWS } },
    { "choice/candidates/1e3", "the best of 1000 noisy looks at 100 scores", "ns/run",
      "as many releases of one number", "ratio <= 3", run, &(const setup){ candidates, releases, RUNS } },
    { .name = NULL },
};
