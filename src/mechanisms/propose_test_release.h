/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_PROPOSE_TEST_RELEASE_H
#define DUSK_MECHANISMS_PROPOSE_TEST_RELEASE_H

#include "dusk/mechanisms.h"
#include "mechanisms/smooth_quantile.h"

/* How many units, of m rows each, must change until some neighbour's row of rank r is
 * further than `bound` away, or fewer; between neighbours it differs by at most 1. */
uint64_t dusk_propose_distance(const dusk_ordered *x, size_t r, uint32_t m, double bound);

#endif
