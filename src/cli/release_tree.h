/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_RELEASE_TREE_H
#define DUSK_CLI_RELEASE_TREE_H

/* What the mechanisms of dusk release that count over trees share: the request with its
 * shares, noisy counts as --counts wants them, and their intervals. */

#include "cli/release.h"

typedef struct release_tree {
    dusk_hierarchy *hierarchy;
    size_t nodes, levels;
    uint32_t *level; /* of a node */
    uint64_t *exact; /* of leaves; zeros until the data is read */
    double *counts;  /* as released */
    double *widths;  /* half-widths of `counts` that hold for all at once */
} release_tree;

/* Check everything that is public; `parents` as for dusk_hierarchy_new. */
dusk_status release_tree_new(const release_job *job, release_tree *tree, const uint32_t *parents,
                             size_t nodes, dusk_error *err);
/* The same for a handle that is there already, which is taken. */
dusk_status release_tree_take(const release_job *job, release_tree *tree, dusk_hierarchy *hierarchy,
                              const uint32_t *parents, size_t nodes, dusk_error *err);
/* The request of this job. */
dusk_status release_tree_ask(const release_job *job, dusk_aggregate *how, dusk_error *err);
/* --shares, with room for DUSK_HIERARCHY_LEVELS_MAX; *levels is 0 for equal ones and
 * SIZE_MAX for the optimal ones. */
dusk_status release_tree_shares(const release_job *job, double *shares, size_t *levels, dusk_error *err);
/* Release `exact`, and do to the counts what --counts says. */
dusk_status release_tree_release(const release_job *job, release_tree *tree, dusk_error *err);
/* "count", "low" and "high" of node i. */
void release_tree_json(release_job *job, const release_tree *tree, size_t i);
/* Half-widths, level by level. */
void release_tree_describe(const release_job *job, const release_tree *tree, release_receipt *receipt);
void release_tree_free(release_tree *tree);

#endif
