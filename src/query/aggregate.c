/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates are collected while expressions are bound; afterwards expressions stand over groups. */
#include "query/aggregate.h"

#include <string.h>

static int location(const json_t *body) { return (int)json_integer_value(json_object_get(body, "location")); }

/* --- one call ---------------------------------------------------------------------------------- */

static bool needs_number(const bind_call *call, bool release)
{
    query_measure_kind kind = call->aggregate->kind;
    if (kind == QUERY_COUNT_ROWS) return false;
    return release || (kind != QUERY_MINIMUM && kind != QUERY_MAXIMUM);
}

/* percentile_cont(q) WITHIN GROUP (ORDER BY x): x, and q or 1 - q. */
static bool read_percentile(binder *b, const bind_scope *scope, const json_t *body, bind_call *call)
{
    const json_t *arguments = json_object_get(body, "args"), *order = json_object_get(body, "agg_order"),
                 *sort;
    static const char hint[] = "write PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)";
    query_expression *q = NULL;
    if (json_array_size(arguments) == 1) q = bind_expression(b, scope, json_array_get(arguments, 0));
    if (b->in.status != DUSK_OK) return false;
    if (!q || q->kind != QUERY_CONSTANT || !bind_is_number(q->type) || q->value.null ||
        !(q->value.real >= 0 && q->value.real <= 1) || json_array_size(order) != 1 ||
        !query_node_is(json_array_get(order, 0), "SortBy", &sort)) {
        query_refuse(&b->in, call->position, hint, "a percentile needs a constant from 0 to 1 and one order");
        return false;
    }
    if (!query_only(&b->in, sort, "node sortby_dir sortby_nulls location", "ORDER BY")) return false;
    bool descending = strcmp(query_string(sort, "sortby_dir"), "SORTBY_DESC") == 0;
    call->fraction = descending ? 1 - q->value.real : q->value.real;
    if (call->fraction == 0) call->aggregate = query_aggregate_named("min");
    if (call->fraction == 1) call->aggregate = query_aggregate_named("max");
    if (call->aggregate->kind != QUERY_QUANTILE) call->fraction = 0;
    return (call->argument = bind_expression(b, scope, json_object_get(sort, "node"))) != NULL;
}

static bool read_argument(binder *b, const bind_scope *scope, const json_t *body, bind_call *call)
{
    const json_t *arguments = json_object_get(body, "args");
    const char *name = call->aggregate->name;
    bool within = query_flag(body, "agg_within_group");
    if (strncmp(name, "percentile", 10) == 0 && within) return read_percentile(b, scope, body, call);
    if (within || json_object_get(body, "agg_order") || strncmp(name, "percentile", 10) == 0) {
        query_refuse(&b->in, call->position, "write PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)",
                     "this form of %s is not supported", name);
        return false;
    }
    if (query_flag(body, "agg_star") && call->aggregate->kind == QUERY_COUNT_ROWS && !call->distinct)
        return true;
    if (json_array_size(arguments) != 1) {
        query_refuse(&b->in, call->position, "give it one", "%s needs one argument", name);
        return false;
    }
    if (call->aggregate->kind == QUERY_QUANTILE) call->fraction = 0.5;
    return (call->argument = bind_expression(b, scope, json_array_get(arguments, 0))) != NULL;
}

/* Rows that the filter leaves out become NULL. */
static bool apply_filter(binder *b, const bind_scope *scope, const json_t *body, bind_call *call)
{
    const json_t *filter = json_object_get(body, "agg_filter");
    query_expression *part[3];
    if (!filter) return true;
    if (!call->argument && !(call->argument = bind_make_integer(b, 1, -1))) return false;
    part[0] = bind_condition(b, scope, filter, "FILTER");
    part[1] = call->argument;
    part[2] = bind_make_null(b, call->argument->type, -1);
    call->argument = part[0] ? bind_make_call(b, QUERY_CASE, part[1]->type, call->position, 3, part) : NULL;
    return call->argument != NULL;
}

