/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release bounds: where the rows of a column begin and end, roughly, in the
 * form that --bounds takes. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/release.h"

static void format_bounds(char *text, size_t size, const dusk_bounds *bounds)
{
    char low[64], high[64];
    dusk_text line;
    dusk_format_number(low, sizeof low, bounds->lower);
    dusk_format_number(high, sizeof high, bounds->upper);
    dusk_text_init(&line, text, size);
    dusk_text_add(&line, "%s:%s", low, high);
}

static void print_bounds(release_job *job, const dusk_bounds *bounds)
{
    dusk_json *json = &job->json;
    bool dry = job->settings->dry_run;
    char text[140];
    format_bounds(text, sizeof text, bounds);
    if (!release_json(job)) {
        if (!dry) printf("%s\n", text);
        return;
    }
    dusk_json_key(json, "bounds");
    dusk_json_open(json, '[');
    if (!dry) dusk_json_number(json, bounds->lower);
    if (!dry) dusk_json_number(json, bounds->upper);
    dusk_json_close(json, ']');
    if (!dry) {
        dusk_json_bool_field(json, "found", bounds->found);
        dusk_json_number_field(json, "outside", bounds->outside);
    }
    dusk_json_number_field(json, "confidence", bounds->confidence);
}

static void describe(const release_job *job, const dusk_bounds *bounds, release_receipt *receipt)
{
    char range[140], outside[64];
    dusk_text text;
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    if (job->settings->dry_run) return;
    format_bounds(range, sizeof range, bounds);
    dusk_format_number(outside, sizeof outside, bounds->outside);
    if (bounds->found)
        dusk_text_add(
            &text,
            "at most %s rows lie outside with %g %% confidence; go on with --bounds=%s, which costs "
            "extra",
            outside, 100 * bounds->confidence, range);
    else
        dusk_text_add(
            &text, "no rows stood out, and these are the smallest bounds there are: declare bounds, or try "
                   "a larger --epsilon");
}

dusk_status release_bounds(release_job *job, dusk_error *err)
{
    const release_settings *s = job->settings;
    dusk_status status;
    dusk_aggregate how;
    dusk_bounds bounds;
    release_receipt receipt = { .statement = &bounds.statement,
                                .label = "accuracy",
                                .input = "what is not a number counts as 0, and so does what is smaller than "
                                         "--resolution; what is larger than --largest counts as that" };
    double *rows = NULL;
    size_t n = 0;
    DUSK_TRY(release_aggregate(job, &how, err));
    /* Once without rows: everything public is checked before the data is opened. */
    DUSK_TRY(dusk_bounds_release(&bounds, &how, s->resolution, s->largest, NULL, 0, job->gen, err));
    if (!s->dry_run) {
        DUSK_TRY(release_read(job, &rows, &n, err));
        DUSK_TRY(dusk_bounds_release(&bounds, &how, s->resolution, s->largest, rows, n, job->gen, err));
    }
    print_bounds(job, &bounds);
    describe(job, &bounds, &receipt);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    dusk_numbers_free(rows, n);
    return status;
}
