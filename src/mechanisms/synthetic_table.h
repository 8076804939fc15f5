/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_SYNTHETIC_TABLE_H
#define DUSK_MECHANISMS_SYNTHETIC_TABLE_H

#include "mechanisms/schedule.h"

/* How the budget of a synthetic table is shared: counts of all columns, choices of pairs, counts of
 * the chosen pairs. Gives how many parts there are: one for a single column. */
enum { DUSK_SYNTHETIC_SINGLES, DUSK_SYNTHETIC_CHOICES, DUSK_SYNTHETIC_PAIRS, DUSK_SYNTHETIC_PARTS };
size_t dusk_synthetic_table_parts(dusk_schedule_part parts[DUSK_SYNTHETIC_PARTS], const dusk_aggregate *how,
                                  size_t columns);

#endif
