/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect estimate: from counters to counts of people, with intervals. Ranges, numbers and states have files of their own: collect_estimate.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/collect_estimate.h"
#include "cli/collect_places.h"

#define ALL_MOST 50 /* so many values are shown where --top does not say */
#define TOP_USUAL 20

struct ranked {
    double count;
    size_t value;
};

typedef struct estimator {
    dusk_tally *tally; /* of all states */
    dusk_survey survey;
    uint64_t kinds[DUSK_TAKEN_KINDS];
    collect_values values;
    bool texts;            /* values are texts, by name */
    collect_tables tables; /* of a survey of several attributes */
    double *counts, *deviations;
    double *unbiased; /* before counts were made consistent, or NULL */
    bool *found;      /* which are discoveries, or NULL: nobody asked */
    struct ranked *order;
    size_t n, listed, shown; /* values; those that may be shown; those that are */
    double reach;
    collect_ranges ranges;
    collect_numbers numbers;
} estimator;

/* ---- Values -------------------------------------------------------------------------------------------------------- */

static bool is_of_texts(const estimator *e)
{
    return dusk_randomiser_finds((dusk_randomiser)e->survey.task.mechanism) || e->survey.task.domain == 0;
}

/* Texts that nobody listed, with their counts. */
static dusk_status find_texts(const collect_job *job, estimator *e, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_string_found *found = NULL;
    bool known;
    DUSK_TRY(collect_find(job, e->tally, &found, &e->n, err));
    DUSK_NEW(e->counts, e->n);
    DUSK_NEW(e->deviations, e->n);
    for (size_t i = 0; i < e->n; i++) {
        DUSK_TRY(collect_values_add(&e->values, found[i].text, 1, &known, err));
        e->counts[i] = found[i].count;
        e->deviations[i] = found[i].deviation;
    }
done:
    dusk_deallocate(found);
    return status;
}

static dusk_status choose_values(const collect_job *job, estimator *e, dusk_error *err)
{
    const char *path = job->settings->values;
    const uint32_t domain = e->survey.task.domain;
    dusk_status status = DUSK_OK;
    if (path) DUSK_TRY(collect_values_read(&e->values, path, false, err));
    if (e->texts && !path)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --values candidates.txt",
                         "values are texts: say which ones to ask about, with --values");
    if (!e->texts && e->values.count > domain)
        return dusk_fail(err, DUSK_ERR_PARSE, "give the list that records were encoded with",
                         "%.100s has %zu values, and the survey %u", path, e->values.count, domain);
    e->n = e->texts ? e->values.count : domain;
    DUSK_NEW(e->counts, e->n);
    DUSK_NEW(e->deviations, e->n);
    status = e->texts ? dusk_tally_texts(e->tally, e->counts, e->deviations,
                                         (const char *const *)e->values.name, e->n, err)
                      : dusk_tally_counts(e->tally, e->counts, e->deviations, NULL, e->n, err);
done:
    return status;
}

/* Tables of a survey of several attributes. */
static dusk_status fill_tables(const collect_job *job, estimator *e, dusk_error *err)
{
    const collect_settings *s = job->settings;
    dusk_status status = DUSK_OK;
    if (s->values) DUSK_TRY(collect_values_read(&e->values, s->values, false, err));
    if (s->values) DUSK_TRY(collect_attributes_check(&e->values, &e->survey, s->values, err));
    DUSK_TRY(collect_tables_choose(&e->tables, &e->survey, s->attribute, s->marginal, err));
    e->n = e->tables.cells;
    DUSK_NEW(e->counts, e->n);
    DUSK_NEW(e->deviations, e->n);
    status = collect_tables_fill(&e->tables, e->tally, e->counts, e->deviations, err);
done:
    return status;
}

/* Largest first; equal ones as they stand. */
static int larger_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->value < y->value ? -1 : 1;
}

