/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_GAUSSIAN_H
#define DUSK_ACCOUNTING_GAUSSIAN_H

/* The privacy curve of the Gaussian mechanism, exact up to a rounding that is
 * on the safe side, and the noise that reaches a target. sigma is the noise
 * deviation over the l2 sensitivity. */

#include <stdint.h>

#include "base/error.h"

/* delta(eps) = Phi(1/(2 sigma) - eps sigma) - e^eps Phi(-1/(2 sigma) - eps sigma)
 * [Balle & Wang 2018, Theorem 8], rounded up; for sigma > 0, epsilon >= 0. */
double dusk_gaussian_delta_up(double sigma, double epsilon);
/* The smallest epsilon with delta(eps) <= delta, rounded up; delta in (0, 1). At
 * sigma = dusk_gaussian_sigma_up(e, delta) it is not above e. */
double dusk_gaussian_epsilon_up(double sigma, double delta);
/* The smallest sigma with delta(epsilon) <= delta, rounded up (relative excess
 * below 1e-12): epsilon > 0, delta in (0, 1) checked by the caller. */
double dusk_gaussian_sigma_up(double epsilon, double delta);
/* sqrt(2 ln(1.25/delta)) / epsilon, rounded up [Dwork & Roth 2014, Theorem A.1];
 * proven for epsilon < 1 only, which the caller must have checked. */
double dusk_gaussian_classical_sigma_up(double epsilon, double delta);

/* The same for the discrete Gaussian, law ~ exp(-k^2/(2 sigma^2)) on the
 * integers, at an integer sensitivity [Canonne, Kamath & Steinke 2020, Thm 7].
 * sigma is in grid steps, not relative. Tight at every sigma. On the grid delta
 * is not monotone in sigma (it is for epsilon and sensitivity): sigma_up gives a
 * sigma that is enough, but a larger one need not be. */
double dusk_discrete_gaussian_delta_up(double sigma, uint64_t sensitivity, double epsilon);
double dusk_discrete_gaussian_epsilon_up(double sigma, uint64_t sensitivity, double delta);
double dusk_discrete_gaussian_sigma_up(uint64_t sensitivity, double epsilon, double delta);

#endif
