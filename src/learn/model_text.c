/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of a model, docs/model-format.md: a line with the format and a hash, then JSON. Written by hand, so that numbers
 * have the fewest digits that read back; read with jansson. What is read may be anything: it is a model whose learner says that
 * it is complete, or it is refused. */
#include <jansson.h>
#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/text.h"
#include "learn/learner.h"

#define FORMAT 1
#define HASH 32
#define CELLS_MAX ((size_t)1 << 28) /* of one array */

static const char magic[] = "dusk-model ";

/* --- hash ---------------------------------------------------------------------------------------------------- */

/* Of "dusk-model FORMAT", a newline and the rest of the text, in hexadecimal digits: a changed format is found, too. */
static void hash_text(char hex[2 * HASH + 1], unsigned long format, const char *rest, size_t length)
{
    crypto_generichash_state state;
    unsigned char hash[HASH];
    char first[64];
    dusk_text line;
    dusk_text_init(&line, first, sizeof first);
    dusk_text_add(&line, "%s%lu\n", magic, format);
    crypto_generichash_init(&state, NULL, 0, HASH);
    crypto_generichash_update(&state, (const unsigned char *)first, line.length);
    crypto_generichash_update(&state, (const unsigned char *)rest, length);
    crypto_generichash_final(&state, hash, HASH);
    sodium_bin2hex(hex, 2 * HASH + 1, hash, HASH);
}

/* --- writing ------------------------------------------------------------------------------------------------- */

static void put_text(dusk_buffer *out, const char *text)
{
    dusk_buffer_add(out, "\"");
    for (const char *at = text; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\')
            dusk_buffer_add(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            dusk_buffer_add(out, "\\u%04x", c);
        else
            dusk_buffer_bytes(out, at, 1);
    }
    dusk_buffer_add(out, "\"");
}

static void put_number(dusk_buffer *out, double x)
{
    if (isfinite(x))
        dusk_buffer_number(out, x);
    else
        dusk_buffer_add(out, isnan(x) ? "null" : x > 0 ? "\"inf\"" : "\"-inf\"");
}

static void put_settings(dusk_buffer *out, const dusk_model *model)
{
    dusk_buffer_add(out, "\"settings\":{");
    for (size_t i = 0; i < model->settings; i++) {
        const char *text = model->setting[i], *value = strchr(text, '=') + 1;
        dusk_buffer_add(out, "%s\"%.*s\":", i ? "," : "", (int)(value - text - 1), text);
        put_text(out, value);
    }
    dusk_buffer_add(out, "},\n");
}

/* Which columns there are follows from the fields; how numbers are scaled does not. */
static void put_features(dusk_buffer *out, const dusk_model *model)
{
    const learn_features *features = &model->features;
    bool any = false;
    if (features->width == 0) {
        dusk_buffer_add(out, "\"features\":null,\n");
        return;
    }
    dusk_buffer_add(out, "\"features\":{\"norm\":");
    put_number(out, features->norm);
    dusk_buffer_add(out, ",\"constant\":%s,\"scaling\":{", features->constant ? "true" : "false");
    for (size_t i = 0; i < features->width; i++) {
        const learn_feature *f = &features->feature[i];
        if (f->column == DUSK_NO_LINK || f->code >= 0) continue;
        dusk_buffer_add(out, "%s", any ? "," : "");
        put_text(out, model->fields->field[f->column].name);
        dusk_buffer_add(out, ":[");
        put_number(out, f->centre);
        dusk_buffer_add(out, ",");
        put_number(out, f->factor);
        dusk_buffer_add(out, "]");
        any = true;
    }
    dusk_buffer_add(out, "}},\n");
}

static void put_arrays(dusk_buffer *out, const dusk_model *model)
{
    dusk_buffer_add(out, "\"arrays\":{");
    for (size_t i = 0; i < model->arrays; i++) {
        const learn_array *array = &model->array[i];
        dusk_buffer_add(out, "%s\n\"%s\":{\"rows\":%zu,\"columns\":%zu,\"values\":[", i ? "," : "",
                        array->name, array->rows, array->columns);
        for (size_t j = 0; j < array->rows * array->columns; j++) {
            if (j) dusk_buffer_add(out, ",");
            put_number(out, array->value[j]);
        }
        dusk_buffer_add(out, "]}");
    }
    dusk_buffer_add(out, "}}\n");
}

static dusk_status put_label(dusk_buffer *out, const dusk_model *model, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer names = { .data = NULL };
    learn_labels_add(&model->labels, model->fields, &names);
    if (names.failed)
        status = dusk_fail_memory(err);
    else if (model->labels.count > 0)
        put_text(out, names.data);
    else if (model->label == DUSK_NO_LINK)
        dusk_buffer_add(out, "null");
    else
        put_text(out, model->fields->field[model->label].name);
    dusk_buffer_clear(&names);
    return status;
}

static dusk_status put_body(dusk_buffer *out, const dusk_model *model, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char statement[16384], *fields = NULL;
    DUSK_TRY(dusk_statement_json(&model->statement, statement, sizeof statement, err));
    DUSK_TRY(dusk_fields_format(model->fields, &fields, err));
    dusk_buffer_add(out, "{\"learner\":\"%s\",\n\"library\":\"%s\",\n\"statement\":%s,\n\"fields\":",
                    model->learner->shown.name, DUSK_VERSION, statement);
    put_text(out, fields);
    dusk_buffer_add(out, ",\n\"label\":");
    DUSK_TRY(put_label(out, model, err));
    dusk_buffer_add(out, ",\n");
    put_settings(out, model);
    put_features(out, model);
    put_arrays(out, model);
    if (out->failed) status = dusk_fail_memory(err);
done:
    dusk_ledger_free_text(fields);
    return status;
}

dusk_status dusk_model_format(const dusk_model *model, char **text, size_t *length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer body = { .data = NULL }, whole = { .data = NULL };
    char hex[2 * HASH + 1];

    *text = NULL;
    DUSK_TRY(put_body(&body, model, err));
    hash_text(hex, FORMAT, body.data, body.length);
    dusk_buffer_add(&whole, "%s%d %s\n", magic, FORMAT, hex);
    dusk_buffer_bytes(&whole, body.data, body.length);
    size_t all = whole.length;
    DUSK_TRY(dusk_buffer_take(&whole, text, err));
    *length = all;
done:
    dusk_buffer_clear(&body);
    dusk_buffer_clear(&whole);
    return status;
}

/* --- reading ------------------------------------------------------------------------------------------------- */

static dusk_status bad(const char *what, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_CORRUPT, "train it again, or take a copy that was not changed",
                     "the model file is damaged: %s", what);
}

