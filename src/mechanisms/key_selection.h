/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_KEY_SELECTION_H
#define DUSK_MECHANISMS_KEY_SELECTION_H

#include "dusk/mechanisms.h"

/* dusk_key_selection_release with `width` coins tossed at a time: 64 for the
 * public function, fewer in exhaustive tests. */
DUSK_MUST_USE dusk_status dusk_key_selection_release_width(const dusk_key_selection *selection, bool *keep,
                                                           double *counts, const uint64_t *units, size_t n,
                                                           unsigned width, dusk_generator *gen,
                                                           dusk_error *err);

#endif
