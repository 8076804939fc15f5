/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_CLASSIFIER_H
#define DUSK_DEEP_CLASSIFIER_H

/* What learners whose model is a network have in common: the setting "net" is its text, the setting "range" how numbers are scaled, the array
 * "parameters" its parameters. */

#include "learn/learner.h"

/* For plans: numbers to [0, 1] instead of [-1, 1], so that the background of pictures is 0. */
void deep_scale_to_unit(learn_job *job);
DUSK_MUST_USE dusk_status deep_put_parameters(learn_job *job, const float *parameters, size_t n,
                                              dusk_error *err);

size_t deep_outputs(const dusk_model *model);
bool deep_complete(const dusk_model *model);
DUSK_MUST_USE dusk_status deep_predict(const dusk_model *model, const dusk_frame *frame, double *out,
                                       dusk_error *err);

#endif
