/* SPDX-License-Identifier: Apache-2.0 */
/* Events on disjoint parts of the data.
 *
 * A unit that is added or removed is in one part, so one branch counts: the
 * worst. Which one a unit is in may depend on earlier answers, so the pair must
 * dominate every branch at once. Mostly one branch does; where curves cross,
 * their maximum is a curve again, which pair_curve.c makes a pair of.
 *
 * A unit that is replaced may leave one part and enter another. For Gaussian
 * and Laplace noise, sampled or not, that is no worse than being replaced in the
 * part that dominates. Other events promise nothing about
 * leaving a part, and are refused. The derivations are in pair_parallel.proof.md. */
#include <string.h>

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/pair_build.h"
#include "base/memory.h"
#include "base/mutant.h"

#define CURVE_POINTS 256               /* where curves cross */
#define COMPARED_MAX ((size_t)1 << 22) /* pairs of pairs */
#define TRIED_MAX 64                   /* branches that may be the worst */

/* --- which pair is worse ------------------------------------------------------ */

/* Whether a's law of upper ends is at least as bad as b's; false when it is not
 * plain to see. Both are of the same direction. */

static bool same_atoms(const dusk_pair *a, const dusk_pair *b)
{
    return a->atoms == b->atoms && memcmp(a->loss, b->loss, a->atoms * sizeof *a->loss) == 0 &&
           memcmp(a->mass, b->mass, a->atoms * sizeof *a->mass) == 0 &&
           memcmp(&a->infinite, &b->infinite, sizeof a->infinite) == 0 &&
           memcmp(&a->absent, &b->absent, sizeof a->absent) == 0;
}

/* The four-point law of (epsilon, delta)-privacy: two opposite losses, and as much
 * mass of P without Q as of Q without P. */
static bool is_approx(const dusk_pair *pair)
{
    return pair->kind == DUSK_PAIR_ATOMS && pair->atoms == 2 && pair->loss[0].lower == -pair->loss[1].upper &&
           pair->loss[0].upper == -pair->loss[1].lower &&
           memcmp(&pair->infinite, &pair->absent, sizeof pair->infinite) == 0 && pair->absent_at == -INFINITY;
}

/* All losses of either law are at most this in size; +inf when some are not. */
static double largest_size(const dusk_pair *pair)
{
    if (pair->infinite.upper > 0) return INFINITY;
    if (pair->kind == DUSK_PAIR_LAPLACE) {
        double distance = dusk_div_up(1, pair->scale.lower);
        return pair->direction == DUSK_REPLACE ? 2 * distance : distance;
    }
    if (pair->kind != DUSK_PAIR_ATOMS || pair->absent.upper > 0 || pair->atoms == 0) return INFINITY;
    return fmax(-pair->loss[0].lower, pair->loss[pair->atoms - 1].upper);
}

/* Shifts of a are stochastically larger. */
static bool has_larger_shifts(const dusk_pair *a, const dusk_pair *b)
{
    double of_a = 0, of_b = 0;
    size_t most = a->shifts > b->shifts ? a->shifts : b->shifts;
    if (a->shifts == b->shifts && memcmp(a->weight + 1, b->weight + 1, a->shifts * sizeof *a->weight) == 0)
        return true;
    for (size_t j = most; j >= 1; j--) {
        if (j <= a->shifts) of_a = dusk_add_down(of_a, a->weight[j]);
        if (j <= b->shifts) of_b = dusk_add_up(of_b, b->weight[j]);
        if (of_a < of_b) return false;
    }
    return true;
}

static bool is_no_worse_than_gaussian(const dusk_pair *mixture, const dusk_pair *gaussian, bool replace)
{
    double reach = (double)mixture->shifts * (replace ? 2 : 1); /* exact */
    double mu = dusk_div_up(reach, mixture->sigma);
    return dusk_mul_up(mu, mu) <= gaussian->mu_squared.upper;
}

