/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_STREAM_H
#define DUSK_MECHANISMS_STREAM_H

/* The inside of dusk_stream. A release goes
 *     number -> whole number of grid steps      stream.c
 *            -> exact partial sums              binary_tree.c, matrix_factorisation.c
 *            -> the same with noise             stream.c, from a pool drawn before
 *            -> estimate of the wanted sum      the same and honaker.c (public)
 * Everything right of the noise is post-processing: it sees noisy sums only. */

#include "dusk/mechanisms.h"
#include "mechanisms/noise.h"
#include "numeric/fixed_sum.h"

#define DUSK_STREAM_LENGTH_MAX (UINT64_C(1) << 40)
#define DUSK_TREE_LEVELS_MAX 41
/* Noisy values end at +-2^80 steps; exact ones stay below half of it. */
#define DUSK_STREAM_WIDEST 80

/* A binary tree over steps 1, 2, ...: node i of level j holds the numbers of steps
 * i 2^j + 1 .. (i + 1) 2^j, and closes with the last of them. */
typedef struct dusk_tree {
    unsigned levels;                        /* of nodes that are ever released          */
    bool all;                               /* every node; otherwise those of even i     */
    uint64_t steps;                         /* taken so far                              */
    dusk_int128 left[DUSK_TREE_LEVELS_MAX]; /* private: exact sum of the last even node  */
    uint64_t room[DUSK_TREE_LEVELS_MAX];    /* public nodes kept per level               */
    dusk_int128 *kept[DUSK_TREE_LEVELS_MAX];
} dusk_tree;

/* Trees for sums of the last `window` of `length` steps, window <= length; `keep` all nodes. */
DUSK_MUST_USE dusk_status dusk_tree_new(dusk_tree *out, bool all, bool keep, uint64_t length, uint64_t window,
                                        dusk_error *err);
void dusk_tree_free(dusk_tree *tree);
/* floor(log2 n) + 1: the levels of nodes with at most n steps. */
unsigned dusk_tree_levels(uint64_t n);
/* How many nodes the next step will release: levels *first .. *first + result - 1. */
unsigned dusk_tree_closing(const dusk_tree *tree, unsigned *first);
/* Take the next step: the exact sums of the nodes that dusk_tree_closing announced. */
void dusk_tree_add(dusk_tree *tree, dusk_int128 number, dusk_int128 *sums);
/* The epoch of a step of a stream without a length: floor(log2 step). The caller starts such
 * a tree with steps = 1, and sets levels to epoch + 1 when an epoch begins. */
unsigned dusk_tree_epoch(uint64_t step);
/* Where the public value of node i of a level is kept. */
dusk_int128 *dusk_tree_node(const dusk_tree *tree, unsigned level, uint64_t i);

/* The fewest nodes that make up steps from + 1 .. to, one after the other: the level
 * of the next node, after which `from` moves on by 2^level. */
unsigned dusk_tree_next_level(unsigned levels, uint64_t from, uint64_t to);

/* Honaker's estimate of a node, as the fraction numerator / (2^(level + 1) - 1). The
 * node keeps the numerator in the place of its noisy sum. */
void dusk_honaker_close(const dusk_tree *tree, unsigned level, uint64_t i, dusk_int128 noisy);
/* The sum of steps from + 1 .. to in grid steps, to nearest. */
double dusk_honaker_sum(const dusk_tree *tree, uint64_t from, uint64_t to);

/* A lower triangular matrix C with constant diagonals, in units of 2^-30, and what is known
 * of A C^-1, A being the sums of the last `window` of `length` steps. */