static bool same_call(const bind_call *x, const bind_call *y)
{
    return x->aggregate->kind == y->aggregate->kind && x->distinct == y->distinct &&
           x->fraction == y->fraction && bind_same(x->argument, y->argument);
}

static dusk_type call_type(const bind_call *call)
{
    switch (call->aggregate->kind) {
    case QUERY_COUNT_ROWS: return DUSK_TYPE_INTEGER;
    case QUERY_SUM:
    case QUERY_MINIMUM:
    case QUERY_MAXIMUM: return call->argument->type;
    default: return DUSK_TYPE_REAL;
    }
}

static query_expression *collect_call(binder *b, bind_calls *calls, const bind_call *call)
{
    size_t i = 0;
    while (i < calls->calls && !same_call(&calls->call[i], call)) i++;
    if (i == BIND_CALLS_MAX)
        return query_refuse(&b->in, call->position, "ask two queries", "there are more than %u aggregates",
                            BIND_CALLS_MAX);
    if (i == calls->calls) calls->call[calls->calls++] = *call;
    return bind_make_column(b, BIND_CALL + i, call_type(call), call->position);
}

/* All columns that hold the unit are the same to COUNT(DISTINCT): the first of them stands for all. */
static bool count_units(binder *b, const bind_scope *scope, bind_call *call)
{
    const query_expression *e = call->argument;
    if (e->kind != QUERY_COLUMN || !(scope->info[e->index].strong & 1)) return true;
    for (size_t i = 0; i < e->index; i++)
        if (scope->info[i].strong & 1)
            return (call->argument = bind_make_column(b, i, scope->column[i].type, e->position)) != NULL;
    return true;
}

query_expression *bind_aggregate(binder *b, const bind_scope *scope, const json_t *body,
                                 const query_aggregate *aggregate)
{
    bind_call call = { .aggregate = aggregate,
                       .distinct = query_flag(body, "agg_distinct"),
                       .position = location(body) };
    bind_scope rows = *scope;
    if (!scope->calls)
        return query_refuse(&b->in, call.position, "aggregates stand in the SELECT list, HAVING and ORDER BY",
                            "the aggregate %s may not stand here", aggregate->name);
    if (!query_only(
            &b->in, body,
            "funcname args agg_order agg_filter agg_star agg_distinct agg_within_group funcformat location",
            "an aggregate"))
        return NULL;
    if (!scope->calls->release && !aggregate->inner)
        return query_refuse(&b->in, call.position, "COUNT, SUM, AVG, MIN and MAX may stand in subqueries",
                            "%s is for the outer SELECT", aggregate->name);
    rows.calls = NULL;
    if (!read_argument(b, &rows, body, &call)) return NULL;
    if (call.distinct && call.aggregate->kind != QUERY_COUNT_ROWS)
        return query_refuse(&b->in, call.position, "COUNT(DISTINCT x) is supported",
                            "%s(DISTINCT) is not supported", aggregate->name);
    if (call.argument && call.argument->kind == QUERY_CONSTANT && call.argument->value.null)
        return query_refuse(&b->in, call.position, "", "%s of NULL is not supported", aggregate->name);
    if (needs_number(&call, scope->calls->release) && !bind_is_number(call.argument->type))
        return query_refuse(&b->in, call.position, "count it, or turn it into a number with CASE or CAST",
                            "%s needs a number, not a %s", aggregate->name,
                            bind_type_name(call.argument->type));
    if (call.argument && call.argument->kind == QUERY_CONSTANT && call.aggregate->kind == QUERY_COUNT_ROWS &&
        !call.distinct)
        call.argument = NULL; /* COUNT(1) */
    if (call.distinct && scope->calls->release && !count_units(b, scope, &call)) return NULL;
    if (!apply_filter(b, &rows, body, &call)) return NULL;
    return collect_call(b, scope->calls, &call);
}

