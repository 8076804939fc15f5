/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release bounded-laplace: one number with an answer in a public range. */
#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/release.h"

static dusk_status calibrate(const release_job *job, dusk_bounded_laplace *out, dusk_error *err)
{
    const release_settings *s = job->settings;
    double bounds[2];
    if (dusk_parse_list(s->bounds, ':', bounds, 2) != 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --bounds 0:100",
                         "--bounds must have the form LO:HI");
    int grid = release_given(job, "grid") ? (int)s->grid : DUSK_GRID_DEFAULT;
    return dusk_bounded_laplace_init(out, bounds[0], bounds[1], s->sensitivity, s->epsilon, grid, err);
}

/* What follows from the public parameters alone. */
static dusk_status state(const release_job *job, const dusk_bounded_laplace *m, dusk_statement *out,
                         double *half_width, dusk_error *err)
{
    char fact[128], sensitivity[64];
    dusk_text text;
    dusk_event event;
    dusk_status status;
    dusk_text_init(&text, fact, sizeof fact);
    dusk_format_number(sensitivity, sizeof sensitivity, m->sensitivity);
    dusk_text_add(&text, "sensitivity %s", sensitivity);
    DUSK_TRY(dusk_bounded_laplace_event(m, &event, err));
    DUSK_TRY(release_state(job, out, &event, 0, fact, err));
    DUSK_TRY(dusk_bounded_laplace_interval(m, half_width, job->settings->confidence, err));
done:
    return status;
}

static void print_json(release_job *job, const dusk_bounded_laplace *m, const double *answer,
                       double half_width)
{
    dusk_json *json = &job->json;
    dusk_json_number_field(json, "value", answer ? *answer : NAN);
    if (answer)
        release_json_interval(job, fmax(*answer - half_width, m->lower),
                              fmin(*answer + half_width, m->upper));
    dusk_json_number_field(json, "half_width", half_width);
    dusk_json_number_field(json, "confidence", job->settings->confidence);
}

/* Print the answer (NULL: a dry run) and the receipt. */
static dusk_status report(release_job *job, const dusk_bounded_laplace *m, const double *answer,
                          dusk_error *err)
{
    dusk_status status;
    dusk_statement statement;
    char range[200];
    dusk_text text;
    double half_width = 0, percent = 100 * job->settings->confidence;
    release_receipt receipt = { .statement = &statement };
    DUSK_TRY(state(job, m, &statement, &half_width, err));
    if (release_json(job)) {
        print_json(job, m, answer, half_width);
    } else if (answer) {
        dusk_print_number(stdout, *answer);
        fputc('\n', stdout);
    }
    dusk_text_init(&text, receipt.interval, sizeof receipt.interval);
    if (answer) {
        dusk_format_interval(range, sizeof range, fmax(*answer - half_width, m->lower),
                             fmin(*answer + half_width, m->upper));
        dusk_text_add(&text, "the exact value, clamped, is between %s with %g %% confidence", range, percent);
    } else {
        dusk_format_width(range, sizeof range, half_width);
        dusk_text_add(&text,
                      "the answer will be within %s of the exact value, clamped, with %g %% confidence",
                      range, percent);
    }
    if (!release_given(job, "value"))
        snprintf(receipt.input, sizeof receipt.input, "what is not a number counts as 0");
    DUSK_TRY(release_end(job, &receipt, err));
done:
    return status;
}

static dusk_status read_one(const release_job *job, double *value, dusk_error *err)
{
    double *values;
    size_t n;
    dusk_status status;
    *value = job->settings->value;
    if (release_given(job, "value")) return DUSK_OK;
    DUSK_TRY(release_read(job, &values, &n, err));
    if (n == 1) *value = values[0];
    dusk_numbers_free(values, n);
    if (n != 1)
        return dusk_fail(err, DUSK_ERR_PARSE, job->mechanism->example, "%s releases one number",
                         job->mechanism->name);
done:
    return status;
}

dusk_status release_bounded_laplace(release_job *job, dusk_error *err)
{
    dusk_bounded_laplace m;
    dusk_statement statement;
    double value, answer, half_width;
    dusk_status status;
    /* Everything public is checked before the data is opened. */
    DUSK_TRY(calibrate(job, &m, err));
    DUSK_TRY(state(job, &m, &statement, &half_width, err));
    if (job->settings->dry_run) return report(job, &m, NULL, err);
    DUSK_TRY(read_one(job, &value, err));
    DUSK_TRY(dusk_bounded_laplace_release(&m, &answer, value, job->gen, err));
    DUSK_TRY(report(job, &m, &answer, err));
done:
    return status;
}
