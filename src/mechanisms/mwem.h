/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_MWEM_H
#define DUSK_MECHANISMS_MWEM_H

#include "dusk/mechanisms.h"
#include "mechanisms/schedule.h"

/* The scores of a round: how far the model's answers are from the exact ones, in counts.
 * A score moves by no more than its exact count does: the model's answer is brought
 * to the grid 2^-10, and then nothing is rounded. */
void dusk_mwem_scores(double *scores, const uint64_t *exact, const double *answers, size_t n);

/* How the budget is shared: choices, measurements and, unless it is public, the number of
 * rows. Gives how many parts there are. */
enum { DUSK_MWEM_CHOICE, DUSK_MWEM_MEASURE, DUSK_MWEM_TOTAL, DUSK_MWEM_PARTS };
size_t dusk_mwem_parts(dusk_schedule_part parts[DUSK_MWEM_PARTS], const dusk_aggregate *how, uint32_t rounds);

#endif
