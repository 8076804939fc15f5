/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_TRAINING_H
#define DUSK_DEEP_TRAINING_H

/* Noisy gradient descent on samples: DP-SGD [Abadi et al. 2016] and its kin. Every step takes a sample, adds up clipped gradients (sums.h), releases
 * the total with noise, and moves the parameters. An empty sample takes a step like any other, none is cut off, and gradients are divided by
 * the declared lot, never by how many there were. Proof: training.proof.md. */

#include "deep/allocation.h"
#include "deep/carriers.h"
#include "deep/clip.h"
#include "deep/correlation.h"
#include "deep/descent.h"
#include "deep/loss.h"
#include "deep/optimiser.h"
#include "deep/plain.h"
#include "deep/rows.h"
#include "deep/schedule.h"
#include "deep/start.h"
#include "deep/subspace.h"
#include "deep/sums.h"
#include "learn/learner.h"
#include "learn/sampler.h"

typedef struct deep_plan {
    deep_net net;
    deep_start start; /* public parameters to begin with; or none */
    size_t frozen;    /* layers that are not learned */
    size_t frozen_parameters;
    deep_tuning tuning;   /* what of the other layers is; without parts: all */
    deep_tuning carriers; /* parts of gradients that are looked at; without parts: all (carriers.h) */
    size_t directions;    /* of gradients that are looked at, found anew after `find_every` steps; 0: all */
    uint64_t find_every;
    const deep_rows *open; /* public rows by which they are found, while it is fitted */
    deep_loss loss;
    deep_clipping clipping;
    double clip;                /* at first, where it is adaptive */
    double quantile, clip_rate; /* of adaptive clipping */
    learn_sampler sampler;
    uint64_t steps;
    double lot;          /* what gradients are divided by; public */
    learn_budget before; /* what was left, and what had been taken, before the noise of steps was */
    learn_noise count;   /* where the number of rows is paid for */
    double counted;      /* the lot, where samples follow from that number; else 0 */
    dusk_budget rest;    /* and what steps may then cost */
    double rows;         /* declared, or as they were counted */
    size_t
        measured; /* a layer `standard`, whose numbers are paid for (moments.h); DUSK_NO_LINK: there is none */
    learn_noise moments;          /* for that */
    const unsigned char *settled; /* what is found out once, before the first step (state.h) */
    size_t settled_size;
    learn_noise noise; /* of the totals, in units of the clip; where it falls, of the first stage */
    learn_noise stage[DEEP_STAGES]; /* where it falls */
    size_t stages;                  /* 0: it does not */
    deep_allocating allocates;      /* it is found on the way, within this */
    learn_allowance allowance;
    deep_measures measures; /* by descent */
    deep_correlation correlation;
    deep_method method;
    double rate, momentum, weight_decay;
    bool finds_rate;        /* nobody gave one (learning_rate.h) */
    deep_schedule schedule; /* of the rate */
    size_t
        smooth; /* passes with moved parameters that a gradient is the mean of; 0: one, as they are (whole.h) */
    double smooth_radius, bias_noise;
    double average;         /* parameters are averaged with this decay; 0: the last ones */
    size_t threads, room;   /* and rows at a time, in each; 0: as many as are good */
    double memory;          /* what it takes at most, besides rows; 0: nobody asked */
    const deep_rows *check; /* public rows to be looked at after some steps, while it is fitted; or NULL */
    bool one_by_one;        /* noise is drawn when sums are there, not ahead: to measure what that wins */
    bool plain;             /* no privacy at all: gradients are neither clipped nor is there noise */
} deep_plan;

/* Numbers that are learned of the net of the plan, and that are released a step, each with noise: the same, or coordinates of their gradient. */
size_t deep_learned(const deep_plan *plan);
size_t deep_released(const deep_plan *plan);
/* What gradients of examples are by: of passes. NULL: all parameters. */
const deep_tuning *deep_looked_at(const deep_plan *plan);

#define DEEP_AHEAD_MOST                                                                                      \
    0x1p23 /* noise is drawn ahead for so many parameters; for more it would take their memory twice */
/* How many rows at a time: plan->room, or as many as are good. */
size_t deep_training_room(const deep_plan *plan);

/* All steps; `parameters` are the first values, and the trained ones after. `kept`: the state to go on from (state.h), or NULL. Where there is a checkpoint, what is
 * told of a step is told after it was kept. */
DUSK_MUST_USE dusk_status deep_train(learn_job *job, const deep_plan *plan, const deep_rows *rows,
                                     float *parameters, const unsigned char *kept, dusk_generator *gen,
                                     dusk_error *err);

#endif
