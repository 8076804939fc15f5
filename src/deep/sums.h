/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_SUMS_H
#define DUSK_DEEP_SUMS_H

/* Clipped gradients, added up exactly. What an example adds is a vector of whole numbers, of steps, no longer than DEEP_STEPS of them:
 * a function of this example and the parameters alone. Sums of whole numbers are the same in any order, on any number of
 * threads, so one example more or less changes the total by exactly what it adds. Proof: sums.proof.md.
 *
 * No example's gradient is kept. Two ways for a layer:
 *     outer   the gradient is a sum of outer products over positions, of numbers rounded to 16 bits: its length is known from
 *             the factors ["ghost norms": Goodfellow 2015; Li et al. 2022; Bu et al. 2023], and one product of matrices of whole numbers adds
 *             up all examples
 *     direct  it is made, rounded and added while it is in the cache
 * Which is cheaper is chosen by shapes. */

#include "deep/layer.h"

#define DEEP_GRID (-22)
#define DEEP_STEPS 0x1p22 /* what an example may add, in length */

typedef enum deep_clipping {
    DEEP_CLIP_FLAT,   /* the whole gradient is held down to the clip [Abadi et al. 2016] */
    DEEP_CLIP_LAYERS, /* every layer to its share, clip / sqrt(layers) [McMahan et al. 2018] */
    DEEP_CLIP_AUTOMATIC, /* every gradient is scaled to about the clip: clip / (length + 0.01) [Bu et al. 2023] */
    DEEP_CLIP_ADAPTIVE, /* flat, the clip following a quantile of lengths (clip.h) */
} deep_clipping;

typedef struct deep_outer {
    int16_t *left,
        *right; /* of all examples of a pass: room * positions * rows, and * (columns + constant) */
    size_t positions, rows, columns; /* columns with the constant */
} deep_outer;

typedef struct deep_sum {
    const deep_net *net;
    size_t room; /* of passes that are added */
    deep_clipping clipping;
    double clip;                /* the unit of a step is clip * 2^DEEP_GRID */
    size_t groups;              /* of layers, that are clipped by themselves */
    size_t *group;              /* of each layer */
    deep_outer *outer;          /* of each layer; positions 0: direct */
    deep_real *direct;          /* gradients of one example by all direct layers, where the parameters are */
    struct deep_length *length; /* of each group, of one example: see sums.c */
    double *power;   /* of each layer: activations of the example at hand are in steps of 1 / this */
    deep_real *gram; /* scratch of outer layers of several positions, and its size */
    int32_t *gram16;
    size_t gram_size;
    int32_t *part;   /* whole numbers, of `pending` examples */
    int64_t *total;  /* what was moved there */
    size_t pending;  /* at most 511 */
    uint64_t within; /* how many examples were not held down: private */
} deep_sum;

/* For passes of this net and room. clip > 0. */
DUSK_MUST_USE dusk_status deep_sum_open(deep_sum *out, const deep_pass *pass, deep_clipping clipping,
                                        double clip, dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void deep_sum_close(deep_sum *sum);
/* Back to zero; and another clip from now on. */
void deep_sum_reset(deep_sum *sum, double clip);
/* Add the examples of a pass that went forward and back. */
void deep_sum_add(deep_sum *sum, deep_pass *pass);
/* Add what another sum of the same net has. */
void deep_sum_merge(deep_sum *sum, deep_sum *other);
/* The totals, a number for each parameter; borrowed. */
const int64_t *deep_sum_totals(deep_sum *sum);

#endif
