/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release count, sum, mean, variance, histogram, quantiles, median: what
 * is true of many rows. Each is first tried on no rows at all, which checks
 * every parameter and gives the statement before the data is opened; a dry run
 * ends there. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/release.h"

#define BINS_MAX 1000000
#define QUANTILES_MAX 1024
#define LIST_MAX 4096

dusk_status release_fail_form(const char *option, const char *form, dusk_error *err)
{
    char hint[100];
    dusk_text text;
    dusk_text_init(&text, hint, sizeof hint);
    dusk_text_add(&text, "for example --%s %s", option,
                  dusk_options_find(&dusk_release_command, option, NULL)->sample);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "--%s must have the form %s", option, form);
}

dusk_status release_aggregate(const release_job *job, dusk_aggregate *how, dusk_error *err)
{
    const release_settings *s = job->settings;
    double bounds[2];
    dusk_aggregate_init(how);
    how->neighbours = job->neighbours;
    how->rows_per_unit = (uint32_t)s->rows_per_unit;
    how->epsilon = s->epsilon;
    how->delta = 0;
    if (release_given(job, "delta")) {
        how->delta = s->delta;
        if (!(s->delta > 0))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --delta away for Laplace noise and no delta",
                             "--delta must be above 0 and below 1");
    }
    how->confidence = s->confidence;
    how->unit = job->unit;
    if (!s->bounds) return DUSK_OK;
    if (dusk_parse_list(s->bounds, ':', bounds, 2) != 2) return release_fail_form("bounds", "LO:HI", err);
    how->lower = bounds[0];
    how->upper = bounds[1];
    return DUSK_OK;
}

/* ---- One number ---------------------------------------------------------------------- */

typedef dusk_status rows_function(dusk_answer *out, const dusk_aggregate *how, const double *rows, size_t n,
                                  dusk_generator *gen, dusk_error *err);

static void print_answer(release_job *job, const dusk_answer *answer)
{
    if (!release_value(job, answer->value)) return;
    if (!job->settings->dry_run) release_json_interval(job, answer->low, answer->high);
    dusk_json_number_field(&job->json, "confidence", answer->confidence);
}

/* In a dry run the answer is that of no rows; `fixed` says whether its width is
 * that of every answer. */
static dusk_status report(release_job *job, const dusk_answer *answer, bool fixed, const char *input,
                          dusk_error *err)
{
    char range[200];
    dusk_text text;
    release_receipt receipt = { .statement = &answer->statement };
    double percent = 100 * answer->confidence;
    print_answer(job, answer);
    dusk_text_init(&text, receipt.interval, sizeof receipt.interval);
    if (!job->settings->dry_run) {
        dusk_format_interval(range, sizeof range, answer->low, answer->high);
        dusk_text_add(&text, "the exact answer is between %s with %g %% confidence", range, percent);
    } else if (fixed) {
        dusk_format_width(range, sizeof range,
                          fmax(answer->high - answer->value, answer->value - answer->low));
        dusk_text_add(&text, "the answer will be within %s of the exact one with %g %% confidence", range,
                      percent);
    } else {
        dusk_text_add(&text, "its width depends on how many rows there are");
    }
    dusk_text_init(&text, receipt.input, sizeof receipt.input);
    dusk_text_add(&text, "%s", input);
    return release_end(job, &receipt, err);
}

static dusk_status release_rows(release_job *job, rows_function *function, bool fixed, dusk_error *err)
{
    static const char input[] =
        "rows are clamped into the bounds; what is not a number counts as the one nearest 0";
    dusk_status status;
    dusk_aggregate how;
    dusk_answer answer;
    double *rows = NULL;
    size_t n = 0;
    DUSK_TRY(release_aggregate(job, &how, err));
    DUSK_TRY(function(&answer, &how, NULL, 0, job->gen, err));
    if (!job->settings->dry_run) {
        DUSK_TRY(release_read(job, &rows, &n, err));
        DUSK_TRY(function(&answer, &how, rows, n, job->gen, err));
    }
    DUSK_TRY(report(job, &answer, fixed, input, err));
done:
    dusk_numbers_free(rows, n);
    return status;
}

dusk_status release_sum(release_job *job, dusk_error *err)
{
    return release_rows(job, dusk_sum_release, true, err);
}

dusk_status release_mean(release_job *job, dusk_error *err)
{
    return release_rows(job, dusk_mean_release, false, err);
}

