/* SPDX-License-Identifier: Apache-2.0 */
/* From a list of tables and conditions to one relation: conditions of one table first, then joins in an
 * order in which units meet and equalities lead, then what is left. */
#include "query/relation_from.h"

/* A part of the list that is joined already. */
typedef struct part {
    bind_source *source;
    bool *has; /* which columns of the list; `map` says where */
    bool gone;
} part;

typedef struct assembly {
    bind_from_list *list;
    part *part;
    size_t *map; /* number in the list -> column of the part it is in */
    bool *used;  /* conjuncts */
} assembly;

enum { SPEAKS_LEFT = 1, SPEAKS_RIGHT = 2, SPEAKS_ELSE = 4 };

static int speaks_of(const query_expression *e, const part *a, const part *c)
{
    if (e->kind == QUERY_COLUMN) {
        if (a->has[e->index]) return SPEAKS_LEFT;
        return c && c->has[e->index] ? SPEAKS_RIGHT : SPEAKS_ELSE;
    }
    int all = 0;
    for (size_t i = 0; i < e->arguments; i++) all |= speaks_of(e->argument[i], a, c);
    return all;
}

/* Does the conjunct speak of a's columns, of c's, and of no others? */
static bool spans(const query_expression *e, const part *a, const part *c)
{
    return speaks_of(e, a, c) == (c ? SPEAKS_LEFT | SPEAKS_RIGHT : SPEAKS_LEFT);
}

/* All unused conjuncts between two parts, over left columns, then right ones; *n counts them. */
static query_expression *between(binder *b, const assembly *all, const part *l, const part *r, size_t *n,
                                 bool take)
{
    size_t columns = all->list->columns, x, y, *map = query_take(&b->in, columns, sizeof *map);
    query_expression *condition = NULL;
    bool equality = false;
    *n = 0;
    if (!map) return NULL;
    for (size_t i = 0; i < columns; i++)
        map[i] = r->has[i] ? all->map[i] + l->source->relation->columns : all->map[i];
    for (size_t i = 0; i < all->list->conjuncts; i++) {
        if (all->used[i] || !spans(all->list->conjunct[i], l, r)) continue;
        query_expression *e = bind_remap(b, all->list->conjunct[i], map, columns);
        if (!e || !(condition = bind_and(b, condition, e))) return NULL;
        equality = equality || bind_is_equality(e, &x, &y);
        if (take) all->used[i] = true;
        ++*n;
    }
    if (equality) *n += all->list->conjuncts; /* an engine can hash */
    return condition;
}

static bool merge(binder *b, assembly *all, part *l, part *r, int position)
{
    size_t n, columns = l->source->relation->columns;
    query_expression *on = between(b, all, l, r, &n, true);
    if (b->in.status != DUSK_OK) return false;
    bind_source *joined = bind_join(b, QUERY_INNER, l->source, r->source, on, position);
    if (!joined) return false;
    l->source = joined;
    r->gone = true;
    for (size_t i = 0; i < all->list->columns; i++)
        if (r->has[i]) {
            all->map[i] += columns;
            l->has[i] = true;
        }
    return true;
}

/* Conditions on one part go below its joins. */
static bool push_down(binder *b, assembly *all, part *p)
{
    query_expression *condition = NULL;
    for (size_t i = 0; i < all->list->conjuncts; i++) {
        if (all->used[i] || !spans(all->list->conjunct[i], p, NULL)) continue;
        query_expression *e = bind_remap(b, all->list->conjunct[i], all->map, all->list->columns);
        if (!e || !(condition = bind_and(b, condition, e))) return false;
        all->used[i] = true;
    }
    return bind_filter(b, p->source, condition);
}

