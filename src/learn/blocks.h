/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_BLOCKS_H
#define DUSK_LEARN_BLOCKS_H

/* The rows of a frame as vectors of whole numbers (features.h), a few hundred at a time: for learners that look at them once and need
 * no matrix of all rows, and for learn_matrix_make, which makes one of them. Proof: blocks.proof.md. */

#include "learn/features.h"

typedef enum learn_blocks_kind {
    LEARN_BLOCKS_ALL,      /* every row */
    LEARN_BLOCKS_LABELLED, /* rows that have a label */
    LEARN_BLOCKS_JOINED,   /* the same, a numeric label being the last column; without a label: all */
} learn_blocks_kind;

typedef struct learn_blocks {
    tensor_block
        block; /* rows of `width` doubles; for the sums of tensor/exact.h but tensor_sum_combine of one vector, which wants
                           floats */
    tensor_rows shape;
    const learn_features *features;
    const dusk_frame *frame;
    size_t at;   /* the next row of the frame */
    size_t used; /* rows that were taken, so far */
    bool labelled, joined;
    double *columns; /* scratch, four times block.room */
    double *squares; /* of the lengths of the block's rows, without the label; up to the bound exact */
    size_t *taken;   /* where the block's rows are in the frame */
    int level;       /* tensor/lanes.h */
} learn_blocks;

DUSK_MUST_USE dusk_status learn_blocks_open(learn_blocks *out, const learn_features *features,
                                            const dusk_frame *frame, learn_blocks_kind kind, dusk_error *err);
/* The numeric labels of the block's rows in steps. */
void learn_blocks_labels(const learn_blocks *blocks, double *out);
/* The next block of at least one row, in out->block; false at the end. */
bool learn_blocks_next(learn_blocks *blocks);
/* Wipe and free; fine on a zeroed one. */
void learn_blocks_close(learn_blocks *blocks);

#endif
