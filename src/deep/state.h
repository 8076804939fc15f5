/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_STATE_H
#define DUSK_DEEP_STATE_H

/* What one step of a training leaves to the next, as bytes that are kept (learn/checkpoint.h): how many steps were taken, how many rows were counted, what else was found out before the first step, the clip, parameters, their average, and the
 * moments of the optimiser; of parameters those numbers that are learned; carriers, with the first parameters; and how noise was allocated, with what the last step released, or the gradient that is kept. Coins are not among them: those of the next steps are new. Whatever a step changes and the next reads must be here. */

#include "deep/training.h"

size_t deep_state_size(const learn_job *job, const deep_plan *plan);

/* `averaged` NULL: there is none. `steps`: that were taken. */
typedef struct deep_state {
    uint64_t steps;
    double clip; /* of the next one */
    float *learned, *averaged;
    deep_optimiser *optimiser;
    const deep_carriers *carriers; /* without any: there are none */
    deep_allocation *allocation;   /* the same, of an allowance */
    deep_descent *descent;         /* the same */
} deep_state;
void deep_state_pack(const deep_plan *plan, const deep_state *state, unsigned char *bytes);
/* The same back; sizes are those of the plan. */
void deep_state_unpack(const deep_plan *plan, deep_state *state, const unsigned char *bytes);

/* A state is kept after so many steps, or a multiple: an order of rows, or their steps of an epoch, are not kept, and so are begun anew. */
uint64_t deep_state_piece(const deep_plan *plan);

/* What is found out once, before the first step, and not again: the scales of columns and the numbers of a layer `standard`, which are paid for, and whatever other numbers are
 * frozen without being of a start. */
size_t deep_settled_size(const learn_job *job, const deep_plan *plan);
void deep_settled_pack(const learn_job *job, const deep_plan *plan, const float *parameters,
                       unsigned char *bytes);
/* Out of a state that is settled. */
void deep_settled_unpack(learn_job *job, const deep_plan *plan, float *parameters,
                         const unsigned char *state);

/* How many rows there are is counted once and not again: a state without anything else is kept as soon as they are. */
DUSK_MUST_USE dusk_status deep_state_keep_rows(learn_job *job, double rows, dusk_error *err);
double deep_state_rows(const unsigned char *state);
/* Is the rest there, too? And are steps and their noise as they were? */
bool deep_state_is_settled(const unsigned char *state);
bool deep_state_is_planned(const deep_plan *plan, const unsigned char *state);

#endif
