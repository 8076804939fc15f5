/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_BOUNDS_H
#define DUSK_MECHANISMS_BOUNDS_H

#include <stddef.h>

/* A t such that the sum of `count` independent discrete Laplace numbers of this scale is
 * below -t with probability at most exp(-log_ways); +inf for scales below 1/600. Not
 * static, so that a test can hold it against the exact law. */
double dusk_bounds_sum_tail_up(double scale, size_t count, double log_ways);

#endif
