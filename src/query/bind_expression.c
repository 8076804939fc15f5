/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: a walk over the parser's nodes that are known here; every other node is refused. */
#include "query/bind.h"

#include <string.h>

#include "query/aggregate.h"
#include "query/functions.h"

static int location(const json_t *body) { return (int)json_integer_value(json_object_get(body, "location")); }

/* --- names -------------------------------------------------------------------------------- */

const query_column *bind_column_of(const bind_scope *scope, size_t index)
{
    if (index < scope->columns) return &scope->column[index];
    if (index >= BIND_OUTER && index < BIND_CALL && scope->outer)
        return bind_column_of(scope->outer, index - BIND_OUTER);
    return NULL;
}

/* How many columns go by this name, and the first of them. */
static size_t named(const bind_scope *scope, const char *table, const char *name, size_t *column)
{
    size_t found = 0;
    for (size_t i = 0; i < scope->names; i++) {
        const bind_name *n = &scope->name[i];
        if (!query_same_name(n->name, name) || (table && !query_same_name(n->table, table))) continue;
        if (!table && n->qualified_only) continue;
        if (found++ == 0) *column = n->column;
    }
    return found;
}

query_expression *bind_column(binder *b, const bind_scope *scope, const json_t *body)
{
    const json_t *fields = json_object_get(body, "fields");
    size_t n = json_array_size(fields), column = 0, base = 0;
    int position = location(body);
    const char *name = n ? query_name(json_array_get(fields, n - 1)) : NULL;
    const char *table = n == 2 ? query_name(json_array_get(fields, 0)) : NULL;
    if (n == 0 || n > 2 || !name || (n == 2 && !table))
        return query_refuse(&b->in, position, "name columns as column or table.column",
                            name ? "this name has too many parts" : "* does not stand for a value");
    size_t found = named(scope, table, name, &column);
    if (found == 0 && scope->outer) {
        found = named(scope->outer, table, name, &column);
        base = BIND_OUTER;
    }
    if (found > 1)
        return query_refuse(&b->in, position, "write table.column", "there is more than one column \"%s\"",
                            name);
    if (found == 0 && table)
        return query_refuse(&b->in, position, "dusk schema FILE shows tables and columns",
                            "there is no column \"%s.%s\" here", table, name);
    if (found == 0)
        return query_refuse(&b->in, position, "dusk schema FILE shows tables and columns",
                            "there is no column \"%s\" here", name);
    const query_column *known = bind_column_of(scope, base + column);
    return bind_make_column(b, base + column, known->type, position);
}

/* --- lists of arguments --------------------------------------------------------------------- */

static query_expression **bind_list_nodes(binder *b, const bind_scope *scope, const json_t *list, size_t *n)
{
    *n = json_array_size(list);
    if (*n > QUERY_LIST_MAX)
        return query_refuse(&b->in, query_place(list), "use fewer", "this list has more than %u parts",
                            QUERY_LIST_MAX);
    query_expression **e = query_take(&b->in, *n, sizeof(query_expression *));
    for (size_t i = 0; e && i < *n; i++)
        if (!(e[i] = bind_expression(b, scope, json_array_get(list, i)))) return NULL;
    return e;
}

query_expression *bind_condition(binder *b, const bind_scope *scope, const json_t *node, const char *where)
{
    query_expression *e = bind_expression(b, scope, node);
    if (!e) return NULL;
    if (e->kind == QUERY_CONSTANT && e->value.null) return bind_make_null(b, DUSK_TYPE_BOOLEAN, e->position);
    if (e->type == DUSK_TYPE_BOOLEAN) return e;
    return query_refuse(&b->in, e->position, "write a comparison such as x > 0",
                        "%s needs a condition, not a %s", where, bind_type_name(e->type));
}

static bool has_conjunct(query_expression *e, const query_expression *wanted)
{
    for (size_t i = 0; i < bind_conjuncts(e); i++)
        if (bind_same(bind_conjunct(e, i), wanted)) return true;
    return false;
}

