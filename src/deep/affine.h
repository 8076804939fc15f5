/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_AFFINE_H
#define DUSK_DEEP_AFFINE_H

/* y = W (x, 1): what dense layers, convolutions, recurrent cells and attention are made of. W has `rows` rows of columns + 1 numbers, the
 * last of a row being its constant. */

#include "deep/layer.h"

typedef struct deep_affine {
    const deep_real *weights;
    size_t rows, columns;
} deep_affine;

/* Uniform, of variance 2 / (rows + columns) [Glorot & Bengio 2010]; constants 0. */
void deep_affine_start(deep_real *weights, size_t rows, size_t columns, double (*uniform)(void *coins),
                       void *coins);
/* y_t = W (x_t, 1) for `n` vectors, one after the other. */
void deep_affine_forward(deep_pass *pass, const deep_affine *map, const deep_real *x, deep_real *y, size_t n);
/* dx_t = W^T dy_t without the constant. */
void deep_affine_backward(deep_pass *pass, const deep_affine *map, const deep_real *dy, deep_real *dx,
                          size_t n);
/* out[r * step] (or what is added to it) = the sum over positions t of left[t * left_step + r], in order: the gradient of constants. */
void deep_affine_constants(const deep_real *left, size_t left_step, size_t positions, size_t rows,
                           deep_real *out, size_t step, bool add);
/* The gradient that the factors stand for. */
void deep_affine_gradient(deep_pass *pass, const deep_factors *f, deep_real *out);

#endif
