/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_PLANAR_LAPLACE_H
#define DUSK_MECHANISMS_PLANAR_LAPLACE_H

/* The inside of dusk_planar_laplace_release, for the tests. */

#include "dusk/mechanisms.h"

/* `width`: DUSK_WIDTH_FULL, or 1..20 in exhaustive tests. */
DUSK_MUST_USE dusk_status dusk_planar_laplace_release_width(const dusk_planar_laplace *planar, double *out,
                                                            const double *places, size_t n, unsigned width,
                                                            dusk_generator *gen, dusk_error *err);

#endif
