/* SPDX-License-Identifier: Apache-2.0 */
/* What wrappers make of the pairs below them: sampling [Zhu, Dong & Wang 2022,
 * Theorem 11; Balle, Barthe & Gaboardi 2018, Theorem 9] and groups. A wrapper
 * that samples needs what it wraps as a single pair that runs once. The
 * derivations are in pair_wrap.proof.md. */
#include <float.h>
#include <mpfr.h>

#include "accounting/bound.h"
#include "accounting/pair_build.h"
#include "base/mutant.h"

/* The sum below `parent` as one pair that runs once, moved to *out; *empty when
 * there is no effect at all. Refuses when there are several. */
static dusk_status single_below(dusk_pair *out, bool *empty, const dusk_builder *b,
                                const dusk_event_node *parent, dusk_direction direction)
{
    dusk_status status = DUSK_OK;
    dusk_builder below = dusk_builder_like(b, direction);
    DUSK_TRY(dusk_builder_add_below(&below, parent, 1));
    *empty = below.pairs.count == 0;
    if (*empty) goto done;
    if (below.pairs.count > 1 || below.pairs.pair[0].times > 1)
        DUSK_TRY(dusk_fail(b->err, DUSK_ERR_UNSUPPORTED, "the rdp accountant may do",
                           "the %s accountant cannot price a sample on which several mechanisms run",
                           b->accountant));
    *out = below.pairs.pair[0];
    below.pairs.pair[0].loss = below.pairs.pair[0].mass = NULL;
done:
    dusk_builder_clear(&below);
    return status;
}

/* Whether all noise below is added to a number, so that "nothing" has a law. */
bool dusk_event_is_additive(const dusk_event_node *tree)
{
    switch (tree->kind) {
    case DUSK_EVENT_GAUSSIAN:
    case DUSK_EVENT_LAPLACE:
    case DUSK_EVENT_TREE:
    case DUSK_EVENT_MATRIX: return true;
    case DUSK_EVENT_POISSON:
    case DUSK_EVENT_GROUP:
        for (const dusk_event_node *e = dusk_event_first_below(tree); e; e = dusk_event_next_below(tree, e))
            if (!dusk_event_is_additive(e)) return false;
        return true;
    default: return false;
    }
}

/* A weight times a rate, exactly, or rounded up: more weight is worse. */
static void multiply(double *weight, double rate, dusk_pair *pair)
{
    double product = *weight * rate;
    if (product >= DBL_MIN && fma(*weight, rate, -product) == 0) {
        *weight = product;
        return;
    }
    pair->tight = false;
    product = dusk_mul_up(*weight, rate);
    *weight = product > DBL_MIN ? product : DBL_MIN;
}

/* poisson(q1, poisson(q2, ...)) is poisson(q1 q2 ..., .): the last of them, and the
 * product rounded up; *exact says whether it had to be. */
DUSK_PROVEN(chain)
static const dusk_event_node *chain(const dusk_event_node *tree, double *rate, bool *exact)
{
    mpfr_t product; /* of at most DUSK_EVENT_DEPTH_MAX doubles */
    mpfr_init2(product, 53 * (DUSK_EVENT_DEPTH_MAX + 1));
    mpfr_set_d(product, tree->real[0], MPFR_RNDN);
    for (;;) {
        const dusk_event_node *below = dusk_event_first_below(tree);
        if (!below || below->kind != DUSK_EVENT_POISSON || below->times != 1 ||
            dusk_event_next_below(tree, below))
            break;
        tree = below;
        mpfr_mul_d(product, product, tree->real[0], MPFR_RNDN);
    }
    *rate = mpfr_get_d(product, MPFR_RNDU);
    if (*rate > 0 && *rate < DBL_MIN) *rate = DBL_MIN;
    *exact = mpfr_cmp_d(product, *rate) == 0;
    mpfr_clear(product);
    return tree;
}

/* The pair of poisson(rate, .) from that of what is below; the direction is that
 * of the answer. */