/* --discoveries and --consistent. Whether a value is found is decided by its unbiased count. */
static dusk_status adjust(const collect_job *job, estimator *e, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const int way = job->settings->consistent;
    if (e->texts && way + 1 == DUSK_NORM_SUB)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take --consistent base-pos or base-cut",
                         "norm-sub shares everybody out over the values, and people have texts on no list");
    if (collect_given(job, "discoveries")) {
        DUSK_NEW(e->found, e->n);
        DUSK_TRY(
            dusk_counts_found(e->found, e->counts, e->deviations, e->n, job->settings->discoveries, err));
    }
    if (way >= 0) {
        DUSK_NEW(e->unbiased, e->n);
        memcpy(e->unbiased, e->counts, e->n * sizeof *e->unbiased);
        const bool several = e->survey.task.attributes > 0; /* everybody is in every table */
        for (size_t t = 0; t < (several ? e->tables.count : 1); t++) {
            const size_t at = several ? e->tables.table[t].at : 0,
                         n = several ? e->tables.table[t].cells : e->n;
            DUSK_TRY(dusk_counts_consistent(e->counts + at, e->deviations + at, n, (double)e->kinds[0],
                                            (dusk_consistency)(way + 1), err));
        }
    }
done:
    return status;
}

static dusk_status estimate_counts(const collect_job *job, estimator *e, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_randomiser mechanism = (dusk_randomiser)e->survey.task.mechanism;
    const bool some = collect_given(job, "top"), finds = dusk_randomiser_finds(mechanism);
    DUSK_TRY(collect_check_finds(job, mechanism, err));
    e->texts = is_of_texts(e);
    DUSK_TRY(finds && !job->settings->values ? find_texts(job, e, err)
             : e->survey.task.attributes     ? fill_tables(job, e, err)
                                             : choose_values(job, e, err));
    DUSK_NEW(e->order, e->n);
    DUSK_TRY(adjust(job, e, err));
    for (size_t i = 0; i < e->n; i++)
        if (!e->found || e->found[i]) e->order[e->listed++] = (struct ranked){ e->counts[i], i };
    e->shown = some                                           ? (size_t)job->settings->top
               : e->listed > ALL_MOST && !job->settings->json ? TOP_USUAL
                                                              : e->listed;
    if (e->shown > e->listed) e->shown = e->listed;
    if (some || e->found || e->shown < e->listed) qsort(e->order, e->listed, sizeof *e->order, larger_first);
done:
    return status;
}

/* ---- What is said ---------------------------------------------------------------------------------------------------- */

static void name_value(const estimator *e, size_t i, char *text, size_t size)
{
    if (e->survey.task.attributes)
        collect_tables_name(&e->tables, &e->survey, &e->values, i, text, size);
    else if (i < e->values.count)
        snprintf(text, size, "%s", e->values.name[i]);
    else
        snprintf(text, size, "%zu", i);
}

/* An interval is about the unbiased estimate, whatever was made of it. */
static double middle(const estimator *e, size_t i) { return e->unbiased ? e->unbiased[i] : e->counts[i]; }

static void json_kinds(dusk_json *json, const estimator *e)
{
    dusk_json_number_field(json, "reports", (double)e->kinds[0]);
    dusk_json_key(json, "dropped");
    dusk_json_open(json, '{');
    for (unsigned k = 1; k < DUSK_TAKEN_KINDS; k++)
        dusk_json_number_field(json, dusk_taken_name(k), (double)e->kinds[k]);
    dusk_json_close(json, '}');
}

static dusk_status json_promise(dusk_json *json, const estimator *e, dusk_error *err)
{
    char text[16384];
    dusk_statement promise;
    dusk_status status = DUSK_OK;
    DUSK_TRY(collect_promise(&e->survey, &promise, err));
    DUSK_TRY(dusk_statement_json(&promise, text, sizeof text, err));
    dusk_json_key(json, "promise");
    dusk_json_raw(json, text);
done:
    return status;
}

