/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_QUERY_NODES_H
#define TESTS_QUERY_NODES_H

/* Plans made by hand: expressions and relations out of memory that is freed as a whole. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/plan.h"
#include "support.h"

typedef struct maker {
    void **taken;
    size_t used, room;
} maker;

static inline void *take(maker *m, size_t count, size_t size)
{
    if (m->used == m->room) {
        m->room = m->room ? 2 * m->room : 64;
        m->taken = realloc(m->taken, m->room * sizeof *m->taken);
    }
    void *memory = calloc(count ? count : 1, size);
    assert_non_null(memory);
    return m->taken[m->used++] = memory;
}

static inline void maker_free(maker *m)
{
    for (size_t i = 0; i < m->used; i++) free(m->taken[i]);
    free(m->taken);
    *m = (maker){ 0 };
}

/* --- expressions --- */

static inline query_expression *node(maker *m, query_kind kind, dusk_type type)
{
    query_expression *e = take(m, 1, sizeof *e);
    *e = (query_expression){ .kind = kind, .type = type, .position = -1 };
    return e;
}
static inline query_expression *column(maker *m, dusk_type type, size_t index)
{
    query_expression *e = node(m, QUERY_COLUMN, type);
    e->index = index;
    return e;
}
static inline query_expression *whole(maker *m, int64_t x)
{
    query_expression *e = node(m, QUERY_CONSTANT, DUSK_TYPE_INTEGER);
    e->value.integer = x;
    e->value.real = (double)x;
    return e;
}
static inline query_expression *real(maker *m, double x)
{
    query_expression *e = node(m, QUERY_CONSTANT, DUSK_TYPE_REAL);
    e->value.real = x;
    return e;
}
static inline query_expression *truth(maker *m, bool x)
{
    query_expression *e = node(m, QUERY_CONSTANT, DUSK_TYPE_BOOLEAN);
    e->value.integer = x;
    return e;
}
/* Text, a date or a timestamp. */
static inline query_expression *words(maker *m, dusk_type type, const char *text)
{
    query_expression *e = node(m, QUERY_CONSTANT, type);
    char *copy = take(m, strlen(text) + 1, 1);
    e->value.length = strlen(text);
    memcpy(copy, text, strlen(text));
    e->value.text = copy;
    return e;
}
static inline query_expression *nothing(maker *m, dusk_type type)
{
    query_expression *e = node(m, QUERY_CONSTANT, type);
    e->value.null = true;
    return e;
}
static inline query_expression *call(maker *m, query_function function, dusk_type type, size_t n, ...)
{
    va_list list;
    query_expression *e = node(m, QUERY_CALL, type);
    e->function = function;
    e->arguments = n;
    e->argument = take(m, n, sizeof(void *));
    va_start(list, n);
    for (size_t i = 0; i < n; i++) e->argument[i] = va_arg(list, query_expression *);
    va_end(list);
    return e;
}

/* --- relations --- */

static inline query_relation *relation(maker *m, query_relation_kind kind, size_t columns, size_t unit)
{
    query_relation *r = take(m, 1, sizeof *r);
    r->kind = kind;
    r->columns = columns;
    r->unit = unit;
    r->column = take(m, columns, sizeof *r->column);
    return r;
}
/* Columns 0 .. n - 1 of a table, then the unit where it is private. */
static inline query_relation *scan(maker *m, const dusk_schema *schema, size_t table)
{
    const dusk_table_schema *t = &schema->table[table];
    size_t n = t->columns + !t->is_public;
    query_relation *r = relation(m, QUERY_SCAN, n, t->is_public ? QUERY_NONE : t->columns);
    r->table = table;
    r->from = take(m, n, sizeof *r->from);
    for (size_t i = 0; i < t->columns; i++) {
        r->from[i] = i;
        r->column[i].type = t->column[i].type;
        memcpy(r->column[i].name, t->column[i].name, sizeof r->column[i].name);
    }
    if (!t->is_public) {
        r->from[n - 1] = QUERY_NONE;
        assert_int_equal(dusk_schema_path(schema, &r->path, table, NULL), DUSK_OK);
        r->column[n - 1].type = schema->table[schema->unit_table].column[schema->unit_column].type;
    }
    return r;
}
static inline query_relation *over(maker *m, query_relation_kind kind, query_relation *input)
{
    query_relation *r = relation(m, kind, input->columns, input->unit);
    memcpy(r->column, input->column, input->columns * sizeof *r->column);
    r->input = input;
    return r;
}
static inline query_relation *filter(maker *m, query_relation *input, query_expression *condition)
{
    query_relation *r = over(m, QUERY_FILTER, input);
    r->condition = condition;
    return r;
}
/* `unit`: which of the expressions is the unit. */
static inline query_relation *project(maker *m, query_relation *input, size_t unit, size_t n, ...)
{
    va_list list;
    query_relation *r = relation(m, QUERY_PROJECT, n, unit);
    r->input = input;
    r->expression = take(m, n, sizeof(void *));
    va_start(list, n);
    for (size_t i = 0; i < n; i++) {
        r->expression[i] = va_arg(list, query_expression *);
        r->column[i].type = r->expression[i]->type;
        snprintf(r->column[i].name, sizeof r->column[i].name, "x%zu", i);
    }
    va_end(list);
    return r;
}
static inline query_relation *join(maker *m, query_join kind, query_relation *left, query_relation *right,
                                   query_expression *condition)
{
    bool both = kind == QUERY_INNER || kind == QUERY_LEFT;
    size_t n = left->columns + (both ? right->columns : 0);
    size_t unit = left->unit != QUERY_NONE    ? left->unit
                  : right->unit != QUERY_NONE ? left->columns + right->unit
                                              : QUERY_NONE;
    query_relation *r = relation(m, QUERY_JOIN, n, unit);
    memcpy(r->column, left->column, left->columns * sizeof *r->column);
    if (both) memcpy(r->column + left->columns, right->column, right->columns * sizeof *r->column);
    r->input = left;
    r->other = right;
    r->join = kind;
    r->condition = condition;
    return r;
}
/* Keys, then arguments; inner[i] of the latter. */
static inline query_relation *group(maker *m, query_relation *input, size_t unit, size_t keys, size_t n,
                                    const query_inner *inner, ...)
{
    va_list list;
    query_relation *r = relation(m, QUERY_GROUP, n, unit);
    r->input = input;
    r->keys = keys;
    r->expression = take(m, n, sizeof(void *));
    r->inner = take(m, n - keys, sizeof *r->inner);
    if (n > keys) memcpy(r->inner, inner, (n - keys) * sizeof *inner);
    va_start(list, inner);
    for (size_t i = 0; i < n; i++) {
        query_expression *e = r->expression[i] = va_arg(list, query_expression *);
        r->column[i].type = e ? e->type : DUSK_TYPE_INTEGER;
        if (i >= keys && inner[i - keys] == QUERY_INNER_AVG) r->column[i].type = DUSK_TYPE_REAL;
        if (i >= keys && inner[i - keys] <= QUERY_INNER_COUNT_DISTINCT) r->column[i].type = DUSK_TYPE_INTEGER;
        snprintf(r->column[i].name, sizeof r->column[i].name, "g%zu", i);
    }
    va_end(list);
    return r;
}

#endif
