/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_ALLOCATION_H
#define DUSK_DEEP_ALLOCATION_H

/* Noise that follows gradients: how much of the budget a step gets is found on the way, by what steps before it have released [after Xie, Li, Wu & Wu 2021].
 *
 * Steps are in stages. How long gradients are in a stage is told by products of those of two steps, one after the other, whose noise is independent: <g~_t, g~_(t+1)> is
 * <g_t, g_(t+1)> on average, and neither noise nor samples are in it. Lengths fall like a power of the number of the step, t^-p, more or less; p is found by least squares over the stages so far, and is less than that while they are few: at first gradients fall for other reasons. Near to a
 * minimum, where what is left of a step's noise falls as the gradient does, squared, least is left in the end when noise is as the root of the gradient's length, t^(-p/2) [after Hong, Wang & Zhou 2021]. So
 * the stages that are left have noise of this shape, as large as takes all that is left of the allowance; the next of them is charged, and of the others it is found anew. */

#include "learn/allowance.h"

struct dusk_model;

enum { DEEP_ALLOCATIONS = 16 }; /* stages, or as many as there are steps */
#define DEEP_ALLOCATED_RANGE                                                                                 \
    2.0 /* no stage has more noise than this times what steps that are all alike have */

/* How much of the budget a step gets: the same as all; by stages, here; or by steps that are looked at (descent.h). */
typedef enum deep_allocating { DEEP_EVEN, DEEP_ADAPTIVE, DEEP_DESCENT } deep_allocating;

/* What is kept of a training: all of it follows from releases. */
typedef struct deep_allocated {
    double multiplier[DEEP_ALLOCATIONS]; /* of stages that have begun; else 0 */
    double length[DEEP_ALLOCATIONS]; /* of gradients over the clip, in stages that have ended; 0: not known */
    double product;                  /* of the stage at hand, the sum of its pairs */
    double pairs;
} deep_allocated;

typedef struct deep_allocation {
    const learn_allowance *allowance; /* NULL: there is none */
    dusk_filter *filter;
    learn_noise noise; /* of the stage at hand */
    uint64_t steps, times[DEEP_ALLOCATIONS];
    size_t stages;
    double lot;
    size_t numbers; /* that a step releases */
    float *last;    /* those of the step before */
    deep_allocated kept;
} deep_allocation;

/* `allowance` is borrowed. It is to be closed even where this fails. */
DUSK_MUST_USE dusk_status deep_allocation_open(deep_allocation *out, const learn_allowance *allowance,
                                               uint64_t steps, double lot, size_t numbers, dusk_error *err);
/* Fine on a zeroed one. */
void deep_allocation_close(deep_allocation *allocation);
/* With a->kept and a->last of a training that goes on after some steps: its stages are charged to the filter of this one. */
DUSK_MUST_USE dusk_status deep_allocation_resume(deep_allocation *a, dusk_error *err);
/* Before each step, one after the other: a->noise is that of the step. Where it is the first of a stage, that is charged. */
DUSK_MUST_USE dusk_status deep_allocation_begin(deep_allocation *a, uint64_t step, dusk_error *err);
/* What a step released, over the clip: numbers from `first` on, all of them once. */
void deep_allocation_look(deep_allocation *a, uint64_t step, const float *released, size_t first, size_t n);

/* Into a model: "noise", its deviation over the clip in each stage. */
DUSK_MUST_USE dusk_status deep_allocation_put(const deep_allocation *a, struct dusk_model *model,
                                              dusk_error *err);

/* The power p with which lengths[k], of stages about steps middle[k], fall, from 0 to 1: of least squares of logarithms and a penalty of p^2 / 2. 0 where fewer than two are known. */
double deep_fall_of(const double *length, const double *middle, size_t stages);

#endif
