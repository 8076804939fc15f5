/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ATTACK_GROUPS_H
#define DUSK_ATTACK_GROUPS_H

/* The 0/1 matrix A of groups, a row a question and a column a person, and its products. It
 * is kept twice, eight people and eight questions to a byte, so that both products run over
 * memory in order and add the sum of eight numbers at a time from a table (the method of
 * four Russians). */

#include <stddef.h>
#include <stdint.h>

#include "dusk/attack_releases.h"

/* A matrix whose rows are packed eight columns to a byte: bytes[c/8 * height + r] has bit c%8
 * of row r. */
typedef struct attack_bits {
    uint8_t *bytes;
    size_t height, width;
} attack_bits;

struct dusk_groups {
    attack_bits people;    /* rows are questions */
    attack_bits questions; /* rows are people: the transpose */
};

/* out = A x, and out = A^T y. `out` must not overlap the input. */
void attack_counts(const dusk_groups *groups, double *out, const double *x);
void attack_shares(const dusk_groups *groups, double *out, const double *y);

#endif