/* (a AND x) OR (a AND y) is a AND (x OR y), also with NULL: an engine can then join by a. */
static query_expression *bind_or(binder *b, query_expression **e, size_t n, int position)
{
    query_expression *shared = NULL, **rest = query_take(&b->in, n, sizeof *rest);
    if (!rest) return NULL;
    for (size_t i = 0; i < bind_conjuncts(e[0]); i++) {
        query_expression *one = bind_conjunct(e[0], i);
        bool all = true;
        for (size_t k = 1; k < n && all; k++) all = has_conjunct(e[k], one);
        if (all && !(shared = bind_and(b, shared, one))) return NULL;
    }
    if (!shared) return bind_make_call(b, QUERY_OR, DUSK_TYPE_BOOLEAN, position, n, e);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < bind_conjuncts(e[k]); i++) {
            query_expression *one = bind_conjunct(e[k], i);
            if (!has_conjunct(shared, one) && !(rest[k] = bind_and(b, rest[k], one))) return NULL;
        }
        if (!rest[k]) return shared; /* a OR (a AND x) */
    }
    return bind_and(b, shared, bind_make_call(b, QUERY_OR, DUSK_TYPE_BOOLEAN, position, n, rest));
}

static query_expression *bind_boolean(binder *b, const bind_scope *scope, const json_t *body)
{
    const char *op = query_string(body, "boolop");
    const json_t *list = json_object_get(body, "args");
    query_expression **e;
    size_t n = json_array_size(list);
    if (!query_only(&b->in, body, "boolop args location", "a condition")) return NULL;
    if (n > QUERY_LIST_MAX)
        return query_refuse(&b->in, location(body), "use IN (...)", "more than %u conditions are joined here",
                            QUERY_LIST_MAX);
    if (!(e = query_take(&b->in, n, sizeof *e))) return NULL;
    for (size_t i = 0; i < n; i++)
        if (!(e[i] = bind_condition(b, scope, json_array_get(list, i),
                                    strcmp(op, "NOT_EXPR") ? "AND or OR" : "NOT")))
            return NULL;
    if (strcmp(op, "NOT_EXPR") == 0 && n == 1)
        return bind_make_call(b, QUERY_NOT, DUSK_TYPE_BOOLEAN, location(body), 1, e);
    if (n < 2) return query_refuse(&b->in, location(body), "", "this condition is not supported");
    if (strcmp(op, "OR_EXPR") == 0) return bind_or(b, e, n, location(body));
    query_expression *all = e[0]; /* flat, however it was written */
    for (size_t i = 1; all && i < n; i++) all = bind_and(b, all, e[i]);
    return all;
}

static query_expression *bind_null_test(binder *b, const bind_scope *scope, const json_t *body)
{
    if (!query_only(&b->in, body, "arg nulltesttype location", "IS NULL")) return NULL;
    query_expression *e = bind_expression(b, scope, json_object_get(body, "arg"));
    e = bind_make_1(b, QUERY_IS_NULL, DUSK_TYPE_BOOLEAN, e);
    if (e && strcmp(query_string(body, "nulltesttype"), "IS_NOT_NULL") == 0)
        e = bind_make_1(b, QUERY_NOT, DUSK_TYPE_BOOLEAN, e);
    return e;
}

