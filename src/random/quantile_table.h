/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_QUANTILE_TABLE_H
#define DUSK_RANDOM_QUANTILE_TABLE_H

/* Piecewise Taylor tables of quantile functions, computed with their error
 * bounds at build time by make_quantile_table.c.
 *
 * The tail probability is v = 2^-(octave + 1) (1 + m), m in [0, 1). An octave
 * is cut into DUSK_TABLE_SEGMENTS equal segments of m; in segment i
 *     rho = DUSK_TABLE_SEGMENTS (m - i / DUSK_TABLE_SEGMENTS) - 1/2   in [-1/2, 1/2)
 * and Q(v) = (octave + 1) step + sum_n a_n rho^n up to the stated error. A law
 * whose octaves differ by a constant only keeps one octave of coefficients and
 * a step; the other keeps all, those of one segment side by side, and no step. */

#include <stddef.h>

#define DUSK_TABLE_OCTAVES 26 /* smaller tails, one draw in 2^26, are for certified reals */
#define DUSK_TABLE_SEGMENTS 32
#define DUSK_TABLE_NARROW_OCTAVES 16 /* those the narrow error bound covers */
#define DUSK_TABLE_NARROW 8          /* coefficients of the plain double form: a row of `narrow` */
#define DUSK_TABLE_MEDIUM 13         /* coefficients of the medium form, */
#define DUSK_TABLE_MEDIUM_PAIRED 3   /* the first of which are double-double */
#define DUSK_TABLE_WIDE 17           /* the same for the wide form */
#define DUSK_TABLE_WIDE_PAIRED 8
#define DUSK_TABLE_ROW 16 /* doubles of a row of `medium` and of `rest`; the wide form needs both */

/* Where in the two rows together the high and the low part of a_n are. */
#define DUSK_TABLE_HIGH(n) ((n) < 3 ? (n) : (n) < 13 ? (n) + 3 : (n) + 8)
#define DUSK_TABLE_LOW(n) ((n) < 3 ? (n) + 3 : (n) + 13)

typedef struct dusk_quantile_table {
    const double *narrow, *medium,
        *rest; /* row of (segment, octave): segment * segment_rows + octave * octave_rows */
    size_t segment_rows, octave_rows;
    double step_hi, step_lo; /* step_hi has 46 bits: its multiples are exact */
    double narrow_error;     /* |computed - Q(v)| for an exact rho, evaluation rounding included */
    double plain_error;      /* of the narrow form over all octaves, with the low part of rho dropped */
    double medium_error, wide_error;
    double narrow_max, wide_max; /* largest value */
    double slope;                /* largest |dQ/dm| */
} dusk_quantile_table;

/* Indexed by dusk_tail: DUSK_TAIL_EXPONENTIAL, DUSK_TAIL_HALF_NORMAL. */
extern const dusk_quantile_table dusk_quantile_tables[2];

#endif
