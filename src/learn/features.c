/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as vectors of whole numbers. Proof: features.proof.md. */
#include "learn/features.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* puts loops over rows into lanes */
#endif

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/rounding.h"
#include "table/numbers.h"
#include "tensor/lanes.h"
#include "tensor/steps.h"

/* --- which columns ------------------------------------------------------------------------------------------ */

static size_t count_width(const dusk_fields *fields, size_t label, bool constant)
{
    size_t width = constant;
    for (size_t c = 0; c < fields->count; c++)
        if (c != label) width += fields->field[c].kind == DUSK_FIELD_CATEGORY ? fields->field[c].values : 1;
    return width;
}

static void add_column(learn_features *out, const dusk_field *field, size_t column)
{
    if (field->kind == DUSK_FIELD_CATEGORY) {
        for (size_t v = 0; v < field->values; v++)
            out->feature[out->width++] = (learn_feature){ .column = column, .code = (int32_t)v, .factor = 1 };
        return;
    }
    double factor = 1 / (field->upper / 2 - field->lower / 2);
    out->feature[out->width++] = (learn_feature){ .column = column,
                                                  .code = -1,
                                                  .centre = field->lower / 2 + field->upper / 2,
                                                  .factor = isfinite(factor) ? factor : 0 };
}

/* The most that a number can be in absolute value, once encoded. */
static double largest_number(const learn_feature *feature, const dusk_field *field)
{
    double low = fabs((field->lower - feature->centre) * feature->factor);
    double high = fabs((field->upper - feature->centre) * feature->factor);
    return fmin(fmax(low, high), LEARN_NORM_MOST);
}

/* The longest that a row can be: one category of each column at most. */
static double longest(const learn_features *features, const dusk_fields *fields)
{
    double square = features->constant;
    for (size_t i = 0; i < features->width; i++) {
        const learn_feature *f = &features->feature[i];
        if (f->column == DUSK_NO_LINK) continue;
        double most = f->code < 0 ? largest_number(f, &fields->field[f->column]) : f->code == 0;
        square = dusk_add_up(square, dusk_mul_up(most, most));
    }
    return dusk_mul_up(dusk_sqrt_up(square), 1 + 0x1p-50);
}

static dusk_status set_norm(learn_features *features, double norm, dusk_error *err)
{
    if (!(norm > 0 && norm <= LEARN_NORM_MOST))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a norm to scale rows down to: --set norm=8",
                         "rows may be %.3g long, and must be above 0 and at most %g", norm, LEARN_NORM_MOST);
    features->norm = norm;
    features->bound = fmax(floor(norm * LEARN_ONE), 1);
    return DUSK_OK;
}

dusk_status learn_features_init(learn_features *out, const dusk_fields *fields, size_t label, bool constant,
                                double norm, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_features features = { .label = label, .constant = constant };
    size_t width = count_width(fields, label, constant);

    *out = (learn_features){ 0 };
    if (width <= (size_t)constant || width > 1u << 20)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fields besides the label",
                         "there are %zu columns to learn from: at least one is needed, at most 2^20",
                         width - constant);
    DUSK_NEW(features.feature, width);
    for (size_t c = 0; c < fields->count; c++)
        if (c != label) add_column(&features, &fields->field[c], c);
    if (constant) features.feature[features.width++] = (learn_feature){ .column = DUSK_NO_LINK, .factor = 1 };
    DUSK_TRY(set_norm(&features, norm > 0 ? norm : longest(&features, fields), err));
    *out = features;
    features = (learn_features){ 0 };
done:
    learn_features_clear(&features);
    return status;
}

void learn_features_rescale(learn_features *features, size_t feature, double centre, double factor)
{
    learn_feature *f = &features->feature[feature];
    f->centre = isfinite(centre) ? centre : 0;
    f->factor = isfinite(factor) ? factor : 0;
}

void learn_features_clear(learn_features *features)
{
    dusk_deallocate(features->feature);
    *features = (learn_features){ 0 };
}

