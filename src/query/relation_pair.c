/* SPDX-License-Identifier: Apache-2.0 */
/* Joins and unions. Rows of two private relations meet only where the condition says that they
 * belong to one unit; which rows of a public relation stay never depends on private rows. */
#include <string.h>

#include "base/mutant.h"
#include "query/bind.h"

/* Columns that a conjunct a = b ties together, as the least of them. */
static void tie(size_t *class, size_t n, query_expression *condition)
{
    for (size_t i = 0; i < n; i++) class[i] = i;
    for (size_t i = 0, x, y; i < bind_conjuncts(condition); i++) {
        if (!bind_is_equality(bind_conjunct(condition, i), &x, &y) || x >= n || y >= n) continue;
        size_t from = class[x] > class[y] ? class[x] : class[y], to = class[x] + class[y] - from;
        for (size_t k = 0; k < n; k++)
            if (class[k] == from) class[k] = to;
    }
}

/* Does the condition imply that both rows belong to one unit? Some columns that it makes equal have
 * a tag in common, one on each side. */
static bool units_meet(binder *b, const bind_source *left, const bind_source *right,
                       query_expression *condition, bool *meet)
{
    size_t l = left->relation->columns, n = l + right->relation->columns;
    size_t *class = query_take(&b->in, n, sizeof *class);
    uint64_t *here = query_take(&b->in, n, sizeof *here), *there = query_take(&b->in, n, sizeof *there);
    *meet = false;
    if (!class || !here || !there) return false;
    tie(class, n, condition);
    for (size_t i = 0; i < l; i++) here[class[i]] |= left->info[i].weak;
    for (size_t i = l; i < n; i++) there[class[i]] |= right->info[i - l].weak;
    for (size_t k = 0; k < n; k++) *meet = *meet || (here[k] & there[k]) != 0;
    return true;
}

bool bind_units_meet(binder *b, const bind_source *left, const bind_source *right,
                     query_expression *condition, bool *meet)
{
    *meet = true;
    if (!bind_is_private(left) || !bind_is_private(right)) return true;
    return units_meet(b, left, right, condition, meet);
}

static bool check_join(binder *b, query_join join, const bind_source *left, const bind_source *right,
                       query_expression *condition, int position)
{
    bool meet;
    if (!bind_units_meet(b, left, right, condition, &meet)) return false;
    if (DUSK_MUTATE(JOIN_PAIRS_UNITS, !meet, false)) {
        query_refuse(
            &b->in, position,
            "join over the unit, or over a declared link: dusk schema FILE link orders.customer_id customer",
            "rows of different units would meet here: nothing says that both sides have the same unit");
        return false;
    }
    if (DUSK_MUTATE(PUBLIC_ROWS_STAY, !bind_is_private(left) && bind_is_private(right), false) &&
        join != QUERY_INNER) {
        query_refuse(&b->in, position,
                     join == QUERY_LEFT ? "put the private table on the side that keeps its rows"
                                        : "ask the private table, and look into the public one",
                     "which rows of a public table stay would depend on private rows");
        return false;
    }
    return true;
}

/* Does a row of the one side find at most one row on the other? An equality with a unique column says so. */
static bool finds_one(const bind_source *left, const bind_source *right, query_expression *condition,
                      bool in_right)
{
    size_t l = left->relation->columns, x, y;
    const bind_source *in = in_right ? right : left;
    if (bind_is_private(left) && bind_is_private(right) && in->info[in->relation->unit].unique) return true;
    for (size_t i = 0; i < bind_conjuncts(condition); i++) {
        if (!bind_is_equality(bind_conjunct(condition, i), &x, &y) || (x < l) == (y < l)) continue;
        size_t inner = (x < l) == in_right ? y : x;
        if (in->info[in_right ? inner - l : inner].unique) return true;
    }
    return false;
}

/* What is known of the columns of a join. */
static void join_infos(bind_source *s, query_join join, const bind_source *left, const bind_source *right,
                       query_expression *condition)
{
    size_t l = left->relation->columns;
    bool alone = finds_one(left, right, condition, true), back = finds_one(left, right, condition, false);
    for (size_t i = 0; i < s->relation->columns; i++) {
        bool from_left = i < l;
        s->info[i] = from_left ? left->info[i] : right->info[i - l];
        s->relation->column[i] = from_left ? left->relation->column[i] : right->relation->column[i - l];
        if (join == QUERY_SEMI || join == QUERY_ANTI) continue;
        if (DUSK_MUTATE(FAN_OUT_IS_ONE_ROW, from_left ? !alone : !back, false)) s->info[i].unique = false;
        if (!from_left && join == QUERY_LEFT) {
            s->info[i] = (bind_info){ .strong = DUSK_MUTATE(LEFT_JOIN_KEEPS_UNITS, 0, s->info[i].strong),
                                      .weak = s->info[i].weak,
                                      .table = s->info[i].table,
                                      .column = s->info[i].column };
            s->relation->column[i].facts.nullable = true;
        }
    }
}

