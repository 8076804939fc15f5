/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as bins. Proof: bins.proof.md. */
#include "learn/bins.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/features.h"
#include "table/numbers.h"

/* How often the parts beside zero are halved. */
enum { HALVINGS = 8 };

/* --- the grid --------------------------------------------------------------------------------------------------------- */

/* Edges grow. */
static void push(double *edge, size_t *n, double x)
{
    if (*n == 0 || x > edge[*n - 1]) edge[(*n)++] = x;
}

/* The end of the first `b` of `bins` equal parts; what rounding leaves of zero is zero. */
static double part_end(double lower, double upper, size_t b, size_t bins)
{
    const double part = (double)b / (double)bins, x = lower * (1 - part) + upper * part;
    const double width = (upper / 2 - lower / 2) / (double)bins; /* half of it */
    return fabs(x) < width * 0x1p-20 ? 0 : x;
}

/* Where the bins of [lower, upper] begin, in order; room for bins + 2 HALVINGS + 1. */
static size_t cut(double *edge, double lower, double upper, size_t bins)
{
    size_t n = 0;
    for (size_t b = 0; b < bins; b++) {
        const double low = part_end(lower, upper, b, bins), high = part_end(lower, upper, b + 1, bins);
        push(edge, &n, b == 0 ? lower : low);
        for (int k = 1; low < 0 && high >= 0 && k <= HALVINGS; k++) push(edge, &n, ldexp(low, -k));
        if (low < 0 && high > 0) push(edge, &n, 0);
        for (int k = HALVINGS; low <= 0 && high > 0 && k >= 1; k--) push(edge, &n, ldexp(high, -k));
    }
    return n;
}

static size_t room_for(const dusk_field *field, size_t bins)
{
    return field->kind == DUSK_FIELD_NUMERIC ? bins + 2 * HALVINGS + 1 : field->values + 1;
}

static void add_column(learn_bins *out, const dusk_field *field, size_t column, size_t bins)
{
    size_t start = out->first[out->columns], n = field->values + 1;
    if (field->kind == DUSK_FIELD_NUMERIC)
        n = cut(out->edge + start, field->lower, field->upper, bins);
    else
        for (size_t v = 0; v < n; v++) out->edge[start + v] = (double)v;
    out->column[out->columns++] = column;
    out->first[out->columns] = start + n;
    if (n > out->widest) out->widest = n;
}

static dusk_status check(const dusk_fields *fields, size_t label, size_t bins, dusk_error *err)
{
    size_t columns = fields->count - (label != DUSK_NO_LINK);
    if (columns < 1 || columns > LEARN_BIN_COLUMNS)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare the fields to learn from, and no others",
                         "there are %zu fields besides the label: 1 to %d are needed", columns,
                         LEARN_BIN_COLUMNS);
    if (bins < 1 || bins > LEARN_BINS_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 32", "a number has 1 to %d bins", LEARN_BINS_MOST);
    for (size_t c = 0; c < fields->count; c++)
        if (c != label && fields->field[c].kind == DUSK_FIELD_CATEGORY &&
            fields->field[c].values > LEARN_BIN_VALUES)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it out, or declare fewer values",
                             "%.60s has %zu values: at most %d can be learned from", fields->field[c].name,
                             fields->field[c].values, LEARN_BIN_VALUES);
    return DUSK_OK;
}

dusk_status learn_bins_init(learn_bins *out, const dusk_fields *fields, size_t label, size_t bins,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_bins made = { .label = label };
    size_t room = 0;

    *out = (learn_bins){ 0 };
    DUSK_TRY(check(fields, label, bins, err));
    for (size_t c = 0; c < fields->count; c++)
        if (c != label) room += room_for(&fields->field[c], bins);
    DUSK_NEW(made.column, fields->count);
    DUSK_NEW(made.first, fields->count + 1);
    DUSK_NEW(made.edge, room);
    for (size_t c = 0; c < fields->count; c++)
        if (c != label) add_column(&made, &fields->field[c], c, bins);
    *out = made;
    made = (learn_bins){ 0 };
done:
    learn_bins_clear(&made);
    return status;
}

void learn_bins_clear(learn_bins *bins)
{
    dusk_deallocate(bins->column);
    dusk_deallocate(bins->first);
    dusk_deallocate(bins->edge);
    *bins = (learn_bins){ 0 };
}

bool learn_bins_ordered(const learn_bins *bins, const dusk_fields *fields, size_t j)
{
    return fields->field[bins->column[j]].kind == DUSK_FIELD_NUMERIC;
}

