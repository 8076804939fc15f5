/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_KEYED_H
#define DUSK_RANDOM_KEYED_H

/* Coins of the data path: bounding, Poisson sampling, shuffling. They are a keyed function
 * of (stream, unit), not a sequence: the coins of one unit do not depend on who else is
 * there, in which order, or how many coins the others took. So neighbouring tables toss the
 * same coins for every unit that both have, which is what proofs that pair coins ask for,
 * and the sequential coins are left to noise.
 *
 * A stream is one use: two uses of the same (stream, unit) get the same coins. Which stream
 * is for what is written down by the room that uses it. Draws that make promises are in
 * random/noise_*.h. A handle belongs to one thread; threads take copies, which toss alike. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "random/generator.h"

typedef struct dusk_keyed_coins dusk_keyed_coins;

/* The key is 32 bytes of the generator, however many coins are tossed later. */
DUSK_MUST_USE dusk_status dusk_keyed_new(dusk_keyed_coins **out, dusk_generator *gen, dusk_error *err);
/* By AES-256 or, where `use_aes` is false or AES is missing, ChaCha20; tests run both. */
DUSK_MUST_USE dusk_status dusk_keyed_new_by(dusk_keyed_coins **out, bool use_aes, dusk_generator *gen,
                                            dusk_error *err);
DUSK_MUST_USE dusk_status dusk_keyed_copy(dusk_keyed_coins **out, const dusk_keyed_coins *coins,
                                          dusk_error *err);
/* The key is wiped; NULL is fine. */
void dusk_keyed_free(dusk_keyed_coins *coins);

/* The number of a unit whose name is a string of bytes: keyed BLAKE2b. Of n names two have
 * the same number, and so the same coins, with probability n^2 / 2^65 at most. */
uint64_t dusk_keyed_unit(const dusk_keyed_coins *coins, const void *name, size_t size);

/* out[i] = 64 fair coins of units[i], or of unit i where `units` is NULL. `out`, and `out` and
 * `in` of those below, have room for n. On failure of this and all below, which is that of the
 * cipher or of memory, `out` must not be used. */
DUSK_MUST_USE dusk_status dusk_keyed_words(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units,
                                           uint64_t *out, size_t n, dusk_error *err);
/* out[i] uniform on {0, ..., below - 1}, below >= 1, exactly. */
DUSK_MUST_USE dusk_status dusk_keyed_below(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units,
                                           uint64_t *out, size_t n, uint64_t below, dusk_error *err);
/* in[i] with probability rate / 2^64, exactly: the Poisson sample. */
DUSK_MUST_USE dusk_status dusk_keyed_include(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units,
                                             bool *in, size_t n, uint64_t rate, dusk_error *err);
/* The same of rows `first`, ..., `first` + n - 1, by number; first is a multiple of 8. */
DUSK_MUST_USE dusk_status dusk_keyed_include_rows(dusk_keyed_coins *coins, uint32_t stream, size_t first,
                                                  bool *in, size_t n, uint64_t rate, dusk_error *err);
/* A Poisson sample of n <= 2^53 rows by number: row[0] < row[1] < ..., *count of them, each row with probability rate / 2^64, exactly, and independently
 * of the others; `row` has room for n, of which more than *count may be written. Whether a row is in depends on the key, the stream, the rate and its number alone, not on how many rows there are. At small rates the time is
 * that of the rows that are in. */
DUSK_MUST_USE dusk_status dusk_keyed_sample(dusk_keyed_coins *coins, uint32_t stream, size_t *row, size_t n,
                                            uint64_t rate, size_t *count, dusk_error *err);
/* The largest rate with rate / 2^64 <= q, and at most 1 - 2^-64; 0 for NaN. */
uint64_t dusk_keyed_rate_down(double q);
/* Which of the `held` < 2^31 contributions of one unit stay when at most `most` may: chosen[0]
 * < chosen[1] < ..., *count = min(held, most) of them, every choice as likely as any other;
 * `chosen` has room for min(held, most). */
DUSK_MUST_USE dusk_status dusk_keyed_choose(dusk_keyed_coins *coins, uint32_t stream, uint64_t unit,
                                            size_t held, size_t most, size_t *chosen, size_t *count,
                                            dusk_error *err);
/* A random order: order[0] is the position of the unit that comes first; `order` has room for n.
 * For units that differ, all n! are as likely; how two of them stand to each other depends on
 * their own coins alone. The same unit twice stays in the order that it came in. */
DUSK_MUST_USE dusk_status dusk_keyed_order(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units,
                                           size_t *order, size_t n, dusk_error *err);

#endif
