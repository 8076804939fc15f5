/* SPDX-License-Identifier: Apache-2.0 */
/* Casts of released cells, by the rules of tables (table/cast.h); what cannot be cast is NULL. */
#include <math.h>
#include <string.h>

#include "query/evaluate.h"
#include "query/result.h"
#include "table/cast.h"

static void cast(table_value *out, dusk_type to, const dusk_cell *from)
{
    bool whole = from->type != DUSK_TYPE_REAL && fabs(from->number) < 0x1p63;
    int64_t integer;
    if (from->text)
        table_cast_text(out, to, from->text, strlen(from->text));
    else if (from->type == DUSK_TYPE_BOOLEAN && to == DUSK_TYPE_TEXT)
        table_cast_text(out, to, from->number != 0 ? "true" : "false", from->number != 0 ? 4 : 5);
    else if (query_cell_integer(from, &integer))
        table_cast_integer(out, to, integer);
    else if (whole)
        table_cast_integer(out, to, (int64_t)from->number);
    else
        table_cast_real(out, to, from->number);
}

/* Rounding to whole numbers keeps the order, so an interval is rounded at its ends. */
static void set_from(dusk_cell *out, const query_call *call, double number)
{
    const dusk_cell *from = &call->argument[0];
    bool whole = call->function == QUERY_TO_INTEGER;
    query_set_number(out, number);
    if (out->null || out->exact || from->text || call->function == QUERY_TO_BOOLEAN) return;
    out->low = whole ? round(from->low) : from->low;
    out->high = whole ? round(from->high) : from->high;
}

dusk_status query_evaluate_cast(dusk_cell *out, const query_call *call, dusk_error *err)
{
    table_value value = { .null = true };
    cast(&value, out->type, &call->argument[0]);
    if (value.null) {
        query_set_null(out);
        return DUSK_OK;
    }
    if (query_type_is_text(out->type))
        return query_set_text(out, query_arena_text(call->arena, value.text, value.length), err);
    set_from(out, call, out->type == DUSK_TYPE_REAL ? value.real : (double)value.integer);
    if (out->type == DUSK_TYPE_INTEGER) out->integer = value.integer;
    return DUSK_OK;
}
