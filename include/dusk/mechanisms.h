/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_H
#define DUSK_MECHANISMS_H

/* Mechanisms: the only functions that turn private numbers into public ones.
 * Each comes in the same four pieces:
 *   _init      checks the public parameters and fixes scale, grid and event;
 *   _release   draws, and gives the private answer;
 *   _event     what was released, for the accountant and the ledger;
 *   _interval  how far the answer may be from the truth.
 * All parameters are checked in _init, before anything private is looked at.
 *
 * In chapters, each usable alone:
 *   mechanisms_numbers.h    numbers, vectors and places
 *   mechanisms_choice.h     candidates, keys, runs; randomized response
 *   mechanisms_streams.h    sparse vector and its kin; sums of a stream
 *   mechanisms_summaries.h  aggregates on bounded rows; noise that follows the data
 *   mechanisms_tables.h     marginals, models and synthetic tables; hierarchies and maps
 *
 * Noise lives on a public grid of step 2^k that is fixed before the data is
 * seen. The value is brought to the grid, the noise is a whole number of steps
 * with exactly the law stated, and the sum is exact. So the answer is a
 * function of (grid value + exactly rounded ideal noise), and has at least the
 * privacy of the ideal mechanism. */

#include "dusk/mechanisms_choice.h"
#include "dusk/mechanisms_numbers.h"
#include "dusk/mechanisms_streams.h"
#include "dusk/mechanisms_summaries.h"
#include "dusk/mechanisms_tables.h"

#endif
