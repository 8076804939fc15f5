/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect estimate --range, --ranges and --quantiles: how many people are from here to there, and below which value a part of them is. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/collect_estimate.h"
#include "cli/input.h"

bool collect_asks_ranges(const collect_job *job)
{
    return job->settings->range.count > 0 || job->settings->ranges || job->settings->quantiles;
}

/* ---- What is asked ------------------------------------------------------------------------------------------------ */

static dusk_status add_span(collect_spans *spans, const char *text, collect_end *end, const void *context,
                            const char *what, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    collect_span s = { .from = 0 };
    snprintf(s.name, sizeof s.name, "%s", text);
    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        char from[sizeof s.name];
        snprintf(from, sizeof from, "%.*s", (int)(colon - text), text);
        if (strlen(text) >= sizeof s.name || !end(context, from, &s.from) || !end(context, colon + 1, &s.to))
            continue; /* names may have colons of their own */
        if (s.from > s.to)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "the lower end comes first",
                             "the range %.60s ends before it begins", text);
        DUSK_GROW(spans->span, spans->room, spans->count);
        spans->span[spans->count++] = s;
        return DUSK_OK;
    }
    status = dusk_fail(err, DUSK_ERR_ARGUMENT, what, "%.60s is no range of this survey", text);
done:
    return status;
}

dusk_status collect_spans_read(collect_spans *out, const collect_job *job, collect_end *end,
                               const void *context, const char *what, dusk_error *err)
{
    const dusk_option_list *list = &job->settings->range;
    dusk_status status = DUSK_OK, closed;
    collect_spans spans = { .count = 0 };
    char line[1024];
    dusk_input input;
    for (size_t i = 0; i < list->count; i++)
        DUSK_TRY(add_span(&spans, list->word[i], end, context, what, err));
    if (job->settings->ranges) {
        DUSK_TRY(dusk_input_open(&input, job->settings->ranges, NULL, DUSK_INPUT_NAMED, err));
        while (status == DUSK_OK && dusk_input_value(&input, line, sizeof line))
            status = add_span(&spans, line, end, context, what, err);
        closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
        if (status == DUSK_OK) status = closed;
    }
done:
    if (status == DUSK_OK)
        *out = spans;
    else
        collect_spans_free(&spans);
    return status;
}

void collect_spans_free(collect_spans *spans)
{
    dusk_deallocate(spans->span);
    *spans = (collect_spans){ .count = 0 };
}

dusk_status collect_parts_read(double part[COLLECT_PARTS_MOST], size_t *n, const char *text, dusk_error *err)
{
    size_t count = 0;
    bool fine = *text != '\0';
    while (fine && *text) {
        char word[40];
        const size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : 0), text);
        fine = count < COLLECT_PARTS_MOST && dusk_parse_number(word, &part[count]) && part[count] >= 0 &&
               part[count] <= 1;
        count += fine;
        text += length;
        if (*text == ',') fine = fine && *++text != '\0';
    }
    if (!fine)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --quantiles 0.25,0.5,0.75",
                         "--quantiles are parts from 0 to 1, at most %d, with commas between them",
                         COLLECT_PARTS_MOST);
    *n = count;
    return DUSK_OK;
}

/* ---- Categories --------------------------------------------------------------------------------------------------------- */

typedef struct categories {
    const collect_values *values;
    uint32_t domain;
} categories;

/* A name, or the number of a category. */
static bool category_of(const void *context, const char *text, double *out)
{
    const categories *c = context;
    int64_t number;
    const size_t place = collect_values_find(c->values, text);
    if (place != SIZE_MAX) {
        *out = (double)place;
        return true;
    }
    if (!dusk_parse_whole(text, 0, (int64_t)c->domain - 1, &number)) return false;
    *out = (double)number;
    return true;
}

dusk_status collect_ranges_estimate(collect_ranges *out, const collect_job *job, const dusk_tally *tally,
                                    const collect_values *values, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const categories c = { values, dusk_tally_survey(tally)->task.domain };
    dusk_range *range = NULL;
    char what[120];
    collect_ranges r = { .people = fmax((double)dusk_tally_reports(tally), 1),
                         .reach = collect_reach(job->settings->confidence),
                         .values = values };
    if (c.domain == 0 || dusk_randomiser_finds((dusk_randomiser)dusk_tally_survey(tally)->task.mechanism))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "plan the survey with --domain and --mechanism tree",
                           "texts have no order: this survey has no ranges and quantiles"));
    snprintf(what, sizeof what, "A:B, both from 0 to %lu or names of --values, and both in the range",
             (unsigned long)(c.domain - 1));
    DUSK_TRY(collect_spans_read(&r.spans, job, category_of, &c, what, err));
    if (job->settings->quantiles)
        DUSK_TRY(collect_parts_read(r.part, &r.parts, job->settings->quantiles, err));
    DUSK_NEW(range, r.spans.count);
    DUSK_NEW(r.count, r.spans.count);
    DUSK_NEW(r.deviation, r.spans.count);
    for (size_t i = 0; i < r.spans.count; i++)
        range[i] = (dusk_range){ (uint64_t)r.spans.span[i].from, (uint64_t)r.spans.span[i].to };
    DUSK_TRY(dusk_tally_ranges(tally, r.count, r.deviation, range, r.spans.count, err));
    r.bounds = !dusk_survey_ranges_known(dusk_tally_survey(tally));
    DUSK_TRY(dusk_tally_quantiles(tally, r.quantile, r.part, r.parts, job->settings->confidence, err));
    *out = r;
    r = (collect_ranges){ .count = NULL };
