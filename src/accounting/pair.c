/* SPDX-License-Identifier: Apache-2.0 */
/* From a composition to its dominating pairs: what each kind of event and each
 * wrapper becomes [Zhu, Dong & Wang 2022, "Optimal accounting of differential
 * privacy via characteristic function"]. Sums stay sums: a pair for each part,
 * all Gaussians in one. A wrapper that samples needs what it wraps as a single
 * pair that runs once. Events that only have Renyi curves are refused. The
 * derivations are in pair.proof.md. */
#include <float.h>

#include "accounting/bound.h"
#include "accounting/pair_build.h"
#include "base/memory.h"
#include "base/mutant.h"

#define NONE SIZE_MAX
#define RANGE_MOST 300 /* of a bounded range that is more than a pure promise */
#define WORK 64        /* times its size: how much may be looked at for one tree */

void dusk_builder_clear(dusk_builder *b)
{
    for (size_t i = 0; i < b->pairs.count; i++) dusk_pair_clear(&b->pairs.pair[i]);
    dusk_deallocate(b->pairs.pair);
    b->pairs.pair = NULL;
    b->pairs.count = b->room = 0;
}

void dusk_pairs_free(dusk_pairs *pairs)
{
    dusk_builder b = { .pairs = *pairs };
    dusk_builder_clear(&b);
    *pairs = b.pairs;
}

dusk_status dusk_builder_refuse(const dusk_builder *b, const dusk_event_node *tree)
{
    return dusk_fail_unsupported(b->err, b->accountant, tree);
}

/* a b, or UINT64_MAX when that is larger than counts can be */
uint64_t dusk_times_product(uint64_t a, uint64_t b)
{
    return b != 0 && a > DUSK_EVENT_TIMES_MAX / b ? UINT64_MAX : a * b;
}

/* One more pair, run `times`; the builder owns it from now on, whatever happens. */
dusk_status dusk_builder_add_pair(dusk_builder *b, dusk_pair *pair, const dusk_event_node *tree,
                                  uint64_t times)
{
    dusk_status status = DUSK_OK;
    dusk_error *err = b->err;
    pair->tree = tree;
    pair->times = times;
    DUSK_GROW(b->pairs.pair, b->room, b->pairs.count);
    b->pairs.pair[b->pairs.count++] = *pair;
    return DUSK_OK;
done:
    dusk_pair_clear(pair);
    return status;
}

/* The Gaussian pairs become one; mu^2 of `times` runs is added to it. */
static dusk_status add_gaussian(dusk_builder *b, const dusk_pair *pair, const dusk_event_node *tree,
                                uint64_t times)
{
    dusk_pair sum = *pair;
    if (!(sum.mu_squared.upper > 0)) return DUSK_OK;
    sum.kind = DUSK_PAIR_GAUSSIAN;
    if (times != 1) {
        sum.mu_squared = dusk_bound_mul(sum.mu_squared, dusk_bound_of_whole(times));
        sum.sigma = 0;
    }
    if (b->gaussian == NONE) {
        b->gaussian = b->pairs.count;
        return dusk_builder_add_pair(b, &sum, tree, 1);
    }
    dusk_pair *merged = &b->pairs.pair[b->gaussian];
    merged->mu_squared = dusk_bound_add(merged->mu_squared, sum.mu_squared);
    merged->tight = merged->tight && sum.tight;
    merged->sigma = 0;
    return DUSK_OK;
}

dusk_status dusk_builder_add_all(dusk_builder *b, dusk_pairs *found, const dusk_event_node *tree,
                                 uint64_t times)
{
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < found->count; i++) {
        dusk_pair pair = found->pair[i];
        found->pair[i].loss = found->pair[i].mass = NULL;
        uint64_t runs = dusk_times_product(pair.times, times);
        if (status != DUSK_OK || runs == UINT64_MAX) {
            dusk_pair_clear(&pair);
            if (status == DUSK_OK) status = dusk_builder_refuse(b, tree);
        } else if (pair.kind == DUSK_PAIR_GAUSSIAN) {
            status = add_gaussian(b, &pair, tree, runs);
        } else {
            status = dusk_builder_add_pair(b, &pair, tree, runs);
        }
    }
    return status;
}

