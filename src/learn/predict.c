/* SPDX-License-Identifier: Apache-2.0 */
/* What a model says of rows. Plain arithmetic on what was released: no privacy is spent, and none is given to the
 * rows that are asked about. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/learner.h"
#include "learn/slices.h"

/* --- slices --------------------------------------------------------------------------------------------------- */

/* Numbers are clamped by the model's bounds, so those of the frame do not matter; codes count categories. */
static bool fits(const dusk_field *want, const dusk_field *have)
{
    if (want->kind != have->kind || want->values != have->values) return false;
    for (size_t v = 0; v < want->values; v++)
        if (strcmp(want->value[v], have->value[v])) return false;
    return true;
}

dusk_status learn_fields_fit(const dusk_model *model, const dusk_fields *have, size_t *from, dusk_error *err)
{
    const dusk_fields *want = model->fields;
    for (size_t i = 0; i < want->count; i++) {
        size_t at = dusk_fields_find(have, want->field[i].name);
        if (from) from[i] = at;
        if (at == DUSK_NO_LINK && dusk_model_is_label(model, i)) continue;
        if (at == DUSK_NO_LINK)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "read it with the fields of the model",
                             "the model needs the field %.60s, and the rows have none", want->field[i].name);
        if (!fits(&want->field[i], &have->field[at]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "read it with the fields of the model",
                             "the field %.60s is of another kind, or has other categories, than in the model",
                             want->field[i].name);
    }
    return DUSK_OK;
}

/* A few megabytes at a time, encoded. */
static size_t slice_room(const dusk_model *model)
{
    size_t width = model->features.width ? model->features.width : 1, room = ((size_t)1 << 20) / width;
    return room < 16 ? 16 : room > 4096 ? 4096 : room;
}

dusk_status learn_slices_open(learn_slices *out, const dusk_model *model, const dusk_frame *frame,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_slices slices = { .model = model, .source = frame, .room = slice_room(model) };

    *out = (learn_slices){ .first = 0 };
    DUSK_NEW(slices.from, model->fields->count);
    DUSK_NEW(slices.slice.column, model->fields->count);
    slices.slice.fields = model->fields;
    DUSK_TRY(learn_fields_fit(model, frame->fields, slices.from, err));
    if (model->label != DUSK_NO_LINK && slices.from[model->label] != DUSK_NO_LINK)
        slices.label = &frame->column[slices.from[model->label]];
    *out = slices;
    slices = (learn_slices){ .first = 0 };
done:
    learn_slices_close(&slices);
    return status;
}

bool learn_slices_next(learn_slices *slices)
{
    size_t first = slices->begun ? slices->first + slices->slice.rows : 0;
    size_t left = slices->source->rows - first;
    slices->begun = left > 0;
    slices->first = first;
    slices->slice.rows = left < slices->room ? left : slices->room;
    for (size_t i = 0; i < slices->model->fields->count && left > 0; i++) {
        dusk_frame_column *to = &slices->slice.column[i];
        if (dusk_model_is_label(slices->model, i)) continue;
        *to = slices->source->column[slices->from[i]];
        if (to->number) to->number += first;
        if (to->code) to->code += first;
        if (to->byte) to->byte += first;
    }
    return left > 0;
}

void learn_slices_close(learn_slices *slices)
{
    dusk_deallocate(slices->from);
    dusk_deallocate(slices->slice.column);
    *slices = (learn_slices){ .first = 0 };
}

/* --- predictions ------------------------------------------------------------------------------------------------ */

dusk_status dusk_predict(dusk_prediction *out, const dusk_model *model, const dusk_frame *frame,
                         dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_prediction made = { .rows = frame->rows, .columns = model->learner->outputs(model) };
    learn_slices slices = { .first = 0 };

    if (made.columns && made.rows > SIZE_MAX / made.columns) return dusk_fail_memory(err);
    DUSK_TRY(learn_slices_open(&slices, model, frame, err));
    DUSK_NEW(made.value, made.rows * made.columns);
    while (learn_slices_next(&slices))
        DUSK_TRY(
            model->learner->predict(model, &slices.slice, made.value + slices.first * made.columns, err));
    *out = made;
    made = (dusk_prediction){ .rows = 0 };
done:
    dusk_prediction_clear(&made);
    learn_slices_close(&slices);
    return status;
}

void dusk_prediction_clear(dusk_prediction *prediction)
{
    if (prediction->value)
        dusk_wipe(prediction->value, prediction->rows * prediction->columns * sizeof *prediction->value);
    dusk_deallocate(prediction->value);
    *prediction = (dusk_prediction){ .rows = 0 };
}
