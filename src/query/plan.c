/* SPDX-License-Identifier: Apache-2.0 */
/* SQL -> plan. The outermost SELECT is the release: its aggregates are measures, its GROUP BY are the
 * keys, and everything else in it is made of released numbers. */
#include "query/plan.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "query/emit.h"
#include "query/release_plan.h"

/* --- what may stand in the outermost SELECT --------------------------------------------------- */

static bool check_release(binder *b, const json_t *select)
{
    static const struct {
        const char *member, *what, *hint;
    } refused[] = {
        { "larg", "UNION and its kin cannot be the outermost query",
          "put it into FROM: SELECT ... FROM (... UNION ALL ...) t" },
        { "distinctClause", "SELECT DISTINCT would show rows", "use GROUP BY" },
        { "windowClause", "window functions look at rows of other units",
          "group by the unit in a subquery instead" },
        { "intoClause", "SELECT INTO writes", "leave INTO out" },
        { "lockingClause", "nothing is locked here", "leave FOR UPDATE out" },
        { "valuesLists", "VALUES is not supported", "ask SELECT ... FROM table" },
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const json_t *found = json_object_get(select, refused[i].member);
        if (!found) continue;
        int place = query_place(found);
        place = place >= 0 ? place : query_place(select);
        query_refuse(&b->in, place >= 0 ? place : 0, refused[i].hint, "%s", refused[i].what);
        return false;
    }
    if (strcmp(query_string(select, "limitOption"), "LIMIT_OPTION_WITH_TIES") == 0) {
        query_refuse(&b->in, query_place(json_object_get(select, "limitCount")), "use LIMIT",
                     "WITH TIES is not supported");
        return false;
    }
    return query_only(&b->in, select,
                      "targetList fromClause whereClause groupClause havingClause withClause sortClause "
                      "limitCount limitOffset limitOption op",
                      "SELECT");
}

/* --- what is made of released numbers ------------------------------------------------------------ */

/* LIMIT and OFFSET: a constant whole number. */
static bool read_count(binder *b, uint64_t *out, const json_t *node)
{
    const json_t *body;
    if (!node) return true;
    query_expression *e = query_node_is(node, "A_Const", &body) ? bind_constant(b, body) : NULL;
    if (b->in.status != DUSK_OK) return false;
    if (e && e->value.null) return true; /* LIMIT ALL */
    if (!e || e->type != DUSK_TYPE_INTEGER || e->value.integer < 0) {
        query_refuse(&b->in, query_place(node), "write LIMIT 10", "LIMIT and OFFSET need a whole number");
        return false;
    }
    *out = (uint64_t)e->value.integer;
    return true;
}

/* ORDER BY 2, BY a name of the list, or BY an expression. */
static query_expression *order_expression(binder *b, const bind_scope *scope, const bind_list *list,
                                          const json_t *node)
{
    const json_t *body, *fields;
    if (query_node_is(node, "A_Const", &body)) {
        json_int_t i = json_integer_value(json_object_get(json_object_get(body, "ival"), "ival"));
        if (i >= 1 && (size_t)i <= list->n) return list->expression[i - 1];
        return query_refuse(&b->in, query_place(node), "count columns from 1",
                            "the SELECT list has no column of that number");
    }
    if (query_node_is(node, "ColumnRef", &body) && (fields = json_object_get(body, "fields")) &&
        json_array_size(fields) == 1) {
        const char *name = query_name(json_array_get(fields, 0));
        for (size_t i = 0; name && i < list->n; i++)
            if (query_same_name(list->name[i], name)) return list->expression[i];
    }
    return bind_expression(b, scope, node);
}

static bool read_orders(binder *b, query_plan *plan, const bind_scope *scope, const bind_list *list,
                        const json_t *clause)
{
    const json_t *sort;
    size_t n = json_array_size(clause);
    if (n > QUERY_LIST_MAX) {
        query_refuse(&b->in, query_place(clause), "use fewer", "ORDER BY is too long");
        return false;
    }
    if (!(plan->order = query_take(&b->in, n, sizeof *plan->order))) return false;
    for (size_t i = 0; i < n; i++) {
        query_order *order = &plan->order[i];
        if (!query_node_is(json_array_get(clause, i), "SortBy", &sort) ||
            !query_only(&b->in, sort, "node sortby_dir sortby_nulls location", "ORDER BY"))
            return false;
        const char *nulls = query_string(sort, "sortby_nulls");
        order->descending = strcmp(query_string(sort, "sortby_dir"), "SORTBY_DESC") == 0;
        order->nulls_first = order->descending ? strcmp(nulls, "SORTBY_NULLS_LAST") != 0
                                               : strcmp(nulls, "SORTBY_NULLS_FIRST") == 0;
        if (!(order->expression = order_expression(b, scope, list, json_object_get(sort, "node"))))
            return false;
    }
    plan->orders = n;
    return true;
}

