/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_FEATURES_H
#define DUSK_LEARN_FEATURES_H

/* How a row becomes a vector, by public facts alone, and the vectors of all rows of a frame.
 *
 * A number is clamped into its bounds, (x - centre) * factor, which is [-1, 1] unless the learner scales otherwise; a category
 * is 1 in the column of its value and 0 in the others (no category: 0 in all); a constant column is 1. Each is rounded
 * toward zero to steps of 2^-LEARN_BITS. Rows that are longer than `norm` are scaled down into that ball. So a
 * row's vector depends on the row only, is made of whole numbers, and is at most `bound` steps long, exactly.
 * Proofs: features.proof.md, blocks.proof.md, matrix.proof.md. */

#include "base/buffer.h"
#include "dusk/frame.h"
#include "tensor/exact.h"

#define LEARN_BITS 15
#define LEARN_ONE 0x1p15     /* steps of 1 */
#define LEARN_NORM_MOST 64.0 /* so that products of two numbers are at most 2^42 steps */

typedef struct learn_feature {
    size_t column; /* of the frame; DUSK_NO_LINK: the constant */
    int32_t code;  /* of a category; -1: the number itself */
    double centre, factor;
} learn_feature;

typedef struct learn_features {
    learn_feature *feature;
    size_t width;
    size_t label;    /* the column that is left out, or DUSK_NO_LINK */
    double norm;     /* rows are scaled down to this length */
    double bound;    /* the same in steps, rounded down: a whole number */
    bool constant;   /* the last feature is the constant */
    bool unmeasured; /* nobody will ask for the lengths of rows */
} learn_features;

/* All fields but the label; `norm` 0: the longest that a row can be, so that none is scaled down. DUSK_ERR_ARGUMENT when
 * that is more than LEARN_NORM_MOST. */
DUSK_MUST_USE dusk_status learn_features_init(learn_features *out, const dusk_fields *fields, size_t label,
                                              bool constant, double norm, dusk_error *err);
/* Scale number `feature` by these from now on; |value| ends at LEARN_NORM_MOST. `norm` stays, and with it the bound. */
void learn_features_rescale(learn_features *features, size_t feature, double centre, double factor);
void learn_features_clear(learn_features *features);
/* Of a number, over all rows: the sum of its steps, of at most LEARN_ONE each, and that of their squares over LEARN_ONE, less
 * LEARN_ONE each: what one row adds to the two is a vector of at most LEARN_ONE steps. */
void learn_number_sums(const learn_feature *feature, const dusk_frame *frame, int64_t *sum, int64_t *squares);
/* "age", "sex=Male", "1". */
void learn_feature_name(const learn_features *features, const dusk_fields *fields, size_t i,
                        dusk_buffer *out);

/* The vectors of a frame. */
typedef struct learn_matrix {
    tensor_rows rows; /* rows.x is owned */
    float *
        length; /* of each row in steps, rounded up to a whole number, at most bound; NULL: features->unmeasured */
    int32_t *code; /* class labels; NULL without */
    float *target; /* numeric labels in steps, [lower, upper] being [-LEARN_ONE, LEARN_ONE]; NULL without */
    double bound;  /* that of the features */
} learn_matrix;
/* Rows whose label is missing are left out, when there is a label. */
DUSK_MUST_USE dusk_status learn_matrix_make(learn_matrix *out, const learn_features *features,
                                            const dusk_frame *frame, dusk_error *err);
/* The same for prediction: all rows, labels are not looked at. */
DUSK_MUST_USE dusk_status learn_matrix_make_all(learn_matrix *out, const learn_features *features,
                                                const dusk_frame *frame, dusk_error *err);
/* Wipe and free. */
void learn_matrix_clear(learn_matrix *matrix);

/* Scale a row of doubles down into the ball of `bound` steps: whole numbers before and after. Returns how long it is then, rounded up to a
 * whole number. */
double learn_row_shorten(double *x, size_t width, double bound);

/* Does a row have a label: a declared category, or a finite number? `field` is that of the label. */
bool learn_row_labelled(const dusk_field *field, const dusk_frame_column *label, size_t row);
/* A numeric label: its value for a target in steps, and back (not rounded). */
double learn_target_value(const dusk_field *field, double steps);
double learn_target_steps(const dusk_field *field, double value);

#endif
