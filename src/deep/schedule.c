/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules; see schedule.h. */
#include "deep/schedule.h"

#include <math.h>

double deep_schedule_at(const deep_schedule *schedule, uint64_t step, uint64_t steps)
{
    const double part = ((double)step + 0.5) / (double)steps;
    double rate = 1;
    if (schedule->falling == DEEP_RATE_ROOT) rate = 1 / sqrt((double)step + 1);
    if (schedule->falling == DEEP_RATE_COSINE) rate = 0.5 * (1 + cos(M_PI * part));
    if (part < schedule->warm_up) rate *= part / schedule->warm_up;
    if (1 - part < schedule->cool_down) rate *= (1 - part) / schedule->cool_down;
    return rate;
}

size_t deep_stage_of(uint64_t step, uint64_t steps, size_t stages)
{
    /* steps are below 2^24 (a setting), or epochs over a rate: the product stays below 2^64 */
    return (size_t)(step * stages / steps);
}

size_t deep_stage_times(uint64_t *times, size_t most, uint64_t steps)
{
    const size_t stages = steps < most ? (size_t)steps : most;
    uint64_t first = 0;
    for (size_t k = 0; k < stages; k++) {
        const uint64_t next = (steps * (k + 1) + stages - 1) / stages; /* the first step of the next stage */
        times[k] = next - first;
        first = next;
    }
    return stages;
}

size_t deep_stages(double *factor, uint64_t *times, double fall, uint64_t steps)
{
    const size_t stages = deep_stage_times(times, DEEP_STAGES, steps);
    for (size_t k = 0; k < stages; k++)
        factor[k] = stages == 1 ? 1 : pow(fall, (double)k / (double)(stages - 1));
    return stages;
}
