/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect simulate: people with known values report, the server estimates, and the difference is looked at. People's values are not drawn: so many of them
 * have a value as its share says, and every run asks the same people again. Surveys of numbers have one estimate each, so that people are cut into groups,
 * each a survey of its own: the squared error times the number of people is the same for any number of them. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/collect_places.h"
#include "cli/collect_simulation.h"
#include "cli/input.h"

#define BATCH_BYTES ((size_t)1 << 20)
#define BATCH_MOST 8192
#define WANTED                                                                                               \
    40000 /* squared errors that are averaged over where --runs does not say: then the mean of them is right to 0.7 % */
#define SECONDS 8  /* but no more CPU time than that */
#define GROUP 1000 /* people of a survey of numbers, at least */
#define GRID 1024  /* numbers of people where there are no data */
#define DOMAIN_MOST ((uint64_t)1 << 24)
#define USERS_MOST 100000000 /* with several attributes: all of them are in memory */

/* ---- People --------------------------------------------------------------------------------------------------------- */

/* So many people for each value as its weight says; sums are rounded, so that all are there. */
static void apportion(simulation *s, const double *weight)
{
    double all = 0, sum = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < s->values; i++) all += weight[i];
    for (size_t i = 0; i < s->values; i++) {
        sum += weight[i];
        const uint64_t until =
            i + 1 == s->values ? s->users : (uint64_t)floor((double)s->users * (sum / all) + 0.5);
        s->people[i] = until - before;
        before = until;
    }
}

static dusk_status allocate(simulation *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(s->asked, s->values);
    DUSK_NEW(s->people, s->values);
    DUSK_NEW(s->truth, s->values);
    DUSK_NEW(s->estimate, s->values);
    DUSK_NEW(s->deviation, s->values);
done:
    return status;
}

/* Categories, by data or by Zipf's law. Texts are hashed; where there is a domain, names are not needed. */
static dusk_status make_categories(const collect_job *job, simulation *s, const collect_values *data,
                                   dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *weight = NULL;
    char name[24];
    DUSK_NEW(weight, s->values);
    DUSK_TRY(allocate(s, err));
    for (size_t i = 0; i < s->values; i++) {
        if (job->settings->data)
            weight[i] = i < data->count ? data->weight[i] : 0;
        else
            weight[i] = pow((double)i + 1, -s->settings->zipf);
        snprintf(name, sizeof name, "%zu", i);
        s->asked[i] =
            s->survey.task.domain || s->finds ? i : collect_hash(i < data->count ? data->name[i] : name);
    }
    apportion(s, weight);
done:
    dusk_deallocate(weight);
    return status;
}

/* Numbers of data, or evenly over the range. */
static dusk_status make_numbers(simulation *s, const double *data, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *weight = NULL;
    s->values = data ? n : GRID;
    DUSK_NEW(weight, s->values);
    DUSK_TRY(allocate(s, err));
    for (size_t i = 0; i < s->values; i++) {
        const double part = ((double)i + 0.5) / GRID;
        weight[i] = 1;
        s->asked[i] =
            collect_steps(&s->survey, data ? data[i] : s->survey.low * (1 - part) + s->survey.high * part);
        s->truth[i] = 2 * ((double)s->asked[i] / 4294967295.0) - 1;
    }
    apportion(s, weight);
done:
    dusk_deallocate(weight);
    return status;
}

/* ---- One survey -------------------------------------------------------------------------------------------------------- */

static void hand_in(simulation *s, dusk_tally *tally, size_t n, double *clock)
{
    double now = collect_cpu();
    s->encode += now - *clock;
    *clock = now;
    dusk_tally_add(tally, s->batch, n);
    now = collect_cpu();
    s->add += now - *clock;
    *clock = now;
}

static int report_one(simulation *s, uint8_t *report, size_t i)
{
    const dusk_client_task *task = &s->survey.task;
    if (!s->finds)
        return dusk_client_report(task, report, s->person ? s->person[i] : s->asked[i], &s->entropy);
    const char *name = s->data.name[i];
    return dusk_client_text(task, report, (const uint8_t *)name, strlen(name), &s->entropy);
}

static dusk_status report_all(simulation *s, dusk_tally *tally, dusk_error *err)
{
    const uint32_t size = dusk_report_size(&s->survey.task);
    const size_t values = s->person ? (size_t)s->users : s->values;
    double clock = collect_cpu();
    size_t n = 0;
    for (size_t i = 0; i < values; i++)
        for (uint64_t k = 0; k < (s->person ? 1 : s->people[i]); k++) {
            if (report_one(s, s->batch + n * size, i) != DUSK_CLIENT_OK)
                return dusk_fail(err, DUSK_ERR_ENTROPY, "", "the random source failed");
            if (++n < s->batch_most) continue;
            hand_in(s, tally, n, &clock);
            n = 0;
        }
    hand_in(s, tally, n, &clock);
    return DUSK_OK;
}

