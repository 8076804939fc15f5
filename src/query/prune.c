/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a finished relation without the columns that nobody asks for, from the top down: an engine then
 * reads no field that is not needed. Units stay, and so do rows: DISTINCT and UNION keep all their
 * columns, GROUP all its keys. A copy, because relations may be shared. */
#include <string.h>

#include "query/release_plan.h"

static void mark(bool *used, const query_expression *e)
{
    if (!e) return;
    if (e->kind == QUERY_COLUMN) used[e->index] = true;
    for (size_t i = 0; e->kind == QUERY_CALL && i < e->arguments; i++) mark(used, e->argument[i]);
}

/* New numbers of the columns that stay. */
static size_t number(size_t *map, const bool *used, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) map[i] = used[i] ? kept++ : QUERY_NONE;
    return kept;
}

/* Fresh arrays of the columns that stay. */
static bool keep_columns(binder *b, query_relation *r, const size_t *map, size_t n, size_t kept)
{
    query_relation old = *r;
    bool list = r->kind == QUERY_PROJECT || r->kind == QUERY_GROUP;
    r->column = query_take(&b->in, kept, sizeof *r->column);
    r->from = query_take(&b->in, kept, sizeof *r->from);
    r->expression = query_take(&b->in, kept, sizeof *r->expression);
    r->inner = query_take(&b->in, kept, sizeof *r->inner);
    if (!r->column || !r->from || !r->expression || !r->inner) return false;
    for (size_t i = 0; i < n; i++) {
        if (map[i] == QUERY_NONE) continue;
        r->column[map[i]] = old.column[i];
        if (r->kind == QUERY_SCAN) r->from[map[i]] = old.from[i];
        if (list) r->expression[map[i]] = old.expression[i];
        if (r->kind == QUERY_GROUP && i >= r->keys) r->inner[map[i] - r->keys] = old.inner[i - r->keys];
    }
    r->columns = kept;
    if (r->unit != QUERY_NONE) r->unit = map[r->unit];
    return true;
}

static bool remap_all(binder *b, query_relation *r, const size_t *map, size_t n)
{
    bool list = r->kind == QUERY_PROJECT || r->kind == QUERY_GROUP;
    for (size_t i = 0; list && i < r->columns; i++)
        if (r->expression[i] && !(r->expression[i] = bind_remap(b, r->expression[i], map, n))) return false;
    return !r->condition || (r->condition = bind_remap(b, r->condition, map, n)) != NULL;
}

static bool prune(binder *b, query_relation **at, bool *used, size_t *map);

/* Below a project or a group: what its expressions name. */
static bool prune_list(binder *b, query_relation *r, bool *used, size_t *map)
{
    size_t n = r->columns, m = r->input->columns;
    bool *below = query_take(&b->in, m, sizeof *below);
    size_t *places = query_take(&b->in, m, sizeof *places);
    if (!below || !places) return false;
    for (size_t i = 0; r->kind == QUERY_GROUP && i < r->keys; i++) used[i] = true;
    if (!keep_columns(b, r, map, n, number(map, used, n))) return false;
    for (size_t i = 0; i < r->columns; i++) mark(below, r->expression[i]);
    return prune(b, &r->input, below, places) && remap_all(b, r, places, m);
}

static bool prune_filter(binder *b, query_relation *r, bool *used, size_t *map)
{
    size_t n = r->columns;
    mark(used, r->condition);
    if (!prune(b, &r->input, used, map) || !remap_all(b, r, map, n)) return false;
    return keep_columns(b, r, map, n, r->input->columns);
}

/* Both sides keep what is asked of the join and what its condition names. */
static bool prune_join(binder *b, query_relation *r, bool *used, size_t *map)
{
    size_t l = r->input->columns, o = r->other->columns, n = r->columns;
    bool *both = query_take(&b->in, l + o, sizeof *both);
    size_t *places = query_take(&b->in, l + o, sizeof *places);
    if (!both || !places) return false;
    memcpy(both, used, n * sizeof *both);
    mark(both, r->condition);
    if (!prune(b, &r->input, both, places) || !prune(b, &r->other, both + l, places + l)) return false;
    for (size_t i = l; i < l + o; i++)
        if (places[i] != QUERY_NONE) places[i] += r->input->columns;
    if (!remap_all(b, r, places, l + o)) return false;
    memcpy(map, places, n * sizeof *map);
    return keep_columns(b, r, map, n, r->input->columns + (n > l ? r->other->columns : 0));
}

/* Keeps the columns that are used, and the unit; *map: old column -> new one, or QUERY_NONE. */
static bool prune(binder *b, query_relation **at, bool *used, size_t *map)
{
    bool any = false;
    query_relation *r = query_take(&b->in, 1, sizeof *r);
    if (!r) return false;
    *r = **at;
    *at = r;
    for (size_t i = 0; i < r->columns; i++) any = any || used[i];
    if (r->unit != QUERY_NONE) used[r->unit] = true;
    if (!any && r->unit == QUERY_NONE) used[0] = true; /* rows are counted by a column */
    switch (r->kind) {
    case QUERY_SCAN: return keep_columns(b, r, map, r->columns, number(map, used, r->columns));
    case QUERY_PROJECT:
    case QUERY_GROUP: return prune_list(b, r, used, map);
    case QUERY_FILTER: return prune_filter(b, r, used, map);
    case QUERY_JOIN: return prune_join(b, r, used, map);
    default: break;
    }
    for (size_t i = 0; i < r->columns; i++) used[i] = true, map[i] = i;
    size_t *same = query_take(&b->in, r->columns, sizeof *same);
    bool *all = query_take(&b->in, r->columns, sizeof *all);
    for (int side = 0; same && all && side < (r->kind == QUERY_UNION ? 2 : 1); side++) {
        for (size_t i = 0; i < r->columns; i++) all[i] = true;
        if (!prune(b, side ? &r->other : &r->input, all, same)) return false;
    }
    return same && all;
}

bool query_prune(binder *b, query_relation **top)
{
    bool *used = query_take(&b->in, (*top)->columns, sizeof *used);
    size_t *map = query_take(&b->in, (*top)->columns, sizeof *map);
    if (!used || !map) return false;
    for (size_t i = 0; i < (*top)->columns; i++) used[i] = true;
    return prune(b, top, used, map);
}