dusk_status release_variance(release_job *job, dusk_error *err)
{
    return release_rows(job, dusk_variance_release, false, err);
}

static dusk_status count_rows(const release_job *job, uint64_t *rows, dusk_error *err)
{
    dusk_input input;
    dusk_status status = release_open(job, &input, DUSK_INPUT_ROWS, err);
    if (status != DUSK_OK) return status;
    while (dusk_input_row(&input)) ++*rows;
    return dusk_input_close(&input, err);
}

dusk_status release_count(release_job *job, dusk_error *err)
{
    dusk_status status;
    dusk_aggregate how;
    dusk_answer answer;
    uint64_t rows = 0;
    double value = job->settings->value;
    bool given = release_given(job, "value");
    DUSK_TRY(release_aggregate(job, &how, err));
    DUSK_TRY(dusk_count_release(&answer, &how, 0, job->gen, err));
    if (!job->settings->dry_run) {
        if (!given)
            DUSK_TRY(count_rows(job, &rows, err));
        else /* whatever was given, a count comes of it: no error tells about it */
            rows = value > 0 ? value < 0x1p53 ? (uint64_t)llround(value) : UINT64_C(1) << 53 : 0;
        DUSK_TRY(dusk_count_release(&answer, &how, rows, job->gen, err));
    }
    DUSK_TRY(report(job, &answer, true, given ? "" : "every line or record that is not blank is a row", err));
done:
    return status;
}

/* ---- Histogram ----------------------------------------------------------------------- */

static dusk_status equal_bins(const char *text, double **edges, size_t *bins, dusk_error *err)
{
    double part[3];
    dusk_status status = DUSK_OK;
    if (dusk_parse_list(text, ':', part, 3) != 3) return release_fail_form("bins", "LO:HI:N", err);
    double low = part[0], high = part[1], n = part[2];
    if (!(n >= 1 && n <= BINS_MAX && n == floor(n)) || !(low < high))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --bins 0:100:10",
                         "--bins must have LO below HI and 1 to %d bins", BINS_MAX);
    *bins = (size_t)n;
    DUSK_NEW(*edges, *bins + 1);
    for (size_t i = 0; i <= *bins; i++) (*edges)[i] = low * (1 - (double)i / n) + high * ((double)i / n);
    (*edges)[*bins] = high;
done:
    return status;
}

static dusk_status read_bins(const release_job *job, double **edges, size_t *bins, dusk_error *err)
{
    const release_settings *s = job->settings;
    dusk_status status = DUSK_OK;
    if (!s->bins == !s->edges)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->mechanism->example, "histogram needs %s",
                         s->bins ? "--bins or --edges, not both" : "--bins or --edges");
    if (s->bins) return equal_bins(s->bins, edges, bins, err);
    DUSK_NEW(*edges, LIST_MAX);
    *bins = dusk_parse_list(s->edges, ',', *edges, LIST_MAX);
    if (*bins < 2) return release_fail_form("edges", "A,B,... with at least two numbers", err);
    --*bins;
done:
    return status;
}

static void print_histogram(release_job *job, const double *edges, const double *counts, size_t bins,
                            double half_width)
{
    dusk_json *json = &job->json;
    if (release_json(job)) {
        dusk_json_key(json, "bins");
        dusk_json_open(json, '[');
        for (size_t i = 0; i < bins; i++) {
            dusk_json_open(json, '{');
            dusk_json_number_field(json, "low", edges[i]);
            dusk_json_number_field(json, "high", edges[i + 1]);
            dusk_json_number_field(json, "count", job->settings->dry_run ? NAN : counts[i]);
            dusk_json_close(json, '}');
        }
        dusk_json_close(json, ']');
        dusk_json_number_field(json, "half_width", half_width);
        dusk_json_number_field(json, "confidence", job->settings->confidence);
        return;
    }
    for (size_t i = 0; i < bins && !job->settings->dry_run; i++) {
        dusk_print_number(stdout, edges[i]);
        fputc('\t', stdout);
        dusk_print_number(stdout, edges[i + 1]);
        fputc('\t', stdout);
        dusk_print_number(stdout, counts[i]);
        fputc('\n', stdout);
    }
}

