/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release count-stream, sum-stream: running sums of a stream, each answer printed
 * before the next line is read. A line is a step, also a blank one. How many steps there
 * are is public; what they hold is not. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/file.h"
#include "cli/release_time.h"

#define COUNT_MOST 1e9 /* events in one step of count-stream, unless --bounds says otherwise */
#define MATRIX_LENGTH 4194304
#define SMOOTH_LENGTH 67108864
#define FIRST 1000 /* steps that a dry run looks at where there is no last one */

static dusk_status read_bounds(const release_job *job, dusk_stream_options *options, dusk_error *err)
{
    double bounds[2];
    if (!job->settings->bounds) return DUSK_OK;
    if (dusk_parse_list(job->settings->bounds, ':', bounds, 2) != 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --bounds 0:100",
                         "--bounds must have the form LO:HI");
    options->lower = bounds[0];
    options->upper = bounds[1];
    return DUSK_OK;
}

/* With neither, a stream goes on in epochs; a window alone bounds what one item touches. */
static void read_length(const release_job *job, dusk_stream_options *options)
{
    bool length = release_given(job, "length"), window = release_given(job, "window");
    options->length = length ? (uint64_t)job->settings->length : window ? UINT64_C(1) << 40 : 0;
    options->window = window ? (uint64_t)job->settings->window : 0;
}

static dusk_status read_promise(const release_job *job, dusk_stream_options *options, dusk_error *err)
{
    const release_settings *s = job->settings;
    options->epsilon = s->epsilon;
    if (release_given(job, "delta")) {
        options->delta = s->delta;
        if (!(s->delta > 0))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --delta away for Laplace noise and no delta",
                             "--delta must be above 0 and below 1");
    }
    if (release_given(job, "sensitivity")) {
        options->sensitivity = s->sensitivity;
        if (!(s->sensitivity > 0))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --sensitivity away to take it from the bounds",
                             "--sensitivity must be above 0");
    }
    return DUSK_OK;
}

/* Library errors speak of constants; people type words. */
static dusk_status read_method(const release_job *job, dusk_stream_options *options, dusk_error *err)
{
    bool bands = release_given(job, "bands");
    if (release_given(job, "method")) {
        int word = job->settings->method - RELEASE_METHOD_TREE;
        if (word < 0)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "methods of streams: tree, honaker, square-root, banded",
                             "--method has a word that is for keys");
        options->method = (dusk_stream_method)(word + DUSK_STREAM_TREE);
    }
    bool matrix = options->method == DUSK_STREAM_SQUARE_ROOT || options->method == DUSK_STREAM_BANDED;
    if (matrix && !release_given(job, "delta"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "add --delta 1e-6, or take --method honaker",
                         "--method square-root and banded need Gaussian noise");
    if (matrix && !release_given(job, "length"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "add --length 1000, or take --method honaker",
                         "--method square-root and banded need --length");
    if (matrix && options->length > MATRIX_LENGTH)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "take --method honaker, or begin a new stream from time to time",
                         "--method square-root and banded take at most %d steps", MATRIX_LENGTH);
    if (bands != (options->method == DUSK_STREAM_BANDED))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --method banded --bands 24",
                         bands ? "--bands is for --method banded" : "--method banded needs --bands");
    options->keep = job->settings->smooth;
    if (options->keep && !release_given(job, "method")) options->method = DUSK_STREAM_HONAKER;
    if (options->keep &&
        (options->method != DUSK_STREAM_HONAKER || !release_given(job, "length") || options->window))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --method and --window away and give --length",
                         "--smooth is for --method honaker with --length");
    if (options->keep && options->length > SMOOTH_LENGTH)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "leave --smooth away, or begin a new stream from time to time",
                         "--smooth takes at most %d steps", SMOOTH_LENGTH);
    options->bands = bands ? (uint32_t)job->settings->bands : 0;
    options->separation = release_given(job, "separation") ? (uint64_t)job->settings->separation : 0;
    return DUSK_OK;
}

static dusk_status begin(const release_job *job, dusk_stream **out, bool count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_stream_options options;
    dusk_stream_options_init(&options);
    options.neighbours = job->neighbours;
    options.items_per_unit = (uint32_t)job->settings->rows_per_unit;
    options.unit = job->settings->unit ? job->settings->unit : count ? "event" : "item";
    if (count) {
        options.whole = true;
        options.lower = 0;
        options.upper = COUNT_MOST;
        options.sensitivity = 1;
    }
    DUSK_TRY(read_bounds(job, &options, err));
    read_length(job, &options);
    DUSK_TRY(read_method(job, &options, err));
    DUSK_TRY(read_promise(job, &options, err));
    DUSK_TRY(dusk_stream_new(out, &options, err));
done:
    return status;
}

static dusk_status print_answer(release_job *job, uint64_t step, double value, double half_width,
                                dusk_error *err)
{
    if (job->settings->json) {
        dusk_json_open(&job->json, '{');
        dusk_json_number_field(&job->json, "step", (double)step);
        dusk_json_number_field(&job->json, "value", value);
        dusk_json_number_field(&job->json, "half_width", half_width);
        dusk_json_close(&job->json, '}');
    } else {
        dusk_print_number(stdout, value);
        fputc('\n', stdout);
    }
    return dusk_output_flush(err); /* who feeds the stream may be waiting for it */
}

