/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_QUADTREE_H
#define DUSK_MECHANISMS_QUADTREE_H

/* The inside of dusk_quadtree: a box, how it is cut, and the hierarchy of its cells. */

#include "mechanisms/hierarchy.h"

struct dusk_quadtree {
    dusk_box box;
    uint32_t split, depth;
    dusk_outside outside;
    uint32_t side;             /* cells in a row of the last level: split^depth */
    size_t nodes, last;        /* nodes; the first one of the last level */
    double *x_edges, *y_edges; /* of the last level: side + 1 */
    size_t *spread;            /* where a column's digits stand in the number of a cell */
    dusk_hierarchy *hierarchy;
};

/* The node of the last level that holds a point, or `nodes` when it is in none. */
size_t dusk_quadtree_find(const dusk_quadtree *q, double x, double y);

#endif
