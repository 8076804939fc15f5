/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_CELLS_H
#define DUSK_AUDIT_CELLS_H

/* Outputs as words: each number, or each step from the number before, becomes the symbol of
 * the interval that it lies in. Values that repeat have intervals of their own ("atoms"),
 * the rest of the line is cut into pieces of about equal counts, finer toward the ends, and
 * NaN is one more symbol. Ends of intervals lie between values that differ by more than
 * rounding. */

#include "audit/score.h"

enum { AUDIT_EDGES = 94, AUDIT_SYMBOLS = AUDIT_EDGES + 2 };

typedef struct audit_cells {
    size_t length;  /* of an output                            */
    bool steps;     /* of the steps instead of the numbers     */
    double *edges;  /* AUDIT_EDGES a number, increasing        */
    uint8_t *count; /* of edges, a number                      */
    bool *atom;     /* AUDIT_SYMBOLS a number: one value, or NaN */
} audit_cells;

/* Cells from training draws of both sides. */
DUSK_MUST_USE dusk_status audit_cells_make(audit_cells *out, const audit_sample *train, bool steps,
                                           dusk_error *err);
void audit_cells_clear(audit_cells *cells);

/* The symbols of one output, `length` of them. */
void audit_cells_of(const audit_cells *cells, uint8_t *symbols, const double *output);

/* ln((a + 1/2)/(b + 1/2)) of two counts, drawn to 0 as far as chance may have made it. */
double audit_shrunk_ratio(double a, double b);

/* --- one-number parts of these, shared ------------------------------------------------ */

/* Whether more than rounding lies between a < b: a mechanism's last bits are looked at by
 * another audit, and must not decide here. */
bool audit_apart(double a, double b);
/* A place between a < b that is none of the round numbers which a mechanism's arithmetic may
 * treat in a way of its own. */
double audit_inside(double a, double b);
/* How many of `count` increasing numbers are below x. */
size_t audit_place(double x, const double *edges, size_t count);

#endif
