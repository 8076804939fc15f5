/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_RANDOMIZED_RESPONSE_H
#define DUSK_MECHANISMS_RANDOMIZED_RESPONSE_H

#include "dusk/mechanisms.h"

/* dusk_randomized_response_release with `width` coins tossed at a time: 64 for
 * the public function, fewer in exhaustive tests; k - 1 <= 2^width. */
DUSK_MUST_USE dusk_status dusk_randomized_response_draw(const dusk_randomized_response *rr, uint32_t *out,
                                                        const uint32_t *answers, size_t n, unsigned width,
                                                        dusk_generator *gen, dusk_error *err);

#endif
