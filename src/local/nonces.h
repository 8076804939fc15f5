/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_NONCES_H
#define DUSK_LOCAL_NONCES_H

/* A set of 64-bit numbers that only grows, for many threads: which records were taken. The numbers are chosen by strangers, so places follow from a keyed
 * hash, and nobody can make them fall together. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct local_nonces local_nonces;

DUSK_MUST_USE dusk_status local_nonces_new(local_nonces **out, dusk_error *err);
void local_nonces_free(local_nonces *set);
/* *added: it was not there. Only memory fails, and then it was not added. */
DUSK_MUST_USE dusk_status local_nonces_add(local_nonces *set, uint64_t nonce, bool *added, dusk_error *err);
/* The same for n of them, which takes less time than one by one; those before a failure were added. */
DUSK_MUST_USE dusk_status local_nonces_add_all(local_nonces *set, const uint64_t *nonces, size_t n,
                                               bool *added, dusk_error *err);
/* The rest is for one thread while no other adds. Room for so many, about, so that adding them does not move those before. */
DUSK_MUST_USE dusk_status local_nonces_reserve(local_nonces *set, uint64_t count, dusk_error *err);
bool local_nonces_has(const local_nonces *set, uint64_t nonce);
uint64_t local_nonces_count(const local_nonces *set);
/* Every number once, in no order. Stops when `visit` is false, and says so. */
bool local_nonces_each(const local_nonces *set, bool (*visit)(void *context, uint64_t nonce), void *context);

#endif
