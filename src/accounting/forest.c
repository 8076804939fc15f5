/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of trees that grow, and finding equal trees in them; see forest.h. The
 * index is the binary counter of Bentley & Saxe 1980: sorted runs of 2^k
 * entries, two of a length being merged into one, so that n additions cost
 * O(n log n) and a search O(log^2 n), at worst. */
#include "accounting/forest.h"

#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"

dusk_status dusk_forest_reserve(dusk_forest *forest, size_t more, dusk_error *err)
{
    if (more <= forest->room - forest->count) return DUSK_OK;
    /* A span has 32 bits, and a tree is never longer than its list. */
    if (more > UINT32_MAX || forest->count + more > UINT32_MAX) return dusk_fail_memory(err);
    size_t room = 2 * (forest->count + more);
    dusk_event_node *node = dusk_larger(forest->node, forest->count, room, sizeof *node);
    if (!node) return dusk_fail_memory(err);
    forest->node = node;
    forest->room = room;
    return DUSK_OK;
}

dusk_status dusk_forest_push(dusk_forest *forest, dusk_event_node node, dusk_error *err)
{
    dusk_status status = dusk_forest_reserve(forest, 1, err);
    if (status == DUSK_OK) forest->node[forest->count++] = node;
    return status;
}

void dusk_forest_free(dusk_forest *forest)
{
    dusk_deallocate(forest->node);
    *forest = (dusk_forest){ 0 };
}

static size_t count_trees(const dusk_forest *forest, size_t from)
{
    size_t trees = 0;
    for (size_t at = from; at < forest->count; at += forest->node[at].span) trees++;
    return trees;
}

dusk_status dusk_forest_merge(dusk_forest *forest, size_t from, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_forest_index index = { 0 };
    dusk_event_node *node = forest->node;
    size_t trees = count_trees(forest, from), end = from;
    if (trees < 2) return DUSK_OK;
    DUSK_TRY(dusk_forest_index_reserve(&index, trees, err));
    for (size_t at = from, span; at < forest->count; at += span) {
        span = node[at].span;
        size_t equal = dusk_forest_index_find(&index, node, &node[at]);
        if (equal == DUSK_FOREST_NONE) {
            memmove(&node[end], &node[at], span * sizeof *node);
            dusk_forest_index_add(&index, node, end);
            end += span;
        } else if (node[at].times > DUSK_EVENT_TIMES_MAX - node[equal].times) {
            DUSK_TRY(dusk_fail_times(err));
        } else {
            node[equal].times += DUSK_MUTATE(FOREST_EQUALS_VANISH, node[at].times, 0);
        }
    }
    forest->count = end;
done:
    dusk_forest_index_free(&index);
    return status;
}

static uint64_t mixed(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ (h >> 29);
}

/* Of all that dusk_event_same looks at. */
static uint64_t hash_of(const dusk_event_node *tree)
{
    uint64_t h = 0, word[6];
    for (uint32_t i = 0; i < tree->span; i++) {
        memcpy(word, &tree[i], sizeof word);
        if (i == 0) word[5] = 0; /* how often the tree runs */
        for (unsigned j = 0; j < 6; j++) h = mixed(h, word[j]);
    }
    return h;
}

/* An order of trees in which the equal ones, and only they, compare as 0. */
static int compared(const dusk_forest_entry *a, const dusk_event_node *x, const dusk_forest_entry *b,
                    const dusk_event_node *y)
{
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    if (x->span != y->span) return x->span < y->span ? -1 : 1;
    int root = memcmp(x, y, sizeof *x - sizeof x->times);
    return root ? root : memcmp(x + 1, y + 1, (x->span - 1) * sizeof *x);
}

dusk_status dusk_forest_index_reserve(dusk_forest_index *index, size_t more, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_forest_entry *entry;
    if (more <= index->room - index->count) return DUSK_OK;
    size_t room = 2 * (index->count + more);
    DUSK_NEW(entry, 2 * room);
    if (index->count) memcpy(entry, index->entry, index->count * sizeof *entry);
    dusk_deallocate(index->entry);
    index->entry = entry;
    index->room = room;
done:
    return status;
}

size_t dusk_forest_index_find(const dusk_forest_index *index, const dusk_event_node *node,
                              const dusk_event_node *tree)
{
    dusk_forest_entry wanted = { .hash = hash_of(tree) };
    size_t from = 0;
    for (size_t bit = (size_t)1 << 40; bit; bit >>= 1) {
        if (!(index->count & bit)) continue;
        const dusk_forest_entry *run = index->entry + from;
        size_t low = 0, high = bit;
        while (low < high) {
            size_t middle = (low + high) / 2;
            int order = compared(&run[middle], &node[run[middle].at], &wanted, tree);
            if (order == 0) return run[middle].at;
            if (order < 0)
                low = middle + 1;
            else
                high = middle;
        }
        from += bit;
    }
    return DUSK_FOREST_NONE;
}

/* Two neighbouring runs of the same length into one. */
static void merge_runs(dusk_forest_entry *run, size_t length, dusk_forest_entry *spare,
                       const dusk_event_node *node)
{
    size_t i = 0, j = length, to = 0;
    memcpy(spare, run, length * sizeof *run);
    while (i < length && j < 2 * length)
        run[to++] =
            compared(&spare[i], &node[spare[i].at], &run[j], &node[run[j].at]) < 0 ? spare[i++] : run[j++];
    memcpy(run + to, spare + i, (length - i) * sizeof *run);
}

void dusk_forest_index_add(dusk_forest_index *index, const dusk_event_node *node, size_t at)
{
    dusk_forest_entry *end = index->entry + index->count;
    *end = (dusk_forest_entry){ .hash = hash_of(&node[at]), .at = at };
    for (size_t length = 1; index->count & length; length *= 2) {
        end -= length;
        merge_runs(end, length, index->entry + index->room, node);
    }
    index->count++;
}

void dusk_forest_index_free(dusk_forest_index *index)
{
    dusk_deallocate(index->entry);
    *index = (dusk_forest_index){ 0 };
}
