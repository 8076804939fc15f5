/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_MAP_H
#define DUSK_DEEP_MAP_H

/* A public map from rows to short vectors, learned from public rows: the layers of a net that come before the first one that learns
 * (`scatter 2 8; output`: the scattering transform), each number divided by the root of its deviation over public rows, and the directions in which
 * public rows differ most. What it makes of a row depends on this row and the map alone, bit for bit. */

#include "deep/layer.h"
#include "deep/rows.h"

typedef struct deep_map {
    const deep_net *layers; /* the front of a net (front.h); borrowed */
    size_t from, width;     /* numbers after the layers, and after the map */
    float *centre,
        *each;    /* of numbers after the layers: what is taken off, and what they are multiplied by */
    float *basis; /* width directions of `from` numbers; NULL: the numbers as they are */
} deep_map;

/* Rows through layers without parameters, `threads` at a time: out has rows * size numbers. */
DUSK_MUST_USE dusk_status deep_rows_through(const deep_net *layers, const deep_rows *rows, float *out,
                                            size_t threads, dusk_error *err);

/* By `count` vectors of public rows that went through the layers; at most `width` directions. */
DUSK_MUST_USE dusk_status deep_map_make(deep_map *out, const deep_net *front, const float *open, size_t count,
                                        size_t width, dusk_error *err);
/* Fine on a zeroed one. */
void deep_map_clear(deep_map *map);
/* rows * map->width numbers. */
DUSK_MUST_USE dusk_status deep_map_rows(const deep_map *map, const deep_rows *rows, float *out,
                                        size_t threads, dusk_error *err);
/* The same of vectors that went through the layers. `work` is of one thread, `room` has count * from numbers. */
void deep_map_vectors(const deep_map *map, const float *x, size_t count, float *out, float *room,
                      tensor_gemm_work *work);

#endif
