/* SPDX-License-Identifier: Apache-2.0 */
/* FROM and WHERE. Tables that are joined by commas and inner joins form one list, with one list of
 * conditions: those of one table go below the joins, those of two become the condition of their join.
 * While conditions are bound, columns are numbered through all tables of the list, in the order in which they are
 * written; afterwards the numbers are those of the joined relation. */
#include <string.h>

#include "query/relation_from.h"

static bool collect(binder *b, bind_from_list *list, const json_t *node, const bind_with *with);

/* --- what stands in FROM ---------------------------------------------------------------------- */

static bool add_item(binder *b, bind_from_list *list, bind_source *source, int position)
{
    if (!source) return false;
    if (list->items == BIND_ITEMS_MAX) {
        query_refuse(&b->in, position, "join fewer tables", "more than %u tables are joined", BIND_ITEMS_MAX);
        return false;
    }
    list->item[list->items++] = (bind_item){ .source = source, .base = list->columns, .position = position };
    list->columns += source->relation->columns;
    return true;
}

/* AS name (a, b): the table's new name, and new names of its first columns. */
static bool rename_source(binder *b, bind_source *source, const json_t *alias, const char *table,
                          int position)
{
    const json_t *columns = json_object_get(alias, "colnames");
    const char *name = alias ? query_string(alias, "aliasname") : table;
    if (json_array_size(columns) > source->names) {
        query_refuse(&b->in, position, "give it as many names as it has columns",
                     "\"%s\" has fewer columns than names", name);
        return false;
    }
    const char *kept = query_keep(&b->in, name, strlen(name));
    if (!kept) return false;
    for (size_t i = 0; i < source->names; i++) {
        const char *other = i < json_array_size(columns) ? query_name(json_array_get(columns, i)) : NULL;
        source->name[i].table = kept;
        source->name[i].qualified_only = false;
        if (other && !(source->name[i].name = query_keep(&b->in, other, strlen(other)))) return false;
    }
    return true;
}

static const bind_with *find_with(const bind_with *with, const char *name)
{
    for (; with; with = with->before)
        if (query_same_name(with->name, name)) return with;
    return NULL;
}

/* The table that goes by a name as the parser leaves it; none when two do. */
static size_t find_table(const dusk_schema *schema, const char *name)
{
    size_t found = dusk_schema_table(schema, name), others = 0;
    for (size_t t = 0; t < schema->tables && (found == DUSK_NO_LINK || others); t++) {
        char cut[DUSK_NAME_MAX + 1] = "";
        memcpy(cut, schema->table[t].name, query_name_length(schema->table[t].name));
        if (!query_same_name(cut, name)) continue;
        if (others++) return DUSK_NO_LINK;
        found = t;
    }
    return found;
}

static bind_source *named_query(binder *b, const bind_with *with, const json_t *body)
{
    if (!query_enter(&b->in, body)) return NULL;
    bind_source *source = bind_select(b, with->query, with->before);
    query_leave(&b->in);
    if (!source) return NULL;
    if (with->columns) {
        json_t *alias = json_pack("{s:s, s:O}", "aliasname", with->name, "colnames", with->columns);
        if (!alias) return query_refuse_memory(&b->in);
        bool renamed = rename_source(b, source, alias, "", query_place(body));
        json_decref(alias);
        if (!renamed) return NULL;
    }
    return source;
}

static bool collect_table(binder *b, bind_from_list *list, const json_t *body, const bind_with *with)
{
    const char *name = query_string(body, "relname");
    int position = (int)json_integer_value(json_object_get(body, "location"));
    if (!query_only(&b->in, body, "relname inh relpersistence alias location", "a table's name"))
        return false;
    if (!query_flag(body, "inh")) {
        query_refuse(&b->in, position, "leave ONLY out", "ONLY is not supported");
        return false;
    }
    const bind_with *query = find_with(with, name);
    size_t table = query ? DUSK_NO_LINK : find_table(b->in.schema, name);
    if (!query && table == DUSK_NO_LINK) {
        query_refuse(&b->in, position, "dusk schema FILE shows the tables", "there is no table \"%s\"", name);
        return false;
    }
    bind_source *source = query ? named_query(b, query, body) : bind_scan(b, table, position);
    return source && rename_source(b, source, json_object_get(body, "alias"), name, position) &&
           add_item(b, list, source, position);
}

