/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_EMIT_BLOCK_H
#define DUSK_QUERY_EMIT_BLOCK_H

/* A SELECT in the making: FROM ... WHERE ..., names for its columns, and what is computed of them. */

#include "query/emit.h"

typedef struct block_table {
    unsigned name;  /* r<name> */
    size_t table;   /* of the schema; QUERY_NONE: a subselect */
    bool outer;     /* LEFT JOIN; its condition is in the text */
    char *text;     /* t1 AS r2, or what stands for it */
    emit_name link; /* on the way to a unit: the column that links to this table, or "" */
    size_t key;     /* and the column that it links to */
} block_table;

typedef struct block {
    block_table *table;
    size_t tables, tables_room;
    char **where; /* conditions, all of which hold */
    size_t wheres, wheres_room;
    emit_name *name;
    size_t names;
    const query_relation *computed; /* a PROJECT over the names, or NULL: the names are the columns */
} block;

void block_clear(block *b);
/* Both take the text out of the buffer. */
void block_add_table(emitter *em, block *b, const block_table *table, dusk_buffer *text);
void block_add_where(emitter *em, block *b, dusk_buffer *text);
/* Tables and conditions of `from` move to the end of those of `to`. */
void block_move(emitter *em, block *to, block *from);
bool block_is_outer(const block *b);
/* " FROM ... WHERE ..." */
void block_put(const emitter *em, dusk_buffer *out, const block *b);
/* Conditions with AND between them. */
void block_put_where(dusk_buffer *out, const block *b);

/* A condition says that column x is column y. Where x is a link on the way to a unit, and y is the column that
 * it leads to in a table of `around` (the block itself, or the one around it), that table is the one on
 * the way: the block's own is left out. */
void block_share(emitter *em, block *b, const block *around, const char *x, const char *y);

#endif
