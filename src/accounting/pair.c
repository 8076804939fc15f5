/* SPDX-License-Identifier: Apache-2.0 */
/* From a composition to its dominating pairs: what each kind of event and each
 * wrapper becomes [Zhu, Dong & Wang 2022, "Optimal accounting of differential
 * privacy via characteristic function"]. Sums stay sums: a pair for each part,
 * all Gaussians in one. A wrapper that samples needs what it wraps as a single
 * pair that runs once. Events that only have Renyi curves are refused. The
 * derivations are in pair.proof.md. */
#include "accounting/pair.h"

#include <float.h>

#include "accounting/bound.h"
#include "accounting/pair_make.h"
#include "base/memory.h"
#include "base/mutant.h"

#define NONE SIZE_MAX

/* What is asked, and what was found so far. */
typedef struct builder {
    dusk_pairs pairs; /* direction: what is asked */
    size_t room, gaussian;
    uint64_t group; /* units together */
    const char *accountant;
    dusk_error *err;
} builder;

static dusk_status add_tree(builder *b, const dusk_event_node *tree, uint64_t times);

static void builder_clear(builder *b)
{
    for (size_t i = 0; i < b->pairs.count; i++) dusk_pair_clear(&b->pairs.pair[i]);
    dusk_deallocate(b->pairs.pair);
    b->pairs.pair = NULL;
    b->pairs.count = b->room = 0;
}

void dusk_pairs_free(dusk_pairs *pairs)
{
    builder b = { .pairs = *pairs };
    builder_clear(&b);
    *pairs = b.pairs;
}

static dusk_status refuse(const builder *b, const dusk_event_node *tree)
{
    return dusk_fail_unsupported(b->err, b->accountant, tree);
}

/* a b, or UINT64_MAX when that is larger than counts can be */
static uint64_t product(uint64_t a, uint64_t b)
{
    return b != 0 && a > DUSK_EVENT_TIMES_MAX / b ? UINT64_MAX : a * b;
}

/* One more pair, run `times`; the builder owns it from now on, whatever happens. */
static dusk_status add_pair(builder *b, dusk_pair *pair, const dusk_event_node *tree, uint64_t times)
{
    dusk_status status = DUSK_OK;
    dusk_error *err = b->err;
    pair->tree = tree;
    pair->times = times;
    if (b->pairs.count == b->room) {
        dusk_pair *more;
        size_t room = b->room ? 2 * b->room : 8;
        DUSK_NEW(more, room);
        for (size_t i = 0; i < b->pairs.count; i++) more[i] = b->pairs.pair[i];
        dusk_deallocate(b->pairs.pair);
        b->pairs.pair = more;
        b->room = room;
    }
    b->pairs.pair[b->pairs.count++] = *pair;
    return DUSK_OK;
done:
    dusk_pair_clear(pair);
    return status;
}

/* The Gaussian pairs become one; mu^2 of `times` runs is added to it. */
static dusk_status add_gaussian(builder *b, const dusk_pair *pair, const dusk_event_node *tree,
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
        return add_pair(b, &sum, tree, 1);
    }
    dusk_pair *merged = &b->pairs.pair[b->gaussian];
    merged->mu_squared = dusk_bound_add(merged->mu_squared, sum.mu_squared);
    merged->tight = merged->tight && sum.tight;
    merged->sigma = 0;
    return DUSK_OK;
}

/* Take over what another builder found. */
static dusk_status add_all(builder *b, dusk_pairs *found, const dusk_event_node *tree, uint64_t times)
{
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < found->count; i++) {
        dusk_pair pair = found->pair[i];
        found->pair[i].loss = found->pair[i].mass = NULL;
        uint64_t runs = product(pair.times, times);
        if (status != DUSK_OK || runs == UINT64_MAX) {
            dusk_pair_clear(&pair);
            if (status == DUSK_OK) status = refuse(b, tree);
        } else if (pair.kind == DUSK_PAIR_GAUSSIAN) {
            status = add_gaussian(b, &pair, tree, runs);
        } else {
            status = add_pair(b, &pair, tree, runs);
        }
    }
    return status;
}

static builder builder_like(const builder *b, dusk_direction direction)
{
    return (builder){ .pairs.direction = direction,
                      .gaussian = NONE,
                      .group = b->group,
                      .accountant = b->accountant,
                      .err = b->err };
}

