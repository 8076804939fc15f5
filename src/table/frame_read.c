/* SPDX-License-Identifier: Apache-2.0 */
/* Frames out of files and databases. Text, IDX files and folders of pictures are read here, in one pass; the rest by its engine. Whether reading fails
 * depends on the source and its columns, never on what is in its rows. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "table/csv.h"
#include "table/engine.h"
#include "table/filler.h"
#include "table/folder.h"
#include "table/idx.h"

/* --- text ------------------------------------------------------------------------------------- */

static dusk_status find_columns(size_t *at, size_t *need, const dusk_fields *fields, const table_csv *csv,
                                const char *source, dusk_error *err)
{
    *need = 0;
    for (size_t c = 0; c < fields->count; c++) {
        at[c] = table_csv_find(csv, fields->field[c].name);
        if (at[c] == DUSK_NO_LINK)
            return dusk_fail(err, DUSK_ERR_ARGUMENT,
                             "see its header line, or name its columns with ?header=a,b,c",
                             "%.150s has no column %.100s", source, fields->field[c].name);
        if (at[c] >= *need) *need = at[c] + 1;
    }
    return DUSK_OK;
}

static dusk_status read_text(table_filler *to, const dusk_fields *fields, const dusk_location *location,
                             const char *source, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table_csv *csv = NULL;
    size_t *at = NULL, need;
    DUSK_NEW(at, fields->count);
    DUSK_TRY(table_csv_open(&csv, location, 0, err));
    DUSK_TRY(find_columns(at, &need, fields, csv, source, err));
    table_csv_need(csv, need);
    for (bool found;;) {
        DUSK_TRY(table_csv_next(csv, &found, err));
        if (!found) break;
        DUSK_TRY(table_filler_row(to, err));
        for (size_t c = 0; c < fields->count; c++) {
            const char *text = NULL;
            size_t length = 0;
            bool there = table_csv_field(csv, at[c], &text, &length);
            table_filler_text(to, c, there ? text : NULL, length);
        }
        table_filler_end(to);
    }
done:
    table_csv_close(csv);
    dusk_deallocate(at);
    return status;
}

/* --- IDX ---------------------------------------------------------------------------------------- */

static dusk_status check_widths(const dusk_fields *fields, const table_idx *idx, const table_idx *labels,
                                dusk_error *err)
{
    size_t wanted = fields->count - (labels != NULL);
    if (idx->width != wanted || fields->count == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         !labels && wanted == idx->width + 1
                             ? "give the file of labels, too: --labels train-labels-idx1-ubyte.gz"
                             : "declare a field for each number, as in pixel[784] numeric 0:255",
                         "a row of %.150s has %zu numbers, but there are %zu fields for them",
                         idx->input.path, idx->width, wanted);
    if (labels && labels->width != 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a file such as train-labels-idx1-ubyte.gz",
                         "%.150s has more than one number a row", labels->input.path);
    return DUSK_OK;
}

static dusk_status read_idx(table_filler *to, const dusk_fields *fields, const char *source,
                            const char *label_source, bool pair, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table_idx idx = { .input = { .file = -1 } }, labels = idx;
    bool found, labelled = true;
    DUSK_TRY(table_idx_open(&idx, source, err));
    if (pair && fields->count == idx.width) label_source = NULL; /* nobody asks for them */
    if (label_source) DUSK_TRY(table_idx_open(&labels, label_source, err));
    DUSK_TRY(check_widths(fields, &idx, label_source ? &labels : NULL, err));
    for (size_t i = 0; idx.type == TABLE_IDX_BYTES && i < idx.width; i++)
        DUSK_TRY(table_filler_bytes(to, i, err));
    for (;;) {
        DUSK_TRY(table_idx_next(&idx, &found, err));
        if (found && label_source) DUSK_TRY(table_idx_next(&labels, &labelled, err));
        if (!found || !labelled) break;
        DUSK_TRY(table_filler_row(to, err));
        for (size_t i = 0; i < idx.width; i++) table_filler_number(to, i, table_idx_number(&idx, i));
        if (label_source) table_filler_number(to, fields->count - 1, table_idx_number(&labels, 0));
        table_filler_end(to);
    }
done:
    table_idx_close(&idx);
    table_idx_close(&labels);
    return status;
}

