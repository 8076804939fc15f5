/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_STUDENT_T_H
#define DUSK_RANDOM_STUDENT_T_H

/* Student's t with a whole number of degrees, enclosed; one degree is the
 * Cauchy law. A number, not a draw: draws are in noise_scaled.h. */

#include "numeric/real.h"

#define DUSK_STUDENT_T_DEGREES_MAX 100

/* Enclose { Q(v) : v in the interval }, P(|T| > Q(v)) = v, for v within [0, 1]
 * and degrees in 1..DUSK_STUDENT_T_DEGREES_MAX. Q(1) = 0, Q(0) = +inf. */
void dusk_student_t_quantile(unsigned degrees, dusk_interval *out, const dusk_interval *v);

#endif
