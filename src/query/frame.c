/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a source to learn from: SELECT -> plan -> fields by its facts -> rows, of which every unit keeps a few. What can be
 * refused is refused by the text, the options and the declared facts, before a row is read. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "query/source.h"
#include "query/unit_rows.h"
#include "table/fields.h"

/* --- fields ------------------------------------------------------------------------------------- */

/* A domain first: its values are what was declared to count. */
static dusk_status add_field(dusk_fields *fields, const query_column *column, dusk_error *err)
{
    static const char *const truth[] = { "false", "true" };
    const query_facts *f = &column->facts;
    bool number = column->type == DUSK_TYPE_INTEGER || column->type == DUSK_TYPE_REAL;
    if (f->domain && f->values > 0)
        return table_fields_add_category(fields, column->name, f->domain, f->values, err);
    if (column->type == DUSK_TYPE_BOOLEAN)
        return table_fields_add_category(fields, column->name, truth, 2, err);
    if (number && f->lower < f->upper)
        return table_fields_add_number(fields, column->name, f->lower, f->upper, NAN, err);
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "declare bounds=0:100 or domain=a,b,c of what it is made of, or leave it out",
                     "of the column %.100s neither bounds nor a domain are known", column->name);
}

static uint32_t rows_of_unit(const query_plan *plan, const dusk_query_options *options)
{
    if (plan->one_row_per_unit) return 1;
    if (options->rows_per_unit > 0) return options->rows_per_unit;
    return plan->rows_per_unit > 0 ? plan->rows_per_unit : 1;
}

static dusk_status make_fields(dusk_fields **out, const query_plan *plan, const dusk_query_options *options,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_fields *fields = NULL;
    DUSK_TRY(table_fields_new(&fields, err));
    table_fields_unit(fields, plan->schema->unit);
    fields->rows_per_unit = rows_of_unit(plan, options);
    for (size_t i = 0; i < plan->values; i++) DUSK_TRY(add_field(fields, &plan->input->column[1 + i], err));
    DUSK_TRY(table_fields_distinct(fields, err));
    *out = fields;
    fields = NULL;
done:
    dusk_fields_free(fields);
    return status;
}

static dusk_status plan_fields(query_plan **plan, dusk_fields **fields, const dusk_source *source,
                               const char *sql, const dusk_query_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(query_check_options(options, err));
    DUSK_TRY(query_plan_rows(plan, source->schema, sql, err));
    DUSK_TRY(make_fields(fields, *plan, options, err));
done:
    return status;
}

dusk_status dusk_query_fields(dusk_source *source, dusk_fields **out, const char *sql,
                              const dusk_query_options *options, dusk_error *err)
{
    query_plan *plan = NULL;
    *out = NULL;
    dusk_status status = plan_fields(&plan, out, source, sql, options, err);
    query_plan_free(plan);
    return status;
}

/* --- rows ----------------------------------------------------------------------------------------- */

/* Whole numbers as their domain writes them; truth values as words. */
static void put_integer(table_filler *to, size_t column, int64_t x, dusk_type type)
{
    char text[32];
    if (to->frame->column[column].number) {
        table_filler_number(to, column, (double)x);
        return;
    }
    int length = type == DUSK_TYPE_BOOLEAN ? snprintf(text, sizeof text, "%s", x ? "true" : "false")
                                           : snprintf(text, sizeof text, "%lld", (long long)x);
    table_filler_text(to, column, text, (size_t)length);
}

static void put_cell(table_filler *to, size_t column, const dusk_cells *cells, size_t row, dusk_type type)
{
    if (cells->null && cells->null[row])
        table_filler_text(to, column, NULL, 0);
    else if (cells->type == DUSK_CELL_TEXT)
        table_filler_text(to, column, cells->texts[row], cells->lengths[row]);
    else if (cells->type == DUSK_CELL_REAL)
        table_filler_number(to, column, cells->reals[row]);
    else
        put_integer(to, column, cells->integers[row], type);
}

static dusk_status take_row(unit_rows *rows, const dusk_chunk *chunk, const query_plan *plan, size_t row,
                            dusk_error *err)
{
    const dusk_cells *unit = &chunk->column[0];
    bool text = unit->type == DUSK_CELL_TEXT;
    if (unit->null && unit->null[row]) return DUSK_OK;
    const void *name = text ? (const void *)unit->texts[row] : (const void *)&unit->integers[row];
    dusk_status status = unit_rows_begin(rows, name, text ? unit->lengths[row] : sizeof *unit->integers, err);
    if (status != DUSK_OK) return status;
    for (size_t i = 0; i < plan->values; i++)
        put_cell(&rows->filler, i, &chunk->column[1 + i], row, plan->input->column[1 + i].type);
    unit_rows_end(rows);
    return DUSK_OK;
}

dusk_status dusk_query_frame_ready(dusk_source *source, const char *sql, const dusk_query_options *options,
                                   dusk_error *err)
{
    dusk_status status = DUSK_OK;
    query_plan *plan = NULL;
    dusk_fields *fields = NULL;
    dusk_cell_type *types = NULL;
    dusk_engine *engine = NULL;
    char *text = NULL;
    DUSK_TRY(plan_fields(&plan, &fields, source, sql, options, err));
    DUSK_TRY(query_source_engine(source, &engine, options->engine, err));
    DUSK_NEW(types, plan->input->columns);
    DUSK_TRY(query_emit(&text, types, plan, plan->input, engine->class->dialect, err));
done:
    dusk_deallocate(text);
    dusk_deallocate(types);
    dusk_fields_free(fields);
    query_plan_free(plan);
    return status;
}

static dusk_status read_rows(unit_rows *rows, dusk_engine *engine, const query_plan *plan, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_cell_type *types = NULL;
    dusk_cursor *cursor = NULL;
    char *sql = NULL;
    dusk_chunk chunk;
    DUSK_NEW(types, plan->input->columns);
    DUSK_TRY(query_emit(&sql, types, plan, plan->input, engine->class->dialect, err));
    DUSK_TRY(engine->class->query(engine, &cursor, sql, types, plan->input->columns, err));
    do {
        DUSK_TRY(engine->class->next(cursor, &chunk, err));
        for (size_t row = 0; row < chunk.rows; row++) DUSK_TRY(take_row(rows, &chunk, plan, row, err));
    } while (chunk.rows > 0);
done:
    if (cursor) engine->class->end(cursor);
    dusk_deallocate(sql);
    dusk_deallocate(types);
    return status;
}

dusk_status dusk_query_frame(dusk_source *source, dusk_frame **out, const char *sql,
                             const dusk_query_options *options, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    query_plan *plan = NULL;
    dusk_fields *fields = NULL;
    dusk_engine *engine = NULL;
    unit_rows rows = { .used = 0 };
    *out = NULL;
    DUSK_TRY(plan_fields(&plan, &fields, source, sql, options, err));
    DUSK_TRY(query_source_engine(source, &engine, options->engine, err));
    DUSK_TRY(unit_rows_open(&rows, fields, err));
    DUSK_TRY(read_rows(&rows, engine, plan, err));
    DUSK_TRY(unit_rows_bound(&rows, out, fields->rows_per_unit, gen, err));
done:
    unit_rows_close(&rows);
    dusk_fields_free(fields);
    query_plan_free(plan);
    return status;
}