static void print_counts_json(dusk_json *json, const estimator *e)
{
    const double people = fmax((double)e->kinds[0], 1);
    char name[520];
    dusk_json_key(json, "values");
    dusk_json_open(json, '[');
    for (size_t k = 0; k < e->shown; k++) {
        const size_t i = e->order[k].value;
        name_value(e, i, name, sizeof name);
        dusk_json_open(json, '{');
        dusk_json_string_field(json, "value", name);
        dusk_json_number_field(json, "count", e->counts[i]);
        dusk_json_number_field(json, "share", e->counts[i] / people);
        if (e->unbiased) dusk_json_number_field(json, "unbiased", e->unbiased[i]);
        dusk_json_number_field(json, "deviation", e->deviations[i]);
        dusk_json_number_field(json, "low", middle(e, i) - e->reach * e->deviations[i]);
        dusk_json_number_field(json, "high", middle(e, i) + e->reach * e->deviations[i]);
        dusk_json_close(json, '}');
    }
    dusk_json_close(json, ']');
}

static void print_counts(const estimator *e)
{
    const double people = fmax((double)e->kinds[0], 1);
    char name[520];
    printf("%-24s %12s %10s %12s %12s\n", "value", "count", "share", "low", "high");
    for (size_t k = 0; k < e->shown; k++) {
        const size_t i = e->order[k].value;
        const double c = e->counts[i], m = middle(e, i), d = e->reach * e->deviations[i];
        name_value(e, i, name, sizeof name);
        dusk_print_tame(stdout, name);
        printf("%*s %12.1f %10.5f %12.1f %12.1f\n",
               name[0] ? (int)(strlen(name) < 24 ? 24 - strlen(name) : 0) : 24, "", c, c / people, m - d,
               m + d);
    }
}

static dusk_status plot_bars(const collect_job *job, const estimator *e, const collect_bar *bars, size_t n,
                             dusk_error *err)
{
    char title[120], subtitle[200], epsilon[DUSK_DECIMAL_SIZE];
    dusk_decimal_up(epsilon, e->survey.epsilon, 6);
    snprintf(title, sizeof title, "%s: how many people", e->survey.name);
    snprintf(subtitle, sizeof subtitle, "%llu reports by %s, epsilon %s each; intervals of %g %%",
             (unsigned long long)e->kinds[0], dusk_randomiser_name(e->survey.task.mechanism), epsilon,
             100 * job->settings->confidence);
    return collect_plot(job->settings->plot, title, subtitle, bars, n, err);
}

static dusk_status plot_counts(const collect_job *job, const estimator *e, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    collect_bar *bars = NULL;
    char(*names)[520] = NULL;
    const size_t n = e->shown;
    DUSK_NEW(bars, n);
    DUSK_NEW(names, n);
    for (size_t k = 0; k < n; k++) {
        const size_t i = e->order[k].value;
        const double d = e->reach * e->deviations[i];
        name_value(e, i, names[k], sizeof names[k]);
        bars[k] = (collect_bar){ names[k], middle(e, i) - d, e->counts[i], middle(e, i) + d };
    }
    status = plot_bars(job, e, bars, n, err);
done:
    dusk_deallocate(bars);
    dusk_deallocate(names);
    return status;
}

static dusk_status plot_ranges(const collect_job *job, const estimator *e, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const collect_ranges *r = &e->ranges;
    collect_bar *bars = NULL;
    DUSK_NEW(bars, r->spans.count);
    for (size_t i = 0; i < r->spans.count; i++) {
        const double d = e->reach * r->deviation[i];
        bars[i] = (collect_bar){ r->spans.span[i].name, r->count[i] - d, r->count[i], r->count[i] + d };
    }
    status = plot_bars(job, e, bars, r->spans.count, err);
done:
    dusk_deallocate(bars);
    return status;
}

