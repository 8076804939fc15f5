/* SPDX-License-Identifier: Apache-2.0 */
/* A SELECT in the making; see emit_block.h.
 *
 * When line items are joined with their orders, the way from an item to its unit leads through the
 * very order it is joined with. Reading the table of orders twice would cost a join, and planners
 * that multiply selectivities would think that nothing is left. So tables on the way are shared.
 * It is sound whether or not the linked column is unique as declared: the row of the joined
 * table satisfies all that was asked of the row on the way, and it has the unit that the result has. */
#include "query/emit_block.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void block_clear(block *b)
{
    for (size_t i = 0; i < b->tables; i++) dusk_deallocate(b->table[i].text);
    for (size_t i = 0; i < b->wheres; i++) dusk_deallocate(b->where[i]);
    dusk_deallocate(b->table);
    dusk_deallocate(b->where);
    dusk_deallocate(b->name);
    *b = (block){ 0 };
}

static void place_table(emitter *em, block *b, const block_table *table)
{
    dusk_status status = DUSK_OK;
    dusk_error *err = NULL;
    DUSK_GROW(b->table, b->tables_room, b->tables);
    b->table[b->tables++] = *table;
done:
    if (status == DUSK_OK) return;
    em->out->failed = true;
    dusk_deallocate(table->text);
}

static void place_where(emitter *em, block *b, char *text)
{
    dusk_status status = DUSK_OK;
    dusk_error *err = NULL;
    DUSK_GROW(b->where, b->wheres_room, b->wheres);
    b->where[b->wheres++] = text;
done:
    if (status == DUSK_OK) return;
    em->out->failed = true;
    dusk_deallocate(text);
}

void block_add_table(emitter *em, block *b, const block_table *table, dusk_buffer *text)
{
    block_table made = *table;
    if (dusk_buffer_take(text, &made.text, NULL) == DUSK_OK)
        place_table(em, b, &made);
    else
        em->out->failed = true;
}

void block_add_where(emitter *em, block *b, dusk_buffer *text)
{
    char *made;
    if (dusk_buffer_take(text, &made, NULL) == DUSK_OK)
        place_where(em, b, made);
    else
        em->out->failed = true;
}

void block_move(emitter *em, block *to, block *from)
{
    for (size_t i = 0; i < from->tables; i++) place_table(em, to, &from->table[i]);
    for (size_t i = 0; i < from->wheres; i++) place_where(em, to, from->where[i]);
    from->tables = from->wheres = 0;
}

bool block_is_outer(const block *b)
{
    for (size_t i = 0; i < b->tables; i++)
        if (b->table[i].outer) return true;
    return false;
}

void block_put_where(dusk_buffer *out, const block *b)
{
    for (size_t i = 0; i < b->wheres; i++) dusk_buffer_add(out, "%s%s", i ? " AND " : "", b->where[i]);
}

void block_put(const emitter *em, dusk_buffer *out, const block *b)
{
    for (size_t i = 0; i < b->tables; i++)
        dusk_buffer_add(out, "%s%s",
                        i == 0              ? " FROM "
                        : b->table[i].outer ? " LEFT JOIN "
                                            : em->dialect->cross,
                        b->table[i].text);
    if (b->wheres) dusk_buffer_add(out, " WHERE ");
    block_put_where(out, b);
}

/* --- tables that are shared ------------------------------------------------------------------------------ */

/* `text` with r<from>. as r<to>. outside of quotes; NULL when memory is out. */
static char *renamed(const char *text, unsigned from, unsigned to)
{
    char old[16], before = ' ', *made = NULL;
    dusk_buffer out = { 0 };
    bool quoted = false;
    size_t length = (size_t)snprintf(old, sizeof old, "r%u.", from);
    while (*text) {
        if (*text == '\'') quoted = !quoted;
        bool found = !quoted && !isalnum((unsigned char)before) && strncmp(text, old, length) == 0;
        if (found)
            dusk_buffer_add(&out, "r%u.", to);
        else
            dusk_buffer_bytes(&out, text, 1);
        text += found ? length : 1;
        before = text[-1];
    }
    return dusk_buffer_take(&out, &made, NULL) == DUSK_OK ? made : NULL;
}

static void rename_text(emitter *em, char **text, unsigned from, unsigned to)
{
    char *made = renamed(*text, from, to);
    if (!made) {
        em->out->failed = true;
        return;
    }
    dusk_deallocate(*text);
    *text = made;
}

static void rename_name(emit_name *name, unsigned from, unsigned to)
{
    unsigned which, column;
    char kind;
    if (sscanf(name->text, "r%u.%c%u", &which, &kind, &column) == 3 && which == from)
        snprintf(name->text, sizeof name->text, "r%u.%c%u", to, kind, column);
}

/* "x = x", and the condition that joined the table that is gone. */
static bool is_idle(const char *where, const char *gone)
{
    size_t length = strlen(where), half = length > 3 ? (length - 3) / 2 : 0;
    if (strcmp(where, gone) == 0) return true;
    return half && length == 2 * half + 3 && memcmp(where + half, " = ", 3) == 0 &&
           memcmp(where, where + half + 3, half) == 0;
}

/* Leave table `at` out of the block: r<to> stands for it. */
static void leave_out(emitter *em, block *b, size_t at, unsigned to)
{
    unsigned from = b->table[at].name;
    char gone[80];
    size_t kept = 0;
    snprintf(gone, sizeof gone, "%s = r%u.c%zu", b->table[at].link.text, to, b->table[at].key);
    dusk_deallocate(b->table[at].text);
    b->tables--;
    memmove(b->table + at, b->table + at + 1, (b->tables - at) * sizeof *b->table);
    for (size_t i = 0; i < b->tables; i++) {
        rename_text(em, &b->table[i].text, from, to);
        rename_name(&b->table[i].link, from, to);
    }
    for (size_t i = 0; i < b->names; i++) rename_name(&b->name[i], from, to);
    for (size_t i = 0; i < b->wheres; i++) {
        rename_text(em, &b->where[i], from, to);
        if (is_idle(b->where[i], gone))
            dusk_deallocate(b->where[i]);
        else
            b->where[kept++] = b->where[i];
    }
    b->wheres = kept;
    emit_tables_drop(em, from);
}

/* Two tables on the way that the same link leads to are one. */
static void share_ways(emitter *em, block *b)
{
    for (size_t i = 1; i < b->tables; i++)
        for (size_t k = 0; k < i; k++) {
            const block_table *x = &b->table[i], *y = &b->table[k];
            if (!x->link.text[0] || x->table != y->table || x->key != y->key || x->outer || y->outer ||
                strcmp(x->link.text, y->link.text) != 0 || !emit_tables_plain(em, x->name))
                continue;
            leave_out(em, b, i, y->name);
            i = 0;
            break;
        }
}

void block_share(emitter *em, block *b, const block *around, const char *x, const char *y)
{
    for (size_t i = 0; i < b->tables; i++)
        for (size_t k = 0; k < around->tables; k++) {
            const block_table *way = &b->table[i], *other = &around->table[k];
            char key[48];
            snprintf(key, sizeof key, "r%u.c%zu", other->name, way->key);
            if (strcmp(way->link.text, x) != 0 || strcmp(key, y) != 0 || way->table != other->table ||
                way->name == other->name || way->outer || other->outer || !emit_tables_plain(em, way->name))
                continue;
            leave_out(em, b, i, other->name);
            share_ways(em, b);
            return;
        }
}