static dusk_status sample_pair(dusk_pair *pair, const dusk_builder *b, const dusk_event_node *tree,
                               double rate)
{
    dusk_direction direction = b->pairs.direction;
    switch (pair->kind) {
    case DUSK_PAIR_ATOMS:
        if (direction == DUSK_REPLACE) return dusk_atoms_reveal(pair, dusk_bound_of(rate), b->err);
        return dusk_atoms_sample(pair, dusk_bound_of(rate), direction, b->err);
    case DUSK_PAIR_GAUSSIAN:
        dusk_gaussian_sample(pair, rate, direction);
        if (!(pair->sigma > 0 && isfinite(pair->sigma))) return dusk_builder_refuse(b, tree);
        return DUSK_OK;
    case DUSK_PAIR_MIXTURE:
        if (pair->folded) return dusk_builder_refuse(b, tree);
        for (size_t j = 1; j <= pair->shifts; j++) multiply(&pair->weight[j], rate, pair);
        pair->weight[0] = 0;
        pair->direction = direction;
        return DUSK_OK;
    case DUSK_PAIR_LAPLACE:
        if (pair->folded) return dusk_builder_refuse(b, tree);
        multiply(&pair->rate, rate, pair);
        pair->direction = direction;
        return DUSK_OK;
    }
    return dusk_builder_refuse(b, tree);
}

DUSK_PROVEN(add_poisson)
static dusk_status add_poisson(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_status status = DUSK_OK;
    dusk_pair pair = { 0 };
    bool empty, exact, additive = dusk_event_is_additive(tree);
    double rate;
    const dusk_event_node *last = chain(tree, &rate, &exact);
    if (!(rate > 0)) return DUSK_OK;
    if (rate >= 1) return dusk_builder_add_below(b, last, times);
    /* x or nothing against x' or nothing: the distances to nothing count */
    dusk_direction direction = b->pairs.direction;
    if (direction == DUSK_REPLACE && additive) direction = DUSK_REMOVE;
    DUSK_TRY(single_below(&pair, &empty, b, last, direction));
    if (!empty && direction != b->pairs.direction && pair.kind == DUSK_PAIR_ATOMS) {
        dusk_pair_clear(&pair); /* a promise, not noise: then that about replacing is what counts */
        DUSK_TRY(single_below(&pair, &empty, b, last,
                              DUSK_MUTATE(PROMISE_OF_REMOVING, b->pairs.direction, direction)));
    }
    if (empty) return DUSK_OK;
    if (rate <= DBL_MIN) pair.tight = false;
    if (b->pairs.direction == DUSK_REPLACE && !additive && pair.kind != DUSK_PAIR_ATOMS)
        DUSK_TRY(dusk_builder_refuse(b, tree));
    DUSK_TRY(sample_pair(&pair, b, tree, rate));
    return dusk_builder_add_pair(b, &pair, tree, times);
done:
    dusk_pair_clear(&pair);
    return status;
}

/* The largest loss of a pair that has one, else +inf. */
static double largest_loss(const dusk_pair *pair)
{
    if (pair->infinite.upper > 0) return INFINITY;
    if (pair->kind == DUSK_PAIR_ATOMS) return pair->atoms ? pair->loss[pair->atoms - 1].upper : 0;
    if (pair->kind == DUSK_PAIR_LAPLACE) { /* sampled or not; where both laws are, the losses add up */
        double distance = dusk_div_up(1, pair->scale.lower);
        return DUSK_MUTATE(BOTH_SAMPLED_LIKE_ONE, pair->direction == DUSK_REPLACE, false) ? 2 * distance
                                                                                          : distance;
    }
    return INFINITY;
}

/* A group of k has k times the largest loss of one, both directions counted. */
DUSK_PROVEN(add_group_by_loss)
static dusk_status add_group_by_loss(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    const dusk_direction both[] = { DUSK_REMOVE, DUSK_ADD }, one[] = { DUSK_REPLACE };
    bool replace = b->pairs.direction == DUSK_REPLACE;
    const dusk_direction *direction = replace ? one : both;
    dusk_status status = DUSK_OK;
    double epsilon = 0;
    for (size_t i = 0; i < (replace ? 1 : 2) && status == DUSK_OK; i++) {
        dusk_builder single = dusk_builder_like(b, direction[i]);
        double sum = 0;
        single.group = 1;
        status = dusk_builder_add(&single, tree, 1);
        for (size_t j = 0; j < single.pairs.count && status == DUSK_OK; j++) {
            const dusk_pair *pair = &single.pairs.pair[j];
            sum = dusk_add_up(sum, dusk_mul_up(dusk_bound_of_whole(pair->times).upper, largest_loss(pair)));
        }
        if (sum > epsilon) epsilon = sum;
        dusk_builder_clear(&single);
    }
    if (status == DUSK_OK && !isfinite(epsilon)) status = dusk_builder_refuse(b, tree);
    if (status != DUSK_OK) return status;
    return dusk_builder_add_approx(b, tree, times, dusk_bound_of(epsilon), 0, false);
}

