/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_ENTROPY_H
#define DUSK_RANDOM_ENTROPY_H

/* Entropy of the operating system, for keys only. */

#include <stddef.h>

#include "dusk/base.h"

/* Fill `out` with n bytes from getrandom(2), or from /dev/urandom where that
 * call does not exist. Waits until the system's pool is initialised.
 * DUSK_ERR_ENTROPY, with `out` zeroed, when neither source works. */
DUSK_MUST_USE dusk_status dusk_entropy_bytes(void *out, size_t n, dusk_error *err);

/* The second of the two sources by itself: 0, or -1 with `out` undefined. */
DUSK_MUST_USE int dusk_entropy_from_device(const char *device, void *out, size_t n);

#endif
