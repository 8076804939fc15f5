/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_FOREST_H
#define DUSK_ACCOUNTING_FOREST_H

/* Trees of events in any number: a list that grows, and an index that finds
 * the equal of a tree in it. Both cost near linear time whatever is in them:
 * nothing rests on a hash being lucky. */

#include "accounting/event.h"

typedef struct dusk_forest {
    size_t count, room;
    dusk_event_node *node;
} dusk_forest;

/* One more node at the end. The list stays as it was when memory is out. */
DUSK_MUST_USE dusk_status dusk_forest_push(dusk_forest *forest, dusk_event_node node, dusk_error *err);
/* Room for `more` nodes. */
DUSK_MUST_USE dusk_status dusk_forest_reserve(dusk_forest *forest, size_t more, dusk_error *err);
/* Count equal trees among the brothers node[from..count-1] together, in the
 * place of the first. DUSK_ERR_ARGUMENT when one then runs more than 2^62
 * times; the list is then of no more use but to be freed. */
DUSK_MUST_USE dusk_status dusk_forest_merge(dusk_forest *forest, size_t from, dusk_error *err);
void dusk_forest_free(dusk_forest *forest);

/* Where the trees of a list begin, in sorted runs whose lengths are the powers
 * of two in `count`, longest first. */
typedef struct dusk_forest_entry {
    uint64_t hash;
    size_t at;
} dusk_forest_entry;

typedef struct dusk_forest_index {
    size_t count, room;
    dusk_forest_entry *entry; /* 2 room of them: the second half is for merging */
} dusk_forest_index;

#define DUSK_FOREST_NONE SIZE_MAX

/* Room for `more` trees. */
DUSK_MUST_USE dusk_status dusk_forest_index_reserve(dusk_forest_index *index, size_t more, dusk_error *err);
/* Where in node[] the equal of `tree` begins, or DUSK_FOREST_NONE. */
size_t dusk_forest_index_find(const dusk_forest_index *index, const dusk_event_node *node,
                              const dusk_event_node *tree);
/* The tree that begins at node[at], for which there is room and which has no
 * equal in the index. */
void dusk_forest_index_add(dusk_forest_index *index, const dusk_event_node *node, size_t at);
void dusk_forest_index_free(dusk_forest_index *index);

#endif
