/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed as a whole: blocks in a list, each filled from its start. */
#include <stdalign.h>
#include <string.h>

#include "base/memory.h"
#include "query/expression.h"

#define BLOCK ((size_t)16384)

typedef struct block {
    struct block *next;
    size_t used, room;
} block;

struct query_arena {
    block *first; /* the one that is being filled */
};

static size_t header(void)
{
    return (sizeof(block) + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
}

dusk_status query_arena_new(query_arena **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    query_arena *arena = NULL;
    DUSK_NEW(arena, 1);
    *out = arena;
done:
    return status;
}

void query_arena_free(query_arena *arena)
{
    if (!arena) return;
    for (block *at = arena->first, *next; at; at = next) {
        next = at->next;
        dusk_deallocate(at);
    }
    dusk_deallocate(arena);
}

void *query_arena_take(query_arena *arena, size_t count, size_t size)
{
    size_t most = SIZE_MAX / 2;
    if (size != 0 && count > most / size) return NULL;
    size_t wanted = count * size;
    wanted = (wanted + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    block *at = arena->first;
    if (!at || at->room - at->used < wanted) {
        size_t room = wanted > BLOCK ? wanted : BLOCK;
        block *fresh = dusk_allocate(header() + room, 1);
        if (!fresh) return NULL;
        fresh->room = room;
        /* A large piece gets a block of its own, behind the one that is being filled. */
        if (at && wanted > BLOCK / 2) {
            fresh->next = at->next;
            at->next = fresh;
        } else {
            fresh->next = at;
            arena->first = fresh;
        }
        at = fresh;
    }
    void *memory = (char *)at + header() + at->used;
    at->used += wanted;
    return memory;
}

char *query_arena_text(query_arena *arena, const char *text, size_t length)
{
    char *copy = query_arena_take(arena, length + 1, 1);
    if (copy && length > 0) memcpy(copy, text, length);
    return copy;
}
