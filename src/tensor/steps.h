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
/* The same for four columns at once, straight into rows: out[i * stride + c] = steps of x[c][i], c < 4, i < n; and
 * squares[i] += the sum of the squares of the four. */
void tensor_steps_rows(int level, double *out, size_t stride, double *squares, const double *const *x,
                       size_t n, const tensor_scale *scale);

#endif
