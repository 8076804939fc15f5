/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_SKETCH_H
#define DUSK_LEARN_SKETCH_H

/* A sketch of rows: for each of a few hundred public waves over the box the sum over rows of (cos, sin) of the phase of the row. It
 * is one vector that is released once; where rows are dense is found from it without looking at rows again. Proof:
 * kmeans_sketch.proof.md. */

#include "learn/groups.h"

#define LEARN_SKETCH_SIZE 1024.0 /* what a row adds to a wave is at most so long, in steps */
#define LEARN_SKETCH_WIDTH 64    /* columns, at most */
#define LEARN_SKETCH_GROUPS 256  /* at most */

typedef struct learn_sketch {
    size_t waves, width;
    double *
        wave; /* waves * width whole numbers: x * wave is the phase of a row of steps, a turn being LEARN_SKETCH_TURN */
    double *low, *high; /* width: the box, in units of `half` */
    double *half;       /* width: half of the box, in steps */
    double *turn;       /* waves * width: radians a unit of `half` */
    double *square;     /* waves: |turn|^2 */
    double fastest;     /* the longest of them */
} learn_sketch;

#define LEARN_SKETCH_TURN 0x1p30

/* How many waves tell of k groups; public. */
size_t learn_sketch_waves(size_t k, size_t width, bool pure);
/* Waves of all lengths from that of the box down to a part of what k groups in it are apart; the same for the same box. */
DUSK_MUST_USE dusk_status learn_sketch_init(learn_sketch *out, size_t waves, const learn_groups *groups,
                                            dusk_error *err);
void learn_sketch_clear(learn_sketch *sketch);

/* k round heaps of rows whose sketch is nearest to `sums`, 2 * waves numbers: centres, counts and spreads of the groups. Looks
 * at no row. */
DUSK_MUST_USE dusk_status learn_sketch_decode(learn_groups *groups, const learn_sketch *sketch,
                                              const double *sums, dusk_error *err);

#endif
