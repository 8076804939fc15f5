/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over a released row: post-processing, which costs nothing. Every function is total and means
 * what query/expression.h says, as in the engines. A cell is exact when all that it is made of is. The interval of
 * a number is that of the expression over the box of the intervals of its cells, rounded outward, for
 * arithmetic and choices whose condition is exact; it is [-inf, inf] for all else. Each cell's interval
 * holds with the confidence of the query; that of an expression over several noisy cells holds when
 * all of theirs do. */
#include "query/evaluate.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "query/result.h"

/* --- setting cells ------------------------------------------------------------------------------ */

void query_set_null(dusk_cell *out)
{
    out->null = true;
    out->text = NULL;
    out->number = 0;
    out->low = -INFINITY;
    out->high = INFINITY;
}

dusk_status query_set_text(dusk_cell *out, const char *text, dusk_error *err)
{
    if (!text) return dusk_fail_memory(err);
    out->text = text;
    return DUSK_OK;
}

/* What no double holds is NULL. */
void query_set_number(dusk_cell *out, double number)
{
    if (!isfinite(number)) {
        query_set_null(out);
        return;
    }
    out->number = number + 0.0; /* -0 is 0, as in the engines */
    out->low = out->exact ? out->number : -INFINITY;
    out->high = out->exact ? out->number : INFINITY;
}

void query_set_integer(dusk_cell *out, int64_t integer)
{
    query_set_number(out, (double)integer);
    out->integer = integer;
}

static void set_truth(dusk_cell *out, bool truth)
{
    out->number = truth;
    out->low = out->exact ? truth : 0;
    out->high = out->exact ? truth : 1;
}

static bool any_null(const query_call *call)
{
    for (size_t i = 0; i < call->arguments; i++)
        if (call->argument[i].null) return true;
    return false;
}

/* --- comparisons and logic ------------------------------------------------------------------------- */

int query_compare_cells(const dusk_cell *a, const dusk_cell *b)
{
    if (a->text && b->text) {
        int order = strcmp(a->text, b->text);
        return (order > 0) - (order < 0);
    }
    int64_t x, y;
    if (query_cell_integer(a, &x) && query_cell_integer(b, &y)) return (x > y) - (x < y);
    return (a->number > b->number) - (a->number < b->number);
}

static void compare(dusk_cell *out, const query_call *call)
{
    if (any_null(call)) {
        query_set_null(out);
        return;
    }
    int order = query_compare_cells(&call->argument[0], &call->argument[1]);
    switch (call->function) {
    case QUERY_EQUAL: set_truth(out, order == 0); break;
    case QUERY_UNEQUAL: set_truth(out, order != 0); break;
    case QUERY_LESS: set_truth(out, order < 0); break;
    case QUERY_LESS_EQUAL: set_truth(out, order <= 0); break;
    case QUERY_GREATER: set_truth(out, order > 0); break;
    default: set_truth(out, order >= 0); break;
    }
}

/* NULL where x is, or where it is equal to none but one of them is NULL. */
static void is_in(dusk_cell *out, const query_call *call)
{
    const dusk_cell *x = &call->argument[0];
    bool unknown = x->null, found = false;
    for (size_t i = 1; i < call->arguments; i++) {
        if (call->argument[i].null)
            unknown = true;
        else if (!x->null && query_compare_cells(x, &call->argument[i]) == 0)
            found = true;
    }
    if (x->null || (unknown && !found))
        query_set_null(out);
    else
        set_truth(out, found);
}

static bool is_true(const dusk_cell *cell) { return !cell->null && cell->number != 0; }

/* Of three values: what decides (false for AND, true for OR) wins, else NULL. */
static void join(dusk_cell *out, const query_call *call, bool decides)
{
    bool unknown = false;
    for (size_t i = 0; i < call->arguments; i++) {
        const dusk_cell *x = &call->argument[i];
        if (!x->null && (x->number != 0) == decides) {
            set_truth(out, decides);
            return;
        }
        unknown |= x->null;
    }
    if (DUSK_MUTATE(EVALUATE_NULL_IS_NOTHING, unknown, false))
        query_set_null(out);
    else
        set_truth(out, !decides);
}

/* --- choice ----------------------------------------------------------------------------------------- */

/* The chosen one, whose interval holds if what led to it is exact. */
static void choose(dusk_cell *out, const dusk_cell *chosen, bool certain)
{
    dusk_type type = out->type;
    *out = *chosen;
    out->type = type;
    out->exact = chosen->exact && certain;
    if (certain || query_type_is_text(type)) return;
    out->low = -INFINITY;
    out->high = INFINITY;
}

