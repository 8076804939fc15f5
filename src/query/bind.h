/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_BIND_H
#define DUSK_QUERY_BIND_H

/* From the tree of the parser to expressions and relations: names become columns, every expression
 * has a type, and of every column it is known how it stands to the unit.
 *
 * A tag is a function from values to units, fixed by declarations: tag 0 is the identity (the
 * column holds the unit), the others stand for unique columns of private tables that links point to
 * (the unit of the row with that key). A column has a tag when, in every row, the function
 * of its value is the row's unit: `strong`; or when that holds wherever it is not NULL: `weak`. Two columns
 * that are equal and share a tag belong to the same unit; that is how joins are judged. */

#include "query/parse.h"
#include "query/plan.h"

#define BIND_TAGS_MAX 64u
#define BIND_OUTER ((size_t)1 << 40) /* column index: of the query around this subquery  */
#define BIND_CALL ((size_t)1 << 41)  /* column index: of an aggregate that was collected */

typedef struct bind_info {
    uint64_t strong, weak;  /* tags; strong ones are among the weak */
    bool unique;            /* no two rows have the same value, by declaration or by grouping */
    query_relation *origin; /* public: the column's values are those of `from_origin` over its rows */
    query_expression *from_origin;
    size_t table, column; /* of the schema, whose declared facts it has; QUERY_NONE: of none */
} bind_info;

/* What a column may be called. */
typedef struct bind_name {
    const char *table; /* "" : none */
    const char *name;
    size_t column;
    bool qualified_only; /* the second of two columns that USING made one */
} bind_name;

typedef struct bind_source {
    query_relation *relation;
    bind_info *info; /* one a column */
    bind_name *name;
    size_t names;
} bind_source;

typedef struct bind_calls bind_calls; /* aggregates that are collected: aggregate.h */

typedef struct bind_scope {
    const bind_name *name;
    size_t names;
    const query_column *column;
    const bind_info *info;
    size_t columns;
    const struct bind_scope *outer; /* of the query around, or NULL */
    bind_calls *calls;              /* NULL: aggregates may not stand here */
} bind_scope;

/* A named subquery of WITH. */
typedef struct bind_with {
    const char *name;
    const json_t *query;
    const json_t *columns;          /* new names, or NULL */
    const struct bind_with *before; /* what it may use itself */
} bind_with;

typedef struct bind_tag {
    size_t table, column;
} bind_tag;

/* One reading with everything it has collected. The reader comes first. */
typedef struct binder {
    query_reader in;
    bind_tag tag[BIND_TAGS_MAX]; /* from 1 */
    size_t tags;
    size_t private_scans, private_table; /* so many, and the last of them */
} binder;

/* --- expressions (bind_expression.c, bind_operator.c) ---------------------------------------- */

query_expression *bind_expression(binder *b, const bind_scope *scope, const json_t *node);
/* The same, and it must be boolean. */
query_expression *bind_condition(binder *b, const bind_scope *scope, const json_t *node, const char *where);
query_expression *bind_operator(binder *b, const bind_scope *scope, const json_t *body);
query_expression *bind_function(binder *b, const bind_scope *scope, const json_t *body);
/* A column by its name; NULL when there is none, or two. */
query_expression *bind_column(binder *b, const bind_scope *scope, const json_t *body);
/* The column of a scope that an index names; NULL for collected aggregates. */
const query_column *bind_column_of(const bind_scope *scope, size_t index);

/* --- making and comparing them (bind_make.c) ---------------------------------------------------- */

query_expression *bind_make_column(binder *b, size_t index, dusk_type type, int position);
query_expression *bind_make_call(binder *b, query_function function, dusk_type type, int position,
                                 size_t arguments, query_expression *const *argument);
query_expression *bind_make_1(binder *b, query_function function, dusk_type type, query_expression *x);
query_expression *bind_make_2(binder *b, query_function function, dusk_type type, query_expression *x,
                              query_expression *y);
query_expression *bind_and(binder *b, query_expression *x, query_expression *y); /* x may be NULL */
bool bind_same(const query_expression *a, const query_expression *b);
/* A copy with every column index i replaced by map[i], i < n; other indices stay. */
query_expression *bind_remap(binder *b, const query_expression *e, const size_t *map, size_t n);
/* A copy with column i replaced by with[i]. */
query_expression *bind_substitute(binder *b, const query_expression *e, query_expression *const *with,
                                  size_t n);
/* Is there a column with low <= index < high in it? */
bool bind_mentions(const query_expression *e, size_t low, size_t high);
/* The conjuncts of a condition, one by one: the i-th, or NULL. */
size_t bind_conjuncts(const query_expression *e);
query_expression *bind_conjunct(query_expression *e, size_t i);

/* --- constants and casts (bind_constant.c) ------------------------------------------------------- */

