/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_QUANTILE_TABLE_H
#define DUSK_RANDOM_QUANTILE_TABLE_H

/* Piecewise Taylor tables of quantile functions, computed with their error
 * bounds at build time by make_quantile_table.c.
 *
 * The tail probability is v = 2^-(octave + 1) (1 + m), m in [0, 1). An octave
 * is cut into DUSK_TABLE_SEGMENTS equal segments of m; in segment i
 *     rho = DUSK_TABLE_SEGMENTS (m - i / DUSK_TABLE_SEGMENTS) - 1/2   in [-1/2, 1/2)
 * and Q(v) = base[octave] + sum_n a_n rho^n up to the stated error. A law whose
 * octaves differ by a constant only keeps one octave of coefficients. */

#include <stddef.h>

#define DUSK_TABLE_OCTAVES 40
#define DUSK_TABLE_SEGMENTS 32
#define DUSK_TABLE_NARROW_OCTAVES 16 /* those the narrow error bound covers */
#define DUSK_TABLE_NARROW 8          /* coefficients of the plain double form */
#define DUSK_TABLE_PAIRED 8          /* leading coefficients kept as double-double */
#define DUSK_TABLE_TERMS 17          /* coefficients of the wide form */
#define DUSK_TABLE_ROW 32            /* doubles of a wide row: 8 high, 8 low, 9 single, padding */

typedef struct dusk_quantile_table {
    const double *narrow; /* rows of DUSK_TABLE_NARROW */
    const double *wide;   /* rows of DUSK_TABLE_ROW: a0..a7 high, a0..a7 low, a8..a16 */
    size_t octave_rows;   /* rows from one octave to the next: DUSK_TABLE_SEGMENTS or 0 */
    double base_hi[DUSK_TABLE_OCTAVES], base_lo[DUSK_TABLE_OCTAVES];
    double narrow_error; /* |computed - Q(v)| for an exact rho, evaluation rounding included */
    double plain_error;  /* of the narrow form over all octaves, with the low part of rho dropped */
    double wide_error;
    double narrow_max, wide_max; /* largest value */
    double slope;                /* largest |dQ/dm| */
} dusk_quantile_table;

/* Indexed by dusk_tail: DUSK_TAIL_EXPONENTIAL, DUSK_TAIL_HALF_NORMAL. */
extern const dusk_quantile_table dusk_quantile_tables[2];

#endif
