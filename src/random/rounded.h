/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_ROUNDED_H
#define DUSK_RANDOM_ROUNDED_H

/* floor(scale Q(v) + offset), v uniform, Q a quantile function with a table:
 * drawn exactly. The leading digits of v go through the table in double or
 * double-double arithmetic with a certified error; when the interval of
 * possible results contains an integer, further digits are drawn and MPFR
 * decides. The margin that triggers this is a constant of the scale, so that
 * it tells nothing of the value. See rounded.proof.md. */

#include <stdbool.h>
#include <stddef.h>

#include "base/platform.h"
#include "numeric/real.h"
#include "random/generator.h"

#define DUSK_WIDTH_FULL 64

/* A magnitude sampler. A value; made by dusk_rounded_init. */
typedef struct dusk_rounded {
    dusk_tail tail;                        /* EXPONENTIAL or HALF_NORMAL */
    double scale_hi, scale_lo;             /* the scale is their exact sum */
    double offset;                         /* 0.5: nearest; 0: floor */
    unsigned width;                        /* DUSK_WIDTH_FULL, or the test width */
    bool narrow;                           /* bulk draws need one word each, and plain double */
    unsigned exponent_bits, mantissa_bits; /* coins of the narrow form */
    double narrow_margin;                  /* undecided when closer than this to a boundary */
    double wide_margin;
} dusk_rounded;

void dusk_rounded_init(dusk_rounded *out, dusk_tail tail, double scale_hi, double scale_lo, double offset,
                       unsigned width);

#endif
