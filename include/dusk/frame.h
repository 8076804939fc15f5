/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_FRAME_H
#define DUSK_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"
#include "dusk/random.h"
#include "dusk/table.h"

/* Frames: typed columns in memory, what learners learn from. A frame is read by declared fields, and nothing
 * is found out from the rows: bounds, categories and what a missing value counts as are public facts.
 *
 * Text form of fields, a line each; "#" begins a comment:
 *
 *     age        numeric 17:90                  clamped into the bounds
 *     income     numeric 0:250000 missing 30000 a missing value counts as this, else as the middle
 *     sex        category Female,Male           other values, and missing ones, are no category at all
 *     pixel[784] numeric 0:255                  pixel0 to pixel783
 *     unit row                                  whose privacy, in a word (the default: row)
 *     rows_per_unit 1                           how many rows a unit has at most; the caller sees to it
 *
 * A name or a category with blanks, a comma, "#", "[" or a quote in it is written in double quotes; "\," "\\" and "\""
 * are those characters, in quotes or not, "\n" "\r" "\t" the blanks. Columns of the data that are not declared are
 * not read. At most 65536 fields.
 *
 * What a field is that does not parse, or is NULL, NaN or infinite: missing. Never an error, since errors must not
 * depend on rows. */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dusk_field_kind { DUSK_FIELD_NUMERIC = 1, DUSK_FIELD_CATEGORY = 2 } dusk_field_kind;

typedef struct dusk_field {
    char name[DUSK_NAME_MAX + 1];
    dusk_field_kind kind;
    double lower, upper; /* of numbers: finite, lower < upper */
    double missing;      /* of numbers: what a missing one counts as, within the bounds */
    char **value;        /* of categories: `values` different texts, 1 to 2^20 of them */
    size_t values;
} dusk_field;

/* Made by the functions below; fields are for reading. */
typedef struct dusk_fields {
    dusk_field *field;
    size_t count;
    char unit[64];
    uint32_t rows_per_unit;
} dusk_fields;

/* From text; DUSK_ERR_PARSE names the line. */
DUSK_API DUSK_MUST_USE dusk_status dusk_fields_parse(dusk_fields **out, const char *text, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_fields_read(dusk_fields **out, const char *path, dusk_error *err);
/* From the facts of a table of a source: columns with a domain are categories, booleans too, those with bounds are
 * numeric, others are left out. Where a unit has one row by declaration (its column is unique), or rows_per_unit is
 * declared, the unit is the source's, and the caller sees to it that it has no more rows; otherwise the unit is a row.
 * dusk_query_frame (dusk/query.h) reads rows so that every unit has so many at most. */
DUSK_API DUSK_MUST_USE dusk_status dusk_fields_from_schema(dusk_fields **out, const dusk_schema *schema,
                                                           size_t table, dusk_error *err);
/* All but those that `keep` does not name (NULL: all); a copy. */
DUSK_API DUSK_MUST_USE dusk_status dusk_fields_copy(dusk_fields **out, const dusk_fields *fields,
                                                    const char *const *keep, size_t keep_count,
                                                    dusk_error *err);
/* The text form; to be freed with dusk_ledger_free_text. */
DUSK_API DUSK_MUST_USE dusk_status dusk_fields_format(const dusk_fields *fields, char **text,
                                                      dusk_error *err);
/* The number of the field of that name (without regard to ASCII case), or DUSK_NO_LINK. */
DUSK_API size_t dusk_fields_find(const dusk_fields *fields, const char *name);
DUSK_API void dusk_fields_free(dusk_fields *fields);

/* One of the three: `code` of a category, `number` or `byte` of a number. */
typedef struct dusk_frame_column {
    double *number; /* NaN: missing; not yet clamped */
    int32_t *code;  /* which category, from 0; -1: none */
    uint8_t *
        byte; /* whole numbers from 0 to 255: of IDX files of bytes, so that pictures take an eighth of the memory */
} dusk_frame_column;
/* The number in a row of a column of numbers, however it is kept. */
DUSK_API double dusk_frame_number(const dusk_frame_column *column, size_t row);

/* Made by the functions below. Whoever makes one with dusk_frame_new fills the columns; any double is fine, and any
 * code: what is out of range counts as missing. */
typedef struct dusk_frame {
    dusk_fields *fields; /* a copy */
    size_t rows;         /* private, unless it was declared */
    dusk_frame_column *column;
} dusk_frame;

/* A frame of `rows` rows; all numbers 0, all codes 0. */
DUSK_API DUSK_MUST_USE dusk_status dusk_frame_new(dusk_frame **out, const dusk_fields *fields, size_t rows,
                                                  dusk_error *err);
/* Wipe and free. NULL is fine. */
DUSK_API void dusk_frame_free(dusk_frame *frame);

/* Read a source (dusk/table.h: text files, Parquet by DuckDB, tables of databases), or an IDX file of bytes or
 * numbers, compressed by gzip or not. IDX: a row for each of the first dimension, the other dimensions being the
 * columns of the fields but for the last field when `labels` is given: another IDX file, of one number a row. Of files
 * of different length the shorter counts.
 *
 * A folder is a pair of such files with their usual names (train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz; FOLDER/t10k is
 * the pair that begins so), labels being read when there is a field for them; or pictures (PNG, PGM, PPM), a file a row and a sub-folder for each category of the last field: one that is not
 * declared is no category, those that are must be there (names of sub-folders are public, what is in them is not), and files that are no pictures of as many numbers as there are other fields are missing. Numbers of pictures are from 0 to 255, row
 * after row, the colours of a place side by side.
 *
 * DUSK_ERR_ARGUMENT when a field has no column in the header or catalogue. */
DUSK_API DUSK_MUST_USE dusk_status dusk_frame_read(dusk_frame **out, const dusk_fields *fields,
                                                   const char *source, const char *labels, dusk_error *err);
/* Whether that could be done, as far as the name of the source, its header line and its sub-folders say: no row is read, and a file that is not there is
 * not missed. */
DUSK_API DUSK_MUST_USE dusk_status dusk_frame_check(const dusk_fields *fields, const char *source,
                                                    const char *labels, dusk_error *err);
/* The files and folders that a source is read from: two of a pair of IDX files, otherwise one, and none of a server. How many. */
#define DUSK_FRAME_PATH_MOST 4096
DUSK_API size_t dusk_frame_files(char files[2][DUSK_FRAME_PATH_MOST], const char *source);
/* Each row goes to *second with probability `fraction` in (0, 1), independently, else to *first: which rows those
 * are, and how many, depends on no other row. */
DUSK_API DUSK_MUST_USE dusk_status dusk_frame_split(const dusk_frame *frame, dusk_frame **first,
                                                    dusk_frame **second, double fraction, dusk_generator *gen,
                                                    dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
