/* SPDX-License-Identifier: Apache-2.0 */
/* Relations as SQL text. What stands on tables alone (filters, joins, columns by name) becomes one
 * SELECT, so that engines see flat joins with filters on their tables; computed columns,
 * groups, unions and distinct rows are subselects. All names are made here: tables are t0, t1, ...,
 * their columns c0, c1, ..., relations r1, r2, ..., columns of subselects k0, k1, ...
 *
 * Whatever the plan says, rows without a unit are left out where a table is read, and every join of
 * two private relations has the equality of their units. Proof: emit.proof.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "query/emit_block.h"

static void build(emitter *em, const query_plan *plan, const query_relation *r, block *out);

static bool take_names(emitter *em, emit_name **out, size_t n)
{
    *out = dusk_allocate(n, sizeof **out);
    if (!*out) em->out->failed = true;
    return *out != NULL;
}

/* AND, before a further condition. */
static void and_more(dusk_buffer *where)
{
    if (where->length) dusk_buffer_add(where, " AND ");
}

static void add_text(dusk_buffer *to, const dusk_buffer *text)
{
    if (text->failed) to->failed = true;
    if (text->data) dusk_buffer_bytes(to, text->data, text->length);
}

/* An expression over these names, at the end of `to`. */
static void put_over(emitter *em, dusk_buffer *to, const emit_name *name, size_t names,
                     const query_expression *e, emit_form form)
{
    emitter inner = *em;
    inner.out = to;
    inner.scope = name;
    inner.columns = names;
    emit_expression(&inner, e, form);
    em->names = inner.names;
    em->status = inner.status;
}

/* What rows are told apart by. 0 and -0 are equal: which of them stood for a group would be a matter of the order
 * of rows, and so of the rows of other units. */
static void put_key(emitter *em, dusk_buffer *to, const emit_name *name, size_t names,
                    const query_expression *e)
{
    emitter inner = *em;
    inner.out = to;
    inner.scope = name;
    inner.columns = names;
    bool real = e->type == DUSK_TYPE_REAL;
    emit_one(&inner, DUSK_MUTATE(EMIT_ZERO_KEEPS_SIGN, real, false) ? "($1 + 0.0)" : "$1", e, EMIT_NATIVE);
    em->names = inner.names;
    em->status = inner.status;
}

/* Column i of a block as an expression over its names; `own` is room for one. */
static const query_expression *column_of(const block *b, const query_relation *r, size_t i,
                                         query_expression *own)
{
    if (b->computed) return b->computed->expression[i];
    *own = (query_expression){ .kind = QUERY_COLUMN, .type = r->column[i].type, .position = -1, .index = i };
    return own;
}

/* SELECT ... AS k0, ... FROM ... WHERE ... of the columns as they are. */
static void put_select(emitter *em, dusk_buffer *out, const block *b, const query_relation *r, bool distinct)
{
    query_expression own;
    dusk_buffer_add(out, distinct ? "SELECT DISTINCT " : "SELECT ");
    for (size_t i = 0; i < r->columns; i++) {
        if (i) dusk_buffer_add(out, ", ");
        if (distinct)
            put_key(em, out, b->name, b->names, column_of(b, r, i, &own));
        else
            put_over(em, out, b->name, b->names, column_of(b, r, i, &own), EMIT_NATIVE);
        dusk_buffer_add(out, " AS k%zu", i);
    }
    block_put(em, out, b);
}

/* The block becomes: FROM (text) AS r7, with columns r7.k0, ... Takes the text. */
static void become(emitter *em, block *b, dusk_buffer *text, size_t columns)
{
    block_table made = { .name = ++em->names, .table = QUERY_NONE };
    dusk_buffer from = { 0 };
    block_clear(b);
    if (!take_names(em, &b->name, columns)) return;
    b->names = columns;
    for (size_t i = 0; i < columns; i++)
        snprintf(b->name[i].text, sizeof b->name[i].text, "r%u.k%zu", made.name, i);
    dusk_buffer_add(&from, "(");
    add_text(&from, text);
    dusk_buffer_add(&from, ") AS r%u", made.name);
    block_add_table(em, b, &made, &from);
}

static void nest(emitter *em, block *b, const query_relation *r, bool distinct)
{
    dusk_buffer text = { 0 };
    put_select(em, &text, b, r, distinct);
    become(em, b, &text, r->columns);
    dusk_buffer_clear(&text);
}

