/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_LIARS_INSIDE_H
#define DUSK_LOCAL_LIARS_INSIDE_H

/* liars.c: bits of maps whose number does not depend on the value. */

#include "dusk/local.h"

/* How many there are in all: of SUE, OUE and a row of CMS; 0 of others. */
uint32_t local_map_bits(const dusk_client_task *task);
/* How many are set. */
uint32_t local_map_count(const dusk_client_task *task, const uint8_t *report);
/* The chance that an honest report has so many, or a number further out, on either side. */
double local_chance_of_bits(const dusk_client_task *task, uint32_t bits);

#endif
