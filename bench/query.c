/* SPDX-License-Identifier: Apache-2.0 */
/* One bounded GROUP BY from file to answer, through the public functions and with the charge on disk: rows of
 * a unit, one of 1000 declared keys and a double; a unit holds 20 rows, nearly all in different groups, so
 * that each has to choose its ten. Beside it DuckDB with the same files. DUSK_BENCH_ROWS is the number of
 * rows, 2 million unless told; docs/benchmarks.md has 20 million. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "plain.h"

enum { KEYS = 1000, ROWS_OF_UNIT = 20 };

typedef struct setup {
    const char *format; /* of the file */
    const char *floor;  /* SQL of it; $ is the table */
    unsigned share;     /* one in so many rows */
} setup;

typedef struct job {
    const setup *what;
    char folder[BENCH_PATH], floor[2048];
    bench_plain *plain;
    dusk_source *source;
    dusk_query_options options;
    dusk_generator *gen;
} job;

static size_t rows_wanted(void)
{
    const char *text = getenv("DUSK_BENCH_ROWS");
    size_t rows = text ? (size_t)strtod(text, NULL) : 0;
    return rows >= KEYS ? rows : 2000000;
}

static void make_file(job *j, size_t rows)
{
    bench_plain_run(j->plain,
                    "COPY (SELECT CAST(hash(i) %% %zu AS INTEGER) AS u, CAST(hash(i + 1000000007) %% %d AS "
                    "INTEGER) AS g, (hash(i + 2000000011) %% 50000) / 100.0 AS v FROM range(%zu) AS r(i)) TO "
                    "'%s/t.%s' (FORMAT %s)",
                    rows / ROWS_OF_UNIT, KEYS, rows, j->folder, j->what->format, j->what->format);
}

/* The floor's SQL, with the file for $. */
static void write_floor(job *j)
{
    const char *sql = j->what->floor, *at = strchr(sql, '$');
    snprintf(j->floor, sizeof j->floor, "%.*sread_%s('%s/t.%s')%s", (int)(at - sql), sql, j->what->format,
             j->folder, j->what->format, at + 1);
}

static void open_source(job *j)
{
    static const char *const facts[][3] = { { "t.u", "type", "integer" }, { "t.u", "nullable", "no" },
                                            { "t.g", "type", "integer" }, { "t.g", "nullable", "no" },
                                            { "t.v", "type", "real" },    { "t.v", "nullable", "no" },
                                            { "t.v", "bounds", "0:500" }, { NULL, NULL, NULL } };
    char uri[BENCH_PATH + 16], domain[8 * KEYS] = "";
    const char *const uris[] = { uri };
    dusk_error err;
    snprintf(uri, sizeof uri, "%s/t.%s", j->folder, j->what->format);
    j->source = bench_source_new(j->folder, uris, 1, "t.u");
    bench_source_declare(j->source, facts);
    for (size_t i = 0, at = 0; i < KEYS; i++)
        at += (size_t)snprintf(domain + at, sizeof domain - at, "%s%zu", i ? "," : "", i);
    bench_require(dusk_source_declare(j->source, "t.g", "domain", domain, &err), &err);
    dusk_query_options_init(&j->options);
    j->options.epsilon = 1;
    j->options.groups_per_unit = 10;
    j->options.rows_per_group = 1;
}

static void ask(void *context)
{
    job *j = context;
    dusk_result *result =
        bench_source_ask(j->source, "SELECT g, SUM(v) FROM t GROUP BY g", &j->options, j->gen);
    bench_keep(dusk_result_cell(result, 0, 1)->number);
    dusk_result_free(result);
}

static void ask_plain(void *context)
{
    job *j = context;
    bench_plain_run(j->plain, "%s", j->floor);
}

static void run_query(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = { .what = self->setup, .gen = gen };
    size_t rows = rows_wanted() / j.what->share;
    *out = (bench_result){ NAN, NAN };
    if (!(j.plain = bench_plain_open(self->name))) return;
    bench_folder_make(j.folder);
    make_file(&j, rows);
    write_floor(&j);
    open_source(&j);
    bench_times times = bench_compare(ask, ask_plain, &j);
    *out = strstr(self->unit, "/s") ? bench_rate(times, (double)rows) : bench_cost(times, (double)rows);
    dusk_source_close(j.source);
    bench_plain_close(j.plain);
    bench_folder_remove(j.folder);
}

static const setup parquet = { "parquet", "SELECT g, sum(v) FROM $ GROUP BY g", 1 };
static const setup csv = { "csv", "SELECT sum(u), sum(g), sum(v) FROM $", 1 };
/* What a rewriter sends to the engine: sums of (unit, key), ten keys of a unit at random, clamped. */
static const setup rewrite = {
    "parquet",
    "SELECT g, sum(least(greatest(s, 0), 500)) FROM (SELECT g, s, row_number() OVER (PARTITION BY u ORDER BY "
    "random()) AS n FROM (SELECT u, g, sum(v) AS s FROM $ GROUP BY u, g)) WHERE n <= 10 GROUP BY g",
    10
};

const bench_case bench_query_cases[] = {
    { "query/parquet", "sums of 1000 keys from Parquet, bounded, charged and released", "M rows/s",
      "DuckDB, plain GROUP BY", ">= 10", run_query, &parquet },
    { "query/rewrite", "the same with a tenth of the rows", "M rows/s", "DuckDB, window functions in SQL", "",
      run_query, &rewrite },
    { "query/csv", "the same from CSV", "ns/row", "DuckDB, scan of the same columns", "ratio <= 1.3",
      run_query, &csv },
    { .name = NULL },
};