/* What an expression can stand on. */
static void build_named(emitter *em, const query_plan *plan, const query_relation *r, block *out)
{
    build(em, plan, r, out);
    if (out->computed) nest(em, out, r, false);
}

/* --- kinds of relations ------------------------------------------------------------------------------ */

/* A table by its own name, or as what is materialized of it. */
static void add_table(emitter *em, block *b, const block_table *table, bool joined)
{
    bool materialize = joined && em->dialect->materialize;
    em->scans++;
    dusk_buffer text = { 0 };
    if (materialize) emit_tables_add(em, table->name, table->table);
    if (materialize)
        dusk_buffer_add(&text, "m%u AS r%u", table->name, table->name);
    else
        dusk_buffer_add(&text, "t%zu AS r%u", table->table, table->name);
    block_add_table(em, b, table, &text);
}

/* A condition, where it does most good. Takes the text. */
static void put_filter(emitter *em, block *b, dusk_buffer *condition)
{
    dusk_buffer *own = NULL;
    if (condition->data && !block_is_outer(b)) own = emit_tables_where(em, condition->data);
    if (!own) {
        block_add_where(em, b, condition);
        return;
    }
    and_more(own);
    add_text(own, condition);
    dusk_buffer_clear(condition);
}

/* How many columns of a path are read: a link to the unit itself holds the unit already. */
static size_t steps_of(const dusk_schema *schema, const dusk_path *path)
{
    size_t last = path->steps - 1;
    if (last == 0) return 1;
    const dusk_column *link = &schema->table[path->step[last - 1].table].column[path->step[last - 1].column];
    return link->link_column == path->step[last].column ? last : path->steps;
}

/* The tables on the way to a unit; gives the name of the last. */
static unsigned add_way(emitter *em, const dusk_schema *schema, const dusk_path *path, size_t steps,
                        unsigned name, block *out)
{
    for (size_t i = 0; i + 1 < steps; i++) {
        const dusk_column *link = &schema->table[path->step[i].table].column[path->step[i].column];
        block_table next = { .name = ++em->names,
                             .table = path->step[i + 1].table,
                             .key = link->link_column };
        dusk_buffer where = { 0 };
        snprintf(next.link.text, sizeof next.link.text, "r%u.c%zu", name, path->step[i].column);
        dusk_buffer_add(&where, "%s = r%u.c%zu", next.link.text, next.name, next.key);
        add_table(em, out, &next, true);
        block_add_where(em, out, &where);
        name = next.name;
    }
    return name;
}

/* A table, and the tables on the way to its unit. */
static void build_scan(emitter *em, const query_plan *plan, const query_relation *r, block *out)
{
    block_table own = { .name = ++em->names, .table = r->table };
    size_t steps = r->unit == QUERY_NONE ? 1 : steps_of(plan->schema, &r->path);
    dusk_buffer present = { 0 };
    if (!take_names(em, &out->name, r->columns)) return;
    out->names = r->columns;
    add_table(em, out, &own, em->joined || steps > 1);
    unsigned last = add_way(em, plan->schema, &r->path, steps, own.name, out);
    for (size_t i = 0; i < r->columns; i++)
        if (r->from[i] == QUERY_NONE)
            snprintf(out->name[i].text, sizeof out->name[i].text, "r%u.c%zu", last,
                     r->path.step[steps - 1].column);
        else
            snprintf(out->name[i].text, sizeof out->name[i].text, "r%u.c%zu", own.name, r->from[i]);
    if (r->unit == QUERY_NONE || DUSK_MUTATE(EMIT_NULL_UNITS_STAY, false, true)) return;
    dusk_buffer_add(&present, "%s IS NOT NULL", out->name[r->unit].text);
    put_filter(em, out, &present);
}

/* Where a condition says that a link leads to a row that is there, the way to the unit leads through it. */
static void share_ways(emitter *em, block *b, const block *around, const emit_name *name, size_t names,
                       const query_expression *e)
{
    if (e->kind != QUERY_CALL) return;
    if (e->function == QUERY_AND)
        for (size_t i = 0; i < e->arguments; i++) share_ways(em, b, around, name, names, e->argument[i]);
    if (e->function != QUERY_EQUAL || e->argument[0]->kind != QUERY_COLUMN ||
        e->argument[1]->kind != QUERY_COLUMN || e->argument[0]->index >= names ||
        e->argument[1]->index >= names)
        return;
    block_share(em, b, around, name[e->argument[0]->index].text, name[e->argument[1]->index].text);
    block_share(em, b, around, name[e->argument[1]->index].text, name[e->argument[0]->index].text);
}

