/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_TURNS_H
#define DUSK_DEEP_TURNS_H

/* What one thread does of a step of training: clipped gradients of some rows of the sample, added up. */

#include <pthread.h>
#include <stdatomic.h>

#include "deep/training.h"
#include "deep/whole.h"
#include "mechanisms/totals.h"

/* Threads take turns of a few rows as long as there are some; who gets which makes no difference to a sum of whole numbers. */
typedef struct deep_sample {
    const size_t *row;
    const uint64_t *coin; /* of each of them, or NULL */
    size_t count, turn;
    atomic_size_t next;
} deep_sample;

/* Noise that one thread draws while the others begin. */
typedef struct deep_ahead {
    dusk_ahead draws;
    dusk_generator *gen;
    const dusk_noise *noise;
    dusk_status status;
    dusk_error error;
} deep_ahead;

typedef struct deep_turns {
    const deep_plan *plan;
    const deep_rows *rows;
    deep_sample *sample;
    deep_ahead *ahead; /* of the one that draws it; else NULL */
    deep_pass pass;
    deep_sum sum;
    deep_plain plain;             /* instead, without privacy */
    deep_whole whole;             /* where gradients are made before they are clipped */
    const float *moved;           /* parameters of each of plan->smooth passes, or NULL */
    deep_coordinates coordinates; /* which are added up, where there are directions */
    int32_t *code;
    deep_real *number;
    int8_t *mark;
    size_t numbers; /* of each example */
    uint64_t *coin;
    pthread_t thread;
    bool started;
    dusk_status status; /* of this step: it may fail by memory alone */
} deep_turns;

/* It is to be closed even where this fails. What is opened must not be moved. */
DUSK_MUST_USE dusk_status deep_turns_open(deep_turns *w, const deep_plan *plan, const deep_rows *rows,
                                          const deep_subspace *subspace, dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void deep_turns_close(deep_turns *w);
/* Rows of the sample from `first` on, `n` of them, into the pass, with what is wanted of them. */
void deep_turns_take(deep_turns *w, size_t first, size_t n);
/* As many turns as there are; of a deep_turns, for pthread_create. */
void *deep_turns_work(void *argument);
/* How many passes an example takes. */
size_t deep_passes(const deep_plan *plan);

#endif
