/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_INVERSION_H
#define DUSK_ACCOUNTING_INVERSION_H

/* Inverting a privacy curve: the smallest parameter (epsilon or sigma) at which
 * a certified upper bound of delta reaches a target. */

#include <stdbool.h>

#include "numeric/real.h"

/* One certified look at the curve. */
typedef struct dusk_curve_point {
    double excess; /* ln(upper bound of delta / target); <= 0 only when the bound is <= target */
    double step;   /* about where the excess vanishes: x + step or x exp(step); NAN: not known */
} dusk_curve_point;

typedef dusk_curve_point dusk_curve(double x, const void *context);

/* An x > 0 whose excess is <= 0; +inf when none was found. Needs excess > 0 at 0
 * and a guess `start` > 0. `logarithmic` says that steps are in ln x. When the
 * excess decreases, no smaller double would do (in ln x: none below x (1 - 2^-50)). */
double dusk_curve_invert(dusk_curve *curve, const void *context, double start, bool logarithmic);

/* ln(delta / target), rounded up, so that its sign is never too kind. */
double dusk_curve_excess(const mpfr_t delta_up, double target);

#endif
