/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release sparse-vector, threshold-monitor: queries are answered one by one as they
 * arrive, so that the next one may depend on the last answer. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/conditions.h"
#include "cli/release.h"

/* ---- Sparse vector -------------------------------------------------------------- */

static dusk_status choose_noise(const release_job *job, dusk_noise_law *noise, dusk_error *err)
{
    enum { LAPLACE_WORD = 2, GAUSSIAN_WORD = 3 }; /* of --noise */
    *noise = job->settings->noise == GAUSSIAN_WORD ? DUSK_GAUSSIAN : DUSK_LAPLACE;
    if (job->settings->noise == LAPLACE_WORD || job->settings->noise == GAUSSIAN_WORD) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "--noise laplace, or --noise gaussian --delta 1e-6 --length 1000",
                     "sparse-vector has Laplace or Gaussian noise");
}

static dusk_status begin(const release_job *job, dusk_sparse_vector **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const release_settings *s = job->settings;
    dusk_sparse_vector_options options;
    dusk_sparse_vector_options_init(&options);
    options.sensitivity = s->sensitivity;
    options.threshold = s->threshold;
    options.hits = (uint32_t)s->hits;
    options.monotonic = s->monotonic;
    options.epsilon = s->epsilon;
    if (release_given(job, "delta")) options.delta = s->delta;
    if (release_given(job, "length")) options.length = (uint64_t)s->length;
    if (release_given(job, "noise")) DUSK_TRY(choose_noise(job, &options.noise, err));
    if (release_given(job, "numeric-epsilon")) {
        options.numeric_epsilon = s->numeric_epsilon;
        if (!(s->numeric_epsilon > 0))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --numeric-epsilon away for no numbers",
                             "--numeric-epsilon must be above 0");
    }
    status = dusk_sparse_vector_new(out, &options, job->gen, err);
done:
    return status;
}

static dusk_status state(const release_job *job, const dusk_sparse_vector *sv, dusk_statement *out,
                         dusk_error *err)
{
    char fact[160], sensitivity[64];
    dusk_text text;
    dusk_event event;
    dusk_status status = dusk_sparse_vector_event(sv, &event, err);
    if (status != DUSK_OK) return status;
    dusk_text_init(&text, fact, sizeof fact);
    dusk_format_number(sensitivity, sizeof sensitivity, job->settings->sensitivity);
    dusk_text_add(&text, "query sensitivity %s%s", sensitivity,
                  job->settings->monotonic ? ", all queries move together" : "");
    return release_state(job, out, &event, release_given(job, "delta") ? job->settings->delta : 0, fact, err);
}

static dusk_status print_answer(release_job *job, bool above, double value, dusk_error *err)
{
    bool numeric = above && !isnan(value);
    if (job->settings->json) {
        dusk_json_open(&job->json, '{');
        dusk_json_bool_field(&job->json, "above", above);
        if (numeric) dusk_json_key(&job->json, "value");
        if (numeric) dusk_json_number(&job->json, value);
        dusk_json_close(&job->json, '}');
    } else {
        fputs(above ? "above" : "below", stdout);
        if (numeric) fputc('\t', stdout);
        if (numeric) dusk_print_number(stdout, value);
        fputc('\n', stdout);
    }
    return dusk_output_flush(err); /* who asks may be waiting for it */
}

/* Answer until the hits or the queries are used up or the input ends. */
static dusk_status answer_all(release_job *job, dusk_sparse_vector *sv, dusk_input *input, uint64_t *asked,
                              dusk_error *err)
{
    double query, value = NAN;
    bool above;
    while (dusk_sparse_vector_hits_left(sv) > 0 && dusk_sparse_vector_queries_left(sv) > 0 &&
           dusk_input_number(input, &query)) {
        if (isnan(query)) query = 0;
        dusk_status status = dusk_sparse_vector_release(sv, &above, &value, query, job->gen, err);
        if (status == DUSK_OK) status = print_answer(job, above, value, err);
        if (status != DUSK_OK) return status;
        ++*asked;
    }
    return dusk_input_close(input, err);
}

static void begin_answers(release_job *job)
{
    if (!release_json(job)) return;
    dusk_json_key(&job->json, "answers");
    dusk_json_open(&job->json, '[');
}

static void end_answers(release_job *job, double margin)
{
    if (!job->settings->json) return;
    dusk_json_close(&job->json, ']');
    dusk_json_number_field(&job->json, "margin", margin);
    dusk_json_number_field(&job->json, "confidence", job->settings->confidence);
}

static void describe_margin(const release_job *job, release_receipt *receipt, double margin, uint64_t queries)
{
    char width[64];
    dusk_text text;
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    dusk_format_width(width, sizeof width, margin);
    dusk_text_add(&text, "with %g %% confidence %s further than %s from the threshold %s compared right",
                  100 * job->settings->confidence, queries == 1 ? "a query" : "all queries", width,
                  queries == 1 ? "is" : "are");
}

