/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_SELECTION_H
#define DUSK_MECHANISMS_SELECTION_H

#include "dusk/mechanisms.h"

/* dusk_selection_release_top (k = 1 with any method) with `width` coins tossed
 * at a time: 64 for the public functions, fewer in exhaustive tests. */
DUSK_MUST_USE dusk_status dusk_selection_choose(const dusk_selection *selection, size_t *indices, size_t k,
                                                const double *scores, size_t n, unsigned width,
                                                dusk_generator *gen, dusk_error *err);

#endif
