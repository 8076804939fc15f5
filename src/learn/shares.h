/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_SHARES_H
#define DUSK_LEARN_SHARES_H

/* A row that is shared out among components, in whole parts. Proof: shares.proof.md. */

#include <stddef.h>

#define LEARN_PARTS 256.0 /* of a row */
#define LEARN_PART_BITS 8

/* part: k logarithms of how likely the row belongs to each, which become whole numbers >= 0 that add to at most LEARN_PARTS. `rest`
 * is that of belonging to none (-INFINITY: impossible), which gets nothing. By these numbers only, in one order of operations. */
void learn_share_out(double *part, size_t k, double rest);

#endif