static bool begin(binder *b, assembly *all, bind_from_list *list)
{
    *all = (assembly){ .list = list };
    all->part = query_take(&b->in, list->items, sizeof *all->part);
    all->map = query_take(&b->in, list->columns, sizeof *all->map);
    all->used = query_take(&b->in, list->conjuncts, sizeof *all->used);
    if (!all->part || !all->map || !all->used) return false;
    for (size_t i = 0; i < list->items; i++) {
        part *p = &all->part[i];
        p->source = list->item[i].source;
        if (!(p->has = query_take(&b->in, list->columns, sizeof *p->has))) return false;
        for (size_t k = 0; k < p->source->relation->columns; k++) {
            p->has[list->item[i].base + k] = true;
            all->map[list->item[i].base + k] = k;
        }
        if (!push_down(b, all, p)) return false;
    }
    return true;
}

/* Public tables that belong together become one: its rows are where public keys come from. */
static bool merge_public(binder *b, assembly *all)
{
    size_t n = all->list->items, found;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            part *l = &all->part[i], *r = &all->part[k];
            if (i == k || l->gone || r->gone || bind_is_private(l->source) || bind_is_private(r->source))
                continue;
            (void)between(b, all, l, r, &found, false);
            if (b->in.status != DUSK_OK) return false;
            if (found <= all->list->conjuncts) continue; /* no equality */
            if (!merge(b, all, l, r, all->list->item[k].position)) return false;
            k = SIZE_MAX; /* from the first again: more may belong to it now */
        }
    return true;
}

/* The part that is best joined next: units that meet before those that do not, equalities before other
 * conditions, these before none, then as written. */
static size_t next_part(binder *b, assembly *all, const part *first)
{
    size_t best = QUERY_NONE, best_score = 0;
    for (size_t i = 0; i < all->list->items; i++) {
        size_t found;
        bool meet;
        const part *p = &all->part[i];
        if (p == first || p->gone) continue;
        query_expression *on = between(b, all, first, p, &found, false);
        if (b->in.status != DUSK_OK || !bind_units_meet(b, first->source, p->source, on, &meet))
            return QUERY_NONE;
        size_t score = (meet ? 4u : 0u) + (found > all->list->conjuncts ? 2u : found > 0 ? 1u : 0u);
        if (best != QUERY_NONE && score <= best_score) continue;
        best = i;
        best_score = score;
    }
    return best;
}

/* One relation of all items; *map: number in the list -> its column. */
bind_source *bind_join_all(binder *b, bind_from_list *list, size_t **map)
{
    assembly all;
    size_t n = 0, next, first = 0;
    query_expression *rest = NULL;
    if (!begin(b, &all, list) || !merge_public(b, &all)) return NULL;
    while (first < list->items && all.part[first].gone) first++;
    while ((next = next_part(b, &all, &all.part[first])) != QUERY_NONE)
        if (!merge(b, &all, &all.part[first], &all.part[next], list->item[next].position)) return NULL;
    if (b->in.status != DUSK_OK) return NULL;
    for (size_t i = 0; i < list->conjuncts; i++) { /* of three tables and more, or of none */
        if (all.used[i]) continue;
        query_expression *e = bind_remap(b, list->conjunct[i], all.map, list->columns);
        if (!e || !(rest = bind_and(b, rest, e))) return NULL;
    }
    bind_source *source = all.part[first].source;
    if (!bind_filter(b, source, rest)) return NULL;
    for (size_t i = 0; i < list->items; i++) n += list->item[i].source->names;
    bind_name *name = query_take(&b->in, n, sizeof *name);
    if (!name) return NULL;
    bind_source result = *source;
    result.names = 0;
    for (size_t i = 0; i < list->items; i++)
        for (size_t k = 0; k < list->item[i].source->names; k++) {
            name[result.names] = list->item[i].source->name[k];
            name[result.names].column = all.map[list->item[i].base + name[result.names].column];
            result.names++;
        }
    *map = all.map;
    bind_source *copy = query_take(&b->in, 1, sizeof *copy);
    if (!copy) return NULL;
    result.name = name;
    *copy = result;
    return copy;
}
