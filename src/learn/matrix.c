/* SPDX-License-Identifier: Apache-2.0 */
/* All rows of a frame as floats: the blocks of blocks.c one after the other, with lengths and labels. Proof: matrix.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/blocks.h"
#include "tensor/tiles.h"

/* The least whole number whose square is at least `square`, which is whole and at most 2^42: the root of such a number is either whole or so
 * far from whole numbers that rounding does not reach one. */
static inline double root_up(double square)
{
    const double root = (double)(int32_t)sqrt(square);
    return root * root < square ? root + 1 : root;
}

/* What belongs to the rows of a block. */
static void put_labels(learn_matrix *out, const learn_blocks *blocks)
{
    const size_t at = blocks->block.first, n = blocks->block.rows;
    for (size_t k = 0; out->length && k < n; k++) out->length[at + k] = (float)root_up(blocks->squares[k]);
    if (out->code) {
        const int32_t *code = blocks->frame->column[blocks->features->label].code;
        for (size_t k = 0; k < n; k++) out->code[at + k] = code[blocks->taken[k]];
    }
    if (out->target) {
        learn_blocks_labels(blocks, blocks->columns);
        for (size_t k = 0; k < n; k++) out->target[at + k] = (float)blocks->columns[k];
    }
}

DUSK_PROVEN(make)
static dusk_status make(learn_matrix *out, const learn_features *features, const dusk_frame *frame,
                        learn_blocks_kind kind, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t width = features->width;
    learn_matrix matrix = { .rows = { .width = width }, .bound = features->bound };
    learn_blocks blocks = { .at = 0 };
    float *x = NULL;

    *out = (learn_matrix){ 0 };
    if (frame->rows > SIZE_MAX / width) return dusk_fail_memory(err);
    DUSK_TRY(learn_blocks_open(&blocks, features, frame, kind, err));
    DUSK_NEW(x, frame->rows * width);
    matrix.rows.x = x;
    if (!features->unmeasured) DUSK_NEW(matrix.length, frame->rows);
    if (kind == LEARN_BLOCKS_LABELLED && frame->fields->field[features->label].kind == DUSK_FIELD_CATEGORY)
        DUSK_NEW(matrix.code, frame->rows);
    else if (kind == LEARN_BLOCKS_LABELLED)
        DUSK_NEW(matrix.target, frame->rows);
    while (learn_blocks_next(&blocks)) {
        tensor_tiles_narrow(blocks.level, x + blocks.block.first * width, blocks.block.x,
                            blocks.block.rows * width);
        put_labels(&matrix, &blocks);
    }
    matrix.rows.rows = blocks.used;
    *out = matrix;
    matrix = (learn_matrix){ 0 };
done:
    learn_blocks_close(&blocks);
    learn_matrix_clear(&matrix);
    return status;
}

dusk_status learn_matrix_make(learn_matrix *out, const learn_features *features, const dusk_frame *frame,
                              dusk_error *err)
{
    return make(out, features, frame,
                features->label != DUSK_NO_LINK ? LEARN_BLOCKS_LABELLED : LEARN_BLOCKS_ALL, err);
}

dusk_status learn_matrix_make_all(learn_matrix *out, const learn_features *features, const dusk_frame *frame,
                                  dusk_error *err)
{
    return make(out, features, frame, LEARN_BLOCKS_ALL, err);
}

void learn_matrix_clear(learn_matrix *matrix)
{
    float *x = (float *)(uintptr_t)matrix->rows.x; /* borrowed by readers, owned here */
    const size_t rows = matrix->rows.rows;
    if (x) dusk_wipe(x, rows * matrix->rows.width * sizeof *x);
    if (matrix->length) dusk_wipe(matrix->length, rows * sizeof *matrix->length);
    if (matrix->code) dusk_wipe(matrix->code, rows * sizeof *matrix->code);
    if (matrix->target) dusk_wipe(matrix->target, rows * sizeof *matrix->target);
    dusk_deallocate(x);
    dusk_deallocate(matrix->length);
    dusk_deallocate(matrix->code);
    dusk_deallocate(matrix->target);
    *matrix = (learn_matrix){ 0 };
}
