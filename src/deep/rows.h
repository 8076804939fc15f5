/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_ROWS_H
#define DUSK_DEEP_ROWS_H

/* Private examples, as small as they can be kept: 16-bit steps of what learn/features.h makes of a row; or bytes, where all are numbers from 0 to 255
 * that are scaled to [0, 1], as those of pictures are. */

#include "deep/layer.h"
#include "learn/features.h"
#include "learn/labels.h"

#define DEEP_INPUT_BITS 12
#define DEEP_INPUT_MOST 7.5 /* numbers end here */

enum { DEEP_SLICE = 1024 }; /* rows that are made at a time */

typedef struct deep_rows {
    size_t rows, width;
    int16_t *x;
    uint8_t *byte;   /* instead of x: steps of 1 / 255 */
    deep_real *step; /* of each row; NULL: 2^-DEEP_INPUT_BITS */
    float *raw;      /* instead: numbers as they are */
    int32_t *code;   /* class labels; NULL without */
    deep_real *
        number; /* numeric labels, [lower, upper] being [-1, 1]; or likelihoods of classes (loss.h); NULL without */
    size_t numbers; /* of each row; 0: one */
    int8_t *mark; /* several labels, `marks` a row: the code of each, -1 where it is missing; NULL without */
    size_t marks;
} deep_rows;

/* Rows whose label is missing are left out, when there is a label. A row's steps depend on this row alone. */
DUSK_MUST_USE dusk_status deep_rows_make(deep_rows *out, const learn_features *features,
                                         const dusk_frame *frame, dusk_error *err);
/* The same for prediction: all rows, without labels. */
DUSK_MUST_USE dusk_status deep_rows_make_all(deep_rows *out, const learn_features *features,
                                             const dusk_frame *frame, dusk_error *err);
/* The same of numbers as they are, held within their bounds, without any scaling: for tokens. Categories are 0 and 1 as ever. */
DUSK_MUST_USE dusk_status deep_rows_make_raw(deep_rows *out, const learn_features *features,
                                             const dusk_frame *frame, bool labelled, dusk_error *err);
/* Several labels of rows that were made of the frame, all of them. */
DUSK_MUST_USE dusk_status deep_rows_mark(deep_rows *rows, const learn_labels *labels, const dusk_frame *frame,
                                         dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void deep_rows_clear(deep_rows *rows);
/* Rows of other order: row i is the one that was order[i]. They have no labels. */
DUSK_MUST_USE dusk_status deep_rows_order(deep_rows *rows, const size_t *order, dusk_error *err);
/* Row `row` will be taken soon: rows of a sample lie far apart in memory. */
void deep_rows_expect(const deep_rows *rows, size_t row);
/* Row `row` as the input of an example. */
void deep_rows_take(const deep_rows *rows, size_t row, deep_real *out);

#endif
