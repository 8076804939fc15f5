/* SPDX-License-Identifier: Apache-2.0 */
/* DuckDB without privacy, a folder, and a source: see plain.h. */
#include "plain.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "table/duckdb_api.h"

struct bench_plain {
    const duckdb_api *api;
    duckdb_database db;
    duckdb_connection connection;
};

static void require(bool fine, const char *doing, const char *why)
{
    if (fine) return;
    fprintf(stderr, "dusk-bench: %s: %s\n", doing, why);
    exit(5);
}

bench_plain *bench_plain_open(const char *name)
{
    dusk_error err;
    bench_plain *plain = bench_allocate(1, sizeof *plain);
    duckdb_config config = NULL;
    char *message = NULL;
    if (duckdb_load(&plain->api, &err) != DUSK_OK) {
        fprintf(stderr, "dusk-bench: %s is skipped: %s\n", name, err.message);
        free(plain);
        return NULL;
    }
    require(plain->api->create_config(&config) == 0 &&
                plain->api->open_ext(NULL, &plain->db, config, &message) == 0 &&
                plain->api->connect(plain->db, &plain->connection) == 0,
            "opening DuckDB", message ? message : "it does not say why");
    plain->api->destroy_config(&config);
    return plain;
}

void bench_plain_close(bench_plain *plain)
{
    plain->api->disconnect(&plain->connection);
    plain->api->close(&plain->db);
    free(plain);
}

/* The cells of a chunk, at the end of the answer. */
static void take_chunk(const duckdb_api *api, duckdb_chunk chunk, bench_answer *answer)
{
    size_t rows = (size_t)api->data_chunk_get_size(chunk), from = answer->rows;
    answer->text = realloc(answer->text, (from + rows) * answer->columns * sizeof *answer->text);
    require(answer->text, "an answer", "no memory");
    answer->rows += rows;
    for (size_t c = 0; c < answer->columns; c++) {
        duckdb_vector vector = api->data_chunk_get_vector(chunk, c);
        const duckdb_text *text = api->vector_get_data(vector);
        const uint64_t *valid = api->vector_get_validity(vector);
        for (size_t i = 0; i < rows; i++) {
            bool null = valid && !(valid[i / 64] >> (i % 64) & 1);
            answer->text[(from + i) * answer->columns + c] =
                null ? NULL : strndup(DUCKDB_TEXT(text[i]), text[i].length);
        }
    }
}

static void run(bench_plain *plain, const char *sql, bench_answer *answer)
{
    const duckdb_api *api = plain->api;
    duckdb_result result = { .internal = NULL };
    if (api->query(plain->connection, sql, &result) != 0) require(false, sql, api->result_error(&result));
    if (answer) *answer = (bench_answer){ .columns = (size_t)api->column_count(&result) };
    for (duckdb_chunk chunk; (chunk = api->fetch_chunk(result));) {
        if (answer) take_chunk(api, chunk, answer);
        api->destroy_data_chunk(&chunk);
    }
    api->destroy_result(&result);
}

void bench_plain_run(bench_plain *plain, const char *format, ...)
{
    char sql[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sql, sizeof sql, format, arguments);
    va_end(arguments);
    run(plain, sql, NULL);
}

void bench_plain_ask(bench_plain *plain, bench_answer *out, const char *sql)
{
    char text[8192];
    snprintf(text, sizeof text, "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (%s)", sql);
    run(plain, text, out);
}

void bench_answer_clear(bench_answer *answer)
{
    for (size_t i = 0; i < answer->rows * answer->columns; i++) free(answer->text[i]);
    free(answer->text);
}

/* --- files ------------------------------------------------------------------------------------ */

void bench_folder_make(char folder[BENCH_PATH])
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, BENCH_PATH, "%.200s/dusk-bench-XXXXXX", parent && *parent == '/' ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(5);
    }
}

void bench_folder_remove(const char *folder)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries) (void)closedir(entries);
    (void)rmdir(folder);
}

/* --- a source --------------------------------------------------------------------------------- */

dusk_source *bench_source_new(const char *folder, const char *const *uris, size_t n, const char *unit)
{
    char path[BENCH_PATH + 16];
    dusk_source_options options;
    dusk_source *source;
    dusk_error err;
    snprintf(path, sizeof path, "%s/bench.dusk", folder);
    (void)unlink(path);
    dusk_source_options_init(&options);
    options.sources = uris;
    options.sources_count = n;
    options.unit = unit;
    options.ledger.neighbours = DUSK_ADD_REMOVE;
    options.ledger.budget = (dusk_budget){ 1e9, 0.5 };
    bench_require(dusk_source_create(path, &options, &err), &err);
    bench_require(dusk_source_open(&source, path, &err), &err);
    return source;
}

void bench_source_declare(dusk_source *source, const char *const facts[][3])
{
    dusk_error err;
    for (size_t i = 0; facts[i][0]; i++)
        bench_require(dusk_source_declare(source, facts[i][0], facts[i][1], facts[i][2], &err), &err);
}

dusk_result *bench_source_ask(dusk_source *source, const char *sql, dusk_query_options *options,
                              dusk_generator *gen)
{
    dusk_query *query;
    dusk_result *result;
    dusk_receipt receipt;
    dusk_error err;
    options->epsilon *= 1 + 1e-9;
    bench_require(dusk_query_prepare(&query, source, sql, options, &err), &err);
    bench_require(dusk_query_run(query, &result, &receipt, gen, &err), &err);
    require(!receipt.cached, "asking", "the answer is a stored one");
    dusk_query_free(query);
    return result;
}
