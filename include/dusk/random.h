/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_H
#define DUSK_RANDOM_H

#include "dusk/base.h"

/* The source of all coins. It is passed to everything that draws; there is no
 * global generator and no seed: a generator is always keyed by the operating
 * system. Draws themselves are not public, because a draw without a mechanism
 * around it promises nothing; see dusk/mechanisms.h for the verb `release`.
 *
 * The stream is AES-256-CTR where the processor has AES instructions and
 * ChaCha20 elsewhere. The key is replaced from the stream at every refill, so
 * that a memory image taken later does not reveal earlier draws; it is wiped
 * when the generator is freed. After fork(2) the child's generator is re-keyed
 * from the operating system before its next draw.
 *
 * Caveats
 *   - A virtual machine that is snapshotted and resumed twice repeats the rest
 *     of the current buffer: make a new generator after a resume. */

#ifdef __cplusplus
extern "C" {
#endif

/* A handle for one thread. */
typedef struct dusk_generator dusk_generator;

/* Make a generator keyed with 256 bits from the operating system.
 * DUSK_ERR_ENTROPY when the system has none to give: there is no weaker
 * fallback. DUSK_ERR_UNSUPPORTED when arithmetic of this thread does not round
 * to nearest or has no subnormal numbers: noise would not be what it should. */
DUSK_API DUSK_MUST_USE dusk_status dusk_generator_new(dusk_generator **out, dusk_error *err);

/* Make an independent generator for another thread, keyed from `parent` and
 * the operating system together. */
DUSK_API DUSK_MUST_USE dusk_status dusk_generator_fork(dusk_generator **out, dusk_generator *parent,
                                                       dusk_error *err);

/* Wipe and free. NULL is fine. */
DUSK_API void dusk_generator_free(dusk_generator *gen);

/* "aes-256-ctr" or "chacha20". */
DUSK_API const char *dusk_generator_name(const dusk_generator *gen);

#ifdef __cplusplus
}
#endif
#endif
