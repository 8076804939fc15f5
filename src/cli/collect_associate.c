/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect associate: two surveys of the same people, whose i-th records belong together: the share of people with each pair of values, with intervals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/collect.h"

struct ranked {
    double share;
    size_t pair;
};

typedef struct variable {
    dusk_survey survey;
    collect_values values;
    uint64_t *candidates; /* hashes of texts; NULL: there are categories */
    uint8_t *reports;
    bool *fine;
    size_t records, categories;
} variable;

typedef struct association {
    variable a, b;
    double *joint, *deviation, reach;
    struct ranked *order;
    size_t pairs, shown;
    uint64_t dropped;
} association;

static void variable_free(variable *v)
{
    collect_values_free(&v->values);
    dusk_deallocate(v->candidates);
    dusk_deallocate(v->reports);
    dusk_deallocate(v->fine);
}

static dusk_status read_variable(variable *v, const collect_job *job, const char *values, const char *path,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint8_t *bytes = NULL;
    size_t n = 0;
    const uint64_t epoch = (uint64_t)job->settings->epoch;
    if (values) DUSK_TRY(collect_values_read(&v->values, values, false, err));
    if (v->survey.task.domain == 0 && !values)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give candidates with --values and --with-values",
                         "values of \"%s\" are texts: say which ones to ask about", v->survey.name);
    if (v->survey.task.domain > 0 && v->values.count > v->survey.task.domain)
        return dusk_fail(err, DUSK_ERR_PARSE, "give the list that records were encoded with",
                         "%.100s has %zu values, and the survey %u", values, v->values.count,
                         v->survey.task.domain);
    if (v->survey.task.domain == 0) {
        DUSK_NEW(v->candidates, v->values.count);
        for (size_t i = 0; i < v->values.count; i++) v->candidates[i] = collect_hash(v->values.name[i]);
    }
    DUSK_TRY(collect_read_all(path, &bytes, &n, err));
    DUSK_TRY(dusk_records_list(&v->survey, epoch, bytes, n, NULL, NULL, &v->records, err));
    DUSK_NEW(v->reports, v->records * dusk_report_size(&v->survey.task));
    DUSK_NEW(v->fine, v->records);
    DUSK_TRY(dusk_records_list(&v->survey, epoch, bytes, n, v->reports, v->fine, &v->records, err));
done:
    dusk_deallocate(bytes);
    return status;
}

static int larger_first(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    if (a->share != b->share) return a->share > b->share ? -1 : 1;
    return a->pair < b->pair ? -1 : 1;
}

static dusk_status estimate(association *t, const collect_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_association_side a = { &t->a.survey, t->a.reports, t->a.candidates, t->a.values.count };
    const dusk_association_side b = { &t->b.survey, t->b.reports, t->b.candidates, t->b.values.count };
    if (t->a.records != t->b.records)
        return dusk_fail(err, DUSK_ERR_PARSE, "give the records of the same people, in the same order",
                         "there are %zu records of one survey and %zu of the other", t->a.records,
                         t->b.records);
    for (size_t i = 0; i < t->a.records; i++) t->a.fine[i] &= t->b.fine[i];
    t->a.categories = dusk_association_categories(&a);
    t->b.categories = dusk_association_categories(&b);
    t->pairs =
        t->a.categories * t->b.categories; /* both below 2^32; too many are refused before they are touched */
    if (t->pairs > 65536) t->pairs = 65536;
    DUSK_NEW(t->joint, t->pairs);
    DUSK_NEW(t->deviation, t->pairs);
    DUSK_NEW(t->order, t->pairs);
    DUSK_TRY(
        dusk_reports_association(&a, &b, t->a.records, t->a.fine, t->joint, t->deviation, &t->dropped, err));
    for (size_t k = 0; k < t->pairs; k++) t->order[k] = (struct ranked){ t->joint[k], k };
    qsort(t->order, t->pairs, sizeof *t->order, larger_first);
    t->shown = collect_given(job, "top") && (size_t)job->settings->top < t->pairs ? (size_t)job->settings->top
                                                                                  : t->pairs;
done:
    return status;
}

static void name_of(const variable *v, size_t i, char *to, size_t size)
{
    if (i < v->values.count)
        snprintf(to, size, "%s", v->values.name[i]);
    else if (v->candidates)
        snprintf(to, size, "(other)");
    else
        snprintf(to, size, "%zu", i);
}

