/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_LABELS_H
#define DUSK_LEARN_LABELS_H

/* Several labels at once, of the task LABELS: fields that are categories of two values, the second being the "yes". They are named in one
 * text, "," between them, and are kept in the order of the fields. None of them is a column to learn from. */

#include "base/buffer.h"
#include "dusk/frame.h"
#include "learn/features.h"

#define LEARN_LABELS_MOST 4096

typedef struct learn_labels {
    size_t *field; /* their numbers among the fields, ascending */
    size_t count;  /* 0: not of this task */
} learn_labels;

/* DUSK_ERR_ARGUMENT: no field is called so. The hint is one that is nearly, or this one. */
dusk_status learn_label_unknown(const dusk_fields *fields, const char *label, const char *hint,
                                dusk_error *err);
/* DUSK_ERR_ARGUMENT unless the text names such fields, each once. */
DUSK_MUST_USE dusk_status learn_labels_read(learn_labels *out, const dusk_fields *fields, const char *text,
                                            dusk_error *err);
void learn_labels_clear(learn_labels *labels);
DUSK_MUST_USE dusk_status learn_labels_copy(learn_labels *out, const learn_labels *labels, dusk_error *err);
bool learn_labels_have(const learn_labels *labels, size_t field);
/* The text that reads back. */
void learn_labels_add(const learn_labels *labels, const dusk_fields *fields, dusk_buffer *out);

/* Take the columns of labels out of features. DUSK_ERR_ARGUMENT when nothing is left to learn from. */
DUSK_MUST_USE dusk_status learn_labels_leave_out(const learn_labels *labels, learn_features *features,
                                                 dusk_error *err);

#endif
