/* SPDX-License-Identifier: Apache-2.0 */
/* The dominating pair of a threshold monitor [Kaplan, Mansour & Stemmer 2021; Cohen & Lyu
 * 2023]: for one of its k contributions, how many answers below come before an answer
 * above when every answer is a randomized response. Proof: pair_monitor.proof.md. */
#include "accounting/bound.h"
#include "accounting/pair_build.h"
#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"

/* Answers below in a row that get an atom each, until the rest has a mass below LEAST. */
enum { MOST_BELOW = 8191 };
#define LEAST 0x1p-210

/* n + 1 atoms: enough for the rest to be negligible. */
static size_t count_atoms(double below)
{
    double rest = below;
    size_t n = 0;
    while (n < MOST_BELOW && rest > LEAST) {
        rest = dusk_mul_up(rest, below);
        n++;
    }
    return n + 1;
}

/* (g - 1) eps, g = 0, 1, ... */
static dusk_bound loss_of(size_t g, double epsilon)
{
    double less = (double)g - 1;
    if (g == 0) return dusk_bound_of(-epsilon);
    return (dusk_bound){ dusk_mul_down(less, epsilon), dusk_mul_up(less, epsilon) };
}

DUSK_PROVEN(dusk_atoms_monitor)
dusk_status dusk_atoms_monitor(dusk_pair *pair, double epsilon, dusk_direction direction, dusk_error *err)
{
    bool add = direction == DUSK_ADD;
    dusk_bound one = dusk_bound_of(1), t = dusk_bound_exp(dusk_bound_of(-epsilon));
    dusk_bound often = dusk_bound_clamp(dusk_bound_div(one, dusk_bound_add(one, t)));
    dusk_bound seldom = dusk_bound_clamp(dusk_bound_div(t, dusk_bound_add(one, t)));
    dusk_bound above = add ? seldom : often, below = add ? often : seldom;
    size_t n = count_atoms(below.upper);
    dusk_status status = dusk_atoms_new(pair, n, err);
    if (status != DUSK_OK) return status;
    dusk_bound rest = one, other = one; /* that the first g answers are below, with P and with Q */
    for (size_t g = 0; g < n; g++) {
        size_t i = add ? g : n - 1 - g;
        dusk_bound loss = loss_of(g, epsilon);
        pair->loss[i] = add ? loss : dusk_bound_neg(loss);
        pair->mass[i] = dusk_bound_mul(rest, above);
        rest = dusk_bound_mul(rest, below);
        other = dusk_bound_mul(other, add ? seldom : often);
    }
    if (add) {
        pair->infinite = (dusk_bound){ 0, rest.upper };
    } else {
        pair->mass[0].upper = dusk_add_up(pair->mass[0].upper, rest.upper);
        pair->absent = other;
        pair->absent_at = -loss_of(n, epsilon).lower;
    }
    pair->lattice = true;
    pair->origin = pair->loss[0];
    pair->step = dusk_bound_of(epsilon);
    pair->tight = true;
    dusk_atoms_finish(pair);
    return DUSK_OK;
}

/* k of them; a unit that is replaced by another is removed and added. */
DUSK_PROVEN(dusk_builder_add_monitor)
dusk_status dusk_builder_add_monitor(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_direction asked = b->pairs.direction;
    uint64_t runs = dusk_times_product(times, DUSK_MUTATE(MONITOR_PRICED_ONCE, tree->whole[0], 1));
    if (b->group > 1 || runs == UINT64_MAX) return dusk_builder_refuse(b, tree);
    for (dusk_direction d = DUSK_REMOVE; d <= DUSK_ADD; d++) {
        dusk_pair pair = { 0 };
        if (asked != DUSK_REPLACE && asked != d) continue;
        dusk_status status = dusk_atoms_monitor(&pair, tree->real[0], d, b->err);
        if (status == DUSK_OK) status = dusk_builder_add_pair(b, &pair, tree, runs);
        if (status != DUSK_OK) return status;
    }
    return DUSK_OK;
}
