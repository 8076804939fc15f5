/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_COUNTING_H
#define DUSK_LOCAL_COUNTING_H

/* How reports are added up: what several randomisers of the server share. Whole numbers only. */

#include <stdbool.h>

#include "local/protocol.h"

/* Loops over whole numbers, compiled for the lanes that a machine may have; of static functions only, others would be
 * seen from outside of the library. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define LOCAL_LANES                                                                                          \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define LOCAL_LANES
#endif

/* cell[x]++ for each of n numbers x of `bytes` bytes (1 to 4), one after the other; those that are not below `limit` are left out. Returns
 * how many that were. */
uint64_t local_histogram_add(int64_t *cell, uint32_t limit, const uint8_t *reports, uint32_t bytes, size_t n);

/* cell[i] += how many of n rows have bit i, i < bits; a row has (bits + 7) / 8 bytes, and one begins every `stride` bytes. */
void local_columns_add(int64_t *cell, uint32_t bits, const uint8_t *rows, size_t stride, size_t n);
/* The same bit by bit: for tests, and for few rows. */
void local_columns_add_plain(int64_t *cell, uint32_t bits, const uint8_t *rows, size_t stride, size_t n);
/* Bit maps of the domain that a device can send: DUSK_ERR_ARGUMENT where they would be too long. */
DUSK_MUST_USE dusk_status local_map_check(const dusk_survey *survey, dusk_error *err);
/* True where the last byte has bits that are none of `bits`. */
bool local_row_is_padded(uint32_t bits, const uint8_t *row);

/* x[j] = sum over y of (-1)^(bits that j and y share) x[y], in place; n is a power of 2. */
void local_hadamard(int64_t *x, size_t n);

/* dusk_tally_counts of a pure protocol with one counter a value of the domain; of a value that is none nobody is known to have it. */
void local_pure_counts(double truth, double other, const int64_t *supports, uint64_t domain, uint64_t reports,
                       double *counts, double *deviations, const uint64_t *values, size_t n);

#endif
