/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_PARTS_H
#define DUSK_DEEP_PARTS_H

/* The part of a plan that says what of a net is learned: settings start, frozen, tune, subspace and carriers. Public facts alone, as every plan; what is not public is refused. */

#include "deep/training.h"

/* What the net begins with, and what of it is learned. */
DUSK_MUST_USE dusk_status deep_plan_start(learn_job *job, deep_plan *p, dusk_error *err);
/* Directions of gradients by public rows. */
DUSK_MUST_USE dusk_status deep_plan_subspace(learn_job *job, deep_plan *p, dusk_error *err);
/* Gradients by carriers; when all else is known. */
DUSK_MUST_USE dusk_status deep_plan_carriers(learn_job *job, deep_plan *p, dusk_error *err);

#endif
