/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_NOISE_SCALED_H
#define DUSK_RANDOM_NOISE_SCALED_H

/* Noise whose scale is private: value + scale Z as an exact real number, rounded
 * to a public grid. So the answer is a function of the ideal one, and the grid
 * tells nothing of the scale. */

#include "base/platform.h"
#include "random/generator.h"
#include "random/student_t.h"

typedef enum dusk_scaled_law {
    DUSK_SCALED_STUDENT_T = 1, /* `degrees` degrees; 1 is Cauchy     */
    DUSK_SCALED_LAPLACE = 2,   /* density exp(-|z|) / 2              */
    DUSK_SCALED_GAUSSIAN = 3   /* N(0, 1)                            */
} dusk_scaled_law;

typedef struct dusk_scaled {
    dusk_scaled_law law;
    unsigned degrees;      /* 1..DUSK_STUDENT_T_DEGREES_MAX */
    double value;          /* finite                                       */
    double scale, divisor; /* the scale is scale / divisor, both positive  */
    int grid;              /* of step 2^grid                               */
} dusk_scaled;

/* *steps = floor((value + scale Z) / 2^grid + 1/2), Z ideal, saturated at +-2^126;
 * decided exactly. `width`: DUSK_WIDTH_FULL, or how many coins a test tosses at a
 * time. Fifty microseconds or so; how long depends on value and scale a little,
 * and how many coins are tossed with probability below 2^-30 only. */
DUSK_MUST_USE dusk_status dusk_scaled_draw(const dusk_scaled *what, dusk_int128 *steps, unsigned width,
                                           dusk_generator *gen, dusk_error *err);

/* Enclose the quantile of |Z|: P(|Z| > Q(v)) = v. */
void dusk_scaled_quantile(dusk_scaled_law law, unsigned degrees, dusk_interval *out, const dusk_interval *v);

#endif
