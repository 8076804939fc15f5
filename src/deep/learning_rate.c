/* SPDX-License-Identifier: Apache-2.0 */
/* The learning rate by the walk of noise; see learning_rate.h. What is known of walks is for descent without curvature; momentum m makes each step 1 / (1 - m) as long in the end. */
#include "deep/learning_rate.h"

#include <math.h>

/* By what is learned: odds have more room than a number between -1 and 1 has; a whole row has some. */
static double walk_of(deep_loss loss) { return loss == DEEP_SQUARED ? 1 : loss == DEEP_INPUT ? 4 : 15; }

/* What a step of rate 1 is multiplied by, all steps together: the root of the sum of squares, each times the deviation of its stage over that of the first. */
static double rates_together(const deep_plan *p)
{
    double sum = 0;
    for (uint64_t step = 0; step < p->steps; step++) {
        const double rate = deep_schedule_at(&p->schedule, step, p->steps);
        const size_t stage = p->stages > 0 ? deep_stage_of(step, p->steps, p->stages) : 0;
        const double noise = p->stages > 0 ? p->stage[stage].deviation / p->stage[0].deviation : 1;
        sum += rate * rate * (p->method == DEEP_SGD ? noise * noise : 1) /
               (p->method == DEEP_ADAGRAD ? (double)step + 1 : 1);
    }
    return sqrt(sum);
}

/* How far noise of all steps moves a parameter at rate 1. Methods that divide by the size of gradients make steps of about 1, and of about 4 where noise was taken off that size. */
static double walk_of_one(const deep_plan *p)
{
    if (p->method != DEEP_SGD) return rates_together(p) * (deep_takes_noise_off(p->method) ? 4 : 1);
    const double steps = p->correlation.way == DEEP_INDEPENDENT
                             ? rates_together(p)
                             : deep_correlation_error(&p->correlation, p->steps);
    return steps * p->noise.deviation * p->clip / p->lot / (1 - p->momentum);
}

/* The most, however little noise there is: a longer step goes astray by itself. Gradients that are clipped to less than 1 want longer ones. */
static double rate_most(const deep_plan *p)
{
    switch (p->method) {
    case DEEP_SGD: return p->plain ? 0.1 : 1 / fmin(p->clip, 1);
    case DEEP_ADAGRAD: return p->plain ? 0.01 : 0.1;
    default: return p->plain ? 0.001 : deep_takes_noise_off(p->method) ? 0.01 : 0.03;
    }
}

double deep_rate_found(const deep_plan *p, size_t numbers)
{
    const double most = rate_most(p);
    if (p->plain) return most;
    return fmin(most, walk_of(p->loss) / (walk_of_one(p) * sqrt((double)numbers)));
}
