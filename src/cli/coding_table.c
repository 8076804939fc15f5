/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of comma-separated values as codes of a schema. The header is public and must
 * have the schema's columns; a row that is too short has empty fields, which the schema
 * makes into values like any other. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/coding.h"
#include "cli/output.h"

enum { FIELDS_MAX = 4096, NOWHERE = 255 };

typedef struct table_reader {
    const dusk_coding *schema;
    unsigned char column[FIELDS_MAX]; /* of the schema, for each field of a record */
    size_t found[64];                 /* how often the header has each column */
    uint32_t *row;                    /* where the record at hand goes */
} table_reader;

static void take_name(void *context, size_t index, const char *text)
{
    table_reader *reader = context;
    size_t c = dusk_coding_find(reader->schema, text);
    if (index >= FIELDS_MAX || c == reader->schema->columns) return;
    reader->column[index] = (unsigned char)c;
    reader->found[c]++;
}

static void take_field(void *context, size_t index, const char *text)
{
    table_reader *reader = context;
    if (index >= FIELDS_MAX || reader->column[index] == NOWHERE) return;
    size_t c = reader->column[index];
    reader->row[c] = dusk_coding_code(&reader->schema->column[c], text);
}

static dusk_status read_header(table_reader *reader, dusk_input *input, dusk_error *err)
{
    memset(reader->column, NOWHERE, sizeof reader->column);
    (void)dusk_input_record(input, take_name, reader);
    for (size_t c = 0; c < reader->schema->columns; c++)
        if (reader->found[c] != 1)
            return dusk_fail(err, DUSK_ERR_PARSE, "the first line of the table names its columns",
                             "%.100s has %s column called %.60s", input->name,
                             reader->found[c] ? "more than one" : "no", reader->schema->column[c].name);
    return DUSK_OK;
}

void dusk_coding_codes_free(uint32_t *codes, size_t n)
{
    if (codes) dusk_wipe(codes, n * sizeof *codes);
    dusk_deallocate(codes);
}

/* Twice the room, nothing left behind. */
static dusk_status grow(uint32_t **codes, size_t *room, dusk_error *err)
{
    uint32_t *wider = dusk_allocate(2 * *room, sizeof *wider);
    if (!wider) return dusk_fail_memory(err);
    memcpy(wider, *codes, *room * sizeof *wider);
    dusk_coding_codes_free(*codes, *room);
    *codes = wider;
    *room *= 2;
    return DUSK_OK;
}

dusk_status dusk_coding_table(const dusk_coding *schema, dusk_input *input, uint32_t **codes, size_t *rows,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table_reader reader = { .schema = schema };
    size_t columns = schema->columns, room = 1024 * columns, count = 0;
    uint32_t *list = NULL, blank[64], row[64];
    dusk_progress progress;

    dusk_progress_start(&progress, input->total, input->epsilon);
    DUSK_TRY(read_header(&reader, input, err));
    for (size_t c = 0; c < columns; c++) blank[c] = dusk_coding_code(&schema->column[c], "");
    DUSK_NEW(list, room);
    reader.row = row;
    for (;; count++) {
        memcpy(row, blank, columns * sizeof *row);
        if (!dusk_input_record(input, take_field, &reader)) break;
        if ((count + 1) * columns > room) DUSK_TRY(grow(&list, &room, err));
        memcpy(list + count * columns, row, columns * sizeof *row);
        if (count % 65536 == 0) dusk_progress_at(&progress, input->bytes);
    }
    *codes = list;
    *rows = count;
    list = NULL;
done:
    dusk_wipe(row, sizeof row);
    dusk_progress_end(&progress);
    dusk_coding_codes_free(list, room);
    return status;
}