/* --- engines --------------------------------------------------------------------------------------- */

/* A schema of one table, whose columns are the fields in their order. */
static dusk_status make_schema(dusk_schema **out, const dusk_fields *fields, const char *source,
                               dusk_error *err)
{
    dusk_status status;
    dusk_schema *schema = NULL;
    char subject[DUSK_NAME_MAX + 16] = "data.";
    DUSK_TRY(dusk_schema_new(&schema, err));
    DUSK_TRY(dusk_schema_declare(schema, "data", "source", source, err));
    for (size_t c = 0; c < fields->count; c++) {
        bool number = fields->field[c].kind == DUSK_FIELD_NUMERIC;
        memcpy(subject + 5, fields->field[c].name, strlen(fields->field[c].name) + 1);
        DUSK_TRY(dusk_schema_declare(schema, subject, "type", number ? "real" : "text", err));
    }
    *out = schema;
    schema = NULL;
done:
    dusk_schema_free(schema);
    return status;
}

static dusk_status select_all(char **sql, size_t columns, dusk_error *err)
{
    dusk_buffer out = { 0 };
    for (size_t c = 0; c < columns; c++) dusk_buffer_add(&out, "%sc%zu", c ? ", " : "SELECT ", c);
    dusk_buffer_add(&out, " FROM t0");
    return dusk_buffer_take(&out, sql, err);
}

static void put_cell(table_filler *to, size_t column, const dusk_cells *cells, size_t row)
{
    if (cells->null && cells->null[row])
        table_filler_text(to, column, NULL, 0);
    else if (cells->type == DUSK_CELL_TEXT)
        table_filler_text(to, column, cells->texts[row], cells->lengths[row]);
    else
        table_filler_number(to, column,
                            cells->type == DUSK_CELL_REAL ? cells->reals[row] : (double)cells->integers[row]);
}

static dusk_status take_chunk(table_filler *to, const dusk_chunk *chunk, dusk_error *err)
{
    for (size_t row = 0; row < chunk->rows; row++) {
        dusk_status status = table_filler_row(to, err);
        if (status != DUSK_OK) return status;
        for (size_t c = 0; c < chunk->columns; c++) put_cell(to, c, &chunk->column[c], row);
        table_filler_end(to);
    }
    return DUSK_OK;
}

static dusk_status read_rows(table_filler *to, const dusk_engine_class *class, dusk_engine *engine,
                             const dusk_fields *fields, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_cell_type *types = NULL;
    dusk_cursor *cursor = NULL;
    char *sql = NULL;
    dusk_chunk chunk;
    DUSK_NEW(types, fields->count);
    for (size_t c = 0; c < fields->count; c++)
        types[c] = fields->field[c].kind == DUSK_FIELD_NUMERIC ? DUSK_CELL_REAL : DUSK_CELL_TEXT;
    DUSK_TRY(select_all(&sql, fields->count, err));
    DUSK_TRY(class->query(engine, &cursor, sql, types, fields->count, err));
    do {
        DUSK_TRY(class->next(cursor, &chunk, err));
        DUSK_TRY(take_chunk(to, &chunk, err));
    } while (chunk.rows > 0);
done:
    if (cursor) class->end(cursor);
    dusk_deallocate(sql);
    dusk_deallocate(types);
    return status;
}