double learn_bin_width(const learn_bins *bins, const dusk_fields *fields, size_t j, size_t bin)
{
    const dusk_field *field = &fields->field[bins->column[j]];
    const size_t at = bins->first[j] + bin;
    if (field->kind != DUSK_FIELD_NUMERIC) return 1;
    double end = at + 1 < bins->first[j + 1] ? bins->edge[at + 1] : field->upper;
    return (end - (bin > 0 ? bins->edge[at] : field->lower)) / (field->upper - field->lower);
}

/* --- rows ---------------------------------------------------------------------------------------------------------------- */

/* The last bin that begins at x or below; the first when there is none. */
static size_t find_bin(const double *edge, size_t n, double x)
{
    size_t low = 0;
    while (n > 1) {
        size_t half = n / 2;
        low = x >= edge[low + half] ? low + half : low;
        n -= half;
    }
    return low;
}

static uint16_t number_bin(const learn_bins *bins, size_t j, const dusk_field *field, double x)
{
    if (!isfinite(x)) x = field->missing;
    x = fmin(fmax(x, field->lower), field->upper);
    return (uint16_t)find_bin(bins->edge + bins->first[j], bins->first[j + 1] - bins->first[j], x);
}

static uint16_t category_bin(const dusk_field *field, int32_t code)
{
    return (uint16_t)(code >= 0 && (size_t)code < field->values ? (size_t)code : field->values);
}

/* Toward zero, so that it stays within the bounds. */
static int32_t label_of(const dusk_field *field, const dusk_frame_column *column, size_t row)
{
    if (field->kind == DUSK_FIELD_CATEGORY) return column->code[row];
    double steps = trunc(learn_target_steps(field, table_number(column, row)));
    return (int32_t)fmin(fmax(steps, -LEARN_ONE), LEARN_ONE);
}

/* Column j of the rows that are kept: all, or those with a label. */
DUSK_PROVEN(fill_column)
static void fill_column(uint16_t *out, const learn_bins *bins, size_t j, const dusk_frame *frame,
                        const bool *kept)
{
    const dusk_field *field = &frame->fields->field[bins->column[j]];
    const dusk_frame_column *column = &frame->column[bins->column[j]];
    for (size_t row = 0; row < frame->rows; row++) {
        if (kept && !kept[row]) continue;
        *out++ = field->kind == DUSK_FIELD_NUMERIC ? number_bin(bins, j, field, table_number(column, row))
                                                   : category_bin(field, column->code[row]);
    }
}

/* Which rows have a label, and their labels. */
static void fill_labels(learn_codes *codes, bool *kept, const learn_bins *bins, const dusk_frame *frame)
{
    const dusk_field *field = &frame->fields->field[bins->label];
    const dusk_frame_column *column = &frame->column[bins->label];
    codes->rows = 0;
    for (size_t row = 0; row < frame->rows; row++) {
        kept[row] = learn_row_labelled(field, column, row);
        if (kept[row]) codes->target[codes->rows++] = label_of(field, column, row);
    }
}

static dusk_status make(learn_codes *out, const learn_bins *bins, const dusk_frame *frame, bool labelled,
                        dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_codes codes = { .rows = frame->rows, .columns = bins->columns };
    bool *kept = NULL;

    *out = (learn_codes){ 0 };
    DUSK_NEW(codes.code, bins->columns);
    if (labelled) {
        DUSK_NEW(kept, frame->rows);
        DUSK_NEW(codes.target, frame->rows);
        fill_labels(&codes, kept, bins, frame);
    }
    for (size_t j = 0; j < bins->columns; j++) {
        DUSK_NEW(codes.code[j], frame->rows);
        fill_column(codes.code[j], bins, j, frame, kept);
    }
    *out = codes;
    codes = (learn_codes){ 0 };
done:
    dusk_deallocate(kept);
    learn_codes_clear(&codes);
    return status;
}

dusk_status learn_codes_make(learn_codes *out, const learn_bins *bins, const dusk_frame *frame,
                             dusk_error *err)
{
    return make(out, bins, frame, bins->label != DUSK_NO_LINK, err);
}

dusk_status learn_codes_make_all(learn_codes *out, const learn_bins *bins, const dusk_frame *frame,
                                 dusk_error *err)
{
    return make(out, bins, frame, false, err);
}

void learn_codes_clear(learn_codes *codes)
{
    for (size_t j = 0; codes->code && j < codes->columns; j++) {
        if (codes->code[j]) dusk_wipe(codes->code[j], codes->rows * sizeof *codes->code[j]);
        dusk_deallocate(codes->code[j]);
    }
    dusk_deallocate(codes->code);
    if (codes->target) dusk_wipe(codes->target, codes->rows * sizeof *codes->target);
    dusk_deallocate(codes->target);
    *codes = (learn_codes){ 0 };
}
