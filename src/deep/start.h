/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_START_H
#define DUSK_DEEP_START_H

/* Parameters to begin with, out of a model that is public: of the same net, or of one that has the same first layers. Whether a model is public nobody can see from
 * it; who trains says so (`start_is=public`): it may know nothing of the rows, or be paid for already. */

#include "deep/layer.h"

typedef struct deep_start {
    float *parameters; /* of the first `layers` layers */
    size_t count, layers;
    bool plain; /* the model was trained without privacy: its statement is none */
} deep_start;

/* The parameters of all first layers that are the same in the model and in `net`, at most `most` layers. DUSK_ERR_ARGUMENT when there are none, or it is no network. */
DUSK_MUST_USE dusk_status deep_start_read(deep_start *out, const deep_net *net, const char *path, size_t most,
                                          dusk_error *err);
/* Fine on a zeroed one. */
void deep_start_clear(deep_start *start);

#endif
