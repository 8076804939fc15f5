/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_REFERENCE_H
#define DUSK_DEEP_REFERENCE_H

/* Networks, slow and plain: one example at a time, in doubles, loops straight from the definition of a layer. Nothing is trained by it; it
 * shares shapes and names with the fast layers and no line of arithmetic, and tests hold every kind to it. A kind of layer that is
 * not here is not done.
 *
 * A kind gives two functions: forward, from value l to value l + 1; backward, which adds what slope l + 1 means for value l and
 * for the layer's parameters to slope l and to the gradient. What backward needs besides values it works out again. */

#include "deep/net.h"

typedef struct deep_reference {
    const deep_net *net;
    const double *parameters;
    double **value, **slope; /* layers + 1 of each, as those of a pass */
    double *gradient;        /* by all parameters */
    double *work;            /* for one call: so many that every kind has enough (reference.c) */
    bool training;           /* as in a pass, of the one example */
    uint64_t coin;
} deep_reference;

typedef struct deep_reference_kind {
    const char *name; /* of the kind; NULL: the end of a table */
    void (*forward)(deep_reference *r, size_t l);
    void (*backward)(deep_reference *r, size_t l);
} deep_reference_kind;

DUSK_MUST_USE dusk_status deep_reference_open(deep_reference *out, const deep_net *net, dusk_error *err);
/* Fine on a zeroed one. */
void deep_reference_close(deep_reference *r);
/* value 0 -> all values. False: there is a kind that is not here. */
DUSK_MUST_USE bool deep_reference_forward(deep_reference *r);
/* The last slope -> all slopes, and the gradient. */
void deep_reference_backward(deep_reference *r);

/* The tables, a file each: reference_X.c. */
extern const deep_reference_kind deep_reference_plain[];    /* dense, functions of a number, residual */
extern const deep_reference_kind deep_reference_pictures[]; /* convolutions and pools */
extern const deep_reference_kind deep_reference_norms[];    /* norms, dropout, flatten */
extern const deep_reference_kind deep_reference_scatter[];
extern const deep_reference_kind deep_reference_sequences[]; /* tokens, lstm, gru */
extern const deep_reference_kind deep_reference_attention[]; /* attention, positions */

#endif
