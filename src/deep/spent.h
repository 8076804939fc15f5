/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_SPENT_H
#define DUSK_DEEP_SPENT_H

/* What the first steps of a plan are, as an event: for those who want to see what has been spent so far. The promise is for all steps. */

#include "deep/training.h"

/* Of learners whose plan is a deep_plan. */
DUSK_MUST_USE dusk_status deep_spent(const learn_job *job, uint64_t steps, dusk_event *out, dusk_error *err);

#endif