static bool over_release(binder *b, query_plan *plan, const bind_calls *calls, const bind_list *list,
                         query_expression *having)
{
    plan->outputs = list->n;
    if (!(plan->output = query_take(&b->in, list->n, sizeof *plan->output))) return false;
    for (size_t i = 0; i < list->n; i++) {
        size_t length = strnlen(list->name[i], DUSK_NAME_MAX);
        memcpy(plan->output[i].name, list->name[i], length);
        if (!(plan->output[i].expression = bind_over_groups(b, calls, list->expression[i]))) return false;
    }
    if (having && !(plan->having = bind_over_groups(b, calls, having))) return false;
    for (size_t i = 0; i < plan->orders; i++)
        if (!(plan->order[i].expression = bind_over_groups(b, calls, plan->order[i].expression)))
            return false;
    return true;
}

/* --- what is read ---------------------------------------------------------------------------------- */

/* How many rows a unit has, where it is declared. */
static void declared_rows(const binder *b, query_plan *plan, const bind_source *input)
{
    plan->one_row_per_unit = input->info[0].unique;
    if (b->private_scans != 1) return;
    plan->rows_per_unit = b->in.schema->table[b->private_table].rows_per_unit;
    plan->groups_per_unit = b->in.schema->table[b->private_table].groups_per_unit;
}

/* The unit, the keys, the values. */
static bool make_input(binder *b, query_plan *plan, const bind_source *source, const bind_calls *calls)
{
    query_expression **e = query_take(&b->in, 1 + calls->keys + calls->calls, sizeof *e);
    const query_relation *r = source->relation;
    if (!e || !(e[0] = bind_make_column(b, r->unit, r->column[r->unit].type, -1))) return false;
    for (size_t i = 0; i < calls->keys; i++) e[1 + i] = calls->key[i];
    plan->keys = calls->keys;
    if (!query_measures_of(b, plan, calls, source, e + 1 + calls->keys)) return false;
    bind_source *input = bind_project(b, source, e, NULL, 1 + plan->keys + plan->values);
    if (!input) return false;
    plan->input = input->relation;
    declared_rows(b, plan, input);
    return query_public_keys(b, plan, input->info + 1) && query_prune(b, &plan->input) &&
           (!plan->domain || query_prune(b, &plan->domain));
}

static bool check_source(binder *b, const bind_source *source, const json_t *select)
{
    const query_relation *r = source->relation;
    int place = query_place(json_object_get(select, "fromClause"));
    if (!bind_is_private(source)) {
        query_refuse(&b->in, place, "ask the database itself",
                     "only public tables are read: there is nothing to protect");
        return false;
    }
    if (r->column[r->unit].type == DUSK_TYPE_REAL) {
        query_refuse(&b->in, place, "declare its type as integer or text",
                     "the unit is a number that need not be whole");
        return false;
    }
    return true;
}

static bool bind_release(binder *b, query_plan *plan, const json_t *select)
{
    const bind_with *with = NULL;
    const json_t *condition = json_object_get(select, "havingClause");
    bind_calls *calls = query_take(&b->in, 1, sizeof *calls);
    query_expression *having = NULL;
    bind_list list;
    if (!calls || !check_release(b, select) || !bind_with_of(b, select, &with)) return false;
    bind_source *source = bind_from(b, select, with, NULL, NULL);
    if (!source || !check_source(b, source, select)) return false;
    bind_scope scope = bind_scope_of(source);
    scope.calls = calls;
    calls->release = true;
    plan->limit = UINT64_MAX;
    if (!bind_list_of(b, &list, &scope, select, false) || !bind_keys_of(b, calls, &scope, &list, select))
        return false;
    if (condition && !(having = bind_condition(b, &scope, condition, "HAVING"))) return false;
    if (!read_orders(b, plan, &scope, &list, json_object_get(select, "sortClause"))) return false;
    if (!read_count(b, &plan->limit, json_object_get(select, "limitCount")) ||
        !read_count(b, &plan->offset, json_object_get(select, "limitOffset")))
        return false;
    if (!over_release(b, plan, calls, &list, having)) return false;
    if (calls->calls == 0 && calls->keys == 0) {
        query_refuse(&b->in, query_place(json_object_get(select, "targetList")),
                     "select COUNT(*), for instance", "nothing is aggregated");
        return false;
    }
    return make_input(b, plan, source, calls);
}

