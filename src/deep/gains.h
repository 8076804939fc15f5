/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_GAINS_H
#define DUSK_DEEP_GAINS_H

/* How much rows of a sample gain by steps of several lengths along one gradient: of each row the losses before, less those after each of the steps. A row's gains together are a vector, which is clipped,
 * rounded to whole steps and added up exactly, so that one row more or less changes the totals by no more than DEEP_GAIN_STEPS in length. Lengths are halves of each other, and so, about, are a row's
 * gains: all of them together are hardly longer than the first alone. Proof: gains.proof.md. */

#include "deep/descent.h"
#include "deep/turns.h"

typedef struct deep_gains {
    deep_turns *turns; /* borrowed: their sample, and their passes while nobody else has them */
    size_t parts;
    struct deep_gain_part {
        float *moved; /* parameters after a step */
        double *loss; /* of the rows of a pass, before and after each step: private */
        int64_t total[DEEP_LENGTHS];
    } * part; /* one a thread */
    const float *parameters, *gradient;
    size_t numbers;
    double rate[DEEP_LENGTHS]; /* what a step is of the gradient */
    double clip;
} deep_gains;

/* It is to be closed even where this fails. */
DUSK_MUST_USE dusk_status deep_gains_open(deep_gains *out, deep_turns *turns, size_t parts, size_t numbers,
                                          dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void deep_gains_close(deep_gains *gains);
/* What that takes: of a thread, and of a row of a pass. */
double deep_gains_bytes(size_t numbers);
double deep_gains_row_bytes(void);
/* Totals of the sample that the turns have, in steps of the clip: private. parameters, gradient, rate and clip are to be set. */
void deep_gains_add_up(deep_gains *gains, dusk_int128 total[DEEP_LENGTHS]);

/* A step: gains of the sample, released with the noise of a charged step, and parameters moved along the gradient by the best length, or not at all. The gradient is in units of `unit`, a row's at
 * most `clip` long. */
DUSK_MUST_USE dusk_status deep_gains_step(deep_gains *gains, deep_descent *descent, float *parameters,
                                          double clip, double unit, dusk_generator *gen, dusk_error *err);

/* What a row adds: its losses are loss[0] before, and loss[1 + k] after step k. */
void deep_gain_of(int64_t out[DEEP_LENGTHS], const double *loss, double clip);

#endif