/* Each part of a conjunction by itself. */
static void put_conjuncts(emitter *em, block *b, const query_expression *e)
{
    dusk_buffer text = { 0 };
    if (e->kind == QUERY_CALL && e->function == QUERY_AND) {
        for (size_t i = 0; i < e->arguments; i++) put_conjuncts(em, b, e->argument[i]);
        return;
    }
    put_over(em, &text, b->name, b->names, e, EMIT_NATIVE);
    put_filter(em, b, &text);
}

static void build_filter(emitter *em, const query_plan *plan, const query_relation *r, block *out)
{
    build_named(em, plan, r->input, out);
    if (!r->condition) return;
    put_conjuncts(em, out, r->condition);
    share_ways(em, out, out, out->name, out->names, r->condition);
}

static bool names_only(const query_relation *r)
{
    for (size_t i = 0; i < r->columns; i++)
        if (r->expression[i]->kind != QUERY_COLUMN || r->expression[i]->index >= r->input->columns)
            return false;
    return true;
}

static void build_project(emitter *em, const query_plan *plan, const query_relation *r, block *out)
{
    emit_name *name;
    build_named(em, plan, r->input, out);
    if (!names_only(r)) {
        out->computed = r;
        return;
    }
    if (!out->name || !take_names(em, &name, r->columns)) return;
    for (size_t i = 0; i < r->columns; i++) name[i] = out->name[r->expression[i]->index];
    dusk_deallocate(out->name);
    out->name = name;
    out->names = r->columns;
}

/* The condition of a join, with the equality of units where both sides are private. */
static void add_condition(emitter *em, block *b, const query_relation *r, const emit_name *name, size_t names)
{
    bool both = r->input->unit != QUERY_NONE && r->other->unit != QUERY_NONE;
    dusk_buffer text = { 0 };
    if (both && DUSK_MUTATE(EMIT_JOIN_WITHOUT_UNIT, true, false)) {
        dusk_buffer_add(&text, "%s = %s", name[r->input->unit].text,
                        name[r->input->columns + r->other->unit].text);
        block_add_where(em, b, &text);
    }
    if (!r->condition) return;
    put_over(em, &text, name, names, r->condition, EMIT_NATIVE);
    block_add_where(em, b, &text);
}

/* Filters of the right side are conditions of the join, so that its unmatched rows do not pass them. */
static void join_left(emitter *em, const query_relation *r, block *left, block *right, const emit_name *name,
                      size_t names)
{
    dusk_buffer text = { 0 };
    block_table table = right->table[0];
    table.outer = true;
    add_condition(em, right, r, name, names);
    dusk_buffer_add(&text, "%s ON ", table.text);
    if (right->wheres)
        block_put_where(&text, right);
    else
        dusk_buffer_add(&text, "%s = %s", em->dialect->truth[1], em->dialect->truth[1]);
    block_add_table(em, left, &table, &text);
}

static void join_exists(emitter *em, const query_relation *r, block *left, block *right,
                        const emit_name *name, size_t names)
{
    dusk_buffer text = { 0 };
    add_condition(em, right, r, name, names);
    if (r->condition) share_ways(em, right, left, name, names, r->condition);
    dusk_buffer_add(&text, r->join == QUERY_ANTI ? "NOT EXISTS (SELECT 1" : "EXISTS (SELECT 1");
    block_put(em, &text, right);
    dusk_buffer_add(&text, ")");
    block_add_where(em, left, &text);
}

/* The names of both sides become those of the left block. */
static void take_all(block *left, emit_name **name, size_t names)
{
    dusk_deallocate(left->name);
    left->name = *name;
    left->names = names;
    *name = NULL;
}