DUSK_PROVEN(dominates)
static bool dominates(const dusk_pair *a, const dusk_pair *b)
{
    if (a->infinite.upper < b->infinite.upper) return false;
    if (is_approx(a) && largest_size(b) <= a->loss[1].upper) return true;
    if (a->kind == DUSK_PAIR_GAUSSIAN && b->kind == DUSK_PAIR_MIXTURE)
        return is_no_worse_than_gaussian(b, a, b->direction == DUSK_REPLACE);
    if (a->kind != b->kind || a->folded != b->folded) return false;
    switch (a->kind) {
    case DUSK_PAIR_GAUSSIAN:
        return DUSK_MUTATE(PARALLEL_IS_THE_BEST, a->mu_squared.upper >= b->mu_squared.upper,
                           a->mu_squared.upper <= b->mu_squared.upper);
    case DUSK_PAIR_MIXTURE:
        return a->direction == b->direction && a->sigma <= b->sigma && has_larger_shifts(a, b);
    case DUSK_PAIR_LAPLACE:
        if (a->direction != b->direction && !(a->rate >= 1 && b->direction != DUSK_REPLACE)) return false;
        return a->scale.lower <= b->scale.lower && a->rate >= b->rate;
    case DUSK_PAIR_ATOMS:
        return same_atoms(a, b) || (is_approx(a) && is_approx(b) && a->loss[1].upper >= b->loss[1].upper);
    }
    return false;
}

/* Each run of b's pairs has a run of a's that is no better for it alone; false
 * when that would be too much to look at. */
static dusk_status dominate_all(bool *all, const dusk_pairs *a, const dusk_pairs *b, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t *left;
    *all = false;
    if (b->count > 0 && a->count > COMPARED_MAX / b->count) return DUSK_OK;
    *all = true;
    DUSK_NEW(left, a->count);
    for (size_t i = 0; i < a->count; i++) left[i] = a->pair[i].times;
    for (size_t k = 0; k < b->count && *all; k++) {
        uint64_t wanted = b->pair[k].times;
        for (size_t i = 0; i < a->count && wanted > 0; i++) {
            if (left[i] == 0 || !dominates(&a->pair[i], &b->pair[k])) continue;
            uint64_t taken = left[i] < wanted ? left[i] : wanted;
            left[i] -= taken;
            wanted -= taken;
        }
        *all = wanted == 0;
    }
done:
    dusk_deallocate(left);
    return status;
}

/* --- branches ------------------------------------------------------------------ */

typedef struct branches {
    size_t count;
    dusk_builder *of;
} branches;

static void branches_clear(branches *all)
{
    for (size_t i = 0; i < all->count; i++) dusk_builder_clear(&all->of[i]);
    dusk_deallocate(all->of);
}

/* The parallel that is all there is in a branch, run once: its parts are parts of
 * the data like the others. NULL when there is none. */
static const dusk_event_node *parts_of(const dusk_event_node *branch)
{
    const dusk_event_node *only = dusk_event_first_below(branch);
    bool alone = only && only->kind == DUSK_EVENT_PARALLEL && only->times == 1;
    return alone && !dusk_event_next_below(branch, only) ? only : NULL;
}

static size_t count_parts(const dusk_event_node *tree)
{
    size_t count = 0;
    for (const dusk_event_node *e = dusk_event_first_below(tree); e; e = dusk_event_next_below(tree, e))
        count += parts_of(e) ? count_parts(parts_of(e)) : 1;
    return count;
}

/* The pairs of each part, behind those that are there. */
static dusk_status resolve_parts(branches *all, const dusk_builder *b, const dusk_event_node *tree,
                                 dusk_direction direction)
{
    dusk_status status = DUSK_OK;
    for (const dusk_event_node *e = dusk_event_first_below(tree); e && status == DUSK_OK;
         e = dusk_event_next_below(tree, e)) {
        if (parts_of(e)) {
            status = resolve_parts(all, b, parts_of(e), direction);
            continue;
        }
        dusk_builder *branch = &all->of[all->count++];
        *branch = dusk_builder_like(b, direction);
        status = dusk_builder_add_below(branch, e, 1);
    }
    return status;
}

