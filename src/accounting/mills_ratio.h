/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_MILLS_RATIO_H
#define DUSK_ACCOUNTING_MILLS_RATIO_H

/* The standard normal tail without its exponential factor: Gaussian privacy
 * curves are differences of tails whose factors cancel, and Mills' ratio is
 * what remains. */

#include <stdint.h>

#include "numeric/real.h"

/* `out` encloses { (1 - Phi(x)) / phi(x) } over the interval x; x > -100. */
void dusk_mills_ratio(dusk_interval *out, const dusk_interval *x);
/* `out` encloses { phi(x) = exp(-x^2/2) / sqrt(2 pi) }; |x| < 10000. */
void dusk_normal_density(dusk_interval *out, const dusk_interval *x);

/* Where x = epsilon sigma/s - s/(2 sigma) lies: 1 when above 38.9, and then
 * exp(-x^2/2) < 1e-328 is below every double; -1 when below -38.9; 0 only when
 * |x| < 40. sigma > 0 and epsilon >= 0 finite, s >= 1. */
int dusk_far_tail(double sigma, uint64_t s, double epsilon);

#endif
