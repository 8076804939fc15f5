/* SPDX-License-Identifier: Apache-2.0 */
/* Making, copying and comparing expressions. They are never changed after they were made, so parts may
 * be shared. */
#include <string.h>

#include "query/bind.h"

query_expression *bind_make_column(binder *b, size_t index, dusk_type type, int position)
{
    query_expression *e = query_take(&b->in, 1, sizeof *e);
    if (e)
        *e = (query_expression){ .kind = QUERY_COLUMN, .type = type, .index = index, .position = position };
    return e;
}

query_expression *bind_make_call(binder *b, query_function function, dusk_type type, int position,
                                 size_t arguments, query_expression *const *argument)
{
    query_expression *e = query_take(&b->in, 1, sizeof *e);
    query_expression **copy = query_take(&b->in, arguments, sizeof *copy);
    if (!e || !copy) return NULL;
    for (size_t i = 0; i < arguments; i++)
        if (!(copy[i] = argument[i])) return NULL;
    *e = (query_expression){ .kind = QUERY_CALL,
                             .type = type,
                             .function = function,
                             .position = position,
                             .argument = copy,
                             .arguments = arguments };
    return e;
}

query_expression *bind_make_1(binder *b, query_function function, dusk_type type, query_expression *x)
{
    if (!x) return NULL;
    return bind_make_call(b, function, type, x->position, 1, &x);
}

query_expression *bind_make_2(binder *b, query_function function, dusk_type type, query_expression *x,
                              query_expression *y)
{
    query_expression *both[2] = { x, y };
    if (!x || !y) return NULL;
    return bind_make_call(b, function, type, x->position, 2, both);
}

query_expression *bind_and(binder *b, query_expression *x, query_expression *y)
{
    if (!x || !y) return y;
    size_t left = bind_conjuncts(x), right = bind_conjuncts(y);
    query_expression **all = query_take(&b->in, left + right, sizeof *all);
    if (!all) return NULL;
    for (size_t i = 0; i < left; i++) all[i] = bind_conjunct(x, i);
    for (size_t i = 0; i < right; i++) all[left + i] = bind_conjunct(y, i);
    return bind_make_call(b, QUERY_AND, DUSK_TYPE_BOOLEAN, x->position, left + right, all);
}

static bool is_and(const query_expression *e) { return e->kind == QUERY_CALL && e->function == QUERY_AND; }

size_t bind_conjuncts(const query_expression *e) { return !e ? 0 : is_and(e) ? e->arguments : 1; }

query_expression *bind_conjunct(query_expression *e, size_t i) { return is_and(e) ? e->argument[i] : e; }

static bool same_value(const query_expression *a, const query_expression *b)
{
    const query_value *x = &a->value, *y = &b->value;
    if (x->null || y->null) return x->null && y->null;
    switch (a->type) {
    case DUSK_TYPE_INTEGER:
    case DUSK_TYPE_BOOLEAN: return x->integer == y->integer;
    case DUSK_TYPE_REAL: return memcmp(&x->real, &y->real, sizeof x->real) == 0;
    default: return x->length == y->length && memcmp(x->text, y->text, x->length) == 0;
    }
}

bool bind_same(const query_expression *a, const query_expression *b)
{
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind || a->type != b->type) return false;
    if (a->kind == QUERY_COLUMN) return a->index == b->index;
    if (a->kind == QUERY_CONSTANT) return same_value(a, b);
    if (a->function != b->function || a->arguments != b->arguments) return false;
    for (size_t i = 0; i < a->arguments; i++)
        if (!bind_same(a->argument[i], b->argument[i])) return false;
    return true;
}

static query_expression *copy_call(binder *b, const query_expression *e)
{
    query_expression *copy = query_take(&b->in, 1, sizeof *copy);
    if (!copy) return NULL;
    *copy = *e;
    copy->argument = query_take(&b->in, e->arguments, sizeof *copy->argument);
    return copy->argument ? copy : NULL;
}

query_expression *bind_remap(binder *b, const query_expression *e, const size_t *map, size_t n)
{
    if (e->kind == QUERY_COLUMN)
        return bind_make_column(b, e->index < n ? map[e->index] : e->index, e->type, e->position);
    query_expression *copy = copy_call(b, e);
    for (size_t i = 0; copy && i < e->arguments; i++)
        if (!(copy->argument[i] = bind_remap(b, e->argument[i], map, n))) return NULL;
    return copy;
}

query_expression *bind_substitute(binder *b, const query_expression *e, query_expression *const *with,
                                  size_t n)
{
    if (e->kind == QUERY_COLUMN && e->index < n) return with[e->index];
    query_expression *copy = copy_call(b, e);
    for (size_t i = 0; copy && i < e->arguments; i++)
        if (!(copy->argument[i] = bind_substitute(b, e->argument[i], with, n))) return NULL;
    return copy;
}

bool bind_mentions(const query_expression *e, size_t low, size_t high)
{
    if (e->kind == QUERY_COLUMN) return e->index >= low && e->index < high;
    for (size_t i = 0; i < e->arguments; i++)
        if (bind_mentions(e->argument[i], low, high)) return true;
    return false;
}
