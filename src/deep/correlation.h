/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_CORRELATION_H
#define DUSK_DEEP_CORRELATION_H

/* Noise of one step that is taken back in later ones: DP-FTRL [Kairouz et al. 2021] and banded matrix factorisation [Choquette-Choo et al. 2023]. Descent
 * adds gradients up, so what counts is the noise of sums over steps, and that can be far less than the sum of independent noises. For data in a
 * fixed order, where every place is taken once in so many steps: samples are not needed, and do not make it cheaper.
 *
 *     tree    totals of a binary tree over the steps of an epoch are released, one a step; a new tree each epoch
 *     bands   sums of the last `bands` totals by weights c_0 = 1, c_1, ... are released, the square root of summation cut off: C x + noise
 *
 * An estimate of the gradient of a step is made of what was released, by undoing the sums: any optimiser can go on from there. What is released is made of exact
 * totals before noise: adding correlated noise that was rounded afterwards would be another mechanism. Proof: correlation.proof.md. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { DEEP_BANDS_MOST = 256, DEEP_WEIGHT_BITS = 8 };

typedef enum deep_correlating { DEEP_INDEPENDENT, DEEP_TREE, DEEP_BANDS } deep_correlating;

/* Public, and a value. */
typedef struct deep_correlation {
    deep_correlating way;
    uint64_t epoch;                  /* steps */
    size_t bands;                    /* from 1 to `epoch` */
    int32_t weight[DEEP_BANDS_MOST]; /* c_k 2^DEEP_WEIGHT_BITS */
} deep_correlation;

/* At most `bands` of them. */
void deep_correlation_init(deep_correlation *out, deep_correlating way, uint64_t epoch, size_t bands);
/* How far all that is released moves, in length, when the total of one step of each epoch moves by `steps`: so much for each epoch. A whole
 * number. */
double deep_correlation_steps(const deep_correlation *c, double steps, size_t cells);
/* The deviation of the sum of all estimates of `steps` steps, in deviations of one release. */
double deep_correlation_error(const deep_correlation *c, uint64_t steps);

/* What a training keeps of earlier steps: memory for `rows` vectors, twice. */
typedef struct deep_history {
    const deep_correlation *c;
    size_t cells, rows, room;
    int64_t *sum;    /* private */
    float *released; /* or follows from that */
    int64_t *piece;  /* private */
    uint64_t step;   /* at hand */
    size_t term[DEEP_BANDS_MOST];
    int32_t weight[DEEP_BANDS_MOST]; /* of the terms of the step: rows, and their weights */
    size_t terms, place;             /* how many, and the row that this step is kept in */
} deep_history;

/* What one takes that is opened so. */
double deep_history_bytes(const deep_correlation *c, size_t cells, size_t room);
/* `room`: the most cells of a piece. */
DUSK_MUST_USE dusk_status deep_history_open(deep_history *out, const deep_correlation *c, size_t cells,
                                            size_t room, dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void deep_history_close(deep_history *h);
/* Step number `step`, one after the other, from the first of an epoch on. */
void deep_history_begin(deep_history *h, uint64_t step);
/* Totals of the step, cells from `first` on, to what is to be released; borrowed. Each cell once a step. */
const int64_t *deep_history_mix(deep_history *h, const int64_t *total, size_t first, size_t n);
/* What was released, in any unit that is always the same, to estimates of the totals. */
void deep_history_undo(deep_history *h, float *noisy, size_t first, size_t n);

#endif
