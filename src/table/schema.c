/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: tables and columns by name, links, and the way from a table to its unit. Facts are
 * applied in schema_declare.c. Proof: schema.proof.md. */
#include "table/schema.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "base/text.h"

/* --- making and freeing --------------------------------------------------------------- */

char *table_copy(const char *text, size_t length)
{
    char *copy = dusk_allocate(length + 1, 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

dusk_status dusk_schema_new(dusk_schema **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_schema *schema = NULL;
    *out = NULL;
    DUSK_NEW(schema, 1);
    schema->unit_table = schema->unit_column = DUSK_NO_LINK;
    schema->version = 1;
    *out = schema;
done:
    return status;
}

void table_domain_free(dusk_column *column)
{
    for (size_t i = 0; i < column->values; i++) dusk_deallocate(column->domain[i]);
    dusk_deallocate(column->domain);
    column->domain = NULL;
    column->values = 0;
}

void table_column_clear(dusk_column *column)
{
    table_domain_free(column);
    dusk_deallocate(column->link);
    column->link = NULL;
}

void table_clear(dusk_table_schema *table)
{
    for (size_t c = 0; c < table->columns; c++) table_column_clear(&table->column[c]);
    dusk_deallocate(table->column);
    dusk_deallocate(table->source);
}

void dusk_schema_free(dusk_schema *schema)
{
    if (!schema) return;
    for (size_t t = 0; t < schema->tables; t++) table_clear(&schema->table[t]);
    dusk_deallocate(schema->table);
    dusk_deallocate(schema->unit);
    dusk_deallocate(schema);
}

/* --- names ------------------------------------------------------------------------------ */

const char *table_split(const char *text, size_t *table)
{
    const char *dot = strchr(text, '.');
    *table = dot ? (size_t)(dot - text) : strlen(text);
    return dot ? dot + 1 : NULL;
}

size_t table_find(const dusk_schema *schema, const char *name, size_t length)
{
    for (size_t t = 0; t < schema->tables; t++)
        if (table_same_name(name, length, schema->table[t].name)) return t;
    return DUSK_NO_LINK;
}

size_t table_column_find(const dusk_table_schema *table, const char *name, size_t length)
{
    for (size_t c = 0; c < table->columns; c++)
        if (table_same_name(name, length, table->column[c].name)) return c;
    return DUSK_NO_LINK;
}

size_t dusk_schema_table(const dusk_schema *schema, const char *name)
{
    return table_find(schema, name, strlen(name));
}

size_t dusk_schema_column(const dusk_table_schema *table, const char *name)
{
    return table_column_find(table, name, strlen(name));
}

/* --- links -------------------------------------------------------------------------------- */

static void resolve_unit(dusk_schema *schema)
{
    size_t length;
    schema->unit_table = schema->unit_column = DUSK_NO_LINK;
    if (!schema->unit) return;
    const char *column = table_split(schema->unit, &length);
    size_t t = table_find(schema, schema->unit, length);
    if (!column || t == DUSK_NO_LINK || schema->table[t].is_public) return;
    size_t c = dusk_schema_column(&schema->table[t], column);
    if (c == DUSK_NO_LINK) return;
    schema->unit_table = t;
    schema->unit_column = c;
}

/* The column that a link to the whole table means: its only unique one or, where none is unique,
 * the unit. */
static size_t default_target(const dusk_schema *schema, size_t table)
{
    const dusk_table_schema *t = &schema->table[table];
    size_t found = DUSK_NO_LINK, n = 0;
    for (size_t c = 0; c < t->columns; c++)
        if (t->column[c].unique) found = c, n++;
    if (n == 1) return found;
    return n == 0 && schema->unit_table == table ? schema->unit_column : DUSK_NO_LINK;
}

static void resolve_link(const dusk_schema *schema, dusk_column *from)
{
    size_t length;
    from->link_table = from->link_column = DUSK_NO_LINK;
    if (!from->link) return;
    const char *column = table_split(from->link, &length);
    size_t t = table_find(schema, from->link, length);
    if (t == DUSK_NO_LINK) return;
    size_t c = column ? dusk_schema_column(&schema->table[t], column) : default_target(schema, t);
    if (c == DUSK_NO_LINK) return;
    const dusk_column *target = &schema->table[t].column[c];
    /* A row must not lead to rows of two units: the target is a key, or the unit itself. */
    bool is_unit = t == schema->unit_table && c == schema->unit_column;
    bool key = DUSK_MUTATE(LINK_TO_ANY_COLUMN, target->unique || is_unit, true);
    if (!key || target->type != from->type) return;
    from->link_table = t;
    from->link_column = c;
}

void table_resolve(dusk_schema *schema)
{
    resolve_unit(schema);
    for (size_t t = 0; t < schema->tables; t++)
        for (size_t c = 0; c < schema->table[t].columns; c++)
            resolve_link(schema, &schema->table[t].column[c]);
}

/* --- the way to the unit ---------------------------------------------------------------------- */

/* Whether column c of table t leads one step towards the unit; steps[t] counts the columns of the
 * shortest chain from t, 0 where none is known. */
static bool leads(const dusk_schema *schema, const size_t *steps, size_t t, size_t c)
{
    size_t to = schema->table[t].column[c].link_table;
    return to != DUSK_NO_LINK && steps[to] && steps[to] + 1 == steps[t];
}

static bool links_to_level(const dusk_schema *schema, const size_t *steps, size_t t, size_t level)
{
    for (size_t c = 0; c < schema->table[t].columns; c++) {
        size_t to = schema->table[t].column[c].link_table;
        if (to != DUSK_NO_LINK && steps[to] == level) return true;
    }
    return false;
}

/* Breadth first, from the unit's table outwards, over private tables. */
static void count_steps(const dusk_schema *schema, size_t *steps)
{
    steps[schema->unit_table] = 1;
    for (size_t level = 1; level < DUSK_PATH_MAX; level++)
        for (size_t t = 0; t < schema->tables; t++)
            if (steps[t] == 0 && !schema->table[t].is_public && links_to_level(schema, steps, t, level))
                steps[t] = level + 1;
}

/* The chain from `table` that takes the last possible link where `last`, else the first. The
 * two are equal exactly when there is one chain only. */
static void walk(const dusk_schema *schema, const size_t *steps, size_t table, bool last, dusk_path *out)
{
    *out = (dusk_path){ .steps = 0 };
    for (size_t t = table; steps[t] > 1;) {
        size_t chosen = DUSK_NO_LINK;
        for (size_t c = 0; c < schema->table[t].columns; c++)
            if (leads(schema, steps, t, c) && (last || chosen == DUSK_NO_LINK)) chosen = c;
        out->step[out->steps].table = t;
        out->step[out->steps++].column = chosen;
        t = schema->table[t].column[chosen].link_table;
    }
    out->step[out->steps].table = schema->unit_table;
    out->step[out->steps++].column = schema->unit_column;
}

static void write_path(dusk_text *text, const dusk_schema *schema, const dusk_path *path)
{
    for (size_t i = 0; i < path->steps; i++) {
        const dusk_table_schema *t = &schema->table[path->step[i].table];
        dusk_text_add(text, "%s%s.%s", i ? " -> " : "", t->name, t->column[path->step[i].column].name);
    }
}

static dusk_status two_ways(const dusk_schema *schema, size_t table, const dusk_path *a, const dusk_path *b,
                            dusk_error *err)
{
    char first[200], second[200];
    dusk_text text;
    dusk_text_init(&text, first, sizeof first);
    write_path(&text, schema, a);
    dusk_text_init(&text, second, sizeof second);
    write_path(&text, schema, b);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "take back one of the links, so that a row belongs to one unit",
                     "table %s has two ways to its unit: %s, and %s", schema->table[table].name, first,
                     second);
}

static dusk_status no_way(const dusk_schema *schema, size_t table, dusk_error *err)
{
    const dusk_table_schema *t = &schema->table[table];
    for (size_t c = 0; c < t->columns; c++)
        if (t->column[c].link && t->column[c].link_table == DUSK_NO_LINK)
            return dusk_fail(err, DUSK_ERR_ARGUMENT,
                             "a link names a table, or table.column; the column there has the same type and "
                             "is declared unique=yes, or is the unit",
                             "the link of %s.%s to %s leads nowhere, so the unit of %s is not known", t->name,
                             t->column[c].name, t->column[c].link, t->name);
    return dusk_fail(
        err, DUSK_ERR_ARGUMENT,
        "declare a link, such as link=customer of orders.customer_id; or public=yes of the table, "
        "when its rows are public",
        "no chain of links leads from table %s to the unit", t->name);
}

DUSK_PROVEN(dusk_schema_path)
dusk_status dusk_schema_path(const dusk_schema *schema, dusk_path *out, size_t table, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t *steps = NULL;
    dusk_path first, last;
    if (table >= schema->tables)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "tables count from 0", "there is no table of that number");
    if (schema->table[table].is_public)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "rows of a public table belong to nobody",
                         "table %s is public and has no unit", schema->table[table].name);
    if (schema->unit_table == DUSK_NO_LINK)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare whose privacy it is: unit=customer.id",
                         "the unit is not declared, or its column is not there");
    DUSK_NEW(steps, schema->tables);
    count_steps(schema, steps);
    if (steps[table] == 0) {
        status = no_way(schema, table, err);
        goto done;
    }
    walk(schema, steps, table, false, &first);
    walk(schema, steps, table, true, &last);
    bool one = first.steps == last.steps && memcmp(first.step, last.step, sizeof first.step) == 0;
    if (DUSK_MUTATE(PATH_TAKES_FIRST, !one, false)) {
        status = two_ways(schema, table, &first, &last, err);
        goto done;
    }
    *out = first;
done:
    dusk_deallocate(steps);
    return status;
}
