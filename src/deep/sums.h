/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_SUMS_H
#define DUSK_DEEP_SUMS_H

/* Clipped gradients, added up exactly. What an example adds is a vector of whole numbers, of steps, no longer than DEEP_STEPS of them:
 * a function of this example and the parameters alone. Sums of whole numbers are the same in any order, on any number of
 * threads, so one example more or less changes the total by exactly what it adds. Proof: sums.proof.md.
 *
 * No example's gradient is kept. Two ways for a layer of few parameters:
 *     outer   the gradient is a sum of outer products over positions, of numbers rounded to 16 bits: its length is known from
 *             the factors ["ghost norms": Goodfellow 2015; Li et al. 2022; Bu et al. 2023], and one product of matrices of whole numbers adds
 *             up all examples
 *     direct  it is made, rounded and added while it is in the cache
 * Which is cheaper is chosen by shapes. Where only a part of a layer is learned (tuning.h) it is the gradient by that part, and nothing else is
 * in the sum. A gradient of a few rows of a large matrix is made and added row by row, and memory is that of the rows
 * that were touched (touched.h). */

#include "deep/layer.h"
#include "deep/touched.h"
#include "deep/tuning.h"

#define DEEP_GRID (-22)
#define DEEP_PIECE 8192
#ifdef DEEP_DOUBLE /* a test looks at lengths, and nothing is released: steps so fine that lengths are right to the last digits of doubles, about */
#define DEEP_STEPS 0x1p60
#define DEEP_RIGHT_BITS 46
#define DEEP_LEFT_MOST 0x1p44
#else
#define DEEP_STEPS 0x1p22     /* what an example may add, in length */
#define DEEP_RIGHT_BITS 11    /* activations of an example are at most 2^DEEP_RIGHT_BITS steps long */
#define DEEP_LEFT_MOST 0x1p14 /* steps of a number of the other factor */
#endif

typedef enum deep_clipping {
    DEEP_CLIP_FLAT,   /* the whole gradient is held down to the clip [Abadi et al. 2016] */
    DEEP_CLIP_LAYERS, /* every layer to its share, clip / sqrt(layers) [McMahan et al. 2018] */
    DEEP_CLIP_AUTOMATIC, /* every gradient is scaled to about the clip: clip / (length + 0.01) [Bu et al. 2023] */
    DEEP_CLIP_ADAPTIVE, /* flat, the clip following a quantile of lengths (clip.h) */
} deep_clipping;

/* A matrix whose gradient is a sum of outer products. */
typedef struct deep_outer {
    deep_short *left,
        *right; /* of all examples of a pass: room * positions * rows, and * (columns + constant) */
    size_t positions, rows, columns; /* columns with the constant */
    size_t place;                    /* among the numbers of the sum */
    double power;                    /* activations of the example at hand are in steps of 1 / this */
} deep_outer;

/* What the sum has of a layer. */
typedef struct deep_share {
    enum { DEEP_NOTHING, DEEP_OUTER, DEEP_DIRECT, DEEP_ROWS } way;
    size_t group;
    size_t first, count; /* of what is learned: where its numbers are, and how many */
    size_t place;        /* of its totals; not with rows */
    size_t made;         /* where its gradient is, of the example at hand; direct, and rows */
    deep_outer outer[DEEP_TUNED_PAIRS];
    size_t outers;
    bool tuned;        /* not all of it is learned */
    deep_real *turned; /* factors of all examples of a pass that are made for that, and how many numbers */
    size_t turned_size;
    deep_touched touched;
    uint32_t *row; /* of the example at hand, and how many */
    size_t rows;
} deep_share;

/* Of an example and a group of layers. */
typedef struct deep_length {
    double square;  /* an upper bound of |g|^2 */
    double slack;   /* of the squared length of what rounding to steps adds, in steps */
    double largest; /* factor times this must be at most DEEP_LEFT_MOST: so that 16 bits hold it */
    double factor;
} deep_length;

typedef struct deep_sum {
    const deep_net *net;
    size_t room; /* of passes that are added */
    deep_clipping clipping;
    double clip;       /* the unit of a step is clip * 2^DEEP_GRID */
    size_t groups;     /* of layers, that are clipped by themselves */
    deep_share *share; /* of each layer */
    deep_real *made;   /* gradients of one example, where they are made */
    size_t made_size;
    deep_real *whole; /* gradient of one example by a layer of which a part is learned */
    size_t whole_size;
    deep_length *length; /* of each group, of one example: the last that was added; private */
    deep_real *gram;     /* scratch of outer layers of several positions, and its size */
    deep_count *gram16;
    size_t gram_size;
    size_t learned;   /* how many numbers have totals */
    size_t numbers;   /* the same but those of rows */
    deep_count *part; /* whole numbers, of `pending` examples */
    int64_t *total;   /* what was moved there */
    size_t pending;   /* at most 511 */
    int64_t *piece;   /* DEEP_PIECE totals of touched rows and others between them */
    uint64_t within;  /* how many examples were not held down: private */
} deep_sum;

/* For passes of this net, room and tuning. clip > 0. */
DUSK_MUST_USE dusk_status deep_sum_open(deep_sum *out, const deep_pass *pass, deep_clipping clipping,
                                        double clip, dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void deep_sum_close(deep_sum *sum);
/* Back to zero; and another clip from now on. */
void deep_sum_reset(deep_sum *sum, double clip);
/* Add the examples of a pass that went forward and back. */
DUSK_MUST_USE dusk_status deep_sum_add(deep_sum *sum, deep_pass *pass, dusk_error *err);
/* Add what another sum of the same net has. */
DUSK_MUST_USE dusk_status deep_sum_merge(deep_sum *sum, deep_sum *other, dusk_error *err);
/* Totals of the learned numbers from `first` on: as many of the *n as are in one piece, at least one, and *n is how many. Borrowed, until the
 * next call. */
const int64_t *deep_sum_totals(deep_sum *sum, size_t first, size_t *n);

#endif