dusk_status release_sparse_vector(release_job *job, dusk_error *err)
{
    dusk_status status, answered = DUSK_OK;
    dusk_sparse_vector *sv = NULL;
    dusk_statement statement;
    release_receipt receipt = { .statement = &statement,
                                .label = "accuracy",
                                .input = "what is not a number counts as 0" };
    dusk_input input = { .file = NULL };
    double margin;
    uint64_t asked = 0;
    DUSK_TRY(begin(job, &sv, err));
    DUSK_TRY(state(job, sv, &statement, err));
    DUSK_TRY(dusk_sparse_vector_interval(sv, &margin, 1, job->settings->confidence, err));
    if (!job->settings->dry_run) DUSK_TRY(release_open(job, &input, DUSK_INPUT_NUMBERS, err));
    begin_answers(job);
    if (!job->settings->dry_run) answered = answer_all(job, sv, &input, &asked, err);
    if (asked == 0) DUSK_TRY(answered);
    if (asked > 1) DUSK_TRY(dusk_sparse_vector_interval(sv, &margin, asked, job->settings->confidence, err));
    end_answers(job, margin);
    describe_margin(job, &receipt, margin, asked ? asked : 1);
    status = release_end_after(job, &receipt, answered, err);
done:
    if (dusk_input_close(&input, NULL) != DUSK_OK && status == DUSK_OK) status = DUSK_ERR_IO;
    dusk_sparse_vector_free(sv);
    return status;
}

/* ---- Threshold monitor ------------------------------------------------------------ */

static dusk_status new_monitor(const release_job *job, dusk_threshold_monitor **out, const dusk_rows *rows,
                               dusk_error *err)
{
    dusk_threshold_monitor_options options;
    dusk_threshold_monitor_options_init(&options);
    options.threshold = job->settings->threshold;
    options.contributions = (uint32_t)job->settings->contributions;
    options.neighbours = job->neighbours;
    options.epsilon = job->settings->epsilon;
    options.delta = job->settings->delta;
    return dusk_threshold_monitor_new(out, &options, rows->row, rows->count, sizeof *rows->row, err);
}

/* The statement and the margin of one query, from a monitor of no records. */
static dusk_status plan_monitor(const release_job *job, dusk_statement *statement, double *margin,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_threshold_monitor *empty = NULL;
    const dusk_rows none = { .row = NULL };
    dusk_event event;
    DUSK_TRY(new_monitor(job, &empty, &none, err));
    DUSK_TRY(dusk_threshold_monitor_event(empty, &event, err));
    DUSK_TRY(dusk_threshold_monitor_interval(empty, margin, 1, job->settings->confidence, err));
    DUSK_TRY(release_state(job, statement, &event, job->settings->delta, "one row a unit", err));
done:
    dusk_threshold_monitor_free(empty);
    return status;
}

static dusk_status read_rows(const release_job *job, dusk_rows *rows, dusk_error *err)
{
    dusk_input input;
    size_t n = strlen(job->path);
    bool table = n >= 4 && !strcmp(job->path + n - 4, ".csv");
    dusk_status status = release_open(job, &input, table ? DUSK_INPUT_RECORDS : DUSK_INPUT_ROWS, err), closed;
    if (status != DUSK_OK) return status;
    status = dusk_rows_read(rows, &input, err);
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    return status != DUSK_OK ? status : closed;
}

/* The next line of standard input that is not blank; what does not fit is cut, and
 * too long to be a query. */
static bool read_query(char *line, size_t size)
{
    int c;
    size_t used;
    bool blank = true;
    do {
        used = 0;
        while ((c = getc(stdin)) != EOF && c != '\n') {
            if (c != ' ' && c != '\t' && c != '\r') blank = false;
            if (used + 1 < size) line[used++] = (char)c;
        }
    } while (blank && c != EOF);
    line[used] = '\0';
    return !blank;
}

static dusk_status answer_queries(release_job *job, dusk_threshold_monitor *monitor, const dusk_rows *rows,
                                  uint64_t *asked, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_condition condition;
    char line[DUSK_CONDITION_MAX + 2];
    bool above;
    while (read_query(line, sizeof line)) {
        DUSK_TRY(dusk_condition_parse(&condition, rows, line, err));
        DUSK_TRY(
            dusk_threshold_monitor_release(monitor, &above, dusk_condition_holds, &condition, job->gen, err));
        DUSK_TRY(print_answer(job, above, NAN, err));
        ++*asked;
    }
done:
    return status;
}

static void describe_monitor(const release_job *job, release_receipt *receipt, double margin,
                             uint64_t queries)
{
    char width[64];
    dusk_text text;
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    dusk_format_number(width, sizeof width, margin);
    dusk_text_add(&text,
                  "with %g %% confidence %s right where the number of records that are left is %s or more "
                  "from the threshold",
                  100 * job->settings->confidence, queries > 1 ? "all answers are" : "an answer is", width);
}

dusk_status release_threshold_monitor(release_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK, answered = DUSK_OK;
    dusk_threshold_monitor *monitor = NULL;
    dusk_rows rows = { .row = NULL };
    dusk_statement statement;
    release_receipt receipt = { .statement = &statement,
                                .label = "accuracy",
                                .input = "a field that is no number is not less, more or equal" };
    double margin;
    uint64_t asked = 0;
    bool run = !job->settings->dry_run;
    if (run && (!job->path || !strcmp(job->path, "-")))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->mechanism->example,
                         "threshold-monitor needs a file of records; standard input has the queries");
    DUSK_TRY(plan_monitor(job, &statement, &margin, err));
    if (run) DUSK_TRY(read_rows(job, &rows, err));
    if (run) DUSK_TRY(new_monitor(job, &monitor, &rows, err));
    begin_answers(job);
    if (run) answered = answer_queries(job, monitor, &rows, &asked, err);
    if (asked == 0) DUSK_TRY(answered);
    if (asked > 1)
        DUSK_TRY(dusk_threshold_monitor_interval(monitor, &margin, asked, job->settings->confidence, err));
    end_answers(job, margin);
    describe_monitor(job, &receipt, margin, asked);
    status = release_end_after(job, &receipt, answered, err);
done:
    dusk_threshold_monitor_free(monitor);
    dusk_rows_free(&rows);
    return status;
}
