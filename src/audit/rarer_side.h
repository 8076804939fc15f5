/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_RARER_SIDE_H
#define DUSK_AUDIT_RARER_SIDE_H

/* How rare the sets are that show a known truth; see rarer_side.c. */

#include "audit/select.h"

/* Sets below this mass on their rarer side are not counted. */
#define AUDIT_RAREST 1e-5

/* The largest mass on the second input of a set that shows nearly all of `truth`, the finite
 * epsilon above 0 of input[0] against input[1] at delta: an estimate by the exported density. */
DUSK_MUST_USE dusk_status audit_rarer_mass(double *out, const dusk_sampler *sampler,
                                           const double *const input[2], double delta, double truth,
                                           dusk_error *err);

#endif
