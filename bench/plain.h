/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BENCH_PLAIN_H
#define DUSK_BENCH_PLAIN_H

/* What cases about queries share: DuckDB itself, which answers the same question without privacy, a folder
 * for the files, and a source over them. What fails ends the program. */

#include <stdbool.h>
#include <stddef.h>

#include "dusk/query.h"

typedef struct bench_plain bench_plain;

/* Cells as text; NULL for NULL. */
typedef struct bench_answer {
    size_t rows, columns;
    char **text; /* row by row */
} bench_answer;

/* NULL, and a word on stderr, when DuckDB is not found. */
bench_plain *bench_plain_open(const char *name);
void bench_plain_close(bench_plain *plain);
/* Run a statement; the rows are fetched and thrown away. */
void bench_plain_run(bench_plain *plain, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_plain_ask(bench_plain *plain, bench_answer *out, const char *sql);
void bench_answer_clear(bench_answer *answer);

enum { BENCH_PATH = 256 };
/* A new folder for temporary files; its files are removed with it. */
void bench_folder_make(char folder[BENCH_PATH]);
void bench_folder_remove(const char *folder);

/* A new source FOLDER/bench.dusk with a budget that is never spent. */
dusk_source *bench_source_new(const char *folder, const char *const *uris, size_t n, const char *unit);
/* subject, property, value; the one after the last has no subject. */
void bench_source_declare(dusk_source *source, const char *const facts[][3]);
/* Ask anew: epsilon grows by a hair with every call, so that no stored answer is given. */
dusk_result *bench_source_ask(dusk_source *source, const char *sql, dusk_query_options *options,
                              dusk_generator *gen);

#endif
