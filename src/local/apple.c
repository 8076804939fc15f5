/* SPDX-License-Identifier: Apache-2.0 */
/* Records as devices of Apple were seen to send them: JSON with segments of sketches, each with its parameters and its records as texts. Every record becomes one of docs/collect/wire.md and goes the same way. Bytes are
 * those of nobody knows whom: what is malformed is counted and dropped.
 *
 * A record of theirs has no nonce. It gets one that follows from the whole input and its place in it, so that an input that is given again counts once. */
#include <jansson.h>
#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "local/collector.h"
#include "local/record.h"

#define DOCUMENT_MOST ((size_t)1 << 26)
#define BLOCK ((size_t)1 << 16)
#define EPSILON_APART 1e-6 /* that of the fractions is a little less than what was asked for */

typedef struct import {
    dusk_intake *intake;
    const dusk_survey *survey;
    uint64_t epoch, count;   /* records so far, dropped ones too */
    unsigned char input[32]; /* hash of all of it */
    uint8_t *report, *block;
    size_t used;
} import;

/* --- one record ------------------------------------------------------------------------------------------------------- */

/* The nonce of the next record, where a record asks for coins. */
static int nonce(void *context, uint8_t *bytes, size_t n)
{
    const import *i = context;
    unsigned char place[8];
    for (size_t b = 0; b < sizeof place; b++) place[b] = (unsigned char)(i->count >> (8 * b));
    if (n > 16) return 1;
    unsigned char hash[16];
    crypto_generichash(hash, sizeof hash, place, sizeof place, i->input, sizeof i->input);
    memcpy(bytes, hash, n);
    return 0;
}

