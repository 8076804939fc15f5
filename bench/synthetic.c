/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: what a release costs beside counting the same cells without privacy, and how far its answers
 * are from the truth beside a model that takes columns to be independent. The rows are made up: each
 * column depends on the one before it. MWEM also on the one-dimensional histograms of DPBench [Hay et al.
 * 2016] where DUSK_DATA is set: epsilon 0.1, all 4096 prefixes, the l2 norm of the errors over
 * (queries x rows), beside noise on every bin. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dusk/mechanisms.h"

enum { COLUMNS = 8, ROWS = 100000, PAIRS = COLUMNS * (COLUMNS - 1) / 2 };

static const uint32_t sizes[COLUMNS] = { 2, 8, 5, 16, 4, 10, 3, 6 };

typedef struct job {
    dusk_generator *gen;
    dusk_aggregate how;
    dusk_table table;
    uint32_t *codes;
    dusk_marginal pairs[PAIRS];
    size_t cells;
    double *counts;
    uint64_t *exact;
} job;

static uint64_t mix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void fill_rows(uint32_t *codes)
{
    uint64_t state = 1;
    for (size_t r = 0; r < ROWS; r++) {
        uint32_t last = 0;
        for (size_t c = 0; c < COLUMNS; c++) {
            uint64_t word = mix(&state);
            uint32_t spread = (uint32_t)(word >> 32) % sizes[c],
                     near = (last + (uint32_t)(word >> 8) % 2) % sizes[c];
            last = codes[r * COLUMNS + c] =
                word % 4 ? near : (uint32_t)((uint64_t)spread * spread / sizes[c]);
        }
    }
}

static job start(dusk_generator *gen)
{
    job j = { .gen = gen };
    dusk_error err;
    size_t n = 0;
    dusk_aggregate_init(&j.how);
    j.how.neighbours = DUSK_ADD_REMOVE;
    j.how.epsilon = 1;
    j.how.delta = 1e-9;
    j.codes = bench_allocate(COLUMNS * ROWS, sizeof *j.codes);
    fill_rows(j.codes);
    j.table = (dusk_table){ .columns = COLUMNS, .sizes = sizes, .rows = ROWS, .codes = j.codes };
    for (uint32_t a = 0; a < COLUMNS; a++)
        for (uint32_t b = a + 1; b < COLUMNS; b++) j.pairs[n++] = (dusk_marginal){ 2, { a, b } };
    bench_require(dusk_marginals_cells(&j.cells, &j.table, j.pairs, PAIRS, &err), &err);
    j.counts = bench_allocate(j.cells, sizeof *j.counts);
    j.exact = bench_allocate(j.cells, sizeof *j.exact);
    return j;
}

static void stop(job *j)
{
    free(j->codes);
    free(j->counts);
    free(j->exact);
}

/* The floor: every pair counted, nothing private. */
static void count_pairs(void *context)
{
    job *j = context;
    uint64_t *exact = j->exact;
    for (size_t i = 0; i < j->cells; i++) exact[i] = 0;
    for (size_t p = 0; p < PAIRS; p++) {
        uint32_t a = j->pairs[p].column[0], b = j->pairs[p].column[1];
        for (size_t r = 0; r < ROWS; r++) {
            const uint32_t *row = j->codes + r * COLUMNS;
            exact[row[a] * sizes[b] + row[b]]++;
        }
        exact += sizes[a] * sizes[b];
    }
}

static void release_pairs(void *context)
{
    job *j = context;
    dusk_error err;
    dusk_statement statement;
    double width;
    bench_require(dusk_marginals_release(j->counts, &width, &statement, &j->how, &j->table, j->pairs, PAIRS,
                                         j->gen, &err),
                  &err);
}

static dusk_synthetic_table *make_synthetic(job *j)
{
    dusk_error err;
    dusk_statement statement;
    dusk_synthetic_table *made;
    bench_require(dusk_synthetic_table_release(&made, &statement, &j->how, &j->table, j->gen, &err), &err);
    return made;
}

