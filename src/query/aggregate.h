/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_AGGREGATE_H
#define DUSK_QUERY_AGGREGATE_H

/* GROUP BY and what stands over it, the same below the release and at it. Expressions are bound over
 * the rows; aggregates in them are collected and stand as columns from BIND_CALL on. Then
 * bind_over_groups turns parts that equal a key into that key: what is left of the rows is refused. */

#include "query/bind.h"
#include "query/functions.h"

#define BIND_CALLS_MAX 64u
#define BIND_KEYS_MAX 64u

typedef struct bind_call {
    const query_aggregate *aggregate;
    bool distinct;
    query_expression *argument; /* NULL: rows */
    double fraction;            /* of a quantile */
    int position;
} bind_call;

struct bind_calls {
    bool release; /* its aggregates, or those below it */
    bind_call call[BIND_CALLS_MAX];
    size_t calls;
    query_expression *key[BIND_KEYS_MAX];
    size_t keys;
};

/* A SELECT over groups: its list, bound over the rows of a source. */
typedef struct bind_list {
    query_expression **expression;
    const char **name;
    size_t n;
} bind_list;

/* An aggregate call, as a column. The scope collects. */
query_expression *bind_aggregate(binder *b, const bind_scope *scope, const json_t *body,
                                 const query_aggregate *aggregate);
/* Is there an aggregate in the node (not counting those of subqueries)? */
bool bind_has_aggregate(const json_t *node);
/* The SELECT list; stars are columns unless `stars` is false. */
bool bind_list_of(binder *b, bind_list *out, const bind_scope *scope, const json_t *select, bool stars);
/* The keys of GROUP BY: columns, then names and numbers of the list, then expressions. */
bool bind_keys_of(binder *b, bind_calls *calls, const bind_scope *scope, const bind_list *list,
                  const json_t *select);
/* An expression over rows as one over keys, then calls. */
query_expression *bind_over_groups(binder *b, const bind_calls *calls, const query_expression *e);

#endif