/* The SELECT as it would be below a release: the unit, then its columns as values. */
static bool bind_rows(binder *b, query_plan *plan, const json_t *select)
{
    bind_source *source = bind_select(b, select, NULL);
    if (!source || !check_source(b, source, select)) return false;
    const query_relation *r = source->relation;
    query_expression **e = query_take(&b->in, 1 + source->names, sizeof *e);
    const char **name = query_take(&b->in, 1 + source->names, sizeof *name);
    if (!e || !name || !(e[0] = bind_make_column(b, r->unit, r->column[r->unit].type, -1))) return false;
    name[0] = "";
    for (size_t i = 0; i < source->names; i++) {
        size_t c = source->name[i].column;
        name[1 + i] = source->name[i].name;
        if (!(e[1 + i] = bind_make_column(b, c, r->column[c].type, -1))) return false;
    }
    plan->values = source->names;
    bind_source *input = bind_project(b, source, e, name, 1 + plan->values);
    if (!input) return false;
    plan->input = input->relation;
    declared_rows(b, plan, input);
    return query_prune(b, &plan->input);
}

dusk_status query_plan_check(const query_plan *plan, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const query_relation *in = plan->input, *domain = plan->domain;
    DUSK_TRY(emit_rule(in, plan->schema, err));
    if (domain) DUSK_TRY(emit_rule(domain, plan->schema, err));
    if (in->kind != QUERY_PROJECT || in->unit != 0 || in->columns != 1 + plan->keys + plan->values ||
        (domain && (domain->unit != QUERY_NONE || domain->columns != plan->keys)))
        status = dusk_fail(err, DUSK_ERR_INTERNAL, "please report the query",
                           "the plan does not begin with the unit, the keys and the values");
done:
    return status;
}

static dusk_status make_plan(query_plan **out, const dusk_schema *schema, const char *sql,
                             bool (*bind)(binder *b, query_plan *plan, const json_t *select), dusk_error *err)
{
    dusk_status status = DUSK_OK;
    query_arena *arena = NULL;
    json_t *root = NULL;
    binder *b = NULL;
    query_plan *plan = NULL;
    DUSK_NEW(b, 1);
    DUSK_TRY(query_arena_new(&arena, err));
    b->in = (query_reader){ .arena = arena, .schema = schema, .sql = sql, .err = err };
    bind_tags_init(b);
    const json_t *select = query_parse(&b->in, &root);
    plan = select ? query_take(&b->in, 1, sizeof *plan) : NULL;
    if (plan) {
        plan->arena = arena;
        plan->schema = schema;
    }
    if (!plan || !bind(b, plan, select)) {
        status = b->in.status != DUSK_OK
                     ? b->in.status
                     : dusk_fail(err, DUSK_ERR_UNSUPPORTED, "see docs/sql.md for what may be written",
                                 "this form of SELECT is not supported");
        goto done;
    }
    DUSK_TRY(query_plan_check(plan, err));
    *out = plan;
    arena = NULL;
done:
    json_decref(root);
    query_arena_free(arena);
    dusk_deallocate(b);
    return status;
}

dusk_status query_plan_new(query_plan **out, const dusk_schema *schema, const char *sql, dusk_error *err)
{
    return make_plan(out, schema, sql, bind_release, err);
}

dusk_status query_plan_rows(query_plan **out, const dusk_schema *schema, const char *sql, dusk_error *err)
{
    return make_plan(out, schema, sql, bind_rows, err);
}

void query_plan_free(query_plan *plan)
{
    if (plan) query_arena_free(plan->arena);
}
