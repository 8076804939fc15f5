/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release keys: which keys of a private set may be shown. Keys are put in
 * the order of their bytes before anything is drawn: neither the order of the
 * input nor of the coins shows in the output. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/release.h"

static dusk_status prepare(const release_job *job, dusk_key_selection *out, dusk_error *err)
{
    static const dusk_key_method methods[] = {
        DUSK_KEYS_TRUNCATED_GEOMETRIC,
        DUSK_KEYS_LAPLACE,
        DUSK_KEYS_GAUSSIAN,
    };
    const release_settings *s = job->settings;
    if (s->method >= RELEASE_METHOD_TREE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "methods of keys: truncated-geometric, laplace, gaussian",
                         "--method has a word that is for streams");
    return dusk_key_selection_init(out, methods[s->method], (uint32_t)s->keys_per_unit, s->epsilon, s->delta,
                                   err);
}

static dusk_status state(const release_job *job, const dusk_key_selection *selection, dusk_statement *out,
                         dusk_error *err)
{
    char fact[128];
    dusk_text text;
    dusk_event event;
    dusk_status status = dusk_key_selection_event(selection, &event, err);
    if (status != DUSK_OK) return status;
    dusk_text_init(&text, fact, sizeof fact);
    dusk_text_add(&text, "a unit has at most %lu key%s", (unsigned long)selection->keys_per_unit,
                  selection->keys_per_unit == 1 ? "" : "s");
    return release_state(job, out, &event, selection->delta, fact, err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const dusk_named *)a)->name, ((const dusk_named *)b)->name);
}

/* A key that comes twice counts once, with the larger number: a unit moves the
 * larger of two counts by no more than either. What is no number is no unit. A line
 * without a key is left out: its place is no key, since a unit that brings a key of its
 * own would rename all that come behind it. */
static size_t join_keys(dusk_named *list, size_t n, uint64_t *units)
{
    size_t kept = 0;
    if (n) qsort(list, n, sizeof *list, by_name);
    for (size_t i = 0; i < n; i++) {
        double x = list[i].number;
        uint64_t count = x >= 1 ? x < 0x1p53 ? (uint64_t)x : UINT64_C(1) << 53 : 0;
        if (list[i].placed) continue;
        if (kept && !strcmp(list[kept - 1].name, list[i].name)) {
            if (count > units[kept - 1]) units[kept - 1] = count;
            continue;
        }
        dusk_named swap = list[kept];
        list[kept] = list[i];
        list[i] = swap;
        units[kept++] = count;
    }
    return kept;
}

static void print_keys(release_job *job, const dusk_named *list, const bool *keep, const double *counts,
                       size_t n)
{
    dusk_json *json = &job->json;
    bool as_json = release_json(job);
    if (as_json) dusk_json_key(json, "keys");
    if (as_json) dusk_json_open(json, '[');
    for (size_t i = 0; i < n; i++) {
        if (!keep[i]) continue;
        bool counted = !isnan(counts[i]);
        if (as_json) {
            dusk_json_open(json, '{');
            dusk_json_string_field(json, "key", list[i].name);
            if (counted) dusk_json_key(json, "count");
            if (counted) dusk_json_number(json, counts[i]);
            dusk_json_close(json, '}');
        } else {
            fputs(list[i].name, stdout);
            if (counted) fputc('\t', stdout);
            if (counted) dusk_print_number(stdout, counts[i]);
            fputc('\n', stdout);
        }
    }
    if (as_json) dusk_json_close(json, ']');
}

/* From how many units on a key is shown more often than not. */
static dusk_status describe(const dusk_key_selection *selection, release_receipt *receipt, dusk_error *err)
{
    uint64_t low = 0, high = 1;
    double p = 0;
    dusk_text text;
    dusk_status status;
    DUSK_TRY(dusk_key_selection_probability(selection, &p, high, err));
    while (p < 0.5 && high < UINT64_C(1) << 50) {
        low = high;
        high *= 2;
        DUSK_TRY(dusk_key_selection_probability(selection, &p, high, err));
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        DUSK_TRY(dusk_key_selection_probability(selection, &p, middle, err));
        if (p < 0.5)
            low = middle;
        else
            high = middle;
    }
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    dusk_text_add(&text, "a key is shown more often than not when at least %llu units have it",
                  (unsigned long long)high);
done:
    return status;
}

dusk_status release_read_keys(const release_job *job, dusk_named **list, size_t *n, uint64_t **units,
                              size_t *keys, dusk_error *err)
{
    dusk_status status = DUSK_OK, closed;
    dusk_input input;
    *list = NULL;
    *units = NULL;
    *n = *keys = 0;
    DUSK_TRY(release_open(job, &input, DUSK_INPUT_NAMED, err));
    status = dusk_input_named(&input, list, n, err);
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    DUSK_TRY(status != DUSK_OK ? status : closed);
    DUSK_NEW(*units, *n);
    *keys = join_keys(*list, *n, *units);
done:
    return status;
}

void release_keys_free(dusk_named *list, size_t n, uint64_t *units)
{
    if (units) dusk_wipe(units, n * sizeof *units);
    dusk_named_free(list, n);
    dusk_deallocate(units);
}

dusk_status release_keys(release_job *job, dusk_error *err)
{
    dusk_status status;
    dusk_key_selection selection;
    dusk_statement statement;
    release_receipt receipt = {
        .statement = &statement,
        .label = "accuracy",

        .input = "what is not a number of units counts as none, and a line without a key is left out"
    };
    dusk_named *list = NULL;
    uint64_t *units = NULL;
    bool *keep = NULL;
    double *counts = NULL;
    size_t n = 0, keys = 0;
    DUSK_TRY(prepare(job, &selection, err));
    DUSK_TRY(state(job, &selection, &statement, err));
    DUSK_TRY(describe(&selection, &receipt, err));
    if (!job->settings->dry_run) DUSK_TRY(release_read_keys(job, &list, &n, &units, &keys, err));
    DUSK_NEW(keep, n);
    DUSK_NEW(counts, n);
    for (size_t i = 0; i < n; i++) counts[i] = NAN;
    if (keys) DUSK_TRY(dusk_key_selection_release(&selection, keep, counts, units, keys, job->gen, err));
    print_keys(job, list, keep, counts, keys);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    release_keys_free(list, n, units);
    dusk_deallocate(keep);
    dusk_deallocate(counts);
    return status;
}