static void release_synthetic(void *context) { dusk_synthetic_table_free(make_synthetic(context)); }

/* The average over pairs of the total variation distance of the counts from the exact ones. */
static double variation(job *j)
{
    double sum = 0, exact_sum = 0;
    count_pairs(j);
    for (size_t i = 0; i < j->cells; i++) {
        sum += fabs(j->counts[i] - (double)j->exact[i]);
        exact_sum += (double)j->exact[i];
    }
    return sum / exact_sum / 2;
}

static double independent_variation(job *j)
{
    double *single = bench_allocate(COLUMNS * 16, sizeof *single), *count = j->counts;
    for (size_t i = 0; i < (size_t)COLUMNS * 16; i++) single[i] = 0;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++) single[c * 16 + j->codes[r * COLUMNS + c]]++;
    for (size_t p = 0; p < PAIRS; p++) {
        uint32_t a = j->pairs[p].column[0], b = j->pairs[p].column[1];
        for (size_t i = 0; i < (size_t)sizes[a] * sizes[b]; i++)
            *count++ = single[a * 16 + i / sizes[b]] * single[b * 16 + i % sizes[b]] / ROWS;
    }
    free(single);
    return variation(j);
}

static void time_pairs(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(gen);
    (void)self;
    *out = bench_cost(bench_compare(release_pairs, count_pairs, &j), ROWS);
    stop(&j);
}

static void time_synthetic(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(gen);
    (void)self;
    *out = bench_cost(bench_compare(release_synthetic, count_pairs, &j), ROWS);
    stop(&j);
}

static void error_of_pairs(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(gen);
    dusk_error err;
    double gap;
    (void)self;
    release_pairs(&j);
    bench_require(dusk_marginals_reconcile(j.counts, &gap, &j.table, j.pairs, PAIRS, NULL, NAN, true, &err),
                  &err);
    out->value = variation(&j);
    out->floor_value = independent_variation(&j);
    stop(&j);
}

static void error_of_synthetic(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(gen);
    dusk_error err;
    dusk_synthetic_table *made = make_synthetic(&j);
    double *count = j.counts;
    (void)self;
    for (size_t p = 0; p < PAIRS; p++) {
        bench_require(dusk_synthetic_table_marginal(made, count, &j.pairs[p], &err), &err);
        count += sizes[j.pairs[p].column[0]] * sizes[j.pairs[p].column[1]];
    }
    out->value = variation(&j);
    out->floor_value = independent_variation(&j);
    dusk_synthetic_table_free(made);
    stop(&j);
}

/* ---- DPBench ----------------------------------------------------------------------- */

enum { BINS = 4096, REPEATS = 3 };

typedef struct dpbench {
    uint32_t rounds;
    size_t rows;
} dpbench;

/* The codes of so many rows with the shape of a histogram; false when it is not there. */
static bool read_histogram(uint32_t *codes, size_t rows, const char *name)
{
    static double sum[BINS];
    const char *folder = getenv("DUSK_DATA");
    char command[1024];
    size_t n = 0, row = 0;
    double count;
    if (!folder || strchr(folder, '\'')) return false;
    snprintf(command, sizeof command, "gzip -dc '%s/dpbench/1D.%s.txt.gz'", folder, name);
    FILE *pipe = popen(command, "r");
    if (!pipe) return false;
    for (; n < BINS && fscanf(pipe, "%lf", &count) == 1; n++) sum[n] = (n ? sum[n - 1] : 0) + count;
    pclose(pipe);
    for (size_t i = 0; i < BINS && n == BINS; i++)
        while ((double)row < rint(sum[i] / sum[BINS - 1] * (double)rows)) codes[row++] = (uint32_t)i;
    return n == BINS;
}

/* The scaled error of all prefixes. */
static double scaled_error(const double *counts, const uint64_t *exact, size_t rows)
{
    double prefix = 0, sum = 0;
    for (size_t i = 0; i < BINS; i++) {
        prefix += counts[i] - (double)exact[i];
        sum += prefix * prefix;
    }
    return sqrt(sum) / BINS / (double)rows;
}

