/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_KEEP_CURVE_H
#define DUSK_MECHANISMS_KEEP_CURVE_H

#include <stdint.h>

#include "numeric/real.h"

/* More units than this count as this many. */
#define DUSK_KEEP_UNITS_MAX ((uint64_t)1 << 50)

/* The keep probabilities of Desfontaines, Voss, Gipson & Mandayam 2022 for one
 * key: they grow up to `bend` units, then close in on 1 and are 1 from `certain`
 * units on. Both are exact. */
typedef struct dusk_keep_curve {
    double epsilon, delta; /* of one key: 0 < epsilon <= 2^20, 0 < delta < 1 */
    uint64_t bend, certain;
} dusk_keep_curve;

DUSK_MUST_USE dusk_status dusk_keep_curve_init(dusk_keep_curve *out, double epsilon, double delta,
                                               dusk_error *err);
/* The probability for 1 <= units < certain, as an enclosure and to 2^-40. */
void dusk_keep_curve_enclose(const dusk_keep_curve *curve, uint64_t units, dusk_interval *out);
double dusk_keep_curve_guess(const dusk_keep_curve *curve, uint64_t units);

#endif
