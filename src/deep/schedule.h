/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_SCHEDULE_H
#define DUSK_DEEP_SCHEDULE_H

/* What changes from step to step by public numbers alone: the rate of learning, and the stages in which noise falls. */

#include <stddef.h>
#include <stdint.h>

typedef enum deep_falling { DEEP_RATE_CONSTANT, DEEP_RATE_ROOT, DEEP_RATE_COSINE } deep_falling;

typedef struct deep_schedule {
    deep_falling falling; /* 1; 1 / sqrt(step), from 1 on; or half a cosine, from 1 to 0 */
    double warm_up,
        cool_down; /* shares of the steps in which the rate rises from 0, and falls to 0, besides */
} deep_schedule;

/* What the rate is multiplied by in step `step` of `steps`, from 0 on. */
double deep_schedule_at(const deep_schedule *schedule, uint64_t step, uint64_t steps);

/* Stages of about as many steps each: `most`, or as many as there are steps. How many of them, and how many steps each has. */
size_t deep_stage_times(uint64_t *times, size_t most, uint64_t steps);
/* Stages of noise that falls to `fall` times what it was at first; what it is in each, of the first 1. */
enum { DEEP_STAGES = 8 };
size_t deep_stages(double *factor, uint64_t *times, double fall, uint64_t steps);
size_t deep_stage_of(uint64_t step, uint64_t steps, size_t stages);

#endif
