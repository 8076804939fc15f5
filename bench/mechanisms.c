/* SPDX-License-Identifier: Apache-2.0 */
/* Whole releases as a caller makes them, parameters checked and statement
 * included, beside the same job without privacy or, where that job is nothing,
 * beside the one draw of noise that a release needs. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dusk/mechanisms.h"
#include "random/noise_additive.h"

enum {
    RELEASES = 200,  /* of single numbers in a repetition */
    DRAWS = 20000,   /* of noise that is calibrated already */
    QUERIES = 20000, /* of a sparse vector */
    ROWS = 1000000,
    FEW_ROWS = 100000, /* for sorting */
    BINS = 64,
    KEYS = 200000,
    PEOPLE = 1000000,
    UNITS = 10000, /* of a vector total, */
    WIDTH = 64     /* each with so many coordinates */
};
static const double lower = 0, upper = 100, epsilon = 1, delta = 1e-6;

typedef struct job {
    dusk_generator *gen;
    dusk_additive draw;
    dusk_aggregate how;
    dusk_noise noise;
    dusk_randomized_response response;
    dusk_key_selection selection;
    size_t n;
    double *rows, *copy, *edges;
    uint64_t *units;
    uint32_t *answers, *randomized;
    bool *keep;
    size_t quantiles;
} job;

static job start(dusk_generator *gen)
{
    job j = { .gen = gen };
    dusk_additive_init(&j.draw, DUSK_ADDITIVE_LAPLACE, 0x1p40, DUSK_WIDTH_FULL);
    dusk_aggregate_init(&j.how);
    j.how.neighbours = DUSK_ADD_REMOVE;
    j.how.lower = lower;
    j.how.upper = upper;
    j.how.epsilon = epsilon;
    return j;
}

static void stop(job *j)
{
    free(j->rows);
    free(j->copy);
    free(j->edges);
    free(j->units);
    free(j->answers);
    free(j->randomized);
    free(j->keep);
}

static void draw_each(void *context) /* the floor of releases of j->n single numbers */
{
    const job *j = context;
    dusk_error err;
    dusk_int128 k;
    for (size_t i = 0; i < j->n; i++) bench_require(dusk_additive_draw(&j->draw, &k, j->gen, &err), &err);
}

/* --- numbers ------------------------------------------------------------------- */

static void release_numbers(void *context)
{
    job *j = context;
    dusk_error err;
    double out;
    for (size_t i = 0; i < j->n; i++)
        bench_require(dusk_noise_release(&j->noise, &out, (double)i, j->gen, &err), &err);
}

static void init_noise(dusk_noise *out, dusk_noise_law law, uint32_t dimension)
{
    dusk_error err;
    int grid = DUSK_GRID_DEFAULT;
    switch (law) {
    case DUSK_LAPLACE: bench_require(dusk_laplace_init(out, dimension, 1, epsilon, grid, &err), &err); break;
    case DUSK_GAUSSIAN:
        bench_require(dusk_gaussian_init(out, dimension, 1, epsilon, delta, grid, &err), &err);
        break;
    case DUSK_DISCRETE_LAPLACE:
        bench_require(dusk_discrete_laplace_init(out, dimension, 1, epsilon, 0, &err), &err);
        break;
    case DUSK_DISCRETE_GAUSSIAN:
        bench_require(dusk_discrete_gaussian_init(out, dimension, 1, epsilon, delta, 0, &err), &err);
        break;
    case DUSK_STAIRCASE:
        bench_require(dusk_staircase_init(out, 1, epsilon, DUSK_GAMMA_ABSOLUTE, grid, &err), &err);
        break;
    case DUSK_TRUNCATED_LAPLACE:
        bench_require(dusk_truncated_laplace_init(out, 1, epsilon, delta, grid, &err), &err);
        break;
    case DUSK_SINH_NORMAL:
        bench_require(dusk_sinh_normal_init(out, 1, epsilon, delta, grid, &err), &err);
        break;
    }
}

static void run_numbers(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(gen);
    j.n = DRAWS;
    init_noise(&j.noise, *(const dusk_noise_law *)self->setup, 1);
    *out = bench_rate(bench_compare(release_numbers, draw_each, &j), (double)j.n);
}

static void release_vector(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(dusk_noise_release_vector(&j->noise, j->copy, j->rows, j->gen, &err), &err);
}

