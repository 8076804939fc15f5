/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of joins in SQLite. It makes no index for a join of a view or of a virtual table, but does so
 * for what a common table expression has materialized (table/engine.h). So each table of a join is
 * one, m<n> for the relation r<n>, with the columns that are named anywhere, and with the filters
 * that speak of this table alone. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/emit.h"

void emit_tables_clear(emit_tables *tables)
{
    for (size_t i = 0; i < tables->used; i++) dusk_buffer_clear(&tables->table[i].where);
    dusk_deallocate(tables->table);
    *tables = (emit_tables){ 0 };
}

void emit_tables_add(emitter *em, unsigned name, size_t table)
{
    dusk_status status = DUSK_OK;
    dusk_error *err = NULL;
    emit_tables *list = em->tables;
    DUSK_GROW(list->table, list->room, list->used);
    list->table[list->used++] = (emit_table){ .name = name, .table = table };
done:
    if (status != DUSK_OK) em->out->failed = true;
}

/* The next "r<name>.c<column>" of a table or "r<name>.k<column>" of a subselect, outside of quotes at or behind `at`;
 * *at is then behind it. Columns of subselects are ULONG_MAX: no table has them. */
static bool next_mention(const char **at, unsigned long *name, unsigned long *column)
{
    char before = ' ';
    bool quoted = false;
    for (const char *s = *at; *s; before = *s++) {
        char *end;
        if (*s == '\'') quoted = !quoted;
        if (quoted || *s != 'r' || isalnum((unsigned char)before) || before == '_' ||
            !isdigit((unsigned char)s[1]))
            continue;
        *name = strtoul(s + 1, &end, 10);
        if (end[0] != '.' || (end[1] != 'c' && end[1] != 'k') || !isdigit((unsigned char)end[2])) continue;
        bool table = end[1] == 'c';
        *column = strtoul(end + 2, &end, 10);
        if (!table) *column = ULONG_MAX;
        *at = end;
        return true;
    }
    return false;
}

static emit_table *find(emit_tables *list, unsigned name)
{
    for (size_t i = 0; i < list->used; i++)
        if (list->table[i].name == name) return &list->table[i];
    return NULL;
}

dusk_buffer *emit_tables_where(emitter *em, const char *condition)
{
    unsigned long name = 0, column, other;
    const char *at = condition;
    if (!next_mention(&at, &name, &column)) return NULL;
    while (next_mention(&at, &other, &column))
        if (other != name) return NULL;
    emit_table *t = find(em->tables, (unsigned)name);
    return t ? &t->where : NULL;
}

bool emit_tables_plain(emitter *em, unsigned name)
{
    static const char present[] = " IS NOT NULL";
    const emit_table *t = find(em->tables, name);
    if (!t || t->where.length == 0) return true;
    return !strstr(t->where.data, " AND ") && t->where.length > sizeof present &&
           strcmp(t->where.data + t->where.length - (sizeof present - 1), present) == 0;
}

void emit_tables_drop(emitter *em, unsigned name)
{
    emit_tables *list = em->tables;
    emit_table *t = find(list, name);
    if (!t) return;
    dusk_buffer_clear(&t->where);
    list->used--;
    memmove(t, t + 1, (size_t)(list->table + list->used - t) * sizeof *t);
}

/* Which columns of a relation the texts name. */
static void mark(bool *named, size_t columns, unsigned name, const char *text)
{
    unsigned long which, column;
    while (text && next_mention(&text, &which, &column))
        if (which == name && column < columns) named[column] = true;
}

static void put_table(emitter *em, const emit_table *t, size_t columns, const char *sql)
{
    const char *between = "";
    bool *named = dusk_allocate(columns, sizeof *named);
    if (!named) {
        em->out->failed = true;
        return;
    }
    mark(named, columns, t->name, sql);
    dusk_buffer_add(em->out, "m%u AS MATERIALIZED (SELECT ", t->name);
    for (size_t c = 0; c < columns; c++) {
        if (!named[c]) continue;
        dusk_buffer_add(em->out, "%sr%u.c%zu AS c%zu", between, t->name, c, c);
        between = ", ";
    }
    if (!*between) dusk_buffer_add(em->out, "0");
    dusk_buffer_add(em->out, " FROM t%zu AS r%u", t->table, t->name);
    if (t->where.length) dusk_buffer_add(em->out, " WHERE %s", t->where.data);
    dusk_buffer_add(em->out, ")");
    dusk_deallocate(named);
}

void emit_tables_put(emitter *em, const dusk_schema *schema, const dusk_buffer *sql)
{
    for (size_t i = 0; i < em->tables->used; i++) {
        const emit_table *t = &em->tables->table[i];
        if (t->where.failed) em->out->failed = true;
        dusk_buffer_add(em->out, "%s", i ? ", " : "WITH ");
        put_table(em, t, schema->table[t->table].columns, sql->data);
    }
    if (em->tables->used) dusk_buffer_add(em->out, " ");
}
