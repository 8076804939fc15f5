/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_DECODE_H
#define DUSK_LOCAL_DECODE_H

/* The places of a sketch as numbers of people, whatever sketch it is: what a regression on candidates starts from. */

#include "local/tally.h"

typedef struct local_places {
    uint32_t rows, width, hashes;
    uint64_t seed;
    double all;        /* reports */
    double set, unset; /* chances that a place of the value, or another, is reported; of HCMS 0 */
    double noise;      /* of HCMS: the variance of every place; of others 0 */
    double *people;    /* rows x width: about how many of all would have this place in this row */
    double *weight;    /* rows: reports */
} local_places;

/* DUSK_ERR_UNSUPPORTED where the survey is no sketch. */
dusk_status local_places_of(local_places *out, const dusk_tally *tally, dusk_error *err);
void local_places_free(local_places *places);
/* The variance of a place's number. */
double local_place_variance(const local_places *places, uint32_t row, double people);

#endif