bool bind_has_aggregate(const json_t *node)
{
    const json_t *body;
    if (json_is_array(node)) {
        for (size_t i = 0; i < json_array_size(node); i++)
            if (bind_has_aggregate(json_array_get(node, i))) return true;
        return false;
    }
    const char *kind = query_node(node, &body);
    if (strcmp(kind, "SubLink") == 0) return false;
    if (strcmp(kind, "FuncCall") == 0) {
        const json_t *names = json_object_get(body, "funcname");
        const char *name = query_name(json_array_get(names, json_array_size(names) - 1));
        if (name && query_aggregate_named(name)) return true;
    }
    json_t *object = (json_t *)(uintptr_t)node;
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
        if (bind_has_aggregate(json_object_iter_value(at))) return true;
    return false;
}

/* --- the SELECT list ------------------------------------------------------------------------------- */

/* What a column is called that was given no name. */
static const char *default_name(binder *b, const json_t *value, size_t number)
{
    const json_t *body;
    char text[32] = "column";
    const char *kind = query_node(value, &body), *name = NULL;
    const json_t *list = json_object_get(body, strcmp(kind, "ColumnRef") == 0 ? "fields" : "funcname");
    if (strcmp(kind, "ColumnRef") == 0 || strcmp(kind, "FuncCall") == 0)
        name = query_name(json_array_get(list, json_array_size(list) - 1));
    if (name) return query_keep(&b->in, name, strlen(name));
    size_t digits = number + 1 >= 100 ? 3 : number + 1 >= 10 ? 2 : 1, n = number + 1;
    for (size_t i = digits; i-- > 0; n /= 10) text[6 + i] = (char)('0' + n % 10);
    return query_keep(&b->in, text, 6 + digits);
}

static bool is_star(const json_t *value, const char **table)
{
    const json_t *body, *star;
    *table = NULL;
    if (!query_node_is(value, "ColumnRef", &body)) return false;
    const json_t *fields = json_object_get(body, "fields");
    size_t n = json_array_size(fields);
    if (n == 0 || !query_node_is(json_array_get(fields, n - 1), "A_Star", &star)) return false;
    if (n == 2) *table = query_name(json_array_get(fields, 0));
    return n <= 2;
}

static bool add_column(binder *b, bind_list *list, query_expression *e, const char *name, int position)
{
    if (!e || !name) return false;
    if (list->n == QUERY_LIST_MAX) {
        query_refuse(&b->in, position, "select fewer", "more than %u columns are selected", QUERY_LIST_MAX);
        return false;
    }
    list->expression[list->n] = e;
    list->name[list->n++] = name;
    return true;
}

static bool add_star(binder *b, bind_list *list, const bind_scope *scope, const char *table, int position)
{
    size_t before = list->n;
    for (size_t i = 0; i < scope->names; i++) {
        const bind_name *n = &scope->name[i];
        if (table ? !query_same_name(n->table, table) : n->qualified_only) continue;
        if (!add_column(b, list, bind_make_column(b, n->column, scope->column[n->column].type, position),
                        n->name, position))
            return false;
    }
    if (list->n == before)
        query_refuse(&b->in, position, "dusk schema FILE shows tables", "there is no such table here");
    return list->n > before;
}

bool bind_list_of(binder *b, bind_list *out, const bind_scope *scope, const json_t *select, bool stars)
{
    const json_t *targets = json_object_get(select, "targetList"), *target;
    *out = (bind_list){ .n = 0 };
    out->expression = query_take(&b->in, QUERY_LIST_MAX, sizeof *out->expression);
    out->name = query_take(&b->in, QUERY_LIST_MAX, sizeof *out->name);
    if (!out->expression || !out->name) return false;
    for (size_t i = 0; i < json_array_size(targets); i++) {
        const char *table;
        if (!query_node_is(json_array_get(targets, i), "ResTarget", &target) ||
            !query_only(&b->in, target, "name val location", "a SELECT list"))
            return false;
        const json_t *value = json_object_get(target, "val");
        int position = location(target);
        if (is_star(value, &table)) {
            if (!stars) {
                query_refuse(&b->in, position, "select keys and aggregates such as COUNT(*)",
                             "* would show rows; only aggregates are answered");
                return false;
            }
            if (!add_star(b, out, scope, table, position)) return false;
            continue;
        }
        const char *name = query_string(target, "name");
        name = name[0] ? query_keep(&b->in, name, strlen(name)) : default_name(b, value, out->n);
        if (!name || !add_column(b, out, bind_expression(b, scope, value), name, position)) return false;
    }
    if (out->n == 0) query_refuse(&b->in, query_place(select), "select an aggregate", "nothing is selected");
    return out->n > 0;
}

