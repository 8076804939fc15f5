/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_CHOLESKY_H
#define DUSK_DEEP_CHOLESKY_H

/* Symmetric positive definite systems of equations, eight at a time, one in each lane of a vector: what is done to one number of a system is done to this
 * number of all eight, so that eight are solved in the time of one, small ones like large ones. A lane is by itself: its solution is, to the last bit, that of
 * plain Cholesky in doubles (tests/unit/deep/cholesky.c has it), whatever is in other lanes, infinities and what is no number included, and however
 * large their systems are.
 *
 * All have the room of the largest, in tiles; what is beyond the unknowns of a smaller one may be anything and is not looked at. Of matrices there is the
 * upper half: of all eight, for n unknowns, 32 n^2 bytes and a kilobyte times n. Proof: cholesky.proof.md. */

#include <stddef.h>

#include "base/error.h"

enum { DEEP_CHOLESKY_LANES = 8, DEEP_CHOLESKY_TILE = 4 };

typedef struct deep_cholesky {
    int level;
    void *room;
    size_t lines;                    /* of eight doubles, in it */
    double *cell;                    /* the first line */
    size_t size, width;              /* rows, and columns with those of right sides */
    size_t own[DEEP_CHOLESKY_LANES]; /* unknowns of each */
} deep_cholesky;

/* Room for `most` unknowns and `sides` right sides. Level: tensor_lanes_level() or less; all give the same. */
DUSK_MUST_USE dusk_status deep_cholesky_open(deep_cholesky *out, int level, size_t most, size_t sides,
                                             dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void deep_cholesky_close(deep_cholesky *s);

/* Systems of own[0], ..., own[7] unknowns, whose right sides are zero; matrices are to be put in. */
void deep_cholesky_begin(deep_cholesky *s, const size_t *own, size_t sides);
/* Rows first, ..., first + count - 1 of all matrices, from the diagonal on; `ridge` is added on it. Element (i, j) of matrix l is at
 * from[(l * count + i - first) * stride + j - first] for i, j < own[l]; other numbers there are anything. `first` and `count` are multiples of
 * DEEP_CHOLESKY_TILE, first + count <= size <= first + stride. */
void deep_cholesky_put(deep_cholesky *s, size_t first, size_t count, const float *from, size_t stride,
                       double ridge);
/* Number `side` of row i of the right sides, of the eight systems; after deep_cholesky_solve, of solutions. */
double *deep_cholesky_side(const deep_cholesky *s, size_t i, size_t side);
/* A pivot below `least`, or that is no number, is `least`. */
void deep_cholesky_solve(deep_cholesky *s, double least);

#endif
