/* SPDX-License-Identifier: Apache-2.0 */
#include "accounting/parts.h"

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/pair_make.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/root.h"

/* How much less than its share, in ln delta, a run that is one of many may use. */
#define SHARE_SLACK 1e-7

static size_t directions(dusk_neighbours neighbours, dusk_direction out[2])
{
    out[0] = neighbours == DUSK_REPLACE_ONE ? DUSK_REPLACE : DUSK_REMOVE;
    out[1] = DUSK_ADD;
    return neighbours == DUSK_REPLACE_ONE ? 1 : 2;
}

/* The largest loss of Laplace noise: r is at most 1 + q (e^x - 1) and at least
 * 1 - q (1 - e^-x), x = 1/scale. */
DUSK_PROVEN(laplace_loss_up)
static double laplace_loss_up(const dusk_pair *pair)
{
    double x = dusk_div_up(1, pair->scale.lower), q = dusk_mul_up(pair->rate, 1 + 0x1p-49);
    double high = dusk_log1p_up(dusk_mul_up(q, dusk_expm1_up(x)));
    double fall = dusk_mul_up(q, -dusk_expm1_down(-x));
    double low = fall < 1 ? -dusk_log1p_down(-fall) : x;
    if (!(high < x)) high = x;
    if (!(low < x)) low = x;
    if (pair->rate >= 1) return x;
    switch (pair->direction) {
    case DUSK_REMOVE: return high;
    case DUSK_ADD: return low;
    default: return DUSK_MUTATE(PART_REPLACE_IS_REMOVE, dusk_add_up(high, low), high);
    }
}

/* The largest loss and the mass above it: P(S) <= e^epsilon Q(S) + delta. False
 * when there is no largest loss, or only one where a tail was cut off. */
DUSK_PROVEN(own_price)
static bool own_price(double *epsilon, double *delta, const dusk_pair *pair)
{
    if (pair->kind == DUSK_PAIR_LAPLACE) {
        *epsilon = laplace_loss_up(pair);
        *delta = pair->infinite.upper;
        return true;
    }
    if (pair->kind != DUSK_PAIR_ATOMS) return false;
    if (pair->infinite.upper > 0 && !(pair->infinite.lower > 0)) return false;
    *epsilon = 0;
    *delta = pair->infinite.upper;
    for (size_t i = 0; i < pair->atoms; i++)
        if (!(pair->mass[i].upper <= 0) && !(pair->loss[i].upper <= *epsilon)) *epsilon = pair->loss[i].upper;
    return isfinite(*epsilon);
}

DUSK_PROVEN(settle)
static void settle(dusk_part *part, size_t ways)
{
    for (size_t d = 0; d < ways; d++) {
        double epsilon, delta;
        if (!own_price(&epsilon, &delta, &part->pair[d])) {
            part->claims = true;
            return;
        }
        if (epsilon > part->own_epsilon_up) part->own_epsilon_up = epsilon;
        if (delta > part->own_delta_up) part->own_delta_up = delta;
    }
}

/* mu^2 of all runs of the tree becomes mu^2 of one of them. */
static void divide_runs(dusk_part *part, const dusk_event_node *tree)
{
    if (tree->times < 2) return;
    for (size_t d = 0; d < 2; d++) {
        part->pair[d].mu_squared = dusk_bound_div(part->pair[d].mu_squared, dusk_bound_of_whole(tree->times));
        part->pair[d].sigma = 0;
    }
    part->times = tree->times;
}

/* mu^2 of Gaussians adds up [Dong, Roth & Su 2022, Corollary 3.3]. */
static void merge_into(dusk_part *sum, const dusk_part *more, size_t ways)
{
    for (size_t d = 0; d < ways; d++) {
        dusk_pair *pair = &sum->pair[d];
        pair->mu_squared = dusk_bound_add(pair->mu_squared, more->pair[d].mu_squared);
        pair->sigma = 0;
        pair->tight = false;
    }
}

/* What is being made: parts with room, and the Gaussian that others join. */
typedef struct maker {
    dusk_parts parts;
    size_t room, renyi_room, gaussian;
    bool merge;
    const char *accountant;
} maker;

static dusk_status push_part(maker *m, const dusk_part *part, dusk_error *err)
{
    dusk_status status;
    DUSK_GROW(m->parts.part, m->room, m->parts.count);
    m->parts.part[m->parts.count++] = *part;
    return DUSK_OK;
done:
    return status;
}