static void add_errors(bench_result *out, const uint32_t *codes, const dpbench *size, dusk_generator *gen)
{
    static const uint32_t bins[1] = { BINS };
    static const dusk_marginal one = { 1, { 0 } };
    static double counts[BINS];
    static uint64_t exact[BINS];
    const dusk_table table = { .columns = 1, .sizes = bins, .rows = size->rows, .codes = codes };
    dusk_mwem_options options;
    dusk_aggregate how;
    dusk_statement statement;
    dusk_error err;
    double width;
    dusk_aggregate_init(&how);
    how.neighbours = DUSK_ADD_REMOVE;
    how.epsilon = 0.1;
    dusk_mwem_options_init(&options);
    options.marginals = &one;
    options.marginals_count = 1;
    options.prefixes = true;
    options.rounds = size->rounds;
    memset(exact, 0, sizeof exact);
    for (size_t r = 0; r < size->rows; r++) exact[codes[r]]++;
    bench_require(dusk_mwem_release(counts, &width, &statement, &how, &options, &table, gen, &err), &err);
    out->value += scaled_error(counts, exact, size->rows);
    bench_require(dusk_counts_release(counts, &width, &statement, &how, exact, BINS, gen, &err), &err);
    out->floor_value += scaled_error(counts, exact, size->rows);
}

static void error_on_dpbench(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static const char *const names[] = { "ADULT",       "HEPTH",      "INCOME",     "MEDCOST",   "NETTRACE",
                                         "PATENT",      "BIDS-FJ",    "BIDS-FM",    "BIDS-ALL",  "MDSALARY",
                                         "MDSALARY-FA", "SEARCHLOGS", "LC-REQ-F1",  "LC-REQ-F2", "LC-REQ-ALL",
                                         "LC-DTIR-F1",  "LC-DTIR-F2", "LC-DTIR-ALL" };
    enum { NAMES = sizeof names / sizeof *names };
    const dpbench *size = self->setup;
    uint32_t *codes = bench_allocate(size->rows, sizeof *codes);
    double count = 0;
    *out = (bench_result){ 0, 0 };
    for (int i = 0; i < NAMES; i++)
        for (int repeat = 0; repeat < REPEATS && read_histogram(codes, size->rows, names[i]);
             repeat++, count++)
            add_errors(out, codes, size, gen);
    out->value /= fmax(count, 1);
    out->floor_value /= fmax(count, 1);
    free(codes);
}

static const dpbench few = { 10, 1000 }, middle = { 10, 10000 }, many = { 30, 100000 };

const bench_case bench_synthetic_cases[] = {
    { "table/marginals/28 pairs", "all pairs of 8 columns of 10^5 rows, epsilon 1", "ns", "counting them", "",
      time_pairs, NULL },
    { "table/synthetic/8 columns", "a synthetic table's model of 10^5 rows, epsilon 1", "ns",
      "counting all pairs", "", time_synthetic, NULL },
    { "table/marginals/error", "average total variation of all pairs, consistent, epsilon 1, delta 1e-9",
      "tv", "independent columns, exact", "ratio <= 0.1", error_of_pairs, NULL },
    { "table/synthetic/error", "average total variation of all pairs in the model, epsilon 1, delta 1e-9",
      "tv", "independent columns, exact", "ratio <= 0.3", error_of_synthetic, NULL },
    { "dpbench/1d/mwem/10^3", "MWEM of 10 rounds on prefixes, epsilon 0.1, mean of 18 histograms (DUSK_DATA)",
      "scaled error", "noise on every bin", "", error_on_dpbench, &few },
    { "dpbench/1d/mwem/10^4", "the same with 10^4 rows", "scaled error", "noise on every bin", "",
      error_on_dpbench, &middle },
    { "dpbench/1d/mwem/10^5", "30 rounds, 10^5 rows", "scaled error", "noise on every bin", "",
      error_on_dpbench, &many },
    { .name = NULL },
};
