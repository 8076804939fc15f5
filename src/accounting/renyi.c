/* SPDX-License-Identifier: Apache-2.0 */
/* A composition made ready for Renyi accounting, and the sum over its parts. See
 * renyi.proof.md. */
#include "accounting/renyi.h"

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/pair_moment.h"
#include "base/memory.h"
#include "base/mutant.h"

/* What is being built, and for whom. */
typedef struct builder {
    dusk_renyi made;
    const char *accountant;
    dusk_error *err;
} builder;

static dusk_status build(builder *b, const dusk_event_node *tree, uint64_t group, dusk_neighbours how);

void dusk_renyi_free(dusk_renyi *renyi)
{
    for (size_t i = 0; i < renyi->count; i++) {
        for (size_t d = 0; d < renyi->part[i].directions; d++) dusk_pairs_free(&renyi->part[i].pairs[d]);
        dusk_deallocate(renyi->part[i].memo);
    }
    dusk_deallocate(renyi->part);
    *renyi = (dusk_renyi){ 0 };
}

static dusk_status push(builder *b, dusk_renyi_part part)
{
    dusk_status status = DUSK_OK;
    dusk_error *err = b->err;
    DUSK_GROW(b->made.part, b->made.room, b->made.count);
    b->made.part[b->made.count++] = part;
done:
    return status;
}

/* The pairs of one run of a tree for `group` units, in each direction. */
static dusk_status resolve(dusk_renyi_part *part, const dusk_event_node *tree, builder *b)
{
    dusk_status status = DUSK_OK;
    dusk_error *err = b->err;
    dusk_event_node *copy;
    bool replace = part->neighbours == DUSK_REPLACE_ONE;
    DUSK_NEW(copy, tree->span + 1);
    for (uint32_t i = 0; i < tree->span; i++) copy[i + 1] = tree[i];
    copy[1].times = 1;
    copy[0] = (dusk_event_node){
        .kind = DUSK_EVENT_GROUP, .span = tree->span + 1, .whole = { part->group, 0 }, .times = 1
    };
    size_t skip = part->group > 1 ? 0 : 1;
    const dusk_composition one = { .neighbours = part->neighbours,
                                   .count = tree->span + 1 - skip,
                                   .room = tree->span + 1 - skip,
                                   .node = copy + skip };
    part->directions = 0;
    for (size_t d = 0; d < (replace ? 1 : 2); d++) {
        dusk_direction direction = replace ? DUSK_REPLACE : d == 0 ? DUSK_REMOVE : DUSK_ADD;
        DUSK_TRY(dusk_pairs_resolve(&part->pairs[d], &one, direction, b->accountant, b->err));
        part->directions++;
        for (size_t i = 0; i < part->pairs[d].count; i++) part->pairs[d].pair[i].tree = tree;
    }
done:
    if (status != DUSK_OK)
        while (part->directions > 0) dusk_pairs_free(&part->pairs[--part->directions]);
    dusk_deallocate(copy);
    return status;
}

static bool has_kind(const dusk_event_node *tree, uint32_t kind)
{
    for (const dusk_event_node *e = tree; e < tree + tree->span; e++)
        if (e->kind == kind) return true;
    return false;
}

/* How many nodes of a kind are one inside the other, at most. */
static unsigned nesting(const dusk_event_node *tree, uint32_t kind)
{
    unsigned most = 0;
    for (const dusk_event_node *e = dusk_event_first_below(tree); e; e = dusk_event_next_below(tree, e)) {
        unsigned depth = nesting(e, kind);
        if (depth > most) most = depth;
    }
    return most + (tree->kind == kind);
}

/* Kinds whose divergence is a theorem of their own. */
static bool is_leaf(uint32_t kind)
{
    switch (kind) {
    case DUSK_EVENT_ZCDP:
    case DUSK_EVENT_MCDP:
    case DUSK_EVENT_TCDP:
    case DUSK_EVENT_RDP:
    case DUSK_EVENT_EXPONENTIAL:
    case DUSK_EVENT_DISCRETE_GAUSSIAN:
    case DUSK_EVENT_SVT_GAUSSIAN: return true;
    default: return false;
    }
}

static dusk_status build_below(builder *b, const dusk_event_node *parent, dusk_neighbours how)
{
    dusk_status status = DUSK_OK;
    for (const dusk_event_node *e = dusk_event_first_below(parent); e && status == DUSK_OK;
         e = dusk_event_next_below(parent, e))
        status = build(b, e, 1, how);
    return status;
}

/* Moving between parts removes in one and adds in another: the price of that is
 * known where all noise below is added to sums. */
