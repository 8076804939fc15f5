/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_FILLER_H
#define DUSK_TABLE_FILLER_H

/* A frame while its rows come in, one after the other: columns grow, texts become numbers or categories. What has no value
 * is missing; only memory can fail. */

#include "dusk/frame.h"

/* Which category a text is, by a hash. */
typedef struct table_codes {
    const dusk_field *field;
    uint32_t *slot; /* number of the value from 1; 0: free */
    size_t mask;
} table_codes;

typedef struct table_filler {
    dusk_frame *frame; /* frame->rows rows are there, and `pending` in the tile */
    size_t room;
    table_codes *codes; /* of each column of categories */
    double *tile;       /* rows that are not yet in the columns, one after the other; codes as numbers */
    size_t pending;
} table_filler;

DUSK_MUST_USE dusk_status table_filler_open(table_filler *out, const dusk_fields *fields, dusk_error *err);
/* Before the first row: a column of numbers is kept as bytes, and all that is put there is a whole number from 0 to 255. */
DUSK_MUST_USE dusk_status table_filler_bytes(table_filler *filler, size_t column, dusk_error *err);
/* See that the next row has room; its cells are put, and table_filler_end counts it. */
DUSK_MUST_USE dusk_status table_filler_row(table_filler *filler, dusk_error *err);
/* As rules of text files have it; text NULL: missing. */
void table_filler_text(table_filler *filler, size_t column, const char *text, size_t length);
/* A number is the category that is written so: 3, 2.5. */
void table_filler_number(table_filler *filler, size_t column, double x);
void table_filler_end(table_filler *filler);
/* Rows so far; and all of them into the columns, for those who look at filler->frame before it is handed over. */
size_t table_filler_rows(const table_filler *filler);
void table_filler_settle(table_filler *filler);
/* Hand the frame over; the filler is empty then. */
dusk_frame *table_filler_take(table_filler *filler);
void table_filler_close(table_filler *filler);

#endif
