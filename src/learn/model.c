/* SPDX-License-Identifier: Apache-2.0 */
/* A model in memory. */
#include "learn/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "base/memory.h"
#include "learn/learner.h"

static void free_texts(char **text, size_t n)
{
    for (size_t i = 0; text && i < n; i++) dusk_deallocate(text[i]);
    dusk_deallocate(text);
}

dusk_status learn_model_new(dusk_model **out, const learn_learner *learner, const dusk_fields *fields,
                            size_t label, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_model *model = NULL;
    *out = NULL;
    DUSK_NEW(model, 1);
    model->learner = learner;
    model->label = label;
    DUSK_TRY(dusk_fields_copy(&model->fields, fields, NULL, 0, err));
    DUSK_NEW(model->setting, LEARN_SETTINGS_MAX);
    *out = model;
    model = NULL;
done:
    dusk_model_free(model);
    return status;
}

void dusk_model_free(dusk_model *model)
{
    if (!model) return;
    for (size_t i = 0; i < model->arrays; i++) dusk_deallocate(model->array[i].value);
    dusk_deallocate(model->array);
    free_texts(model->feature_name, model->features.width);
    free_texts(model->setting, model->settings);
    learn_features_clear(&model->features);
    learn_labels_clear(&model->labels);
    dusk_fields_free(model->fields);
    dusk_deallocate(model);
}

static learn_array *find_array(const dusk_model *model, const char *name)
{
    for (size_t i = 0; i < model->arrays; i++)
        if (!strcmp(model->array[i].name, name)) return &model->array[i];
    return NULL;
}

dusk_status learn_model_put(dusk_model *model, const char *name, size_t rows, size_t columns,
                            const double *values, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_array *array = find_array(model, name);
    double *copy = NULL;

    if (strlen(name) >= sizeof array->name || (columns && rows > SIZE_MAX / sizeof *copy / columns))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "",
                         "an array of a model has too long a name, or is too large");
    DUSK_NEW(copy, rows * columns);
    if (rows > 0 && columns > 0) memcpy(copy, values, rows * columns * sizeof *copy);
    if (!array) {
        DUSK_GROW(model->array, model->room, model->arrays);
        array = &model->array[model->arrays++];
        *array = (learn_array){ .rows = 0 };
        memcpy(array->name, name, strlen(name) + 1);
    }
    dusk_deallocate(array->value);
    array->rows = rows;
    array->columns = columns;
    array->value = copy;
    copy = NULL;
done:
    dusk_deallocate(copy);
    return status;
}

double learn_model_number(const dusk_model *model, const char *name, double fallback)
{
    const learn_array *array = find_array(model, name);
    return array && array->rows * array->columns > 0 ? array->value[0] : fallback;
}

dusk_status learn_model_setting(dusk_model *model, const char *name, const char *value, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer text = { .data = NULL };
    if (model->settings == LEARN_SETTINGS_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "a model has at most %d settings", LEARN_SETTINGS_MAX);
    dusk_buffer_add(&text, "%s=%s", name, value);
    DUSK_TRY(dusk_buffer_take(&text, &model->setting[model->settings], err));
    model->settings++;
done:
    return status;
}

const char *learn_model_value(const dusk_model *model, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < model->settings; i++)
        if (!strncmp(model->setting[i], name, length) && model->setting[i][length] == '=')
            return model->setting[i] + length + 1;
    return NULL;
}

size_t learn_model_whole(const dusk_model *model, const char *name, size_t fallback)
{
    const char *value = learn_model_value(model, name);
    const double number = value ? dusk_number_at(value, NULL) : 0;
    if (!value) return fallback;
    return number >= 0 && number <= 0x1p20 ? (size_t)number : 0;
}

dusk_status learn_model_names(dusk_model *model, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    free_texts(model->feature_name, model->features.width);
    DUSK_NEW(model->feature_name, model->features.width);
    for (size_t i = 0; i < model->features.width; i++) {
        dusk_buffer text = { .data = NULL };
        learn_feature_name(&model->features, model->fields, i, &text);
        DUSK_TRY(dusk_buffer_take(&text, &model->feature_name[i], err));
    }
done:
    return status;
}

const dusk_learner *dusk_model_learner(const dusk_model *model) { return &model->learner->shown; }

const dusk_statement *dusk_model_statement(const dusk_model *model) { return &model->statement; }

const dusk_fields *dusk_model_fields(const dusk_model *model) { return model->fields; }

size_t dusk_model_label(const dusk_model *model) { return model->label; }

bool dusk_model_is_label(const dusk_model *model, size_t field)
{
    return field == model->label || learn_labels_have(&model->labels, field);
}

const double *dusk_model_array(const dusk_model *model, const char *name, size_t *rows, size_t *columns)
{
    const learn_array *array = find_array(model, name);
    if (!array) return NULL;
    *rows = array->rows;
    *columns = array->columns;
    return array->value;
}

const char *dusk_model_array_at(const dusk_model *model, size_t i)
{
    return i < model->arrays ? model->array[i].name : NULL;
}

const char *dusk_model_setting(const dusk_model *model, size_t i)
{
    return i < model->settings ? model->setting[i] : NULL;
}

const char *dusk_model_feature(const dusk_model *model, size_t i)
{
    return i < model->features.width && model->feature_name ? model->feature_name[i] : NULL;
}

/* At most 25 bytes each in a file of at most 2^30 bytes (model_file.c). */
dusk_status learn_model_room(double numbers, dusk_error *err)
{
    if (numbers <= 0x1p25) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer groups or components, or declare fewer columns",
                     "so many columns make a model of %.3g numbers, too large for a file", numbers);
}