/* The sum below a wrapper or a branch. */
static dusk_status add_below(builder *b, const dusk_event_node *parent, uint64_t times)
{
    dusk_status status = DUSK_OK;
    for (const dusk_event_node *e = dusk_event_first_below(parent); e && status == DUSK_OK;
         e = dusk_event_next_below(parent, e)) {
        uint64_t runs = product(e->times, times);
        status = runs == UINT64_MAX ? refuse(b, e) : add_tree(b, e, runs);
    }
    return status;
}

/* The sum below `parent` as one pair that runs once, moved to *out; *empty when
 * there is no effect at all. Refuses when there are several. */
static dusk_status single_below(dusk_pair *out, bool *empty, const builder *b, const dusk_event_node *parent,
                                dusk_direction direction)
{
    dusk_status status = DUSK_OK;
    builder below = builder_like(b, direction);
    DUSK_TRY(add_below(&below, parent, 1));
    *empty = below.pairs.count == 0;
    if (*empty) goto done;
    if (below.pairs.count > 1 || below.pairs.pair[0].times > 1) DUSK_TRY(refuse(b, parent));
    *out = below.pairs.pair[0];
    below.pairs.pair[0].loss = below.pairs.pair[0].mass = NULL;
done:
    builder_clear(&below);
    return status;
}

/* How many times the distance of adding or removing one unit. */
static uint64_t distance_factor(const builder *b)
{
    return product(b->group,
                   DUSK_MUTATE(REPLACE_IS_REMOVE, b->pairs.direction == DUSK_REPLACE, false) ? 2 : 1);
}

/* mu = factor norm / sigma, mu^2 `nodes` times */
static dusk_status add_noise(builder *b, const dusk_event_node *tree, uint64_t times, double sigma,
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
static dusk_status add_approx(builder *b, const dusk_event_node *tree, uint64_t times, dusk_bound epsilon,
                              double delta, bool tight)
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
    if (isinf(e.upper)) return refuse(b, tree);
    dusk_pair pair = { 0 };
    dusk_status status = dusk_atoms_approx(&pair, e, d, b->err);
    if (status != DUSK_OK) return status;
    pair.tight = tight && b->group == 1;
    return add_pair(b, &pair, tree, times);
}

static dusk_status add_laplace(builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_pair pair = { .kind = DUSK_PAIR_LAPLACE, .tight = true, .rate = 1 };
    pair.direction = b->pairs.direction == DUSK_ADD ? DUSK_ADD : DUSK_REMOVE;
    pair.scale = dusk_bound_div(dusk_bound_of(tree->real[0]), dusk_bound_of_whole(distance_factor(b)));
    if (!(pair.scale.lower > 0)) return refuse(b, tree);
    return add_pair(b, &pair, tree, times);
}

/* Discrete noise at the distance `whole` times the factor. */
static dusk_status add_discrete(builder *b, const dusk_event_node *tree, uint64_t times)
{
    uint64_t distance = product(tree->whole[0], distance_factor(b));
    dusk_pair pair = { 0 };
    dusk_status status;
    if (distance == 0) return DUSK_OK;
    if (distance == UINT64_MAX) return refuse(b, tree);
    if (tree->kind == DUSK_EVENT_DISCRETE_GAUSSIAN) {
        if (!dusk_atoms_gaussian_fits(tree->real[0])) return refuse(b, tree);
        status = dusk_atoms_discrete_gaussian(&pair, tree->real[0], distance, b->err);
    } else if (distance <= DUSK_DISCRETE_LAPLACE_MAX) {
        status = dusk_atoms_discrete_laplace(&pair, tree->real[0], distance, b->err);
    } else {
        dusk_bound epsilon = dusk_bound_div(dusk_bound_of_whole(distance), dusk_bound_of(tree->real[0]));
        if (isinf(epsilon.upper)) return refuse(b, tree);
        status = dusk_atoms_approx(&pair, epsilon, dusk_bound_of(0), b->err);
        pair.tight = false;
    }
    return status == DUSK_OK ? add_pair(b, &pair, tree, times) : status;
}

/* Kinds whose pair is written for one unit; groups take the pure way. */
static dusk_status add_plain(builder *b, const dusk_event_node *tree, uint64_t times)
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
    default: return refuse(b, tree);
    }
    return status == DUSK_OK ? add_pair(b, &pair, tree, times) : status;
}

