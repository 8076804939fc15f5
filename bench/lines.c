/* SPDX-License-Identifier: Apache-2.0 */
/* What a program prints, as draws: each number of a line beside strtod, which reads the
 * same numbers and nothing else. dusk audit exec waits for the program, not for this. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#include "cli/draw_lines.c"

enum { LINES = 100000 };

typedef struct setup {
    const char *format;
    int fields;
} setup;

typedef struct job {
    char *text;
    draw_lines *lines;
    double out[8];
    int fields;
} job;

static void read_lines(void *context)
{
    job *j = context;
    const char *at = j->text;
    for (const char *end; (end = strchr(at, '\n')); at = end + 1)
        draw_lines_read(j->lines, j->out, at, (size_t)(end - at));
    bench_keep(j->out[0]);
}

static void read_numbers(void *context)
{
    job *j = context;
    char *at = j->text;
    for (int i = 0; i < LINES * j->fields; i++) j->out[0] = strtod(at, &at);
    bench_keep(j->out[0]);
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *how = self->setup;
    job j = { .fields = how->fields };
    dusk_error err;
    size_t n = (size_t)(LINES * how->fields), used = 0, outputs;
    double *x = bench_uniform(n, -10, 10, gen);
    j.text = bench_allocate(32 * n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        used += (size_t)snprintf(j.text + used, 32, how->format, x[i]);
        j.text[used++] = (i + 1) % (size_t)how->fields ? ' ' : '\n';
    }
    j.text[used] = '\0';
    bench_require(draw_lines_new(&j.lines, &err), &err);
    bench_require(draw_lines_look(j.lines, j.text, strcspn(j.text, "\n"), &err), &err);
    bench_require(draw_lines_settle(j.lines, &outputs, &err), &err);
    *out = bench_rate(bench_compare(read_lines, read_numbers, &j), LINES);
    draw_lines_free(j.lines);
    free(j.text);
    free(x);
}

static const setup short_numbers = { "%.2f", 1 }, whole_numbers = { "%.0f", 1 }, all_digits = { "%.17g", 1 },
                   four = { "%.17g", 4 };
const bench_case bench_line_cases[] = {
    { "lines/short", "draws of three digits, one a line", "M lines/s", "strtod", ">= 10", run,
      &short_numbers },
    { "lines/whole", "whole numbers, one a line", "M lines/s", "strtod", ">= 10", run, &whole_numbers },
    { "lines/17-digits", "draws with all their digits, one a line", "M lines/s", "strtod", ">= 5", run,
      &all_digits },
    { "lines/17-digits/4", "the same, four a line", "M lines/s", "strtod", "", run, &four },
    { .name = NULL },
};
