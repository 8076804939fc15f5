/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_TREE_H
#define DUSK_LOCAL_TREE_H

/* The shape of a hierarchical histogram, and how well it knows things. Level 0 has the leaves, one a category; level `levels` is the root, whose count is known. A node
 * has 2^bits children, but the last one of a level may have fewer.
 *
 * Every node below the root is measured, all with the same variance, which is the unit here. What is known of a node from its own measurement and those below it has the variance `spread`, between 0 and 1; all nodes of a level
 * have the same, but the last one may have another. */

#include "local/protocol.h"

#define TREE_LEVELS 28 /* at most, of a task that passes the check */

typedef struct tree_shape {
    uint32_t levels, bits;
    uint64_t nodes[TREE_LEVELS + 1];
    uint64_t offset[TREE_LEVELS + 1]; /* of its counters; [levels]: how many there are */
    uint64_t width[TREE_LEVELS];      /* counters of a level: a power of 2 */
    double spread[TREE_LEVELS + 1], last[TREE_LEVELS + 1];
} tree_shape;

void local_tree_shape(tree_shape *out, const dusk_client_task *task);
/* The best estimate of a range is `fixed` times the number of reports, and a sum over nodes: the squares of its coefficients. */
double local_tree_squares(const tree_shape *shape, uint64_t from, uint64_t to, double *fixed);

#endif