/* Whether all noise below is added to a number, so that "nothing" has a law. */
static bool is_additive(const dusk_event_node *tree)
{
    switch (tree->kind) {
    case DUSK_EVENT_GAUSSIAN:
    case DUSK_EVENT_LAPLACE:
    case DUSK_EVENT_TREE:
    case DUSK_EVENT_MATRIX: return true;
    case DUSK_EVENT_POISSON:
    case DUSK_EVENT_GROUP:
        for (const dusk_event_node *e = dusk_event_first_below(tree); e; e = dusk_event_next_below(tree, e))
            if (!is_additive(e)) return false;
        return true;
    default: return false;
    }
}

/* The pair of poisson(rate, .) from that of what is below; the direction is that
 * of the answer. */
static dusk_status sample_pair(dusk_pair *pair, const builder *b, const dusk_event_node *tree, double rate)
{
    dusk_direction direction = b->pairs.direction;
    switch (pair->kind) {
    case DUSK_PAIR_ATOMS:
        if (direction == DUSK_REPLACE) return dusk_atoms_reveal(pair, dusk_bound_of(rate), b->err);
        return dusk_atoms_sample(pair, dusk_bound_of(rate), direction, b->err);
    case DUSK_PAIR_GAUSSIAN:
        dusk_gaussian_sample(pair, rate, direction);
        if (!(pair->sigma > 0 && isfinite(pair->sigma))) return refuse(b, tree);
        return DUSK_OK;
    case DUSK_PAIR_MIXTURE:
        if (pair->folded) return refuse(b, tree);
        for (size_t j = 1; j <= pair->shifts; j++) pair->weight[j] *= rate;
        pair->direction = direction;
        return DUSK_OK;
    case DUSK_PAIR_LAPLACE:
        if (pair->folded) return refuse(b, tree);
        pair->rate *= rate;
        pair->direction = direction;
        return DUSK_OK;
    }
    return refuse(b, tree);
}

static dusk_status add_poisson(builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_status status = DUSK_OK;
    dusk_pair pair = { 0 };
    bool empty, additive = is_additive(tree);
    double rate = tree->real[0];
    if (!(rate > 0)) return DUSK_OK;
    if (rate >= 1) return add_below(b, tree, times);
    /* x or nothing against x' or nothing: the distances to nothing count */
    dusk_direction direction = b->pairs.direction;
    if (direction == DUSK_REPLACE && additive) direction = DUSK_REMOVE;
    DUSK_TRY(single_below(&pair, &empty, b, tree, direction));
    if (empty) return DUSK_OK;
    if (b->pairs.direction == DUSK_REPLACE && !additive && pair.kind != DUSK_PAIR_ATOMS)
        DUSK_TRY(refuse(b, tree));
    DUSK_TRY(sample_pair(&pair, b, tree, rate));
    return add_pair(b, &pair, tree, times);
done:
    dusk_pair_clear(&pair);
    return status;
}

/* The largest loss of a pair that has one, else +inf. */
static double largest_loss(const dusk_pair *pair)
{
    if (pair->infinite.upper > 0) return INFINITY;
    if (pair->kind == DUSK_PAIR_ATOMS) return pair->atoms ? pair->loss[pair->atoms - 1].upper : 0;
    if (pair->kind != DUSK_PAIR_LAPLACE) return INFINITY;
    double loss = dusk_div_up(1, pair->scale.lower); /* to nothing, sampled or not */
    return pair->direction == DUSK_REPLACE ? 2 * loss : loss;
}

/* A group of k has k times the largest loss of one, both directions counted. */
static dusk_status add_group_by_loss(builder *b, const dusk_event_node *tree, uint64_t times)
{
    const dusk_direction both[] = { DUSK_REMOVE, DUSK_ADD }, one[] = { DUSK_REPLACE };
    bool replace = b->pairs.direction == DUSK_REPLACE;
    const dusk_direction *direction = replace ? one : both;
    dusk_status status = DUSK_OK;
    double epsilon = 0;
    for (size_t i = 0; i < (replace ? 1 : 2) && status == DUSK_OK; i++) {
        builder single = builder_like(b, direction[i]);
        double sum = 0;
        single.group = 1;
        status = add_tree(&single, tree, 1);
        for (size_t j = 0; j < single.pairs.count && status == DUSK_OK; j++) {
            const dusk_pair *pair = &single.pairs.pair[j];
            sum = dusk_add_up(sum, dusk_mul_up(dusk_bound_of_whole(pair->times).upper, largest_loss(pair)));
        }
        if (sum > epsilon) epsilon = sum;
        builder_clear(&single);
    }
    if (status == DUSK_OK && !isfinite(epsilon)) status = refuse(b, tree);
    if (status != DUSK_OK) return status;
    return add_approx(b, tree, times, dusk_bound_of(epsilon), 0, false);
}

