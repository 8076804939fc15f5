/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_FOURIER_H
#define DUSK_DEEP_FOURIER_H

/* Fourier transforms of small pictures, many side by side: numbers are rows x columns x lanes, and every lane is a picture of its own. Sides are
 * products of twos and threes. The numbers of a lane are the same bits whatever the others are. */

#include "deep/real.h"

typedef struct deep_plane {
    deep_real *re, *im;
} deep_plane;

/* The least such side that is at least n and a multiple of `step`, a power of two. */
size_t deep_fourier_side(size_t n, size_t step);
/* exp(-2 pi i k / n) for k < n: n cosines, then n sines. */
void deep_fourier_roots(deep_real *out, size_t n);

typedef struct deep_fourier {
    size_t rows, columns, lanes;
    const deep_real *row_roots, *column_roots; /* of sides that may be larger by the same factor */
    size_t all_rows, all_columns;              /* those sides */
} deep_fourier;
/* From *a to *a; *spare is overwritten. Backwards when re and im of both are swapped, but for a factor of rows * columns. The two planes may have
 * changed places. */
void deep_fourier_run(const deep_fourier *f, deep_plane *a, deep_plane *spare);

#endif
