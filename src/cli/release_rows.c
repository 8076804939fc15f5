/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release synthetic-table: a table of new rows. What is printed is comma-separated values
 * that the same schema reads. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/release_table.h"

typedef struct synthetic_rows {
    uint32_t *codes;
    size_t rows;
} synthetic_rows;

static void print_field(const char *text)
{
    if (!strpbrk(text, ",\"\n\r\t") && text[0] && text[0] != ' ' && text[strlen(text) - 1] != ' ') {
        fputs(text, stdout);
        return;
    }
    fputc('"', stdout);
    for (const char *c = text; *c; c++) {
        if (*c == '"') fputc('"', stdout);
        fputc(*c, stdout);
    }
    fputc('"', stdout);
}

static void print_table(const release_table *t, const synthetic_rows *drawn)
{
    char text[600];
    size_t columns = t->schema.columns;
    for (size_t c = 0; c < columns; c++) {
        print_field(t->schema.column[c].name);
        fputc(c + 1 < columns ? ',' : '\n', stdout);
    }
    for (size_t i = 0; i < drawn->rows * columns; i++) {
        dusk_coding_field(&t->schema.column[i % columns], drawn->codes[i], text, sizeof text);
        print_field(text);
        fputc((i + 1) % columns ? ',' : '\n', stdout);
    }
}

static void print_json(dusk_json *json, const release_table *t, const synthetic_rows *drawn)
{
    char text[600];
    size_t columns = t->schema.columns;
    dusk_json_key(json, "columns");
    dusk_json_open(json, '[');
    for (size_t c = 0; c < columns; c++) dusk_json_string(json, t->schema.column[c].name);
    dusk_json_close(json, ']');
    dusk_json_key(json, "rows");
    dusk_json_open(json, '[');
    for (size_t r = 0; r < drawn->rows; r++) {
        dusk_json_open(json, '[');
        for (size_t c = 0; c < columns; c++) {
            dusk_coding_field(&t->schema.column[c], drawn->codes[r * columns + c], text, sizeof text);
            dusk_json_string(json, text);
        }
        dusk_json_close(json, ']');
    }
    dusk_json_close(json, ']');
}

static void json_widths(dusk_json *json, const release_table *t, double single, double pair)
{
    dusk_json_number_field(json, "half_width_columns", single);
    dusk_json_number_field(json, "half_width_pairs", pair);
    dusk_json_number_field(json, "confidence", t->how.confidence);
}

/* What was measured, and which pairs. */
static dusk_status describe(const release_job *job, const release_table *t, const dusk_synthetic_table *model,
                            release_receipt *receipt, double *single, double *pair, dusk_error *err)
{
    uint32_t neighbour[64];
    char first[64], second[64];
    dusk_text text;
    dusk_status status = dusk_synthetic_table_interval(model, single, pair, t->how.confidence, err);
    if (status != DUSK_OK) return status;
    dusk_format_width(first, sizeof first, *single);
    dusk_format_width(second, sizeof second, *pair);
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    /* how many counts pairs have depends on what is measured first */
    if (job->settings->dry_run || t->schema.columns == 1) {
        dusk_text_add(&text, "counts of columns %s measured to within %s with %g %% confidence",
                      job->settings->dry_run ? "will be" : "were", first, 100 * t->how.confidence);
        return DUSK_OK;
    }
    dusk_text_add(&text,
                  "counts of columns were measured to within %s, those of pairs to within %s, with %g %% "
                  "confidence; pairs:",
                  first, second, 100 * t->how.confidence);
    dusk_synthetic_table_tree(model, neighbour);
    for (size_t c = 1; c < t->schema.columns; c++)
        dusk_text_add(&text, "%s %.24s-%.24s", c > 1 ? "," : "", t->schema.column[neighbour[c]].name,
                      t->schema.column[c].name);
    if (text.overflow) memcpy(receipt->interval + sizeof receipt->interval - 4, "...", 4);
    return DUSK_OK;
}

static dusk_status draw(release_job *job, const dusk_synthetic_table *model, const release_table *t,
                        synthetic_rows *drawn, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t rows = release_given(job, "rows") ? (size_t)job->settings->rows : dusk_synthetic_table_rows(model);
    if (rows > 1000000000)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say how many rows you want: --rows 1000",
                         "the noisy number of rows is too large a table");
    DUSK_NEW(drawn->codes, rows * t->schema.columns);
    drawn->rows = rows;
    DUSK_TRY(dusk_synthetic_table_draw(model, drawn->codes, rows, job->gen, err));
done:
    return status;
}

dusk_status release_synthetic_table(release_job *job, dusk_error *err)
{
    dusk_status status;
    release_table t = { 0 };
    dusk_statement statement;
    dusk_synthetic_table *model = NULL;
    synthetic_rows drawn = { 0 };
    release_receipt receipt = { .statement = &statement, .input = RELEASE_TABLE_INPUT };
    double single, pair;
    bool dry = job->settings->dry_run;

    DUSK_TRY(release_table_prepare(job, &t, err));
    DUSK_TRY(dusk_synthetic_table_release(&model, &statement, &t.how, &t.table, job->gen, err));
    if (!dry) {
        dusk_synthetic_table_free(model);
        model = NULL;
        DUSK_TRY(release_table_read(job, &t, err));
        DUSK_TRY(dusk_synthetic_table_release(&model, &statement, &t.how, &t.table, job->gen, err));
        DUSK_TRY(draw(job, model, &t, &drawn, err));
    }
    DUSK_TRY(describe(job, &t, model, &receipt, &single, &pair, err));
    if (release_json(job)) {
        print_json(&job->json, &t, &drawn);
        json_widths(&job->json, &t, single, pair);
    } else if (!dry) {
        print_table(&t, &drawn);
    }
    DUSK_TRY(release_end(job, &receipt, err));
done:
    dusk_deallocate(drawn.codes);
    dusk_synthetic_table_free(model);
    release_table_free(&t);
    return status;
}
