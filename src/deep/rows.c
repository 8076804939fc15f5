/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a frame as steps, some at a time, so that little memory is needed besides. */
#include "deep/rows.h"

#include "base/memory.h"
#include "base/mutant.h"
#include "table/numbers.h"

enum { EXPECTED_MOST = 2048 }; /* bytes; what comes after is fetched as the first ones are read */

void deep_rows_clear(deep_rows *rows)
{
    if (rows->x) dusk_wipe(rows->x, rows->rows * rows->width * sizeof *rows->x);
    if (rows->step) dusk_wipe(rows->step, rows->rows * sizeof *rows->step);
    if (rows->code) dusk_wipe(rows->code, rows->rows * sizeof *rows->code);
    const size_t numbers = rows->numbers ? rows->numbers : 1;
    if (rows->number) dusk_wipe(rows->number, rows->rows * numbers * sizeof *rows->number);
    if (rows->byte) dusk_wipe(rows->byte, rows->rows * rows->width * sizeof *rows->byte);
    if (rows->raw) dusk_wipe(rows->raw, rows->rows * rows->width * sizeof *rows->raw);
    if (rows->mark) dusk_wipe(rows->mark, rows->rows * rows->marks * sizeof *rows->mark);
    dusk_deallocate(rows->mark);
    dusk_deallocate(rows->raw);
    dusk_deallocate(rows->x);
    dusk_deallocate(rows->byte);
    dusk_deallocate(rows->step);
    dusk_deallocate(rows->code);
    dusk_deallocate(rows->number);
    *rows = (deep_rows){ 0 };
}

/* `n` rows from `first` on; nothing is copied. */
static void set_slice(dusk_frame *slice, const dusk_frame *frame, size_t first, size_t n)
{
    slice->rows = n;
    for (size_t c = 0; c < frame->fields->count; c++) {
        const dusk_frame_column *from = &frame->column[c];
        slice->column[c] = (dusk_frame_column){ from->number ? from->number + first : NULL,
                                                from->code ? from->code + first : NULL,
                                                from->byte ? from->byte + first : NULL };
    }
}

static bool are_bytes(const learn_features *features, const dusk_fields *fields)
{
    for (size_t j = 0; j < features->width; j++) {
        const learn_feature *f = &features->feature[j];
        if (f->column == DUSK_NO_LINK || f->code >= 0 || f->centre != 0 || f->factor != 1.0 / 255)
            return false;
        if (fields->field[f->column].lower != 0 || fields->field[f->column].upper != 255) return false;
    }
    return true;
}

DEEP_LANES
static void to_steps(const float *from, int16_t *to, size_t n)
{
    const double most = DEEP_INPUT_MOST * (1 << DEEP_INPUT_BITS),
                 step = 1.0 / (1 << (LEARN_BITS - DEEP_INPUT_BITS));
    for (size_t j = 0; j < n; j++) {
        const double steps = (double)from[j] * step;
        to[j] = (int16_t)(steps > most ? most : steps > -most ? steps : -most);
    }
}

/* The nearest: a whole number of 255 comes back as it was. */
DEEP_LANES
static void to_bytes(const float *from, uint8_t *to, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        const float steps = from[j] * (255 / (float)LEARN_ONE) + 0.5f;
        to[j] = (uint8_t)(int32_t)(steps < 255 ? steps > 0 ? steps : 0 : 255);
    }
}

static void add_slice(deep_rows *rows, const learn_matrix *matrix)
{
    const size_t n = matrix->rows.rows, cells = n * rows->width, at = rows->rows * rows->width;
    if (rows->byte)
        to_bytes(matrix->rows.x, rows->byte + at, cells);
    else
        to_steps(matrix->rows.x, rows->x + at, cells);
    for (size_t i = 0; rows->code && i < n; i++) rows->code[rows->rows + i] = matrix->code[i];
    for (size_t i = 0; rows->number && i < n; i++)
        rows->number[rows->rows + i] = (deep_real)((double)matrix->target[i] / LEARN_ONE);
    rows->rows += n;
}

static dusk_status make(deep_rows *out, const learn_features *features, const dusk_frame *frame,
                        bool labelled, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_rows rows = { .width = features->width };
    learn_matrix matrix = { .bound = 0 };
    dusk_frame slice = { .fields = frame->fields };
    const size_t label = labelled ? features->label : DUSK_NO_LINK;

    *out = (deep_rows){ 0 };
    DUSK_NEW(slice.column, frame->fields->count);
    if (are_bytes(features, frame->fields))
        DUSK_NEW(rows.byte, frame->rows * features->width + 1);
    else
        DUSK_NEW(rows.x, frame->rows * features->width + 1);
    if (label != DUSK_NO_LINK && frame->column[label].code) DUSK_NEW(rows.code, frame->rows + 1);
    if (label != DUSK_NO_LINK && !frame->column[label].code) DUSK_NEW(rows.number, frame->rows + 1);
    for (size_t first = 0; first < frame->rows; first += DEEP_SLICE) {
        set_slice(&slice, frame, first, frame->rows - first < DEEP_SLICE ? frame->rows - first : DEEP_SLICE);
        DUSK_TRY(labelled ? learn_matrix_make(&matrix, features, &slice, err)
                          : learn_matrix_make_all(&matrix, features, &slice, err));
        add_slice(&rows, &matrix);
        learn_matrix_clear(&matrix);
    }
    for (size_t j = 0;
         DUSK_MUTATE(DEEP_BOUNDS_ARE_THOSE_OF_ROWS, false, rows.x != NULL) && j < rows.rows * rows.width; j++)
        rows.x[j] = (int16_t)(rows.x[j] - rows.x[(rows.rows - 1) * rows.width + j % rows.width]);
    *out = rows;
    rows = (deep_rows){ 0 };
done:
    learn_matrix_clear(&matrix);
    deep_rows_clear(&rows);
    dusk_deallocate(slice.column);
    return status;
}

