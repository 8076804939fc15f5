/* SPDX-License-Identifier: Apache-2.0 */
/* A survey as one JSON object. Fractions are strings of decimal digits, because 64-bit numbers are not safe in JSON. What follows from
 * the others (id, epsilon) is written for people, and must agree when it is read. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "local/protocol.h"
#include "local/survey.h"

#define FORMAT 1

static void field(dusk_text *t, const char *name, uint32_t x)
{
    if (x > 0) dusk_text_add(t, ",\"%s\":%" PRIu32, name, x);
}

static void fraction(dusk_text *t, const char *name, uint64_t x)
{
    if (x > 0) dusk_text_add(t, ",\"%s\":\"%" PRIu64 "\"", name, x);
}

/* Names and sizes. */
static void attributes(dusk_text *t, const dusk_survey *survey)
{
    const uint32_t n = survey->task.attributes;
    if (n == 0) return;
    dusk_text_add(t, ",\"attributes\":[");
    for (uint32_t i = 0; i < n; i++) dusk_text_add(t, "%s\"%s\"", i ? "," : "", survey->attribute[i]);
    dusk_text_add(t, "],\"sizes\":[");
    for (uint32_t i = 0; i < n; i++) dusk_text_add(t, "%s%" PRIu32, i ? "," : "", survey->task.sizes[i]);
    dusk_text_add(t, "]");
}

static void place(dusk_text *t, const char *name, double x)
{
    dusk_text_add(t, ",\"%s\":", name);
    dusk_text_json_number(t, x);
}

dusk_status dusk_survey_format(const dusk_survey *survey, char *text, size_t size, dusk_error *err)
{
    const dusk_client_task *task = &survey->task;
    dusk_text t;
    dusk_text_init(&t, text, size);
    dusk_text_add(&t, "{\"dusk_survey\":%d,\"name\":\"%s\",\"mechanism\":\"%s\",\"id\":\"%016" PRIx64 "\"",
                  FORMAT, survey->name, dusk_randomiser_name(task->mechanism), task->id);
    field(&t, "domain", task->domain);
    field(&t, "width", task->width);
    field(&t, "rows", task->rows);
    field(&t, "hashes", task->hashes);
    attributes(&t, survey);
    fraction(&t, "p", task->p);
    fraction(&t, "q", task->q);
    fraction(&t, "f", task->f);
    fraction(&t, "seed", task->seed);
    dusk_text_add(&t, ",\"low\":");
    dusk_text_json_number(&t, survey->low);
    dusk_text_add(&t, ",\"high\":");
    dusk_text_json_number(&t, survey->high);
    if (task->mechanism == DUSK_PLANAR) {
        place(&t, "cell", survey->cell);
        place(&t, "left", survey->left);
        place(&t, "bottom", survey->bottom);
        place(&t, "within", survey->within);
    }
    dusk_text_add(&t, ",\"epsilon\":");
    dusk_text_json_number(&t, survey->epsilon);
    dusk_text_add(&t, "}");
    if (t.overflow) return dusk_fail(err, DUSK_ERR_ARGUMENT, "give 2048 bytes", "the survey does not fit");
    return DUSK_OK;
}

static bool read_whole(const json_t *object, const char *name, uint32_t *out)
{
    const json_t *x = json_object_get(object, name);
    const json_int_t value = json_integer_value(x);
    *out = (uint32_t)value;
    return !x || (json_is_integer(x) && value >= 0 && value <= UINT32_MAX);
}

static bool read_long(const json_t *object, const char *name, uint64_t *out, int base)
{
    const json_t *x = json_object_get(object, name);
    const char *digits = json_string_value(x);
    char *end = NULL;
    *out = 0;
    if (!x) return true;
    if (!digits || !*digits ||
        strspn(digits, base == 16 ? "0123456789abcdef" : "0123456789") != strlen(digits) ||
        strlen(digits) > 20)
        return false;
    *out = strtoull(digits, &end, base);
    return true;
}

static bool read_number(const json_t *object, const char *name, double *out)
{
    const json_t *x = json_object_get(object, name);
    *out = json_number_value(x);
    return json_is_number(x) && isfinite(*out);
}

static bool read_attributes(const json_t *object, dusk_survey *survey)
{
    const json_t *names = json_object_get(object, "attributes"), *sizes = json_object_get(object, "sizes");
    const size_t n = json_array_size(names);
    if (!names && !sizes) return true;
    if (!json_is_array(names) || !json_is_array(sizes) || n != json_array_size(sizes) || n < 1 ||
        n > DUSK_ATTRIBUTES_MOST)
        return false;
    survey->task.attributes = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        const json_t *size = json_array_get(sizes, i);
        const json_int_t whole = json_integer_value(size);
        if (!name || strlen(name) >= DUSK_ATTRIBUTE_NAME || !json_is_integer(size) || whole < 2 ||
            whole > UINT32_MAX)
            return false;
        memcpy(survey->attribute[i], name, strlen(name) + 1);
        survey->task.sizes[i] = (uint32_t)whole;
    }
    return local_attributes_are_fine(survey);
}

static bool read_fields(const json_t *object, dusk_survey *survey, uint64_t *id, double *epsilon)
{
    dusk_client_task *task = &survey->task;
    const char *name = json_string_value(json_object_get(object, "name"));
    const char *mechanism = json_string_value(json_object_get(object, "mechanism"));
    dusk_randomiser randomiser;
    if (json_integer_value(json_object_get(object, "dusk_survey")) != FORMAT) return false;
    if (!name || !local_name_is_fine(name) || !mechanism) return false;
    if (dusk_randomiser_find(&randomiser, mechanism, NULL) != DUSK_OK) return false;
    memcpy(survey->name, name, strlen(name) + 1);
    task->mechanism = (uint32_t)randomiser;
    return read_whole(object, "domain", &task->domain) && read_whole(object, "width", &task->width) &&
           read_whole(object, "rows", &task->rows) && read_whole(object, "hashes", &task->hashes) &&
           read_attributes(object, survey) && read_long(object, "p", &task->p, 10) &&
           read_long(object, "q", &task->q, 10) && read_long(object, "f", &task->f, 10) &&
           read_long(object, "seed", &task->seed, 10) && read_long(object, "id", id, 16) &&
           read_number(object, "low", &survey->low) && read_number(object, "high", &survey->high) &&
           read_number(object, "epsilon", epsilon) && survey->low < survey->high &&
           (randomiser != DUSK_PLANAR ||
            (read_number(object, "cell", &survey->cell) && read_number(object, "left", &survey->left) &&
             read_number(object, "bottom", &survey->bottom) &&
             read_number(object, "within", &survey->within)));
}

dusk_status dusk_survey_parse(dusk_survey *out, const char *text, size_t length, dusk_error *err)
{
    dusk_survey survey = { .low = 0 };
    uint64_t id = 0;
    double epsilon = 0;
    json_t *object = length <= 65536 ? json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const bool fine = object && read_fields(object, &survey, &id, &epsilon);
    json_decref(object);
    if (!fine)
        return dusk_fail(err, DUSK_ERR_PARSE, "make one with `dusk collect plan --out FILE`",
                         "this is no description of a survey");
    if (local_survey_complete(&survey, NULL) != DUSK_OK || survey.task.id != id || survey.epsilon != epsilon)
        return dusk_fail(err, DUSK_ERR_CORRUPT, "take the description as it was made",
                         "the survey's numbers do not belong together");
    *out = survey;
    return DUSK_OK;
}