/* IS TRUE and its kin: never NULL. */
static query_expression *bind_boolean_test(binder *b, const bind_scope *scope, const json_t *body)
{
    const char *test = query_string(body, "booltesttype");
    bool no = strstr(test, "NOT") != NULL;
    if (!query_only(&b->in, body, "arg booltesttype location", "IS TRUE")) return NULL;
    query_expression *e = bind_condition(b, scope, json_object_get(body, "arg"), "IS TRUE"), *made = NULL;
    if (!e) return NULL;
    if (strstr(test, "UNKNOWN"))
        made = bind_make_1(b, QUERY_IS_NULL, DUSK_TYPE_BOOLEAN, e);
    else if (strstr(test, "FALSE"))
        made = bind_make_2(b, QUERY_COALESCE, DUSK_TYPE_BOOLEAN,
                           bind_make_1(b, QUERY_NOT, DUSK_TYPE_BOOLEAN, e), bind_make_boolean(b, false, -1));
    else
        made = bind_make_2(b, QUERY_COALESCE, DUSK_TYPE_BOOLEAN, e, bind_make_boolean(b, false, -1));
    return no ? bind_make_1(b, QUERY_NOT, DUSK_TYPE_BOOLEAN, made) : made;
}

/* Both forms: CASE x WHEN 1 THEN ... compares. */
static query_expression *bind_case(binder *b, const bind_scope *scope, const json_t *body)
{
    const json_t *whens = json_object_get(body, "args"), *subject = json_object_get(body, "arg"), *when;
    const json_t *otherwise = json_object_get(body, "defresult");
    size_t n = json_array_size(whens);
    if (!query_only(&b->in, body, "arg args defresult location", "CASE")) return NULL;
    if (n > QUERY_LIST_MAX / 2)
        return query_refuse(&b->in, location(body), "use fewer", "this CASE is too long");
    query_expression **all = query_take(&b->in, 2 * n + 1, sizeof *all);
    query_expression **value = query_take(&b->in, n + 1, sizeof *value), *x = NULL;
    if (!all || !value || (subject && !(x = bind_expression(b, scope, subject)))) return NULL;
    for (size_t i = 0; i < n; i++) {
        if (!query_node_is(json_array_get(whens, i), "CaseWhen", &when) ||
            !query_only(&b->in, when, "expr result location", "WHEN"))
            return query_refuse(&b->in, location(body), "", "this form of CASE is not supported");
        if (subject) {
            query_expression *both[2] = { x, bind_expression(b, scope, json_object_get(when, "expr")) };
            if (!bind_unify(b, both, 2, "CASE", location(when))) return NULL;
            all[2 * i] = bind_make_2(b, QUERY_EQUAL, DUSK_TYPE_BOOLEAN, both[0], both[1]);
        } else {
            all[2 * i] = bind_condition(b, scope, json_object_get(when, "expr"), "WHEN");
        }
        if (!all[2 * i]) return NULL;
        if (!(value[i] = bind_expression(b, scope, json_object_get(when, "result")))) return NULL;
    }
    value[n] = otherwise ? bind_expression(b, scope, otherwise) : bind_make_null(b, DUSK_TYPE_TEXT, -1);
    if (!bind_unify(b, value, n + 1, "CASE", location(body))) return NULL;
    for (size_t i = 0; i < n; i++) all[2 * i + 1] = value[i];
    all[2 * n] = value[n];
    return bind_make_call(b, QUERY_CASE, value[n]->type, location(body), 2 * n + 1, all);
}

static query_expression *bind_choice(binder *b, const bind_scope *scope, const json_t *body,
                                     query_function function, const char *what)
{
    size_t n;
    if (!query_only(&b->in, body, "args op location", what)) return NULL;
    query_expression **e = bind_list_nodes(b, scope, json_object_get(body, "args"), &n);
    if (!e || !bind_unify(b, e, n, what, location(body))) return NULL;
    if (function != QUERY_COALESCE && !bind_is_number(e[0]->type) && !bind_is_moment(e[0]->type))
        return query_refuse(&b->in, location(body), "use CASE", "%s is for numbers and dates", what);
    if (n == 1) return e[0];
    return bind_make_call(b, function, e[0]->type, location(body), n, e);
}

/* --- functions ------------------------------------------------------------------------------ */

