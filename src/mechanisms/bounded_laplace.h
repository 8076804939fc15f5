/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_BOUNDED_LAPLACE_H
#define DUSK_MECHANISMS_BOUNDED_LAPLACE_H

/* The inside of dusk_bounded_laplace, for its tests. */

#include "dusk/mechanisms.h"

/* The exact epsilon of the law on `cells` + 1 points at `steps` apart, rounded up; all in steps. */
double dusk_bounded_laplace_epsilon_up(double scale, double steps, double cells);
/* The release, with `width` coins at a time: 64, or fewer in exhaustive tests. */
DUSK_MUST_USE dusk_status dusk_bounded_laplace_release_width(const dusk_bounded_laplace *mechanism,
                                                             double *out, double value, unsigned width,
                                                             dusk_generator *gen, dusk_error *err);

#endif