dusk_status collect_honest_reports(simulation *s, uint8_t *reports, dusk_error *err)
{
    const uint32_t size = dusk_report_size(&s->survey.task);
    for (size_t i = 0; i < s->values; i++)
        for (uint64_t k = 0; k < s->people[i]; k++, reports += size)
            if (report_one(s, reports, i) != DUSK_CLIENT_OK)
                return dusk_fail(err, DUSK_ERR_ENTROPY, "", "the random source failed");
    return DUSK_OK;
}

static void compare(simulation *s, double estimate, double deviation, double truth, double per)
{
    const double square = (estimate - truth) * (estimate - truth) * per;
    s->squares += square;
    s->fourths += square * square;
    s->covered += fabs(estimate - truth) <= collect_reach(0.95) * deviation;
    s->errors++;
}

static dusk_status look_at_mean(simulation *s, const dusk_tally *tally, dusk_error *err)
{
    const double centre = s->survey.low / 2 + s->survey.high / 2,
                 half = s->survey.high / 2 - s->survey.low / 2;
    double mean, deviation, truth = 0;
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_tally_mean(tally, &mean, &deviation, err));
    for (size_t i = 0; i < s->values; i++) truth += s->truth[i] * (double)s->people[i] / (double)s->users;
    compare(s, (mean - centre) / half, deviation / half, truth, (double)s->users);
done:
    return status;
}

static dusk_status run_once(const collect_job *job, simulation *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_tally *tally = NULL;
    DUSK_TRY(dusk_tally_new(&tally, &s->survey, err));
    DUSK_TRY(report_all(s, tally, err));
    const double before = collect_cpu();
    if (s->counts) {
        DUSK_TRY(s->finds ? dusk_tally_texts(tally, s->estimate, s->deviation,
                                             (const char *const *)s->data.name, s->values, err)
                          : dusk_tally_counts(tally, s->estimate, s->deviation,
                                              s->survey.task.domain ? NULL : s->asked, s->values, err));
        s->estimating += collect_cpu() - before;
        for (size_t i = 0; i < s->values; i++)
            compare(s, s->estimate[i], s->deviation[i], (double)s->people[i], 1 / (double)s->users);
        if (s->ranges.truth) DUSK_TRY(collect_range_errors_look(&s->ranges, tally, err));
        if (s->finds) status = collect_search_once(&s->search, job, tally, &s->data, s->people, err);
    } else {
        DUSK_TRY(look_at_mean(s, tally, err));
        s->estimating += collect_cpu() - before;
    }
done:
    dusk_tally_free(tally);
    return status;
}

/* ---- What is said ------------------------------------------------------------------------------------------------------- */

double collect_theory(const simulation *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->values; i++) {
        const double share = (double)s->people[i] / (double)s->users;
        sum += s->counts ? dusk_survey_variance_of(&s->survey, i, share) / (double)s->values
                         : dusk_survey_variance(&s->survey, (s->truth[i] + 1) / 2) * share;
    }
    return sum;
}