static void join_blocks(emitter *em, const query_relation *r, block *left, block *right, emit_name **name,
                        size_t names)
{
    switch (r->join) {
    case QUERY_INNER:
        block_move(em, left, right);
        add_condition(em, left, r, *name, names);
        take_all(left, name, names);
        if (r->condition) share_ways(em, left, left, left->name, names, r->condition);
        break;
    case QUERY_LEFT:
        join_left(em, r, left, right, *name, names);
        take_all(left, name, names);
        break;
    case QUERY_SEMI:
    case QUERY_ANTI: join_exists(em, r, left, right, *name, names); break;
    }
}

static void build_join(emitter *em, const query_plan *plan, const query_relation *r, block *out)
{
    block right = { 0 };
    emit_name *name = NULL;
    size_t left_names = r->input->columns, names = left_names + r->other->columns;
    em->joined = true;
    build_named(em, plan, r->input, out);
    build_named(em, plan, r->other, &right);
    if (r->join == QUERY_LEFT && right.tables != 1) nest(em, &right, r->other, false);
    if (out->tables && right.tables && out->name && right.name && take_names(em, &name, names)) {
        memcpy(name, out->name, left_names * sizeof *name);
        memcpy(name + left_names, right.name, r->other->columns * sizeof *name);
        join_blocks(em, r, out, &right, &name, names);
    }
    dusk_deallocate(name);
    block_clear(&right);
}

static void build_union(emitter *em, const query_plan *plan, const query_relation *r, block *out)
{
    dusk_buffer text = { 0 };
    block right = { 0 };
    build(em, plan, r->input, out);
    build(em, plan, r->other, &right);
    put_select(em, &text, out, r->input, false);
    dusk_buffer_add(&text, " UNION ALL ");
    put_select(em, &text, &right, r->other, false);
    become(em, out, &text, r->columns);
    block_clear(&right);
    dusk_buffer_clear(&text);
}

static void build_group(emitter *em, const query_plan *plan, const query_relation *r, block *out)
{
    dusk_buffer text = { 0 };
    build_named(em, plan, r->input, out);
    dusk_buffer_add(&text, "SELECT ");
    for (size_t i = 0; i < r->columns; i++) {
        emitter inner = *em;
        if (i) dusk_buffer_add(&text, ", ");
        if (i < r->keys) {
            put_key(em, &text, out->name, out->names, r->expression[i]);
        } else {
            inner.out = &text;
            inner.scope = out->name;
            inner.columns = out->names;
            emit_aggregate(&inner, r, i);
            em->names = inner.names;
            em->status = inner.status;
        }
        dusk_buffer_add(&text, " AS k%zu", i);
    }
    block_put(em, &text, out);
    for (size_t i = 0; i < r->keys; i++) dusk_buffer_add(&text, "%s%zu", i ? ", " : " GROUP BY ", i + 1);
    become(em, out, &text, r->columns);
    dusk_buffer_clear(&text);
}

static void build(emitter *em, const query_plan *plan, const query_relation *r, block *out)
{
    bool joined = em->joined;
    if (r->kind == QUERY_UNION || r->kind == QUERY_GROUP || r->kind == QUERY_DISTINCT) em->joined = false;
    switch (r->kind) {
    case QUERY_SCAN: build_scan(em, plan, r, out); break;
    case QUERY_FILTER: build_filter(em, plan, r, out); break;
    case QUERY_PROJECT: build_project(em, plan, r, out); break;
    case QUERY_JOIN: build_join(em, plan, r, out); break;
    case QUERY_UNION: build_union(em, plan, r, out); break;
    case QUERY_GROUP: build_group(em, plan, r, out); break;
    case QUERY_DISTINCT:
        build(em, plan, r->input, out);
        nest(em, out, r->input, true);
        break;
    }
    em->joined = joined;
}

/* --- the whole ---------------------------------------------------------------------------------------- */

/* Whether a column of the plan's input is a value that is added up. */
static bool is_summed(const query_plan *plan, const query_relation *relation, size_t column)
{
    bool summed = false;
    if (relation != plan->input || column <= plan->keys) return false;
    for (size_t m = 0; m < plan->measures; m++) {
        if (plan->measure[m].value != column - 1 - plan->keys) continue;
        if (plan->measure[m].kind == QUERY_COUNT_DISTINCT) return false;
        summed |= plan->measure[m].kind >= QUERY_SUM;
    }
    return summed;
}

