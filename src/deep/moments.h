/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_MOMENTS_H
#define DUSK_DEEP_MOMENTS_H

/* Means and deviations of features for a layer `standard`, which stands behind layers that are not learned: one release of the sums, over all rows, of what each channel
 * is on average over the places of a row, and of what its square is; a row's numbers are scaled down to the clip of the layer where they are longer together. Paid for by
 * scaling_share of the budget, before the first step. Proof: moments.proof.md. */

#include "deep/rows.h"
#include "deep/training.h"

/* For plans, when what comes with a start is known and `standard` is among the layers that are not learned. */
DUSK_MUST_USE dusk_status deep_plan_moments(learn_job *job, deep_plan *p, dusk_error *err);
/* For fits: parameters of the layer, by rows that have gone through the layers before it and are p->rows or about that. */
DUSK_MUST_USE dusk_status deep_fit_moments(const deep_plan *p, const deep_rows *rows, float *parameters,
                                           dusk_generator *gen, dusk_error *err);

/* How many layers there are before `standard`; DUSK_NO_LINK: there is none. */
size_t deep_before_standard(const deep_net *net);
/* Where there is one: DUSK_ERR_ARGUMENT unless what comes before it is the same at every step, `frozen` layers not being learned, or where there are two. */
DUSK_MUST_USE dusk_status deep_check_standard(const deep_net *net, size_t frozen, dusk_error *err);
/* For learners that have no private rows to measure: DUSK_ERR_ARGUMENT where there is one. */
DUSK_MUST_USE dusk_status deep_refuse_standard(const deep_net *net, dusk_error *err);

#endif