static dusk_status read_engine(table_filler *to, const dusk_fields *fields, const char *source,
                               dusk_error *err)
{
    dusk_status status;
    dusk_schema *schema = NULL;
    const dusk_engine_class *class = NULL;
    dusk_engine *engine = NULL;
    DUSK_TRY(make_schema(&schema, fields, source, err));
    DUSK_TRY(dusk_engine_choose(&class, schema, NULL, err));
    DUSK_TRY(class->open(&engine, schema, err));
    DUSK_TRY(read_rows(to, class, engine, fields, err));
done:
    if (engine) class->close(engine);
    dusk_schema_free(schema);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ */

/* A name that says nothing of its kind may be mistyped. */
static dusk_status find_location(dusk_location *out, const char *source, dusk_error *err)
{
    const dusk_status status = dusk_location_parse(out, source, err);
    if (status != DUSK_ERR_ARGUMENT || strpbrk(source, "?#") || access(source, F_OK) == 0) return status;
    return dusk_fail(err, DUSK_ERR_IO, "see that the folder or file is there, and how its name is written",
                     "%.150s cannot be opened: %s", source, strerror(errno));
}

static dusk_status read_any(table_filler *to, const dusk_fields *fields, const char *source,
                            const char *labels, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_location location = { .path = NULL };
    table_pair *pair = NULL;
    if (table_idx_named(source)) return read_idx(to, fields, source, labels, false, err);
    DUSK_NEW(pair, 1);
    if (table_folder_pair(pair, source)) {
        DUSK_TRY(read_idx(to, fields, pair->images, pair->labels, true, err));
    } else if (table_folder_is(source)) {
        DUSK_TRY(table_folder_read(to, fields, source, err));
    } else {
        DUSK_TRY(find_location(&location, source, err));
        DUSK_TRY(location.kind == DUSK_SOURCE_CSV ? read_text(to, fields, &location, source, err)
                                                  : read_engine(to, fields, source, err));
    }
done:
    dusk_location_clear(&location);
    dusk_deallocate(pair);
    return status;
}

static dusk_status check_names(const dusk_fields *fields, const char *source, const char *labels,
                               dusk_error *err)
{
    if (fields->count == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fields, a line each: age numeric 17:90",
                         "no field is declared, so that there is nothing to read");
    if (labels && !table_idx_named(source))
        return dusk_fail(
            err, DUSK_ERR_ARGUMENT, "declare the label as a field of the same file",
            "a file of labels goes with IDX files only, which have \"-idx\" or \".idx\" in their name");
    return DUSK_OK;
}

dusk_status dusk_frame_read(dusk_frame **out, const dusk_fields *fields, const char *source,
                            const char *labels, dusk_error *err)
{
    dusk_status status;
    table_filler filler = { .room = 0 };
    *out = NULL;
    DUSK_TRY(check_names(fields, source, labels, err));
    DUSK_TRY(table_filler_open(&filler, fields, err));
    DUSK_TRY(read_any(&filler, fields, source, labels, err));
    *out = table_filler_take(&filler);
done:
    table_filler_close(&filler);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ */

static dusk_status check_header(const dusk_fields *fields, const dusk_location *location, const char *source,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table_csv *csv = NULL;
    size_t *at = NULL, need;
    if (access(location->path, F_OK) != 0) return DUSK_OK;
    DUSK_NEW(at, fields->count);
    DUSK_TRY(table_csv_open(&csv, location, 0, err));
    DUSK_TRY(find_columns(at, &need, fields, csv, source, err));
done:
    table_csv_close(csv);
    dusk_deallocate(at);
    return status;
}

dusk_status dusk_frame_check(const dusk_fields *fields, const char *source, const char *labels,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_location location = { .path = NULL };
    table_pair *pair = NULL;
    DUSK_TRY(check_names(fields, source, labels, err));
    if (table_idx_named(source)) return DUSK_OK;
    DUSK_NEW(pair, 1);
    if (table_folder_pair(pair, source)) goto done;
    if (table_folder_is(source)) {
        status = table_folder_check(fields, source, err);
    } else {
        DUSK_TRY(find_location(&location, source, err));
        if (location.kind == DUSK_SOURCE_CSV) status = check_header(fields, &location, source, err);
    }
done:
    dusk_location_clear(&location);
    dusk_deallocate(pair);
    return status;
}

size_t dusk_frame_files(char files[2][DUSK_FRAME_PATH_MOST], const char *source)
{
    table_pair pair;
    dusk_location location = { .path = NULL };
    const bool plain = table_idx_named(source);
    if (!plain && table_folder_pair(&pair, source)) {
        snprintf(files[0], DUSK_FRAME_PATH_MOST, "%s", pair.images);
        snprintf(files[1], DUSK_FRAME_PATH_MOST, "%s", pair.labels);
        return 2;
    }
    const bool named =
        !plain && !table_folder_is(source) && dusk_location_parse(&location, source, NULL) == DUSK_OK;
    const bool server = named && location.kind == DUSK_SOURCE_POSTGRES;
    snprintf(files[0], DUSK_FRAME_PATH_MOST, "%s", named ? location.path : source);
    dusk_location_clear(&location);
    return server ? 0 : 1;
}
