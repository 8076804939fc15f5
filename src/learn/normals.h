/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_NORMALS_H
#define DUSK_LEARN_NORMALS_H

/* Draws in floating point that make no promise: proposals, public directions, idealised samplers. Noise that hides rows never
 * comes from here. */

#include <stddef.h>
#include <stdint.h>

#include "dusk/random.h"

/* A word as a number above 0 and at most 1. */
static inline double learn_part_of(uint64_t word) { return ((double)(word >> 11) + 1) * 0x1p-53; }
/* Uniform above 0, at most 1. */
DUSK_MUST_USE dusk_status learn_uniform(double *out, dusk_generator *gen, dusk_error *err);
/* n standard normal numbers. */
DUSK_MUST_USE dusk_status learn_normals(double *out, size_t n, dusk_generator *gen, dusk_error *err);

#endif