static bool is_unit(const query_expression *e, bool extract)
{
    static const char *const units[] = {
        "year", "quarter", "month", "week", "day", "hour", "minute", "second"
    };
    if (e->kind != QUERY_CONSTANT || e->type != DUSK_TYPE_TEXT || e->value.null) return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (query_same_name(units[i], e->value.text)) return true;
    return extract && query_same_name("dow", e->value.text);
}

static bool is_whole_constant(const query_expression *e)
{
    return e->kind == QUERY_CONSTANT && e->type == DUSK_TYPE_INTEGER && !e->value.null;
}

/* Makes argument i what its letter says, or refuses. */
static bool fit(binder *b, const query_signature *f, char letter, query_expression **e, bool first)
{
    const char *want = NULL;
    query_expression *x = *e;
    if (x->kind == QUERY_CONSTANT && x->value.null && strchr("nitd", letter)) {
        *e = bind_make_null(b,
                            letter == 't'   ? DUSK_TYPE_TEXT
                            : letter == 'd' ? DUSK_TYPE_DATE
                                            : DUSK_TYPE_INTEGER,
                            -1);
        return *e != NULL;
    }
    switch (letter) {
    case 'n': want = bind_is_number(x->type) ? NULL : "a number"; break;
    case 'i': want = x->type == DUSK_TYPE_INTEGER ? NULL : "a whole number"; break;
    case 't': want = x->type == DUSK_TYPE_TEXT ? NULL : "text"; break;
    case 'd':
        if (x->kind == QUERY_CONSTANT && x->type == DUSK_TYPE_TEXT)
            *e = x = bind_as(b, x, DUSK_TYPE_TIMESTAMP);
        if (!x) return false;
        want = bind_is_moment(x->type) ? NULL : "a date or a timestamp";
        break;
    case 'I': want = is_whole_constant(x) ? NULL : "a constant whole number"; break;
    default:
        want = is_unit(x, f->function == QUERY_EXTRACT) ? NULL : "a unit such as year, month or day";
        break;
    }
    if (!want && letter == 'I' && f->function == QUERY_ROUND &&
        (x->value.integer < -15 || x->value.integer > 15))
        want = "digits from -15 to 15";
    if (!want && letter == 'I' && f->function == QUERY_SUBSTRING &&
        (x->value.integer < (first ? 1 : 0) || x->value.integer > 1000000))
        want = first ? "a place from 1 on" : "a length from 0 on";
    if (want)
        query_refuse(&b->in, x->position, "convert it with CAST, or write it so", "%s needs %s here", f->name,
                     want);
    return want == NULL;
}

static dusk_type result_type(const query_signature *f, query_expression *const *e)
{
    switch (f->result) {
    case 'i': return DUSK_TYPE_INTEGER;
    case 'r': return DUSK_TYPE_REAL;
    case 't': return DUSK_TYPE_TEXT;
    case 'd': return e[1]->type;
    default: return e[0]->type;
    }
}

