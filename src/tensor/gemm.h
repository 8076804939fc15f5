/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TENSOR_GEMM_H
#define DUSK_TENSOR_GEMM_H

/* Products of matrices of floats whose every element is made by the same operations in the same order, whatever the number of
 * rows and columns and wherever the element stands: so a row of a product depends on this row of the left matrix alone, which
 * BLAS does not promise. And products of 16-bit whole numbers, which are exact.
 *
 * Element (i, j) of a matrix is at[i * row + j * column]: transposes and slices are strides. Fast are right matrices
 * with column = 1 (floats are then not even copied for few rows or columns) or with row = 1, which are turned first; left ones
 * with column = 1 or row = 1. Any others are slower, and right.
 *
 *     x W^T, W of n rows and k columns:   a = { x, k, 1 }, b = { W, 1, k }
 *     d W,   W of k rows and n columns:   a = { d, k, 1 }, b = { W, n, 1 }
 *     d^T x, of k examples:               a = { d, 1, m }, b = { x, n, 1 }
 *
 * Proof: gemm.proof.md. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct tensor_view {
    const float *at;
    size_t row, column;
} tensor_view;

typedef struct tensor_view16 {
    const int16_t *at;
    size_t row, column;
} tensor_view16;

/* Room for copied pieces, about a megabyte; a value of one thread, good for products of any size one after the other. */
typedef struct tensor_gemm_work {
    void *room;
    size_t used; /* cells from its start on: no others were written to */
} tensor_gemm_work;
size_t tensor_gemm_bytes(void); /* of one that is open */
DUSK_MUST_USE dusk_status tensor_gemm_open(tensor_gemm_work *out, dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void tensor_gemm_close(tensor_gemm_work *work);

/* c (m x n, rows `stride` apart) = a (m x k) times b (k x n), or c += that. With s = c[i][j], or s = 0 without `add`, the
 * element is
 *     for (p = 0; p < k; p++) s = fmaf(a[i][p], b[p][j], s);
 * to the last bit, whatever m, n, the strides and the other elements are (but for the bits of a NaN). At level 0, which is for
 * machines without fused multiply-add, it is s = s + a * b with both rounded. Level: tensor_lanes_level() or less; levels 1 and
 * 2 give the same. c must not overlap a or b. m, n, k may be 0. */
void tensor_gemm(int level, float *c, size_t stride, tensor_view a, tensor_view b, size_t m, size_t n,
                 size_t k, bool add, tensor_gemm_work *work);
/* c += a times b, exactly, modulo 2^32, at all levels; the caller sees to it that totals stay within 31 bits. Fast as above,
 * and for a with column = 1 and even k nothing of it is copied. */
void tensor_gemm16(int level, int32_t *c, size_t stride, tensor_view16 a, tensor_view16 b, size_t m, size_t n,
                   size_t k, tensor_gemm_work *work);

#endif