/* Pair i of what was found in each direction; it is moved. */
static dusk_status take_part(maker *m, dusk_pairs found[2], size_t ways, size_t i,
                             const dusk_event_node *tree, dusk_error *err)
{
    dusk_part part = { .times = found[0].pair[i].times };
    bool gaussian = true;
    for (size_t d = 0; d < ways; d++) {
        part.pair[d] = found[d].pair[i];
        gaussian = gaussian && part.pair[d].kind == DUSK_PAIR_GAUSSIAN;
    }
    if (gaussian && m->merge && m->gaussian != SIZE_MAX) {
        merge_into(&m->parts.part[m->gaussian], &part, ways);
        return DUSK_OK;
    }
    if (gaussian && !m->merge) divide_runs(&part, tree);
    settle(&part, ways);
    dusk_status status = push_part(m, &part, err);
    if (status != DUSK_OK) return status;
    for (size_t d = 0; d < ways; d++) found[d].pair[i].loss = found[d].pair[i].mass = NULL;
    if (gaussian) m->gaussian = m->parts.count - 1;
    return DUSK_OK;
}

static dusk_status push_renyi(maker *m, const dusk_event_node *tree, dusk_error *err)
{
    dusk_forest forest = { m->parts.renyi.count, m->renyi_room, m->parts.renyi.node };
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < tree->span && status == DUSK_OK; i++)
        status = dusk_forest_push(&forest, tree[i], err);
    m->parts.renyi.count = forest.count;
    m->renyi_room = forest.room;
    m->parts.renyi.node = forest.node;
    return status;
}

/* Both directions of a tree have the same pairs in the same order, for they
 * follow its shape; where they should not, no price is made up. */
static bool is_aligned(const dusk_pairs *found, size_t ways)
{
    if (ways == 1) return true;
    if (found[0].count != found[1].count) return false;
    for (size_t i = 0; i < found[0].count; i++)
        if (found[0].pair[i].times != found[1].pair[i].times) return false;
    return true;
}

static dusk_status add_tree(maker *m, const dusk_event_node *tree, dusk_error *err)
{
    dusk_direction way[2];
    size_t ways = directions(m->parts.neighbours, way), known = 0;
    dusk_pairs found[2] = { { .count = 0 }, { .count = 0 } };
    dusk_composition view = { .neighbours = m->parts.neighbours,
                              .count = tree->span,
                              .node = (dusk_event_node *)tree }; /* only read */
    dusk_status status = DUSK_OK;
    for (; known < ways; known++) {
        status = dusk_pairs_resolve(&found[known], &view, way[known], m->accountant, err);
        if (status != DUSK_OK) break;
    }
    if (status == DUSK_ERR_UNSUPPORTED) {
        status = push_renyi(m, tree, err);
        goto done;
    }
    if (status == DUSK_OK && !is_aligned(found, ways))
        status = dusk_fail_unsupported(err, m->accountant, tree);
    for (size_t i = 0; status == DUSK_OK && i < found[0].count; i++)
        status = take_part(m, found, ways, i, tree, err);
done:
    for (size_t d = 0; d < known; d++) dusk_pairs_free(&found[d]);
    return status;
}

void dusk_parts_free(dusk_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        dusk_pair_clear(&parts->part[i].pair[0]);
        dusk_pair_clear(&parts->part[i].pair[1]);
    }
    dusk_deallocate(parts->part);
    dusk_deallocate(parts->renyi.node);
    dusk_renyi_free(&parts->curves);
    *parts = (dusk_parts){ .neighbours = parts->neighbours };
}

dusk_status dusk_parts_make(dusk_parts *out, const dusk_composition *composition, bool merge,
                            const char *accountant, dusk_error *err)
{
    maker m = { .gaussian = SIZE_MAX, .merge = merge, .accountant = accountant };
    dusk_status status = DUSK_OK;
    m.parts.neighbours = m.parts.renyi.neighbours = composition->neighbours;
    for (const dusk_event_node *tree = dusk_composition_first(composition); tree && status == DUSK_OK;
         tree = dusk_composition_next(composition, tree))
        if (tree->times > 0) status = add_tree(&m, tree, err);
    if (status == DUSK_OK && m.parts.renyi.count > 0) {
        status = dusk_renyi_new(&m.parts.curves, &m.parts.renyi, "rdp", err);
        if (status == DUSK_ERR_UNSUPPORTED) status = DUSK_OK; /* whoever asks for a price is told */
    }
    if (status != DUSK_OK) {
        dusk_parts_free(&m.parts);
        return status;
    }
    *out = m.parts;
    return DUSK_OK;
}

