/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_BLOCKS_H
#define DUSK_LEARN_BLOCKS_H

/* The rows of a frame as vectors of whole numbers (features.h), a few hundred at a time, for learners that look at them
 * once: no matrix of all rows is made. The same numbers as those of learn_matrix_make. Proof: blocks.proof.md. */

#include "learn/features.h"

typedef struct learn_blocks {
    tensor_block
        block; /* rows of `width` doubles; for the sums of tensor/exact.h but tensor_sum_combine of one vector, which wants
                           floats */
    tensor_rows shape;
    const learn_features *features;
    const dusk_frame *frame;
    size_t at;   /* the next row of the frame */
    size_t used; /* rows that had a label, so far */
    bool label;  /* a numeric label is the last column, behind those of the features */
    double *columns, *squares;
    size_t *taken;
    int level; /* tensor/lanes.h */
} learn_blocks;

DUSK_MUST_USE dusk_status learn_blocks_open(learn_blocks *out, const learn_features *features,
                                            const dusk_frame *frame, dusk_error *err);
/* The next block of at least one row, in out->block; false at the end. */
bool learn_blocks_next(learn_blocks *blocks);
/* Wipe and free; fine on a zeroed one. */
void learn_blocks_close(learn_blocks *blocks);

#endif
