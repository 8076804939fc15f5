/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_RELEASE_TREE_H
#define DUSK_CLI_RELEASE_TREE_H

/* What the mechanisms of dusk release that count over trees share: the request with its
 * shares, noisy counts as --counts wants them, and their intervals. */

#include "cli/release.h"

typedef struct release_tree {
    const dusk_hierarchy *hierarchy;
    dusk_hierarchy *own; /* the same, or NULL when it belongs to somebody else */
    size_t nodes, levels;
    uint32_t *level; /* of a node */
    uint64_t *exact; /* of leaves; zeros until the data is read */
    double *fitted;  /* counts that agree, with --counts consistent and non-negative */
    double *counts;  /* as released */
    double *widths;  /* half-widths of `counts` that hold for all at once */
} release_tree;

/* Check everything that is public; `parents` as for dusk_hierarchy_new. */
dusk_status release_tree_new(const release_job *job, release_tree *tree, const uint32_t *parents,
                             size_t nodes, dusk_error *err);
/* The same for a handle that is there already, which is borrowed. */
dusk_status release_tree_borrow(const release_job *job, release_tree *tree, const dusk_hierarchy *hierarchy,
                                const uint32_t *parents, size_t nodes, dusk_error *err);
/* --shares, with room for DUSK_HIERARCHY_LEVELS_MAX; *levels is 0 for equal ones and
 * SIZE_MAX for the optimal ones. */
dusk_status release_tree_shares(const release_job *job, double *shares, size_t *levels, dusk_error *err);
/* --query is answered from counts that agree. */
dusk_status release_tree_check_query(const release_job *job, dusk_error *err);
/* A sum over leaves, and how far noise puts it off; in a dry run the latter only. */
dusk_status release_tree_answer(const release_tree *tree, const double *weights, double *value, double *width,
                                dusk_error *err);
/* Do to noisy counts what --counts says. */
dusk_status release_tree_adjust(const release_job *job, release_tree *tree, dusk_error *err);
/* Release `exact`, and adjust. */
dusk_status release_tree_release(const release_job *job, release_tree *tree, dusk_error *err);
/* "count" and "interval" of node i. */
void release_tree_json(release_job *job, const release_tree *tree, size_t i);
/* Half-widths, level by level; or the largest of `n` answers to --query. */
void release_tree_describe(const release_job *job, const release_tree *tree, release_receipt *receipt);
void release_tree_describe_answers(const release_job *job, release_receipt *receipt, const double *widths,
                                   size_t n);
void release_tree_free(release_tree *tree);

/* One range of --query: LO:HI for each of its dimensions. */
enum { RELEASE_QUERIES_MAX = 1000 };
typedef struct release_range {
    double low[2], high[2];
} release_range;
/* Read LO:HI,...;LO:HI,... (or one such box of another option); how many there are. */
dusk_status release_ranges_parse(release_range *out, size_t *n, size_t room, size_t dimensions,
                                 const char *option, const char *text, dusk_error *err);
/* Print answers and their half-widths (values NULL: a dry run). */
void release_answers_print(release_job *job, const double *values, const double *widths, size_t n, bool json);

#endif
