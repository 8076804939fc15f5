/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_PLAIN_H
#define DUSK_DEEP_PLAIN_H

/* Sums of gradients as they are, without clipping, in floats: training without privacy, which is the floor that private training is
 * measured against, and a baseline. Nothing here may feed a release. */

#include "deep/layer.h"

typedef struct deep_plain {
    deep_real *total; /* of each parameter */
    deep_real *one;   /* gradient of one example by one layer */
    uint32_t *row;    /* of it, where it is of a few rows */
    size_t parameters, most, positions;
} deep_plain;

DUSK_MUST_USE dusk_status deep_plain_open(deep_plain *out, const deep_net *net, dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void deep_plain_close(deep_plain *plain);
void deep_plain_reset(deep_plain *plain);
/* Add the examples of a pass that went forward and back: one product of matrices a layer. */
void deep_plain_add(deep_plain *plain, deep_pass *pass);
void deep_plain_merge(deep_plain *plain, const deep_plain *other);

#endif
