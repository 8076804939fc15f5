/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_POINTS_H
#define DUSK_LEARN_POINTS_H

/* k-means of points that were released: post-processing, as many starts and swaps as one likes. */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/platform.h"

/* `n` points of `width` numbers with weights >= 0; n 0 is fine. */
typedef struct learn_points {
    double *x, *weight;
    size_t n, width;
} learn_points;
DUSK_MUST_USE dusk_status learn_points_init(learn_points *out, size_t n, size_t width, dusk_error *err);
void learn_points_clear(learn_points *points);

/* Public coins: nothing depends on their being secret. */
uint64_t learn_points_coin(uint64_t *seed);
double learn_points_uniform(uint64_t *seed); /* [0, 1) */

/* k centres of small cost; on input `centres` has k centres for those that points do not determine (fewer points than
 * centres, or none of any weight). */
DUSK_MUST_USE dusk_status learn_points_cluster(const learn_points *points, double *centres, size_t k,
                                               uint64_t seed, dusk_error *err);
/* Of each centre: the weight of the points nearest to it and their mean squared distance from it (0 without any). */
void learn_points_describe(const learn_points *points, const double *centres, size_t k, double *weight,
                           double *square);

/* The number of the nearest of k centres, the first of those equally near, and the square of the distance. */
size_t learn_nearest(const double *x, const double *centres, size_t k, size_t width, double *square);

#endif
