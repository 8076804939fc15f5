/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_COLUMNS_H
#define DUSK_CLI_COLUMNS_H

/* A few columns of comma-separated values, by name: the option --columns, the header,
 * and one record after the other. The header is public; what records hold never makes an
 * error: a field that is not there is empty. */

#include "cli/input.h"

enum { DUSK_COLUMNS_MAX = 16, DUSK_FIELD_MAX = 512 };

typedef struct dusk_columns {
    size_t count;
    char name[DUSK_COLUMNS_MAX][DUSK_FIELD_MAX];
    size_t place[DUSK_COLUMNS_MAX];               /* in a record */
    size_t found[DUSK_COLUMNS_MAX];               /* how often the header has it */
    char field[DUSK_COLUMNS_MAX][DUSK_FIELD_MAX]; /* of the record at hand */
} dusk_columns;

/* Read a list A,B,... of different names. */
dusk_status dusk_columns_parse(dusk_columns *out, const char *list, dusk_error *err);
/* Find the columns in the header, the first record of DUSK_INPUT_RECORDS. */
dusk_status dusk_columns_header(dusk_columns *columns, dusk_input *input, dusk_error *err);
/* The next record's fields; false at the end. */
bool dusk_columns_next(dusk_columns *columns, dusk_input *input);
/* Field i as a number; NaN when it is none. */
double dusk_columns_number(const dusk_columns *columns, size_t i);

#endif