/* Units of time in lower case, whatever was typed: one form of one question. */
static query_expression *plain_unit(binder *b, const query_expression *unit)
{
    char word[16] = { 0 };
    for (size_t i = 0; i < unit->value.length && i + 1 < sizeof word; i++) {
        char c = unit->value.text[i];
        word[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return bind_make_text(b, word, unit->position);
}

static query_expression *call_scalar(binder *b, const bind_scope *scope, const json_t *body,
                                     const query_signature *f)
{
    size_t n, given = 0;
    query_expression **e = bind_list_nodes(b, scope, json_object_get(body, "args"), &n);
    bool optional = false, first = true;
    if (!e) return NULL;
    for (const char *at = f->arguments; *at; at++) {
        if (*at == '?') {
            optional = true;
            continue;
        }
        if (given >= n && optional) break;
        if (given >= n)
            return query_refuse(&b->in, location(body), "see docs/sql.md", "%s has too few arguments",
                                f->name);
        if (!fit(b, f, *at, &e[given], first)) return NULL;
        first = first && *at != 'I';
        given++;
    }
    if (given < n)
        return query_refuse(&b->in, location(body), "see docs/sql.md", "%s has too many arguments", f->name);
    if (strchr(f->arguments, 'u') && !(e[0] = plain_unit(b, e[0]))) return NULL;
    if (f->function == QUERY_POWER && !bind_unify(b, e, 2, "power", location(body))) return NULL;
    return bind_make_call(b, f->function, result_type(f, e), location(body), n, e);
}

query_expression *bind_function(binder *b, const bind_scope *scope, const json_t *body)
{
    const json_t *names = json_object_get(body, "funcname");
    size_t n = json_array_size(names);
    const char *name = n ? query_name(json_array_get(names, n - 1)) : NULL;
    const char *schema = n == 2 ? query_name(json_array_get(names, 0)) : NULL;
    if (json_object_get(body, "over"))
        return query_refuse(&b->in, location(body), "group by the unit in a subquery instead",
                            "window functions look at rows of other units");
    if (!name || n > 2 || (n == 2 && (!schema || strcmp(schema, "pg_catalog") != 0)))
        return query_refuse(&b->in, location(body), "see docs/sql.md for the functions",
                            "this function is not supported");
    const query_aggregate *aggregate = query_aggregate_named(name);
    if (aggregate) return bind_aggregate(b, scope, body, aggregate);
    const query_signature *f = query_function_named(name);
    if (!f)
        return query_refuse(&b->in, location(body), "see docs/sql.md for the functions",
                            "the function \"%s\" is not supported", name);
    if (!query_only(&b->in, body, "funcname args funcformat location", "a function call")) return NULL;
    return call_scalar(b, scope, body, f);
}

/* --- all nodes -------------------------------------------------------------------------------- */

static query_expression *by_kind(binder *b, const bind_scope *scope, const char *kind, const json_t *body)
{
    if (strcmp(kind, "ColumnRef") == 0) return bind_column(b, scope, body);
    if (strcmp(kind, "A_Const") == 0) return bind_constant(b, body);
    if (strcmp(kind, "A_Expr") == 0) return bind_operator(b, scope, body);
    if (strcmp(kind, "FuncCall") == 0) return bind_function(b, scope, body);
    if (strcmp(kind, "BoolExpr") == 0) return bind_boolean(b, scope, body);
    if (strcmp(kind, "NullTest") == 0) return bind_null_test(b, scope, body);
    if (strcmp(kind, "BooleanTest") == 0) return bind_boolean_test(b, scope, body);
    if (strcmp(kind, "CaseExpr") == 0) return bind_case(b, scope, body);
    if (strcmp(kind, "TypeCast") == 0) return bind_cast(b, scope, body);
    if (strcmp(kind, "CoalesceExpr") == 0) return bind_choice(b, scope, body, QUERY_COALESCE, "COALESCE");
    if (strcmp(kind, "MinMaxExpr") == 0) {
        bool least = strcmp(query_string(body, "op"), "IS_LEAST") == 0;
        return bind_choice(b, scope, body, least ? QUERY_LEAST : QUERY_GREATEST,
                           least ? "LEAST" : "GREATEST");
    }
    if (strcmp(kind, "SubLink") == 0)
        return query_refuse(&b->in, location(body),
                            "EXISTS and IN (SELECT ...) may be joined by AND in WHERE; ask for a scalar as a "
                            "query of its own",
                            "a subquery does not stand for a value here");
    return query_refuse(&b->in, location(body), "see docs/sql.md for what may be written",
                        "this kind of expression is not supported");
}

query_expression *bind_expression(binder *b, const bind_scope *scope, const json_t *node)
{
    const json_t *body;
    const char *kind = query_node(node, &body);
    if (!body) return query_refuse(&b->in, query_place(node), "", "this kind of expression is not supported");
    if (!query_enter(&b->in, node)) return NULL;
    query_expression *e = by_kind(b, scope, kind, body);
    query_leave(&b->in);
    return e;
}
