/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release mode: the most frequent value of a column, or of lines of text.
 * The values are public (--values) or come from the data (--delta); then they are
 * put in the order of their bytes and counted, and only the one that is chosen
 * is seen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/release.h"

#define VALUE_MAX 512

/* Values and how many rows have each. */
typedef struct tally {
    dusk_named *list; /* in the order of the names' bytes; number is not used */
    uint64_t *rows;
    size_t n, room;
} tally;

static void tally_free(tally *t)
{
    if (t->rows) dusk_wipe(t->rows, t->n * sizeof *t->rows);
    dusk_deallocate(t->rows);
    dusk_named_free(t->list, t->n);
}

static dusk_status tally_add(tally *t, const char *value, size_t length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_GROW(t->list, t->room, t->n);
    DUSK_NEW(t->list[t->n].name, length + 1);
    memcpy(t->list[t->n++].name, value, length);
done:
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const dusk_named *)a)->name, ((const dusk_named *)b)->name);
}

/* Sort, and join what is equal: rows[i] says how often value i was there. */
static dusk_status tally_join(tally *t, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t kept = 0, all = t->n;
    DUSK_NEW(t->rows, all);
    if (all) qsort(t->list, all, sizeof *t->list, by_name);
    for (size_t i = 0; i < all; i++) {
        if (kept && !strcmp(t->list[kept - 1].name, t->list[i].name)) {
            dusk_deallocate(t->list[i].name);
        } else {
            dusk_named moved = t->list[i];
            t->list[i].name = NULL;
            t->list[kept++] = moved;
        }
        t->rows[kept - 1]++;
    }
    t->n = kept;
done:
    return status;
}

static dusk_status parse_values(tally *t, const char *text, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        DUSK_TRY(tally_add(t, at, length, err));
        at += length;
        if (!*at) break;
    }
    DUSK_TRY(tally_join(t, err));
    for (size_t i = 0; i < t->n; i++) {
        if (t->rows[i] > 1 || !t->list[i].name[0])
            DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --values yes,no",
                               "--values must be different words with commas between them"));
        t->rows[i] = 0;
    }
done:
    return status;
}

/* With public values rows are counted where they are, otherwise collected. */
static dusk_status read_values(const release_job *job, tally *t, bool known, dusk_error *err)
{
    dusk_status status, closed;
    dusk_input input;
    char text[VALUE_MAX];
    dusk_named wanted = { .name = text };
    DUSK_TRY(release_open(job, &input, DUSK_INPUT_ROWS, err));
    while (status == DUSK_OK && dusk_input_value(&input, text, sizeof text)) {
        if (!known) {
            status = tally_add(t, text, strlen(text), err);
            continue;
        }
        dusk_named *found = bsearch(&wanted, t->list, t->n, sizeof *t->list, by_name);
        if (found) t->rows[found - t->list]++;
    }
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    DUSK_TRY(status != DUSK_OK ? status : closed);
    if (!known) DUSK_TRY(tally_join(t, err));
done:
    return status;
}

static dusk_status prepare(const release_job *job, dusk_aggregate *how, dusk_error *err)
{
    const release_settings *s = job->settings;
    bool known = s->values != NULL, unknown = release_given(job, "delta");
    if (known == unknown)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->mechanism->example, "mode needs %s",
                         known ? "--values or --delta, not both: public values need no delta"
                               : "--values, or --delta when the values come from the data");
    if (unknown && !(s->delta > 0 && s->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                         "--delta must be above 0 and below 1");
    if (unknown && job->neighbours == DUSK_REPLACE_ONE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give the public values: --values yes,no",
                         "mode of values that come from the data promises for add-remove neighbours only");
    dusk_aggregate_init(how);
    how->neighbours = job->neighbours;
    how->rows_per_unit = (uint32_t)s->rows_per_unit;
    how->epsilon = s->epsilon;
    how->delta = unknown ? s->delta : 0;
    how->confidence = s->confidence;
    how->unit = job->unit;
    return DUSK_OK;
}

static void print_mode(release_job *job, const char *value, double shortfall)
{
    dusk_json *json = &job->json;
    if (!release_json(job)) {
        if (value) printf("%s\n", value);
        return;
    }
    dusk_json_key(json, "value");
    if (value)
        dusk_json_string(json, value);
    else
        dusk_json_null(json);
    dusk_json_number_field(json, "shortfall", shortfall);
    dusk_json_number_field(json, "confidence", job->settings->confidence);
}

static dusk_status report(release_job *job, const char *value, double shortfall,
                          const dusk_statement *statement, dusk_error *err)
{
    release_receipt receipt = { .statement = statement, .label = "accuracy" };
    char width[64];
    dusk_text text;
    print_mode(job, value, shortfall);
    dusk_text_init(&text, receipt.interval, sizeof receipt.interval);
    dusk_format_width(width, sizeof width, shortfall);
    if (!value && !job->settings->dry_run)
        dusk_text_add(&text, "no value stands out enough to be shown");
    else
        dusk_text_add(&text, "its count is at most %s below the largest with %g %% confidence", width,
                      100 * job->settings->confidence);
    dusk_text_init(&text, receipt.input, sizeof receipt.input);
    dusk_text_add(&text, job->settings->values ? "rows with other values are in no count"
                                               : "every row is counted with the value it has");
    return release_end(job, &receipt, err);
}

dusk_status release_mode(release_job *job, dusk_error *err)
{
    dusk_status status;
    dusk_aggregate how;
    dusk_statement statement;
    double shortfall;
    size_t index;
    tally t = { .n = 0 };
    bool known = job->settings->values != NULL;
    const char *value = NULL;
    DUSK_TRY(prepare(job, &how, err));
    if (known) DUSK_TRY(parse_values(&t, job->settings->values, err));
    /* Once without rows: everything public is checked before the data is opened. */
    DUSK_TRY(dusk_mode_release(&index, &shortfall, &statement, &how, t.rows, t.n, job->gen, err));
    if (!job->settings->dry_run) {
        DUSK_TRY(read_values(job, &t, known, err));
        DUSK_TRY(dusk_mode_release(&index, &shortfall, &statement, &how, t.rows, t.n, job->gen, err));
        if (index != DUSK_NO_MODE) value = t.list[index].name;
    }
    DUSK_TRY(report(job, value, shortfall, &statement, err));
done:
    tally_free(&t);
    return status;
}
