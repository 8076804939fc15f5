/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_UNIT_ROWS_H
#define DUSK_QUERY_UNIT_ROWS_H

/* Rows with their units, in memory, of which every unit keeps a few: bounding for those who want the rows themselves and not
 * their totals. The rows that a unit keeps depend on its own rows and coins alone, and so does where they stand among
 * each other; units come in an order that their names and the coins decide. Proof: unit_rows.proof.md. */

#include "random/generator.h"
#include "table/filler.h"

typedef struct unit_rows {
    table_filler filler;
    char *name; /* of units, one after the other, a row each */
    size_t used, name_room;
    size_t *end; /* where the name of a row's unit ends */
    size_t end_room;
} unit_rows;

DUSK_MUST_USE dusk_status unit_rows_open(unit_rows *out, const dusk_fields *fields, dusk_error *err);
/* Begin the next row, of the unit of that name; cells are put into `filler`, and unit_rows_end ends it. */
DUSK_MUST_USE dusk_status unit_rows_begin(unit_rows *rows, const void *unit, size_t size, dusk_error *err);
void unit_rows_end(unit_rows *rows);
/* The frame of what stays when every unit keeps `most` >= 1 rows; `rows` can only be closed afterwards. Coins are keyed by 32 bytes
 * of the generator. */
DUSK_MUST_USE dusk_status unit_rows_bound(unit_rows *rows, dusk_frame **out, uint32_t most,
                                          dusk_generator *gen, dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void unit_rows_close(unit_rows *rows);

#endif
