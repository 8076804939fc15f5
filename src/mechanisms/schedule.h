/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_SCHEDULE_H
#define DUSK_MECHANISMS_SCHEDULE_H

/* A schedule: choices and measurements that are declared beforehand and share one
 * promise, as MWEM and synthetic tables need them. Each part gets its share of the
 * budget; the noise of all is then as small as the best accountant allows. */

#include "dusk/mechanisms.h"

typedef struct dusk_schedule_part {
    bool choice;        /* the exponential mechanism, or else noise on whole numbers       */
    uint64_t times;     /* how often it runs, at least 1                                   */
    double share;       /* of the budget, for all times together, above 0; they add to 1   */
    double sensitivity; /* a whole number for choices and Laplace noise (of a score, or in
                           l1), of one run in l2 for Gaussian noise                         */
    uint32_t dimension; /* of one measurement                                              */
    /* what dusk_schedule_calibrate fills in, the one that is meant: */
    dusk_selection selection;
    dusk_noise noise;
} dusk_schedule_part;

/* Fill in `selection` and `noise` of all n parts and state the event of the whole, so
 * that statement->epsilon <= how->epsilon at how->delta. `how` has been checked. */
DUSK_MUST_USE dusk_status dusk_schedule_calibrate(dusk_schedule_part *parts, size_t n,
                                                  const dusk_aggregate *how, dusk_statement *statement,
                                                  dusk_error *err);

#endif
