/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_SCALING_H
#define DUSK_LEARN_SCALING_H

/* scaling=standard: numbers about their mean, in units of their deviation, both of which are paid for: one release of the
 * sums and the sums of squares of all numbers, and of the number of rows. */

#include "learn/learner.h"

/* How long a row is, roughly, when numbers are scaled so: the root of the number of its columns. */
double learn_typical_length(const learn_features *features);

/* Take the share; job->features is set up, by the bounds. Nothing to do without numbers. */
DUSK_MUST_USE dusk_status learn_plan_scaling(learn_job *job, double share, dusk_error *err);
/* Release, and rescale job->features. */
DUSK_MUST_USE dusk_status learn_fit_scaling(learn_job *job, const dusk_frame *frame, dusk_generator *gen,
                                            dusk_error *err);

#endif
