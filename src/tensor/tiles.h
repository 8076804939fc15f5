/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TENSOR_TILES_H
#define DUSK_TENSOR_TILES_H

/* Products of narrow matrices of doubles in registers, where a call of BLAS costs more than the work: rows of some tens of columns.
 * Only for machines with AVX-512 (level 2 of lanes.h); elsewhere, and for wide rows, false is returned and nothing done: BLAS
 * is as good there. Sums are made in an order that the machine chooses; exact.h says when that is of no account. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* cells[a * width + b] += sum over rows i of x[i][a] * x[i][b], for b >= a at least: what is below the diagonal is left undefined. */
bool tensor_tiles_gram(int level, double *cells, const double *x, size_t rows, size_t width);
/* out[i * k + j] = row i times vector j. */
bool tensor_tiles_multiply(int level, double *out, const double *x, size_t rows, size_t width,
                           const double *vectors, size_t k);

/* Of all machines: floats as doubles and back; */
void tensor_tiles_widen(int level, double *out, const float *x, size_t n);
void tensor_tiles_narrow(int level, float *out, const double *x, size_t n);
/* squared distances of rows, out[i] = |x[i] - centres[which[i]]|^2, to the one centre without `which`; */
void tensor_tiles_distances(int level, double *out, const double *x, size_t rows, size_t width,
                            const double *centres, const int32_t *which);
/* rows added to the cells of their group, cells[which[i] * stride + c] += x[i][c], none for which[i] < 0. */
void tensor_tiles_scatter(int level, double *cells, size_t stride, const double *x, size_t rows, size_t width,
                          const int32_t *which);

#endif