static void copy_rows(void *context)
{
    const job *j = context;
    memcpy(j->copy, j->rows, j->n * sizeof *j->rows);
    __asm__ volatile("" : : "r"(j->copy) : "memory");
}

static void run_vector(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(gen);
    j.n = ROWS;
    init_noise(&j.noise, *(const dusk_noise_law *)self->setup, ROWS);
    j.rows = bench_uniform(j.n, lower, upper, gen);
    j.copy = bench_allocate(j.n, sizeof *j.copy);
    *out = bench_rate(bench_compare(release_vector, copy_rows, &j), (double)j.n);
    stop(&j);
}

static void release_total(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_total *total;
    double out[WIDTH];
    bench_require(dusk_total_new(&total, &j->noise, &err), &err);
    for (size_t i = 0; i < UNITS; i++) dusk_total_add(total, j->rows + i * WIDTH);
    bench_require(dusk_total_release(total, out, j->gen, &err), &err);
    dusk_total_free(total);
}

static void plain_total(void *context)
{
    const job *j = context;
    double out[WIDTH] = { 0 };
    for (size_t i = 0; i < UNITS; i++)
        for (size_t c = 0; c < WIDTH; c++) out[c] += j->rows[i * WIDTH + c];
    for (size_t c = 0; c < WIDTH; c++) bench_keep(out[c]);
}

static void run_total(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(gen);
    dusk_error err;
    init_noise(&j.noise, *(const dusk_noise_law *)self->setup, WIDTH);
    bench_require(dusk_noise_for_total(&j.noise, &err), &err);
    j.rows = bench_uniform((size_t)UNITS * WIDTH, -0.2, 0.2, gen);
    *out = bench_rate(bench_compare(release_total, plain_total, &j), (double)UNITS * WIDTH);
    stop(&j);
}

/* --- aggregates ------------------------------------------------------------------ */

static void release_counts(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_answer answer;
    for (size_t i = 0; i < j->n; i++)
        bench_require(dusk_count_release(&answer, &j->how, i, j->gen, &err), &err);
}

static void run_count(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    (void)self;
    job j = start(gen);
    j.n = RELEASES;
    *out = bench_cost(bench_compare(release_counts, draw_each, &j), 1e3 * (double)j.n);
}

static void release_sum(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_answer answer;
    bench_require(dusk_sum_release(&answer, &j->how, j->rows, j->n, j->gen, &err), &err);
}

static void release_mean(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_answer answer;
    bench_require(dusk_mean_release(&answer, &j->how, j->rows, j->n, j->gen, &err), &err);
}

static void release_variance(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_answer answer;
    bench_require(dusk_variance_release(&answer, &j->how, j->rows, j->n, j->gen, &err), &err);
}

static void plain_sum(void *context)
{
    const job *j = context;
    double sum = 0;
    for (size_t i = 0; i < j->n; i++) sum += j->rows[i];
    bench_keep(sum);
}

static void plain_variance(void *context)
{
    const job *j = context;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < j->n; i++) {
        sum += j->rows[i];
        squares += j->rows[i] * j->rows[i];
    }
    bench_keep(squares - sum * sum / (double)j->n);
}

typedef struct aggregate_setup {
    bench_work *work, *floor;
    double delta;
} aggregate_setup;

static void run_aggregate(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const aggregate_setup *s = self->setup;
    job j = start(gen);
    j.n = ROWS;
    j.how.delta = s->delta;
    j.rows = bench_uniform(j.n, lower - 10, upper + 10, gen);
    *out = bench_rate(bench_compare(s->work, s->floor, &j), (double)j.n);
    stop(&j);
}

static void release_histogram(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_statement statement;
    double counts[BINS], half_width;
    bench_require(dusk_histogram_release(counts, &half_width, &statement, &j->how, j->edges, BINS, j->rows,
                                         j->n, j->gen, &err),
                  &err);
}

/* The bin of each row by binary search, as for any edges. */
static void plain_histogram(void *context)
{
    const job *j = context;
    uint64_t counts[BINS] = { 0 };
    for (size_t i = 0; i < j->n; i++) {
        size_t low = 0, high = BINS;
        if (!(j->rows[i] >= j->edges[0] && j->rows[i] <= j->edges[BINS])) continue;
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            if (j->rows[i] >= j->edges[middle])
                low = middle;
            else
                high = middle;
        }
        counts[low]++;
    }
    for (size_t b = 0; b < BINS; b++) bench_keep((double)counts[b]);
}

