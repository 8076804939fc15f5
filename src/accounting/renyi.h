/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_RENYI_H
#define DUSK_ACCOUNTING_RENYI_H

/* Renyi divergences of compositions at any real order. A composition is made
 * ready once: each tree is resolved to dominating pairs where it has some, and
 * otherwise priced by a theorem about its kind, wrappers from what is below
 * them. Everything that is returned is an upper bound for the neighbouring
 * relation, the worse of its directions. */

#include "accounting/pair.h"

/* Whole orders up to this one are used by sampling theorems. */
#define DUSK_RENYI_ORDERS 256

/* One tree, or one below it; those below follow it. */
typedef struct dusk_renyi_part {
    const dusk_event_node *tree; /* borrowed */
    uint64_t times;              /* how often it runs */
    uint64_t group;              /* units together, >= 1 */
    dusk_neighbours neighbours;
    size_t span; /* parts of this subtree, itself included */
    bool by_pairs, by_theorem;
    dusk_pairs pairs[2]; /* by_pairs: of one run, REMOVE and ADD, or REPLACE alone */
    size_t directions;
    double extra; /* select_best: what the auxiliary order costs, */
    double runs;  /* and ln of the mean number of runs */
    double *memo; /* what is below at orders that are asked for often, NAN: not known yet. Sampling by
                     theorem: whole orders. select_poisson: those of its search */
} dusk_renyi_part;

typedef struct dusk_renyi {
    size_t count, room;
    dusk_renyi_part *part;
} dusk_renyi;

/* Make ready; DUSK_ERR_UNSUPPORTED names what has no price. On failure *out owns
 * nothing. The composition must outlive it. */
DUSK_MUST_USE dusk_status dusk_renyi_new(dusk_renyi *out, const dusk_composition *composition,
                                         const char *accountant, dusk_error *err);
/* The same for one tree. */
DUSK_MUST_USE dusk_status dusk_renyi_of_tree(dusk_renyi *out, const dusk_event_node *tree,
                                             dusk_neighbours neighbours, const char *accountant,
                                             dusk_error *err);
void dusk_renyi_free(dusk_renyi *renyi);

/* ln of the moment E[exp(s L); L < inf] of the whole, s > 0; and the probability
 * of an infinite loss that goes with it. */
double dusk_renyi_moment_up(const dusk_renyi *renyi, double s);
double dusk_renyi_infinite_up(const dusk_renyi *renyi);
/* The divergence of order alpha in (1, inf]; +inf when there is none. */
double dusk_renyi_divergence_up(const dusk_renyi *renyi, double alpha);
/* rdp.c: the least epsilon for a delta, and the least delta, of any order. */
double dusk_renyi_epsilon_up(const dusk_renyi *renyi, double delta);
double dusk_renyi_delta_up(const dusk_renyi *renyi, double epsilon);

/* Within: divergence of one run of a part, whatever prices it. */
double dusk_renyi_part_up(const dusk_renyi_part *part, double alpha);
/* The sum below a part, all times counted. */
double dusk_renyi_below_up(const dusk_renyi_part *part, double alpha);
/* renyi_leaf.c, renyi_wrapper.c: by theorem. */
double dusk_renyi_leaf_up(const dusk_renyi_part *part, double alpha);
double dusk_renyi_wrapper_up(const dusk_renyi_part *part, double alpha);
/* What select_best adds to the divergence of one run, but for ln E[runs]. */
double dusk_renyi_select_extra(const dusk_renyi_part *part);
double dusk_renyi_select_runs(const dusk_renyi_part *part);
/* D of `group` units from that of one [Mironov 2017, Proposition 2]. */
typedef double dusk_renyi_single(const dusk_renyi_part *part, double alpha);
double dusk_renyi_group_up(dusk_renyi_single *single, const dusk_renyi_part *part, double alpha);

#endif
