/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_MILLS_RATIO_H
#define DUSK_ACCOUNTING_MILLS_RATIO_H

/* The standard normal tail without its exponential factor: Gaussian privacy
 * curves are differences of tails whose factors cancel, and Mills' ratio is
 * what remains. */

#include "numeric/real.h"

/* `out` encloses { (1 - Phi(x)) / phi(x) } over the interval x; x > -100. */
void dusk_mills_ratio(dusk_interval *out, const dusk_interval *x);
/* `out` encloses { phi(x) = exp(-x^2/2) / sqrt(2 pi) }; |x| < 10000. */
void dusk_normal_density(dusk_interval *out, const dusk_interval *x);

#endif
