/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect plan: which randomiser for so many people, and what error is to be expected. */
#include <inttypes.h>
#include <math.h>

#include "base/decimal.h"
#include "base/error.h"
#include "cli/collect_places.h"
#include "cli/collect_range_errors.h"
#include "cli/file.h"

#define NEARLY 1.05 /* an error that much larger is as good where reports are shorter */

typedef struct candidate {
    bool fits;
    dusk_survey survey;
    double deviation; /* of a share, or of that of a range, or of the mean in the range's units */
    uint32_t bytes, record;
    uint64_t counters;
    dusk_error why; /* it does not fit */
} candidate;

static bool asks_numbers(const collect_job *job) { return collect_given(job, "low"); }

static bool asks_ranges(const collect_job *job) { return job->settings->purpose == COLLECT_FOR_RANGES; }

/* The largest over the range, for means; of a rare value, for counts. */
static double variance_of(const dusk_survey *survey, bool counts)
{
    double most = dusk_survey_variance(survey, 0);
    for (int i = 1; !counts && i <= 8; i++) most = fmax(most, dusk_survey_variance(survey, i / 8.0));
    return most;
}

/* The frame, the array, the version, task, epoch 0, nonce, and the head of the report: docs/collect/wire.md. */
uint32_t collect_record_bytes(uint32_t report)
{
    const uint32_t head = report < 24 ? 1 : report < 256 ? 2 : report < 65536 ? 3 : 5;
    const uint32_t inside = 21 + head + report;
    return inside + (inside < 24 ? 1 : inside < 256 ? 2 : inside < 65536 ? 3 : 5);
}

static void consider(const collect_job *job, dusk_randomiser mechanism, candidate *out)
{
    dusk_survey_options options;
    const bool counts = dusk_randomiser_question(mechanism) == DUSK_ASKS_COUNTS;
    out->fits = false;
    collect_survey_options(job, mechanism, &options);
    if (dusk_survey_init(&out->survey, &options, &out->why) != DUSK_OK) return;
    const double half = counts ? 1 : out->survey.high / 2 - out->survey.low / 2;
    const double variance =
        asks_ranges(job) ? collect_range_variance(&out->survey) : variance_of(&out->survey, counts);
    out->fits = !isnan(variance);
    if (!out->fits)
        dusk_fail(&out->why, DUSK_ERR_ARGUMENT, "for example --mechanism tree",
                  "it is not known how far off ranges of %s are", dusk_randomiser_name((uint32_t)mechanism));
    out->deviation = half * sqrt(variance / (double)job->settings->users);
    out->bytes = dusk_report_size(&out->survey.task);
    out->record = collect_record_bytes(out->bytes);
    out->counters = dusk_survey_counters(&out->survey);
}

/* A shorter report where the error is nearly the least; distributions are for who asks for them. */
static dusk_randomiser choose(const candidate *all, const char **why)
{
    double least = INFINITY;
    int best = 0;
    for (int m = 1; m < COLLECT_RANDOMISERS; m++)
        if (all[m].fits && dusk_randomiser_question((dusk_randomiser)m) != DUSK_ASKS_DISTRIBUTION)
            least = fmin(least, all[m].deviation);
    for (int m = 1; m < COLLECT_RANDOMISERS; m++) {
        if (!all[m].fits || !(all[m].deviation <= NEARLY * least) ||
            dusk_randomiser_question((dusk_randomiser)m) == DUSK_ASKS_DISTRIBUTION)
            continue;
        if (!best || all[m].bytes < all[best].bytes ||
            (all[m].bytes == all[best].bytes && all[m].deviation < all[best].deviation))
            best = m;
    }
    *why = best && all[best].deviation > least
               ? "its error is within 5 % of the least, and no report with such an error is shorter"
               : "no error is smaller, and no report with nearly such an error is shorter";
    return (dusk_randomiser)best;
}

/* ---- What is said ------------------------------------------------------------------------------------- */

