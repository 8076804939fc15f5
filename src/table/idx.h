/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_IDX_H
#define DUSK_TABLE_IDX_H

/* IDX files: two zero bytes, the type of the numbers, how many dimensions, each dimension in 32 bits, then the
 * numbers, all with the most significant byte first [LeCun, Cortes & Burges: the MNIST files]. Compressed by gzip or not.
 * A file that ends early has the rows that are whole. */

#include "table/input.h"

enum { TABLE_IDX_BYTES = 8 }; /* the type of whole numbers from 0 to 255 */

typedef struct table_idx {
    table_input input;
    int type;      /* 8, 9, 11 to 14 */
    size_t bytes;  /* of a number */
    size_t width;  /* numbers of a row: the product of the dimensions but the first, at most 2^20 */
    uint64_t left; /* rows that the header speaks of and that were not read */
    unsigned char *row;
} table_idx;

/* Whether the file is named as IDX files are: "-idx" or ".idx" in its name. */
bool table_idx_named(const char *path);
/* DUSK_ERR_PARSE for a header that is none. `path` stays the caller's. */
DUSK_MUST_USE dusk_status table_idx_open(table_idx *out, const char *path, dusk_error *err);
/* The next row, if there is one: table_idx_number gives its numbers. */
DUSK_MUST_USE dusk_status table_idx_next(table_idx *idx, bool *found, dusk_error *err);
double table_idx_number(const table_idx *idx, size_t i);
void table_idx_close(table_idx *idx);

#endif