double dusk_parts_claims_up(const dusk_parts *parts)
{
    double claims = parts->renyi.count > 0 ? 1 : 0;
    for (size_t i = 0; i < parts->count; i++)
        if (parts->part[i].claims)
            claims = dusk_add_up(claims, dusk_bound_of_whole(parts->part[i].times).upper);
    return claims;
}

DUSK_PROVEN(dusk_parts_own_total)
dusk_budget dusk_parts_own_total(const dusk_parts *parts)
{
    dusk_budget total = { 0, 0 };
    for (size_t i = 0; i < parts->count; i++) {
        const dusk_part *part = &parts->part[i];
        double n = DUSK_MUTATE(BASIC_TIMES_IGNORED, dusk_bound_of_whole(part->times).upper, 1.0);
        if (part->claims) continue;
        total.epsilon = dusk_add_up(total.epsilon, dusk_mul_up(n, part->own_epsilon_up));
        total.delta = dusk_add_up(total.delta, dusk_mul_up(n, part->own_delta_up));
    }
    return total;
}

dusk_status dusk_parts_own(dusk_budget *out, bool *claims, const dusk_composition *composition,
                           dusk_error *err)
{
    dusk_parts parts;
    dusk_status status = dusk_parts_make(&parts, composition, true, "basic", err);
    if (status != DUSK_OK) return status;
    *out = dusk_parts_own_total(&parts);
    *claims = dusk_parts_claims_up(&parts) > 0;
    dusk_parts_free(&parts);
    return DUSK_OK;
}

DUSK_PROVEN(dusk_part_epsilon)
dusk_status dusk_part_epsilon(double *epsilon_up, const dusk_parts *parts, const dusk_part *part,
                              double delta, dusk_error *err)
{
    dusk_direction way[2];
    size_t ways = directions(parts->neighbours, way);
    double worst = 0;
    for (size_t d = DUSK_MUTATE(PART_ONE_DIRECTION, 0, ways - 1); d < ways; d++) {
        dusk_pair once = part->pair[d];
        dusk_bound epsilon;
        once.times = 1;
        dusk_status status = dusk_exact_epsilon(
            &epsilon, &(dusk_pairs){ .direction = way[d], .count = 1, .pair = &once }, delta, err);
        if (status != DUSK_OK) return status;
        if (!(epsilon.upper <= worst)) worst = epsilon.upper;
    }
    *epsilon_up = worst;
    return DUSK_OK;
}

/* ln(delta(epsilon) / target), +inf when it is not known. */
static double excess_at(const dusk_pair *pair, double epsilon, double target)
{
    dusk_bound delta;
    if (dusk_pair_delta(&delta, pair, epsilon, NULL) != DUSK_OK) return INFINITY;
    return log(delta.upper / target);
}

/* Secant steps toward a delta just below the target; 0 when they lead nowhere. */
static double search_near(const dusk_pair *pair, double target, double guess)
{
    double x = guess, y = excess_at(pair, x, target), step = y > 0 ? 0.125 : -0.125;
    for (int looks = 0; looks < 12 && isfinite(y); looks++) {
        if (y <= 0 && y >= -SHARE_SLACK) return x;
        double next = x * (1 + step);
        if (!(next > 0 && isfinite(next))) return 0;
        double then = excess_at(pair, next, target), slope = (then - y) / (next - x);
        if (!(slope < 0)) return 0;
        x = next, y = then;
        step = -(y + SHARE_SLACK / 2) / slope / x;
        if (!(step > -0.75)) step = -0.75;
        if (step > 4) step = 4;
    }
    return 0;
}