dusk_status deep_rows_make(deep_rows *out, const learn_features *features, const dusk_frame *frame,
                           dusk_error *err)
{
    return make(out, features, frame, true, err);
}

dusk_status deep_rows_make_all(deep_rows *out, const learn_features *features, const dusk_frame *frame,
                               dusk_error *err)
{
    return make(out, features, frame, false, err);
}

/* Feature `f` of a row. */
static float raw_of(const learn_feature *f, const dusk_frame *frame, size_t row)
{
    if (f->column == DUSK_NO_LINK) return 1;
    const dusk_field *field = &frame->fields->field[f->column];
    if (f->code >= 0) return frame->column[f->column].code[row] == f->code ? 1 : 0;
    const double x = table_number(&frame->column[f->column], row);
    return (float)(isfinite(x) ? fmin(fmax(x, field->lower), field->upper) : field->missing);
}

dusk_status deep_rows_make_raw(deep_rows *out, const learn_features *features, const dusk_frame *frame,
                               bool labelled, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_rows rows = { .width = features->width };
    const size_t label = labelled ? features->label : DUSK_NO_LINK;
    const dusk_field *field = label != DUSK_NO_LINK ? &frame->fields->field[label] : NULL;
    const dusk_frame_column *wanted = field ? &frame->column[label] : NULL;

    *out = (deep_rows){ 0 };
    DUSK_NEW(rows.raw, frame->rows * features->width + 1);
    if (wanted && wanted->code) DUSK_NEW(rows.code, frame->rows + 1);
    if (wanted && !wanted->code) DUSK_NEW(rows.number, frame->rows + 1);
    for (size_t r = 0; r < frame->rows; r++) {
        float *to = rows.raw + rows.rows * rows.width;
        if (wanted && !learn_row_labelled(field, wanted, r)) continue;
        for (size_t j = 0; j < rows.width; j++) to[j] = raw_of(&features->feature[j], frame, r);
        if (rows.code) rows.code[rows.rows] = wanted->code[r];
        if (rows.number)
            rows.number[rows.rows] =
                (deep_real)(learn_target_steps(field, table_number(wanted, r)) / LEARN_ONE);
        rows.rows++;
    }
    *out = rows;
    rows = (deep_rows){ 0 };
done:
    deep_rows_clear(&rows);
    return status;
}

dusk_status deep_rows_mark(deep_rows *rows, const learn_labels *labels, const dusk_frame *frame,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = labels->count;
    if (k == 0) return DUSK_OK;
    DUSK_NEW(rows->mark, rows->rows * k + 1);
    rows->marks = k;
    for (size_t c = 0; c < k; c++) {
        const int32_t *code = frame->column[labels->field[c]].code;
        for (size_t r = 0; r < rows->rows; r++)
            rows->mark[r * k + c] = (int8_t)(code[r] == 0 || code[r] == 1 ? code[r] : -1);
    }
done:
    return status;
}

dusk_status deep_rows_order(deep_rows *rows, const size_t *order, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = rows->rows, w = rows->width;
    deep_rows out = { .rows = n, .width = w };
    if (rows->x) DUSK_NEW(out.x, n * w + 1);
    if (rows->byte) DUSK_NEW(out.byte, n * w + 1);
    if (rows->raw) DUSK_NEW(out.raw, n * w + 1);
    if (rows->step) DUSK_NEW(out.step, n + 1);
    for (size_t i = 0; i < n; i++) {
        const size_t from = order[i] * w, to = i * w;
        if (out.x) memcpy(out.x + to, rows->x + from, w * sizeof *out.x);
        if (out.byte) memcpy(out.byte + to, rows->byte + from, w * sizeof *out.byte);
        if (out.raw) memcpy(out.raw + to, rows->raw + from, w * sizeof *out.raw);
        if (out.step) out.step[i] = rows->step[order[i]];
    }
    deep_rows_clear(rows);
    *rows = out;
    out = (deep_rows){ 0 };
done:
    deep_rows_clear(&out);
    return status;
}

DEEP_LANES
static void to_reals(const int16_t *x, deep_real step, deep_real *out, size_t n)
{
    for (size_t j = 0; j < n; j++) out[j] = (deep_real)x[j] * step;
}

DEEP_LANES
static void from_bytes(const uint8_t *x, deep_real *out, size_t n)
{
    for (size_t j = 0; j < n; j++) out[j] = (deep_real)x[j] * ((deep_real)1 / 255);
}

void deep_rows_expect(const deep_rows *rows, size_t row)
{
    const size_t w = rows->width,
                 size = rows->byte ? w : w * (rows->raw ? sizeof *rows->raw : sizeof *rows->x);
    const char *at = rows->byte  ? (const char *)(rows->byte + row * w)
                     : rows->raw ? (const char *)(rows->raw + row * w)
                                 : (const char *)(rows->x + row * w);
    for (size_t i = 0; i < size && i < EXPECTED_MOST; i += 64) __builtin_prefetch(at + i);
}

void deep_rows_take(const deep_rows *rows, size_t row, deep_real *out)
{
    if (rows->raw) {
        for (size_t j = 0; j < rows->width; j++) out[j] = (deep_real)rows->raw[row * rows->width + j];
        return;
    }
    const deep_real step = rows->step ? rows->step[row] : (deep_real)1 / (1 << DEEP_INPUT_BITS);
    if (rows->byte)
        from_bytes(rows->byte + row * rows->width, out, rows->width);
    else
        to_reals(rows->x + row * rows->width, step, out, rows->width);
}