/* What was made of the unbiased counts. */
static void say_adjusted(const collect_job *job, const estimator *e, dusk_json *json)
{
    static const char *const ways[] = { "norm-sub", "base-pos", "base-cut" };
    static const char *const about[] = { "none is below 0, and all together are the reports",
                                         "what was below 0 is 0",
                                         "what is not found at a rate of 0.05 is 0" };
    const int way = job->settings->consistent;
    if (json->file && way >= 0) dusk_json_string_field(json, "consistent", ways[way]);
    if (!json->file && way >= 0)
        dusk_output_note("consistent", "%s: %s; intervals are those of the unbiased counts", ways[way],
                         about[way]);
    if (!e->found) return;
    if (json->file) {
        dusk_json_key(json, "discoveries");
        dusk_json_open(json, '{');
        dusk_json_number_field(json, "rate", job->settings->discoveries);
        dusk_json_number_field(json, "found", (double)e->listed);
        dusk_json_number_field(json, "of", (double)e->n);
        dusk_json_close(json, '}');
    } else {
        dusk_output_note("discoveries",
                         "%zu of %zu values; on average a part of %g of such lists at most is noise",
                         e->listed, e->n, job->settings->discoveries);
    }
}

#define LIARS 0.01 /* where --liars does not say */

/* How far liars could have moved one estimate. */
static void say_liars(const collect_job *job, const estimator *e, dusk_json *json)
{
    const double liars = collect_given(job, "liars") ? job->settings->liars : LIARS;
    const bool counts =
        dusk_randomiser_question((dusk_randomiser)e->survey.task.mechanism) == DUSK_ASKS_COUNTS;
    double up, down;
    if (e->survey.task.attributes && e->tables.table[0].n != e->survey.task.hashes)
        return; /* sums of cells */
    if (dusk_survey_push(&e->survey, liars, 1, &up, &down, NULL) != DUSK_OK) return;
    if (json->file) {
        dusk_json_key(json, "push");
        dusk_json_open(json, '{');
        dusk_json_number_field(json, "liars", liars);
        dusk_json_number_field(json, "up", up);
        dusk_json_number_field(json, "down", down);
        dusk_json_close(json, '}');
    } else {
        dusk_output_note("liars", "%g %% of them can move %s by up to +%.3g or -%.3g", 100 * liars,
                         counts ? "one share" : "the mean", up, down);
    }
}

/* Who asks for ranges is not given all values as well, unless they say how many. */
static bool shows_values(const collect_job *job)
{
    return !collect_asks_ranges(job) || collect_given(job, "top");
}

/* Everything that is not an estimate, on standard error. */
static dusk_status say_rest(const collect_job *job, const estimator *e, dusk_error *err)
{
    char text[16384];
    dusk_statement promise;
    dusk_status status = DUSK_OK;
    uint64_t dropped = 0;
    for (unsigned k = 1; k < DUSK_TAKEN_KINDS; k++) dropped += e->kinds[k];
    dusk_output_note("reports", "%llu, and %llu were dropped", (unsigned long long)e->kinds[0],
                     (unsigned long long)dropped);
    for (unsigned k = 1; k < DUSK_TAKEN_KINDS; k++)
        if (e->kinds[k])
            dusk_output_note("dropped", "%llu %s: %s", (unsigned long long)e->kinds[k], dusk_taken_name(k),
                             dusk_taken_about(k));
    if (dusk_randomiser_finds((dusk_randomiser)e->survey.task.mechanism) && !job->settings->values)
        dusk_output_note("found", "%zu texts that nobody listed; those that few people have are not found",
                         e->n);
    say_adjusted(job, e, &(dusk_json){ .file = NULL });
    if (e->shown < e->listed && shows_values(job))
        dusk_output_note("shown", "%zu of %zu values; --top K for more", e->shown, e->listed);
    say_liars(job, e, &(dusk_json){ .file = NULL });
    DUSK_TRY(collect_promise(&e->survey, &promise, err));
    DUSK_TRY(dusk_statement_format(&promise, text, sizeof text, err));
    dusk_output_note("promise", "%s", text);
done:
    return status;
}

