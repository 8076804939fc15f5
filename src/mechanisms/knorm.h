/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_KNORM_H
#define DUSK_MECHANISMS_KNORM_H

/* What the K-norm mechanism shares with planar Laplace noise, and the inside of its
 * release for the tests. */

#include "dusk/mechanisms.h"

/* The grid that _init chooses for noise of this scale whose coordinates deviate by so
 * many scales; and whether noise can be drawn on a grid. */
int dusk_ball_default_grid(double scale, double deviates);
DUSK_MUST_USE dusk_status dusk_ball_check_grid(double scale, double deviates, int grid, dusk_error *err);

/* An r with P(a sum of d standard exponentials > r) <= p, 0 < p < 1. */
double dusk_gamma_tail_up(double d, double p);

/* `width`: DUSK_WIDTH_FULL, or 1..20 in exhaustive tests. */
DUSK_MUST_USE dusk_status dusk_knorm_release_width(const dusk_knorm *knorm, double *out, const double *values,
                                                   unsigned width, dusk_generator *gen, dusk_error *err);

#endif
