/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_BINGHAM_H
#define DUSK_LEARN_BINGHAM_H

/* A random direction v with density proportional to exp(v^T A v) on the sphere: the Bingham distribution, which is what the exponential
 * mechanism draws components from. By rejection from an angular central Gaussian envelope [Kent, Ganeiber & Mardia 2018]: exact for real
 * numbers, in doubles near them. So whoever rests a promise on it is idealised. The number of tries depends on A. */

#include <stddef.h>

#include "base/error.h"
#include "base/platform.h"
#include "dusk/random.h"

/* out: d numbers of length 1. A is symmetric, finite, and overwritten. */
DUSK_MUST_USE dusk_status learn_bingham_draw(double *out, double *matrix, size_t d, dusk_generator *gen,
                                             dusk_error *err);

#endif
