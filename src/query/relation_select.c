/* SPDX-License-Identifier: Apache-2.0 */
/* SELECT below the release: subqueries, WITH, UNION ALL, grouping by the unit, and the subqueries of
 * conditions as joins that only look. */
#include <string.h>

#include "base/mutant.h"
#include "query/aggregate.h"
#include "query/bind.h"

/* What may stand in a SELECT below the release; what is refused by name gets a sentence of its own. */
static bool check_select(binder *b, const json_t *select)
{
    static const struct {
        const char *member, *what, *hint;
    } refused[] = {
        { "sortClause", "ORDER BY in a subquery has no meaning here",
          "sort the answer, in the outer SELECT" },
        { "limitCount", "LIMIT in a subquery picks rows of different units",
          "limit the answer, in the outer SELECT" },
        { "limitOffset", "OFFSET in a subquery picks rows of different units",
          "limit the answer, in the outer SELECT" },
        { "windowClause", "window functions look at rows of other units",
          "group by the unit in a subquery instead" },
        { "intoClause", "SELECT INTO writes", "leave INTO out" },
        { "lockingClause", "nothing is locked here", "leave FOR UPDATE out" },
        { "valuesLists", "VALUES is not supported", "use a public table" },
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const json_t *found = json_object_get(select, refused[i].member);
        if (!found) continue;
        int place = query_place(found);
        query_refuse(&b->in, place >= 0 ? place : query_place(select), refused[i].hint, "%s",
                     refused[i].what);
        return false;
    }
    return query_only(&b->in, select,
                      "distinctClause targetList fromClause whereClause groupClause havingClause withClause "
                      "limitOption op all larg rarg",
                      "SELECT");
}

/* --- WITH ------------------------------------------------------------------------------------- */

bool bind_with_of(binder *b, const json_t *select, const bind_with **with)
{
    const json_t *clause = json_object_get(select, "withClause"), *body, *query;
    const json_t *list = json_object_get(clause, "ctes");
    if (!clause) return true;
    if (query_flag(clause, "recursive")) {
        query_refuse(&b->in, query_place(clause), "write it without recursion",
                     "WITH RECURSIVE is not supported");
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!query_node_is(json_array_get(list, i), "CommonTableExpr", &body) ||
            !query_only(&b->in, body, "ctename aliascolnames ctematerialized ctequery location", "WITH"))
            return false;
        if (!query_node_is(json_object_get(body, "ctequery"), "SelectStmt", &query)) {
            query_refuse(&b->in, query_place(body), "write name AS (SELECT ...)",
                         "only SELECT may stand in WITH");
            return false;
        }
        bind_with *one = query_take(&b->in, 1, sizeof *one);
        if (!one) return false;
        *one = (bind_with){ .name = query_string(body, "ctename"),
                            .query = query,
                            .columns = json_object_get(body, "aliascolnames"),
                            .before = *with };
        *with = one;
    }
    return true;
}

/* --- UNION ALL ---------------------------------------------------------------------------------- */

/* The named columns, then the unit as one more, so that both sides have it in the same place. */
static bind_source *with_unit_last(binder *b, const bind_source *source, query_expression **e)
{
    const query_relation *r = source->relation;
    size_t n = source->names;
    const char **name = query_take(&b->in, n + 1, sizeof *name);
    if (!name) return NULL;
    for (size_t i = 0; i < n; i++) name[i] = source->name[i].name;
    name[n] = "";
    if (bind_is_private(source) && !(e[n] = bind_make_column(b, r->unit, r->column[r->unit].type, -1)))
        return NULL;
    bind_source *made = bind_project(b, source, e, name, n + bind_is_private(source));
    if (made && bind_is_private(source))
        made->relation->unit = n; /* the same value as the first that holds it */
    return made;
}

