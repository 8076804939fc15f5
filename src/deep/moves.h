/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_MOVES_H
#define DUSK_DEEP_MOVES_H

/* Public pictures that are moved a little: turned, slanted, made larger or smaller, shifted. They stay what they are pictures of, so what a move does to a vector
 * says nothing of its class. That is learned from public rows alone, and costs no privacy [tangent distance: Simard, LeCun & Denker 1993]. */

#include "deep/map.h"
#include "deep/rows.h"

enum { DEEP_MOVES = 8 };

/* Whether rows of this shape are pictures. */
static inline bool deep_is_picture(deep_shape shape) { return shape.height > 1 && shape.width > 1; }
/* The same pictures after move number `move`, as numbers; to be cleared. Places beyond the sides are as the side is. */
DUSK_MUST_USE dusk_status deep_rows_move(deep_rows *out, const deep_rows *rows, deep_shape picture,
                                         size_t move, dusk_error *err);
/* Vectors of `count` rows, and then `copies` times those of their moved copies, count * map->width each: directions along which copies differ from their rows are
 * made shorter, in the map and in the vectors. */
DUSK_MUST_USE dusk_status deep_map_shorten(deep_map *map, float *x, size_t count, size_t copies,
                                           dusk_error *err);

#endif
