/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_TOUCHED_H
#define DUSK_DEEP_TOUCHED_H

/* Sums of rows of a matrix of which few are touched, as by the examples of a step in an embedding of many: memory is that of the rows that
 * were, not of the matrix. Whole numbers, so that the order does not matter. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct deep_touched {
    size_t rows, width; /* of the matrix */
    size_t count, room; /* rows that were touched */
    uint32_t *row;      /* which, in the order of their coming */
    int64_t *total;     /* `width` numbers each */
    uint64_t *order;    /* row << 32 | which of them, ascending where `sorted` */
    uint32_t *place;    /* of a row, by hash: one more than its number above; 0: free */
    size_t places;      /* a power of two, at least 2 * room */
    bool sorted;
} deep_touched;

/* rows < 2^32. */
void deep_touched_open(deep_touched *out, size_t rows, size_t width);
/* What it may take at most, when all rows are touched: while it grows, the old one is still there. */
double deep_touched_bytes(const deep_touched *t);
/* Wipe and free; fine on a zeroed one. */
void deep_touched_close(deep_touched *t);
/* Nothing is touched; room stays. */
void deep_touched_reset(deep_touched *t);
/* Room for `more` rows besides those that are there. */
DUSK_MUST_USE dusk_status deep_touched_expect(deep_touched *t, size_t more, dusk_error *err);
/* The sums of this row; there is room (deep_touched_expect). */
int64_t *deep_touched_row(deep_touched *t, uint32_t row);
/* Add all of another one of the same matrix. */
DUSK_MUST_USE dusk_status deep_touched_merge(deep_touched *t, const deep_touched *other, dusk_error *err);
/* Numbers `first` to first + n - 1 of the matrix, row after row. */
void deep_touched_copy(deep_touched *t, size_t first, size_t n, int64_t *out);

#endif