DUSK_PROVEN(dusk_part_share)
dusk_status dusk_part_share(double *epsilon_up, const dusk_parts *parts, const dusk_part *part, double delta,
                            double *guess, dusk_error *err)
{
    dusk_direction way[2];
    size_t ways = directions(parts->neighbours, way);
    if (part->pair[0].kind != DUSK_PAIR_MIXTURE)
        return dusk_part_epsilon(epsilon_up, parts, part, delta, err);
    double epsilon = search_near(&part->pair[0], delta, *guess);
    for (size_t d = 0; d < ways && epsilon > 0; d++) {
        dusk_bound reached;
        if (dusk_pair_delta(&reached, &part->pair[d], epsilon, NULL) != DUSK_OK || !(reached.upper <= delta))
            epsilon = 0;
    }
    if (!(epsilon > 0)) return dusk_part_epsilon(epsilon_up, parts, part, delta, err);
    *epsilon_up = *guess = epsilon;
    return DUSK_OK;
}

dusk_status dusk_parts_renyi_epsilon(double *epsilon_up, const dusk_parts *parts, double delta,
                                     dusk_error *err)
{
    if (parts->curves.count == 0) {
        dusk_bound epsilon;
        dusk_status status = dusk_rdp_epsilon(&epsilon, &parts->renyi, delta, err);
        if (status == DUSK_OK) *epsilon_up = epsilon.upper;
        return status;
    }
    *epsilon_up = dusk_renyi_epsilon_up(&parts->curves, delta);
    return DUSK_OK;
}

dusk_status dusk_parts_renyi_delta(double *delta_up, const dusk_parts *parts, double epsilon, dusk_error *err)
{
    if (parts->curves.count == 0) {
        dusk_bound delta;
        dusk_status status = dusk_rdp_delta(&delta, &parts->renyi, epsilon, err);
        if (status == DUSK_OK) *delta_up = delta.upper;
        return status;
    }
    *delta_up = dusk_renyi_delta_up(&parts->curves, epsilon);
    return DUSK_OK;
}

DUSK_PROVEN(dusk_part_delta)
dusk_status dusk_part_delta(double *delta_up, const dusk_parts *parts, const dusk_part *part, double epsilon,
                            dusk_error *err)
{
    dusk_direction way[2];
    size_t ways = directions(parts->neighbours, way);
    double worst = 0;
    for (size_t d = 0; d < ways; d++) {
        dusk_pair once = part->pair[d];
        dusk_bound delta;
        once.times = 1;
        dusk_status status = dusk_exact_delta(
            &delta, &(dusk_pairs){ .direction = way[d], .count = 1, .pair = &once }, epsilon, err);
        if (status != DUSK_OK) return status;
        if (!(delta.upper <= worst)) worst = delta.upper;
    }
    *delta_up = worst < 1 ? worst : 1;
    return DUSK_OK;
}

/* A search for delta = least + 2^x. */
typedef struct search {
    const dusk_parts *parts;
    dusk_epsilon_question *question;
    double least, epsilon;
    double found; /* the least delta that was enough */
    dusk_status status;
    dusk_error *err;
} search;

static double excess(double x, const void *context)
{
    search *s = *(search *const *)context;
    double epsilon, delta = dusk_add_up(s->least, exp2(x));
    if (s->status != DUSK_OK) return -1;
    if (!(delta < 1)) delta = 1 - 0x1p-53;
    s->status = s->question(&epsilon, s->parts, delta, s->err);
    if (s->status != DUSK_OK) return -1;
    if (epsilon <= s->epsilon && delta < s->found) s->found = delta;
    /* in [-1, 1], whatever the sizes, with a slope for the root finder */
    if (!(epsilon < INFINITY)) return 1;
    return epsilon <= s->epsilon ? -(s->epsilon - epsilon) / (s->epsilon + epsilon + 0x1p-100) - 0x1p-60
                                 : (epsilon - s->epsilon) / (epsilon + s->epsilon);
}

DUSK_PROVEN(dusk_parts_delta)
dusk_status dusk_parts_delta(double *delta_up, const dusk_parts *parts, dusk_epsilon_question *question,
                             double least, double epsilon, dusk_error *err)
{
    search s = {
        .parts = parts, .question = question, .least = least, .epsilon = epsilon, .found = 1, .err = err
    };
    search *context = &s;
    double low = -1074, high = 0;
    if (excess(low, &context) > 0) (void)dusk_root_bracket(&low, &high, 0x1p-24, excess, &context);
    if (s.status != DUSK_OK) return s.status;
    *delta_up = s.found;
    return DUSK_OK;
}
