/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_SPARSE_VECTOR_H
#define DUSK_MECHANISMS_SPARSE_VECTOR_H

/* The inside of dusk_sparse_vector: sparse_vector_plan.c fixes scales, grid and
 * event from the options, sparse_vector.c runs. */

#include "dusk/mechanisms.h"
#include "random/noise_additive.h"

/* What follows from the options; nothing private. A run is a row of instances:
 * each has a threshold noise of its own and ends with its last hit. */
typedef struct dusk_sparse_plan {
    uint32_t instance_hits;            /* c with one threshold noise for all, or 1 */
    dusk_additive_law law, answer_law; /* of threshold and queries; of numeric answers */
    double threshold, query, answer;   /* scales over the sensitivity; answer 0: no numbers */
    int grid;
    double sensitivity;                                /* in steps, a whole number */
    double threshold_scale, query_scale, answer_scale; /* in steps */
    dusk_event event;                                  /* of the whole run */
} dusk_sparse_plan;

/* Check the options and make the plan on the grid 2^grid, or DUSK_GRID_DEFAULT. */
DUSK_MUST_USE dusk_status dusk_sparse_plan_make(dusk_sparse_plan *out,
                                                const dusk_sparse_vector_options *options, int grid,
                                                dusk_error *err);

/* A run by that plan. */
DUSK_MUST_USE dusk_status dusk_sparse_vector_start(dusk_sparse_vector **out,
                                                   const dusk_sparse_vector_options *options,
                                                   const dusk_sparse_plan *plan, unsigned width,
                                                   dusk_generator *gen, dusk_error *err);
/* dusk_sparse_vector_new on the grid 2^grid (DUSK_GRID_DEFAULT: as the public
 * function chooses it) with `width` coins tossed at a time: 64 in production,
 * fewer in exhaustive tests. */
DUSK_MUST_USE dusk_status dusk_sparse_vector_new_on(dusk_sparse_vector **out,
                                                    const dusk_sparse_vector_options *options, int grid,
                                                    unsigned width, dusk_generator *gen, dusk_error *err);

#endif