/* Whole numbers that are added up are handed over as the doubles that they are computed in. */
static dusk_cell_type cell_of(const query_plan *plan, const query_relation *relation, size_t column)
{
    switch (relation->column[column].type) {
    case DUSK_TYPE_INTEGER: return is_summed(plan, relation, column) ? DUSK_CELL_REAL : DUSK_CELL_INTEGER;
    case DUSK_TYPE_BOOLEAN: return DUSK_CELL_INTEGER;
    case DUSK_TYPE_REAL: return DUSK_CELL_REAL;
    default: return DUSK_CELL_TEXT;
    }
}

/* The outermost SELECT: columns as cells are handed over. */
static void put_cells(emitter *em, const query_plan *plan, const query_relation *r, const block *b,
                      dusk_cell_type *cells)
{
    query_expression own;
    dusk_buffer_add(em->out, "SELECT ");
    for (size_t i = 0; i < r->columns; i++) {
        const query_expression *e = column_of(b, r, i, &own);
        dusk_type type = r->column[i].type;
        cells[i] = cell_of(plan, r, i);
        if (i) dusk_buffer_add(em->out, ", ");
        emitter inner = *em;
        inner.scope = b->name;
        inner.columns = b->names;
        if (type == DUSK_TYPE_INTEGER && cells[i] == DUSK_CELL_REAL)
            emit_expression(&inner, e, EMIT_NUMBER);
        else if (type == DUSK_TYPE_DATE || type == DUSK_TYPE_TIMESTAMP)
            emit_moment(&inner, em->dialect->output[type], e, type);
        else
            emit_one(&inner, em->dialect->output[type], e, EMIT_NATIVE);
        em->names = inner.names;
        em->status = inner.status;
        dusk_buffer_add(em->out, " AS k%zu", i);
    }
    block_put(em, em->out, b);
}

static const emit_dialect *dialect_of(dusk_dialect dialect)
{
    switch (dialect) {
    case DUSK_DIALECT_SQLITE: return &emit_sqlite;
    case DUSK_DIALECT_DUCKDB: return &emit_duckdb;
    case DUSK_DIALECT_POSTGRES: return &emit_postgres;
    }
    return NULL;
}

DUSK_PROVEN(query_emit)
dusk_status query_emit(char **sql, dusk_cell_type *types, const query_plan *plan,
                       const query_relation *relation, dusk_dialect dialect, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer text = { 0 }, whole = { 0 };
    emit_tables tables = { 0 };
    dusk_cell_type *cells = NULL;
    emitter em = { .out = &text, .dialect = dialect_of(dialect), .tables = &tables, .err = err };
    block top = { 0 };

    if (!em.dialect) return dusk_fail(err, DUSK_ERR_INTERNAL, "", "there is no such dialect of SQL");
    DUSK_TRY(emit_rule(relation, plan->schema, err));
    DUSK_NEW(cells, relation->columns);
    build(&em, plan, relation, &top);
    put_cells(&em, plan, relation, &top, cells);
    em.out = &whole;
    emit_tables_put(&em, plan->schema, &text);
    add_text(&whole, &text);
    if (dialect == DUSK_DIALECT_SQLITE &&
        (em.scans > DUSK_MUTATE(EMIT_SCANS_IGNORED, EMIT_SCANS_MAX, 1000) || whole.length > EMIT_BYTES_MAX))
        emit_fail(&em, DUSK_ERR_UNSUPPORTED, "the query reads too many tables, or is too long, for SQLite",
                  "use a subquery of WITH less often, or another engine");
    if (!whole.failed && dialect == DUSK_DIALECT_SQLITE &&
        emit_depth(whole.data) > DUSK_MUTATE(EMIT_DEPTH_IGNORED, EMIT_STACK_MAX, 1000))
        emit_fail(&em, DUSK_ERR_UNSUPPORTED, "the query is nested too deeply for SQLite",
                  "write it with fewer levels of brackets, or a long sum as sums of parts");
    DUSK_TRY(whole.failed ? dusk_fail_memory(err) : em.status);
    DUSK_TRY(dusk_buffer_take(&whole, sql, err));
    memcpy(types, cells, relation->columns * sizeof *cells);
done:
    block_clear(&top);
    dusk_buffer_clear(&text);
    dusk_buffer_clear(&whole);
    emit_tables_clear(&tables);
    dusk_deallocate(cells);
    return status;
}