/* poisson(q, Gaussians) for k units, each taken on its own. */
DUSK_PROVEN(add_group_of_sampled)
static dusk_status add_group_of_sampled(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_status status = DUSK_OK;
    dusk_builder single = dusk_builder_like(b, b->pairs.direction);
    single.group = 1;
    DUSK_TRY(dusk_builder_add(&single, tree, 1));
    if (single.pairs.count == 0) goto done;
    dusk_pair *pair = &single.pairs.pair[0];
    if (single.pairs.count > 1 || pair->kind != DUSK_PAIR_MIXTURE || pair->shifts != 1 || b->group > 31)
        DUSK_TRY(dusk_builder_refuse(b, tree));
    double rate;
    bool exact;
    chain(tree, &rate, &exact);
    if (!exact) pair->tight = false; /* the rate was rounded up; powers of it are not that close */
    dusk_mixture_group(pair, b->group);
    DUSK_TRY(dusk_builder_add_all(b, &single.pairs, tree, times));
done:
    dusk_builder_clear(&single);
    return status;
}

bool dusk_event_has_kind(const dusk_event_node *tree, uint32_t kind)
{
    for (const dusk_event_node *e = tree; e < tree + tree->span; e++)
        if (e->kind == kind) return true;
    return false;
}

/* What is not a leaf, for several units together. */
dusk_status dusk_builder_add_group_of(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    if (tree->kind == DUSK_EVENT_POISSON && tree->real[0] >= 1) return dusk_builder_add_below(b, tree, times);
    if (tree->kind == DUSK_EVENT_POISSON && dusk_event_is_additive(tree) &&
        !dusk_event_has_kind(tree, DUSK_EVENT_LAPLACE))
        return add_group_of_sampled(b, tree, times);
    return add_group_by_loss(b, tree, times);
}

static dusk_status add_group(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    uint64_t before = b->group;
    b->group = dusk_times_product(before, tree->whole[0]);
    dusk_status status = b->group == UINT64_MAX ? dusk_builder_refuse(b, tree) : DUSK_OK;
    if (b->group > 0 && status == DUSK_OK) status = dusk_builder_add_below(b, tree, times);
    b->group = before;
    return status;
}

dusk_status dusk_builder_refuse_direction(const dusk_builder *b, const char *what)
{
    return dusk_fail(b->err, DUSK_ERR_UNSUPPORTED, "ask with --neighbours replace-one (DUSK_REPLACE_ONE)",
                     "%s has a price only where a unit is replaced, its number of units being public", what);
}

