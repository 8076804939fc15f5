/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms whose noise follows the data, beside sorting the rows, which each of them
 * needs, or beside the function of all rows that sample-and-aggregate runs on blocks. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dusk/mechanisms.h"

enum { ROWS = 100000, BLOCKS = 300, DRAWS = 200 };

typedef struct job {
    dusk_generator *gen;
    dusk_aggregate how;
    dusk_smooth_options options;
    dusk_smooth smooth;
    double *rows, *copy;
} job;

static job start(dusk_generator *gen)
{
    job j = { .gen = gen };
    dusk_aggregate_init(&j.how);
    j.how.neighbours = DUSK_ADD_REMOVE;
    j.how.lower = 0;
    j.how.upper = 100;
    j.how.epsilon = 1;
    dusk_smooth_options_init(&j.options);
    j.rows = bench_uniform(ROWS, 0, 100, gen);
    j.copy = bench_allocate(ROWS, sizeof *j.copy);
    return j;
}

static void stop(job *j)
{
    free(j->rows);
    free(j->copy);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort_rows(void *context)
{
    job *j = context;
    memcpy(j->copy, j->rows, ROWS * sizeof *j->copy);
    qsort(j->copy, ROWS, sizeof *j->copy, by_size);
}

static void smooth_median(void *context)
{
    job *j = context;
    dusk_answer answer;
    dusk_error err;
    bench_require(
        dusk_smooth_quantile_release(&answer, &j->how, &j->options, 0.5, j->rows, ROWS, j->gen, &err), &err);
}

/* `setup` is the law. */
static void run_median(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(gen);
    j.options.law = *(const dusk_smooth_law *)self->setup;
    j.how.delta = j.options.law >= DUSK_SMOOTH_LAPLACE ? 1e-6 : 0;
    *out = bench_cost(bench_compare(smooth_median, sort_rows, &j), ROWS);
    stop(&j);
}

static void propose(void *context)
{
    job *j = context;
    dusk_answer answer;
    dusk_error err;
    bool released;
    bench_require(dusk_propose_quantile_release(&answer, &released, &j->how, DUSK_LAPLACE, 1, 0.5, j->rows,
                                                ROWS, j->gen, &err),
                  &err);
}

static void run_propose(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(gen);
    (void)self;
    j.how.delta = 1e-6;
    *out = bench_cost(bench_compare(propose, sort_rows, &j), ROWS);
    stop(&j);
}

static double block_mean(const size_t *index, size_t n, void *context)
{
    const double *rows = context;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += rows[index[i]];
    return sum / (double)n;
}

static void sample_and_aggregate(void *context)
{
    job *j = context;
    dusk_answer answer;
    dusk_error err;
    bench_require(dusk_sample_and_aggregate_release(&answer, &j->how, DUSK_BLOCKS_MEAN, BLOCKS, ROWS, NULL,
                                                    block_mean, j->rows, j->gen, &err),
                  &err);
}

static void shuffle_bytes(void *context)
{
    job *j = context;
    bench_take_bytes(j->gen, ROWS * 8.0);
}

static void run_blocks(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(gen);
    (void)self;
    *out = bench_cost(bench_compare(sample_and_aggregate, shuffle_bytes, &j), ROWS);
    stop(&j);
}

static void draw(void *context)
{
    job *j = context;
    dusk_error err;
    double out;
    for (int i = 0; i < DRAWS; i++)
        bench_require(dusk_smooth_release(&j->smooth, &out, 1, 1, j->gen, &err), &err);
}

static void laplace(void *context)
{
    job *j = context;
    dusk_noise noise;
    dusk_error err;
    double out;
    bench_require(dusk_laplace_init(&noise, 1, 1, 1, DUSK_GRID_DEFAULT, &err), &err);
    for (int i = 0; i < DRAWS; i++) bench_require(dusk_noise_release(&noise, &out, 1, j->gen, &err), &err);
}

static void run_draw(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(gen);
    dusk_error err;
    dusk_smooth_law law = *(const dusk_smooth_law *)self->setup;
    bench_require(dusk_smooth_init(&j.smooth, law, 2, 0, 1, law >= DUSK_SMOOTH_LAPLACE ? 1e-6 : 0, -30, &err),
                  &err);
    *out = bench_cost(bench_compare(draw, laplace, &j), DRAWS);
    stop(&j);
}

static const dusk_smooth_law cauchy = DUSK_SMOOTH_CAUCHY, student_t = DUSK_SMOOTH_STUDENT_T,
                             laplace_law = DUSK_SMOOTH_LAPLACE, gaussian = DUSK_SMOOTH_GAUSSIAN;

#define SORT "qsort of the rows"
#define DRAW "a Laplace release of a public scale"

const bench_case bench_smooth_cases[] = {
    { "smooth/median/cauchy/10^5", "median of 10^5 rows by smooth sensitivity", "ns a row", SORT, "",
      run_median, &cauchy },
    { "smooth/median/laplace/10^5", "the same with Laplace noise", "ns a row", SORT, "", run_median,
      &laplace_law },
    { "propose/median/10^5", "propose-test-release of the median of 10^5 rows", "ns a row", SORT, "",
      run_propose, NULL },
    { "blocks/mean/10^5", "sample-and-aggregate: 10^5 rows in 300 blocks", "ns a row",
      "8 bytes a row from the generator", "", run_blocks, NULL },
    { "smooth/release/student-t", "one release with a private scale", "ns", DRAW, "", run_draw, &student_t },
    { "smooth/release/cauchy", "the same with Cauchy noise", "ns", DRAW, "", run_draw, &cauchy },
    { "smooth/release/gaussian", "the same with Gaussian noise", "ns", DRAW, "", run_draw, &gaussian },
    { 0 },
};