static bool is_noise(const dusk_event_node *tree)
{
    for (const dusk_event_node *e = tree + 1; e < tree + tree->span; e++) {
        switch (e->kind) {
        case DUSK_EVENT_BRANCH:
        case DUSK_EVENT_POISSON:
        case DUSK_EVENT_GROUP:
        case DUSK_EVENT_GAUSSIAN:
        case DUSK_EVENT_LAPLACE:
        case DUSK_EVENT_DISCRETE_GAUSSIAN:
        case DUSK_EVENT_DISCRETE_LAPLACE:
        case DUSK_EVENT_TREE:
        case DUSK_EVENT_MATRIX:
        case DUSK_EVENT_STAIRCASE: break;
        default: return false;
        }
    }
    return true;
}

static dusk_status build_memo(dusk_renyi_part *part, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(part->memo, DUSK_RENYI_ORDERS + 1);
    for (size_t i = 0; i <= DUSK_RENYI_ORDERS; i++) part->memo[i] = NAN;
done:
    return status;
}

/* Wrappers that a theorem prices from what is below. */
static dusk_status build_wrapper(builder *b, const dusk_event_node *tree, size_t at)
{
    dusk_neighbours how = b->made.part[at].neighbours;
    dusk_status status;
    /* each level asks for many orders of the next */
    if (tree->kind == DUSK_EVENT_SELECT_POISSON && nesting(tree, DUSK_EVENT_SELECT_POISSON) > 2)
        return dusk_fail_unsupported(b->err, b->accountant, tree);
    if (tree->kind == DUSK_EVENT_POISSON || tree->kind == DUSK_EVENT_WITHOUT_REPLACEMENT ||
        tree->kind == DUSK_EVENT_SELECT_POISSON) {
        status = build_memo(&b->made.part[at], b->err);
        if (status != DUSK_OK) return status;
    }
    switch (tree->kind) {
    case DUSK_EVENT_POISSON:
    case DUSK_EVENT_SELECT_BEST:
    case DUSK_EVENT_SELECT_POISSON:
    case DUSK_EVENT_BRANCH: status = build_below(b, tree, how); break;
    case DUSK_EVENT_WITHOUT_REPLACEMENT:
        if (how != DUSK_REPLACE_ONE) return dusk_fail_unsupported(b->err, b->accountant, tree);
        status = build_below(b, tree, how);
        break;
    case DUSK_EVENT_PARALLEL:
        if (how == DUSK_REPLACE_ONE && !is_noise(tree))
            return dusk_fail_unsupported(b->err, b->accountant, tree);
        status = build_below(b, tree, how);
        if (status == DUSK_OK && how == DUSK_REPLACE_ONE) status = build_below(b, tree, DUSK_ADD_REMOVE);
        break;
    default: return dusk_fail_unsupported(b->err, b->accountant, tree);
    }
    if (status != DUSK_OK) return status;
    dusk_renyi_part *part = &b->made.part[at];
    part->span = b->made.count - at;
    if (tree->kind == DUSK_EVENT_SELECT_BEST) {
        part->extra = dusk_renyi_select_extra(part);
        part->runs = dusk_renyi_select_runs(part);
    }
    return DUSK_OK;
}

/* A group is no part of its own: what is below it has more units and runs more often. */
static dusk_status build_group(builder *b, const dusk_event_node *tree, uint64_t group, dusk_neighbours how)
{
    dusk_status status = DUSK_OK;
    uint64_t k = tree->whole[0];
    if (k != 0 && group > DUSK_EVENT_TIMES_MAX / k) return dusk_fail_unsupported(b->err, b->accountant, tree);
    for (const dusk_event_node *e = dusk_event_first_below(tree); e && k > 0 && status == DUSK_OK;
         e = dusk_event_next_below(tree, e)) {
        size_t at = b->made.count;
        status = build(b, e, group * k, how);
        while (status == DUSK_OK && at < b->made.count) {
            dusk_renyi_part *part = &b->made.part[at];
            if (part->times > DUSK_EVENT_TIMES_MAX / tree->times)
                return dusk_fail_unsupported(b->err, b->accountant, tree);
            part->times *= tree->times;
            at += part->span;
        }
    }
    return status;
}

