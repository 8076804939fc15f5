/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_FRONT_H
#define DUSK_DEEP_FRONT_H

/* The front of a net: its first layers, up to the first that learns parameters or tosses coins; and before that so many as are frozen, whose parameters are
 * public and stay, and whose coins are not tossed. It is a public map, so what it makes of a row is worked out
 * once, before training, and training goes on from there with the rest of the net: an epoch costs what is learned. What a row becomes depends on this
 * row alone, as every pass has it (layer.h), and so does its rounding to 16 bits: rows with or without some other row become the same. */

#include "deep/rows.h"

/* How many layers; 0: it has none. A residual block is never cut. */
size_t deep_front_layers(const deep_net *net);
/* Layers from `first` up to `end`, as a net, whose parameters are counted from its own first one; to be cleared. No residual block may be cut. */
DUSK_MUST_USE dusk_status deep_net_part(const deep_net *net, size_t first, size_t end, deep_net *out,
                                        dusk_error *err);
/* The front, and the rest: its parameters are those of `net`, where they are there. */
DUSK_MUST_USE dusk_status deep_front_split(const deep_net *net, deep_net *front, deep_net *rest,
                                           dusk_error *err);
/* The same with `frozen` first layers that are not learned. DUSK_ERR_ARGUMENT where they cannot be taken apart from the rest, or leave nothing to learn. Parameters of the rest
 * are counted from its own first one. */
DUSK_MUST_USE dusk_status deep_front_split_at(const deep_net *net, size_t frozen, deep_net *front,
                                              deep_net *rest, dusk_error *err);
/* Rows that are on their way at a time, in a thread. */
size_t deep_front_room(const deep_net *front);
/* All rows through a front. */
DUSK_MUST_USE dusk_status deep_front_run(const deep_net *front, deep_rows *rows, size_t threads,
                                         dusk_error *err);
/* The same with parameters of frozen layers. */
DUSK_MUST_USE dusk_status deep_front_run_with(const deep_net *front, const float *parameters, deep_rows *rows,
                                              size_t threads, dusk_error *err);

#endif
