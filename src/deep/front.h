/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_FRONT_H
#define DUSK_DEEP_FRONT_H

/* The front of a net: its first layers, up to the first that has parameters or tosses coins. It is a public map, so what it makes of a row is worked out
 * once, before training, and training goes on from there with the rest of the net: an epoch costs what is learned. What a row becomes depends on this
 * row alone, as every pass has it (layer.h), and so does its rounding to 16 bits: rows with or without some other row become the same. */

#include "deep/rows.h"

/* How many layers; 0: it has none. A residual block is never cut. */
size_t deep_front_layers(const deep_net *net);
/* The front, and the rest: its parameters are those of `net`, where they are there. */
DUSK_MUST_USE dusk_status deep_front_split(const deep_net *net, deep_net *front, deep_net *rest,
                                           dusk_error *err);
/* All rows through a front. */
DUSK_MUST_USE dusk_status deep_front_run(const deep_net *front, deep_rows *rows, size_t threads,
                                         dusk_error *err);

#endif