static void pad(const char *name)
{
    dusk_print_tame(stdout, name);
    printf("%*s ", name[0] ? (int)(strlen(name) < 20 ? 20 - strlen(name) : 0) : 20, "");
}

static void print_pairs(const association *t, dusk_json *json)
{
    char a[520], b[520];
    if (!json)
        printf("%-20s %-20s %10s %10s %10s\n", t->a.survey.name, t->b.survey.name, "share", "low", "high");
    for (size_t k = 0; k < t->shown; k++) {
        const size_t pair = t->order[k].pair;
        const double share = t->joint[pair], far = t->reach * t->deviation[pair];
        const double low = fmax(share - far, 0), high = fmin(share + far, 1);
        name_of(&t->a, pair / t->b.categories, a, sizeof a);
        name_of(&t->b, pair % t->b.categories, b, sizeof b);
        if (!json) {
            pad(a);
            pad(b);
            printf("%10.5f %10.5f %10.5f\n", share, low, high);
            continue;
        }
        dusk_json_open(json, '{');
        dusk_json_string_field(json, "first", a);
        dusk_json_string_field(json, "second", b);
        dusk_json_number_field(json, "share", share);
        dusk_json_number_field(json, "deviation", t->deviation[pair]);
        dusk_json_number_field(json, "low", low);
        dusk_json_number_field(json, "high", high);
        dusk_json_close(json, '}');
    }
}

/* Two reports of a person: both epsilons. */
static dusk_status promise_of(const association *t, dusk_statement *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    const double both = nextafter(t->a.survey.epsilon + t->b.survey.epsilon, INFINITY);
    DUSK_TRY(dusk_event_pure(&event, both, err));
    DUSK_TRY(dusk_statement_init(out, &event, 0, DUSK_REPLACE_ONE, "person", err));
    DUSK_TRY(dusk_statement_assume(out, "a person reports once in each of the two surveys", err));
done:
    return status;
}

static dusk_status say(const association *t, const collect_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_statement promise;
    dusk_json json = { .file = stdout };
    char text[16384];
    const unsigned long long people = t->a.records - t->dropped, dropped = t->dropped;
    DUSK_TRY(promise_of(t, &promise, err));
    if (job->settings->json) {
        DUSK_TRY(dusk_statement_json(&promise, text, sizeof text, err));
        dusk_json_open(&json, '{');
        dusk_json_string_field(&json, "first", t->a.survey.name);
        dusk_json_string_field(&json, "second", t->b.survey.name);
        dusk_json_number_field(&json, "people", (double)people);
        dusk_json_number_field(&json, "dropped", (double)dropped);
        dusk_json_number_field(&json, "confidence", job->settings->confidence);
        dusk_json_key(&json, "pairs");
        dusk_json_open(&json, '[');
        print_pairs(t, &json);
        dusk_json_close(&json, ']');
        dusk_json_key(&json, "promise");
        dusk_json_raw(&json, text);
        dusk_json_close(&json, '}');
        putchar('\n');
        goto done;
    }
    DUSK_TRY(dusk_statement_format(&promise, text, sizeof text, err));
    print_pairs(t, NULL);
    dusk_output_note("people", "%llu with a report in both surveys, and %llu pairs were dropped", people,
                     dropped);
    dusk_output_note("both", "two reports of a person cost epsilon %s and %s, together their sum",
                     dusk_shown_up(t->a.survey.epsilon, 6).text, dusk_shown_up(t->b.survey.epsilon, 6).text);
    dusk_output_note("promise", "%s", text);
done:
    return status;
}

dusk_status collect_associate(const collect_job *job, dusk_error *err)
{
    const collect_settings *s = job->settings;
    association t = { .reach = collect_reach(s->confidence) };
    dusk_status status = DUSK_OK;
    if (job->input_count != 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->word->example,
                         "associate reads two files, the records of each survey");
    DUSK_TRY(collect_read_survey(s->task, &t.a.survey, err));
    DUSK_TRY(collect_read_survey(s->with, &t.b.survey, err));
    DUSK_TRY(read_variable(&t.a, job, s->values, job->inputs[0], err));
    DUSK_TRY(read_variable(&t.b, job, s->with_values, job->inputs[1], err));
    DUSK_TRY(estimate(&t, job, err));
    status = say(&t, job, err);
done:
    variable_free(&t.a);
    variable_free(&t.b);
    dusk_deallocate(t.joint);
    dusk_deallocate(t.deviation);
    dusk_deallocate(t.order);
    return status;
}