static dusk_status get_text(const json_t *in, const char *name, const char **out, dusk_error *err)
{
    const json_t *value = json_object_get(in, name);
    if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
        return bad("a text is missing", err);
    *out = json_string_value(value);
    return DUSK_OK;
}

/* A number as put_number writes it. */
static bool number_of(const json_t *value, double *out)
{
    const char *word = json_string_value(value);
    if (json_is_null(value))
        *out = NAN;
    else if (json_is_number(value))
        *out = json_number_value(value);
    else if (word && !strcmp(word, "inf"))
        *out = INFINITY;
    else if (word && !strcmp(word, "-inf"))
        *out = -INFINITY;
    else
        return false;
    return true;
}

static bool size_of(const json_t *value, size_t *out)
{
    double x = json_is_number(value) ? json_number_value(value) : -1;
    if (!(x >= 0 && x <= (double)CELLS_MAX) || x != floor(x)) return false;
    *out = (size_t)x;
    return true;
}

static bool copy_words(char *to, size_t room, const char *words)
{
    if (strlen(words) >= room) return false;
    memcpy(to, words, strlen(words) + 1);
    return true;
}

static dusk_status read_facts(const json_t *list, dusk_statement *out, dusk_error *err)
{
    if (!json_is_array(list)) return bad("its statement", err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *fact = json_string_value(json_array_get(list, i));
        if (!fact || dusk_statement_assume(out, fact, NULL) != DUSK_OK) return bad("its statement", err);
    }
    return DUSK_OK;
}

static dusk_status read_statement(const json_t *in, dusk_statement *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char *event, *numerics, *accountant, *neighbours, *unit;
    char text[16384];
    dusk_statement made = { .delta = 0 };
    DUSK_TRY(get_text(in, "event", &event, err));
    DUSK_TRY(get_text(in, "numerics", &numerics, err));
    DUSK_TRY(get_text(in, "accountant", &accountant, err));
    DUSK_TRY(get_text(in, "neighbours", &neighbours, err));
    DUSK_TRY(get_text(in, "unit", &unit, err));
    made.numerics = !strcmp(numerics, "exact")       ? DUSK_NUMERICS_EXACT
                    : !strcmp(numerics, "certified") ? DUSK_NUMERICS_CERTIFIED
                                                     : DUSK_NUMERICS_IDEALISED;
    made.neighbours = !strcmp(neighbours, "replace-one") ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    status = dusk_event_parse(&made.event, event, err);
    if (status == DUSK_ERR_MEMORY) goto done;
    if (status != DUSK_OK || !copy_words(made.accountant, sizeof made.accountant, accountant) ||
        !copy_words(made.unit, sizeof made.unit, unit) ||
        !number_of(json_object_get(in, "epsilon"), &made.epsilon) ||
        !number_of(json_object_get(in, "delta"), &made.delta) ||
        !number_of(json_object_get(in, "numerics_delta"), &made.numerics_delta) || !(made.epsilon >= 0) ||
        !(made.delta >= 0 && made.delta <= 1) || !(made.numerics_delta >= 0))
        return bad("its statement", err);
    if ((made.numerics == DUSK_NUMERICS_IDEALISED && strcmp(numerics, "idealised")) ||
        strcmp(neighbours, dusk_neighbours_name(made.neighbours)))
        return bad("its statement", err);
    DUSK_TRY(read_facts(json_object_get(in, "assumed"), &made, err));
    status = dusk_statement_json(&made, text, sizeof text, err); /* it sees to the words */
    if (status != DUSK_OK) return status == DUSK_ERR_MEMORY ? status : bad("its statement", err);
    *out = made;
done:
    return status;
}

