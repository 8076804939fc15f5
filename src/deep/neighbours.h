/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_NEIGHBOURS_H
#define DUSK_DEEP_NEIGHBOURS_H

/* Votes of the nearest rows [Zhu, Yu, Chandraker & Wang 2020]: of some private rows the k that are nearest to a question, a public vector, have one vote each, for the class that they
 * are of; all of them where there are no more than k. One row more or less takes one vote in and puts one out at most. Nothing here is random. Proof: neighbours.proof.md. */

#include "deep/teachers.h"

typedef struct deep_near {
    float distance;
    size_t row;
} deep_near;

/* votes[c] of `classes`, of the rows row[0..count-1] of `rows`, which differ; there may be as many as there is memory for. `room` is for k + 1. */
void deep_nearest_vote(const deep_vectors *rows, const float *question, const size_t *row, size_t count,
                       size_t k, size_t classes, deep_near *room, int32_t *votes);

#endif