static void print_table(const collect_job *job, const candidate *all, const candidate *chosen)
{
    const bool numbers = asks_numbers(job), several = job->attributes.count > 0;
    char epsilon[DUSK_DECIMAL_SIZE], one[DUSK_DECIMAL_SIZE] = "";
    printf("%-11s %-10s %s%-12s %-12s %8s %8s %10s\n", "randomiser", "epsilon", several ? "of one     " : "",
           numbers            ? "+- of mean"
           : asks_ranges(job) ? "+- of range"
                              : "+- of share",
           numbers ? "" : "+- of count", "bytes", "sent", "counters");
    for (int m = 1; m < COLLECT_RANDOMISERS; m++) {
        const candidate *c = &all[m];
        char count[32] = "";
        if (!c->fits) continue;
        dusk_decimal_up(epsilon, c->survey.epsilon, 6);
        if (several) dusk_decimal_up(one, dusk_survey_attribute_epsilon(&c->survey), 6);
        if (!numbers) snprintf(count, sizeof count, "%.4g", c->deviation * (double)job->settings->users);
        printf("%-11s %-10s %-*s%-12.4g %-12s %8" PRIu32 " %8" PRIu32 " %10" PRIu64 "%s\n",
               dusk_randomiser_name((uint32_t)m), epsilon, several ? 11 : 0, one, c->deviation, count,
               c->bytes, c->record, c->counters, c == chosen ? "  <-" : "");
    }
}

/* What is to be expected of each table of the survey: those of one attribute, and with order 2 of two. */
typedef void each_table(const collect_job *job, const dusk_survey *survey, const uint32_t *attributes,
                        uint32_t n, double deviation, void *context);

static void visit_tables(const collect_job *job, const dusk_survey *survey, each_table *visit, void *context)
{
    const uint32_t m = job->attributes.count, order = survey->task.hashes;
    for (uint32_t n = 1; n <= order && m > 0; n++)
        for (uint32_t a = 0; a < m; a++)
            for (uint32_t b = n == 2 ? a + 1 : a; b < (n == 2 ? m : a + 1); b++) {
                const uint32_t attributes[2] = { a, b };
                const double variance = dusk_survey_marginal_variance(survey, attributes, n, 0);
                visit(job, survey, attributes, n, sqrt(variance / (double)job->settings->users), context);
            }
}

static void name_table(const dusk_survey *survey, const uint32_t *attributes, uint32_t n, char *text,
                       size_t size)
{
    snprintf(text, size, "%s%s%s", survey->attribute[attributes[0]], n == 2 ? "," : "",
             n == 2 ? survey->attribute[attributes[1]] : "");
}

static void print_one(const collect_job *job, const dusk_survey *survey, const uint32_t *attributes,
                      uint32_t n, double deviation, void *context)
{
    char name[2 * DUSK_ATTRIBUTE_NAME];
    (void)context;
    name_table(survey, attributes, n, name, sizeof name);
    printf("%-26s %12" PRIu64 " %-12.4g %.4g\n", name,
           (uint64_t)survey->task.sizes[attributes[0]] * (n == 2 ? survey->task.sizes[attributes[1]] : 1),
           deviation, deviation * (double)job->settings->users);
}

static void print_tables(const collect_job *job, const candidate *chosen)
{
    printf("\n%-26s %12s %-12s %s\n", "table", "cells", "+- of share", "+- of count");
    visit_tables(job, &chosen->survey, print_one, NULL);
}

static void json_one(const collect_job *job, const dusk_survey *survey, const uint32_t *attributes,
                     uint32_t n, double deviation, void *context)
{
    dusk_json *json = context;
    char name[2 * DUSK_ATTRIBUTE_NAME];
    (void)job;
    name_table(survey, attributes, n, name, sizeof name);
    dusk_json_open(json, '{');
    dusk_json_string_field(json, "table", name);
    dusk_json_number_field(json, "deviation", deviation);
    dusk_json_close(json, '}');
}

