/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_CONTOUR_LINE_H
#define DUSK_ACCOUNTING_CONTOUR_LINE_H

/* The line Re s = c through the complex plane on which the contour accountant
 * integrates, and what it knows there of a list of pairs: at the nodes
 * s_j = c + i j step the sum of T K(s_j), K = ln M, of all pairs. */

#include "accounting/mixture.h"

/* A list of pairs as the line takes it: MIXTURE pairs maybe without their farthest
 * losses (mixture.h). */
typedef struct dusk_contour_list {
    const dusk_pairs *pairs;
    dusk_mixture *mixture; /* of MIXTURE pairs */
    double repeats;        /* sum of T */
    double hint;           /* where a saddle may be, 0: not known; steers only */
} dusk_contour_list;
/* What is left out can add about `lost` to delta (0: nothing is); `sharpness` is that
 * of mixture.h. */
DUSK_MUST_USE dusk_status dusk_contour_list_init(dusk_contour_list *list, const dusk_pairs *pairs,
                                                 double lost, double sharpness, dusk_error *err);
void dusk_contour_list_free(dusk_contour_list *list);

typedef struct dusk_contour_line {
    double c, step;
    size_t count;        /* nodes j = 0 .. count */
    double *re, *im;     /* sum of T (K(s_j) - K(c)), */
    double *blur;        /* and how far off it may be, in modulus */
    dusk_bound start;    /* sum of T K(c) */
    double beyond;       /* ln |exp(sum of T (K(s) - K(c)))| is at most this further up */
    double right;        /* another abscissa c' > c, */
    double right_start;  /* and sum of T K(c'), rounded up: Chernoff bounds of far losses */
    dusk_bound infinite; /* P(L = +inf) of the whole list, or what counts as such */
} dusk_contour_line;

/* ln of the sum's moments about the abscissa c: sum of T K, of T K', of T K''. */
bool dusk_contour_sketch(double out[3], const dusk_contour_list *list, double c);
/* A line through c that serves epsilons near `epsilon`, where delta is about
 * exp(log_delta). About exp(-digits) of delta is left out, or more where that would
 * be too much work. */
#define DUSK_CONTOUR_DIGITS 36.0
DUSK_MUST_USE dusk_status dusk_contour_line_init(dusk_contour_line *line, const dusk_contour_list *list,
                                                 double c, double epsilon, double log_delta, double digits,
                                                 dusk_error *err);
void dusk_contour_line_free(dusk_contour_line *line);

/* contour.c: delta(epsilon) as the line sees it. */
typedef struct dusk_contour_look {
    dusk_bound delta;
    double slope; /* about d ln delta / d epsilon */
    double value; /* about delta, losses of +inf aside */
} dusk_contour_look;
dusk_contour_look dusk_contour_look_at(const dusk_contour_line *line, double epsilon);

#endif
