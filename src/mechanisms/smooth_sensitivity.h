/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_SMOOTH_SENSITIVITY_H
#define DUSK_MECHANISMS_SMOOTH_SENSITIVITY_H

/* The inside of smooth sensitivity: which noise is enough (smooth_noise.c) and
 * the release with a chosen number of coins at a time. */

#include "base/platform.h"
#include "dusk/mechanisms.h"

/* A smooth sensitivity that is computed in doubles lies between its real value
 * and (1 + DUSK_SMOOTH_ETA) times it. */
#define DUSK_SMOOTH_ETA 0x1p-30
/* The smoothness to compute it for: at most beta - ln(1 + eta). */
double dusk_smooth_inner_beta(double beta);

/* The largest r, rounded down (by less than 2^-39 of it), for which S/r Z keeps
 * (epsilon, delta) when S is beta-smooth; 0 where beta is too large. */
double dusk_smooth_student_t_ratio(uint32_t degrees, double beta, double epsilon);
double dusk_smooth_laplace_ratio(double beta, double epsilon, double delta);
double dusk_smooth_gaussian_ratio(double beta, double epsilon, double delta);
/* One of the three. */
double dusk_smooth_ratio(dusk_smooth_law law, uint32_t degrees, double beta, double epsilon, double delta);

/* Does the ratio of a mechanism keep its promise at its beta? */
bool dusk_smooth_is_enough(const dusk_smooth *smooth);

/* A t, rounded up, with P(|Z| > t) <= p, p in (0, 1). */
double dusk_smooth_tail_up(const dusk_smooth *smooth, double p);

/* The answer in steps, not clamped. */
DUSK_MUST_USE dusk_status dusk_smooth_release_steps(const dusk_smooth *smooth, dusk_int128 *steps,
                                                    double value, double sensitivity, unsigned width,
                                                    dusk_generator *gen, dusk_error *err);

#endif
