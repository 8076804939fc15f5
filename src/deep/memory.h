/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_MEMORY_H
#define DUSK_DEEP_MEMORY_H

/* What a training takes of memory besides the rows and the few bytes that there are of each row: an upper bound, from shapes alone. It is the same as so many
 * threads and so many rows at a time need; neither changes what is released, since sums are of whole numbers. Rows of embeddings that steps touch are private,
 * so that all of them are counted. */

#include "deep/training.h"

typedef struct deep_needs {
    double before;      /* of the front of the net, a thread */
    double fixed;       /* of steps */
    double thread, row; /* a thread of them, and a row of a pass of it */
    double check;       /* a thread, while public rows are looked at, besides `row` of as many rows */
    double find;        /* while directions of a subspace are found, which is at another time */
    double ahead;       /* with several threads */
    double after;       /* when steps are over, or before they begin */
    double always;
} deep_needs;

/* `plan`: of the net that is learned, whose front (without layers: none) is taken off; `state`: bytes of a state. */
DUSK_MUST_USE dusk_status deep_needs_of(deep_needs *out, const deep_plan *plan, const deep_net *front,
                                        const learn_job *job, dusk_error *err);
double deep_needs_bytes(const deep_needs *needs, size_t threads, size_t room);

/* As many of plan->threads and of plan->room, which is the most that is good, as `bytes` allow. DUSK_ERR_ARGUMENT says what would do. */
DUSK_MUST_USE dusk_status deep_fit_memory(deep_plan *plan, const deep_needs *needs, double bytes,
                                          dusk_error *err);

#endif