static dusk_status estimate(const collect_job *job, estimator *e, bool counts, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool ranges = collect_asks_ranges(job);
    if (!e->survey.task.attributes && (job->settings->attribute || job->settings->marginal))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                         "this survey has one attribute: no --attribute or --marginal");
    if (e->survey.task.attributes && ranges)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "plan the survey with --domain and --mechanism tree",
                         "surveys of several attributes have no ranges and quantiles");
    if (!counts) return collect_numbers_estimate(&e->numbers, job, e->tally, err);
    if (collect_given(job, "bins"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away", "--bins is for surveys of numbers");
    if (ranges && (collect_given(job, "consistent") || collect_given(job, "discoveries")))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for them by themselves",
                         "--consistent and --discoveries are for values, and not for ranges");
    if (!ranges || !is_of_texts(e)) DUSK_TRY(estimate_counts(job, e, err));
    if (ranges) status = collect_ranges_estimate(&e->ranges, job, e->tally, &e->values, err);
done:
    return status;
}

static dusk_status draw(const collect_job *job, const estimator *e, bool counts, dusk_error *err)
{
    if (!job->settings->plot) return DUSK_OK;
    if (!counts) return collect_numbers_draw(&e->numbers, job->settings->plot, err);
    return e->ranges.spans.count > 0 ? plot_ranges(job, e, err) : plot_counts(job, e, err);
}

static dusk_status say(const collect_job *job, estimator *e, dusk_error *err)
{
    const bool counts =
        dusk_randomiser_question((dusk_randomiser)e->survey.task.mechanism) == DUSK_ASKS_COUNTS;
    dusk_json json = { .file = job->settings->json ? stdout : NULL };
    dusk_status status = DUSK_OK;
    const bool places = collect_is_places(&e->survey); /* which see to all of it themselves */
    DUSK_TRY(places ? collect_check_places(job, err) : estimate(job, e, counts, err));
    if (!places) DUSK_TRY(draw(job, e, counts, err));
    if (json.file) {
        dusk_json_open(&json, '{');
        dusk_json_string_field(&json, "survey", e->survey.name);
        dusk_json_string_field(&json, "mechanism", dusk_randomiser_name(e->survey.task.mechanism));
        json_kinds(&json, e);
        if (!places) dusk_json_number_field(&json, "confidence", job->settings->confidence);
        say_adjusted(job, e, &json);
    }
    if (places)
        DUSK_TRY(collect_say_places(job, e->tally, &json, err));
    else if (!counts)
        collect_numbers_say(&e->numbers, &json);
    if (counts && shows_values(job) && json.file) print_counts_json(&json, e);
    if (counts && shows_values(job) && !json.file) print_counts(e);
    if (counts && collect_asks_ranges(job)) collect_ranges_say(&e->ranges, &json);
    if (json.file) {
        say_liars(job, e, &json);
        DUSK_TRY(json_promise(&json, e, err));
        dusk_json_close(&json, '}');
        putchar('\n');
    } else {
        DUSK_TRY(say_rest(job, e, err));
    }
done:
    return status;
}

dusk_status collect_estimate(const collect_job *job, dusk_error *err)
{
    estimator e = { .reach = collect_reach(job->settings->confidence) };
    dusk_status status = DUSK_OK;
    if (job->input_count > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->word->example,
                         "estimate reads --state, and no other file");
    DUSK_TRY(collect_states_read(job, &e.tally, e.kinds, err));
    e.survey = *dusk_tally_survey(e.tally);
    status = say(job, &e, err);
done:
    dusk_tally_free(e.tally);
    collect_ranges_free(&e.ranges);
    collect_numbers_free(&e.numbers);
    collect_values_free(&e.values);
    dusk_deallocate(e.counts);
    dusk_deallocate(e.deviations);
    dusk_deallocate(e.unbiased);
    dusk_deallocate(e.found);
    dusk_deallocate(e.order);
    return status;
}
