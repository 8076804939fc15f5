/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_TALLIES_H
#define DUSK_LEARN_TALLIES_H

/* Noisy counts of values of several columns, or of pairs of them (bins.h): released together, a row being in one cell of each.
 * Proof: tallies.proof.md. */

#include "learn/learner.h"

/* Noise for counts of which a row moves `touched`, each by 1 at most. */
typedef struct learn_tally {
    learn_noise noise;
    double deviation; /* of a count */
} learn_tally;
DUSK_MUST_USE dusk_status learn_plan_tally(learn_job *job, learn_tally *out, size_t touched, double share,
                                           dusk_error *err);
/* Release `cells` counts once; how many is public, or was released. `counts` is wiped. */
DUSK_MUST_USE dusk_status learn_fit_tally(const learn_tally *tally, double *out, int64_t *counts,
                                          size_t cells, dusk_generator *gen, dusk_error *err);

/* The nearest numbers that are not negative and add to `total` >= 0; scratch has room for n. */
void learn_project_total(double *x, size_t n, double total, double *scratch);

#endif
