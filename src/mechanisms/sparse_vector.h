/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_SPARSE_VECTOR_H
#define DUSK_MECHANISMS_SPARSE_VECTOR_H

#include "dusk/mechanisms.h"

/* dusk_sparse_vector_new on the grid 2^grid (DUSK_GRID_DEFAULT: as the public
 * function chooses it) with `width` coins tossed at a time: 64 in production,
 * fewer in exhaustive tests. */
DUSK_MUST_USE dusk_status dusk_sparse_vector_new_on(dusk_sparse_vector **out,
                                                    const dusk_sparse_vector_options *options, int grid,
                                                    unsigned width, dusk_generator *gen, dusk_error *err);

#endif
