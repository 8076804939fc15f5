/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_CANDIDATES_H
#define DUSK_MECHANISMS_CANDIDATES_H

#include "dusk/mechanisms.h"

/* Is a run of this score kept instead of one before it? NaN is below all numbers; the first of equal scores stays. */
bool dusk_candidates_better(double score, double before);

/* dusk_candidates_release with `width` coins tossed at a time for the number of
 * runs: 64 for the public function, fewer in exhaustive tests. */
DUSK_MUST_USE dusk_status dusk_candidates_release_width(const dusk_candidates *candidates, bool *any,
                                                        double *score, void *output, size_t size,
                                                        dusk_candidates_run *run, void *context,
                                                        unsigned width, dusk_generator *gen, dusk_error *err);

#endif
