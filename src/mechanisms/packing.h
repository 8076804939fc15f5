/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_PACKING_H
#define DUSK_MECHANISMS_PACKING_H

/* Values that are hardly there, put together: a smaller domain for the pairs of a synthetic
 * table. Decided by noisy counts alone. */

#include "mechanisms/table.h"

typedef struct dusk_packing {
    size_t columns;
    const uint32_t *sizes; /* before, and after: */
    uint32_t packed[DUSK_TABLE_COLUMNS_MAX];
    uint32_t *code[DUSK_TABLE_COLUMNS_MAX]; /* of each value, after */
    double *within[DUSK_TABLE_COLUMNS_MAX]; /* its part of all values with that code */
} dusk_packing;

/* counts: noisy counts of column after column. Values below `least` share the last code, if there
 * are at least two. `sizes` is kept. `packing` is empty on failure. */
DUSK_MUST_USE dusk_status dusk_packing_make(dusk_packing *packing, const dusk_table *domain,
                                            const double *counts, double least, dusk_error *err);
void dusk_packing_clear(dusk_packing *packing);
/* The rows in packed codes, a function of each row alone. */
void dusk_packing_rows(const dusk_packing *packing, uint32_t *codes, const dusk_table *table);
/* The packed counts of column c. */
void dusk_packing_counts(const dusk_packing *packing, size_t c, double *packed, const double *counts);
/* Packed codes become values again, at random by their parts. */
DUSK_MUST_USE dusk_status dusk_packing_undo(const dusk_packing *packing, uint32_t *codes, size_t rows,
                                            dusk_generator *gen, dusk_error *err);

#endif
