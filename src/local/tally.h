/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_TALLY_H
#define DUSK_LOCAL_TALLY_H

/* The inside of a tally. */

#include "local/protocol.h"

struct dusk_tally {
    dusk_survey survey;
    const local_protocol *protocol;
    uint64_t cells, reports, dropped;
    int64_t *cell;
};

#endif