static dusk_status branches_resolve(branches *all, const dusk_builder *b, const dusk_event_node *tree,
                                    dusk_direction direction)
{
    dusk_status status = DUSK_OK;
    dusk_error *err = b->err;
    *all = (branches){ 0 };
    DUSK_NEW(all->of, count_parts(tree));
    DUSK_TRY(resolve_parts(all, b, tree, direction));
done:
    if (status != DUSK_OK) {
        branches_clear(all);
        *all = (branches){ 0 };
    }
    return status;
}

/* Whether a branch dominates all. */
static dusk_status is_worst(bool *worst, const branches *all, size_t branch, dusk_error *err)
{
    *worst = true;
    for (size_t i = 0; i < all->count && *worst; i++) {
        if (i == branch) continue;
        dusk_status status = dominate_all(worst, &all->of[branch].pairs, &all->of[i].pairs, err);
        if (status != DUSK_OK) return status;
    }
    return DUSK_OK;
}

/* *worst: a branch that dominates all, or count when there is none to be seen. The
 * one that is left when each that does not dominate makes room for the next is
 * likely; where there are few, all are tried. */
static dusk_status find_worst(size_t *worst, const branches *all, dusk_error *err)
{
    size_t likely = 0;
    bool found = true;
    for (size_t i = 1; i < all->count; i++) {
        dusk_status status = dominate_all(&found, &all->of[likely].pairs, &all->of[i].pairs, err);
        if (status != DUSK_OK) return status;
        if (!found) likely = i;
    }
    *worst = likely;
    dusk_status status = is_worst(&found, all, likely, err);
    if (status != DUSK_OK || found) return status;
    for (size_t i = 0; i < all->count && all->count <= TRIED_MAX; i++) {
        *worst = i;
        status = is_worst(&found, all, i, err);
        if (status != DUSK_OK || found) return status;
    }
    *worst = all->count;
    return DUSK_OK;
}

/* Whether all noise of all parts is added to a number. */
static bool are_additive(const dusk_event_node *tree)
{
    for (const dusk_event_node *e = dusk_event_first_below(tree); e; e = dusk_event_next_below(tree, e)) {
        if (parts_of(e)) {
            if (!are_additive(parts_of(e))) return false;
            continue;
        }
        for (const dusk_event_node *f = dusk_event_first_below(e); f; f = dusk_event_next_below(e, f))
            if (!dusk_event_is_additive(f)) return false;
    }
    return true;
}

/* Noise for which moving between parts is no worse than being replaced; are_additive
 * must be true. */
DUSK_PROVEN(may_move)
static bool may_move(const branches *all)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->of[i].pairs.count; k++) {
            const dusk_pair *pair = &all->of[i].pairs.pair[k];
            if (pair->folded || pair->infinite.upper > 0 || pair->kind == DUSK_PAIR_ATOMS) return false;
        }
    return true;
}

/* --- where curves cross --------------------------------------------------------- */

typedef struct curves {
    const branches *remove, *add;
} curves;

static double worst_of(const branches *all, double epsilon)
{
    double worst = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (all->of[i].pairs.count == 0) continue;
        worst = fmax(worst, dusk_pair_delta_up(all->of[i].pairs.pair, epsilon));
    }
    return worst;
}

static double largest_delta(double epsilon, const void *context)
{
    const curves *c = context;
    return fmax(worst_of(c->remove, epsilon), worst_of(c->add, epsilon));
}

static bool all_single(const branches *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const dusk_pairs *pairs = &all->of[i].pairs;
        if (pairs->count > 1 || (pairs->count == 1 && pairs->pair[0].times > 1)) return false;
    }
    return true;
}

static double largest_of_all(const branches *all)
{
    double most = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->of[i].pairs.count > 0) most = fmax(most, largest_size(all->of[i].pairs.pair));
    return most;
}

/* How much there is to look at for each point of the curves, in trees. */
static size_t work_for(const branches *all)
{
    size_t work = 0;
    for (size_t i = 0; i < all->count; i++) {
        for (size_t k = 0; k < all->of[i].pairs.count; k++) {
            const dusk_pair *pair = &all->of[i].pairs.pair[k];
            work += pair->kind == DUSK_PAIR_ATOMS ? 4 + pair->atoms / 16 : 16;
        }
    }
    return work;
}

