/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_NET_LEARNER_H
#define DUSK_DEEP_NET_LEARNER_H

/* What learners whose model is a network have in common: the setting "net" is its text, the setting "range" how numbers are scaled, the array
 * "parameters" its parameters. */

#include "deep/net.h"
#include "learn/learner.h"

/* For plans: numbers to [0, 1] instead of [-1, 1], so that the background of pictures is 0. */
void deep_scale_to_unit(learn_job *job);
/* Numbers that were scaled are no tokens: all rows would look alike. */
#define DEEP_RAW_HINT "add --set range=raw"
DUSK_MUST_USE dusk_status deep_check_tokens(const deep_net *net, bool raw, const char *hint, dusk_error *err);
DUSK_MUST_USE dusk_status deep_put_parameters(learn_job *job, const float *parameters, size_t n,
                                              dusk_error *err);

/* Plan and fit of them all: what is learned follows from the label. */
DUSK_MUST_USE dusk_status deep_net_plan(learn_job *job, dusk_error *err);
DUSK_MUST_USE dusk_status deep_net_fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen,
                                       dusk_error *err);
void deep_net_forget(void *plan);
extern const dusk_setting deep_net_settings[];

/* How many numbers the network of a model gives. */
size_t deep_outputs(const dusk_model *model);
bool deep_complete(const dusk_model *model);
DUSK_MUST_USE dusk_status deep_predict(const dusk_model *model, const dusk_frame *frame, double *out,
                                       dusk_error *err);
/* What layer `end` - 1 gives for each row, `width` numbers each; net->layers: what the network gives. */
DUSK_MUST_USE dusk_status deep_run(const dusk_model *model, const deep_net *net, size_t end,
                                   const dusk_frame *frame, double *out, dusk_error *err);

/* autoencoder.c: the layer that is number `place` of the text, counted from 0, or DUSK_NO_LINK. */
size_t deep_code_layer(const deep_net *net, size_t place);

#endif