static void print_json(const collect_job *job, const candidate *all, const candidate *chosen, const char *why)
{
    dusk_json json = { .file = stdout };
    dusk_json_open(&json, '{');
    dusk_json_number_field(&json, "users", (double)job->settings->users);
    dusk_json_string_field(&json, "mechanism", dusk_randomiser_name(chosen->survey.task.mechanism));
    dusk_json_string_field(&json, "why", why);
    if (job->settings->purpose >= 0)
        dusk_json_string_field(&json, "for", asks_ranges(job) ? "ranges" : "values");
    dusk_json_key(&json, "randomisers");
    dusk_json_open(&json, '[');
    for (int m = 1; m < COLLECT_RANDOMISERS; m++) {
        const candidate *c = &all[m];
        if (!c->fits) continue;
        dusk_json_open(&json, '{');
        dusk_json_string_field(&json, "mechanism", dusk_randomiser_name((uint32_t)m));
        dusk_json_number_field(&json, "epsilon_exact", c->survey.epsilon);
        if (job->attributes.count)
            dusk_json_number_field(&json, "epsilon_of_one_attribute",
                                   dusk_survey_attribute_epsilon(&c->survey));
        dusk_json_number_field(&json, "deviation", c->deviation);
        dusk_json_number_field(&json, "bytes_per_report", c->bytes);
        dusk_json_number_field(&json, "bytes_per_record", c->record);
        dusk_json_number_field(&json, "counters", (double)c->counters);
        dusk_json_close(&json, '}');
    }
    dusk_json_close(&json, ']');
    if (job->attributes.count) {
        dusk_json_key(&json, "tables");
        dusk_json_open(&json, '[');
        visit_tables(job, &chosen->survey, json_one, &json);
        dusk_json_close(&json, ']');
    }
    dusk_json_close(&json, '}');
    putchar('\n');
}

/* The task of devices, in C99. */
void collect_print_c(const dusk_survey *survey)
{
    const dusk_client_task *t = &survey->task;
    char epsilon[DUSK_DECIMAL_SIZE];
    dusk_decimal_up(epsilon, survey->epsilon, 6);
    printf("/* %s: epsilon %s a %s of %" PRIu32 " bytes */\n", survey->name, epsilon,
           collect_is_places(survey) ? "step from cell to cell, a report" : "report", dusk_report_size(t));
    printf("static const dusk_client_task task = {\n");
    printf("    .id = 0x%016" PRIx64 ", .seed = %" PRIu64 "u,\n", t->id, t->seed);
    printf("    .p = 0x%016" PRIx64 ", .q = 0x%016" PRIx64 ", .f = 0x%016" PRIx64 ",\n", t->p, t->q, t->f);
    printf("    .mechanism = %" PRIu32 ", /* %s */\n", t->mechanism, dusk_randomiser_name(t->mechanism));
    printf("    .domain = %" PRIu32 "u, .width = %" PRIu32 "u, .rows = %" PRIu32 "u, .hashes = %" PRIu32
           "u,\n",
           t->domain, t->width, t->rows, t->hashes);
    for (uint32_t i = 0; i < t->attributes; i++) {
        if (i == 0) printf("    .attributes = %" PRIu32 "u, .sizes = {", t->attributes);
        printf(" %" PRIu32 "u%s", t->sizes[i], i + 1 < t->attributes ? "," : " },\n");
    }
    printf("};\n");
}

static void put_text(FILE *file, const void *what) { fprintf(file, "%s\n", (const char *)what); }

dusk_status collect_write_task(const collect_job *job, const dusk_survey *survey, dusk_error *err)
{
    char text[2048];
    dusk_status status = DUSK_OK;
    if (!job->settings->out) return DUSK_OK;
    DUSK_TRY(dusk_survey_format(survey, text, sizeof text, err));
    DUSK_TRY(dusk_file_replace(job->settings->out, put_text, text, err));
    dusk_output_note("wrote", "%s", job->settings->out);
done:
    return status;
}

/* ---- The step ------------------------------------------------------------------------------------------ */

