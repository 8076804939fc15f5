/* SPDX-License-Identifier: Apache-2.0 */
/* The binary tree of partial sums [Dwork, Naor, Pitassi & Rothblum 2010; Chan, Shi &
 * Song 2011]: which nodes close in a step, their exact sums from O(log n) numbers, and
 * which nodes make up a range of steps. A number is in one node of each level, so that
 * one item moves at most `levels` released sums; no node is longer than the window.
 *
 * Sums of all steps from the first need nodes of even number only (the left ones):
 * step t then releases one node, of level ctz(t), and nothing else. Honaker's estimate
 * and windows need all nodes, two a step on average.
 *
 * A stream without a length goes by epochs of 1, 2, 4, ... steps, each with a tree of its
 * own [Chan, Shi & Song 2011, the hybrid mechanism]: the tree below has a step 0 in which
 * nothing happens, and epoch k is its node 1 of level k.
 *
 * No noise here: stream.c adds it. Proof: binary_tree.proof.md. */
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/stream.h"

unsigned dusk_tree_levels(uint64_t n)
{
    unsigned levels = 0;
    for (; n > 0; n >>= 1) levels++;
    return levels;
}

/* Two places are enough for a node and its sibling; a window looks further back, and `keep` to
 * the beginning. */
static uint64_t places(uint64_t length, uint64_t window, bool keep, unsigned level)
{
    if (keep) return (length >> level) + 2;
    return window < length ? (window >> level) + 2 : 2;
}

dusk_status dusk_tree_new(dusk_tree *out, bool all, bool keep, uint64_t length, uint64_t window,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_tree tree = { .levels = dusk_tree_levels(window), .all = all || window < length };

    for (unsigned j = 0; j < tree.levels; j++) {
        tree.room[j] = places(length, window, keep, j);
        DUSK_NEW(tree.kept[j], tree.room[j] + 1);
    }
    *out = tree;
    return DUSK_OK;
done:
    dusk_tree_free(&tree);
    return status;
}

void dusk_tree_free(dusk_tree *tree)
{
    for (unsigned j = 0; j < DUSK_TREE_LEVELS_MAX; j++) dusk_deallocate(tree->kept[j]);
    dusk_wipe(tree, sizeof *tree); /* exact sums are in it */
}

/* Node 1 has a place of its own: without a length it is the whole of an epoch. */
dusk_int128 *dusk_tree_node(const dusk_tree *tree, unsigned level, uint64_t i)
{
    return &tree->kept[level][i == 1 ? tree->room[level] : i % tree->room[level]];
}

/* The nodes that end at step t >= 1: levels 0 .. ctz(t), as far as there are levels. */
static unsigned last_level(const dusk_tree *tree, uint64_t t)
{
    unsigned zeros = (unsigned)__builtin_ctzll(t);
    return zeros < tree->levels ? zeros : tree->levels - 1;
}

DUSK_PROVEN(dusk_tree_epoch)
unsigned dusk_tree_epoch(uint64_t step) { return dusk_tree_levels(step) - 1; }

DUSK_PROVEN(dusk_tree_closing)
unsigned dusk_tree_closing(const dusk_tree *tree, unsigned *first)
{
    unsigned last = last_level(tree, tree->steps + 1);
    *first = tree->all ? 0 : last;
    return last - *first + 1;
}

/* A node of odd number closes with its parent: its sum and that of its sibling, the
 * last even node of the level, are the parent's. */
DUSK_PROVEN(dusk_tree_add)
void dusk_tree_add(dusk_tree *tree, dusk_int128 number, dusk_int128 *sums)
{
    unsigned first, count = dusk_tree_closing(tree, &first);
    dusk_int128 sum = number;
    uint64_t t = ++tree->steps;
    for (unsigned j = 0; j < first + count; j++) {
        if (j >= first) sums[j - first] = sum;
        if (t >> j & 1)
            tree->left[j] = sum;
        else
            sum += tree->left[j];
    }
}

DUSK_PROVEN(dusk_tree_next_level)
unsigned dusk_tree_next_level(unsigned levels, uint64_t from, uint64_t to)
{
    unsigned level = from ? (unsigned)__builtin_ctzll(from) : levels - 1;
    if (level > levels - 1) level = levels - 1;
    while (UINT64_C(1) << level > to - from) level--;
    return level;
}