static dusk_status read_settings(dusk_model *model, const json_t *in, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_setting *settings = model->learner->shown.settings;
    size_t found = 0;
    double value;
    if (!json_is_object(in)) return bad("its settings", err);
    for (size_t i = 0; settings[i].name; i++) {
        const json_t *given = json_object_get(in, settings[i].name);
        const char *text = given ? json_string_value(given) : settings[i].fallback;
        found += given != NULL;
        if (!text || learn_setting_read(&settings[i], &value, text, NULL) != DUSK_OK)
            return bad("its settings", err);
        DUSK_TRY(learn_model_setting(model, settings[i].name, text, err));
    }
    if (found != json_object_size(in)) return bad("its settings", err);
done:
    return status;
}

static dusk_status read_features(dusk_model *model, const json_t *in, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_features *features = &model->features;
    const json_t *constant = json_object_get(in, "constant"), *scaling = json_object_get(in, "scaling");
    double norm;
    size_t scaled = 0;
    if (json_is_null(in)) return DUSK_OK;
    if (!json_is_boolean(constant) || !json_is_object(scaling) ||
        !number_of(json_object_get(in, "norm"), &norm) || !(norm > 0 && norm <= LEARN_NORM_MOST))
        return bad("its features", err);
    DUSK_TRY(learn_features_init(features, model->fields, model->label, json_is_true(constant), norm, err));
    DUSK_TRY(learn_labels_leave_out(&model->labels, features, err));
    for (size_t i = 0; i < features->width; i++) {
        learn_feature *f = &features->feature[i];
        if (f->column == DUSK_NO_LINK || f->code >= 0) continue;
        const json_t *pair = json_object_get(scaling, model->fields->field[f->column].name);
        if (json_array_size(pair) != 2 || !number_of(json_array_get(pair, 0), &f->centre) ||
            !number_of(json_array_get(pair, 1), &f->factor) || !isfinite(f->centre) || !isfinite(f->factor))
            return bad("its features", err);
        scaled++;
    }
    if (scaled != json_object_size(scaling)) return bad("its features", err);
done:
    return status == DUSK_ERR_ARGUMENT ? bad("its features", err) : status;
}

