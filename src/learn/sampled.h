/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_SAMPLED_H
#define DUSK_LEARN_SAMPLED_H

/* Gradients over samples of rows (sampler.h). Proof: sampled.proof.md. */

#include "learn/gradient.h"

/* Rows on their way from a matrix into a sum, a few at a time. */
typedef struct learn_sample {
    learn_draw draw;
    const learn_matrix *from;
    learn_matrix piece;
} learn_sample;
DUSK_MUST_USE dusk_status learn_sample_open(learn_sample *out, const learn_matrix *matrix,
                                            const learn_sampler *sampler, dusk_generator *gen,
                                            dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void learn_sample_close(learn_sample *sample);
/* The noisy gradient over sample number `step`; the work is of learn_gradient_open with sample->piece. */
DUSK_MUST_USE dusk_status learn_sample_release(learn_sample *sample, learn_gradient_work *work,
                                               const learn_gradient *gradient, double *out,
                                               const double *weights, uint64_t step, dusk_generator *gen,
                                               dusk_error *err);

#endif
