/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_SPILL_H
#define DUSK_QUERY_SPILL_H

/* Private rows on disk while a query runs: one temporary file, which has no name and which nobody else
 * can open, encrypted with a key that is in memory only (AES-256-CTR). It is made at once, so that a folder
 * that cannot be used is found out before any row is read; it grows, and is gone when it is closed or the process ends, however it ends. Threads may
 * write and read at the same time. What is read back is not authenticated: who can change the file while
 * it is open can change the process too. */

#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"

typedef struct spill spill;

/* In `folder`, or TMPDIR, or /tmp. The key must be used for nothing else. */
DUSK_MUST_USE dusk_status spill_new(spill **out, const char *folder, const uint64_t key[4], dusk_error *err);
/* The key is wiped; NULL is fine. */
void spill_free(spill *file);
/* Append `size` bytes; afterwards they are encrypted where they are, too. */
DUSK_MUST_USE dusk_status spill_write(spill *file, unsigned char *data, size_t size, uint64_t *offset,
                                      dusk_error *err);
DUSK_MUST_USE dusk_status spill_read(spill *file, unsigned char *data, size_t size, uint64_t offset,
                                     dusk_error *err);
/* Bytes written so far. */
uint64_t spill_size(const spill *file);

#endif
