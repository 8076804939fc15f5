/* SPDX-License-Identifier: Apache-2.0 */
/* From the aggregates of a query to what is released, with the bounds that each needs. */
#include <math.h>
#include <stdio.h>

#include "base/mutant.h"
#include "query/release_plan.h"

static bool is_unit(const bind_source *source, const query_expression *e)
{
    return e->kind == QUERY_COLUMN && (source->info[e->index].strong & 1);
}

static query_measure_kind kind_of(const bind_source *source, const bind_call *call)
{
    if (call->aggregate->kind != QUERY_COUNT_ROWS) return call->aggregate->kind;
    if (!call->argument) return QUERY_COUNT_ROWS;
    if (!call->distinct) return QUERY_COUNT_VALUES;
    return is_unit(source, call->argument) ? QUERY_COUNT_UNITS : QUERY_COUNT_DISTINCT;
}

/* The first column without bounds in an expression, or QUERY_NONE. */
static size_t unbounded_column(const bind_source *source, const query_expression *e)
{
    if (e->kind == QUERY_COLUMN) {
        const query_facts *f = &source->relation->column[e->index].facts;
        return isfinite(f->lower) && isfinite(f->upper) ? QUERY_NONE : e->index;
    }
    for (size_t i = 0; i < e->arguments; i++) {
        size_t found =
            bind_is_number(e->argument[i]->type) ? unbounded_column(source, e->argument[i]) : QUERY_NONE;
        if (found != QUERY_NONE) return found;
    }
    return QUERY_NONE;
}

static void *without_bounds(binder *b, const bind_source *source, const bind_call *call)
{
    char hint[256] = "bound it in the query: LEAST(GREATEST(x, 0), 100)";
    size_t column = unbounded_column(source, call->argument);
    size_t t = column == QUERY_NONE ? QUERY_NONE : source->info[column].table;
    if (t != QUERY_NONE) {
        const dusk_table_schema *table = &b->in.schema->table[t];
        (void)snprintf(hint, sizeof hint, "dusk schema FILE set %.60s.%.60s bounds=LOW:HIGH", table->name,
                       table->column[source->info[column].column].name);
    }
    return query_refuse(&b->in, call->position, hint, "%s needs bounds of what it is taken of",
                        call->aggregate->name);
}

static bool bound(binder *b, query_measure *m, const bind_source *source, const bind_call *call)
{
    query_facts facts;
    if (!bind_facts(b, &facts, call->argument, source->relation->column, source->relation->columns))
        return false;
    if (DUSK_MUTATE(SUM_WITHOUT_BOUNDS, !isfinite(facts.lower) || !isfinite(facts.upper), false))
        return without_bounds(b, source, call) != NULL;
    m->lower = facts.lower;
    m->upper = facts.upper;
    return true;
}

bool query_measures_of(binder *b, query_plan *plan, const bind_calls *calls, const bind_source *source,
                       query_expression **value)
{
    if (!(plan->measure = query_take(&b->in, calls->calls, sizeof *plan->measure))) return false;
    for (size_t i = 0; i < calls->calls; i++) {
        const bind_call *call = &calls->call[i];
        query_measure *m = &plan->measure[i];
        *m = (query_measure){ .kind = kind_of(source, call),
                              .value = QUERY_NONE,
                              .fraction = call->fraction,
                              .lower = NAN,
                              .upper = NAN,
                              .position = call->position };
        if (m->kind == QUERY_COUNT_ROWS || m->kind == QUERY_COUNT_UNITS) continue;
        m->whole = call->argument->type == DUSK_TYPE_INTEGER;
        if (m->kind >= QUERY_SUM && !bound(b, m, source, call)) return false;
        m->value = 0;
        while (m->value < plan->values && !bind_same(value[m->value], call->argument)) m->value++;
        if (m->value == plan->values) value[plan->values++] = call->argument;
    }
    plan->measures = calls->calls;
    return true;
}