#define DUSK_MATRIX_BITS 30
#define DUSK_MATRIX_LENGTH_MAX (UINT64_C(1) << 22)
#define DUSK_MATRIX_BANDS_MAX 4096
#define DUSK_MATRIX_INVERSE_MAX 8
typedef struct dusk_matrix {
    uint64_t bands;         /* diagonals that are not 0; at most the length      */
    uint64_t window;        /* at most the length                                */
    int64_t *diagonal;      /* c_0 = 2^30, c_1, ...                              */
    double norm, sizes;     /* of a column, rounded up: l2 and l1                */
    double *squares;        /* [t]: squared l2 norm of row t of A C^-1, bounded  */
    double *lengths;        /* [t]: its l1 norm, bounded                         */
    uint64_t steps;         /* taken so far                                      */
    size_t keep, room, at;  /* of the two below: the last `keep` are there       */
    int64_t *numbers;       /* private                                           */
    dusk_int128 *estimates; /* public: C^-1 of the noisy values                  */
    dusk_int128 total;      /* public: of the estimates in the window            */
} dusk_matrix;
/* The square root of the matrix of ones, cut off after `bands` diagonals. */
DUSK_MUST_USE dusk_status dusk_matrix_new(dusk_matrix *out, uint64_t length, uint64_t bands, uint64_t window,
                                          dusk_error *err);
void dusk_matrix_free(dusk_matrix *m);
/* Take the next number; the exact entry of C x, in units of 2^-30. */
dusk_int128 dusk_matrix_add(dusk_matrix *m, int64_t number);
/* Its noisy value has come: the estimate of the number, and of the sum, in the same unit. */
void dusk_matrix_estimate(dusk_matrix *m, dusk_int128 noisy);

/* A linear combination of independent noises, one weight for each. */
typedef struct dusk_combination {
    double squares; /* sum of squared weights, rounded up                   */
    double sizes;   /* sum of |weights|, rounded up                         */
    double largest; /* the largest |weight|, rounded up                     */
    unsigned count; /* > 0: so many weights; 0: it is not known             */
} dusk_combination;
/* A t, in the unit of `scale`, with P(|sum of weights x noise| > t) <= p. The noise is
 * round(Z) for Z ideal, or discrete Laplace, in units of 1. */
double dusk_combination_tail(const dusk_combination *c, dusk_noise_law law, double scale, double p);

struct dusk_stream {
    dusk_stream_options options; /* its unit is the one below */
    char unit[64];
    uint64_t window;        /* at most length                                          */
    dusk_fixed_clamp clamp; /* of numbers                                              */
    unsigned shift;         /* the grid of numbers is 2^shift steps of that of the noise */
    unsigned touched;       /* released sums of a tree that one item is in, at most    */
    double distance;        /* how far one unit moves all numbers together, in steps of the
                               noise: trees: l1 norm, whole; matrices: what the norm of a
                               column is multiplied with                               */
    dusk_noise noise;       /* of one released sum (without a length: in this epoch)   */
    double unit_scale;      /* without a length: what an epoch of one level has        */
    unsigned width;         /* coins at a time: 64, fewer in tests                     */
    size_t batch;           /* draws at a time                                         */
    dusk_pool pool;
    size_t used; /* of the pool */
    dusk_tree tree;
    dusk_matrix matrix;
};

/* Whether there is neither a length nor a window. */
bool dusk_stream_is_endless(const dusk_stream_options *options);
/* The scale of the noise in an epoch of such a stream. */
double dusk_stream_epoch_scale(const dusk_stream *s, unsigned epoch);
/* Whether C x is released, and not the nodes of a tree. */
bool dusk_stream_is_matrix(const dusk_stream_options *options);

/* stream_calibration.c: fix grid, distance and noise of a stream whose options were checked
 * and whose tree or matrix is there. */
DUSK_MUST_USE dusk_status dusk_stream_calibrate(dusk_stream *s, int grid, dusk_error *err);
/* The event of the whole run with this noise. */
DUSK_MUST_USE dusk_status dusk_stream_event_of(const dusk_stream *s, const dusk_noise *noise, dusk_event *out,
                                               dusk_error *err);
/* How far one item can move the number of its step. */
double dusk_stream_item_reach(const dusk_stream_options *options);

/* dusk_stream_new on the grid 2^grid (DUSK_GRID_DEFAULT: as the public function
 * chooses it), with `width` coins and `batch` draws at a time. */
DUSK_MUST_USE dusk_status dusk_stream_new_on(dusk_stream **out, const dusk_stream_options *options, int grid,
                                             unsigned width, size_t batch, dusk_error *err);

#endif
