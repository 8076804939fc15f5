/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_RDP_CONVERSION_H
#define DUSK_ACCOUNTING_RDP_CONVERSION_H

/* What a moment of the privacy loss says about (epsilon, delta). k is an upper
 * bound of ln E[exp(s L); L < inf], s > 0; delta is what finite losses may have. */

/* The smallest epsilon >= 0 at delta > 0, and delta at epsilon >= 0, rounded up. */
double dusk_moment_to_epsilon_up(double s, double k, double delta);
double dusk_moment_to_delta_up(double s, double k, double epsilon);
/* delta at every epsilon, from a divergence of any order >= 1. */
double dusk_divergence_to_delta_up(double divergence);

#endif
