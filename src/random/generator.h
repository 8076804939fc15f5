/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_GENERATOR_H
#define DUSK_RANDOM_GENERATOR_H

/* The inside of dusk_generator: a buffer of stream words, refilled by AES-CTR
 * or ChaCha20. Every room that needs coins gets them through these functions,
 * so that a test can replace the stream by a coin tape (random/tape.h). */

#include <stddef.h>
#include <stdint.h>

#include "dusk/random.h"

/* out[i] = a word whose top `bits` bits (1..64) are fresh coins, the first
 * coin highest, and whose other bits are zero. The cost does not depend on
 * `bits` except on a tape, which gives up exactly n * bits coins.
 * DUSK_ERR_ENTROPY when a re-key was due and the system had no entropy, or
 * when a tape has run out; `out` is zeroed then. */
DUSK_MUST_USE dusk_status dusk_generator_words(dusk_generator *gen, uint64_t *out, size_t n, unsigned bits,
                                               dusk_error *err);

/* Uniform bytes; on failure `out` is zeroed. */
DUSK_MUST_USE dusk_status dusk_generator_bytes(dusk_generator *gen, void *out, size_t n, dusk_error *err);

#endif