static bind_source *bind_union_all(binder *b, const json_t *select, const bind_with *with)
{
    const json_t *side[2] = { json_object_get(select, "larg"), json_object_get(select, "rarg") };
    bind_source *source[2];
    query_expression **e[2];
    if (strcmp(query_string(select, "op"), "SETOP_UNION") != 0 || !query_flag(select, "all"))
        return query_refuse(&b->in, query_place(side[1]), "use UNION ALL, and DISTINCT with the unit",
                            "UNION, INTERSECT and EXCEPT compare rows of different units");
    for (int i = 0; i < 2; i++) {
        if (!(source[i] = bind_select(b, side[i], with))) return NULL;
        e[i] = query_take(&b->in, source[i]->names + 1, sizeof *e[i]);
        for (size_t k = 0; e[i] && k < source[i]->names; k++) {
            size_t c = source[i]->name[k].column;
            if (!(e[i][k] = bind_make_column(b, c, source[i]->relation->column[c].type, -1))) return NULL;
        }
        if (!e[i]) return NULL;
    }
    if (source[0]->names != source[1]->names)
        return query_refuse(&b->in, query_place(side[1]), "select as many columns on both sides",
                            "the sides of UNION ALL have different numbers of columns");
    for (size_t k = 0; k < source[0]->names; k++) {
        query_expression *both[2] = { e[0][k], e[1][k] };
        if (!bind_unify(b, both, 2, "UNION ALL", query_place(side[1]))) return NULL;
        e[0][k] = both[0];
        e[1][k] = both[1];
    }
    for (int i = 0; i < 2; i++)
        if (!(source[i] = with_unit_last(b, source[i], e[i]))) return NULL;
    return bind_union(b, source[0], source[1], query_place(side[1]));
}

/* --- grouping ------------------------------------------------------------------------------------- */

static query_inner inner_of(const bind_call *call)
{
    return call->distinct ? QUERY_INNER_COUNT_DISTINCT : call->aggregate->inner;
}

/* Groups, and the list and HAVING over them. */
static bind_source *group_source(binder *b, const bind_source *source, const json_t *select, bind_list *list)
{
    bind_calls *calls = query_take(&b->in, 1, sizeof *calls);
    bind_scope scope = bind_scope_of(source);
    const json_t *condition = json_object_get(select, "havingClause");
    query_expression *having = NULL;
    if (!calls) return NULL;
    scope.calls = calls;
    if (!bind_list_of(b, list, &scope, select, false) || !bind_keys_of(b, calls, &scope, list, select))
        return NULL;
    if (condition && !(having = bind_condition(b, &scope, condition, "HAVING"))) return NULL;
    size_t n = calls->keys + calls->calls;
    query_expression **e = query_take(&b->in, n, sizeof *e);
    query_inner *inner = query_take(&b->in, calls->calls, sizeof *inner);
    size_t *map = query_take(&b->in, n, sizeof *map);
    if (!e || !inner || !map) return NULL;
    for (size_t i = 0; i < n; i++) {
        e[i] = i < calls->keys ? calls->key[i] : calls->call[i - calls->keys].argument;
        if (i >= calls->keys) inner[i - calls->keys] = inner_of(&calls->call[i - calls->keys]);
    }
    int place = query_place(json_object_get(select, "groupClause"));
    bind_source *grouped =
        bind_group(b, source, e, calls->keys, inner, calls->calls, place >= 0 ? place : query_place(select));
    if (!grouped) return NULL;
    size_t hidden = grouped->relation->keys - calls->keys; /* the unit may have become a key */
    for (size_t i = 0; i < n; i++) map[i] = i < calls->keys ? i : i + hidden;
    for (size_t i = 0; i < list->n; i++)
        if (!(list->expression[i] = bind_over_groups(b, calls, list->expression[i])) ||
            !(list->expression[i] = bind_remap(b, list->expression[i], map, n)))
            return NULL;
    if (having &&
        (!(having = bind_over_groups(b, calls, having)) || !(having = bind_remap(b, having, map, n))))
        return NULL;
    return bind_filter(b, grouped, having) ? grouped : NULL;
}

