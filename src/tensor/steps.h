/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TENSOR_STEPS_H
#define DUSK_TENSOR_STEPS_H

/* Numbers to whole steps of a grid, many at a time. Every number by itself, by the same operations in the same order on every
 * machine (none is fused): so a row's steps do not depend on its place. */

#include <stddef.h>

typedef struct tensor_scale {
    double missing;        /* what NaN and infinities count as */
    double lower, upper;   /* clamped into them, first */
    double centre, factor; /* then (x - centre) * factor */
    double most;           /* then clamped to +-most, below 2^30 / one */
    double one;            /* then times this, toward zero */
} tensor_scale;

/* out[i] = steps of x[i], i < n. Level: as in lanes.h; all give the same. */
void tensor_steps(int level, double *out, const double *x, size_t n, const tensor_scale *scale);
/* out[i * stride + c] = x[c * room + i] for i < n, c < columns: columns become rows, eight at a time. */
void tensor_interleave(double *out, size_t stride, const double *x, size_t room, size_t n, size_t columns);

#endif
