/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: out of text, beside the reader that looks at no number; and their rows as vectors, beside columns that become rows
 * of floats and nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "learn/features.h"
#include "table/csv.h"

typedef struct setup {
    const char *fields;
    size_t rows;
} setup;

typedef struct job {
    char path[64];
    dusk_fields *fields;
    dusk_frame *frame;
    learn_features features;
} job;

/* --- text ----------------------------------------------------------------------------------------- */

static double write_text(job *j, size_t rows, dusk_generator *gen)
{
    enum { NUMBERS = 1000 };
    double *x = bench_uniform(NUMBERS, -1, 1, gen), bytes = 0;
    snprintf(j->path, sizeof j->path, "/tmp/dusk-bench-XXXXXX.csv");
    int fd = mkstemps(j->path, 4);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!file) exit(5);
    for (size_t c = 0; c < j->fields->count; c++)
        bytes += fprintf(file, "%s%c", j->fields->field[c].name, c + 1 < j->fields->count ? ',' : '\n');
    for (size_t i = 0; i < rows * j->fields->count; i++)
        bytes += fprintf(file, "%.6f%c", x[i % NUMBERS], (i + 1) % j->fields->count ? ',' : '\n');
    if (fclose(file) != 0) exit(5);
    free(x);
    return bytes;
}

static void read_frame(void *context)
{
    job *j = context;
    dusk_frame *frame;
    dusk_error err;
    bench_require(dusk_frame_read(&frame, j->fields, j->path, NULL, &err), &err);
    bench_keep(frame->column[0].number[0]);
    dusk_frame_free(frame);
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
    for (;;) {
        bench_require(table_csv_next(csv, &found, &err), &err);
        if (!found) break;
        for (size_t c = 0; c < table_csv_columns(csv); c++)
            if (table_csv_field(csv, c, &text, &length)) total += length;
    }
    table_csv_close(csv);
    bench_keep((double)total);
}

static void run_text(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *how = self->setup;
    job j = { .frame = NULL };
    dusk_error err;
    bench_require(dusk_fields_parse(&j.fields, how->fields, &err), &err);
    double bytes = write_text(&j, how->rows, gen);
    *out = bench_rate(bench_compare(read_frame, read_fields, &j), bytes);
    (void)unlink(j.path);
    dusk_fields_free(j.fields);
}

/* --- vectors ---------------------------------------------------------------------------------------- */

static void fill(dusk_frame *frame, dusk_generator *gen)
{
    double *x = bench_uniform(frame->rows, -1, 1, gen);
    for (size_t c = 0; c < frame->fields->count; c++)
        for (size_t i = 0; i < frame->rows; i++) {
            double y = x[(i + 7 * c) % frame->rows];
            if (frame->column[c].number)
                frame->column[c].number[i] = y;
            else
                frame->column[c].code[i] = (int32_t)((y + 1) / 2 * (double)frame->fields->field[c].values);
        }
    free(x);
}

static void make_vectors(void *context)
{
    job *j = context;
    learn_matrix matrix;
    dusk_error err;
    bench_require(learn_matrix_make_all(&matrix, &j->features, j->frame, &err), &err);
    bench_keep((double)matrix.rows.x[0]);
    learn_matrix_clear(&matrix);
}

/* The same cells, written to memory that is as fresh. */
static void plain_vectors(void *context)
{
    job *j = context;
    const size_t width = j->features.width, rows = j->frame->rows;
    float *x = calloc(rows * width, sizeof *x);
    if (!x) exit(5);
    for (size_t first = 0; first < rows; first += 256)
        for (size_t i = 0; i < width; i++) {
            const learn_feature *f = &j->features.feature[i];
            const dusk_frame_column *from = &j->frame->column[f->column];
            size_t end = first + 256 < rows ? first + 256 : rows;
            if (from->number)
                for (size_t r = first; r < end; r++) x[r * width + i] = (float)from->number[r];
            else if (f->code == 0)
                for (size_t r = first; r < end; r++) x[r * width + i + (size_t)from->code[r]] = 1;
        }
    bench_keep((double)x[0]);
    memset(x, 0, rows * width * sizeof *x); /* the other is wiped, too */
    __asm__ volatile("" : : "r"(x) : "memory");
    free(x);
}

static void run_vectors(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *how = self->setup;
    job j = { .frame = NULL };
    dusk_error err;
    bench_require(dusk_fields_parse(&j.fields, how->fields, &err), &err);
    bench_require(dusk_frame_new(&j.frame, j.fields, how->rows, &err), &err);
    fill(j.frame, gen);
    bench_require(learn_features_init(&j.features, j.fields, DUSK_NO_LINK, false, 0, &err), &err);
    *out = bench_rate(bench_compare(make_vectors, plain_vectors, &j), (double)how->rows);
    learn_features_clear(&j.features);
    dusk_frame_free(j.frame);
    dusk_fields_free(j.fields);
}

static const setup text = { "x[20] numeric -1:1\n", 200000 };
static const setup narrow = { "x[20] numeric -1:1\n", 500000 };
static const setup wide = { "x[100] numeric -1:1\n", 100000 };
static const setup mixed = { "x[5] numeric -1:1\nk[10] category a,b,c,d,e,f,g,h,i,j\n", 200000 };
const bench_case bench_frame_cases[] = {
    { "frame/text/20", "a frame of 20 numbers a row out of text", "MB/s", "fields of the same text",
      "ratio <= 4", run_text, &text },
    { "frame/vectors/20", "rows of 20 numbers as vectors of whole steps", "million rows/s",
      "columns become rows of floats", ">= 5", run_vectors, &narrow },
    { "frame/vectors/100", "rows of 100 numbers as vectors of whole steps", "million rows/s",
      "columns become rows of floats", ">= 1", run_vectors, &wide },
    { "frame/vectors/mixed", "rows of 5 numbers and 10 categories as vectors of 105", "million rows/s",
      "columns become rows of floats", ">= 1", run_vectors, &mixed },
    { NULL },
};