static void say(const collect_job *job, const simulation *s)
{
    const double n = (double)s->errors, mse = s->squares / n;
    const double error = sqrt(fmax(s->fourths / n - mse * mse, 0) / n);
    const double reports = (double)s->users * (double)s->runs;
    const char *name = dusk_randomiser_name(s->survey.task.mechanism);
    char epsilon[DUSK_DECIMAL_SIZE];
    dusk_json json = { .file = stdout };
    if (!job->settings->json) {
        dusk_decimal_up(epsilon, s->survey.epsilon, 6);
        printf("%-17s %s, epsilon %s\n", "randomiser", name, epsilon);
        printf("%-17s %.4g +- %.2g (theory %.4g)\n", "error", mse, error, collect_theory(s));
        printf("%-17s %.4g of 95 %% intervals hold the truth\n", "coverage", (double)s->covered / n);
        printf("%-17s %u\n", "bytes per report", dusk_report_size(&s->survey.task));
        printf("%-17s %.4g ns a report\n", "device", 1e9 * s->encode / reports);
        printf("%-17s %.4g ns a report, and %.4g ms for the estimates\n", "server", 1e9 * s->add / reports,
               1e3 * s->estimating / (double)s->runs);
        if (s->ranges.truth) collect_range_errors_say(&s->ranges, &(dusk_json){ .file = NULL });
        if (s->finds) {
            const double runs = (double)s->search.runs;
            printf("%-17s %.4g texts; %.4g of the %zu most frequent, and %.4g of those found are there\n",
                   "found", s->search.texts / runs, s->search.recall / runs, s->search.top,
                   s->search.precision / runs);
        }
        return;
    }
    dusk_json_open(&json, '{');
    dusk_json_string_field(&json, "mechanism", name);
    dusk_json_number_field(&json, "domain", s->counts ? (double)s->values : 0);
    dusk_json_number_field(&json, "users", (double)job->settings->users);
    dusk_json_number_field(&json, "users_per_survey", (double)s->users);
    dusk_json_number_field(&json, "surveys", (double)s->runs);
    dusk_json_number_field(&json, "epsilon", job->settings->epsilon);
    dusk_json_number_field(&json, "epsilon_exact", s->survey.epsilon);
    dusk_json_number_field(&json, "mse", mse);
    dusk_json_number_field(&json, "mse_error", error);
    dusk_json_number_field(&json, "theory", collect_theory(s));
    dusk_json_number_field(&json, "coverage", (double)s->covered / n);
    dusk_json_number_field(&json, "bytes_per_report", dusk_report_size(&s->survey.task));
    dusk_json_number_field(&json, "encode_ns", 1e9 * s->encode / reports);
    dusk_json_number_field(&json, "aggregate_ns", 1e9 * s->add / reports);
    dusk_json_number_field(&json, "estimate_ms", 1e3 * s->estimating / (double)s->runs);
    if (s->ranges.truth) collect_range_errors_say(&s->ranges, &json);
    if (s->finds) {
        const double runs = (double)s->search.runs;
        dusk_json_number_field(&json, "found", s->search.texts / runs);
        dusk_json_number_field(&json, "top", (double)s->search.top);
        dusk_json_number_field(&json, "recall", s->search.recall / runs);
        dusk_json_number_field(&json, "precision", s->search.precision / runs);
        dusk_json_number_field(&json, "find_ms", 1e3 * s->search.seconds / runs);
    }
    dusk_json_close(&json, '}');
    putchar('\n');
}

/* ---- The step --------------------------------------------------------------------------------------------------------------- */

/* How many surveys, and how many people each: see the top. */
static void choose_runs(const collect_job *job, simulation *s)
{
    const uint64_t users = (uint64_t)job->settings->users;
    const uint64_t groups = s->counts || users < 2 * GROUP ? 1
                            : users / GROUP < WANTED       ? users / GROUP
                                                           : WANTED;
    s->users = users / groups;
    s->liars = s->attacked ? (uint64_t)floor(job->settings->liars * (double)s->users + 0.5) : 0;
    s->users -= s->liars;
    s->most = (collect_given(job, "runs") ? (uint64_t)job->settings->runs : WANTED) * groups;
    s->least = collect_given(job, "runs") ? s->most : groups;
}

static bool is_enough(const simulation *s)
{
    if (s->runs < s->least) return false;
    return s->runs >= s->most || s->errors >= WANTED || collect_cpu() > SECONDS;
}

/* Texts of people, as far as they are reported. */
static dusk_status prepare_texts(const collect_job *job, simulation *s, dusk_survey_options *options,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (!job->settings->data || collect_given(job, "domain"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --data words.txt",
                         "%s needs texts, with --data, and no --domain", job->settings->mechanism);
    s->search.top = collect_given(job, "top") ? (size_t)job->settings->top : 20;
    DUSK_TRY(dusk_survey_init(&s->survey, options, err));
    DUSK_TRY(collect_cut(&s->data, s->survey.task.domain, err));
    s->values = s->data.count;
done:
    return status;
}

static dusk_status prepare_categories(const collect_job *job, simulation *s, dusk_survey_options *options,
                                      dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (options->domain == 0) options->domain = s->data.count;
    if (options->domain == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --domain 1024",
                         "%s needs --domain, or values with --data", job->settings->mechanism);
    if (options->domain > DOMAIN_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --domain 1024",
                         "simulate has at most 2^24 categories");
    s->values = (size_t)options->domain;
    DUSK_TRY(dusk_survey_init(&s->survey, options, err));
done:
    return status;
}

/* Several attributes: values are cells, and people are one by one. */
static dusk_status prepare_people(const collect_job *job, simulation *s, dusk_survey_options *options,
                                  dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (s->attacked || job->settings->users > USERS_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --liars away, and take fewer --users",
                         "--attributes has no liars, and at most 10^8 people");
    DUSK_TRY(dusk_survey_init(&s->survey, options, err));
    s->values = s->survey.task.domain;
    choose_runs(job, s);
    DUSK_TRY(allocate(s, err));
    DUSK_NEW(s->person, s->users);
    DUSK_TRY(collect_people(s->person, s->people, s->users, &s->survey, job, err));
done:
    return status;
}

static dusk_status prepare_numbers(const collect_job *job, simulation *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *numbers = NULL;
    size_t n = 0;
    dusk_input input;
    const char *path = job->settings->data;
    if (path) {
        DUSK_TRY(dusk_input_open(&input, path, NULL, DUSK_INPUT_NUMBERS, err));
        DUSK_TRY(dusk_input_numbers(&input, &numbers, &n, err));
        DUSK_TRY(dusk_input_close(&input, err));
        if (n == 0)
            DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE, "one number a line", "%.150s has no numbers", path));
    }
    status = make_numbers(s, numbers, n, err);