/* A decimal number of at most 9 digits, up to `end`; returns what is behind it, or NULL. */
static const char *read_whole(const char *text, char end, uint32_t *out)
{
    size_t digits = 0;
    *out = 0;
    for (; text[digits] >= '0' && text[digits] <= '9' && digits < 10; digits++)
        *out = *out * 10 + (uint32_t)(text[digits] - '0');
    return digits > 0 && digits < 10 && text[digits] == end ? text + digits + 1 : NULL;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* "row,hexadecimal digits": bits from left to right, the first one the highest of its digit. */
static dusk_taken read_map(const dusk_client_task *task, const char *text, uint8_t *report)
{
    const uint32_t bytes = client_bytes_for(task->rows), digits = (task->width + 3) / 4;
    uint32_t row;
    const char *map = read_whole(text, ',', &row);
    if (!map) return DUSK_DROPPED_MALFORMED;
    for (size_t i = 0; map[i]; i++)
        if (digit_of(map[i]) < 0) return DUSK_DROPPED_MALFORMED;
    if (strlen(map) != digits) return DUSK_DROPPED_LENGTH;
    if (row >= task->rows) return DUSK_DROPPED_INVALID;
    client_zero(report, dusk_report_size(task));
    client_put(report, row, bytes);
    for (uint32_t b = 0; b < 4 * digits; b++) {
        const int bit = digit_of(map[b / 4]) >> DUSK_MUTATE(APPLE_BITS_TURNED, 3 - b % 4, b % 4) & 1;
        if (bit && b >= task->width) return DUSK_DROPPED_INVALID;
        if (bit) report[bytes + b / 8] |= (uint8_t)(1 << b % 8);
    }
    return DUSK_TAKEN;
}

/* "row,coefficient,sign". */
static dusk_taken read_sign(const dusk_client_task *task, const char *text, uint8_t *report)
{
    uint32_t row, at;
    const char *rest = read_whole(text, ',', &row);
    rest = rest ? read_whole(rest, ',', &at) : NULL;
    const bool plus = rest && (!strcmp(rest, "1") || !strcmp(rest, "+1")),
               minus = rest && !strcmp(rest, "-1");
    if (!plus && !minus) return DUSK_DROPPED_MALFORMED;
    if (row >= task->rows || at >= task->width) return DUSK_DROPPED_INVALID;
    client_put(report, ((uint64_t)row * task->width + at) << 1 | (minus ? 1u : 0u), dusk_report_size(task));
    return DUSK_TAKEN;
}

static dusk_status flush(import *i, dusk_error *err)
{
    const dusk_status status = dusk_intake_take(i->intake, i->block, i->used, err);
    i->used = 0;
    return status;
}

static dusk_status take_record(import *i, const json_t *record, dusk_error *err)
{
    const dusk_client_task *task = &i->survey->task;
    const char *text = json_string_value(record);
    dusk_entropy entropy = { nonce, i };
    dusk_taken kind = DUSK_DROPPED_MALFORMED;
    if (text && strlen(text) == json_string_length(record))
        kind =
            task->mechanism == DUSK_CMS ? read_map(task, text, i->report) : read_sign(task, text, i->report);
    if (kind == DUSK_TAKEN)
        i->used += dusk_client_record(task, i->epoch, i->block + i->used, i->report, &entropy);
    else
        local_intake_drop(i->intake, kind, 1);
    i->count++;
    return i->used >= BLOCK ? flush(i, err) : DUSK_OK;
}

/* --- segments --------------------------------------------------------------------------------------------------------------- */

static bool is_whole(const json_t *parameters, const char *name, uint32_t want)
{
    const json_t *x = json_object_get(parameters, name);
    return json_is_integer(x) && json_integer_value(x) == (json_int_t)want;
}

/* Whether a segment is of this survey: the sketch, its name and its sizes. */
static bool is_ours(const dusk_survey *survey, const char *algorithm, const char *key,
                    const json_t *parameters)
{
    const char *want = survey->task.mechanism == DUSK_CMS ? "CountMedianSketch" : "HadamardCountMedianSketch";
    const json_t *epsilon = json_object_get(parameters, "epsilon");
    return !strcmp(algorithm, want) && !strcmp(key, survey->name) &&
           is_whole(parameters, "k", survey->task.rows) && is_whole(parameters, "m", survey->task.width) &&
           json_is_number(epsilon) &&
           fabs(json_number_value(epsilon) - survey->epsilon) <= EPSILON_APART * survey->epsilon;
}

static dusk_status take_segment(import *i, const json_t *segment, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char *algorithm = json_string_value(json_object_get(segment, "algorithm"));
    const char *key = json_string_value(json_object_get(segment, "key"));
    const json_t *parameters = json_object_get(segment, "parameters"),
                 *records = json_object_get(segment, "records");
    const size_t n = json_array_size(records);
    if (!algorithm || !key || !json_is_object(parameters) || !json_is_array(records)) {
        local_intake_drop(i->intake, DUSK_DROPPED_MALFORMED, 1);
    } else if (!DUSK_MUTATE(APPLE_ANY_SEGMENT, is_ours(i->survey, algorithm, key, parameters), true)) {
        local_intake_drop(i->intake, DUSK_DROPPED_TASK, n);
        i->count += n;
    } else {
        for (size_t r = 0; r < n; r++) DUSK_TRY(take_record(i, json_array_get(records, r), err));
    }
done:
    return status;
}

/* false: it is no document. */
static dusk_status take_document(import *i, const char *bytes, size_t n, bool *is, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    json_t *document = n <= DOCUMENT_MOST ? json_loadb(bytes, n, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const json_t *segments = json_object_get(document, "segments");
    *is = json_is_array(segments);
    for (size_t s = 0; s < json_array_size(segments); s++)
        DUSK_TRY(take_segment(i, json_array_get(segments, s), err));
done:
    json_decref(document);
    return status;
}

/* --- inputs ------------------------------------------------------------------------------------------------------------------- */

/* Documents one a line. Lines that do not begin one are parts of something else, and all of them together count once where nothing else was there. */
static dusk_status take_lines(import *i, const char *bytes, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool any = false, is;
    for (size_t at = 0, next; at < n; at = next) {
        const char *end = memchr(bytes + at, '\n', n - at);
        next = end ? (size_t)(end - bytes) + 1 : n;
        while (at < next && (bytes[at] == ' ' || bytes[at] == '\t')) at++;
        if (at >= next || bytes[at] != '{') continue;
        any = true;
        DUSK_TRY(take_document(i, bytes + at, next - at, &is, err));
        if (!is)
            local_intake_drop(i->intake,
                              next - at > DOCUMENT_MOST ? DUSK_DROPPED_OVERSIZED : DUSK_DROPPED_MALFORMED, 1);
    }
    if (!any && n > 0) local_intake_drop(i->intake, DUSK_DROPPED_MALFORMED, 1);
done:
    return status;
}

dusk_status dusk_intake_take_json(dusk_intake *intake, const uint8_t *bytes, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_collector *collector = local_intake_collector(intake);
    const dusk_client_task *task = &collector->survey.task;
import i = {.intake = intake, .survey = & collector->survey, .epoch = collector->epoch };
    bool is = false;
    if (task->mechanism != DUSK_CMS && task->mechanism != DUSK_HCMS)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "plan the survey with --mechanism cms or hcms",
                         "Apple's records are of cms and hcms");
    crypto_generichash(i.input, sizeof i.input, bytes, n, NULL, 0);
    DUSK_NEW(i.report, dusk_report_size(task));
    DUSK_NEW(i.block, BLOCK + LOCAL_RECORD_MOST);
    DUSK_TRY(take_document(&i, (const char *)bytes, n, &is, err));
    if (!is) DUSK_TRY(take_lines(&i, (const char *)bytes, n, err));
    if (i.used > 0) status = flush(&i, err);
done:
    dusk_deallocate(i.report);
    dusk_deallocate(i.block);
    return status;
}
