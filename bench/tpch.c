/* SPDX-License-Identifier: Apache-2.0 */
/* TPC-H with the customer as the unit: CPU time beside DuckDB without privacy, same text and files, and the
 * median relative error of the cells at epsilon 1. DUSK_BENCH_SCALE is the scale factor, 0.05 unless told;
 * docs/benchmarks.md has 1. The data is made once for all cases of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "tpch.h"

enum { SQL = 4096, ERRORS = 4096 };

/* One data set, made for the first case and removed at the end. */
static struct data {
    char folder[BENCH_PATH];
    bench_plain *plain;
    dusk_source *source;
    bool tried;
} data;

/* Not by atexit: data of DuckDB that belongs to the thread is gone by then. */
void bench_tpch_end(void)
{
    if (!data.plain) return;
    dusk_source_close(data.source);
    bench_plain_close(data.plain);
    bench_folder_remove(data.folder);
}

static void open_source(void)
{
    char uri[TPCH_TABLES][BENCH_PATH + 32];
    const char *uris[TPCH_TABLES];
    for (int t = 0; t < TPCH_TABLES; t++) {
        snprintf(uri[t], sizeof uri[t], "%s/%s.parquet", data.folder, tpch_tables[t]);
        uris[t] = uri[t];
    }
    data.source = bench_source_new(data.folder, uris, TPCH_TABLES, "customer.c_custkey");
    bench_source_declare(data.source, tpch_facts);
}

static bool have_data(const char *name)
{
    const char *text = getenv("DUSK_BENCH_SCALE");
    double scale = text ? strtod(text, NULL) : 0;
    if (data.tried) return data.plain;
    data.tried = true;
    if (!(data.plain = bench_plain_open(name))) return false;
    bench_folder_make(data.folder);
    tpch_make(data.plain, data.folder, scale >= 0.01 && scale <= 100 ? scale : 0.05);
    open_source();
    return true;
}

/* --- errors ----------------------------------------------------------------------------------- */

typedef struct job {
    const tpch_query *query;
    dusk_query_options options, first;
    dusk_generator *gen;
    char plain[SQL];
    bench_answer truth;
    double error[ERRORS];
    size_t errors;
} job;

static bool same_key(const dusk_cell *cell, const char *text)
{
    if (cell->null || !text) return cell->null && !text;
    return cell->text ? strcmp(cell->text, text) == 0 : cell->number == strtod(text, NULL);
}

/* The row of an answer that has the keys of a row of the truth, or NULL. */
static const dusk_cell *find_cell(const dusk_result *result, char **truth, size_t column)
{
    for (size_t i = 0; i < dusk_result_rows(result); i++) {
        bool same = true;
        for (size_t c = 0; c < dusk_result_columns(result) && same; c++) {
            const dusk_cell *cell = dusk_result_cell(result, i, c);
            same = !cell->exact || same_key(cell, truth[c]);
        }
        if (same) return dusk_result_cell(result, i, column);
    }
    return NULL;
}

/* Of every number of the truth. A key that is not shown has an error of 1. */
static void take_errors(job *j, const dusk_result *result)
{
    for (size_t i = 0; i < j->truth.rows; i++) {
        char **row = &j->truth.text[i * j->truth.columns];
        for (size_t c = 0; c < j->truth.columns && j->errors < ERRORS; c++) {
            const dusk_cell *cell = find_cell(result, row, c);
            double truth = row[c] ? strtod(row[c], NULL) : 0;
            bool key = dusk_result_rows(result) > 0 && dusk_result_cell(result, 0, c)->exact;
            if (key || truth == 0) continue;
            j->error[j->errors++] = cell && !cell->null ? fabs(cell->number - truth) / fabs(truth) : 1;
        }
    }
}

/* --- both sides ------------------------------------------------------------------------------- */

/* `sql` with the number for $. */
static const char *fill_in(char out[SQL], const char *sql, double number)
{
    const char *at = strchr(sql, '$');
    if (!at) return sql;
    snprintf(out, SQL, "%.*s%.2f%s", (int)(at - sql), sql, number, at + 1);
    return out;
}

static void ask(void *context)
{
    job *j = context;
    char sql[SQL];
    double number = 0;
    dusk_result *result;
    if (j->query->first) {
        result = bench_source_ask(data.source, j->query->first, &j->first, j->gen);
        number = dusk_result_cell(result, 0, 0)->number;
        dusk_result_free(result);
    }
    result = bench_source_ask(data.source, fill_in(sql, j->query->sql, number), &j->options, j->gen);
    take_errors(j, result);
    dusk_result_free(result);
}

