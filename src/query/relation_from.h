/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_RELATION_FROM_H
#define DUSK_QUERY_RELATION_FROM_H

/* The list that FROM is while it is read. Columns are numbered through all its tables. */

#include "query/bind.h"

#define BIND_ITEMS_MAX 32u

typedef struct bind_item {
    bind_source *source;
    size_t base; /* number of its first column */
    int position;
} bind_item;

typedef struct bind_from_list {
    bind_item item[BIND_ITEMS_MAX];
    size_t items, columns;
    query_expression **conjunct;
    size_t conjuncts, room;
} bind_from_list;

/* One relation of all items; *map: number in the list -> its column. */
bind_source *bind_join_all(binder *b, bind_from_list *list, size_t **map);

#endif
