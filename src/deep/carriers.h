/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_CARRIERS_H
#define DUSK_DEEP_CARRIERS_H

/* Gradients of large matrices by a few numbers [low-rank reparametrisation: Yu, Zhang, Chen, Yin & Liu 2021]. Every step writes a matrix W of `rows` x
 * `columns` as (W - B A) + B A, the columns of B (rows x rank) and the rows of A (rank x columns) of length 1 and orthogonal: the carriers. The network is what it was.
 * What an example adds is the gradient by A and B, B^T G and G A^T, and by constants and all other parameters (tuning.h, sums.h): these are clipped together, and have
 * noise. The step that W takes is what they say of G,
 *
 *     (G A^T) A + B (B^T G) - B B^T (G A^T) A
 *
 * which is G but for (1 - B B^T) G (1 - A^T A). The optimiser is that of all parameters, and knows nothing of this.
 *
 * Carriers follow W - W_0, the sum of all steps so far: each step makes one power iteration with it, which begins with the last carriers; the first are random. They are made
 * of released numbers and coins alone. */

#include "deep/tuning.h"

typedef struct deep_carriers {
    const deep_tuning *tuning; /* parts that are carried, and those that are learned as they are */
    const deep_net *net;
    deep_real *first;    /* parameters before the first step */
    deep_real *carrier;  /* A and B of each matrix, where the gradients by them are; 0 elsewhere */
    deep_real *released; /* gradients by all that is looked at */
    deep_real *whole;    /* what they say of the gradient by all parameters */
    deep_real *work;
} deep_carriers;

/* The numbers of `tuning` that are released. Carriers are 0 until they begin, or are put back. */
DUSK_MUST_USE dusk_status deep_carriers_open(deep_carriers *out, const deep_net *net,
                                             const deep_tuning *tuning, dusk_error *err);
/* Fine on a zeroed one. */
void deep_carriers_close(deep_carriers *c);
/* What that takes. */
double deep_carriers_bytes(const deep_net *net, const deep_tuning *tuning);

/* Before the first step: these parameters, and random carriers. */
DUSK_MUST_USE dusk_status deep_carriers_begin(deep_carriers *c, const deep_real *parameters,
                                              dusk_generator *gen, dusk_error *err);
/* The next ones, by parameters that were released. Where they have moved in fewer than `rank` directions the carriers of a matrix stay what they are. `pass`: to work with. */
void deep_carriers_find(deep_carriers *c, const deep_real *parameters, deep_pass *pass);
/* c->released -> c->whole. */
void deep_carriers_expand(deep_carriers *c, deep_pass *pass);

#endif