static dusk_status check(const collect_job *job, dusk_randomiser mechanism, dusk_error *err)
{
    const bool texts = job->settings->texts || (mechanism && dusk_randomiser_finds(mechanism));
    const int kinds = collect_given(job, "domain") + texts + asks_numbers(job) +
                      collect_given(job, "attributes") + collect_given(job, "grid");
    static const char *const sizes[] = { "width", "rows", "hashes", "permanent", "length", "step" };
    if (job->input_count > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->word->example, "plan reads no file");
    if (kinds != 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->word->example,
                         "say what values are: --domain, --attributes, --texts, --grid, or --low and --high");
    if (asks_ranges(job) && !collect_given(job, "domain"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --domain 100 --for ranges",
                         "ranges are of numbered categories; of numbers squarewave has the distribution");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (collect_given(job, sizes[i]) && !job->settings->mechanism)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --mechanism cms", "--%s needs --mechanism",
                             sizes[i]);
    return mechanism ? collect_check_finds(job, mechanism, err) : DUSK_OK;
}

/* Nothing fits: why the first of them does not. */
static dusk_status refuse(const candidate *all, dusk_error *err)
{
    for (int m = 1; m < COLLECT_RANDOMISERS; m++) {
        if (all[m].why.status == DUSK_OK) continue;
        *err = all[m].why;
        return err->status;
    }
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk collect -h", "no randomiser fits");
}

dusk_status collect_plan(const collect_job *job, dusk_error *err)
{
    static candidate all[COLLECT_RANDOMISERS]; /* some KB; the program plans once */
    dusk_status status = DUSK_OK;
    dusk_randomiser mechanism = (dusk_randomiser)0;
    const char *why = "it was asked for";
    if (job->settings->mechanism) DUSK_TRY(dusk_randomiser_find(&mechanism, job->settings->mechanism, err));
    DUSK_TRY(check(job, mechanism, err));
    if (collect_given(job, "grid")) return collect_plan_places(job, err);
    if (mechanism == DUSK_PLANAR)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --grid 50x40 --within 5",
                         "planar is for places");
    for (uint32_t m = 1; m < COLLECT_RANDOMISERS; m++) {
        if (!dusk_randomiser_name(m) || m == DUSK_PLANAR || (mechanism && m != (uint32_t)mechanism)) continue;
        if (collect_given(job, "domain") && dusk_randomiser_finds((dusk_randomiser)m)) continue;
        if (!mechanism && dusk_randomiser_several((dusk_randomiser)m) != (job->attributes.count > 0))
            continue;
        if ((dusk_randomiser_question((dusk_randomiser)m) != DUSK_ASKS_COUNTS) == asks_numbers(job))
            consider(job, (dusk_randomiser)m, &all[m]);
        else if (mechanism)
            dusk_fail(&all[m].why, DUSK_ERR_ARGUMENT, "dusk collect plan lists those that fit",
                      "%s is for %s", dusk_randomiser_name(m), asks_numbers(job) ? "categories" : "numbers");
    }
    if (mechanism && !all[mechanism].fits) return refuse(&all[mechanism - 1], err);
    if (!mechanism) mechanism = choose(all, &why);
    if (!mechanism) return refuse(all, err);
    const candidate *chosen = &all[mechanism];
    DUSK_TRY(collect_write_task(job, &chosen->survey, err));
    if (job->settings->c)
        collect_print_c(&chosen->survey);
    else if (job->settings->json)
        print_json(job, all, chosen, why);
    else
        print_table(job, all, chosen);
    if (!job->settings->c && !job->settings->json && job->attributes.count) {
        print_tables(job, chosen);
        dusk_output_note("epsilon", "of any two people; \"of one\": of two who differ in one attribute");
    }
    if (!job->settings->json)
        dusk_output_note("chosen", "%s: %s; %s", dusk_randomiser_name((uint32_t)mechanism),
                         dusk_randomiser_about((uint32_t)mechanism), why);
done:
    return status;
}
