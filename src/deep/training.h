/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_TRAINING_H
#define DUSK_DEEP_TRAINING_H

/* Noisy gradient descent on samples: DP-SGD [Abadi et al. 2016] and its kin. Every step takes a sample, adds up clipped gradients (sums.h), releases
 * the total with noise, and moves the parameters. An empty sample takes a step like any other, none is cut off, and gradients are divided by
 * the declared lot, never by how many there were. Proof: training.proof.md. */

#include "deep/clip.h"
#include "deep/correlation.h"
#include "deep/loss.h"
#include "deep/optimiser.h"
#include "deep/plain.h"
#include "deep/rows.h"
#include "deep/schedule.h"
#include "deep/start.h"
#include "deep/sums.h"
#include "learn/learner.h"
#include "learn/sampler.h"

typedef struct deep_plan {
    deep_net net;
    deep_start start; /* public parameters to begin with; or none */
    size_t frozen;    /* layers that are not learned */
    size_t frozen_parameters;
    deep_loss loss;
    deep_clipping clipping;
    double clip;                /* at first, where it is adaptive */
    double quantile, clip_rate; /* of adaptive clipping */
    learn_sampler sampler;
    uint64_t steps;
    double lot;        /* what gradients are divided by; public */
    learn_noise count; /* where the number of rows is paid for */
    learn_noise noise; /* of the totals, in units of the clip; where it falls, of the first stage */
    learn_noise stage[DEEP_STAGES]; /* where it falls */
    size_t stages;                  /* 0: it does not */
    deep_correlation correlation;
    deep_method method;
    double rate, momentum, weight_decay;
    deep_schedule schedule; /* of the rate */
    double average;         /* parameters are averaged with this decay; 0: the last ones */
    size_t threads;
    bool plain; /* no privacy at all: gradients are neither clipped nor is there noise */
} deep_plan;

/* All steps; `parameters` are the first values, and the trained ones after. `kept`: the state to go on from (state.h), or NULL. Where there is a checkpoint, what is
 * told of a step is told after it was kept. */
DUSK_MUST_USE dusk_status deep_train(learn_job *job, const deep_plan *plan, const deep_rows *rows,
                                     float *parameters, const unsigned char *kept, dusk_generator *gen,
                                     dusk_error *err);

#endif
