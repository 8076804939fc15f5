/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect estimate of numbers: the mean with its interval, and for squarewave and piecewise the distribution as well: bins, quantiles, ranges, a drawing. The distribution is the most likely one, smoothed; it has no
 * intervals, and what it says of ranges and quantiles has none. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/collect_estimate.h"
#include "cli/plot.h"

#define BINS 20 /* where --bins does not say */
#define BAR 40

static bool has_distribution(const dusk_survey *survey)
{
    return survey->task.mechanism == DUSK_SQUAREWAVE || survey->task.mechanism == DUSK_PIECEWISE;
}

static double edge(const collect_numbers *d, size_t b)
{
    const double part = (double)b / (double)d->bins;
    return d->survey->low * (1 - part) + d->survey->high * part;
}

static bool number_of(const void *context, const char *text, double *out)
{
    const collect_numbers *d = context;
    return dusk_parse_number(text, out) && *out >= d->survey->low && *out <= d->survey->high;
}

#define PARTS "0.1,0.25,0.5,0.75,0.9" /* quantiles, where --quantiles does not say */

static dusk_status distribute(collect_numbers *d, const collect_job *job, const dusk_tally *tally,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char what[160];
    d->places = d->survey->task.domain;
    d->bins = collect_given(job, "bins") ? (size_t)job->settings->bins : BINS < d->places ? BINS : d->places;
    if (d->bins > d->places)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer", "this survey has at most %zu bins",
                         d->places);
    snprintf(what, sizeof what, "A:B, numbers from %g to %g", d->survey->low, d->survey->high);
    DUSK_TRY(collect_spans_read(&d->spans, job, number_of, d, what, err));
    DUSK_TRY(collect_parts_read(d->part, &d->parts,
                                job->settings->quantiles ? job->settings->quantiles : PARTS, err));
    DUSK_NEW(d->fine, d->places);
    DUSK_NEW(d->share, d->bins);
    DUSK_TRY(dusk_tally_shares(tally, d->fine, d->places, err));
    for (size_t v = 0; v < d->places; v++) d->share[v * d->bins / d->places] += d->fine[v];
done:
    return status;
}

/* ---- What is said -------------------------------------------------------------------------------------------------- */

static void say_bins(const collect_numbers *d, dusk_json *json)
{
    double most = 0;
    char bar[BAR + 1];
    for (size_t b = 0; b < d->bins; b++) most = fmax(most, d->share[b]);
    if (json->file) {
        dusk_json_key(json, "distribution");
        dusk_json_open(json, '[');
    } else {
        printf("%14s %14s %10s\n", "from", "to", "share");
    }
    for (size_t b = 0; b < d->bins; b++) {
        if (json->file) {
            dusk_json_open(json, '{');
            dusk_json_number_field(json, "from", edge(d, b));
            dusk_json_number_field(json, "to", edge(d, b + 1));
            dusk_json_number_field(json, "share", d->share[b]);
            dusk_json_close(json, '}');
            continue;
        }
        const size_t length = most > 0 ? (size_t)(BAR * d->share[b] / most + 0.5) : 0;
        memset(bar, '#', length);
        bar[length] = '\0';
        printf("%14.6g %14.6g %10.5f%s%s\n", edge(d, b), edge(d, b + 1), d->share[b], length ? " " : "", bar);
    }
    if (json->file) dusk_json_close(json, ']');
}

static void say_quantiles(const collect_numbers *d, dusk_json *json)
{
    if (json->file) {
        dusk_json_key(json, "quantiles");
        dusk_json_open(json, '[');
    } else {
        printf("%-10s %14s\n", "quantile", "value");
    }
    for (size_t i = 0; i < d->parts; i++) {
        const double value = dusk_shares_quantile(d->survey, d->fine, d->places, d->part[i]);
        if (json->file) {
            dusk_json_open(json, '{');
            dusk_json_number_field(json, "q", d->part[i]);
            dusk_json_number_field(json, "value", value);
            dusk_json_close(json, '}');
        } else {
            printf("%-10g %14.6g\n", d->part[i], value);
        }
    }
    if (json->file) dusk_json_close(json, ']');
}

/* The part below x, between two edges by proportion. */
static double below(const collect_numbers *d, double x)
{
    const double at =
        (x / 2 - d->survey->low / 2) / (d->survey->high / 2 - d->survey->low / 2) * (double)d->places;
    double sum = 0;
    for (size_t v = 0; v < d->places; v++) sum += d->fine[v] * fmin(fmax(at - (double)v, 0), 1);
    return sum;
}

