/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_SLICES_H
#define DUSK_LEARN_SLICES_H

/* The rows of a caller's frame as a model wants them, some thousand at a time: columns in the order of the model's fields,
 * found by name, so that predictions and scores need little memory besides the frame. Nothing is copied. */

#include "learn/model.h"

typedef struct learn_slices {
    const dusk_model *model;
    const dusk_frame *source;
    size_t *from;     /* for each field of the model the column of the source; DUSK_NO_LINK: no label there */
    dusk_frame slice; /* columns of labels are NULL in it */
    const dusk_frame_column *label; /* of the source, all rows; NULL when it has none */
    size_t first;                   /* number of the slice's first row */
    size_t room;                    /* the most rows of a slice */
    bool begun;
} learn_slices;

/* DUSK_ERR_ARGUMENT when `have` lacks a field of the model other than the label, or has it as another kind or with
 * other categories. Bounds may differ: the model's count. `from` (may be NULL): where each field of the model is. */
DUSK_MUST_USE dusk_status learn_fields_fit(const dusk_model *model, const dusk_fields *have, size_t *from,
                                           dusk_error *err);
/* Of a frame whose fields fit. */
DUSK_MUST_USE dusk_status learn_slices_open(learn_slices *out, const dusk_model *model,
                                            const dusk_frame *frame, dusk_error *err);
/* The next slice; false at the end, after which it is as before the first. */
bool learn_slices_next(learn_slices *slices);
/* Fine on a zeroed one. */
void learn_slices_close(learn_slices *slices);

#endif