/* --- keys -------------------------------------------------------------------------------------------- */

static bool has_call(const query_expression *e) { return bind_mentions(e, BIND_CALL, SIZE_MAX); }

/* GROUP BY 2, and GROUP BY name where no column of the rows has that name. */
static bool key_of_list(binder *b, query_expression **out, const bind_scope *scope, const bind_list *list,
                        const json_t *node)
{
    const json_t *body, *value;
    *out = NULL;
    if (query_node_is(node, "A_Const", &body) && (value = json_object_get(body, "ival"))) {
        json_int_t i = json_integer_value(json_object_get(value, "ival"));
        if (i < 1 || (size_t)i > list->n) {
            query_refuse(&b->in, location(body), "count columns from 1",
                         "the SELECT list has no column of that number");
            return false;
        }
        *out = list->expression[i - 1];
        return true;
    }
    if (!query_node_is(node, "ColumnRef", &body) || json_array_size(json_object_get(body, "fields")) != 1)
        return true;
    const char *name = query_name(json_array_get(json_object_get(body, "fields"), 0));
    for (size_t i = 0; name && i < scope->names; i++)
        if (query_same_name(scope->name[i].name, name) && !scope->name[i].qualified_only) return true;
    for (size_t i = 0; name && i < list->n; i++)
        if (query_same_name(list->name[i], name)) *out = list->expression[i];
    return true;
}

bool bind_keys_of(binder *b, bind_calls *calls, const bind_scope *scope, const bind_list *list,
                  const json_t *select)
{
    const json_t *clause = json_object_get(select, "groupClause");
    bind_scope rows = *scope;
    rows.calls = NULL;
    for (size_t i = 0; i < json_array_size(clause); i++) {
        const json_t *node = json_array_get(clause, i);
        query_expression *key;
        if (!key_of_list(b, &key, scope, list, node)) return false;
        if (!key && !(key = bind_expression(b, &rows, node))) return false;
        if (has_call(key)) {
            query_refuse(&b->in, query_place(node), "group by what is not an aggregate",
                         "a key cannot be an aggregate");
            return false;
        }
        size_t k = 0;
        while (k < calls->keys && !bind_same(calls->key[k], key)) k++;
        if (k < calls->keys) continue;
        if (k == BIND_KEYS_MAX) {
            query_refuse(&b->in, query_place(node), "group by fewer", "there are more than %u keys",
                         BIND_KEYS_MAX);
            return false;
        }
        calls->key[calls->keys++] = key;
    }
    return true;
}

query_expression *bind_over_groups(binder *b, const bind_calls *calls, const query_expression *e)
{
    for (size_t i = 0; i < calls->keys; i++)
        if (bind_same(calls->key[i], e)) return bind_make_column(b, i, e->type, e->position);
    if (e->kind == QUERY_COLUMN && e->index >= BIND_CALL)
        return bind_make_column(b, calls->keys + (e->index - BIND_CALL), e->type, e->position);
    if (e->kind == QUERY_COLUMN)
        return query_refuse(&b->in, e->position, "add it to GROUP BY, or aggregate it",
                            "this column is neither a key nor aggregated");
    if (e->kind == QUERY_CONSTANT) return bind_remap(b, e, NULL, 0);
    query_expression **argument = query_take(&b->in, e->arguments, sizeof *argument);
    for (size_t i = 0; argument && i < e->arguments; i++)
        if (!(argument[i] = bind_over_groups(b, calls, e->argument[i]))) return NULL;
    return argument ? bind_make_call(b, e->function, e->type, e->position, e->arguments, argument) : NULL;
}