/* poisson(q, Gaussians) for k units, each taken on its own. */
static dusk_status add_group_of_sampled(builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_status status = DUSK_OK;
    builder single = builder_like(b, b->pairs.direction);
    single.group = 1;
    DUSK_TRY(add_tree(&single, tree, 1));
    if (single.pairs.count == 0) goto done;
    dusk_pair *pair = &single.pairs.pair[0];
    if (single.pairs.count > 1 || pair->kind != DUSK_PAIR_MIXTURE || pair->shifts != 1 || b->group > 31)
        DUSK_TRY(refuse(b, tree));
    dusk_mixture_group(pair, b->group);
    DUSK_TRY(add_all(b, &single.pairs, tree, times));
done:
    builder_clear(&single);
    return status;
}

static bool has_kind(const dusk_event_node *tree, uint32_t kind)
{
    for (const dusk_event_node *e = tree; e < tree + tree->span; e++)
        if (e->kind == kind) return true;
    return false;
}

/* What is not a leaf, for several units together. */
static dusk_status add_group_of(builder *b, const dusk_event_node *tree, uint64_t times)
{
    if (tree->kind == DUSK_EVENT_POISSON && tree->real[0] >= 1) return add_below(b, tree, times);
    if (tree->kind == DUSK_EVENT_POISSON && is_additive(tree) && !has_kind(tree, DUSK_EVENT_LAPLACE))
        return add_group_of_sampled(b, tree, times);
    return add_group_by_loss(b, tree, times);
}

static dusk_status add_group(builder *b, const dusk_event_node *tree, uint64_t times)
{
    uint64_t before = b->group;
    b->group = product(before, tree->whole[0]);
    dusk_status status = b->group == UINT64_MAX ? refuse(b, tree) : DUSK_OK;
    if (b->group > 0 && status == DUSK_OK) status = add_below(b, tree, times);
    b->group = before;
    return status;
}

static dusk_status refuse_direction(const builder *b, const char *what)
{
    return dusk_fail(b->err, DUSK_ERR_UNSUPPORTED, "ask with --neighbours replace-one (DUSK_REPLACE_ONE)",
                     "%s has a price only where a unit is replaced, its number of units being public", what);
}

/* [Balle, Barthe & Gaboardi 2018, Theorem 9], from the pair for replacing. */
static dusk_status add_without_replacement(builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_status status = DUSK_OK;
    dusk_pair pair = { 0 };
    bool empty;
    if (b->pairs.direction != DUSK_REPLACE) return refuse_direction(b, "sampling without replacement");
    if (tree->whole[0] == 0) return DUSK_OK;
    if (tree->whole[0] >= tree->whole[1]) return add_below(b, tree, times);
    dusk_bound rate =
        dusk_bound_div(dusk_bound_of_whole(tree->whole[0]), dusk_bound_of_whole(tree->whole[1]));
    if (rate.upper >= 1) rate.upper = 1 - 0x1p-53;
    DUSK_TRY(single_below(&pair, &empty, b, tree, DUSK_REPLACE));
    if (empty) return DUSK_OK;
    if (pair.kind == DUSK_PAIR_ATOMS) {
        DUSK_TRY(dusk_atoms_sample(&pair, rate, DUSK_REMOVE, b->err));
        DUSK_TRY(dusk_atoms_fold(&pair, b->err));
    } else if (pair.kind == DUSK_PAIR_GAUSSIAN) {
        dusk_gaussian_sample(&pair, rate.upper, DUSK_REMOVE);
        pair.folded = true;
        if (!(pair.sigma > 0 && isfinite(pair.sigma))) DUSK_TRY(refuse(b, tree));
    } else if (pair.kind == DUSK_PAIR_LAPLACE && pair.rate >= 1) {
        pair.rate = rate.upper;
        pair.direction = DUSK_REMOVE;
        pair.folded = true;
    } else {
        DUSK_TRY(refuse(b, tree));
    }
    return add_pair(b, &pair, tree, times);
done:
    dusk_pair_clear(&pair);
    return status;
}

