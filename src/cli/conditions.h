/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_CONDITIONS_H
#define DUSK_CLI_CONDITIONS_H

/* Rows that are kept, and conditions that each of them satisfies or not. A table has a
 * header, and a condition is "column op value", several with "and" between them; op is one of
 * = != < <= > >=. Other text has a row of words a line, and a condition is the words that
 * must all be in it.
 *
 * The header and the conditions are public: mistakes in them are errors. What rows hold
 * never is: a field that is not there is empty, and what is no number is not less,
 * not more and not equal. */

#include "cli/input.h"

/* One row; it owns its text: fields (or words), each ended by '\0'. */
typedef struct dusk_row {
    char *text;
    size_t fields;
} dusk_row;

typedef struct dusk_rows {
    bool table;
    dusk_row header; /* of a table */
    dusk_row *row;
    size_t count, room;
} dusk_rows;

/* All of an input that was opened as DUSK_INPUT_RECORDS (then it is a table) or
 * DUSK_INPUT_ROWS. To be freed also on failure. */
dusk_status dusk_rows_read(dusk_rows *out, dusk_input *input, dusk_error *err);
/* Wipes: rows are private. */
void dusk_rows_free(dusk_rows *rows);

enum { DUSK_TERMS_MAX = 16, DUSK_CONDITION_MAX = 1024 };

typedef enum dusk_term_kind {
    DUSK_TERM_EQUAL = 1,
    DUSK_TERM_UNEQUAL,
    DUSK_TERM_LESS,
    DUSK_TERM_AT_MOST,
    DUSK_TERM_MORE,
    DUSK_TERM_AT_LEAST,
    DUSK_TERM_WORD
} dusk_term_kind;

typedef struct dusk_condition {
    size_t terms;
    struct {
        dusk_term_kind kind;
        size_t column;
        const char *value;
        double number; /* NaN when it is no number */
    } term[DUSK_TERMS_MAX];
    char text[DUSK_CONDITION_MAX];
} dusk_condition;

/* DUSK_ERR_PARSE says what is wrong with the line. */
dusk_status dusk_condition_parse(dusk_condition *out, const dusk_rows *rows, const char *line,
                                 dusk_error *err);
/* A dusk_predicate over dusk_row; the context is a dusk_condition. */
bool dusk_condition_holds(const void *row, void *condition);

#endif