/* A column that equals one of a public relation has its values: a key as public as that. */
static void share_origins(bind_source *s, query_join join, const bind_source *left, const bind_source *right,
                          query_expression *condition)
{
    size_t l = left->relation->columns, x, y;
    if (!bind_is_private(s) || join == QUERY_LEFT || join == QUERY_ANTI) return;
    for (size_t i = 0; i < bind_conjuncts(condition); i++) {
        if (!bind_is_equality(bind_conjunct(condition, i), &x, &y) || (x < l) == (y < l)) continue;
        size_t in_left = x < l ? x : y, in_right = (x < l ? y : x) - l;
        const bind_info *from = &right->info[in_right];
        bool plain =
            left->relation->column[in_left].type != DUSK_TYPE_REAL; /* 0 and -0 are equal, and two keys */
        if (plain && from->origin && !s->info[in_left].origin) {
            s->info[in_left].origin = from->origin;
            s->info[in_left].from_origin = from->from_origin;
        } else if (plain && join == QUERY_INNER && left->info[in_left].origin &&
                   !s->info[l + in_right].origin) {
            s->info[l + in_right].origin = left->info[in_left].origin;
            s->info[l + in_right].from_origin = left->info[in_left].from_origin;
        }
    }
}

bind_source *bind_join(binder *b, query_join join, const bind_source *left, const bind_source *right,
                       query_expression *condition, int position)
{
    size_t l = left->relation->columns, n = l + right->relation->columns;
    bool keeps_right = join == QUERY_INNER || join == QUERY_LEFT;
    if (!check_join(b, join, left, right, condition, position)) return NULL;
    bind_source *s = bind_make_source(b, QUERY_JOIN, keeps_right ? n : l);
    if (!s) return NULL;
    query_relation *r = s->relation;
    r->input = left->relation;
    r->other = right->relation;
    r->join = join;
    r->condition = condition;
    r->unit = bind_is_private(left)    ? left->relation->unit
              : bind_is_private(right) ? l + right->relation->unit
                                       : QUERY_NONE;
    join_infos(s, join, left, right, condition);
    share_origins(s, join, left, right, condition);
    if (join == QUERY_INNER) {
        if (!bind_narrow(b, r->column, n, condition)) return NULL;
        bind_spread_tags(s->info, n, condition);
    }
    s->name = query_take(&b->in, left->names + right->names, sizeof *s->name);
    if (!s->name) return NULL;
    memcpy(s->name, left->name, left->names * sizeof *s->name);
    s->names = left->names;
    for (size_t i = 0; keeps_right && i < right->names; i++) {
        s->name[s->names] = right->name[i];
        s->name[s->names++].column += l;
    }
    return bind_own_origins(b, s) ? s : NULL;
}

bind_source *bind_union(binder *b, const bind_source *left, const bind_source *right, int position)
{
    const query_relation *l = left->relation, *r = right->relation;
    if (bind_is_private(left) != bind_is_private(right))
        return query_refuse(&b->in, position, "give the public rows in a query of their own",
                            "rows of a public table belong to no unit and cannot be added to private ones");
    bind_source *s = bind_make_source(b, QUERY_UNION, l->columns);
    if (!s) return NULL;
    s->relation->input = left->relation;
    s->relation->other = right->relation;
    s->relation->unit = l->unit;
    for (size_t i = 0; i < l->columns; i++) {
        query_column *column = &s->relation->column[i];
        *column = l->column[i];
        if (!bind_either(b, &column->facts, &r->column[i].facts)) return NULL;
        s->info[i].strong = DUSK_MUTATE(UNION_OF_OTHER_KEYS, left->info[i].strong & right->info[i].strong,
                                        left->info[i].strong);
        s->info[i].weak = left->info[i].weak & right->info[i].weak;
    }
    return bind_plain_names(b, s) && bind_own_origins(b, s) ? s : NULL;
}