/* Another pair like one of atoms. */
static dusk_status copy_atoms(dusk_pair *out, const dusk_pair *pair, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = *pair;
    out->loss = out->mass = NULL;
    DUSK_NEW(out->loss, pair->atoms);
    DUSK_NEW(out->mass, pair->atoms);
    for (size_t i = 0; i < pair->atoms; i++) out->loss[i] = pair->loss[i], out->mass[i] = pair->mass[i];
    return DUSK_OK;
done:
    dusk_pair_clear(out);
    return status;
}

/* A maximum is of both directions, and so the same whenever it is asked for. */
static const dusk_pair *known_maximum(const dusk_builder *b, const dusk_event_node *tree)
{
    for (size_t i = 0; i < b->maxima->pairs.count; i++)
        if (b->maxima->pairs.pair[i].tree == tree) return &b->maxima->pairs.pair[i];
    return NULL;
}

static dusk_status remember_maximum(dusk_builder *b, const dusk_pair *pair, const dusk_event_node *tree)
{
    dusk_pair copy;
    dusk_status status = copy_atoms(&copy, pair, b->err);
    return status == DUSK_OK ? dusk_builder_add_pair(b->maxima, &copy, tree, 1) : status;
}

/* The maximum of all curves, of adding and of removing. */
static dusk_status add_maximum(dusk_builder *b, const dusk_event_node *tree, uint64_t times,
                               const branches *all)
{
    dusk_status status = DUSK_OK;
    dusk_pair pair = { 0 };
    branches other;
    bool removing = b->pairs.direction == DUSK_REMOVE;
    DUSK_TRY(branches_resolve(&other, b, tree, removing ? DUSK_ADD : DUSK_REMOVE));
    curves c = { removing ? all : &other, removing ? &other : all };
    if (!all_single(all) || !all_single(&other)) {
        status = dusk_fail(b->err, DUSK_ERR_UNSUPPORTED,
                           "let one branch have at least the noise of no other, run by run",
                           "the branches of a parallel are sums, and none is worse than all others");
    } else if (*b->work < work_for(all) + work_for(&other)) {
        status = dusk_fail(b->err, DUSK_ERR_UNSUPPORTED, "",
                           "branches of which none is the worst are nested too often to be resolved");
    } else {
        *b->work -= work_for(all) + work_for(&other);
        status =
            dusk_atoms_sample_curve(&pair, largest_delta, &c,
                                    fmax(largest_of_all(all), largest_of_all(&other)), CURVE_POINTS, b->err);
    }
    branches_clear(&other);
    if (status == DUSK_OK) status = remember_maximum(b, &pair, tree);
    if (status == DUSK_OK) return dusk_builder_add_pair(b, &pair, tree, times);
    dusk_pair_clear(&pair);
done:
    return status;
}

static dusk_status refuse_move(const dusk_builder *b)
{
    return dusk_fail(b->err, DUSK_ERR_UNSUPPORTED, "ask with --neighbours add-remove (DUSK_ADD_REMOVE)",
                     "a unit that is replaced may move to another part, about which some branch of "
                     "parallel promises nothing");
}

DUSK_PROVEN(dusk_builder_add_parallel)
dusk_status dusk_builder_add_parallel(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_status status;
    branches all;
    size_t worst = 0;
    bool replace = b->pairs.direction == DUSK_REPLACE;
    if (known_maximum(b, tree)) {
        dusk_pair pair;
        status = copy_atoms(&pair, known_maximum(b, tree), b->err);
        return status == DUSK_OK ? dusk_builder_add_pair(b, &pair, tree, times) : status;
    }
    if (replace && !are_additive(tree)) return refuse_move(b);
    DUSK_TRY(branches_resolve(&all, b, tree, b->pairs.direction));
    if (replace && !may_move(&all)) status = refuse_move(b);
    if (status == DUSK_OK) status = find_worst(&worst, &all, b->err);
    if (status == DUSK_OK) {
        if (worst < all.count)
            status = dusk_builder_add_all(b, &all.of[worst].pairs, tree, times);
        else
            status = replace ? dusk_builder_refuse(b, tree) : add_maximum(b, tree, times, &all);
    }
    branches_clear(&all);
done:
    return status;
}
