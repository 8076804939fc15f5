/* SPDX-License-Identifier: Apache-2.0 */
/* Text files as table functions of DuckDB, by our own reader: dusk_text_<i>() gives the declared columns
 * of table i, of their types. Only the columns that a query wants are read. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "table/csv.h"
#include "table/duckdb_engine.h"

/* One reading of the file. */
typedef struct text_scan {
    duckdb_source *source;
    table_csv *csv;
    size_t columns; /* that are wanted */
    size_t *column; /* which of the table they are */
    duckdb_writer *writer;
} text_scan;

static void text_bind(duckdb_info info)
{
    const duckdb_api *api = duckdb_loaded();
    const duckdb_source *source = api->bind_get_extra_info(info);
    char name[32];
    for (size_t c = 0; c < source->columns; c++) {
        duckdb_type type = api->create_logical_type(duckdb_type_of(source->rule[c].type));
        snprintf(name, sizeof name, "c%zu", c);
        api->bind_add_result_column(info, name, type);
        api->destroy_logical_type(&type);
    }
    if (source->columns) return;
    duckdb_type type = api->create_logical_type(DUCKDB_BIGINT); /* DuckDB has no table without a column */
    api->bind_add_result_column(info, "nothing", type);
    api->destroy_logical_type(&type);
}

static void scan_free(void *data)
{
    text_scan *scan = data;
    if (!scan) return;
    table_csv_close(scan->csv);
    dusk_deallocate(scan->column);
    dusk_deallocate(scan->writer);
    dusk_deallocate(scan);
}

/* Whether the file still has its columns where they were: another may lie at its place by now. */
static bool has_columns(const table_csv *csv, const duckdb_source *source)
{
    for (size_t c = 0; c < source->columns; c++)
        if (table_csv_find(csv, source->name[c]) != source->in_file[c]) return false;
    return true;
}

/* `wanted` columns of DuckDB's choice; one that is none of ours is the number of a row, which nobody reads. */
static dusk_status scan_new(text_scan **out, duckdb_info info, duckdb_source *source)
{
    const duckdb_api *api = duckdb_loaded();
    dusk_error *err = NULL;
    dusk_status status = DUSK_OK;
    text_scan *scan = NULL;
    size_t wanted = (size_t)api->init_get_column_count(info), need = 0;
    DUSK_NEW(scan, 1);
    scan->source = source;
    DUSK_NEW(scan->column, wanted);
    DUSK_NEW(scan->writer, wanted);
    scan->columns = wanted;
    for (size_t i = 0; i < wanted; i++) {
        uint64_t c = api->init_get_column_index(info, i);
        scan->column[i] = c < source->columns ? (size_t)c : DUSK_NO_LINK;
        if (c < source->columns && source->in_file[c] >= need) need = source->in_file[c] + 1;
    }
    DUSK_TRY(table_csv_open(&scan->csv, &source->location, 0, err));
    if (DUSK_MUTATE(DUCKDB_COLUMNS_ASSUMED, !has_columns(scan->csv, source), false)) {
        status = DUSK_ERR_IO;
        goto done;
    }
    table_csv_need(scan->csv, need);
    *out = scan;
    scan = NULL;
done:
    scan_free(scan);
    return status;
}

static void text_init(duckdb_info info)
{
    const duckdb_api *api = duckdb_loaded();
    duckdb_source *source = api->init_get_extra_info(info);
    text_scan *scan = NULL;
    dusk_status status = scan_new(&scan, info, source);
    if (status == DUSK_ERR_MEMORY) atomic_store(&source->engine->out_of_memory, true);
    if (status == DUSK_OK)
        api->init_set_init_data(info, scan, scan_free);
    else
        api->init_set_error(info, "the text file cannot be read");
    api->init_set_max_threads(info, 1);
}

/* One field by the rules of its column, as csv_module.c does it. */
static dusk_status put_field(text_scan *scan, size_t i, size_t row)
{
    const duckdb_source *source = scan->source;
    const table_rule *rule = &source->rule[scan->column[i]];
    table_value value = { .null = true };
    const char *text;
    size_t length;
    if (table_csv_field(scan->csv, source->in_file[scan->column[i]], &text, &length))
        table_cast_text(&value, rule->type, text, length);
    table_rule_apply(rule, &value);
    if (rule->type == DUSK_TYPE_TEXT && !value.null) {
        value.length = table_text_cut(value.text, value.length);
        dusk_status status = table_csv_clean(scan->csv, &value.text, &value.length, NULL);
        if (status != DUSK_OK) return status;
    }
    duckdb_put(&scan->writer[i], row, &value);
    return DUSK_OK;
}

static dusk_status fill(text_scan *scan, size_t *rows, size_t most)
{
    dusk_status status = DUSK_OK;
    bool found = true;
    for (*rows = 0; *rows < most; ++*rows) {
        status = table_csv_next(scan->csv, &found, NULL);
        if (status != DUSK_OK || !found) break;
        for (size_t i = 0; i < scan->columns && status == DUSK_OK; i++)
            if (scan->column[i] != DUSK_NO_LINK) status = put_field(scan, i, *rows);
        if (status != DUSK_OK) break;
    }
    return status;
}

static void text_read(duckdb_info info, duckdb_chunk output)
{
    const duckdb_api *api = duckdb_loaded();
    text_scan *scan = api->function_get_init_data(info);
    size_t rows = 0;
    for (size_t i = 0; i < scan->columns; i++)
        if (scan->column[i] != DUSK_NO_LINK)
            duckdb_writer_begin(&scan->writer[i], api, api->data_chunk_get_vector(output, i),
                                scan->source->rule[scan->column[i]].type);
    dusk_status status = fill(scan, &rows, (size_t)api->vector_size());
    if (status == DUSK_ERR_MEMORY) atomic_store(&scan->source->engine->out_of_memory, true);
    if (status != DUSK_OK) {
        api->function_set_error(info, "the text file cannot be read");
        rows = 0;
    }
    api->data_chunk_set_size(output, rows);
}

dusk_status duckdb_text_register(duckdb_engine *e, size_t i, dusk_error *err)
{
    const duckdb_api *api = e->api;
    duckdb_table function = api->create_table_function();
    char name[32];
    snprintf(name, sizeof name, "dusk_text_%zu", i);
    api->table_function_set_name(function, name);
    api->table_function_set_extra_info(function, &e->source[i], NULL);
    api->table_function_set_bind(function, text_bind);
    api->table_function_set_init(function, text_init);
    api->table_function_set_function(function, text_read);
    api->table_function_supports_projection_pushdown(function, true);
    bool fine = api->register_table_function(e->connection, function) == 0;
    api->destroy_table_function(&function);
    return fine ? DUSK_OK : dusk_engine_failed(err, "duckdb", "opening a text file");
}