query_expression *bind_constant(binder *b, const json_t *body);
query_expression *bind_make_integer(binder *b, int64_t value, int position);
query_expression *bind_make_text(binder *b, const char *text, int position);
query_expression *bind_make_boolean(binder *b, bool value, int position);
/* A declared text as a constant of its column's type. */
query_expression *bind_make_value(binder *b, dusk_type type, const char *text);
query_expression *bind_make_null(binder *b, dusk_type type, int position);
query_expression *bind_cast(binder *b, const bind_scope *scope, const json_t *body);
/* e as type, by itself: whole numbers as real, text constants as dates, NULL as anything. */
query_expression *bind_as(binder *b, query_expression *e, dusk_type type);
/* One type for all of these, or a refusal. */
bool bind_unify(binder *b, query_expression **e, size_t n, const char *what, int position);
/* Is the node INTERVAL '...'? Then its months and days. */
bool bind_is_interval(const json_t *node);
bool bind_interval(binder *b, const json_t *node, int64_t *months, int64_t *days);
static inline bool bind_is_number(dusk_type type)
{
    return type == DUSK_TYPE_INTEGER || type == DUSK_TYPE_REAL;
}
static inline bool bind_is_moment(dusk_type type)
{
    return type == DUSK_TYPE_DATE || type == DUSK_TYPE_TIMESTAMP;
}
/* "number", "text", ... for messages. */
const char *bind_type_name(dusk_type type);

/* --- what is known of values (facts.c) ------------------------------------------------------------ */

#define QUERY_DOMAIN_MAX 10000u /* values of a domain that is made from bounds or from several domains */
bool bind_facts(binder *b, query_facts *out, const query_expression *e, const query_column *column,
                size_t columns);
/* Facts of what is one or the other. */
bool bind_either(binder *b, query_facts *f, const query_facts *x);
/* Facts of columns after rows for which the condition is not true have gone. */
bool bind_narrow(binder *b, query_column *column, size_t columns, const query_expression *condition);
/* The domain of a key, from its type or from whole bounds where it is not known otherwise. */
bool bind_domain(binder *b, query_facts *facts, dusk_type type);

/* --- nodes (relation.c, relation_pair.c) ---------------------------------------------------------------------------- */

void bind_tags_init(binder *b);
bind_source *bind_scan(binder *b, size_t table, int position);
/* Keeps the rows for which the condition is true. */
bool bind_filter(binder *b, bind_source *source, query_expression *condition);
/* The columns `expression`, and the unit as a last one without a name where it is not among them. */
bind_source *bind_project(binder *b, const bind_source *source, query_expression **expression,
                          const char *const *name, size_t n);
/* The condition is over the columns of both, left ones first. */
bind_source *bind_join(binder *b, query_join join, const bind_source *left, const bind_source *right,
                       query_expression *condition, int position);
/* Does the condition say that the rows belong to one unit? Yes where one side is public. */
bool bind_units_meet(binder *b, const bind_source *left, const bind_source *right,
                     query_expression *condition, bool *meet);
bind_source *bind_union(binder *b, const bind_source *left, const bind_source *right, int position);
bind_source *bind_distinct(binder *b, const bind_source *source, int position);
/* `keys` expressions, then arguments (NULL: rows) of `inner`; the output's columns have no names. */
bind_source *bind_group(binder *b, const bind_source *source, query_expression **expression, size_t keys,
                        const query_inner *inner, size_t aggregates, int position);
bind_scope bind_scope_of(const bind_source *source);

/* What nodes are made with. */
bind_source *bind_make_source(binder *b, query_relation_kind kind, size_t columns);
static inline bool bind_is_private(const bind_source *s) { return s->relation->unit != QUERY_NONE; }
/* A public relation is where the values of its own columns come from. */
bool bind_own_origins(binder *b, bind_source *s);
/* Names of columns that have one, without a table. */
bool bind_plain_names(binder *b, bind_source *s);
/* The columns x and y of a conjunct x = y. */
bool bind_is_equality(const query_expression *e, size_t *x, size_t *y);
/* In rows for which x = y is true both are not NULL and have each other's tags. */
void bind_spread_tags(bind_info *info, size_t columns, query_expression *condition);

/* --- FROM and SELECT below the release (relation_from.c, relation_select.c) --------------------------- */

/* FROM and WHERE of a SELECT; `outer` is the scope around, whose columns are then in *correlated
 * (a condition over outer columns, then this source's; NULL: none). */
bind_source *bind_from(binder *b, const json_t *select, const bind_with *with, const bind_scope *outer,
                       query_expression **correlated);
bind_source *bind_select(binder *b, const json_t *select, const bind_with *with);
/* The WITH of a SELECT in front of `with`. */
bool bind_with_of(binder *b, const json_t *select, const bind_with **with);
/* Is it EXISTS or IN (SELECT), under NOT or not? */
bool bind_is_sublink(const json_t *node);
/* SEMI and ANTI joins for such a conjunct. */
bind_source *bind_sublink(binder *b, const bind_source *source, const json_t *node, const bind_with *with);

#endif
