/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of plan.h, looked at once more when a plan is made and before any SQL is made of a relation:
 * every private relation has the unit among its columns, and it is that of the rows it is made of.
 * A plan that breaks it is a bug of the planner, and is refused. Proof: emit_rule.proof.md. */
#include "base/mutant.h"
#include "base/platform.h"
#include "query/emit.h"

static dusk_status broken(dusk_error *err, const char *what)
{
    return dusk_fail(err, DUSK_ERR_INTERNAL, "please report the query", "the plan breaks its own rule: %s",
                     what);
}

static bool is_column(const query_expression *e, size_t index)
{
    return e && e->kind == QUERY_COLUMN && e->index == index;
}

/* Every column that an expression names is there. */
static bool stands_on(const query_expression *e, size_t columns)
{
    if (!e) return false;
    if (e->kind == QUERY_COLUMN) return e->index < columns;
    for (size_t i = 0; e->kind == QUERY_CALL && i < e->arguments; i++)
        if (!stands_on(e->argument[i], columns)) return false;
    return true;
}

/* The path begins in the table, each step links to the unique column of a private table, the last column is
 * the unit or links to it. */
static dusk_status check_path(const query_relation *r, const dusk_schema *schema, dusk_error *err)
{
    const dusk_path *path = &r->path;
    if (path->steps < 1 || path->steps > DUSK_PATH_MAX || path->step[0].table != r->table)
        return broken(err, "a private table without a path to its unit");
    for (size_t i = 0; i < path->steps; i++) {
        size_t t = path->step[i].table, c = path->step[i].column;
        if (t >= schema->tables || c >= schema->table[t].columns || schema->table[t].is_public)
            return broken(err, "a path through a column that is not there");
        const dusk_column *column = &schema->table[t].column[c];
        bool last = i + 1 == path->steps, unit = t == schema->unit_table && c == schema->unit_column;
        size_t to = last ? schema->unit_table : path->step[i + 1].table;
        if (last && unit) return DUSK_OK;
        if (column->link_table != to || column->link_column >= schema->table[to].columns)
            return broken(err, "a path that is no chain of links");
        bool at_unit = to == schema->unit_table && column->link_column == schema->unit_column;
        if (!at_unit && (last || !schema->table[to].column[column->link_column].unique))
            return broken(err, "a link to what is not unique");
    }
    return DUSK_OK;
}

static dusk_status check_scan(const query_relation *r, const dusk_schema *schema, dusk_error *err)
{
    if (r->table >= schema->tables) return broken(err, "a table that is not there");
    for (size_t i = 0; i < r->columns; i++)
        if (r->from[i] == QUERY_NONE ? i != r->unit : r->from[i] >= schema->table[r->table].columns)
            return broken(err, "a column that is not there");
    if (schema->table[r->table].is_public)
        return r->unit == QUERY_NONE ? DUSK_OK : broken(err, "a public unit");
    if (r->unit >= r->columns) return broken(err, "a private table without its unit");
    if (r->from[r->unit] != QUERY_NONE && (r->path.steps > 1 || r->from[r->unit] != r->path.step[0].column))
        return broken(err, "a unit that is not at the end of its path");
    return check_path(r, schema, err);
}

/* Columns are there for all that names them, and as many as the kind of node has. */
static bool columns_fit(const query_relation *r)
{
    size_t below = r->input ? r->input->columns : 0, beside = r->other ? r->other->columns : 0;
    bool looks = r->join == QUERY_SEMI || r->join == QUERY_ANTI;
    switch (r->kind) {
    case QUERY_FILTER: return r->columns == below && stands_on(r->condition, below);
    case QUERY_DISTINCT: return r->columns == below;
    case QUERY_JOIN:
        return r->columns == below + (looks ? 0 : beside) &&
               (!r->condition || stands_on(r->condition, below + beside));
    case QUERY_UNION:
        for (size_t i = 0; i < r->columns && i < below && i < beside; i++)
            if (r->input->column[i].type != r->other->column[i].type) return false;
        return r->columns == below && r->columns == beside;
    case QUERY_PROJECT:
    case QUERY_GROUP:
        for (size_t i = 0; i < r->columns; i++) {
            bool rows = r->kind == QUERY_GROUP && i >= r->keys && !r->expression[i];
            if (!rows && !stands_on(r->expression[i], below)) return false;
        }
        return r->kind == QUERY_PROJECT || r->keys <= r->columns;
    default: return true;
    }
}

static dusk_status check_join(const query_relation *r, dusk_error *err)
{
    bool left = r->input->unit != QUERY_NONE, right = r->other->unit != QUERY_NONE;
    bool one_sided = r->join != QUERY_INNER;
    if (!left && right && one_sided) return broken(err, "a public side whose unmatched rows stay");
    if (!left && !right) return r->unit == QUERY_NONE ? DUSK_OK : broken(err, "a unit out of nowhere");
    if (left && r->unit == r->input->unit) return DUSK_OK;
    if (right && !one_sided && r->unit == r->input->columns + r->other->unit) return DUSK_OK;
    return broken(err, "a join that loses the unit");
}

static dusk_status check_node(const query_relation *r, const dusk_schema *schema, dusk_error *err)
{
    size_t unit = r->input ? r->input->unit : QUERY_NONE;
    switch (r->kind) {
    case QUERY_SCAN: return check_scan(r, schema, err);
    case QUERY_JOIN: return check_join(r, err);
    case QUERY_FILTER:
    case QUERY_DISTINCT: return r->unit == unit ? DUSK_OK : broken(err, "a filter that changes the unit");
    case QUERY_UNION:
        return r->unit == unit && r->other->unit == unit ? DUSK_OK
                                                         : broken(err, "a union of different units");
    case QUERY_PROJECT:
    case QUERY_GROUP:
        if (unit == QUERY_NONE) return r->unit == QUERY_NONE ? DUSK_OK : broken(err, "a unit out of nowhere");
        if (r->unit >= r->columns || !is_column(r->expression[r->unit], unit))
            return broken(err, "columns without the unit");
        if (r->kind == QUERY_GROUP && r->unit >= DUSK_MUTATE(EMIT_GROUP_WITHOUT_UNIT, r->keys, r->columns))
            return broken(err, "groups of several units");
        return DUSK_OK;
    }
    return broken(err, "an unknown kind of relation");
}

DUSK_PROVEN(emit_rule)
dusk_status emit_rule(const query_relation *r, const dusk_schema *schema, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool two = r->kind == QUERY_JOIN || r->kind == QUERY_UNION;
    if (r->kind != QUERY_SCAN && (!r->input || (two && !r->other)))
        return broken(err, "a node without an input");
    if (r->input) status = emit_rule(r->input, schema, err);
    if (status == DUSK_OK && r->other) status = emit_rule(r->other, schema, err);
    if (status != DUSK_OK) return status;
    if (!columns_fit(r)) return broken(err, "a column that is not there");
    return DUSK_MUTATE(RULE_NOT_CHECKED, check_node(r, schema, err), DUSK_OK);
}