static bool collect_subquery(binder *b, bind_from_list *list, const json_t *body, const bind_with *with)
{
    const json_t *select, *alias = json_object_get(body, "alias");
    int position = query_place(body);
    if (query_flag(body, "lateral")) {
        query_refuse(&b->in, position, "join the tables, and leave LATERAL out", "LATERAL is not supported");
        return false;
    }
    if (!query_only(&b->in, body, "subquery alias", "a subquery")) return false;
    if (!query_node_is(json_object_get(body, "subquery"), "SelectStmt", &select)) {
        query_refuse(&b->in, position, "write (SELECT ...)", "this subquery is not supported");
        return false;
    }
    bind_source *source = bind_select(b, select, with);
    return source && rename_source(b, source, alias, "", position) && add_item(b, list, source, position);
}

/* --- conditions --------------------------------------------------------------------------------- */

/* All names and columns of items from..to, in the numbering of the list. */
static bool scope_of(binder *b, bind_scope *out, const bind_from_list *list, size_t from, size_t to)
{
    size_t names = 0, n = 0;
    for (size_t i = from; i < to; i++) names += list->item[i].source->names;
    bind_name *name = query_take(&b->in, names, sizeof *name);
    query_column *column = query_take(&b->in, list->columns, sizeof *column);
    bind_info *info = query_take(&b->in, list->columns, sizeof *info);
    if (!name || !column || !info) return false;
    for (size_t i = 0; i < list->items; i++) {
        const bind_item *it = &list->item[i];
        const query_relation *r = it->source->relation;
        memcpy(column + it->base, r->column, r->columns * sizeof *column);
        memcpy(info + it->base, it->source->info, r->columns * sizeof *info);
        for (size_t k = 0; i >= from && i < to && k < it->source->names; k++) {
            name[n] = it->source->name[k];
            name[n++].column += it->base;
        }
    }
    *out = (bind_scope){
        .name = name, .names = names, .column = column, .info = info, .columns = list->columns
    };
    return true;
}

static bool add_condition(binder *b, bind_from_list *list, query_expression *e)
{
    size_t n = bind_conjuncts(e);
    if (!e) return false;
    if (list->conjuncts + n > list->room) {
        size_t room = 2 * (list->conjuncts + n);
        query_expression **more = query_take(&b->in, room, sizeof *more);
        if (!more) return false;
        if (list->conjuncts) memcpy(more, list->conjunct, list->conjuncts * sizeof *more);
        list->conjunct = more;
        list->room = room;
    }
    for (size_t i = 0; i < n; i++) list->conjunct[list->conjuncts++] = bind_conjunct(e, i);
    return true;
}

/* The one name of a USING column on a side. */
static bind_name *using_name(binder *b, const bind_from_list *list, size_t from, size_t to, const char *name,
                             size_t *column, int position)
{
    bind_name *found = NULL;
    for (size_t i = from; i < to; i++)
        for (size_t k = 0; k < list->item[i].source->names; k++) {
            bind_name *n = &list->item[i].source->name[k];
            if (n->qualified_only || !query_same_name(n->name, name)) continue;
            if (found)
                return query_refuse(&b->in, position, "use ON instead",
                                    "there is more than one column \"%s\"", name);
            found = n;
            *column = list->item[i].base + n->column;
        }
    if (!found)
        return query_refuse(&b->in, position, "USING needs a column of that name on both sides",
                            "there is no column \"%s\" here", name);
    return found;
}

