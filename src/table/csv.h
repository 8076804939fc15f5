/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_CSV_H
#define DUSK_TABLE_CSV_H

/* Text files of records: RFC 4180, and what is found in the wild. Every file has a reading; only
 * memory and input can fail.
 *
 *   - Fields are divided by the delimiter, records by a newline, before which one carriage return
 *     is dropped. The last record may lack its newline.
 *   - A field that begins with " goes on to the closing quote, over delimiters and newlines; "" within
 *     it is one quote. What stands between the closing quote and the delimiter is added as it is. A quote
 *     that never closes runs to the end of the file. Elsewhere a quote is an ordinary character.
 *   - An empty field is NULL; "" is the empty text. Fields that a record lacks are NULL; those beyond
 *     the last column are ignored, also the empty one behind a delimiter at the end of a line.
 *   - An empty line is no record, unless there is one column only: then it is NULL.
 *   - Blanks (spaces and tabs) at both ends of a field do not count, quoted or not; a field of nothing
 *     else is empty. They may stand before an opening quote.
 *   - A byte order mark at the beginning is skipped. Bytes that are not UTF-8, and NUL, become U+FFFD
 *     in what table_csv_clean gives. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"
#include "table/engine.h"

typedef struct table_csv table_csv;

/* Open the file and read its header line, or take the names of the location. `buffer`: how many bytes
 * are read at once at first, 0 for the default; records do not depend on it. */
DUSK_MUST_USE dusk_status table_csv_open(table_csv **out, const dusk_location *location, size_t buffer,
                                         dusk_error *err);
void table_csv_close(table_csv *csv);

/* Names of columns: distinct, 1 to DUSK_NAME_MAX bytes of UTF-8. A column without a name is called
 * column1 when it is the first, and so on. */
size_t table_csv_columns(const table_csv *csv);
const char *table_csv_name(const table_csv *csv, size_t column);
size_t table_csv_find(const table_csv *csv, const char *name); /* DUSK_NO_LINK: none */

/* From now on only the columns before `columns` are asked for: what follows is skipped. */
void table_csv_need(table_csv *csv, size_t columns);
/* The next record, if there is one. */
DUSK_MUST_USE dusk_status table_csv_next(table_csv *csv, bool *found, dusk_error *err);
/* Back to the first record. */
DUSK_MUST_USE dusk_status table_csv_rewind(table_csv *csv, dusk_error *err);

/* A field of the record without its quotes, as bytes that are valid until the next record; false: NULL. */
bool table_csv_field(table_csv *csv, size_t column, const char **text, size_t *length);
/* The same bytes as UTF-8 without NUL: themselves where they are, else a copy that is valid until the next
 * call. */
DUSK_MUST_USE dusk_status table_csv_clean(table_csv *csv, const char **text, size_t *length, dusk_error *err);

/* Bytes of the file, as the system says it; for estimates. */
uint64_t table_csv_size(const table_csv *csv);

#endif