dusk_status release_histogram(release_job *job, dusk_error *err)
{
    dusk_status status;
    dusk_aggregate how;
    dusk_statement statement;
    release_receipt receipt = { .statement = &statement,
                                .input = "what is in no bin or not a number is not counted" };
    double *edges = NULL, *counts = NULL, *rows = NULL, half_width;
    size_t bins = 0, n = 0;
    char width[64];
    dusk_text text;
    DUSK_TRY(release_aggregate(job, &how, err));
    DUSK_TRY(read_bins(job, &edges, &bins, err));
    DUSK_NEW(counts, bins);
    DUSK_TRY(
        dusk_histogram_release(counts, &half_width, &statement, &how, edges, bins, NULL, 0, job->gen, err));
    if (!job->settings->dry_run) {
        DUSK_TRY(release_read(job, &rows, &n, err));
        DUSK_TRY(dusk_histogram_release(counts, &half_width, &statement, &how, edges, bins, rows, n, job->gen,
                                        err));
    }
    print_histogram(job, edges, counts, bins, half_width);
    dusk_text_init(&text, receipt.interval, sizeof receipt.interval);
    dusk_format_width(width, sizeof width, half_width);
    dusk_text_add(&text, "all counts %s within %s of the exact ones with %g %% confidence",
                  job->settings->dry_run ? "will be" : "are", width, 100 * how.confidence);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    dusk_deallocate(edges);
    dusk_deallocate(counts);
    dusk_numbers_free(rows, n);
    return status;
}

/* ---- Quantiles ----------------------------------------------------------------------- */

static void print_quantiles(release_job *job, const double *q, const double *values, size_t m,
                            double rank_error)
{
    dusk_json *json = &job->json;
    bool dry = job->settings->dry_run;
    if (!release_json(job)) {
        for (size_t i = 0; i < m && !dry; i++) {
            if (m > 1) dusk_print_number(stdout, q[i]);
            if (m > 1) fputc('\t', stdout);
            dusk_print_number(stdout, values[i]);
            fputc('\n', stdout);
        }
        return;
    }
    dusk_json_key(json, m > 1 ? "quantiles" : "value");
    if (m == 1) dusk_json_number(json, dry ? NAN : values[0]);
    if (m > 1) dusk_json_open(json, '[');
    for (size_t i = 0; m > 1 && i < m; i++) {
        dusk_json_open(json, '{');
        dusk_json_number_field(json, "q", q[i]);
        dusk_json_number_field(json, "value", dry ? NAN : values[i]);
        dusk_json_close(json, '}');
    }
    if (m > 1) dusk_json_close(json, ']');
    dusk_json_number_field(json, "rank_error", rank_error);
    dusk_json_number_field(json, "confidence", job->settings->confidence);
}

static dusk_status release_ranks(release_job *job, const double *q, size_t m, dusk_error *err)
{
    dusk_status status;
    dusk_aggregate how;
    dusk_statement statement;
    release_receipt receipt = {
        .statement = &statement,
        .label = "accuracy",
        .input = "rows are clamped into the bounds; what is not a number counts as the one nearest 0",
    };
    double *values = NULL, *rows = NULL, rank_error;
    size_t n = 0;
    char width[64];
    dusk_text text;
    DUSK_TRY(release_aggregate(job, &how, err));
    DUSK_NEW(values, m);
    DUSK_TRY(dusk_quantiles_release(values, &rank_error, &statement, &how, q, m, NULL, 0, job->gen, err));
    if (!job->settings->dry_run) {
        DUSK_TRY(release_read(job, &rows, &n, err));
        DUSK_TRY(dusk_quantiles_release(values, &rank_error, &statement, &how, q, m, rows, n, job->gen, err));
    }
    print_quantiles(job, q, values, m, rank_error);
    dusk_text_init(&text, receipt.interval, sizeof receipt.interval);
    dusk_format_width(width, sizeof width, rank_error);
    dusk_text_add(&text, "%s at most %s rows off its rank with %g %% confidence",
                  job->settings->dry_run ? "each answer will be"
                  : m > 1                ? "each answer is"
                                         : "the answer is",
                  width, 100 * how.confidence);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    dusk_deallocate(values);
    dusk_numbers_free(rows, n);
    return status;
}

dusk_status release_quantiles(release_job *job, dusk_error *err)
{
    double q[QUANTILES_MAX];
    size_t m = dusk_parse_list(job->settings->q, ',', q, QUANTILES_MAX);
    if (m == 0) return release_fail_form("q", "Q,... with numbers between 0 and 1", err);
    return release_ranks(job, q, m, err);
}

dusk_status release_median(release_job *job, dusk_error *err)
{
    const double half = 0.5;
    return release_ranks(job, &half, 1, err);
}
