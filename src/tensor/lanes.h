/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TENSOR_LANES_H
#define DUSK_TENSOR_LANES_H

/* Rows of floats times a vector of doubles, read once from memory and widened in registers: what is left of BLAS level 2
 * when rows are kept as floats. Sums are made in an order that the machine chooses; exact.h says when that is of no account. */

#include <stddef.h>

/* What this machine has: 2 AVX-512, 1 AVX2, 0 neither. Tests run all that there are. */
int tensor_lanes_level(void);
/* out[i] = row i times v. */
void tensor_lanes_multiply(int level, double *out, const float *x, size_t rows, size_t width,
                           const double *v);
/* cells[c] += sum over rows i of coefficients[i] * x[i][c]. */
void tensor_lanes_combine(int level, double *cells, const float *x, size_t rows, size_t width,
                          const double *coefficients);
/* Rows about a centre, scaled down towards zero to whole numbers: out = (x - centre) * ball / max(distance, radius), less 2^-40 of that. Every row
 * by itself, wherever it stands. Results must be below 2^31. `limit` is radius: rows nearer than it are scaled as if they were there. */
void tensor_lanes_into_ball(int level, double *out, const float *x, size_t rows, size_t width,
                            const double *centre, double radius, double limit, double ball);

#endif