/* USING (k): left.k = right.k, and one of them goes by the plain name. */
static query_expression *using_condition(binder *b, bind_from_list *list, const json_t *names, size_t from,
                                         size_t middle, bool keep_right, int position)
{
    query_expression *all = NULL;
    bind_scope scope;
    if (!scope_of(b, &scope, list, from, list->items)) return NULL;
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = query_name(json_array_get(names, i));
        size_t x = 0, y = 0;
        if (!name) return query_refuse(&b->in, position, "", "this form of USING is not supported");
        bind_name *left = using_name(b, list, from, middle, name, &x, position);
        bind_name *right = left ? using_name(b, list, middle, list->items, name, &y, position) : NULL;
        if (!right) return NULL;
        query_expression *both[2] = { bind_make_column(b, x, scope.column[x].type, position),
                                      bind_make_column(b, y, scope.column[y].type, position) };
        if (!bind_unify(b, both, 2, "USING", position)) return NULL;
        all = bind_and(b, all, bind_make_2(b, QUERY_EQUAL, DUSK_TYPE_BOOLEAN, both[0], both[1]));
        if (!all) return NULL;
        (keep_right ? left : right)->qualified_only = true;
    }
    return all;
}

static query_expression *join_condition(binder *b, bind_from_list *list, const json_t *body, size_t from,
                                        size_t middle, bool keep_right, int position)
{
    const json_t *quals = json_object_get(body, "quals"), *names = json_object_get(body, "usingClause");
    bind_scope scope;
    if (names) return using_condition(b, list, names, from, middle, keep_right, position);
    if (!scope_of(b, &scope, list, from, list->items)) return NULL;
    return bind_condition(b, &scope, quals, "ON");
}

/* --- joins -------------------------------------------------------------------------------------- */

/* Left and right joins are an item of their own: left columns, then right ones. */
static bool collect_outer(binder *b, bind_from_list *list, const json_t *body, const bind_with *with,
                          bool mirrored, int position)
{
    bind_from_list *sides = query_take(&b->in, 3, sizeof *sides), *both = sides + 2;
    if (!sides) return false;
    for (int i = 0; i < 2; i++) { /* 0: as written on the left */
        size_t *map;
        if (!collect(b, &sides[i], json_object_get(body, i ? "rarg" : "larg"), with)) return false;
        bind_source *source = bind_join_all(b, &sides[i], &map);
        if (!source || !add_item(b, both, source, position)) return false;
    }
    query_expression *on = join_condition(b, both, body, 0, 1, mirrored, position);
    if (!on) return false;
    size_t l = both->item[0].source->relation->columns, r = both->item[1].source->relation->columns;
    if (mirrored) {
        size_t *map = query_take(&b->in, l + r, sizeof *map);
        for (size_t i = 0; map && i < l + r; i++) map[i] = i < l ? i + r : i - l;
        if (!map || !(on = bind_remap(b, on, map, l + r))) return false;
    }
    bind_source *joined =
        bind_join(b, QUERY_LEFT, both->item[mirrored].source, both->item[!mirrored].source, on, position);
    return add_item(b, list, joined, position);
}

static bool collect_join(binder *b, bind_from_list *list, const json_t *body, const bind_with *with)
{
    const char *kind = query_string(body, "jointype");
    const json_t *quals = json_object_get(body, "quals");
    int right = query_place(json_object_get(body, "rarg"));
    if (query_flag(body, "isNatural")) {
        query_refuse(&b->in, right, "name the columns with USING (...)", "NATURAL joins are not supported");
        return false;
    }
    if (!query_only(&b->in, body, "jointype larg rarg usingClause quals rtindex", "a join")) return false;
    if (strcmp(kind, "JOIN_LEFT") == 0) return collect_outer(b, list, body, with, false, right);
    if (strcmp(kind, "JOIN_RIGHT") == 0) return collect_outer(b, list, body, with, true, right);
    if (strcmp(kind, "JOIN_INNER") != 0) {
        query_refuse(&b->in, right, "use LEFT JOIN, or two queries", "FULL joins are not supported");
        return false;
    }
    size_t from = list->items;
    if (!collect(b, list, json_object_get(body, "larg"), with)) return false;
    size_t middle = list->items;
    if (!collect(b, list, json_object_get(body, "rarg"), with)) return false;
    if (!quals && !json_object_get(body, "usingClause")) return true;
    return add_condition(b, list, join_condition(b, list, body, from, middle, false, right));
}

