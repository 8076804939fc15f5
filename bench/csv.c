/* SPDX-License-Identifier: Apache-2.0 */
/* Text files: every field of 200 MB, beside a search for newlines in the same bytes read the same
 * way, which is the least that a reader has to do; and rows through the SQLite engine, beside the
 * reader alone. The file is made on the fly, in the folder for temporary files. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "table/csv.h"

enum { PIECE = 1 << 20, BYTES = 200000000, ENGINE_BYTES = 20000000 };

typedef struct setup {
    const char *header, *format; /* of a row, of three numbers */
    size_t bytes;
    size_t need; /* columns */
    const char *sql;
} setup;

typedef struct job {
    const setup *how;
    char path[64], *piece;
    double bytes, rows;
    dusk_engine *engine;
} job;

static void make_file(job *j, dusk_generator *gen)
{
    enum { NUMBERS = 3000 };
    double *x = bench_uniform(NUMBERS, 0, 1e6, gen);
    snprintf(j->path, sizeof j->path, "/tmp/dusk-bench-XXXXXX.csv");
    int fd = mkstemps(j->path, 4);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!file) exit(5);
    j->piece = bench_allocate(PIECE, 1);
    j->bytes = fprintf(file, "%s", j->how->header);
    for (size_t i = 0; j->bytes < (double)j->how->bytes; i = (i + 3) % NUMBERS, j->rows++)
        j->bytes += fprintf(file, j->how->format, x[i], x[i + 1], x[i + 2]);
    if (fclose(file) != 0) exit(5);
    free(x);
}

static void read_fields(void *context)
{
    job *j = context;
    dusk_location location = { .kind = DUSK_SOURCE_CSV, .path = j->path, .delimiter = ',' };
    table_csv *csv;
    dusk_error err;
    size_t total = 0, length;
    const char *text;
    bool found;
    bench_require(table_csv_open(&csv, &location, 0, &err), &err);
    size_t columns = table_csv_columns(csv) < j->how->need ? table_csv_columns(csv) : j->how->need;
    table_csv_need(csv, columns);
    for (;;) {
        bench_require(table_csv_next(csv, &found, &err), &err);
        if (!found) break;
        for (size_t c = 0; c < columns; c++)
            if (table_csv_field(csv, c, &text, &length)) total += length;
    }
    table_csv_close(csv);
    bench_keep((double)total);
}

static void find_newlines(void *context)
{
    job *j = context;
    int fd = open(j->path, O_RDONLY | O_CLOEXEC);
    size_t lines = 0;
    if (fd < 0) exit(5);
    for (ssize_t n; (n = read(fd, j->piece, PIECE)) > 0;) {
        const char *end = j->piece + n;
        for (const char *p = j->piece; p && (p = memchr(p, '\n', (size_t)(end - p))); p++) lines++;
    }
    (void)close(fd);
    bench_keep((double)lines);
}

static void read_rows(void *context)
{
    static const dusk_cell_type types[] = { DUSK_CELL_INTEGER, DUSK_CELL_REAL, DUSK_CELL_TEXT };
    job *j = context;
    dusk_cursor *cursor;
    dusk_chunk chunk;
    dusk_error err;
    double total = 0;
    bench_require(j->engine->class->query(j->engine, &cursor, j->how->sql, types, 3, &err), &err);
    do {
        bench_require(j->engine->class->next(cursor, &chunk, &err), &err);
        for (size_t i = 0; i < chunk.rows; i++) total += chunk.column[1].reals[i];
    } while (chunk.rows);
    j->engine->class->end(cursor);
    bench_keep(total);
}

static void run_reader(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = { .how = self->setup };
    make_file(&j, gen);
    *out = bench_rate(bench_compare(read_fields, find_newlines, &j), j.bytes);
    (void)unlink(j.path);
    free(j.piece);
}

static void run_engine(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static const char *const facts[][3] = { { "t.unit", "type", "integer" },
                                            { "t.value", "type", "real" },
                                            { "t.key", "type", "text" } };
    job j = { .how = self->setup };
    dusk_schema *schema;
    dusk_error err;
    make_file(&j, gen);
    bench_require(dusk_schema_new(&schema, &err), &err);
    bench_require(dusk_schema_declare(schema, "t", "source", j.path, &err), &err);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        bench_require(dusk_schema_declare(schema, facts[i][0], facts[i][1], facts[i][2], &err), &err);
    bench_require(dusk_engine_sqlite.open(&j.engine, schema, &err), &err);
    *out = bench_rate(bench_compare(read_rows, read_fields, &j), j.rows);
    dusk_engine_sqlite.close(j.engine);
    dusk_schema_free(schema);
    (void)unlink(j.path);
    free(j.piece);
}

static const setup numbers = { "unit,value,key\n", "%.0f,%.2f,k%.0f\n", BYTES, SIZE_MAX, NULL };
static const setup quoted = { "unit,value,key\n", "\"%.0f\",\"say \"\"%.2f\"\"\",\"a, b\nk%.0f\"\n", BYTES,
                              SIZE_MAX, NULL };
static const setup first = { "a,b,c,d,e,f,g,h,i,j\n", "%.0f,1,%.2f,3,k%.0f,5,6,7,8,9\n", BYTES, 1, NULL };
static const setup engine = { "unit,value,key\n", "%.0f,%.2f,k%.0f\n", ENGINE_BYTES, SIZE_MAX,
                              "SELECT c0, c1, c2 FROM t0" };
const bench_case bench_csv_cases[] = {
    { "csv/fields", "three short fields a line, all of them", "MB/s", "newlines by memchr", ">= 300",
      run_reader, &numbers },
    { "csv/quoted", "three quoted fields a line, with quotes and newlines within", "MB/s",
      "newlines by memchr", "", run_reader, &quoted },
    { "csv/first", "the first of ten fields a line", "MB/s", "newlines by memchr", ">= 300", run_reader,
      &first },
    { "csv/sqlite", "rows of a whole number, a real and a text through the SQLite engine", "M rows/s",
      "the reader alone", "", run_engine, &engine },
    { .name = NULL },
};
