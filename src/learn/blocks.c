/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a frame, a block at a time: four columns of the frame become steps and then rows while they are in the registers,
 * and rows that are too long are scaled down. Proof: blocks.proof.md. */
#include "learn/blocks.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "table/numbers.h"
#include "tensor/lanes.h"
#include "tensor/steps.h"

enum { ROOM = 512, TOGETHER = 4, EXACT_WIDTH = 2048 };

dusk_status learn_blocks_open(learn_blocks *out, const learn_features *features, const dusk_frame *frame,
                              learn_blocks_kind kind, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool labelled = kind != LEARN_BLOCKS_ALL && features->label != DUSK_NO_LINK;
    learn_blocks made = {
        .features = features, .frame = frame, .labelled = labelled, .level = tensor_lanes_level()
    };
    *out = (learn_blocks){ .at = 0 };
    made.joined = labelled && kind == LEARN_BLOCKS_JOINED &&
                  frame->fields->field[features->label].kind == DUSK_FIELD_NUMERIC;
    made.shape = (tensor_rows){ .width = features->width + made.joined };
    DUSK_NEW(made.block.x, ROOM * made.shape.width);
    DUSK_NEW(made.columns, ROOM * TOGETHER);
    DUSK_NEW(made.squares, ROOM);
    DUSK_NEW(made.taken, ROOM);
    made.block.room = ROOM;
    *out = made;
    made = (learn_blocks){ .at = 0 };
done:
    learn_blocks_close(&made);
    return status;
}

void learn_blocks_close(learn_blocks *blocks)
{
    if (blocks->block.x) dusk_wipe(blocks->block.x, ROOM * blocks->shape.width * sizeof(double));
    if (blocks->columns) dusk_wipe(blocks->columns, ROOM * TOGETHER * sizeof(double));
    if (blocks->squares) dusk_wipe(blocks->squares, ROOM * sizeof(double));
    dusk_deallocate(blocks->block.x);
    dusk_deallocate(blocks->columns);
    dusk_deallocate(blocks->squares);
    dusk_deallocate(blocks->taken);
    *blocks = (learn_blocks){ .at = 0 };
}

/* --- one block ------------------------------------------------------------------------------------------- */

/* The next rows that have a label, if they must; what is taken may have gaps. */
static size_t take_rows(learn_blocks *b)
{
    const dusk_frame *frame = b->frame;
    const size_t label = b->features->label;
    size_t n = 0;
    while (b->at < frame->rows && n < ROOM) {
        b->taken[n] = b->at;
        n += !b->labelled || learn_row_labelled(&frame->fields->field[label], &frame->column[label], b->at);
        b->at++;
    }
    return n;
}

/* The numbers of the rows taken, where they lie or collected in `room`. */
static const double *find_numbers(const learn_blocks *b, size_t of, size_t n, double *room)
{
    const dusk_frame_column *column = &b->frame->column[of];
    if (b->taken[n - 1] - b->taken[0] == n - 1) return table_numbers(column, b->taken[0], n, room);
    for (size_t k = 0; k < n; k++) room[k] = table_number(column, b->taken[k]);
    return room;
}

static tensor_scale scale_of(const learn_blocks *b, const learn_feature *f)
{
    const dusk_field *field = &b->frame->fields->field[f->column];
    return (tensor_scale){ field->missing, field->lower,    field->upper, f->centre,
                           f->factor,      LEARN_NORM_MOST, LEARN_ONE };
}

static bool is_number(const learn_feature *f) { return f->column != DUSK_NO_LINK && f->code < 0; }

/* A number, or the constant. */
static void encode_column(learn_blocks *b, const learn_feature *f, size_t n, double *out)
{
    const size_t stride = b->shape.width;
    double *one = b->columns;
    if (f->column == DUSK_NO_LINK) {
        for (size_t k = 0; k < n; k++) one[k] = LEARN_ONE;
    } else {
        const tensor_scale scale = scale_of(b, f);
        tensor_steps(b->level, one, find_numbers(b, f->column, n, one), n, &scale);
    }
    for (size_t k = 0; k < n; k++) {
        out[k * stride] = one[k];
        b->squares[k] += one[k] * one[k];
    }
}

