/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_THRESHOLD_MONITOR_H
#define DUSK_MECHANISMS_THRESHOLD_MONITOR_H

#include "dusk/mechanisms.h"

/* What follows from the options; nothing private. */
typedef struct dusk_monitor_plan {
    double scale;     /* of the discrete Laplace noise on a count */
    int64_t least;    /* smallest noisy count that is above: the threshold, rounded up */
    dusk_event event; /* of any number of queries */
} dusk_monitor_plan;

/* Check the options and find the scale. */
DUSK_MUST_USE dusk_status dusk_monitor_plan_make(dusk_monitor_plan *out,
                                                 const dusk_threshold_monitor_options *options,
                                                 dusk_error *err);
/* A monitor by that plan, with `width` coins tossed at a time: 64 in production, fewer in
 * exhaustive tests. */
DUSK_MUST_USE dusk_status dusk_threshold_monitor_start(dusk_threshold_monitor **out,
                                                       const dusk_threshold_monitor_options *options,
                                                       const dusk_monitor_plan *plan, const void *records,
                                                       size_t count, size_t record_size, unsigned width,
                                                       dusk_error *err);

#endif
