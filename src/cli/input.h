/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_INPUT_H
#define DUSK_CLI_INPUT_H

/* Private numbers from a file or standard input.
 *
 * Plain text: numbers with spaces, commas or line ends between them. A table
 * (a column is asked for, or the name ends in .csv): comma-separated values
 * with a header; quotes as in RFC 4180; blank lines are skipped, but in a table of one
 * column they are rows whose field is empty: a unit has its row whatever it holds.
 *
 * What the data holds never makes an error: a field that is not a number is
 * NaN, and the mechanism's documented rule decides. A file that cannot be
 * opened and a column that is not in the header are errors before the first
 * row is read; after it only reading and memory can fail. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dusk/base.h"

typedef struct dusk_input {
    FILE *file;
    const char *name; /* for messages */
    bool table;
    bool begun;     /* past a byte order mark, should there be one */
    size_t column;  /* of a table */
    size_t columns; /* of its header, once that was read */
    uint64_t bytes; /* read so far */
    uint64_t total; /* size of the file, 0 when not known */
    double epsilon; /* for the progress line */
} dusk_input;

/* What is read from it: numbers, of a table those of one column; rows, to be
 * counted; lines of a name and a number, never a table; the records of a table, the
 * header being the first; or whole rows as they are, of a table the header first. */
typedef enum dusk_input_kind {
    DUSK_INPUT_NUMBERS = 1,
    DUSK_INPUT_ROWS,
    DUSK_INPUT_NAMED,
    DUSK_INPUT_RECORDS,
    DUSK_INPUT_WHOLE
} dusk_input_kind;

/* Open `path` (NULL or "-": standard input) and read a table's header. */
dusk_status dusk_input_open(dusk_input *input, const char *path, const char *column, dusk_input_kind kind,
                            dusk_error *err);
/* Close, and say whether everything could be read. */
dusk_status dusk_input_close(dusk_input *input, dusk_error *err);

/* The next number; false at the end. Numbers are given out as they arrive, so
 * that a stream can be answered while it is open. */
bool dusk_input_number(dusk_input *input, double *x);
/* The next step of a stream: the number of a line or record, NaN when it is blank or no
 * number; false at the end. Blank lines are steps; a line is given out when it ends. */
bool dusk_input_step(dusk_input *input, double *x);
/* The next row (a line that is not blank, or a record); false at the end. */
bool dusk_input_row(dusk_input *input);
/* The next row as text: its column of a table, or the line without blanks around it.
 * False at the end. What does not fit is cut off. */
bool dusk_input_value(dusk_input *input, char *text, size_t size);
/* The next record of DUSK_INPUT_RECORDS: `take` gets its fields in order, a field that
 * is too long as an empty one. False at the end. */
typedef void dusk_input_take(void *context, size_t index, const char *text);
bool dusk_input_record(dusk_input *input, dusk_input_take *take, void *context);
/* The next row of DUSK_INPUT_WHOLE as it is, without its line end and bytes 0: a line that
 * is not blank, or a record of a table, which goes on while a quote is open. At *text, which
 * has *room bytes and grows; *any is false at the end. */
dusk_status dusk_input_whole(dusk_input *input, char **text, size_t *room, bool *any, dusk_error *err);
/* All the numbers there are, at *values (free with dusk_numbers_free). */
dusk_status dusk_input_numbers(dusk_input *input, double **values, size_t *n, dusk_error *err);
void dusk_numbers_free(double *values, size_t n);

/* Lines of a name and a number: a tab, or else the last comma or space is
 * between them. A line with one field is a number; its name is its place in
 * the list, from 1, and moves with the lines before it. Blank lines are skipped; there
 * is no header. */
typedef struct dusk_named {
    char *name;
    double number;
    bool placed; /* the name is the place: there was none */
} dusk_named;
dusk_status dusk_input_named(dusk_input *input, dusk_named **list, size_t *n, dusk_error *err);
void dusk_named_free(dusk_named *list, size_t n);

#endif