static dusk_status build(builder *b, const dusk_event_node *tree, uint64_t group, dusk_neighbours how)
{
    dusk_renyi_part part = {
        .tree = tree, .times = tree->times, .group = group, .neighbours = how, .span = 1
    };
    dusk_error quiet = { 0 }, *err = b->err;
    dusk_status status = DUSK_OK;
    size_t at = b->made.count;
    if (tree->kind == DUSK_EVENT_GROUP) return build_group(b, tree, group, how);
    part.by_theorem = is_leaf(tree->kind);
    if (!part.by_theorem && tree->kind != DUSK_EVENT_BRANCH) {
        b->err = &quiet;
        status = resolve(&part, tree, b);
        if (status == DUSK_ERR_UNSUPPORTED && tree->kind == DUSK_EVENT_SHUFFLE && how == DUSK_REPLACE_ONE) {
            dusk_event_node pure = {
                .kind = DUSK_EVENT_PURE, .span = 1, .real = { tree->real[0] }, .times = 1
            };
            status = resolve(&part, &pure, b); /* no worse than one report seen alone */
            for (size_t i = 0; status == DUSK_OK && i < part.pairs[0].count; i++)
                part.pairs[0].pair[i].tree = tree;
        }
        b->err = err;
        if (status == DUSK_ERR_MEMORY) return dusk_fail_memory(err);
        part.by_pairs = status == DUSK_OK;
    }
    status = push(b, part);
    if (status != DUSK_OK) {
        while (part.directions > 0) dusk_pairs_free(&part.pairs[--part.directions]);
        return status;
    }
    if (is_leaf(tree->kind)) return DUSK_OK;
    /* both ways where the theorem may be better: bounded range, masses counted as infinite */
    bool both = has_kind(tree, DUSK_EVENT_EXPONENTIAL) || has_kind(tree, DUSK_EVENT_DISCRETE_GAUSSIAN);
    if (part.by_pairs && !(tree->kind == DUSK_EVENT_POISSON && both)) return DUSK_OK;
    status = build_wrapper(b, tree, at);
    b->made.part[at].by_theorem = status == DUSK_OK;
    return part.by_pairs && status == DUSK_ERR_UNSUPPORTED ? DUSK_OK : status;
}

dusk_status dusk_renyi_new(dusk_renyi *out, const dusk_composition *composition, const char *accountant,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    builder b = { .accountant = accountant, .err = err };
    for (const dusk_event_node *tree = dusk_composition_first(composition); tree;
         tree = dusk_composition_next(composition, tree))
        DUSK_TRY(build(&b, tree, 1, composition->neighbours));
    *out = b.made;
    return DUSK_OK;
done:
    dusk_renyi_free(&b.made);
    return status;
}

dusk_status dusk_renyi_of_tree(dusk_renyi *out, const dusk_event_node *tree, dusk_neighbours neighbours,
                               const char *accountant, dusk_error *err)
{
    builder b = { .accountant = accountant, .err = err };
    dusk_status status = build(&b, tree, 1, neighbours);
    if (status != DUSK_OK)
        dusk_renyi_free(&b.made);
    else
        *out = b.made;
    return status;
}

/* The largest loss of a pair. */
static double largest_loss(const dusk_pair *pair)
{
    if (pair->infinite.upper > 0) return INFINITY;
    if (pair->kind == DUSK_PAIR_ATOMS) return pair->atoms ? fmax(pair->loss[pair->atoms - 1].upper, 0) : 0;
    if (pair->kind != DUSK_PAIR_LAPLACE) return INFINITY;
    return dusk_laplace_largest_loss(pair);
}

/* The moment of one direction of a part, finite losses only. */
static double pairs_moment(const dusk_pairs *pairs, double s)
{
    double sum = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        dusk_bound k;
        /* whatever goes wrong, no price is a bound */
        if (dusk_pair_finite_moment(&k, pair, s, NULL) != DUSK_OK) return INFINITY;
        double times = dusk_bound_of_whole(pair->times).upper;
        sum = dusk_add_up(sum, k.upper > 0 ? dusk_mul_up(times, k.upper)
                                           : dusk_mul_up(dusk_bound_of_whole(pair->times).lower, k.upper));
    }
    return isnan(sum) ? INFINITY : sum;
}

static double pairs_infinite(const dusk_pairs *pairs)
{
    double sum = 0;
    for (size_t i = 0; i < pairs->count; i++)
        sum = dusk_add_up(
            sum, dusk_mul_up(dusk_bound_of_whole(pairs->pair[i].times).upper, pairs->pair[i].infinite.upper));
    return sum;
}

static double pairs_divergence(const dusk_pairs *pairs, double alpha)
{
    double sum = 0, s = dusk_sub_up(alpha, 1);
    if (pairs_infinite(pairs) > 0) return INFINITY;
    if (isfinite(alpha)) {
        double k = pairs_moment(pairs, s);
        return k > 0 ? dusk_div_up(k, dusk_sub_down(alpha, 1)) : 0;
    }
    for (size_t i = 0; i < pairs->count; i++)
        sum = dusk_add_up(
            sum, dusk_mul_up(dusk_bound_of_whole(pairs->pair[i].times).upper, largest_loss(&pairs->pair[i])));
    return sum;
}

