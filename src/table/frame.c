/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: typed columns in memory; see dusk/frame.h. Reading them is in frame_read.c. */
#include "dusk/frame.h"

#include "base/error.h"
#include "base/memory.h"
#include "table/numbers.h"

dusk_status dusk_frame_new(dusk_frame **out, const dusk_fields *fields, size_t rows, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_frame *frame = NULL;
    *out = NULL;
    DUSK_NEW(frame, 1);
    DUSK_TRY(dusk_fields_copy(&frame->fields, fields, NULL, 0, err));
    DUSK_NEW(frame->column, fields->count);
    frame->rows = rows;
    for (size_t c = 0; c < fields->count; c++)
        if (fields->field[c].kind == DUSK_FIELD_NUMERIC)
            DUSK_NEW(frame->column[c].number, rows);
        else
            DUSK_NEW(frame->column[c].code, rows);
    *out = frame;
    frame = NULL;
done:
    dusk_frame_free(frame);
    return status;
}

double dusk_frame_number(const dusk_frame_column *column, size_t row) { return table_number(column, row); }

void dusk_frame_free(dusk_frame *frame)
{
    if (!frame) return;
    for (size_t c = 0; frame->column && c < frame->fields->count; c++) {
        dusk_frame_column *column = &frame->column[c];
        if (column->number) dusk_wipe(column->number, frame->rows * sizeof *column->number);
        if (column->code) dusk_wipe(column->code, frame->rows * sizeof *column->code);
        if (column->byte) dusk_wipe(column->byte, frame->rows * sizeof *column->byte);
        dusk_deallocate(column->number);
        dusk_deallocate(column->code);
        dusk_deallocate(column->byte);
    }
    dusk_deallocate(frame->column);
    dusk_fields_free(frame->fields);
    dusk_deallocate(frame);
}