/* For Gaussian noise where a unit is added or removed. */
static dusk_status add_with_replacement(builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_pair pair = { 0 };
    bool empty;
    for (const dusk_event_node *e = dusk_event_first_below(tree); e; e = dusk_event_next_below(tree, e))
        if (!is_additive(e) || has_kind(e, DUSK_EVENT_POISSON)) return refuse(b, tree);
    if (b->pairs.direction == DUSK_REPLACE || tree->whole[1] < 2) return refuse(b, tree);
    if (tree->whole[0] == 0) return DUSK_OK;
    dusk_status status = single_below(&pair, &empty, b, tree, b->pairs.direction);
    if (status != DUSK_OK || empty) return status;
    if (pair.kind != DUSK_PAIR_GAUSSIAN ||
        !dusk_gaussian_draws(&pair, tree->whole[0], tree->whole[1], b->pairs.direction) ||
        !(pair.sigma >= DBL_MIN && isfinite(pair.sigma)))
        return refuse(b, tree);
    return add_pair(b, &pair, tree, times);
}

static dusk_status add_wrapper(builder *b, const dusk_event_node *tree, uint64_t times)
{
    if (tree->kind == DUSK_EVENT_GROUP) return add_group(b, tree, times);
    if (b->group > 1) return add_group_of(b, tree, times);
    switch (tree->kind) {
    case DUSK_EVENT_POISSON: return add_poisson(b, tree, times);
    case DUSK_EVENT_WITHOUT_REPLACEMENT: return add_without_replacement(b, tree, times);
    case DUSK_EVENT_WITH_REPLACEMENT: return add_with_replacement(b, tree, times);
    default: return add_plain(b, tree, times);
    }
}

static dusk_status add_tree(builder *b, const dusk_event_node *tree, uint64_t times)
{
    double first = tree->real[0];
    if (times == 0) return DUSK_OK;
    switch (tree->kind) {
    case DUSK_EVENT_PURE: return add_approx(b, tree, times, dusk_bound_of(first), 0, true);
    case DUSK_EVENT_APPROX: return add_approx(b, tree, times, dusk_bound_of(first), tree->real[1], true);
    case DUSK_EVENT_EXPONENTIAL:
    case DUSK_EVENT_PERMUTE_AND_FLIP:
    case DUSK_EVENT_NOISY_MAX: return add_approx(b, tree, times, dusk_bound_of(first), 0, false);
    case DUSK_EVENT_SVT: {
        dusk_bound sum = dusk_bound_add(dusk_bound_of(first), dusk_bound_of(tree->real[1]));
        return add_approx(b, tree, times, sum, 0, false);
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
    case DUSK_EVENT_STAIRCASE:
        if (b->pairs.direction == DUSK_REPLACE) /* twice the distance, twice the loss */
            return add_approx(b, tree, times, dusk_bound_of(2 * first), 0, false);
        return b->group > 1 ? add_group_of(b, tree, times) : add_plain(b, tree, times);
    default: return add_wrapper(b, tree, times);
    }
}

/* A folded law is reached at each eps by one order of the neighbours or the
 * other, not by one for all: its lower bounds are those of a single run. */
static void settle_tightness(dusk_pairs *pairs)
{
    bool single = pairs->count == 1 && pairs->pair[0].times == 1;
    for (size_t i = 0; i < pairs->count && !single; i++)
        if (has_kind(pairs->pair[i].tree, DUSK_EVENT_WITHOUT_REPLACEMENT)) pairs->pair[i].tight = false;
}

dusk_status dusk_pairs_resolve(dusk_pairs *out, const dusk_composition *composition, dusk_direction direction,
                               const char *accountant, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    builder b = {
        .pairs.direction = direction, .gaussian = NONE, .group = 1, .accountant = accountant, .err = err
    };
    for (const dusk_event_node *tree = dusk_composition_first(composition); tree;
         tree = dusk_composition_next(composition, tree))
        DUSK_TRY(add_tree(&b, tree, tree->times));
    settle_tightness(&b.pairs);
    *out = b.pairs;
    return DUSK_OK;
done:
    builder_clear(&b);
    return status;
}