DUSK_PROVEN(dusk_renyi_part_up)
double dusk_renyi_part_up(const dusk_renyi_part *part, double alpha)
{
    double d = INFINITY, worst = 0;
    if (part->by_theorem)
        d = is_leaf(part->tree->kind) ? dusk_renyi_leaf_up(part, alpha) : dusk_renyi_wrapper_up(part, alpha);
    for (size_t i = 0; i < part->directions && part->by_pairs; i++)
        worst = fmax(worst, pairs_divergence(&part->pairs[i], alpha));
    return part->by_pairs && worst < d ? worst : d;
}

double dusk_renyi_below_up(const dusk_renyi_part *part, double alpha)
{
    double sum = 0;
    for (const dusk_renyi_part *p = part + 1; p < part + part->span; p += p->span) {
        double d = dusk_renyi_part_up(p, alpha);
        if (d > 0) sum = dusk_add_up(sum, dusk_mul_up(dusk_bound_of_whole(p->times).upper, d));
    }
    return sum;
}

/* Whether removing is at least as bad as adding at every order: pairs (P, Q) with a
 * reflection that exchanges them, sampled [Mironov, Talwar & Zhang 2019, Theorem 5]. */
static bool removing_is_worse(const dusk_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *p = &pairs->pair[i];
        bool sampled = p->kind == DUSK_PAIR_LAPLACE || (p->kind == DUSK_PAIR_MIXTURE && p->shifts == 1);
        if (!sampled && p->kind != DUSK_PAIR_GAUSSIAN) return false;
    }
    return true;
}

/* Parts with pairs are added up in each direction, infinite losses left out; the
 * others count in both. */
DUSK_PROVEN(dusk_renyi_moment_up)
double dusk_renyi_moment_up(const dusk_renyi *renyi, double s)
{
    double sum[2] = { 0, 0 }, alpha = dusk_add_up(s, 1);
    for (size_t i = 0; i < renyi->count; i += renyi->part[i].span) {
        const dusk_renyi_part *part = &renyi->part[i];
        dusk_bound times = dusk_bound_of_whole(part->times);
        double both = INFINITY;
        if (!part->by_pairs || part->by_theorem) both = dusk_mul_up(dusk_renyi_part_up(part, alpha), s);
        double one = part->by_pairs ? pairs_moment(&part->pairs[0], s) : INFINITY;
        for (size_t d = 0; d < 2; d++) {
            bool same = !part->by_pairs || d >= part->directions || removing_is_worse(&part->pairs[0]);
            double k = fmin(both, d == 0 || same ? one : pairs_moment(&part->pairs[d], s));
            if (k == 0) continue;
            sum[d] = dusk_add_up(sum[d], dusk_mul_up(k < 0 ? times.lower : times.upper, k));
        }
    }
    if (isnan(sum[0]) || isnan(sum[1])) return INFINITY;
    return DUSK_MUTATE(RENYI_BETTER_DIRECTION, fmax(sum[0], sum[1]), fmin(sum[0], sum[1]));
}

double dusk_renyi_infinite_up(const dusk_renyi *renyi)
{
    double sum[2] = { 0, 0 };
    for (size_t i = 0; i < renyi->count; i += renyi->part[i].span) {
        const dusk_renyi_part *part = &renyi->part[i];
        for (size_t d = 0; d < 2 && part->by_pairs; d++)
            sum[d] =
                dusk_add_up(sum[d], dusk_mul_up(dusk_bound_of_whole(part->times).upper,
                                                pairs_infinite(&part->pairs[d < part->directions ? d : 0])));
    }
    double most = fmax(sum[0], sum[1]);
    return most < 1 ? most : 1;
}

DUSK_PROVEN(dusk_renyi_divergence_up)
double dusk_renyi_divergence_up(const dusk_renyi *renyi, double alpha)
{
    double sum = 0;
    if (isfinite(alpha) && !(dusk_renyi_infinite_up(renyi) > 0)) {
        double k = dusk_renyi_moment_up(renyi, dusk_sub_up(alpha, 1));
        return k > 0 ? dusk_div_up(k, dusk_sub_down(alpha, 1)) : 0;
    }
    for (size_t i = 0; i < renyi->count; i += renyi->part[i].span) {
        double d = dusk_renyi_part_up(&renyi->part[i], alpha);
        if (d > 0) sum = dusk_add_up(sum, dusk_mul_up(dusk_bound_of_whole(renyi->part[i].times).upper, d));
    }
    return sum;
}

dusk_status dusk_rdp_of_tree(double *epsilon_up, const dusk_event_node *tree, dusk_neighbours neighbours,
                             double alpha, dusk_error *err)
{
    dusk_renyi renyi;
    dusk_status status = dusk_renyi_of_tree(&renyi, tree, neighbours, "rdp", err);
    if (status != DUSK_OK) return status;
    *epsilon_up = dusk_renyi_divergence_up(&renyi, alpha);
    dusk_renyi_free(&renyi);
    return DUSK_OK;
}
