/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_NUMBERS_H
#define DUSK_TABLE_NUMBERS_H

/* Numbers of a column, however they are kept: as doubles, or as bytes. */

#include "dusk/frame.h"

static inline double table_number(const dusk_frame_column *column, size_t row)
{
    return column->byte ? column->byte[row] : column->number[row];
}

/* `n` of them from row `first` on: where they lie, or in `room`, which has room for them. */
static inline const double *table_numbers(const dusk_frame_column *column, size_t first, size_t n,
                                          double *room)
{
    if (!column->byte) return column->number + first;
    for (size_t i = 0; i < n; i++) room[i] = column->byte[first + i];
    return room;
}

#endif
