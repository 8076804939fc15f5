/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_SUBSPACE_H
#define DUSK_DEEP_SUBSPACE_H

/* Gradients of a net lie near a space of few dimensions, which gradients of public rows find [Zhou et al. 2021; Yu et al. 2021]. What an example adds to a step
 * is then the coordinates of its gradient along a few directions of length 1, orthogonal to each other but for rounding: only these are clipped, summed up and have noise, and the step
 * goes along the directions. What of a gradient is in no direction is lost.
 *
 * Directions are made of public rows and of parameters that were released, and found anew after so many steps. Public rows need no labels: gradients of labels by
 * chance span the same space nearly as well [Yu et al. 2021], since where they differ is the last layer. */

#include "deep/loss.h"
#include "deep/rows.h"

enum { DEEP_DIRECTIONS_MOST = 1024, DEEP_COORDINATES_BLOCK = 16 };
#define DEEP_SUBSPACE_MOST                                                                                   \
    ((double)(1 << 28)) /* numbers of all directions, of public gradients and of a few private ones */

typedef struct deep_subspace {
    size_t numbers;       /* of a gradient */
    size_t directions;    /* of the plan; where fewer are found the others are zero */
    deep_real *direction; /* directions x numbers */
} deep_subspace;

/* How many public rows are looked at for so many directions. */
size_t deep_subspace_rows(size_t directions, size_t rows);

DUSK_MUST_USE dusk_status deep_subspace_open(deep_subspace *out, const deep_net *net, size_t directions,
                                             dusk_error *err);
/* Fine on a zeroed one. */
void deep_subspace_close(deep_subspace *s);
/* The directions in which gradients of public rows at these parameters are longest, all rows counting alike. */
DUSK_MUST_USE dusk_status deep_subspace_find(deep_subspace *s, const deep_net *net, deep_loss loss,
                                             const deep_real *parameters, const deep_rows *rows,
                                             dusk_generator *gen, dusk_error *err);
/* What it takes to find so many among so many rows, for as long. */
double deep_subspace_bytes(const deep_net *net, size_t directions, size_t rows);
/* A gradient by its coordinates. */
void deep_subspace_expand(const deep_subspace *s, const float *coordinates, float *out);
/* Coordinates of a gradient: without privacy. */
void deep_subspace_take(const deep_subspace *s, const deep_real *gradient, float *out);

/* Coordinates of the examples of passes, as a net of one layer that has them for its gradients: so that sums.h adds them up. */
typedef struct deep_coordinates {
    const deep_subspace *subspace;
    deep_net net;
    deep_layer layer;
    deep_pass pass;
    deep_real *gradient; /* of DEEP_COORDINATES_BLOCK examples */
} deep_coordinates;

/* `pass`: those that are to be looked at. What is opened must not be moved. */
DUSK_MUST_USE dusk_status deep_coordinates_open(deep_coordinates *out, const deep_subspace *s,
                                                const deep_pass *pass, dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void deep_coordinates_close(deep_coordinates *c);
/* Of a pass that went forward and back, to c->pass. Those of an example are made of this example alone. */
void deep_coordinates_make(deep_coordinates *c, deep_pass *pass);

#endif