done:
    dusk_numbers_free(numbers, n);
    return status;
}

/* Of trees, and for who asks. */
static dusk_status prepare_ranges(const collect_job *job, simulation *s, dusk_error *err)
{
    const bool asked = job->settings->purpose == COLLECT_FOR_RANGES;
    const bool ordered = s->counts && !s->finds && !s->survey.task.attributes && s->survey.task.domain > 0;
    if (asked && (!ordered || s->attacked))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --mechanism tree --domain 100",
                         "ranges are measured of numbered categories, without liars");
    if (!asked && s->survey.task.mechanism != DUSK_TREE) return DUSK_OK;
    return collect_range_errors_begin(&s->ranges, &s->survey, s->people, s->users, err);
}

static dusk_status prepare(const collect_job *job, simulation *s, dusk_error *err)
{
    dusk_survey_options options;
    dusk_randomiser mechanism;
    dusk_status status = DUSK_OK;
    s->attacked = collect_given(job, "liars");
    DUSK_TRY(collect_check_attack(job, err));
    DUSK_TRY(dusk_randomiser_find(&mechanism, job->settings->mechanism, err));
    DUSK_TRY(collect_check_finds(job, mechanism, err));
    collect_survey_options(job, mechanism, &options);
    s->counts = dusk_randomiser_question(mechanism) == DUSK_ASKS_COUNTS;
    s->finds = dusk_randomiser_finds(mechanism);
    if (s->finds && s->attacked)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --liars away",
                         "it is not known how liars of %s attack", job->settings->mechanism);
    if (options.attributes) return prepare_people(job, s, &options, err);
    if (job->settings->data && s->counts)
        DUSK_TRY(collect_values_read(&s->data, job->settings->data, true, err));
    if (s->finds)
        DUSK_TRY(prepare_texts(job, s, &options, err));
    else if (s->counts)
        DUSK_TRY(prepare_categories(job, s, &options, err));
    else
        DUSK_TRY(dusk_survey_init(&s->survey, &options, err));
    choose_runs(job, s);
    DUSK_TRY(s->counts ? make_categories(job, s, &s->data, err) : prepare_numbers(job, s, err));
    status = prepare_ranges(job, s, err);
done:
    return status;
}

dusk_status collect_simulate(const collect_job *job, dusk_error *err)
{
    simulation s = { .settings = job->settings };
    dusk_status status = DUSK_OK;
    dusk_progress progress;
    if (job->input_count > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give them with --data", "simulate reads no file");
    const bool places = !strcmp(job->settings->mechanism, "planar");
    if (places != collect_given(job, "grid"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --mechanism planar --grid 50x40 --within 5",
                         places ? "planar needs --grid" : "--grid is for planar");
    if (places) return collect_simulate_places(job, err);
    DUSK_TRY(prepare(job, &s, err));
    const size_t size = dusk_report_size(&s.survey.task), fit = BATCH_BYTES / size;
    s.batch_most = fit > BATCH_MOST ? BATCH_MOST : fit;
    DUSK_NEW(s.batch, s.batch_most * size);
    DUSK_TRY(dusk_generator_new(&s.gen, err));
    s.entropy = dusk_entropy_of(&s.context, s.gen);
    if (s.attacked) {
        status = collect_simulate_liars(job, &s, err);
        goto done;
    }
    dusk_progress_start(&progress, s.least == s.most ? s.most : 0, 0);
    while (status == DUSK_OK && !is_enough(&s)) {
        status = run_once(job, &s, err);
        dusk_progress_count(&progress, ++s.runs);
    }
    dusk_progress_end(&progress);
    if (status == DUSK_OK) say(job, &s);
done:
    collect_range_errors_free(&s.ranges);
    collect_values_free(&s.data);
    dusk_generator_free(s.gen);
    dusk_deallocate(s.asked);
    dusk_deallocate(s.people);
    dusk_deallocate(s.person);
    dusk_deallocate(s.truth);
    dusk_deallocate(s.estimate);
    dusk_deallocate(s.deviation);
    dusk_deallocate(s.batch);
    return status;
}
