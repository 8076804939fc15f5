/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_LEARNING_RATE_H
#define DUSK_DEEP_LEARNING_RATE_H

/* How far a step goes where nobody said. A rate that is right where noise is small goes nowhere where it is large: noise moves n parameters in T steps by about rate * deviation * root(n T),
 * a random walk, and what steps have learned drowns in it when that is much longer than the way to go. So the rate is found by the length of this walk: 15 for categories, 1 for a number, 4 for rows that come back;
 * and it is never more than one that goes astray without noise. These lengths were near the best for tables of 800 to 45,000 rows at epsilons of 0.3 to 3, linear models and networks, clips of
 * 0.1 to 10 (docs/networks.md has figures). All of it is public: the noise, the lot, the clip, and how many numbers are released. */

#include "deep/training.h"

/* Requires: the lot and the noise of the plan are known; `numbers` of them have noise in each step. */
double deep_rate_found(const deep_plan *p, size_t numbers);

#endif