static bind_source *select_plain(binder *b, const json_t *select, const bind_with *with)
{
    const json_t *distinct = json_object_get(select, "distinctClause");
    bind_list list = { .n = 0 };
    bind_source *source = bind_from(b, select, with, NULL, NULL);
    if (!source) return NULL;
    if (json_object_get(select, "groupClause") || json_object_get(select, "havingClause") ||
        bind_has_aggregate(json_object_get(select, "targetList"))) {
        if (!(source = group_source(b, source, select, &list))) return NULL;
    } else {
        bind_scope scope = bind_scope_of(source);
        if (!bind_list_of(b, &list, &scope, select, true)) return NULL;
    }
    source = bind_project(b, source, list.expression, list.name, list.n);
    if (!source || !distinct) return source;
    if (query_place(distinct) >= 0)
        return query_refuse(&b->in, query_place(distinct), "use GROUP BY", "DISTINCT ON is not supported");
    return bind_distinct(b, source, query_place(json_object_get(select, "targetList")));
}

bind_source *bind_select(binder *b, const json_t *select, const bind_with *with)
{
    bind_source *source = NULL;
    if (!query_enter(&b->in, select)) return NULL;
    if (check_select(b, select) && bind_with_of(b, select, &with)) {
        if (strcmp(query_string(select, "op"), "SETOP_NONE") == 0)
            source = select_plain(b, select, with);
        else
            source = bind_union_all(b, select, with);
    }
    query_leave(&b->in);
    return source;
}

/* --- subqueries of conditions ------------------------------------------------------------------------ */

static const json_t *sublink_of(const json_t *node, bool *no)
{
    const json_t *body;
    *no = false;
    if (query_node_is(node, "BoolExpr", &body) && strcmp(query_string(body, "boolop"), "NOT_EXPR") == 0) {
        *no = true;
        node = json_array_get(json_object_get(body, "args"), 0);
    }
    if (!query_node_is(node, "SubLink", &body)) return NULL;
    const char *kind = query_string(body, "subLinkType");
    return strcmp(kind, "EXISTS_SUBLINK") == 0 || strcmp(kind, "ANY_SUBLINK") == 0 ? body : NULL;
}

bool bind_is_sublink(const json_t *node)
{
    bool no;
    return sublink_of(node, &no) != NULL;
}

/* Outer columns become those of the left side, own ones those of the right. */
static query_expression *over_both(binder *b, const query_expression *e, size_t left)
{
    if (e->kind == QUERY_COLUMN)
        return bind_make_column(b, e->index >= BIND_OUTER ? e->index - BIND_OUTER : e->index + left, e->type,
                                e->position);
    if (e->kind == QUERY_CONSTANT) return bind_remap(b, e, NULL, 0);
    query_expression **argument = query_take(&b->in, e->arguments, sizeof *argument);
    for (size_t i = 0; argument && i < e->arguments; i++)
        if (!(argument[i] = over_both(b, e->argument[i], left))) return NULL;
    return argument ? bind_make_call(b, e->function, e->type, e->position, e->arguments, argument) : NULL;
}

/* FROM and WHERE are all that decides which rows it has. */
static bool is_simple(const json_t *select)
{
    return strcmp(query_string(select, "op"), "SETOP_NONE") == 0 && !json_object_get(select, "groupClause") &&
           !json_object_get(select, "havingClause") &&
           !bind_has_aggregate(json_object_get(select, "targetList"));
}

/* FROM and WHERE of the subquery, where it has nothing else, with the query around in sight. */
static bind_source *looked_into(binder *b, const json_t *select, const bind_with *with,
                                const bind_scope *outer, query_expression **correlated)
{
    *correlated = NULL;
    if (!is_simple(select)) return bind_select(b, select, with);
    if (!check_select(b, select) || !bind_with_of(b, select, &with)) return NULL;
    const json_t *distinct = json_object_get(select, "distinctClause"); /* of no effect here, but for ON */
    if (distinct && query_place(distinct) >= 0)
        return query_refuse(&b->in, query_place(distinct), "use GROUP BY", "DISTINCT ON is not supported");
    return bind_from(b, select, with, outer, correlated);
}