dusk_builder dusk_builder_like(const dusk_builder *b, dusk_direction direction)
{
    return (dusk_builder){ .pairs.direction = direction,
                           .gaussian = NONE,
                           .group = b->group,
                           .accountant = b->accountant,
                           .work = b->work,
                           .maxima = b->maxima,
                           .err = b->err };
}

/* The sum below a wrapper or a branch. */
dusk_status dusk_builder_add_below(dusk_builder *b, const dusk_event_node *parent, uint64_t times)
{
    dusk_status status = DUSK_OK;
    for (const dusk_event_node *e = dusk_event_first_below(parent); e && status == DUSK_OK;
         e = dusk_event_next_below(parent, e)) {
        uint64_t runs = dusk_times_product(e->times, times);
        status = runs == UINT64_MAX ? dusk_builder_refuse(b, e) : dusk_builder_add(b, e, runs);
    }
    return status;
}

/* How many times the distance of adding or removing one unit. */
static uint64_t distance_factor(const dusk_builder *b)
{
    return dusk_times_product(
        b->group, DUSK_MUTATE(REPLACE_IS_REMOVE, b->pairs.direction == DUSK_REPLACE, false) ? 2 : 1);
}

/* mu = factor norm / sigma, mu^2 `nodes` times */
static dusk_status add_noise(dusk_builder *b, const dusk_event_node *tree, uint64_t times, double sigma,
                             double norm, uint64_t nodes)
{
    uint64_t factor = distance_factor(b);
    dusk_bound scale = dusk_bound_mul(dusk_bound_of_whole(factor), dusk_bound_of(norm));
    dusk_bound mu = dusk_bound_div(scale, dusk_bound_of(sigma));
    dusk_pair pair = { .mu_squared = dusk_bound_mul(dusk_bound_mul(mu, mu), dusk_bound_of_whole(nodes)) };
    /* in a tree that is not full no leaf need have all those nodes */
    pair.tight = tree->kind != DUSK_EVENT_TREE || (tree->whole[0] & (tree->whole[0] - 1)) == 0;
    /* 1/mu when it is a double */
    double down = dusk_div_down(sigma, scale.upper), up = dusk_div_up(sigma, scale.lower);
    if (nodes == 1 && down == up && scale.lower == scale.upper && down >= DBL_MIN) pair.sigma = down;
    return add_gaussian(b, &pair, tree, times);
}

/* Nodes of a binary tree above and at a leaf of n: ceil(log2 n) + 1. */
static uint64_t tree_depth(uint64_t n)
{
    uint64_t depth = 1;
    for (uint64_t width = 1; width < n && depth < 65; depth++)
        width = width < UINT64_C(1) << 63 ? 2 * width : UINT64_MAX;
    return depth;
}

/* (epsilon, delta) for `group` units: (k e, d (1 + e^e + ... + e^((k-1) e))). */
DUSK_PROVEN(dusk_builder_add_approx)
dusk_status dusk_builder_add_approx(dusk_builder *b, const dusk_event_node *tree, uint64_t times,
                                    dusk_bound epsilon, double delta, bool tight)
{
    dusk_bound d = dusk_bound_of(delta), units = dusk_bound_of_whole(b->group);
    dusk_bound e = dusk_bound_mul(epsilon, units);
    if (b->group > 1 && delta > 0) {
        /* at most k terms, none above e^((k-1) e) */
        double growth = dusk_mul_up(epsilon.upper, dusk_sub_up(units.upper, 1));
        double sum = dusk_mul_up(units.upper, dusk_exp_up(growth));
        if (epsilon.lower > 0) {
            double geometric = dusk_div_up(dusk_expm1_up(e.upper), dusk_expm1_down(epsilon.lower));
            if (geometric < sum) sum = geometric;
        }
        double total = dusk_mul_up(delta, sum);
        d = dusk_bound_of(total < 1 ? total : 1);
    }
    if (!(e.upper > 0) && !(d.upper > 0)) return DUSK_OK;
    if (isinf(e.upper)) return dusk_builder_refuse(b, tree);
    dusk_pair pair = { 0 };
    dusk_status status = dusk_atoms_approx(&pair, e, d, b->err);
    if (status != DUSK_OK) return status;
    pair.tight = tight && b->group == 1;
    return dusk_builder_add_pair(b, &pair, tree, times);
}

