/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_HIERARCHY_H
#define DUSK_MECHANISMS_HIERARCHY_H

/* The inside of dusk_hierarchy: a public tree, the noise of its levels, and what
 * follows for the variances of counts that are made to agree. */

#include "mechanisms/noise.h"

struct dusk_hierarchy {
    dusk_aggregate how; /* its unit is the copy below */
    char unit[64];
    size_t nodes, levels;
    uint32_t *parents;
    uint8_t *level;                              /* of a node                                        */
    uint32_t *children;                          /* how many a node has                              */
    size_t size[DUSK_HIERARCHY_LEVELS_MAX];      /* nodes of a level              */
    double share[DUSK_HIERARCHY_LEVELS_MAX];     /* adds up to at most 1       */
    dusk_noise noise[DUSK_HIERARCHY_LEVELS_MAX]; /* where the share is not 0 */
    /* Variances; of Laplace noise 2 b^2 is taken, a little more than it has. */
    double *below;  /* of the estimate of a node from itself and what is below */
    double *under;  /* of the sum of its children's                            */
    double *fitted; /* of the fitted count                                     */
};

/* The variance that a count of a level is taken to have; +inf without noise. */
double dusk_hierarchy_variance(const dusk_hierarchy *h, size_t level);
/* How much of a node's own noisy count is in its estimate from below; 1 for a leaf. */
double dusk_hierarchy_own_weight(const dusk_hierarchy *h, size_t i);
/* The part of what is missing at its parent that node i >= 1 gets. */
double dusk_hierarchy_part(const dusk_hierarchy *h, size_t i);
/* Bounds on sums of independent discrete Laplace (or Laplace) numbers of scales m_i. */
typedef struct dusk_laplace_sum {
    double largest; /* the largest m_i, or more */
    double squares; /* sum of m_i^2 */
    double
        growth; /* sum of -ln(1 - (m_i / largest)^2) without the largest itself, or more; +inf: not known */
    double doubled; /* 2 / (1 + q), q = exp(-1 / b) of the largest one's b: 2 or less */
} dusk_laplace_sum;
/* A t such that the sum is beyond +-t with probability at most p. `deviate`: NULL, or
 * dusk_hierarchy_chernoff(p, k) for some k >= squares / largest^2. */
double dusk_laplace_sum_width(const dusk_laplace_sum *sum, double p, const double *deviate);
double dusk_hierarchy_chernoff(double p, double k);
/* weights[i]: what the sum over leaves of queried[i] times the fitted count gives to noisy
 * count i. */
DUSK_MUST_USE dusk_status dusk_hierarchy_weights(const dusk_hierarchy *h, double *weights,
                                                 const double *queried, dusk_error *err);
/* Fill below, under and fitted. */
void dusk_hierarchy_variances(dusk_hierarchy *h);
/* dusk_hierarchy_release; `width` as in noise.h. */
DUSK_MUST_USE dusk_status dusk_hierarchy_release_width(const dusk_hierarchy *h, double *noisy,
                                                       const uint64_t *exact, unsigned width,
                                                       dusk_generator *gen, dusk_error *err);

#endif
