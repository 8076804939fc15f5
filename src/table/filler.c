/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that grow; see filler.h. Columns double one after the other, and fresh memory is not touched before it is
 * written: at most one column is there twice, and what is not used costs addresses only. A few rows are collected before they
 * go to their columns, which lie far apart and often at the same place of their pages: caches hold few of those. */
#include "table/filler.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/value.h"

enum { TILE = 16 };

/* --- categories --------------------------------------------------------------------------------- */

/* FNV-1a */
static size_t hash_of(const char *text, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

static dusk_status make_codes(table_codes *out, const dusk_field *field, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t size = 4;
    while (size < 2 * field->values) size *= 2;
    *out = (table_codes){ .field = field, .mask = size - 1 };
    DUSK_NEW(out->slot, size);
    for (size_t v = 0; v < field->values; v++) {
        size_t at = hash_of(field->value[v], strlen(field->value[v])) & out->mask;
        while (out->slot[at]) at = (at + 1) & out->mask;
        out->slot[at] = (uint32_t)v + 1;
    }
done:
    return status;
}

static int32_t code_of(const table_codes *codes, const char *text, size_t length)
{
    for (size_t at = hash_of(text, length) & codes->mask; codes->slot[at]; at = (at + 1) & codes->mask) {
        const char *value = codes->field->value[codes->slot[at] - 1];
        if (strlen(value) == length && memcmp(value, text, length) == 0) return (int32_t)codes->slot[at] - 1;
    }
    return -1;
}

/* --- rows ------------------------------------------------------------------------------------------ */

dusk_status table_filler_open(table_filler *out, const dusk_fields *fields, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table_filler filler = { .room = 0 };
    *out = filler;
    DUSK_TRY(dusk_frame_new(&filler.frame, fields, 0, err));
    DUSK_NEW(filler.codes, fields->count);
    DUSK_NEW(filler.tile, TILE * fields->count);
    for (size_t c = 0; c < fields->count; c++)
        if (fields->field[c].kind == DUSK_FIELD_CATEGORY)
            DUSK_TRY(make_codes(&filler.codes[c], &filler.frame->fields->field[c], err));
    *out = filler;
    filler = (table_filler){ .room = 0 };
done:
    table_filler_close(&filler);
    return status;
}

dusk_status table_filler_bytes(table_filler *filler, size_t column, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_frame_column *to = &filler->frame->column[column];
    if (!to->number) return DUSK_OK;
    DUSK_NEW(to->byte, 1);
    dusk_deallocate(to->number);
    to->number = NULL;
done:
    return status;
}

static dusk_status enlarge(void **cells, size_t size, size_t rows, size_t room, dusk_error *err)
{
    void *larger = dusk_larger(*cells, rows, room, size);
    if (!larger) return dusk_fail_memory(err);
    *cells = larger;
    return DUSK_OK;
}

static dusk_status grow(table_filler *filler, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_frame *frame = filler->frame;
    size_t room = filler->room ? 2 * filler->room : 256;
    if (room > SIZE_MAX / 16) return dusk_fail_memory(err);
    for (size_t c = 0; c < frame->fields->count; c++) {
        dusk_frame_column *column = &frame->column[c];
        if (column->byte)
            DUSK_TRY(enlarge((void **)&column->byte, sizeof *column->byte, frame->rows, room, err));
        else if (column->number)
            DUSK_TRY(enlarge((void **)&column->number, sizeof *column->number, frame->rows, room, err));
        else
            DUSK_TRY(enlarge((void **)&column->code, sizeof *column->code, frame->rows, room, err));
    }
    filler->room = room;
done:
    return status;
}

size_t table_filler_rows(const table_filler *filler) { return filler->frame->rows + filler->pending; }

/* There is room: table_filler_row saw to it. */
void table_filler_settle(table_filler *filler)
{
    dusk_frame *frame = filler->frame;
    const size_t columns = frame->fields->count, n = filler->pending;
    for (size_t c = 0; c < columns; c++) {
        const dusk_frame_column *to = &frame->column[c];
        const double *from = filler->tile + c;
        if (to->byte)
            for (size_t k = 0; k < n; k++) to->byte[frame->rows + k] = (uint8_t)from[k * columns];
        else if (to->number)
            for (size_t k = 0; k < n; k++) to->number[frame->rows + k] = from[k * columns];
        else
            for (size_t k = 0; k < n; k++) to->code[frame->rows + k] = (int32_t)from[k * columns];
    }
    frame->rows += n;
    filler->pending = 0;
}

dusk_status table_filler_row(table_filler *filler, dusk_error *err)
{
    if (filler->pending == TILE) table_filler_settle(filler);
    return table_filler_rows(filler) < filler->room ? DUSK_OK : grow(filler, err);
}

static double *cell_of(table_filler *filler, size_t column)
{
    return &filler->tile[filler->pending * filler->frame->fields->count + column];
}

void table_filler_text(table_filler *filler, size_t column, const char *text, size_t length)
{
    double x;
    if (!filler->frame->column[column].code)
        *cell_of(filler, column) = text && table_read_real(&x, text, length) && isfinite(x) ? x : NAN;
    else
        *cell_of(filler, column) = text ? code_of(&filler->codes[column], text, length) : -1;
}

void table_filler_number(table_filler *filler, size_t column, double x)
{
    char text[TABLE_VALUE_MAX];
    dusk_text writer;
    if (!filler->frame->column[column].code) {
        *cell_of(filler, column) = isfinite(x) ? x : NAN;
        return;
    }
    dusk_text_init(&writer, text, sizeof text);
    dusk_text_number(&writer, x + 0.0);
    *cell_of(filler, column) = isfinite(x) ? code_of(&filler->codes[column], text, writer.length) : -1;
}

void table_filler_end(table_filler *filler) { filler->pending++; }

static void free_tools(table_filler *filler)
{
    const size_t columns = filler->frame ? filler->frame->fields->count : 0;
    for (size_t c = 0; filler->codes && c < columns; c++) dusk_deallocate(filler->codes[c].slot);
    if (filler->tile) dusk_wipe(filler->tile, TILE * columns * sizeof *filler->tile);
    dusk_deallocate(filler->codes);
    dusk_deallocate(filler->tile);
    filler->codes = NULL;
    filler->tile = NULL;
}

dusk_frame *table_filler_take(table_filler *filler)
{
    dusk_frame *frame = filler->frame;
    table_filler_settle(filler);
    free_tools(filler);
    *filler = (table_filler){ .room = 0 };
    return frame;
}

void table_filler_close(table_filler *filler)
{
    free_tools(filler);
    dusk_frame_free(filler->frame);
    *filler = (table_filler){ .room = 0 };
}