/* [Balle, Barthe & Gaboardi 2018, Theorem 9], from the pair for replacing. */
DUSK_PROVEN(add_without_replacement)
static dusk_status add_without_replacement(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_status status = DUSK_OK;
    dusk_pair pair = { 0 };
    bool empty;
    if (b->pairs.direction != DUSK_REPLACE)
        return dusk_builder_refuse_direction(b, "sampling without replacement");
    if (tree->whole[0] == 0) return DUSK_OK;
    if (tree->whole[0] >= tree->whole[1]) return dusk_builder_add_below(b, tree, times);
    dusk_bound rate =
        dusk_bound_div(dusk_bound_of_whole(tree->whole[0]), dusk_bound_of_whole(tree->whole[1]));
    if (rate.upper >= 1) return dusk_builder_refuse(b, tree); /* m and n differ too little for doubles */
    DUSK_TRY(single_below(&pair, &empty, b, tree, DUSK_REPLACE));
    if (empty) return DUSK_OK;
    if (pair.kind == DUSK_PAIR_ATOMS) {
        DUSK_TRY(dusk_atoms_sample(&pair, rate, DUSK_REMOVE, b->err));
        DUSK_TRY(dusk_atoms_fold(&pair, b->err));
    } else if (pair.kind == DUSK_PAIR_GAUSSIAN) {
        dusk_gaussian_sample(&pair, rate.upper, DUSK_REMOVE);
        pair.folded = true;
        if (!(pair.sigma > 0 && isfinite(pair.sigma))) DUSK_TRY(dusk_builder_refuse(b, tree));
    } else if (pair.kind == DUSK_PAIR_LAPLACE && pair.rate >= 1) {
        pair.rate = rate.upper;
        pair.direction = DUSK_REMOVE;
        pair.folded = true;
    } else {
        DUSK_TRY(dusk_builder_refuse(b, tree));
    }
    return dusk_builder_add_pair(b, &pair, tree, times);
done:
    dusk_pair_clear(&pair);
    return status;
}

/* Where a unit is replaced: by the curve of [Balle, Barthe & Gaboardi 2018, Theorem 10]. */
DUSK_PROVEN(add_draws)
static dusk_status add_draws(dusk_builder *b, const dusk_pair *noise, const dusk_event_node *tree,
                             uint64_t times)
{
    dusk_pair pair = { 0 };
    const uint64_t m = tree->whole[0], n = tree->whole[1];
    const double sigma =
        noise->sigma > 0 ? noise->sigma : dusk_div_down(1, dusk_sqrt_up(noise->mu_squared.upper));
    if (m >= UINT64_C(1) << 53 || n >= UINT64_C(1) << 53 || !(sigma >= DBL_MIN && isfinite(sigma)))
        return dusk_builder_refuse(b, tree);
    dusk_status status = dusk_atoms_draws(&pair, sigma, m, n, b->err);
    return status == DUSK_OK ? dusk_builder_add_pair(b, &pair, tree, times) : status;
}

/* For Gaussian noise. */
DUSK_PROVEN(add_with_replacement)
static dusk_status add_with_replacement(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_pair pair = { 0 };
    bool empty;
    for (const dusk_event_node *e = dusk_event_first_below(tree); e; e = dusk_event_next_below(tree, e))
        if (!dusk_event_is_additive(e) || dusk_event_has_kind(e, DUSK_EVENT_POISSON))
            return dusk_builder_refuse(b, tree);
    if (tree->whole[1] < 2) return dusk_builder_refuse(b, tree);
    if (tree->whole[0] == 0) return DUSK_OK;
    dusk_status status = single_below(&pair, &empty, b, tree, b->pairs.direction);
    if (status != DUSK_OK || empty) return status;
    if (pair.kind == DUSK_PAIR_GAUSSIAN && b->pairs.direction == DUSK_REPLACE)
        return add_draws(b, &pair, tree, times);
    if (pair.kind != DUSK_PAIR_GAUSSIAN ||
        !dusk_gaussian_draws(&pair, tree->whole[0], tree->whole[1], b->pairs.direction) ||
        !(pair.sigma >= DBL_MIN && isfinite(pair.sigma)))
        return dusk_builder_refuse(b, tree);
    return dusk_builder_add_pair(b, &pair, tree, times);
}

dusk_status dusk_builder_add_wrapper(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    if (tree->kind == DUSK_EVENT_GROUP) return add_group(b, tree, times);
    if (b->group > 1) return dusk_builder_add_group_of(b, tree, times);
    switch (tree->kind) {
    case DUSK_EVENT_POISSON: return add_poisson(b, tree, times);
    case DUSK_EVENT_WITHOUT_REPLACEMENT: return add_without_replacement(b, tree, times);
    case DUSK_EVENT_WITH_REPLACEMENT: return add_with_replacement(b, tree, times);
    case DUSK_EVENT_PARALLEL: return dusk_builder_add_parallel(b, tree, times);
    case DUSK_EVENT_SHUFFLE:
    case DUSK_EVENT_SHUFFLE_RESPONSE: return dusk_builder_add_shuffle(b, tree, times);
    default: return dusk_builder_refuse(b, tree);
    }
}