static void say_spans(const collect_numbers *d, dusk_json *json)
{
    if (json->file) {
        dusk_json_key(json, "ranges");
        dusk_json_open(json, '[');
    } else if (d->spans.count > 0) {
        printf("%-24s %12s %10s\n", "range", "count", "share");
    }
    for (size_t i = 0; i < d->spans.count; i++) {
        const collect_span *s = &d->spans.span[i];
        const double share = below(d, s->to) - below(d, s->from);
        if (json->file) {
            dusk_json_open(json, '{');
            dusk_json_string_field(json, "range", s->name);
            dusk_json_number_field(json, "from", s->from);
            dusk_json_number_field(json, "to", s->to);
            dusk_json_number_field(json, "count", share * d->people);
            dusk_json_number_field(json, "share", share);
            dusk_json_close(json, '}');
        } else {
            printf("%-24s %12.1f %10.5f\n", s->name, share * d->people, share);
        }
    }
    if (json->file) dusk_json_close(json, ']');
}

/* Steps, one a bin. */
dusk_status collect_numbers_draw(const collect_numbers *d, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *x = NULL, *y = NULL, most = 0;
    char title[120], subtitle[200], epsilon[DUSK_DECIMAL_SIZE];
    DUSK_NEW(x, 2 * d->bins + 2);
    DUSK_NEW(y, 2 * d->bins + 2);
    for (size_t b = 0; b < d->bins; b++) {
        x[2 * b + 1] = edge(d, b);
        x[2 * b + 2] = edge(d, b + 1);
        y[2 * b + 1] = y[2 * b + 2] = d->share[b];
        most = fmax(most, d->share[b]);
    }
    x[0] = d->survey->low;
    x[2 * d->bins + 1] = d->survey->high;
    dusk_decimal_up(epsilon, d->survey->epsilon, 6);
    snprintf(title, sizeof title, "%s: how numbers are distributed", d->survey->name);
    snprintf(subtitle, sizeof subtitle,
             "%.0f reports by %s, epsilon %s each; the most likely shares, smoothed", d->people,
             dusk_randomiser_name(d->survey->task.mechanism), epsilon);
    const dusk_plot_line line = { .x = x, .y = y, .n = 2 * d->bins + 2, .shaded = true };
    const dusk_plot plot = { .title = title,
                             .subtitle = subtitle,
                             .x = { .label = "number", .low = d->survey->low, .high = d->survey->high },
                             .y = { .label = "part of people", .low = 0, .high = most > 0 ? most : 1 },
                             .lines = &line,
                             .line_count = 1 };
    status = dusk_plot_write(&plot, path, err);
done:
    dusk_deallocate(x);
    dusk_deallocate(y);
    return status;
}

/* ---- The mean -------------------------------------------------------------------------------------------------------- */

static dusk_status check(const collect_job *job, const dusk_survey *survey, dusk_error *err)
{
    static const char *const never[] = { "values", "top", "consistent", "discoveries" };
    static const char *const shares[] = { "plot", "range", "ranges", "quantiles", "bins" };
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (collect_given(job, never[i]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                             "this survey is of numbers: it has no --%s", never[i]);
    for (size_t i = 0; i < sizeof shares / sizeof *shares && !has_distribution(survey); i++)
        if (collect_given(job, shares[i]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "plan the survey with squarewave",
                             "%s has a mean and no distribution, and so no --%s",
                             dusk_randomiser_name(survey->task.mechanism), shares[i]);
    return DUSK_OK;
}

static void say_mean(const collect_numbers *n, dusk_json *json)
{
    const double d = n->reach * n->deviation;
    if (json->file) {
        dusk_json_number_field(json, "mean", n->mean);
        dusk_json_number_field(json, "deviation", n->deviation);
        dusk_json_number_field(json, "low", n->mean - d);
        dusk_json_number_field(json, "high", n->mean + d);
    } else {
        printf("%-8s %14s %14s\n%-8.6g %14.6g %14.6g\n", "mean", "low", "high", n->mean, n->mean - d,
               n->mean + d);
    }
}

void collect_numbers_say(const collect_numbers *numbers, dusk_json *json)
{
    say_mean(numbers, json);
    if (!numbers->fine) return;
    say_bins(numbers, json);
    say_quantiles(numbers, json);
    say_spans(numbers, json);
    if (!json->file)
        dusk_output_note("distribution",
                         "the most likely shares, smoothed: no intervals, and not unbiased as the mean is");
}

dusk_status collect_numbers_estimate(collect_numbers *out, const collect_job *job, const dusk_tally *tally,
                                     dusk_error *err)
{
    dusk_status status = DUSK_OK;
    collect_numbers n = { .survey = dusk_tally_survey(tally),
                          .people = (double)dusk_tally_reports(tally),
                          .reach = collect_reach(job->settings->confidence) };
    DUSK_TRY(check(job, n.survey, err));
    DUSK_TRY(dusk_tally_mean(tally, &n.mean, &n.deviation, err));
    if (has_distribution(n.survey)) DUSK_TRY(distribute(&n, job, tally, err));
    *out = n;
    n = (collect_numbers){ .fine = NULL };
done:
    collect_numbers_free(&n);
    return status;
}

void collect_numbers_free(collect_numbers *numbers)
{
    dusk_deallocate(numbers->fine);
    dusk_deallocate(numbers->share);
    collect_spans_free(&numbers->spans);
    numbers->fine = numbers->share = NULL;
}