static void run_histogram(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    (void)self;
    job j = start(gen);
    j.n = ROWS;
    j.rows = bench_uniform(j.n, lower - 10, upper + 10, gen);
    j.edges = bench_allocate(BINS + 1, sizeof *j.edges);
    for (size_t b = 0; b <= BINS; b++) j.edges[b] = lower + (upper - lower) * (double)b / BINS;
    *out = bench_rate(bench_compare(release_histogram, plain_histogram, &j), (double)j.n);
    stop(&j);
}

static void release_quantiles(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_statement statement;
    double q[9], values[9], rank_error;
    for (size_t i = 0; i < j->quantiles; i++) q[i] = (double)(i + 1) / (double)(j->quantiles + 1);
    bench_require(dusk_quantiles_release(values, &rank_error, &statement, &j->how, q, j->quantiles, j->rows,
                                         j->n, j->gen, &err),
                  &err);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort_rows(void *context)
{
    const job *j = context;
    memcpy(j->copy, j->rows, j->n * sizeof *j->rows);
    qsort(j->copy, j->n, sizeof *j->copy, compare_doubles);
}

static void run_quantiles(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(gen);
    j.n = FEW_ROWS;
    j.quantiles = *(const size_t *)self->setup;
    j.rows = bench_uniform(j.n, lower - 10, upper + 10, gen);
    j.copy = bench_allocate(j.n, sizeof *j.copy);
    *out = bench_rate(bench_compare(release_quantiles, sort_rows, &j), (double)j.n);
    stop(&j);
}

/* --- keys, answers, streams --------------------------------------------------------- */

static void select_keys(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(dusk_key_selection_release(&j->selection, j->keep, NULL, j->units, j->n, j->gen, &err),
                  &err);
}

static void compare_keys(void *context)
{
    const job *j = context;
    for (size_t i = 0; i < j->n; i++) j->keep[i] = j->units[i] >= 20;
    __asm__ volatile("" : : "r"(j->keep) : "memory");
}

static void run_keys(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    dusk_error err;
    job j = start(gen);
    j.n = KEYS;
    j.units = bench_allocate(j.n, sizeof *j.units);
    j.keep = bench_allocate(j.n, sizeof *j.keep);
    for (size_t i = 0; i < j.n; i++) j.units[i] = 1 + i * 2654435761u % 40;
    bench_require(
        dusk_key_selection_init(&j.selection, *(const dusk_key_method *)self->setup, 1, epsilon, delta, &err),
        &err);
    *out = bench_rate(bench_compare(select_keys, compare_keys, &j), (double)j.n);
    stop(&j);
}

static void randomize(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(
        dusk_randomized_response_release(&j->response, j->randomized, j->answers, j->n, j->gen, &err), &err);
}

static void copy_answers(void *context)
{
    const job *j = context;
    memcpy(j->randomized, j->answers, j->n * sizeof *j->answers);
    __asm__ volatile("" : : "r"(j->randomized) : "memory");
}

static void run_response(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    uint32_t kinds = *(const uint32_t *)self->setup; /* 0: two coins */
    dusk_error err;
    job j = start(gen);
    j.n = PEOPLE;
    j.answers = bench_allocate(j.n, sizeof *j.answers);
    j.randomized = bench_allocate(j.n, sizeof *j.randomized);
    for (size_t i = 0; i < j.n; i++) j.answers[i] = (uint32_t)(i % (kinds ? kinds : 2));
    if (kinds)
        bench_require(dusk_randomized_response_init(&j.response, kinds, epsilon, &err), &err);
    else
        bench_require(dusk_two_coin_init(&j.response, 0.5, 0.5, &err), &err);
    *out = bench_rate(bench_compare(randomize, copy_answers, &j), (double)j.n);
    stop(&j);
}

static void ask_queries(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_sparse_vector_options options;
    dusk_sparse_vector *sv;
    bool above;
    dusk_sparse_vector_options_init(&options);
    options.sensitivity = 1;
    options.threshold = 1000;
    options.hits = 1;
    options.epsilon = epsilon;
    bench_require(dusk_sparse_vector_new(&sv, &options, j->gen, &err), &err);
    for (size_t i = 0; i < j->n; i++)
        bench_require(dusk_sparse_vector_release(sv, &above, NULL, 0, j->gen, &err), &err);
    dusk_sparse_vector_free(sv);
}

static void run_queries(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    (void)self;
    job j = start(gen);
    j.n = QUERIES;
    *out = bench_rate(bench_compare(ask_queries, draw_each, &j), (double)j.n);
}

/* --- the table ------------------------------------------------------------------------ */

#define RELEASE(title, text, unit_, floor_, run_, ...)                                                       \
    {                                                                                                        \
        .name = "release/" title, .what = text, .unit = unit_, .floor = floor_, .aim = "", .run = run_,      \
        .setup = __VA_ARGS__                                                                                 \
    }
#define NUMBER(title, text, LAW)                                                                             \
    RELEASE(title, text, "M releases/s", "one constant-work draw", run_numbers,                              \
            &(const dusk_noise_law){ LAW })
#define AGGREGATE(title, text, floor_, work, plain, delta)                                                   \
    RELEASE(title, text, "M rows/s", floor_, run_aggregate, &(const aggregate_setup){ work, plain, delta })
#define QUANTILES(title, text, count)                                                                        \
    RELEASE(title, text, "M rows/s", "qsort of the rows", run_quantiles, &(const size_t){ count })
#define ANSWERS(title, text, kinds)                                                                          \
    RELEASE(title, text, "M answers/s", "memcpy of the answers", run_response, &(const uint32_t){ kinds })
#define KEY_CHOICE(title, text, METHOD)                                                                      \
    RELEASE(title, text, "M keys/s", "plain comparison", run_keys, &(const dusk_key_method){ METHOD })

const bench_case bench_mechanism_cases[] = {
    NUMBER("laplace", "one number, calibrated beforehand", DUSK_LAPLACE),
    NUMBER("gaussian", "one number, calibrated beforehand", DUSK_GAUSSIAN),
    NUMBER("discrete-laplace", "one whole number, calibrated beforehand", DUSK_DISCRETE_LAPLACE),
    NUMBER("discrete-gaussian", "one whole number, calibrated beforehand", DUSK_DISCRETE_GAUSSIAN),
    NUMBER("staircase", "one number, calibrated beforehand", DUSK_STAIRCASE),
    NUMBER("truncated-laplace", "one number, calibrated beforehand", DUSK_TRUNCATED_LAPLACE),
    NUMBER("sinh-normal", "one number, calibrated beforehand", DUSK_SINH_NORMAL),
    RELEASE("gaussian-vector", "a vector of 1e6 coordinates", "M values/s", "memcpy of the vector",
            run_vector, &(const dusk_noise_law){ DUSK_GAUSSIAN }),
    RELEASE("gaussian-total", "1e4 clipped contributions of 64 coordinates and the noise on their total",
            "M values/s", "plain vector sum", run_total, &(const dusk_noise_law){ DUSK_GAUSSIAN }),
    ANSWERS("randomized-response", "1e6 yes/no answers", 2),
    ANSWERS("randomized-response/two-coin", "1e6 yes/no answers by two coins", 0),
    ANSWERS("randomized-response/ten", "1e6 answers out of ten", 10),
    RELEASE("sparse-vector", "queries that stay below the threshold", "M queries/s", "one constant-work draw",
            run_queries, NULL),
    RELEASE("count", "a count with its interval and statement, parameters and all", "us/release",
            "one constant-work draw", run_count, NULL),
    AGGREGATE("sum", "1e6 rows, Laplace noise", "plain sum", release_sum, plain_sum, 0),
    AGGREGATE("sum/gaussian", "1e6 rows, Gaussian noise", "plain sum", release_sum, plain_sum, 1e-6),
    AGGREGATE("mean", "1e6 rows", "plain sum", release_mean, plain_sum, 0),
    AGGREGATE("variance", "1e6 rows", "plain sums of rows and squares", release_variance, plain_variance, 0),
    RELEASE("histogram", "1e6 rows in 64 public bins", "M rows/s", "plain binning by binary search",
            run_histogram, NULL),
    QUANTILES("quantile", "the median of 1e5 rows", 1),
    QUANTILES("quantile/nine", "nine deciles of 1e5 rows at once", 9),
    KEY_CHOICE("keys", "2e5 keys of 1 to 40 units, truncated geometric", DUSK_KEYS_TRUNCATED_GEOMETRIC),
    KEY_CHOICE("keys/laplace", "2e5 keys of 1 to 40 units, Laplace threshold", DUSK_KEYS_LAPLACE),
    KEY_CHOICE("keys/gaussian", "2e5 keys of 1 to 40 units, Gaussian threshold", DUSK_KEYS_GAUSSIAN),
    { .name = NULL },
};