/* All columns of a category. */
static void encode_category(learn_blocks *b, const learn_feature *f, size_t n, size_t values, double *out)
{
    const int32_t *code = b->frame->column[f->column].code;
    for (size_t k = 0; k < n; k++, out += b->shape.width) {
        const size_t value = (size_t)code[b->taken[k]]; /* none: -1 is far beyond the last */
        memset(out, 0, values * sizeof *out);
        if (value >= values) continue;
        out[value] = LEARN_ONE;
        b->squares[k] += LEARN_ONE * LEARN_ONE;
    }
}

/* learn_target_steps, ended at the bounds and toward zero. */
void learn_blocks_labels(const learn_blocks *b, double *out)
{
    const size_t n = b->block.rows;
    const dusk_field field = b->frame->fields->field[b->features->label];
    const double middle = field.lower / 2 + field.upper / 2, half = field.upper / 2 - field.lower / 2;
    const double *label = find_numbers(b, b->features->label, n, out);
    for (size_t k = 0; k < n; k++) {
        double x = label[k] > field.lower ? label[k] : field.lower;
        x = x < field.upper ? x : field.upper;
        x = (x - middle) / half * LEARN_ONE;
        x = x > -LEARN_ONE ? x : -LEARN_ONE;
        x = x < LEARN_ONE ? x : LEARN_ONE;
        out[k] = (double)(int32_t)x;
    }
}

/* What the next block will read of these columns is asked for now: columns are far apart, and a few kilobytes of each are read at a time. */
static void fetch_ahead(const learn_blocks *b, const learn_feature *f)
{
    const size_t left = b->frame->rows - b->at, ahead = left < ROOM ? left : ROOM;
    for (size_t c = 0; c < TOGETHER; c++) {
        const dusk_frame_column *column = &b->frame->column[f[c].column];
        const size_t size = column->byte ? sizeof *column->byte : sizeof *column->number;
        const char *next = column->byte ? (const char *)column->byte : (const char *)column->number;
        for (size_t i = 0; i < ahead * size; i += 64) __builtin_prefetch(next + b->at * size + i, 0, 2);
    }
}

/* Four numbers in a row of features: straight into rows. False: they are not all numbers. */
static bool encode_four(learn_blocks *b, const learn_feature *f, size_t n, double *out)
{
    const double *from[TOGETHER];
    tensor_scale scale[TOGETHER];
    for (size_t c = 0; c < TOGETHER; c++)
        if (!is_number(&f[c])) return false;
    for (size_t c = 0; c < TOGETHER; c++) {
        from[c] = find_numbers(b, f[c].column, n, b->columns + c * ROOM);
        scale[c] = scale_of(b, &f[c]);
    }
    tensor_steps_rows(b->level, out, b->shape.width, b->squares, from, n, scale);
    fetch_ahead(b, f);
    return true;
}

/* All columns, and the squares of the rows' lengths: sums of up to 2^11 squares of at most 2^42, exact in doubles. */
static void encode_rows(learn_blocks *b, size_t n)
{
    const size_t width = b->features->width, stride = b->shape.width;
    const learn_feature *features = b->features->feature;
    double *x = b->block.x;
    memset(b->squares, 0, ROOM * sizeof *b->squares);
    for (size_t i = 0; i < width;) {
        const learn_feature *f = &features[i];
        if (f->column != DUSK_NO_LINK &&
            f->code == 0) { /* the first of its column's, and the others follow */
            const size_t values = b->frame->fields->field[f->column].values;
            encode_category(b, f, n, values, x + i);
            i += values;
        } else if (i + TOGETHER <= width && encode_four(b, f, n, x + i)) {
            i += TOGETHER;
        } else {
            encode_column(b, f, n, x + i++);
        }
    }
    if (!b->joined) return;
    learn_blocks_labels(b, b->columns);
    for (size_t k = 0; k < n; k++) x[k * stride + width] = b->columns[k];
}

DUSK_PROVEN(learn_blocks_next)
bool learn_blocks_next(learn_blocks *b)
{
    const size_t width = b->features->width, stride = b->shape.width, n = take_rows(b);
    b->block.source = &b->shape;
    b->block.first = b->used;
    b->block.rows = n;
    b->used += n;
    if (n == 0) return false;
    encode_rows(b, n);
    const double most = DUSK_MUTATE(BLOCKS_KEEP_LENGTH, b->features->bound * b->features->bound, INFINITY);
    for (size_t k = 0; k < n; k++) {
        if (width <= EXACT_WIDTH && b->squares[k] <= most) continue;
        const double length = learn_row_shorten(b->block.x + k * stride, width, b->features->bound);
        b->squares[k] = length * length;
    }
    return true;
}
