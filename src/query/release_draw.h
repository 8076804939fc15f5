/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_RELEASE_DRAW_H
#define DUSK_QUERY_RELEASE_DRAW_H

/* The one place where totals become public: which groups are shown, in which order, and their noisy
 * numbers. Everything after it is post-processing. */

#include "query/terms.h"

typedef struct query_released {
    size_t groups;
    size_t *group;   /* shown group i is group[i] of `bounded` */
    double **number; /* of primitive p: number[p][i], or number[p][i * fractions + f] of COLLECT */
} query_released;

/* Public keys keep the order in which they were declared; private ones are sorted by value. */
DUSK_MUST_USE dusk_status query_draw(query_released *out, const query_terms *terms, const bounded *groups,
                                     dusk_generator *gen, dusk_error *err);
void query_released_clear(query_released *released, size_t primitives);

/* Measure i of a shown group, as a cell with its interval. */
void query_measure_cell(dusk_cell *out, const query_terms *terms, const query_released *released,
                        size_t measure, size_t group);

#endif
