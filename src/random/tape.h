/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_TAPE_H
#define DUSK_RANDOM_TAPE_H

/* Generators for tests, in test builds only. */

#ifdef DUSK_TESTING
#include <stdbool.h>
#include <stdint.h>

#include "dusk/random.h"

/* A generator that gives the `length` coins of a tape, coin i being bit
 * 63 - i % 64 of bits[i / 64], and then DUSK_ERR_ENTROPY. The bits are
 * borrowed; rewind starts over, with another length or other bits if given. */
DUSK_MUST_USE dusk_status dusk_generator_new_tape(dusk_generator **out, const uint64_t *bits, unsigned length,
                                                  dusk_error *err);
void dusk_generator_rewind(dusk_generator *gen, const uint64_t *bits, unsigned length);
/* How many coins were taken from the tape since it was made or rewound. */
unsigned dusk_generator_taken(const dusk_generator *gen);

/* A generator with a fixed key made from `seed`, for statistical tests. */
DUSK_MUST_USE dusk_status dusk_generator_new_seeded(dusk_generator **out, uint64_t seed, dusk_error *err);

/* Make the n-th request for entropy from now on fail (0: none). */
void dusk_entropy_fail_at(long n);

/* Every coin tape to a depth: `run` is called with a tape generator; it
 * returns true when it finished (and has recorded its outcome with the weight
 * 2^-taken, see `weight`) and false when the tape was too short. Tapes that
 * are too short at `depth` add to the result: the undecided mass. So do those
 * that lack more than 32 coins for one request: they cannot be enumerated.
 *   double undecided = dusk_tape_walk(depth, run, context); */
typedef bool dusk_tape_run(dusk_generator *gen, void *context);
double dusk_tape_walk(unsigned depth, dusk_tape_run *run, void *context);
/* 2^-taken: the probability of the coins that this run has seen. */
double dusk_tape_weight(const dusk_generator *gen);
#endif

#endif
