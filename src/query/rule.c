/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of plan.h on a finished plan, node by node; the argument is in rule.proof.md. It trusts
 * nothing that was known while the plan was made. A plan that does not pass is a bug of this library. */
#include "query/rule.h"

#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"

#define DEPTH_MAX 4096u

static bool is_private(const query_relation *r) { return r->unit != QUERY_NONE; }

/* Every column that an expression names is there. */
static bool stands_on(const query_expression *e, size_t columns)
{
    if (!e) return false;
    if (e->kind == QUERY_CONSTANT) return true;
    if (e->kind == QUERY_COLUMN) return e->index < columns;
    for (size_t i = 0; i < e->arguments; i++)
        if (!stands_on(e->argument[i], columns)) return false;
    return true;
}

/* Each step's column links to the unique column by which the next table is asked; the last one is the unit, or
 * links to it and so has its value. */
static bool path_holds(const dusk_path *path, const dusk_schema *schema)
{
    if (path->steps == 0 || path->steps > DUSK_PATH_MAX) return false;
    for (size_t i = 0; i < path->steps; i++) {
        size_t t = path->step[i].table, c = path->step[i].column;
        if (t >= schema->tables || schema->table[t].is_public || c >= schema->table[t].columns) return false;
        const dusk_column *column = &schema->table[t].column[c];
        bool ends = i + 1 == path->steps;
        size_t next = ends ? schema->unit_table : path->step[i + 1].table;
        if (ends && t == schema->unit_table && c == schema->unit_column) return true;
        if (column->link_table != next || next == DUSK_NO_LINK) return false;
        if (ends) return column->link_column == schema->unit_column;
        if (column->link_column >= schema->table[next].columns) return false;
        if (!schema->table[next].column[column->link_column].unique) return false;
    }
    return false;
}

static bool scan_holds(const query_relation *r, const dusk_schema *schema)
{
    if (r->table >= schema->tables) return false;
    const dusk_table_schema *table = &schema->table[r->table];
    for (size_t i = 0; i < r->columns; i++)
        if (r->from[i] >= table->columns && !(r->from[i] == QUERY_NONE && i == r->unit)) return false;
    if (table->is_public) return !is_private(r);
    if (!is_private(r) || !path_holds(&r->path, schema) || r->path.step[0].table != r->table) return false;
    if (r->path.steps == 1) return r->from[r->unit] == r->path.step[0].column;
    return r->from[r->unit] == QUERY_NONE;
}

/* The output's unit column is the input's, unchanged. */
static bool keeps_unit(const query_relation *r)
{
    const query_relation *in = r->input;
    if (!is_private(in)) return !is_private(r);
    if (!is_private(r)) return false;
    if (r->kind != QUERY_PROJECT && r->kind != QUERY_GROUP) return r->unit == in->unit;
    const query_expression *e = r->expression[r->unit];
    return e && e->kind == QUERY_COLUMN && e->index == in->unit;
}

static bool expressions_hold(const query_relation *r)
{
    for (size_t i = 0; i < r->columns; i++) {
        bool rows = r->kind == QUERY_GROUP && i >= r->keys && !r->expression[i];
        if (!rows && !stands_on(r->expression[i], r->input->columns)) return false;
    }
    return true;
}

static bool group_holds(const query_relation *r)
{
    if (r->keys > r->columns || !expressions_hold(r) || !keeps_unit(r)) return false;
    return !is_private(r) || r->unit < r->keys;
}

static bool join_holds(const query_relation *r)
{
    const query_relation *l = r->input, *o = r->other;
    bool looks = r->join == QUERY_SEMI || r->join == QUERY_ANTI;
    if (r->columns != l->columns + (looks ? 0 : o->columns)) return false;
    if (r->condition && !stands_on(r->condition, l->columns + o->columns)) return false;
    if (is_private(l)) return r->unit == l->unit;
    if (is_private(o)) return r->join == QUERY_INNER && r->unit == l->columns + o->unit;
    return !is_private(r);
}

static bool union_holds(const query_relation *r)
{
    const query_relation *l = r->input, *o = r->other;
    if (r->columns != l->columns || r->columns != o->columns) return false;
    for (size_t i = 0; i < r->columns; i++)
        if (l->column[i].type != r->column[i].type || o->column[i].type != r->column[i].type) return false;
    return r->unit == l->unit && r->unit == o->unit;
}

static bool node_holds(const query_relation *r, const dusk_schema *schema)
{
    switch (r->kind) {
    case QUERY_SCAN: return scan_holds(r, schema);
    case QUERY_FILTER:
        return r->columns == r->input->columns && keeps_unit(r) && stands_on(r->condition, r->columns);
    case QUERY_PROJECT: return expressions_hold(r) && keeps_unit(r);
    case QUERY_DISTINCT: return r->columns == r->input->columns && keeps_unit(r);
    case QUERY_GROUP: return group_holds(r);
    case QUERY_JOIN: return join_holds(r);
    case QUERY_UNION: return union_holds(r);
    default: return false;
    }
}

DUSK_PROVEN(relation_holds)
static bool relation_holds(const query_relation *r, const dusk_schema *schema, unsigned depth)
{
    if (!r || depth == 0 || (is_private(r) && r->unit >= r->columns)) return false;
    bool leaf = r->kind == QUERY_SCAN, pair = r->kind == QUERY_JOIN || r->kind == QUERY_UNION;
    if (!leaf && !relation_holds(r->input, schema, depth - 1)) return false;
    if (pair && !relation_holds(r->other, schema, depth - 1)) return false;
    return DUSK_MUTATE(RULE_NOT_CHECKED, node_holds(r, schema), true);
}

dusk_status query_rule_check(const query_plan *plan, dusk_error *err)
{
    const query_relation *in = plan->input;
    bool good = relation_holds(in, plan->schema, DEPTH_MAX) && in->kind == QUERY_PROJECT && in->unit == 0 &&
                in->columns == 1 + plan->keys + plan->values;
    if (good && plan->domain)
        good = relation_holds(plan->domain, plan->schema, DEPTH_MAX) && !is_private(plan->domain) &&
               plan->domain->columns == plan->keys;
    if (good) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_INTERNAL, "this is a bug of Dusk: please report the query",
                     "the plan does not keep the rows of units apart");
}
