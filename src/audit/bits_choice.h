/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_BITS_CHOICE_H
#define DUSK_AUDIT_BITS_CHOICE_H

/* Choosing a set of outputs by their bits, and counting it. */

#include "audit/bits.h"
#include "audit/bounds.h"
#include "dusk/base.h"

/* A way of looking at outputs. Units are single outputs, or pairs: of neighbouring numbers of one
 * output, or of two outputs of one number each. */
typedef struct audit_lens {
    const audit_bits_feature *feature;
    unsigned form;
    size_t coordinate; /* of an output                                    */
    bool doubled;      /* a unit is two outputs, one after the other      */
    unsigned phase;    /* of the first such pair: 0 or 1                  */
} audit_lens;

/* A set: cells of a lens. */
typedef struct audit_cells {
    audit_lens lens;
    bool swapped;      /* P is the law on the second input           */
    double forecast;   /* the epsilon it promises; -INFINITY: no set */
    unsigned heaviest; /* the cell with most of P                    */
    size_t count;      /* of cells in it                             */
    unsigned char has[AUDIT_CELLS];
} audit_cells;

/* How many units `outputs` outputs make. */
size_t audit_lens_units(const audit_lens *lens, size_t outputs);
/* Of how many units the cell is in the set. */
uint64_t audit_cells_hits(const audit_cells *cells, const audit_bits *bits, const double *outputs, size_t n);

/* The best set of all lenses: cells are put in order by the first half of the n outputs a side, and
 * cut off where the second half promises most. `forecast` is for single outputs. */
DUSK_MUST_USE dusk_status audit_cells_choose(audit_cells **out, const audit_bits *bits,
                                             const double *const outputs[2], size_t n,
                                             const audit_forecast *forecast, dusk_error *err);

#endif
