/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_REQUEST_H
#define DUSK_MECHANISMS_REQUEST_H

/* What mechanisms are asked for, checked in one place and refused in one sentence.
 * NaN is refused by each. */

#include "base/error.h"

/* Finite and above 0. */
DUSK_MUST_USE dusk_status dusk_request_epsilon(double epsilon, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_request_sensitivity(double sensitivity, dusk_error *err);
/* Above 0 and below 1. */
DUSK_MUST_USE dusk_status dusk_request_confidence(double confidence, dusk_error *err);

#endif