/* x IN (SELECT y ...): x = y, as a condition over both. */
static query_expression *membership(binder *b, const bind_scope *outer, const bind_source *inner,
                                    const json_t *link, const json_t *select, bool no, bool listed,
                                    int position)
{
    bind_list list;
    bind_scope scope = bind_scope_of(inner);
    query_facts left, right;
    if (json_object_get(link, "operName"))
        return query_refuse(&b->in, position, "use IN (SELECT ...)", "ANY and ALL are not supported");
    if (listed) {
        if (!bind_list_of(b, &list, &scope, select, true)) return NULL;
    } else {
        list.n = inner->names;
        list.expression = query_take(&b->in, 1, sizeof *list.expression);
        if (!list.expression || list.n == 0) return NULL;
        size_t c = inner->name[0].column;
        if (!(list.expression[0] = bind_make_column(b, c, inner->relation->column[c].type, -1))) return NULL;
    }
    if (list.n != 1)
        return query_refuse(&b->in, position, "select one column there", "IN compares with one column");
    query_expression *x = bind_expression(b, outer, json_object_get(link, "testexpr")),
                     *y = list.expression[0];
    if (!x || !bind_facts(b, &left, x, outer->column, outer->columns) ||
        !bind_facts(b, &right, y, scope.column, scope.columns))
        return NULL;
    if (DUSK_MUTATE(NOT_IN_IGNORES_NULL, no && (left.nullable || right.nullable), false))
        return query_refuse(&b->in, position, "use NOT EXISTS, or declare the columns nullable=no",
                            "NOT IN with a column that may be NULL has a meaning few expect");
    size_t n = outer->columns;
    size_t *map = query_take(&b->in, n, sizeof *map);
    for (size_t i = 0; map && i < n; i++) map[i] = BIND_OUTER + i;
    query_expression *both[2] = { map ? bind_remap(b, x, map, n) : NULL, y };
    if (!bind_unify(b, both, 2, "IN", position)) return NULL;
    return bind_make_call(b, QUERY_EQUAL, DUSK_TYPE_BOOLEAN, position, 2, both);
}

static bind_source *join_sublink(binder *b, const bind_source *source, const json_t *link,
                                 const bind_with *with, bool no)
{
    const json_t *select;
    bind_scope outer = bind_scope_of(source);
    query_expression *condition;
    int position = (int)json_integer_value(json_object_get(link, "location"));
    if (!query_node_is(json_object_get(link, "subselect"), "SelectStmt", &select))
        return query_refuse(&b->in, position, "", "this subquery is not supported");
    bind_source *inner = looked_into(b, select, with, &outer, &condition);
    if (!inner) return NULL;
    if (strcmp(query_string(link, "subLinkType"), "ANY_SUBLINK") == 0) {
        query_expression *equal = membership(b, &outer, inner, link, select, no, is_simple(select), position);
        if (!equal || !(condition = bind_and(b, condition, equal))) return NULL;
    } else if (json_object_get(select, "targetList")) { /* of no effect, but it must be understood */
        bind_scope scope = bind_scope_of(inner);
        bind_list list;
        scope.outer = &outer;
        if (is_simple(select) && !bind_list_of(b, &list, &scope, select, true)) return NULL;
    }
    if (condition && !(condition = over_both(b, condition, source->relation->columns))) return NULL;
    return bind_join(b, no ? QUERY_ANTI : QUERY_SEMI, source, inner, condition, position);
}

bind_source *bind_sublink(binder *b, const bind_source *source, const json_t *node, const bind_with *with)
{
    bool no;
    const json_t *link = sublink_of(node, &no);
    if (!query_only(&b->in, link, "subLinkType testexpr operName subselect location", "a subquery"))
        return NULL;
    if (!query_enter(&b->in, node)) return NULL;
    bind_source *made = join_sublink(b, source, link, with, no);
    query_leave(&b->in);
    return made;
}
