/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TENSOR_EXACT_H
#define DUSK_TENSOR_EXACT_H

/* Exact linear algebra on private rows, at the speed of BLAS.
 *
 * Rows are vectors of whole numbers ("steps" of a public grid), kept as floats. Products and sums of
 * whole numbers are exact in doubles while everything stays below 2^53, in any order, with or without
 * fused operations, on any number of lanes. So what BLAS gives is *the* sum, the same on every machine and
 * for every order of rows; adding or removing a row changes it by exactly what the row contributes. Who
 * releases such a sum needs no bound on rounding errors. Sums that could pass 2^53 are moved to 128-bit
 * integers in time.
 *
 *     tensor_block block;
 *     DUSK_TRY(tensor_block_open(&block, &rows, err));
 *     while (tensor_block_next(&block)) {
 *         tensor_block_multiply(&block, margins, weights, k);       margins = rows * weights^T
 *         ... coefficients from margins, row by row ...
 *         tensor_sum_combine(&sum, &block, coefficients, k, most);  sum += coefficients^T * rows
 *     }
 *
 * Proof: exact.proof.md. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/platform.h"

/* Whole numbers up to here are exact, in floats and in doubles. */
#define TENSOR_FLOAT_MOST 0x1p24
#define TENSOR_DOUBLE_MOST 0x1p53
/* What one row may add to a cell of a sum. */
#define TENSOR_ROW_MOST 0x1p43

/* Borrowed rows: rows * width whole numbers, |x| <= TENSOR_FLOAT_MOST, one row after the other. */
typedef struct tensor_rows {
    const float *x;
    size_t rows, width; /* width >= 1 */
} tensor_rows;

/* A few hundred rows at a time, as doubles. */
typedef struct tensor_block {
    const tensor_rows *source;
    double *x;    /* rows * width; whoever changes it, to other whole numbers, sets `changed` */
    bool changed; /* products and sums are of `x` then, not of the rows of the source */
    size_t first; /* number of the first row of the block */
    size_t rows;
    size_t room; /* the most rows of a block: what the caller's scratch must hold; a power of two <= 1024 */
} tensor_block;
DUSK_MUST_USE dusk_status tensor_block_open(tensor_block *out, const tensor_rows *source, dusk_error *err);
/* The next rows; false at the end, after which the block is as before the first. */
bool tensor_block_next(tensor_block *block);
/* The same without making doubles of them (`x` is then not to be read): for tensor_block_multiply and tensor_sum_combine with k = 1,
 * which read the rows as they are. */
bool tensor_block_advance(tensor_block *block);
/* Wipe and free; fine on a zeroed block. */
void tensor_block_close(tensor_block *block);

/* out[i * k + j] = row i of the block times vector j; `vectors` has k * width whole numbers. Exact when the
 * length of every row times that of every vector is at most 2^53 (Cauchy-Schwarz: then so is every partial
 * sum); otherwise finite and wrong by rounding, and the caller must not rely on it. */
void tensor_block_multiply(const tensor_block *block, double *out, const double *vectors, size_t k);

/* out[i] = |row i - centre which[i]|^2 of a block with doubles; without `which` there is one centre. Centres are whole numbers. Exact where
 * it is at most 2^53. */
void tensor_block_distances(const tensor_block *block, double *out, const double *centres,
                            const int32_t *which);

/* An exact sum of `cells` whole numbers. */
typedef struct tensor_sum {
    size_t cells;
    double *part;       /* whole numbers, |part| <= pending <= 2^53 */
    dusk_int128 *total; /* what was moved there */
    double pending;
    size_t
        triangle; /* of a gram: its width, while the lower triangle of `part` is not yet copied; 0: nothing to copy */
} tensor_sum;
DUSK_MUST_USE dusk_status tensor_sum_init(tensor_sum *out, size_t cells, dusk_error *err);
/* Back to zero. */
void tensor_sum_reset(tensor_sum *sum);
/* Wipe and free; fine on a zeroed sum. */
void tensor_sum_clear(tensor_sum *sum);
/* The exact totals so far, `cells` of them; valid until the sum is changed. */
const dusk_int128 *tensor_sum_totals(tensor_sum *sum);

/* `most` is for all of these the largest that one row adds to one cell in absolute value, at most
 * TENSOR_ROW_MOST; coefficients are whole numbers.
 *
 * combine: k * width cells, cell (j, c) += sum over rows i of coefficients[i * k + j] * x[i][c] */
void tensor_sum_combine(tensor_sum *sum, const tensor_block *block, const double *coefficients, size_t k,
                        double most);
/* gram: width * width cells, += sum of x x^T; both triangles. With `coefficients` (not NULL; one a row, >= 0 or
 * not): += sum of coefficient * x x^T, by way of `scratch`, room * width doubles. */
void tensor_sum_gram(tensor_sum *sum, const tensor_block *block, double most);
void tensor_sum_weighted_gram(tensor_sum *sum, const tensor_block *block, const double *coefficients,
                              double *scratch, double most);
/* scatter: rows of `width` whole numbers by group, cell (first + which[i] * stride + c) += x[i * width + c]; rows with which[i] < 0 are left out;
 * at most 1024 rows at once */
void tensor_sum_scatter(tensor_sum *sum, size_t first, size_t stride, const double *x, size_t rows,
                        size_t width, const int32_t *which, double most);
/* add: n cells from `cell` on, += values, whole numbers of at most `most` */
void tensor_sum_add(tensor_sum *sum, size_t cell, const double *values, size_t n, double most);

#endif
