/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_TUNING_H
#define DUSK_DEEP_TUNING_H

/* Tuning fewer numbers than a net has parameters. What a step releases has noise in every coordinate that is learned, so the fewer there are, the
 * less noise there is. The rest is public: it comes from a model to start with, and stays.
 *
 *     constants   of affine maps; gains and offsets of norms [BitFit: Ben Zaken et al. 2022; with privacy Bu et al. 2022]
 *     low rank    a matrix W of `rows` x `columns` is W + B A, with A of rank x columns, random at first, and B of rows x rank, zero at first; A and B are
 *                 learned, its constants are not [LoRA: Hu et al. 2022; with privacy Yu et al. 2022]
 *     carried     all of it is learned, by what a gradient means for A and B that are given, and for constants (carriers.h)
 *
 * A layer is its parameters in a pass as ever, so that kinds of layers know nothing of this: after each step parameters are made of what is learned
 * (deep_tuning_apply), and the gradient by A and B follows from that by W, G: B^T G and G A^T. Where G is a sum of outer products left_t right_t^T, so are
 * they: of (B^T left_t) right_t^T, and left_t (A right_t)^T. */

#include "deep/layer.h"

typedef enum deep_tune {
    DEEP_TUNE_ALL,
    DEEP_TUNE_CONSTANTS,
    DEEP_TUNE_LOW_RANK,
    DEEP_TUNE_CARRIED
} deep_tune;

/* Of a layer: how many of the learned numbers it has, and where they are among them. All of its parameters; constants, matrix by matrix;
 * or A and B of each matrix; carried: with its constant at the end of each row of B. */
typedef struct deep_part {
    deep_tune way;
    size_t first, count;
} deep_part;

typedef struct deep_tuning {
    deep_part *part; /* of each layer; NULL: everything is learned */
    size_t rank;
    size_t learned;
} deep_tuning;

/* What is asked for. */
typedef struct deep_tuning_wish {
    deep_tune way;
    size_t rank;
    size_t start;  /* layers that a start has: the others are learned as a whole */
    size_t frozen; /* the first layers, of which nothing is learned */
    const char
        *layers; /* of those of the start: "all", or numbers of layers in the text with "," between them */
} deep_tuning_wish;

/* A layer whose factors would be no fewer numbers than it has is learned as a whole; where they are to carry gradients, one that shares its matrix, too, or has none. DUSK_ERR_ARGUMENT where there is no such layer, or nothing is left to learn. */
DUSK_MUST_USE dusk_status deep_tuning_open(deep_tuning *out, const deep_net *net,
                                           const deep_tuning_wish *wish, dusk_error *err);
/* Fine on a zeroed one. */
void deep_tuning_clear(deep_tuning *tuning);

/* Numbers of a row of B, and of A and B of a matrix. */
static inline size_t deep_tuned_width(deep_tune way, size_t rank, bool constant)
{
    return rank + (way == DEEP_TUNE_CARRIED && constant);
}
static inline size_t deep_tuned_size(deep_tune way, size_t rank, const deep_matrix *m)
{
    return rank * m->columns + m->rows * deep_tuned_width(way, rank, m->constant);
}

/* `tuning` may be NULL, or have no parts: all of it. */
deep_part deep_part_of(const deep_tuning *tuning, const deep_net *net, size_t l);

/* The first values of what is learned, with parameters to start from: they are what those mean. */
DUSK_MUST_USE dusk_status deep_tuning_begin(const deep_tuning *tuning, const deep_net *net,
                                            const deep_real *parameters, deep_real *learned,
                                            dusk_generator *gen, dusk_error *err);
/* Parameters, by those to start from and what is learned. */
void deep_tuning_apply(const deep_tuning *tuning, const deep_net *net, const deep_real *start,
                       const deep_real *learned, deep_real *parameters);
/* The gradient by what is learned of the whole one: for training without privacy. */
void deep_tuning_gradient(deep_pass *pass, const deep_real *whole, deep_real *out);

/* --- of single examples, for sums.c: layers of which something is learned, and not all ---------------------------------------- */

/* Numbers of room that factors of a layer take, of all examples of a pass; 0: it has none. */
size_t deep_tuned_room(const deep_pass *pass, size_t l);
/* Make them, of a pass that went forward and back. An example's are made of this example alone. */
void deep_tuned_prepare(deep_pass *pass, size_t l, deep_real *room);
/* Factors of example i, at most DEEP_TUNED_PAIRS; `first` is counted from the first learned number of the layer. They stand in `room` and in
 * the pass. */
enum { DEEP_TUNED_PAIRS = 2 * DEEP_PAIRS };
size_t deep_tuned_factors(const deep_pass *pass, size_t l, size_t i, const deep_real *room,
                          deep_factors *out);
/* The gradient of example i by what is learned of the layer; `whole` has room for that by all of its parameters. */
void deep_tuned_gradient(deep_pass *pass, size_t l, size_t i, deep_real *whole, deep_real *out);

#endif
