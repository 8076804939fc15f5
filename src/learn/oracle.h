/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_ORACLE_H
#define DUSK_LEARN_ORACLE_H

/* The minimum of an objective on a lattice of weights, perturbed by a random linear term, exactly: what the learner `oracle_ramp` releases,
 * once a round. Proof: oracle.proof.md.
 *
 * Weights are whole numbers of steps of 2^-LEARN_ORACLE_BITS, at most 2^21 of them. Point u of the lattice, u_j from 0 to k, has the
 * weights centre_j + (2 u_j - k) half. It is known to the noise by k signs a column, +1 for t <= u_j, else -1 (t = 1, ..., k): vectors
 * that are all equally long, and where two points differ by l steps of the lattice, l signs differ. */

#include "learn/features.h"

#define LEARN_ORACLE_BITS 12
#define LEARN_ORACLE_WIDTH_MOST 16
#define LEARN_ORACLE_POINTS_MOST 20000

typedef struct learn_oracle {
    size_t width, sides; /* columns, and k */
    bool ramp;     /* the loss of a margin m: knee - m, from 0 to 2 knee; else 0 or 2 knee by its sign */
    double knee;   /* in steps of rows, whole, at most 2^17 */
    double half;   /* half the distance of neighbours on the lattice, in steps of weights, whole */
    double length; /* a row whose numbers' sizes add to more, in steps, counts the same everywhere */
    const int64_t *centre; /* width numbers; borrowed */
} learn_oracle;

/* How far one row shifts the noise at most, in l1 and in steps of rows. The centre is of no account. */
double learn_oracle_shift(const learn_oracle *oracle);
/* The number of the point where the sum of the losses of all rows, less noise times signs, is least; of several, the first. Noise
 * has width * sides numbers, in steps of rows, |noise| <= 2^100: number j * sides + t - 1 goes with column j and sign t. */
DUSK_MUST_USE dusk_status learn_oracle_minimise(const learn_oracle *oracle, size_t *out,
                                                const learn_matrix *matrix, const dusk_int128 *noise,
                                                dusk_error *err);
/* The weights of a point, in steps. */
void learn_oracle_weights(const learn_oracle *oracle, size_t point, int64_t *out);

#endif
