/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for dusk release; see release_table.h. */
#include "cli/release_table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- Sets of columns --------------------------------------------------------------- */

static dusk_status fail_marginals(const release_table *t, dusk_error *err)
{
    char hint[120];
    snprintf(hint, sizeof hint, "for example --marginals '%.30s', or 2 for all pairs of columns",
             t->schema.column[0].name);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint,
                     "--marginals must have columns of the schema, ',' between columns and ';' between sets");
}

static dusk_status add_marginal(release_table *t, uint64_t mask, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_marginal marginal = { 0 };
    if (__builtin_popcountll(mask) > DUSK_MARGINAL_COLUMNS_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer columns together",
                         "a marginal has at most %d columns", DUSK_MARGINAL_COLUMNS_MAX);
    for (uint32_t c = 0; c < t->schema.columns; c++)
        if (mask >> c & 1) marginal.column[marginal.columns++] = c;
    DUSK_GROW(t->marginals, t->room, t->marginal_count);
    t->marginals[t->marginal_count++] = marginal;
done:
    return status;
}

/* All sets of `size` columns, in order: from the columns at `from` on, `mask` being taken. */
static dusk_status add_all(release_table *t, size_t from, uint64_t mask, int64_t size, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (size == 0) return add_marginal(t, mask, err);
    for (size_t c = from; c < t->schema.columns && status == DUSK_OK; c++)
        status = add_all(t, c + 1, mask | UINT64_C(1) << c, size - 1, err);
    return status;
}

/* One set: names with commas between them. */
static dusk_status parse_set(release_table *t, const char *text, size_t length, dusk_error *err)
{
    uint64_t mask = 0;
    for (size_t at = 0; at <= length;) {
        const char *comma = memchr(text + at, ',', length - at);
        size_t end = comma ? (size_t)(comma - text) : length, c = 0;
        while (c < t->schema.columns && (strlen(t->schema.column[c].name) != end - at ||
                                         memcmp(t->schema.column[c].name, text + at, end - at) != 0))
            c++;
        if (c == t->schema.columns || mask >> c & 1) return fail_marginals(t, err);
        mask |= UINT64_C(1) << c;
        at = end + 1;
    }
    return add_marginal(t, mask, err);
}

static dusk_status parse_marginals(release_table *t, const char *text, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    int64_t way;
    if (dusk_coding_find(&t->schema, text) == t->schema.columns &&
        dusk_parse_whole(text, 1, DUSK_MARGINAL_COLUMNS_MAX, &way)) {
        if ((size_t)way > t->schema.columns) return fail_marginals(t, err);
        return add_all(t, 0, 0, way, err);
    }
    for (const char *set = text; status == DUSK_OK;) {
        size_t length = strcspn(set, ";");
        status = parse_set(t, set, length, err);
        if (!set[length]) break;
        set += length + 1;
    }
    return status;
}

/* ---- The request and the rows -------------------------------------------------------- */

dusk_status release_table_prepare(const release_job *job, release_table *t, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t cells;
    DUSK_TRY(dusk_coding_read(&t->schema, job->settings->schema, err));
    for (size_t c = 0; c < t->schema.columns; c++) t->sizes[c] = dusk_coding_size(&t->schema.column[c]);
    t->table = (dusk_table){ .columns = t->schema.columns, .sizes = t->sizes };
    if (job->settings->marginals) {
        DUSK_TRY(parse_marginals(t, job->settings->marginals, err));
        DUSK_TRY(dusk_marginals_cells(&cells, &t->table, t->marginals, t->marginal_count, err));
    }
    DUSK_TRY(release_aggregate(job, &t->how, err));
done:
    return status;
}

dusk_status release_table_read(const release_job *job, release_table *t, dusk_error *err)
{
    dusk_input input;
    dusk_status status, closed;
    DUSK_TRY(release_open(job, &input, DUSK_INPUT_RECORDS, err));
    status = dusk_coding_table(&t->schema, &input, &t->codes, &t->table.rows, err);
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    if (status == DUSK_OK) status = closed;
    t->table.codes = t->codes;
done:
    return status;
}

void release_table_free(release_table *t)
{
    dusk_coding_codes_free(t->codes, t->table.rows * t->schema.columns);
    dusk_deallocate(t->marginals);
    dusk_coding_free(&t->schema);
}

/* ---- Cells ------------------------------------------------------------------------- */

/* The code of column j of a marginal in its cell number `cell`. */
static uint32_t code_in_cell(const release_table *t, const dusk_marginal *marginal, uint32_t j, size_t cell)
{
    for (uint32_t i = marginal->columns; i-- > j + 1;) cell /= t->sizes[marginal->column[i]];
    return (uint32_t)(cell % t->sizes[marginal->column[j]]);
}

static size_t cells_of(const release_table *t, const dusk_marginal *marginal)
{
    size_t cells = 1;
    for (uint32_t j = 0; j < marginal->columns; j++) cells *= t->sizes[marginal->column[j]];
    return cells;
}

static void print_lines(const release_table *t, const dusk_marginal *marginal, const double *counts)
{
    char label[600];
    size_t cells = cells_of(t, marginal);
    for (size_t cell = 0; cell < cells; cell++) {
        for (uint32_t j = 0; j < marginal->columns; j++) {
            const dusk_coding_column *column = &t->schema.column[marginal->column[j]];
            dusk_coding_label(column, code_in_cell(t, marginal, j, cell), label, sizeof label);
            printf("%s=%s\t", column->name, label);
        }
        dusk_print_number(stdout, counts[cell]);
        fputc('\n', stdout);
    }
}

static void print_json(dusk_json *json, const release_table *t, const dusk_marginal *marginal,
                       const double *counts)
{
    char label[600];
    size_t cells = cells_of(t, marginal);
    dusk_json_open(json, '{');
    dusk_json_key(json, "columns");
    dusk_json_open(json, '[');
    for (uint32_t j = 0; j < marginal->columns; j++)
        dusk_json_string(json, t->schema.column[marginal->column[j]].name);
    dusk_json_close(json, ']');
    dusk_json_key(json, "cells");
    dusk_json_open(json, '[');
    for (size_t cell = 0; cell < cells && counts; cell++) {
        dusk_json_open(json, '{');
        dusk_json_key(json, "values");
        dusk_json_open(json, '[');
        for (uint32_t j = 0; j < marginal->columns; j++) {
            dusk_coding_label(&t->schema.column[marginal->column[j]], code_in_cell(t, marginal, j, cell),
                              label, sizeof label);
            dusk_json_string(json, label);
        }
        dusk_json_close(json, ']');
        dusk_json_number_field(json, "count", counts[cell]);
        dusk_json_close(json, '}');
    }
    dusk_json_close(json, ']');
    dusk_json_close(json, '}');
}

void release_table_print(release_job *job, const release_table *t, const double *counts, bool json)
{
    size_t at = 0;
    if (json) {
        dusk_json_key(&job->json, "marginals");
        dusk_json_open(&job->json, '[');
    }
    for (size_t i = 0; i < t->marginal_count; i++) {
        if (json)
            print_json(&job->json, t, &t->marginals[i], counts ? counts + at : NULL);
        else if (counts)
            print_lines(t, &t->marginals[i], counts + at);
        at += cells_of(t, &t->marginals[i]);
    }
    if (json) dusk_json_close(&job->json, ']');
}
