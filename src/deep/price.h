/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_PRICE_H
#define DUSK_DEEP_PRICE_H

/* What a training takes of its budget: which rows a step looks at, how many steps there are, and how much noise that asks for. All of it is planned before a row is
 * read, but for a lot of rows that nobody has counted: then a part of epsilon pays for a noisy count, the rest of the promise is charged as it is, and samples and noise
 * are found by the count. Proof: price.proof.md. */

#include "deep/training.h"

#define DEEP_STEPS_MOST 1e7

/* For plans, in this order; the second needs to know what is learned. */
DUSK_MUST_USE dusk_status deep_plan_samples(learn_job *job, deep_plan *p, dusk_error *err);
DUSK_MUST_USE dusk_status deep_plan_noise(learn_job *job, deep_plan *p, dusk_error *err);
void deep_say_price(learn_job *job, const deep_plan *p);

/* For fits: count rows where that is paid for, and with it p->lot; where samples follow from it, these, how many steps there are, and their noise. `kept`: a state to go on from (state.h), whose
 * count is taken, or NULL. */
DUSK_MUST_USE dusk_status deep_fit_samples(learn_job *job, deep_plan *p, size_t rows,
                                           const unsigned char *kept, dusk_generator *gen, dusk_error *err);

/* After training, into the model: what followed from a count, "rows", "steps" and "noise", over the clip; and a rate that was found, "learning_rate". */
DUSK_MUST_USE dusk_status deep_put_found(learn_job *job, const deep_plan *p, dusk_error *err);

#endif
