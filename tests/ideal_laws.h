/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_IDEAL_LAWS_H
#define TESTS_IDEAL_LAWS_H

/* P(Z <= z) of laws that noise is compared with, at scale 1; that of the normal law is
 * in numeric/special.h. */

#include <math.h>

#include "numeric/special.h"

static inline double laplace_cdf(double z) { return z < 0 ? exp(z) / 2 : 1 - exp(-z) / 2; }

static inline double student_t_cdf(double degrees, double z)
{
    double below = dusk_beta_inc(degrees / 2, 0.5, degrees / (degrees + z * z)) / 2;
    return z < 0 ? below : 1 - below;
}

#endif