/* The text without privacy: what is released first stands there as a subquery. */
static void write_plain(char out[SQL], const tpch_query *query)
{
    const char *at = strchr(query->sql, '$');
    if (at)
        snprintf(out, SQL, "%.*s(%s)%s", (int)(at - query->sql), query->sql, query->first, at + 1);
    else
        snprintf(out, SQL, "%s", query->sql);
}

static void ask_plain(void *context)
{
    job *j = context;
    bench_plain_run(data.plain, "%s", j->plain);
}

/* --- cases ------------------------------------------------------------------------------------- */

enum { QUERIES = 14 };

/* Measured once, for the time, the error and the total. */
static struct found {
    bool done;
    bench_times times;
    double error;
} found[QUERIES];

static void measure(size_t i, dusk_generator *gen)
{
    job *j = bench_allocate(1, sizeof *j);
    if (!found[i].done) {
        *j = (job){ .query = &tpch_queries[i], .gen = gen };
        dusk_query_options_init(&j->options);
        j->options.epsilon = 1;
        j->first = j->options;
        j->options.delta = j->query->delta;
        j->options.groups_per_unit = j->query->groups;
        j->options.rows_per_group = j->query->rows;
        write_plain(j->plain, j->query);
        bench_plain_ask(data.plain, &j->truth, j->plain);
        found[i] = (struct found){ .done = true, .times = bench_compare(ask, ask_plain, j) };
        found[i].error = bench_median(j->error, j->errors);
        bench_answer_clear(&j->truth);
    }
    free(j);
}

static size_t number_of(const char *name)
{
    const char *query = strrchr(name, '/') + 1;
    size_t i = 0;
    while (strcmp(tpch_queries[i].name, query) != 0) i++;
    return i;
}

static void run_time(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    *out = (bench_result){ NAN, NAN };
    if (!have_data(self->name)) return;
    size_t i = number_of(self->name);
    measure(i, gen);
    *out = (bench_result){ 1e3 * found[i].times.work, 1e3 * found[i].times.floor };
}

static void run_error(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    *out = (bench_result){ NAN, NAN };
    if (!have_data(self->name)) return;
    size_t i = number_of(self->name);
    measure(i, gen);
    *out = (bench_result){ 100 * found[i].error, 0 };
}

static void run_total(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    bench_result total = { 0, 0 };
    *out = (bench_result){ NAN, NAN };
    if (!have_data(self->name)) return;
    for (size_t i = 0; tpch_queries[i].name; i++) {
        measure(i, gen);
        total.value += 1e3 * found[i].times.work;
        total.floor_value += 1e3 * found[i].times.floor;
    }
    *out = total;
}

#define TIME(q, what)                                                                                        \
    {                                                                                                        \
        "tpch/time/" q, what, "CPU ms", "DuckDB without privacy", "", run_time, NULL                         \
    }
#define ERROR(q)                                                                                             \
    {                                                                                                        \
        "tpch/error/" q, "median relative error of its cells", "%", "the exact answer", "", run_error, NULL  \
    }
#define BOTH(q, what) TIME(q, what), ERROR(q)

const bench_case bench_tpch_cases[] = {
    BOTH("q01", "pricing summary, as it is"),
    BOTH("q03", "shipping priority: by priority, not by order"),
    BOTH("q04", "order priority, as it is"),
    BOTH("q05", "local suppliers, as it is"),
    BOTH("q06", "forecast of revenue, as it is"),
    BOTH("q07", "volume between nations, as it is"),
    BOTH("q09", "profit of products, as it is; private years, delta 1e-6"),
    BOTH("q10", "returned items: by nation, not by customer"),
    BOTH("q12", "shipping modes, as it is"),
    BOTH("q13", "distribution of customers, as it is; private counts, delta 1e-6"),
    BOTH("q14", "effect of promotions, as it is"),
    BOTH("q18", "large orders: counted and added up, not listed"),
    BOTH("q19", "discounted revenue, as it is"),
    BOTH("q22", "opportunities: the mean balance is released first, with epsilon 1 of its own; delta 1e-6"),
    { "tpch/time/total", "all of them", "CPU ms", "DuckDB without privacy", "ratio <= 4", run_total, NULL },
    { .name = NULL },
};
