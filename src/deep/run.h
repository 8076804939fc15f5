/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_RUN_H
#define DUSK_DEEP_RUN_H

/* A training while it runs (training.c), and what it releases of a step (release.c). */

#include "deep/gains.h"
#include "deep/training.h"
#include "deep/turns.h"

enum { DEEP_RUN_THREADS = 64 };

typedef struct deep_run {
    learn_job *job;
    const deep_plan *plan;
    const deep_rows *rows;
    float *parameters, *averaged;
    float *learned; /* what steps move: the parameters, or what they are made of with those to start from */
    float *moved;   /* plan->smooth copies of the parameters, or NULL */
    float *start;   /* where it is the second */
    float *whole;   /* the gradient, where it is made of something */
    deep_subspace subspace;
    deep_carriers carriers;
    deep_turns worker[DEEP_RUN_THREADS];
    size_t workers;
    deep_sample sample;
    deep_ahead ahead; /* with several threads */
    learn_draw draw;
    dusk_keyed_coins *coins; /* of layers that toss them, or NULL */
    uint64_t *unit, *coin;   /* of each row of the sample: its number, and 64 of them */
    size_t coins_most;
    deep_optimiser optimiser;
    double clip;                /* of this step */
    deep_history history;       /* where noise is correlated */
    deep_allocation allocation; /* where it is found on the way */
    deep_descent descent;       /* or by steps that are looked at */
    deep_gains gains;
    unsigned char *state; /* to be kept */
    uint64_t kept, piece; /* after so many steps it was last; and it is after multiples of so many */
    uint64_t last;        /* so many steps are all */
    float gradient[DEEP_PIECE];
} deep_run;

/* The sum of a sample with noise, piece by piece, and a step down each piece. `sum` has `count` rows, which is private. Proof: release.proof.md. */
DUSK_MUST_USE dusk_status deep_run_release(deep_run *t, uint64_t step, deep_sum *sum, size_t count,
                                           dusk_generator *gen, dusk_error *err);
/* Without privacy: a step down the gradient as it is. */
void deep_run_move_plainly(deep_run *t);

#endif