/* Bounded range, for k units k times that: ranges of losses add up. */
static dusk_status add_exponential(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    double range = dusk_mul_up(dusk_bound_of_whole(b->group).upper, tree->real[0]);
    dusk_pair pair = { 0 };
    if (!(range > 0)) return DUSK_OK;
    if (range > RANGE_MOST) /* no better than what a pure promise says */
        return dusk_builder_add_approx(b, tree, times, dusk_bound_of(tree->real[0]), 0, false);
    dusk_status status = dusk_atoms_bounded_range(&pair, range, b->err);
    return status == DUSK_OK ? dusk_builder_add_pair(b, &pair, tree, times) : status;
}

static dusk_status add_laplace(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_pair pair = { .kind = DUSK_PAIR_LAPLACE, .tight = true, .rate = 1 };
    pair.direction = b->pairs.direction == DUSK_ADD ? DUSK_ADD : DUSK_REMOVE;
    pair.scale = dusk_bound_div(dusk_bound_of(tree->real[0]), dusk_bound_of_whole(distance_factor(b)));
    if (!(pair.scale.lower > 0)) return dusk_builder_refuse(b, tree);
    return dusk_builder_add_pair(b, &pair, tree, times);
}

/* Discrete noise at the distance `whole` times the factor. */
static dusk_status add_discrete(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    uint64_t distance = dusk_times_product(tree->whole[0], distance_factor(b));
    dusk_pair pair = { 0 };
    dusk_status status;
    if (distance == 0) return DUSK_OK;
    if (distance == UINT64_MAX) return dusk_builder_refuse(b, tree);
    if (tree->kind == DUSK_EVENT_DISCRETE_GAUSSIAN) {
        if (!dusk_atoms_gaussian_fits(tree->real[0])) return dusk_builder_refuse(b, tree);
        status = dusk_atoms_discrete_gaussian(&pair, tree->real[0], distance, b->err);
    } else if (distance <= DUSK_DISCRETE_LAPLACE_MAX) {
        status = dusk_atoms_discrete_laplace(&pair, tree->real[0], distance, b->err);
    } else {
        dusk_bound epsilon = dusk_bound_div(dusk_bound_of_whole(distance), dusk_bound_of(tree->real[0]));
        if (isinf(epsilon.upper)) return dusk_builder_refuse(b, tree);
        status = dusk_atoms_approx(&pair, epsilon, dusk_bound_of(0), b->err);
        pair.tight = false;
    }
    return status == DUSK_OK ? dusk_builder_add_pair(b, &pair, tree, times) : status;
}

/* Kinds whose pair is written for one unit; groups take the pure way. */
static dusk_status add_plain(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_pair pair = { 0 };
    dusk_status status;
    switch (tree->kind) {
    case DUSK_EVENT_RANDOMIZED_RESPONSE:
        status = dusk_atoms_response(&pair, tree->real[0], tree->whole[0], b->err);
        break;
    case DUSK_EVENT_STAIRCASE:
        status = dusk_atoms_staircase(&pair, tree->real[0], tree->real[1], b->err);
        break;
    case DUSK_EVENT_FDP: status = dusk_atoms_tradeoff(&pair, tree, b->err); break;
    case DUSK_EVENT_PLD: status = dusk_atoms_losses(&pair, tree, b->err); break;
    default: return dusk_builder_refuse(b, tree);
    }
    return status == DUSK_OK ? dusk_builder_add_pair(b, &pair, tree, times) : status;
}

