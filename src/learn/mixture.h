/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_MIXTURE_H
#define DUSK_LEARN_MIXTURE_H

/* Normal densities with weights, and a round of EM that is released. Numbers are in steps (features.h). Proof: em_round.proof.md. */

#include "learn/groups.h"

typedef struct learn_mixture {
    learn_groups groups; /* centres, counts, spreads, radii */
    bool full;
    double *weight;     /* k, adding to 1 - LEARN_BACKGROUND */
    double *covariance; /* k * d * d, symmetric, positive: steps squared */
    double *root; /* k * d * d: A with A^T A the inverse of the covariance (diagonal ones: the diagonal) */
    double *constant; /* k: log of weight / sqrt(det(2 pi covariance)) */
    double *scratch;  /* d */
} learn_mixture;

#define LEARN_BACKGROUND 0.01 /* the part of the density that is even over the box */
#define LEARN_MIXTURE_SIZE                                                                                   \
    0x1p20 /* an offset as long as the radius, in steps of a total over a part of a row */

typedef struct learn_mixture_noise {
    learn_noise noise;
    double weight; /* of a row beside LEARN_MIXTURE_SIZE */
} learn_mixture_noise;

/* How many numbers a component has in a release. */
size_t learn_mixture_numbers(size_t width, bool full);
DUSK_MUST_USE dusk_status learn_plan_mixture(learn_job *job, learn_mixture_noise *out, size_t k, bool full,
                                             double share, uint64_t times, dusk_error *err);

DUSK_MUST_USE dusk_status learn_mixture_init(learn_mixture *out, size_t k, bool full,
                                             const learn_features *features, const dusk_fields *fields,
                                             dusk_error *err);
void learn_mixture_clear(learn_mixture *m);
/* Round densities from the centres, counts and spreads of the groups. */
void learn_mixture_begin(learn_mixture *m);
/* root and constant from weights and covariances; those are made positive. */
void learn_mixture_settle(learn_mixture *m);
/* The log density at x (steps), `units` being the log of steps a unit, all columns together. */
double learn_mixture_log(const learn_mixture *m, const double *x, double units);
/* Rows shared out, one release, components moved. */
DUSK_MUST_USE dusk_status learn_mixture_round(learn_mixture *m, const learn_mixture_noise *noise,
                                              const learn_matrix *matrix, dusk_generator *gen,
                                              dusk_error *err);

#endif
