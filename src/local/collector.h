/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_COLLECTOR_H
#define DUSK_LOCAL_COLLECTOR_H

/* The inside of a collector: nonces for all, and for every lane counters of its own under a lock of its own. While a lane's lock is held, a nonce is in the
 * set if and only if its report is in the lane's counters: who holds all locks sees a state that is right. */

#include <pthread.h>

#include "dusk/local_wire.h"
#include "local/nonces.h"
#include "local/tally.h"

#define LOCAL_BATCH 256

typedef struct local_lane {
    pthread_mutex_t lock;
    dusk_tally *tally;
    uint64_t kind[DUSK_TAKEN_KINDS]; /* but those that the tally counts */
    uint8_t *batch;                  /* reports that wait, `waiting` of them, and their nonces */
    size_t waiting, most;
    uint64_t nonce[LOCAL_BATCH];
    bool locked;
} local_lane;

struct dusk_collector {
    dusk_survey survey;
    uint64_t epoch;
    uint32_t lanes, size; /* size: of a report */
    local_nonces *nonces;
    local_lane *lane; /* what was read or merged is in the first one */
    bool broken;      /* a merge stopped halfway */
};

/* All locks; and the counters of all lanes in the first one. */
void local_collector_hold(dusk_collector *collector);
void local_collector_release(dusk_collector *collector);

/* intake.c: whose input it is; and n records of it that are dropped before they are records of the wire. */
const dusk_collector *local_intake_collector(const dusk_intake *intake);
void local_intake_drop(dusk_intake *intake, dusk_taken kind, uint64_t n);

#endif
