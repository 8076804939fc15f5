/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_SPLITS_H
#define DUSK_LEARN_SPLITS_H

/* Decision trees on bins: complete ones, of a public depth. Node 0 is the root, 2 k + 1 and 2 k + 2 are below node k; the last
 * 2^depth nodes are leaves. What tree.c and forest.c share. */

#include "learn/bins.h"
#include "learn/learner.h"

enum { LEARN_DEPTH_MOST = 10 };

/* Rows whose bin of `column` is `bin` (of a category), or `bin` and above (of a number), go to the second node below. */
typedef struct learn_split {
    uint16_t column, bin;
} learn_split;

/* All splits that a node may have, column by column; public. */
typedef struct learn_candidates {
    learn_split *split;
    size_t count;
    bool *ordered; /* of each column */
} learn_candidates;
DUSK_MUST_USE dusk_status learn_candidates_init(learn_candidates *out, const learn_bins *bins,
                                                const dusk_fields *fields, dusk_error *err);
void learn_candidates_clear(learn_candidates *candidates);

static inline bool learn_split_second(learn_split split, bool ordered, uint16_t code)
{
    return ordered ? code >= split.bin : code == split.bin;
}

static inline size_t learn_inner(unsigned depth) { return ((size_t)1 << depth) - 1; }

/* How mixed the classes of some rows are: n - (sum of squares of counts) / n, Gini impurity times rows, in steps of
 * 1 / LEARN_IMPURITY_ONE, rounded down. One row more makes it larger by 0 to 2. Proof: splits.proof.md. */
#define LEARN_IMPURITY_BITS 12
#define LEARN_IMPURITY_ONE 0x1p12
int64_t learn_impurity(const int64_t *count, size_t classes);

/* Move every row from its node of level `depth`, numbered from 0 within the level, to the one below; splits are those of that level. */
void learn_splits_descend(uint16_t *node, const learn_codes *codes, const learn_split *level,
                          const bool *ordered);
/* totals[leaf * classes + c] = how many rows of class c are in a leaf. */
void learn_leaves_count(dusk_int128 *totals, const uint16_t *node, const learn_codes *codes, unsigned depth,
                        size_t classes);

/* From noisy counts of leaves to chances of classes, leaf by leaf: those of a node are drawn towards those of the node above,
 * the more so the fewer rows it has beside the noise. `deviation` is that of a count. Post-processing. */
DUSK_MUST_USE dusk_status learn_leaves_chances(double *chances, const double *counts, unsigned depth,
                                               size_t classes, double deviation, dusk_error *err);

/* Model arrays of `trees` trees: "splits" (a row each: field, bin), "bins" (their edges), "scores" (a row a leaf, a column a class). */
DUSK_MUST_USE dusk_status learn_trees_put(dusk_model *model, const learn_bins *bins, const learn_split *split,
                                          const double *scores, size_t trees, unsigned depth, size_t classes,
                                          dusk_error *err);
/* Are they whole? */
bool learn_trees_complete(const dusk_model *model);
/* The softmax of the sum of scores of the leaves that a row is in. */
DUSK_MUST_USE dusk_status learn_trees_predict(const dusk_model *model, const dusk_frame *frame, double *out,
                                              dusk_error *err);

#endif