/* Answer until the declared length is reached or the input ends; the widest interval. */
static dusk_status answer_all(release_job *job, dusk_stream *stream, dusk_input *input,
                              release_record *record, double *widest, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t step = 0, most = release_given(job, "length") ? (uint64_t)job->settings->length : UINT64_MAX;
    double number, value, half_width;
    while (step < most && dusk_input_step(input, &number)) {
        if (step == 0) *widest = 0;
        DUSK_TRY(dusk_stream_release(stream, &value, number, job->gen, err));
        DUSK_TRY(dusk_stream_interval(stream, &half_width, ++step, job->settings->confidence, err));
        if (job->settings->smooth) continue;
        DUSK_TRY(print_answer(job, step, value, half_width, err));
        if (job->settings->plot) DUSK_TRY(release_record_add(record, value, half_width, err));
        *widest = fmax(*widest, half_width);
    }
    DUSK_TRY(dusk_input_close(input, err));
done:
    return status;
}

/* --smooth: all sums at the end, from all that was released. */
static dusk_status answer_smoothly(release_job *job, const dusk_stream *stream, release_record *record,
                                   double *widest, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t n = (size_t)dusk_stream_steps(stream);
    double *sums = NULL, *half_widths = NULL;
    DUSK_NEW(sums, n);
    DUSK_NEW(half_widths, n);
    DUSK_TRY(dusk_stream_smooth(stream, sums, half_widths, job->settings->confidence, err));
    for (size_t i = 0; i < n; i++) {
        DUSK_TRY(print_answer(job, i + 1, sums[i], half_widths[i], err));
        if (job->settings->plot) DUSK_TRY(release_record_add(record, sums[i], half_widths[i], err));
        *widest = fmax(*widest, half_widths[i]);
    }
done:
    dusk_deallocate(sums);
    dusk_deallocate(half_widths);
    return status;
}

/* What can be said beforehand: how wide the last answer will be; with a window, or without
 * an end, those of the first steps. */
static dusk_status expect(const release_job *job, const dusk_stream *stream, double *widest, dusk_error *err)
{
    uint64_t length = release_given(job, "length") ? (uint64_t)job->settings->length : UINT64_MAX;
    bool last = release_given(job, "length") && !release_given(job, "window");
    *widest = 0;
    for (uint64_t step = last ? length : 1; step <= length && (last || step <= FIRST); step++) {
        double half_width;
        dusk_status status = dusk_stream_interval(stream, &half_width, step, job->settings->confidence, err);
        if (status != DUSK_OK) return status;
        *widest = fmax(*widest, half_width);
        if (last) break;
    }
    return DUSK_OK;
}

static void describe(const release_job *job, release_receipt *receipt, double widest, uint64_t steps)
{
    char width[64];
    dusk_text text;
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    dusk_format_width(width, sizeof width, widest);
    if (steps == 0)
        dusk_text_add(&text, "%s will be within %s of the exact sum with %g %% confidence",
                      release_given(job, "length") && !release_given(job, "window")
                          ? "the last answer"
                          : "each of the first thousand answers",
                      width, 100 * job->settings->confidence);
    else
        dusk_text_add(&text, "each of the %llu answer%s is within %s of the exact sum with %g %% confidence",
                      (unsigned long long)steps, steps == 1 ? "" : "s", width,
                      100 * job->settings->confidence);
    dusk_text_init(&text, receipt->input, sizeof receipt->input);
    dusk_text_add(&text,
                  "a line is a step, its number clamped into the bounds; a blank line, and what is not a "
                  "number, is a step without items%s",
                  release_given(job, "length") && steps == (uint64_t)job->settings->length
                      ? "; nothing is read after --length steps"
                      : "");
}

static void end_json(release_job *job, double widest)
{
    dusk_json_close(&job->json, ']');
    dusk_json_number_field(&job->json, "half_width", widest);
    dusk_json_number_field(&job->json, "confidence", job->settings->confidence);
}

static dusk_status release_stream(release_job *job, bool count, dusk_error *err)
{
    dusk_status status, answered = DUSK_OK;
    dusk_stream *stream = NULL;
    dusk_statement statement;
    release_receipt receipt = { .statement = &statement };
    dusk_input input = { .file = NULL };
    release_record record = { 0 };
    double widest;
    if (job->settings->plot) DUSK_TRY(dusk_file_try(job->settings->plot, err)); /* before anything is spent */
    DUSK_TRY(begin(job, &stream, count, err));
    DUSK_TRY(dusk_stream_state(stream, &statement, err));
    DUSK_TRY(expect(job, stream, &widest, err));
    if (!job->settings->dry_run) DUSK_TRY(release_open(job, &input, DUSK_INPUT_NUMBERS, err));
    if (release_json(job)) {
        dusk_json_key(&job->json, "answers");
        dusk_json_open(&job->json, '[');
    }
    if (!job->settings->dry_run) answered = answer_all(job, stream, &input, &record, &widest, err);
    if (job->settings->smooth || dusk_stream_steps(stream) == 0) DUSK_TRY(answered);
    if (job->settings->smooth) DUSK_TRY(answer_smoothly(job, stream, &record, &widest, err));
    if (job->settings->json) end_json(job, widest);
    describe(job, &receipt, widest, dusk_stream_steps(stream));
    DUSK_TRY(release_end_after(job, &receipt, answered, err));
    if (job->settings->plot) DUSK_TRY(release_record_plot(job, &record, err));
done:
    if (dusk_input_close(&input, NULL) != DUSK_OK && status == DUSK_OK) status = DUSK_ERR_IO;
    release_record_free(&record);
    dusk_stream_free(stream);
    return status;
}

dusk_status release_count_stream(release_job *job, dusk_error *err) { return release_stream(job, true, err); }

dusk_status release_sum_stream(release_job *job, dusk_error *err) { return release_stream(job, false, err); }
