/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_LAYER_H
#define DUSK_DEEP_LAYER_H

/* What a kind of layer is to the rest of the room: a table of functions, a file for each kind or its kin, listed in kinds.c.
 *
 * Every example by itself: what forward, backward and gradient make of an example depends on this example and the parameters alone, bit
 * for bit, wherever it stands in the pass and whatever the others are. So products are those of tensor/gemm.h, functions of numbers those of
 * real.h (no libm, no BLAS), sums are made in an order that is the same for every example. NaN and infinities stay within their example.
 * Tests hold every kind to it, and to reference.c. */

#include "deep/net.h"
#include "deep/real.h"

/* A few examples on their way through a net. Value l is the input of layer l, that of the last the output of the net;
 * slope l is the derivative of the loss by value l. */
typedef struct deep_pass {
    const deep_net *net;
    const deep_real *parameters;
    size_t room;        /* the most examples */
    size_t examples;    /* now */
    deep_real **value;  /* layers + 1 arrays of room * size numbers */
    deep_real **slope;  /* the same */
    deep_real **kept;   /* layers arrays of room * kept numbers; NULL where nothing is kept */
    deep_real **table;  /* public numbers of each layer, where its kind has such; else NULL */
    deep_real *scratch; /* `scratch_size` numbers, for one call of one kind */
    const struct deep_tuning
        *tuning; /* what of the parameters is learned (tuning.h), and these numbers; NULL: all */
    const deep_real *learned;
    bool training; /* dropout is at work */
    const uint64_t
        *coin; /* of each example, in training: 64 fair coins of its own and of this step, for dropout */
    const deep_real *
        given; /* gradients of the examples, all parameters each, that were made before (whole.h); NULL: they were not */
    int level; /* tensor_lanes_level */
    tensor_gemm_work gemm;
} deep_pass;

/* The gradient of a matrix of parameters, rows x (columns + 1), is the sum over positions t of left_t (right_t, 1)^T: as it is for every
 * affine map, the last column being the constant. */
typedef struct deep_factors {
    size_t positions, rows, columns;
    const deep_real *left,
        *right; /* of position t: left + t * left_step, rows of them; right + t * right_step */
    size_t left_step, right_step;
    bool constant; /* false: no such column */
    size_t first;  /* where the matrix is among the parameters of the layer */
} deep_factors;
#define DEEP_PAIRS 2 /* at most: matrices of a layer */

/* Where such a matrix is among the parameters of its layer: row after row, the constant of a row last. */
typedef struct deep_matrix {
    size_t rows, columns;
    bool constant; /* false: no such column */
    size_t first;
} deep_matrix;

/* Whether it is cheaper to work with factors than with the gradient, by the multiplications of an example: T x T products of factors, or a
 * gradient of T positions made and looked at. */
static inline bool deep_factors_win(size_t positions, size_t rows, size_t columns)
{
    const double t = (double)positions, p = (double)rows, q = (double)columns;
    return positions == 1 || t * t * (p + q) < 8 * p * q;
}

typedef struct deep_kind {
    const char *name;
    const char *form; /* "dense N [each]" */
    const char *help; /* one line */
    /* From layer->in and the words: out, size, parameters, kept. */
    void (*shape)(deep_layer *layer, deep_words *words);
    /* Numbers of scratch that any of the functions below needs; NULL: none. */
    size_t (*scratch)(const deep_layer *layer);
    /* Public numbers that forward and backward look up: how many, and what they are; made once for a pass. NULL: none. */
    size_t (*table)(const deep_layer *layer);
    void (*prepare)(const deep_layer *layer, deep_real *out);
    /* First values; `uniform` gives doubles in [-1, 1). NULL: no parameters. */
    void (*start)(const deep_layer *layer, deep_real *parameters, double (*uniform)(void *coins),
                  void *coins);
    void (*forward)(deep_pass *pass, size_t l); /* value l -> value l + 1, kept l */
    /* slope l + 1 -> slope l, and what gradient needs besides (in kept l). NULL: no layer before it may have parameters. */
    void (*backward)(deep_pass *pass, size_t l);
    bool coins; /* asks for pass->coin in training */
    bool inner; /* gradient needs backward; otherwise the first layer with parameters is spared it */
    /* The gradient of example i by all parameters of the layer; called after backward. NULL: no parameters. */
    void (*gradient)(deep_pass *pass, size_t l, size_t i, deep_real *out);
    /* Gradients of all examples, added to `total`: for training without privacy. NULL: factors or gradient will do. */
    void (*add_gradients)(deep_pass *pass, size_t l, deep_real *total);
    /* The gradient as factors, in place: of each matrix of the layer, which together are all of its parameters. Returns how many, at most
     * DEEP_PAIRS; NULL: has none, or not for this layer (returns 0). */
    size_t (*factors)(const deep_pass *pass, size_t l, size_t i, deep_factors *out);
    /* Matrices of affine maps that together are all parameters of the layer: how many, at most DEEP_PAIRS. NULL: it is something else. */
    size_t (*matrices)(const deep_layer *layer, deep_matrix *out);
    bool moves;    /* constants, gains and offsets are all that it has */
    bool tokens;   /* numbers that come in are those of tokens */
    bool measured; /* its parameters are not learned by steps, but measured before them (moments.h) */
    /* Where a gradient is zero but in a few rows of a matrix, each out.channels long: which, each once, at most as many as numbers come in,
     * and their numbers. Returns how many. NULL: it is not so. */
    size_t (*rows)(const deep_pass *pass, size_t l, size_t i, uint32_t *row, deep_real *numbers);
    /* Add what example i means for the parameters of layer `partner`, which this one uses too. NULL: it has only its own. */
    void (*share)(deep_pass *pass, size_t l, size_t i, deep_real *out);
} deep_kind;

/* kinds.c: all of them, NULL at the end. */
extern const deep_kind *const deep_kinds[];

/* pass.c */
/* How many examples of a net are a pass of some megabytes: at least 1, at most `most`. */
size_t deep_pass_room(const deep_net *net, size_t most);
DUSK_MUST_USE dusk_status deep_pass_open(deep_pass *out, const deep_net *net, size_t room, dusk_error *err);
/* What that takes. */
double deep_pass_bytes(const deep_net *net, size_t room);
/* Wipe and free; fine on a zeroed one. */
void deep_pass_close(deep_pass *pass);
/* value 0 of `examples` examples -> the last value. */
void deep_forward(deep_pass *pass);
/* The last slope -> all slopes that gradients need. */
void deep_backward(deep_pass *pass);

/* The gradient of example i by all parameters of layer l, with what layers add that share them. */
void deep_gradient(deep_pass *pass, size_t l, size_t i, deep_real *out);

static inline const deep_real *deep_parameters(const deep_pass *pass, size_t l)
{
    return pass->parameters + pass->net->layer[l].first;
}

#endif
