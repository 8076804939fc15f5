/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_CODING_H
#define DUSK_CLI_CODING_H

/* What the columns of a table may hold, said in a small text file and never inferred
 * from the data. One line a column; the names are those of the table's header, and
 * columns that the file does not name are not read:
 *
 *   # survey.schema
 *   age   numeric 17:90 bins 8      numbers, cut into 8 bins of equal width
 *   kids  whole 0:9                 whole numbers, each a value of its own
 *   sex   category Female,Male      words
 *   job   category Private,"Self employed" else Unknown
 *
 * A name or word with blanks, commas or # in it stands in double quotes. Every field becomes
 * one of the declared values: numbers outside the range count as its nearest end; what
 * is no number, or no declared word, counts as the word after `else`, a value of its own,
 * or else as the number nearest 0, or the last word. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/input.h"
#include "dusk/mechanisms.h"

typedef enum dusk_coding_kind {
    DUSK_CODING_NUMERIC = 1,
    DUSK_CODING_WHOLE,
    DUSK_CODING_CATEGORY
} dusk_coding_kind;

typedef struct dusk_coding_column {
    char *name;
    dusk_coding_kind kind;
    double low, high;
    uint32_t values; /* without `other` */
    char **words;    /* of a category */
    size_t words_room;
    char *other; /* what fits nowhere: code `values`; or NULL */
} dusk_coding_column;

typedef struct dusk_coding {
    dusk_coding_column *column;
    size_t columns, room;
} dusk_coding;

/* Read a schema. DUSK_ERR_PARSE names the line of a mistake. */
dusk_status dusk_coding_read(dusk_coding *out, const char *path, dusk_error *err);
void dusk_coding_free(dusk_coding *schema);

/* How many values a column has. */
uint32_t dusk_coding_size(const dusk_coding_column *column);
/* The code of a field; total. */
uint32_t dusk_coding_code(const dusk_coding_column *column, const char *text);
/* What a code means: a word, a number, or a bin as low:high. 128 bytes for numbers; words
 * are cut to `size`. */
void dusk_coding_label(const dusk_coding_column *column, uint32_t code, char *text, size_t size);
/* The same as the field of a table: a bin is the number in its middle. */
void dusk_coding_field(const dusk_coding_column *column, uint32_t code, char *text, size_t size);
/* The number of the column called `name`, or schema->columns. */
size_t dusk_coding_find(const dusk_coding *schema, const char *name);

/* All rows of a table as codes, row by row, in the order of the schema; the header must
 * have every column of the schema once. Free with dusk_coding_codes_free. */
dusk_status dusk_coding_table(const dusk_coding *schema, dusk_input *input, uint32_t **codes, size_t *rows,
                              dusk_error *err);
void dusk_coding_codes_free(uint32_t *codes, size_t n);

#endif