DUSK_PROVEN(dusk_builder_add)
dusk_status dusk_builder_add(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    double first = tree->real[0];
    if (times == 0) return DUSK_OK;
    if ((*b->work)-- == 0)
        return dusk_fail(b->err, DUSK_ERR_UNSUPPORTED, "", "events are nested too often to be resolved");
    switch (tree->kind) {
    case DUSK_EVENT_PURE: return dusk_builder_add_approx(b, tree, times, dusk_bound_of(first), 0, true);
    case DUSK_EVENT_APPROX:
        return dusk_builder_add_approx(b, tree, times, dusk_bound_of(first), tree->real[1], true);
    case DUSK_EVENT_EXPONENTIAL: return add_exponential(b, tree, times);
    case DUSK_EVENT_PERMUTE_AND_FLIP:
    case DUSK_EVENT_NOISY_MAX: return dusk_builder_add_approx(b, tree, times, dusk_bound_of(first), 0, false);
    case DUSK_EVENT_SVT: {
        dusk_bound sum = dusk_bound_add(dusk_bound_of(first), dusk_bound_of(tree->real[1]));
        return dusk_builder_add_approx(b, tree, times, sum, 0, false);
    }
    case DUSK_EVENT_METRIC: {
        if (b->pairs.direction != DUSK_REPLACE) return dusk_builder_refuse_direction(b, "a distance");
        dusk_bound product = dusk_bound_mul(dusk_bound_of(first), dusk_bound_of(tree->real[1]));
        return dusk_builder_add_approx(b, tree, times, product, 0, true);
    }
    case DUSK_EVENT_GDP: {
        dusk_bound mu = dusk_bound_mul(dusk_bound_of_whole(b->group), dusk_bound_of(first));
        dusk_pair pair = { .tight = true, .mu_squared = dusk_bound_mul(mu, mu) };
        return add_gaussian(b, &pair, tree, times);
    }
    case DUSK_EVENT_GAUSSIAN: return add_noise(b, tree, times, first, 1, 1);
    case DUSK_EVENT_MATRIX: return add_noise(b, tree, times, first, tree->real[1], 1);
    case DUSK_EVENT_TREE: return add_noise(b, tree, times, first, 1, tree_depth(tree->whole[0]));
    case DUSK_EVENT_LAPLACE: return add_laplace(b, tree, times);
    case DUSK_EVENT_DISCRETE_LAPLACE:
    case DUSK_EVENT_DISCRETE_GAUSSIAN: return add_discrete(b, tree, times);
    case DUSK_EVENT_THRESHOLD_MONITOR: return dusk_builder_add_monitor(b, tree, times);
    case DUSK_EVENT_STAIRCASE:
        if (b->pairs.direction == DUSK_REPLACE) /* twice the distance, twice the loss */
            return dusk_builder_add_approx(b, tree, times, dusk_bound_of(2 * first), 0, false);
        return b->group > 1 ? dusk_builder_add_group_of(b, tree, times) : add_plain(b, tree, times);
    case DUSK_EVENT_RANDOMIZED_RESPONSE:
    case DUSK_EVENT_FDP:
    case DUSK_EVENT_PLD:
        return b->group > 1 ? dusk_builder_add_group_of(b, tree, times) : add_plain(b, tree, times);
    default: return dusk_builder_add_wrapper(b, tree, times);
    }
}

/* A folded law is reached at each eps by one order of the neighbours or the
 * other, not by one for all: its lower bounds are those of a single run. */
static void settle_tightness(dusk_pairs *pairs)
{
    bool single = pairs->count == 1 && pairs->pair[0].times == 1;
    for (size_t i = 0; i < pairs->count && !single; i++)
        if (dusk_event_has_kind(pairs->pair[i].tree, DUSK_EVENT_WITHOUT_REPLACEMENT))
            pairs->pair[i].tight = false;
}

dusk_status dusk_pairs_resolve(dusk_pairs *out, const dusk_composition *composition, dusk_direction direction,
                               const char *accountant, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t work;
    dusk_builder maxima = { .err = err };
    dusk_builder b = { .pairs.direction = direction,
                       .gaussian = NONE,
                       .group = 1,
                       .accountant = accountant,
                       .work = &work,
                       .maxima = &maxima,
                       .err = err };
    for (const dusk_event_node *tree = dusk_composition_first(composition); tree;
         tree = dusk_composition_next(composition, tree)) {
        work = WORK * (size_t)tree->span;
        b.alone = tree->span == 1 && composition->count == 1 && tree->times == 1;
        DUSK_TRY(dusk_builder_add(&b, tree, tree->times));
    }
    dusk_builder_clear(&maxima);
    settle_tightness(&b.pairs);
    *out = b.pairs;
    return DUSK_OK;
done:
    dusk_builder_clear(&maxima);
    dusk_builder_clear(&b);
    return status;
}
