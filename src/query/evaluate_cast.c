/* SPDX-License-Identifier: Apache-2.0 */
/* Casts of released cells; what cannot be cast is NULL. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "query/evaluate.h"
#include "table/value.h"

/* NaN: none. */
static double number_of(const dusk_cell *cell)
{
    double x = cell->number;
    if (cell->text && !table_read_real(&x, cell->text, strlen(cell->text))) return NAN;
    return x;
}

static double whole_of(double x)
{
    int64_t whole;
    return table_whole(&whole, x) ? (double)whole : NAN;
}

static void set_from(dusk_cell *out, const query_call *call, double number)
{
    const dusk_cell *from = &call->argument[0];
    bool whole = call->function == QUERY_TO_INTEGER;
    query_set_number(out, number);
    if (out->null || out->exact || from->text) return;
    out->low = whole ? round(from->low) : from->low;
    out->high = whole ? round(from->high) : from->high;
}

static dusk_status set_text_of(dusk_cell *out, const query_call *call, dusk_error *err)
{
    const dusk_cell *from = &call->argument[0];
    char digits[64];
    dusk_text text;
    if (from->text) return query_set_text(out, from->text, err);
    dusk_text_init(&text, digits, sizeof digits);
    if (from->type == DUSK_TYPE_BOOLEAN)
        dusk_text_add(&text, "%s", from->number != 0 ? "true" : "false");
    else if (from->type == DUSK_TYPE_INTEGER && fabs(from->number) < 0x1p53)
        dusk_text_add(&text, "%lld", (long long)from->number);
    else
        dusk_text_number(&text, from->number);
    return query_set_text(out, query_arena_text(call->arena, digits, text.length), err);
}

static void set_truth_of(dusk_cell *out, const query_call *call)
{
    const dusk_cell *from = &call->argument[0];
    bool truth = from->number != 0;
    if (from->text && !table_read_boolean(&truth, from->text, strlen(from->text)))
        query_set_null(out);
    else
        query_set_number(out, truth);
}

dusk_status query_evaluate_cast(dusk_cell *out, const query_call *call, dusk_error *err)
{
    const dusk_cell *from = &call->argument[0];
    switch (call->function) {
    case QUERY_TO_INTEGER: set_from(out, call, whole_of(number_of(from))); return DUSK_OK;
    case QUERY_TO_REAL: set_from(out, call, number_of(from)); return DUSK_OK;
    case QUERY_TO_BOOLEAN: set_truth_of(out, call); return DUSK_OK;
    case QUERY_TO_TEXT: return set_text_of(out, call, err);
    default: return query_evaluate_time(out, call, err);
    }
}