void learn_feature_name(const learn_features *features, const dusk_fields *fields, size_t i, dusk_buffer *out)
{
    const learn_feature *f = &features->feature[i];
    if (f->column == DUSK_NO_LINK) {
        dusk_buffer_add(out, "1");
        return;
    }
    const dusk_field *field = &fields->field[f->column];
    dusk_buffer_add(out, "%s", field->name);
    if (f->code >= 0) dusk_buffer_add(out, "=%s", field->value[f->code]);
}

/* --- one row -------------------------------------------------------------------------------------------------- */

/* Below 2^48 rows, which no memory holds. Of t in [-1, 1], (t, t^2 - 1) is no longer than 1: the squares are free. */
DUSK_PROVEN(learn_number_sums)
void learn_number_sums(const learn_feature *feature, const dusk_frame *frame, int64_t *sum, int64_t *squares)
{
    enum { AT_ONCE = 1024 }; /* of at most 2^15: 32 bits hold their sums */
    const dusk_field *field = &frame->fields->field[feature->column];
    const dusk_frame_column *column = &frame->column[feature->column];
    const tensor_scale scale = { field->missing,  field->lower,    field->upper,
                                 feature->centre, feature->factor, 1,
                                 LEARN_ONE };
    const int32_t one = (int32_t)LEARN_ONE, middle = DUSK_MUTATE(LEARN_SQUARES_ARE_WHOLE, one, 0);
    double steps[AT_ONCE];
    int32_t whole[AT_ONCE];
    *sum = *squares = 0;
    for (size_t first = 0; first < frame->rows; first += AT_ONCE) {
        const size_t n = frame->rows - first < AT_ONCE ? frame->rows - first : AT_ONCE;
        int32_t some = 0, square = 0;
        tensor_steps(tensor_lanes_level(), steps, table_numbers(column, first, n, steps), n, &scale);
        for (size_t i = 0; i < n; i++) whole[i] = (int32_t)steps[i];
        for (size_t i = 0; i < n; i++) {
            some += whole[i];
            square += ((whole[i] * whole[i] + one - 1) >> LEARN_BITS) - middle;
        }
        *sum += some;
        *squares += square;
    }
    dusk_wipe(steps, sizeof steps);
    dusk_wipe(whole, sizeof whole);
}

/* The least whole number whose square is at least `square` <= 2^62. */
static double root_up(uint64_t square)
{
    uint64_t root = (uint64_t)sqrt((double)square);
    while (root * root > square) root--;
    while (root * root < square) root++;
    return (double)root;
}

/* Privacy needs that the length in whole steps is within the bound, which is checked in integers; the factor is only a good guess. */
DUSK_PROVEN(learn_row_shorten)
double learn_row_shorten(double *x, size_t width, double bound)
{
    for (;;) {
        dusk_uint128 square = 0;
        for (size_t i = 0; i < width; i++) square += (uint64_t)((int64_t)x[i] * (int64_t)x[i]);
        double length = root_up((uint64_t)square);
        if (length <= bound) return length;
        double factor = bound / length * (1 - 0x1p-40);
        for (size_t i = 0; i < width; i++) x[i] = trunc(x[i] * factor);
    }
}

/* --- labels ------------------------------------------------------------------------------------------------------ */

double learn_target_steps(const dusk_field *field, double value)
{
    double middle = field->lower / 2 + field->upper / 2, half = field->upper / 2 - field->lower / 2;
    value = fmin(fmax(value, field->lower), field->upper);
    return (value - middle) / half * LEARN_ONE;
}

double learn_target_value(const dusk_field *field, double steps)
{
    double middle = field->lower / 2 + field->upper / 2, half = field->upper / 2 - field->lower / 2;
    return middle + steps / LEARN_ONE * half;
}

bool learn_row_labelled(const dusk_field *field, const dusk_frame_column *label, size_t row)
{
    if (field->kind == DUSK_FIELD_NUMERIC) return isfinite(table_number(label, row));
    return label->code[row] >= 0 && (size_t)label->code[row] < field->values;
}