static void choose_case(dusk_cell *out, const query_call *call)
{
    bool certain = true;
    size_t i = 0;
    for (; i + 1 < call->arguments; i += 2) {
        certain &= call->argument[i].exact;
        if (is_true(&call->argument[i])) {
            choose(out, &call->argument[i + 1], certain);
            return;
        }
    }
    if (i < call->arguments)
        choose(out, &call->argument[i], certain);
    else
        query_set_null(out);
}

static void choose_first(dusk_cell *out, const query_call *call)
{
    bool certain = true;
    for (size_t i = 0; i < call->arguments; i++) {
        if (!call->argument[i].null) {
            choose(out, &call->argument[i], certain);
            return;
        }
        certain &= call->argument[i].exact;
    }
    query_set_null(out);
}

static void null_if(dusk_cell *out, const query_call *call)
{
    const dusk_cell *a = &call->argument[0], *b = &call->argument[1];
    if (!a->null && !b->null && query_compare_cells(a, b) == 0)
        query_set_null(out);
    else
        choose(out, a, a->exact && b->exact);
}

/* --- the walk ------------------------------------------------------------------------------------------ */

static dusk_status apply(dusk_cell *out, const query_call *call, dusk_error *err)
{
    switch (call->function) {
    case QUERY_EQUAL:
    case QUERY_UNEQUAL:
    case QUERY_LESS:
    case QUERY_LESS_EQUAL:
    case QUERY_GREATER:
    case QUERY_GREATER_EQUAL: compare(out, call); return DUSK_OK;
    case QUERY_IN: is_in(out, call); return DUSK_OK;
    case QUERY_IS_NULL: set_truth(out, call->argument[0].null); return DUSK_OK;
    case QUERY_AND: join(out, call, false); return DUSK_OK;
    case QUERY_OR: join(out, call, true); return DUSK_OK;
    case QUERY_CASE: choose_case(out, call); return DUSK_OK;
    case QUERY_COALESCE: choose_first(out, call); return DUSK_OK;
    case QUERY_NULLIF: null_if(out, call); return DUSK_OK;
    case QUERY_LEAST:
    case QUERY_GREATEST: query_evaluate_number(out, call); return DUSK_OK;
    default: break;
    }
    if (any_null(call)) {
        query_set_null(out);
        return DUSK_OK;
    }
    switch (call->function) {
    case QUERY_NOT: set_truth(out, !is_true(&call->argument[0])); return DUSK_OK;
    case QUERY_LIKE:
    case QUERY_LOWER:
    case QUERY_UPPER:
    case QUERY_LENGTH:
    case QUERY_TRIM:
    case QUERY_CONCAT:
    case QUERY_SUBSTRING: return query_evaluate_text(out, call, err);
    case QUERY_EXTRACT:
    case QUERY_DATE_TRUNC:
    case QUERY_DATE_ADD:
    case QUERY_DATE_DIFF: return query_evaluate_date(out, call, err);
    case QUERY_TO_INTEGER:
    case QUERY_TO_REAL:
    case QUERY_TO_TEXT:
    case QUERY_TO_BOOLEAN:
    case QUERY_TO_DATE:
    case QUERY_TO_TIMESTAMP: return query_evaluate_cast(out, call, err);
    default: query_evaluate_number(out, call); return DUSK_OK;
    }
}

static void set_constant(dusk_cell *out, const query_expression *e)
{
    if (e->value.null)
        query_set_null(out);
    else if (query_type_is_text(e->type))
        out->text = e->value.text;
    else if (e->type == DUSK_TYPE_REAL)
        query_set_number(out, e->value.real);
    else
        query_set_integer(out, e->value.integer);
}

dusk_status query_evaluate(dusk_cell *out, const query_expression *e, const dusk_cell *cells,
                           query_arena *arena, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_cell made = { .type = e->type, .exact = true };
    if (e->kind == QUERY_CONSTANT) {
        set_constant(&made, e);
    } else if (e->kind == QUERY_COLUMN) {
        made = cells[e->index];
        made.type = e->type;
    } else {
        dusk_cell *argument = query_arena_take(arena, e->arguments + 1, sizeof *argument);
        if (!argument) return dusk_fail_memory(err);
        for (size_t i = 0; i < e->arguments; i++) {
            DUSK_TRY(query_evaluate(&argument[i], e->argument[i], cells, arena, err));
            made.exact &= argument[i].exact;
        }
        const query_call call = { e->function, argument, e->arguments, arena };
        DUSK_TRY(apply(&made, &call, err));
    }
    *out = made;
done:
    return status;
}