static bool collect(binder *b, bind_from_list *list, const json_t *node, const bind_with *with)
{
    const json_t *body;
    const char *kind = query_node(node, &body);
    bool done = false;
    if (!query_enter(&b->in, node)) return false;
    if (strcmp(kind, "RangeVar") == 0)
        done = collect_table(b, list, body, with);
    else if (strcmp(kind, "RangeSubselect") == 0)
        done = collect_subquery(b, list, body, with);
    else if (strcmp(kind, "JoinExpr") == 0)
        done = collect_join(b, list, body, with);
    else
        query_refuse(&b->in, query_place(node), "tables, subqueries and joins may stand in FROM",
                     "this does not stand in FROM");
    query_leave(&b->in);
    return done;
}

/* --- WHERE ---------------------------------------------------------------------------------------- */

/* The conditions of WHERE that AND joins; those with subqueries wait until all tables are one. */
typedef struct where_list {
    const json_t *node[QUERY_LIST_MAX];
    size_t nodes;
    query_expression *correlated;
} where_list;

static bool add_where(binder *b, bind_from_list *list, where_list *where, const bind_scope *scope,
                      const json_t *node)
{
    const json_t *body;
    bool whole =
        !query_node_is(node, "BoolExpr", &body) || strcmp(query_string(body, "boolop"), "AND_EXPR") != 0;
    if (!whole) {
        const json_t *parts = json_object_get(body, "args");
        bool good = query_enter(&b->in, node);
        for (size_t i = 0; good && i < json_array_size(parts); i++)
            good = add_where(b, list, where, scope, json_array_get(parts, i));
        query_leave(&b->in);
        return good;
    }
    if (bind_is_sublink(node)) {
        if (where->nodes == QUERY_LIST_MAX) {
            query_refuse(&b->in, query_place(node), "use fewer", "there are too many subqueries");
            return false;
        }
        where->node[where->nodes++] = node;
        return true;
    }
    query_expression *e = bind_condition(b, scope, node, "WHERE");
    if (!e) return false;
    for (size_t i = 0; i < bind_conjuncts(e); i++) {
        query_expression *one = bind_conjunct(e, i);
        bool outer = bind_mentions(one, BIND_OUTER, BIND_CALL);
        if (!outer && !add_condition(b, list, one)) return false;
        if (outer && !(where->correlated = bind_and(b, where->correlated, one))) return false;
    }
    return true;
}

bind_source *bind_from(binder *b, const json_t *select, const bind_with *with, const bind_scope *outer,
                       query_expression **correlated)
{
    const json_t *tables = json_object_get(select, "fromClause"),
                 *condition = json_object_get(select, "whereClause");
    bind_from_list *list = query_take(&b->in, 1, sizeof *list);
    where_list *where = query_take(&b->in, 1, sizeof *where);
    bind_scope scope;
    size_t *map;
    if (!list || !where) return NULL;
    if (json_array_size(tables) == 0)
        return query_refuse(&b->in, query_place(select), "write FROM table", "there is no FROM");
    for (size_t i = 0; i < json_array_size(tables); i++)
        if (!collect(b, list, json_array_get(tables, i), with)) return NULL;
    if (!scope_of(b, &scope, list, 0, list->items)) return NULL;
    scope.outer = outer;
    if (condition && !add_where(b, list, where, &scope, condition)) return NULL;
    bind_source *source = bind_join_all(b, list, &map);
    for (size_t i = 0; source && i < where->nodes; i++)
        source = bind_sublink(b, source, where->node[i], with);
    if (!source) return NULL;
    if (where->correlated && !(where->correlated = bind_remap(b, where->correlated, map, list->columns)))
        return NULL;
    if (correlated) *correlated = where->correlated;
    return source;
}
