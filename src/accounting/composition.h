/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_COMPOSITION_H
#define DUSK_ACCOUNTING_COMPOSITION_H

/* The inside of dusk_composition, and how an accountant reads one: a list of
 * trees as in event.h, in the same normal form (equal trees are counted
 * together), of any length. A tree that came from text may have more nodes
 * than an event; none is deeper than DUSK_EVENT_DEPTH_MAX. */

#include "accounting/forest.h"

struct dusk_composition {
    dusk_neighbours neighbours;
    size_t count, room;      /* nodes in use, nodes allocated */
    dusk_event_node *node;   /* trees one behind the other: node, node + node->span, ... */
    dusk_forest_index index; /* of the trees */
};

/* for (const dusk_event_node *tree = dusk_composition_first(c); tree; tree = dusk_composition_next(c, tree)) */
const dusk_event_node *dusk_composition_first(const dusk_composition *composition);
const dusk_event_node *dusk_composition_next(const dusk_composition *composition,
                                             const dusk_event_node *tree);
/* The same for what is below a wrapper, a table or a branch. */
const dusk_event_node *dusk_event_first_below(const dusk_event_node *parent);
const dusk_event_node *dusk_event_next_below(const dusk_event_node *parent, const dusk_event_node *child);

/* DUSK_ERR_UNSUPPORTED: "the contour accountant cannot price select_best(...)",
 * with the text of the tree (cut to 80 bytes). */
dusk_status dusk_fail_unsupported(dusk_error *err, const char *accountant, const dusk_event_node *tree);

/* event_text.c: the trees of a sum, in normal form. With `many`, counts may be 0
 * and what then does nothing is left out; without, the text is of one event. A
 * number may be called by the name `variable` (NULL: none), standing for `value`.
 * On failure *out is empty. */
typedef struct dusk_event_grammar {
    bool many;
    const char *variable;
    double value;
} dusk_event_grammar;
DUSK_MUST_USE dusk_status dusk_forest_parse(dusk_forest *out, const char *text,
                                            const dusk_event_grammar *grammar, dusk_error *err);

#endif
