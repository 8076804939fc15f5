/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_PAIR_BUILD_H
#define DUSK_ACCOUNTING_PAIR_BUILD_H

/* How dusk_pairs_resolve walks through events: a builder collects the pairs of
 * what was added to it, in one direction, for a number of units together.
 * pair.c has the mechanisms, pair_wrap.c the wrappers, pair_parallel.c what runs
 * on disjoint parts, pair_shuffle.c shuffled reports. */

#include "accounting/pair_make.h"

/* What is asked, and what was found so far. */
typedef struct dusk_builder {
    dusk_pairs pairs; /* direction: what is asked */
    size_t room, gaussian;
    uint64_t group; /* units together */
    const char *accountant;
    bool alone;   /* one tree, run once, is all there is */
    size_t *work; /* trees that may still be added: wrappers in wrappers can double it each time */
    struct dusk_builder *maxima; /* pairs of parallels without a worst branch, by tree: found once */
    dusk_error *err;
} dusk_builder;

/* An empty one that is asked the same but for the direction. */
dusk_builder dusk_builder_like(const dusk_builder *b, dusk_direction direction);
void dusk_builder_clear(dusk_builder *b);
/* DUSK_ERR_UNSUPPORTED. */
dusk_status dusk_builder_refuse(const dusk_builder *b, const dusk_event_node *tree);
/* The same, of what is about replacing by nature, where adding or removing is asked about. */
dusk_status dusk_builder_refuse_direction(const dusk_builder *b, const char *what);

/* A tree, `times` of it; what is below one; a wrapper (pair_wrap.c). */
DUSK_MUST_USE dusk_status dusk_builder_add(dusk_builder *b, const dusk_event_node *tree, uint64_t times);
DUSK_MUST_USE dusk_status dusk_builder_add_below(dusk_builder *b, const dusk_event_node *parent,
                                                 uint64_t times);
DUSK_MUST_USE dusk_status dusk_builder_add_wrapper(dusk_builder *b, const dusk_event_node *tree,
                                                   uint64_t times);
/* For several units together: k times the largest loss of one. */
DUSK_MUST_USE dusk_status dusk_builder_add_group_of(dusk_builder *b, const dusk_event_node *tree,
                                                    uint64_t times);
/* pair_parallel.c */
DUSK_MUST_USE dusk_status dusk_builder_add_parallel(dusk_builder *b, const dusk_event_node *tree,
                                                    uint64_t times);
/* pair_shuffle.c */
DUSK_MUST_USE dusk_status dusk_builder_add_shuffle(dusk_builder *b, const dusk_event_node *tree,
                                                   uint64_t times);
/* pair_monitor.c */
DUSK_MUST_USE dusk_status dusk_builder_add_monitor(dusk_builder *b, const dusk_event_node *tree,
                                                   uint64_t times);
/* One more pair, run `times`; the builder owns it from now on, whatever happens. */
DUSK_MUST_USE dusk_status dusk_builder_add_pair(dusk_builder *b, dusk_pair *pair, const dusk_event_node *tree,
                                                uint64_t times);
/* Take over all pairs of `found`, each `times` as often. */
DUSK_MUST_USE dusk_status dusk_builder_add_all(dusk_builder *b, dusk_pairs *found,
                                               const dusk_event_node *tree, uint64_t times);
/* (epsilon, delta)-privacy of one unit, for all of them. */
DUSK_MUST_USE dusk_status dusk_builder_add_approx(dusk_builder *b, const dusk_event_node *tree,
                                                  uint64_t times, dusk_bound epsilon, double delta,
                                                  bool tight);

/* a b, or UINT64_MAX when that is larger than counts can be */
uint64_t dusk_times_product(uint64_t a, uint64_t b);
/* Whether a kind is in a tree. */
bool dusk_event_has_kind(const dusk_event_node *tree, uint32_t kind);
/* Whether all noise below is added to a number, so that "nothing" has a law. */
bool dusk_event_is_additive(const dusk_event_node *tree);

#endif