done:
    collect_ranges_free(&r);
    dusk_deallocate(range);
    return status;
}

void collect_ranges_free(collect_ranges *ranges)
{
    collect_spans_free(&ranges->spans);
    dusk_deallocate(ranges->count);
    dusk_deallocate(ranges->deviation);
    ranges->count = ranges->deviation = NULL;
}

/* ---- What is said ------------------------------------------------------------------------------------------------------- */

static void name_of(const collect_ranges *r, uint64_t v, char *text, size_t size)
{
    if (v < r->values->count)
        snprintf(text, size, "%s", r->values->name[v]);
    else
        snprintf(text, size, "%llu", (unsigned long long)v);
}

static void print_name(const char *name, size_t width)
{
    dusk_print_tame(stdout, name);
    printf("%*s", strlen(name) < width ? (int)(width - strlen(name)) : 0, "");
}

static void print_text(const collect_ranges *r)
{
    char name[520];
    if (r->spans.count) printf("%-24s %12s %10s %12s %12s\n", "range", "count", "share", "low", "high");
    for (size_t i = 0; i < r->spans.count; i++) {
        const double d = r->reach * r->deviation[i];
        print_name(r->spans.span[i].name, 24);
        printf(" %12.1f %10.5f %12.1f %12.1f\n", r->count[i], r->count[i] / r->people, r->count[i] - d,
               r->count[i] + d);
    }
    if (r->parts) printf("%-10s %-20s %-20s %s\n", "quantile", "value", "low", "high");
    for (size_t i = 0; i < r->parts; i++) {
        printf("%-10g ", r->part[i]);
        name_of(r, r->quantile[i].value, name, sizeof name);
        print_name(name, 20);
        putchar(' ');
        name_of(r, r->quantile[i].low, name, sizeof name);
        print_name(name, 20);
        putchar(' ');
        name_of(r, r->quantile[i].high, name, sizeof name);
        print_name(name, 0);
        putchar('\n');
    }
    if (r->bounds)
        dusk_output_note("ranges",
                         "deviations are bounds, and may be too large; a survey by tree has exact ones");
}

static void say_value(dusk_json *json, const char *key, const collect_ranges *r, uint64_t v)
{
    char name[520];
    name_of(r, v, name, sizeof name);
    dusk_json_string_field(json, key, name);
}

static void print_json(const collect_ranges *r, dusk_json *json)
{
    dusk_json_bool_field(json, "deviations_are_bounds", r->bounds);
    dusk_json_key(json, "ranges");
    dusk_json_open(json, '[');
    for (size_t i = 0; i < r->spans.count; i++) {
        dusk_json_open(json, '{');
        dusk_json_string_field(json, "range", r->spans.span[i].name);
        dusk_json_number_field(json, "from", r->spans.span[i].from);
        dusk_json_number_field(json, "to", r->spans.span[i].to);
        dusk_json_number_field(json, "count", r->count[i]);
        dusk_json_number_field(json, "share", r->count[i] / r->people);
        dusk_json_number_field(json, "deviation", r->deviation[i]);
        dusk_json_number_field(json, "low", r->count[i] - r->reach * r->deviation[i]);
        dusk_json_number_field(json, "high", r->count[i] + r->reach * r->deviation[i]);
        dusk_json_close(json, '}');
    }
    dusk_json_close(json, ']');
    dusk_json_key(json, "quantiles");
    dusk_json_open(json, '[');
    for (size_t i = 0; i < r->parts; i++) {
        dusk_json_open(json, '{');
        dusk_json_number_field(json, "q", r->part[i]);
        say_value(json, "value", r, r->quantile[i].value);
        say_value(json, "low", r, r->quantile[i].low);
        say_value(json, "high", r, r->quantile[i].high);
        dusk_json_close(json, '}');
    }
    dusk_json_close(json, ']');
}

void collect_ranges_say(const collect_ranges *ranges, dusk_json *json)
{
    if (json->file)
        print_json(ranges, json);
    else
        print_text(ranges);
}