static bool is_array_name(const char *name)
{
    return *name && strlen(name) < sizeof((learn_array *)0)->name &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

static dusk_status read_array(dusk_model *model, const char *name, const json_t *in, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const json_t *list = json_object_get(in, "values");
    double *values = NULL;
    size_t rows, columns;
    if (!is_array_name(name) || !size_of(json_object_get(in, "rows"), &rows) ||
        !size_of(json_object_get(in, "columns"), &columns) || (columns > 0 && rows > CELLS_MAX / columns) ||
        !json_is_array(list) || json_array_size(list) != rows * columns)
        return bad("an array", err);
    DUSK_NEW(values, rows * columns);
    for (size_t i = 0; i < rows * columns; i++)
        if (!number_of(json_array_get(list, i), &values[i])) {
            status = bad("an array", err);
            goto done;
        }
    DUSK_TRY(learn_model_put(model, name, rows, columns, values, err));
done:
    dusk_deallocate(values);
    return status;
}

static dusk_status read_arrays(dusk_model *model, json_t *in, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (!json_is_object(in)) return bad("its arrays", err);
    for (void *at = json_object_iter(in); at; at = json_object_iter_next(in, at))
        DUSK_TRY(read_array(model, json_object_iter_key(at), json_object_iter_value(at), err));
done:
    return status;
}

/* What predictions and scores rely on, whatever the learner. */
static bool outputs_fit(const dusk_model *model)
{
    size_t outputs = model->learner->outputs(model);
    switch (model->learner->shown.task) {
    case DUSK_TASK_BINARY:
    case DUSK_TASK_CLASS: return outputs == model->fields->field[model->label].values;
    case DUSK_TASK_NUMBER:
    case DUSK_TASK_DENSITY: return outputs == 1;
    case DUSK_TASK_LABELS: return outputs == model->labels.count;
    default: return outputs >= 1 && outputs <= CELLS_MAX;
    }
}

static dusk_status start_model(dusk_model **out, const json_t *root, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_learner *learner = NULL;
    const char *name, *text, *label_name = json_string_value(json_object_get(root, "label"));
    dusk_fields *fields = NULL;
    learn_labels labels = { .count = 0 };
    size_t label = DUSK_NO_LINK;
    DUSK_TRY(get_text(root, "learner", &name, err));
    DUSK_TRY(get_text(root, "fields", &text, err));
    if (learn_find(&learner, name, NULL) != DUSK_OK)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "use a newer dusk",
                         "the model is of a learner, %.40s, that this library does not have", name);
    status = dusk_fields_parse(&fields, text, err);
    if (status != DUSK_OK) return status == DUSK_ERR_MEMORY ? status : bad("its fields", err);
    const bool several = learner->shown.task == DUSK_TASK_LABELS;
    if (several) {
        status = label_name ? learn_labels_read(&labels, fields, label_name, err) : DUSK_ERR_ARGUMENT;
        if (status != DUSK_OK && status != DUSK_ERR_MEMORY) status = bad("its labels", err);
        DUSK_TRY(status);
    } else if (label_name) {
        label = dusk_fields_find(fields, label_name);
    }
    if ((label != DUSK_NO_LINK) != learn_wants_label(learner->shown.task) ||
        (label != DUSK_NO_LINK && learn_label_check(learner, &fields->field[label], NULL) != DUSK_OK)) {
        status = bad("its label", err);
        goto done;
    }
    DUSK_TRY(learn_model_new(out, learner, fields, label, err));
    (*out)->labels = labels;
    labels = (learn_labels){ .count = 0 };
done:
    learn_labels_clear(&labels);
    dusk_fields_free(fields);
    return status;
}

static dusk_status read_model(dusk_model **out, const json_t *root, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_model *model = NULL;
    DUSK_TRY(start_model(&model, root, err));
    DUSK_TRY(read_statement(json_object_get(root, "statement"), &model->statement, err));
    DUSK_TRY(read_settings(model, json_object_get(root, "settings"), err));
    DUSK_TRY(read_features(model, json_object_get(root, "features"), err));
    DUSK_TRY(read_arrays(model, json_object_get(root, "arrays"), err));
    if (DUSK_MUTATE(MODEL_COMPLETENESS_TRUSTED, !model->learner->complete(model), false) ||
        !outputs_fit(model)) {
        status = bad("it lacks what its learner needs", err);
        goto done;
    }
    DUSK_TRY(learn_model_names(model, err));
    *out = model;
    model = NULL;
done:
    dusk_model_free(model);
    return status;
}

/* The first line: *format, and where the rest begins. */
static bool read_head(const char *text, size_t length, unsigned long *format, const char **hex,
                      const char **rest)
{
    const char *end = memchr(text, '\n', length), *at = text + strlen(magic);
    *format = 0;
    if (length < strlen(magic) || memcmp(text, magic, strlen(magic)) != 0 || !end) return false;
    for (; at < end && *at >= '0' && *at <= '9' && *format < 100000; at++)
        *format = 10 * *format + (unsigned long)(*at - '0');
    if (*format == 0 || at[-1] == ' ' || *at != ' ' || end - at != 1 + 2 * HASH) return false;
    *hex = at + 1;
    *rest = end + 1;
    return true;
}

dusk_status dusk_model_parse(dusk_model **out, const char *text, size_t length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    unsigned long format;
    const char *given, *rest;
    char hex[2 * HASH + 1];
    json_error_t where;

    *out = NULL;
    if (!read_head(text, length, &format, &given, &rest))
        return dusk_fail(err, DUSK_ERR_CORRUPT, "give a file that dusk train has written",
                         "this is no model file: it does not begin as one");
    size_t left = length - (size_t)(rest - text);
    hash_text(hex, format, rest, left);
    if (DUSK_MUTATE(MODEL_HASH_TRUSTED, memcmp(hex, given, 2 * HASH) != 0, false))
        return bad("it is not what was written", err);
    if (format != FORMAT)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "use a newer dusk",
                         "the model file has format %lu, and this library reads format %d", format, FORMAT);
    json_t *root = json_loadb(rest, left, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &where);
    if (!root && json_error_code(&where) == json_error_out_of_memory) return dusk_fail_memory(err);
    if (!root) return bad("it is not JSON", err);
    status = read_model(out, root, err);
    json_decref(root);
    return status;
}
