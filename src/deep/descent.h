/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_DESCENT_H
#define DUSK_DEEP_DESCENT_H

/* Steps that are looked at before they are taken [DP-AGD: Lee & Kifer 2018; of networks Huang et al. 2019]. A step releases a noisy gradient over a sample, and then, over another
 * sample, how much rows would gain by steps of several lengths along it (gains.h), with noise; the largest of these totals is the length, 0 being the total of no step. Where no step is the best the
 * gradient says too little: it is kept, the precision 1 / multiplier^2 of gradients rises by DEEP_RAISED, and what is missing to it is measured anew; both measurements are averaged by their
 * precision. A step is charged to the filter of an allowance before anything of it is released, and the first one that does not fit, however much noise it has, ends the training. No step reads rows here. Proof: descent.proof.md. */

#include "learn/allowance.h"

enum {
    DEEP_LENGTHS = 4,  /* of steps that are looked at, each half as long as the one before */
    DEEP_LEVELS = 16,  /* of precision, at most */
    DEEP_LOOKBACK = 10 /* steps, after which the longest length is found anew */
};
#define DEEP_RAISED 0.1       /* gamma */
#define DEEP_CHOICE_SHARE 0.2 /* of a step's cost is that of how much rows gain, about */
#define DEEP_GAIN_CLIP 0.5    /* of what a row gains at most, to first order, by the longest step */
#define DEEP_GAIN_GRID (-22)
#define DEEP_GAIN_STEPS 0x1p22 /* what a row may add to totals of gains, in length, in steps of the clip */

/* What is kept of a training: all of it follows from releases. */
typedef struct deep_descended {
    uint64_t alone[DEEP_LEVELS]; /* gradients that were released with the precision of a level, */
    uint64_t added[DEEP_LEVELS]; /* and with what a level has more than the one before; */
    uint64_t choices;            /* and totals of gains: one a step */
    uint64_t level, adds;        /* of the next gradient; and whether it is one that is added */
    uint64_t ended;              /* the next step did not fit */
    uint64_t looked_at;          /* steps since the longest length was found */
    double longest;              /* a rate */
    double sum[DEEP_LENGTHS];    /* of gains of each length, since then */
    double held;                 /* precision of the gradient that is kept; 0: none is */
} deep_descended;

/* Of plans: multipliers of gradients of level 0, and of gains; and how many levels there are. */
typedef struct deep_measures {
    double first, choosing;
    uint64_t levels;
} deep_measures;

typedef struct deep_descent {
    const learn_allowance *allowance; /* of gradients; NULL: there is none */
    learn_allowance gains;            /* the same, for the totals of gains */
    dusk_filter *filter;
    deep_measures measures;
    double rate;               /* the first */
    learn_noise noise, choice; /* of the step at hand */
    double precision;
    size_t numbers; /* that a gradient has */
    float *gradient;
    deep_descended kept;
} deep_descent;

/* With these so many steps that all move, and none more, fit into the allowance. */
DUSK_MUST_USE dusk_status deep_descent_plan(deep_measures *out, const learn_allowance *allowance,
                                            uint64_t steps, dusk_error *err);
/* The largest multiplier that a gradient may have. */
double deep_descent_most(const deep_measures *measures);

/* `allowance` is borrowed; `rate` is what nobody knows better: the first longest step is twice that. It is to be closed even where this fails. */
DUSK_MUST_USE dusk_status deep_descent_open(deep_descent *out, const learn_allowance *allowance,
                                            const deep_measures *measures, double rate, size_t numbers,
                                            dusk_error *err);
/* Fine on a zeroed one. */
void deep_descent_close(deep_descent *d);
/* With d->kept and d->gradient of a training that goes on: what it has released is charged to the filter of this one. */
DUSK_MUST_USE dusk_status deep_descent_resume(deep_descent *d, dusk_error *err);
/* Before each step: charges it, and d->noise and d->choice are its noise; or, for good, *goes_on = false. */
DUSK_MUST_USE dusk_status deep_descent_begin(deep_descent *d, bool *goes_on, dusk_error *err);
/* The gradient of a step as it was released: numbers from `first` on, all of them once. d->gradient is then the average with what is kept. */
void deep_descent_take(deep_descent *d, const float *released, size_t first, size_t n);
/* The rate of length k, from 0 on; and how much of a gain counts of a row whose gradient is at most `clip` long, d->gradient being in units of `unit`. */
double deep_descent_rate(const deep_descent *d, size_t k);
double deep_descent_clip(const deep_descent *d, double clip, double unit);
/* Totals of gains over the clip as they were released, one a length: the rate of the best, or 0. */
double deep_descent_choose(deep_descent *d, const double *gain, double clip);

struct dusk_model;
/* Into a model: "steps" that were taken; "noise" of gradients over the clip, "gradients" released with it; and "choice_noise", over the clip of gains. */
DUSK_MUST_USE dusk_status deep_descent_put(const deep_descent *d, struct dusk_model *model, dusk_error *err);

#endif
