/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_SAMPLED_H
#define DUSK_LEARN_SAMPLED_H

/* Sums over Poisson samples of rows: every row is in each sample with the same chance, by coins of its own, whoever else is in;
 * nobody learns who was, nor how many. Proof: sampled.proof.md. */

#include "learn/gradient.h"
#include "random/keyed.h"

/* Noise for `times` releases, each over a sample of chance `rate`, as learn_budget_noise; takes all that is left of the budget. Refused
 * without delta, under replace-one, and with several rows a unit, whose coins would not be the unit's. */
DUSK_MUST_USE dusk_status learn_budget_sampled(learn_budget *budget, learn_noise *out, uint32_t dimension,
                                               double steps, int grid, double rate, uint64_t times,
                                               dusk_error *err);

/* Rows on their way from a matrix into a sum, a few at a time. */
typedef struct learn_sample {
    dusk_keyed_coins *coins;
    uint64_t rate; /* over 2^64 */
    const learn_matrix *from;
    bool *in;
    learn_matrix piece;
} learn_sample;
DUSK_MUST_USE dusk_status learn_sample_open(learn_sample *out, const learn_matrix *matrix, double rate,
                                            dusk_generator *gen, dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void learn_sample_close(learn_sample *sample);
/* The noisy gradient over sample number `step`; the work is of learn_gradient_open with sample->piece. */
DUSK_MUST_USE dusk_status learn_sample_release(learn_sample *sample, learn_gradient_work *work,
                                               const learn_gradient *gradient, double *out,
                                               const double *weights, uint32_t step, dusk_generator *gen,
                                               dusk_error *err);

#endif
