/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect encode: what devices do, for values of a file. A value that cannot be read makes a report like any other: whether somebody reports must
 * not depend on what they would say. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/new_file.h"
#include "cli/collect_places.h"
#include "cli/input.h"

#define BLOCK ((size_t)1 << 20)

typedef struct encoder {
    dusk_survey survey;
    collect_values values;
    bool named, numbers, texts, places;
    uint64_t epoch, count, unknown;
    dusk_generator *gen;
    dusk_generator_entropy context;
    dusk_entropy entropy;
    dusk_new_file *file; /* NULL: standard output */
    uint8_t *report, *block;
    size_t used;
} encoder;

/* The value of a device. What is not in the list, or no category, is the last one. */
static uint64_t value_of(encoder *e, char *text)
{
    double x;
    int64_t whole;
    bool known;
    if (e->survey.task.attributes) {
        const uint64_t value = collect_attributes_value(&e->values, &e->survey, text, &known);
        e->unknown += !known;
        return value;
    }
    if (e->places) {
        uint64_t cell;
        e->unknown += !collect_place(&e->survey, text, &cell);
        return cell;
    }
    if (e->numbers) {
        if (dusk_parse_number(text, &x)) return collect_steps(&e->survey, x);
        e->unknown++;
        return collect_steps(&e->survey, NAN);
    }
    const uint64_t last = (uint64_t)e->survey.task.domain - 1;
    if (e->named) {
        const size_t found = collect_values_find(&e->values, text);
        if (found <= last) return found;
    } else if (dusk_parse_whole(text, 0, (int64_t)last, &whole)) {
        return (uint64_t)whole;
    }
    e->unknown++;
    return last;
}

static dusk_status flush(encoder *e, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (e->file)
        status = dusk_new_file_write(e->file, e->block, e->used, err);
    else if (fwrite(e->block, 1, e->used, stdout) != e->used)
        status = dusk_output_flush(err);
    e->used = 0;
    return status;
}

static dusk_status encode_one(encoder *e, char *text, dusk_error *err)
{
    const dusk_client_task *task = &e->survey.task;
    uint32_t n = 0;
    const int failed =
        e->texts ? dusk_client_text(task, e->report, (const uint8_t *)text, strlen(text), &e->entropy)
                 : dusk_client_report(task, e->report, value_of(e, text), &e->entropy);
    if (failed == DUSK_CLIENT_OK)
        n = dusk_client_record(task, e->epoch, e->block + e->used, e->report, &e->entropy);
    if (n == 0)
        return dusk_fail(err, DUSK_ERR_ENTROPY, "",
                         "the random source failed, and no more reports were made");
    e->used += n;
    e->count++;
    return e->used > BLOCK ? flush(e, err) : DUSK_OK;
}

static dusk_status encode_all(encoder *e, dusk_input *input, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char text[512];
    dusk_progress progress;
    dusk_progress_start(&progress, input->total, 0);
    while (status == DUSK_OK && dusk_input_value(input, text, sizeof text)) {
        status = encode_one(e, text, err);
        if (e->count % 65536 == 0) dusk_progress_at(&progress, input->bytes);
    }
    dusk_progress_end(&progress);
    const dusk_status closed = dusk_input_close(input, status == DUSK_OK ? err : NULL);
    return status != DUSK_OK ? status : closed;
}

static dusk_status begin(encoder *e, const collect_job *job, dusk_error *err)
{
    const collect_settings *s = job->settings;
    dusk_status status = DUSK_OK;
    DUSK_TRY(collect_read_task(job, &e->survey, err));
    e->numbers = dusk_randomiser_question((dusk_randomiser)e->survey.task.mechanism) != DUSK_ASKS_COUNTS;
    e->places = collect_is_places(&e->survey);
    e->texts = !e->numbers && (e->survey.task.domain == 0 ||
                               dusk_randomiser_finds((dusk_randomiser)e->survey.task.mechanism));
    e->named = s->values != NULL;
    e->epoch = (uint64_t)s->epoch;
    if (e->named && (e->numbers || e->texts))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                         "--values is for categories, and this survey has none");
    if (e->places && s->column)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give lines of x and y", "places have no --column");
    if (e->named) DUSK_TRY(collect_values_read(&e->values, s->values, false, err));
    if (e->named && e->survey.task.attributes)
        DUSK_TRY(collect_attributes_check(&e->values, &e->survey, s->values, err));
    if (e->named && e->values.count > e->survey.task.domain && !e->survey.task.attributes)
        return dusk_fail(err, DUSK_ERR_PARSE, "plan with a larger --domain",
                         "%.100s has %zu values, and the survey %u", s->values, e->values.count,
                         e->survey.task.domain);
    DUSK_TRY(dusk_generator_new(&e->gen, err));
    e->entropy = dusk_entropy_of(&e->context, e->gen);
    DUSK_NEW(e->report, dusk_report_size(&e->survey.task));
    DUSK_NEW(e->block, BLOCK + DUSK_REPORT_MOST + DUSK_RECORD_HEAD);
    if (s->out) DUSK_TRY(dusk_new_file_open(&e->file, s->out, "records", err));
done:
    return status;
}

dusk_status collect_encode(const collect_job *job, dusk_error *err)
{
    encoder e = { .count = 0 };
    dusk_status status = DUSK_OK;
    dusk_input input;
    dusk_statement promise;
    const char *path;
    char text[16384];
    DUSK_TRY(collect_one_input(job, &path, err));
    DUSK_TRY(begin(&e, job, err));
    DUSK_TRY(collect_promise(&e.survey, &promise, err));
    DUSK_TRY(dusk_statement_format(&promise, text, sizeof text, err));
    DUSK_TRY(dusk_input_open(&input, path, job->settings->column,
                             job->settings->column ? DUSK_INPUT_ROWS : DUSK_INPUT_NAMED, err));
    DUSK_TRY(encode_all(&e, &input, err));
    DUSK_TRY(flush(&e, err));
    DUSK_TRY(e.file ? dusk_new_file_put(e.file, err) : dusk_output_flush(err)); /* before anything is said */
    dusk_output_note("reports", "%llu of %u bytes", (unsigned long long)e.count,
                     dusk_report_size(&e.survey.task));
    if (e.unknown)
        dusk_output_note("unknown", "%llu values are %s", (unsigned long long)e.unknown,
                         e.places    ? "no places, and are reported as the middle of the grid"
                         : e.numbers ? "no numbers, and are reported as the middle of the range"
                                     : "no category of the survey, and are reported as the last one");
    dusk_output_note("promise", "%s", text);
done:
    dusk_new_file_close(e.file);
    dusk_generator_free(e.gen);
    collect_values_free(&e.values);
    dusk_deallocate(e.report);
    if (e.block) dusk_wipe(e.block, BLOCK);
    dusk_deallocate(e.block);
    return status;
}
