/* SPDX-License-Identifier: Apache-2.0 */
/* Noisy counts over a public tree. One unit's rows are in at most m leaves, so they
 * change the counts of one level by a vector of whole numbers whose sum is at most m,
 * whatever the depth of those leaves; the levels are released one after the other
 * [Hay, Rastogi, Miklau & Suciu 2010, section 4.1; Dwork & Roth 2014, Theorem 3.16].
 * Proof: hierarchy.proof.md. Making counts agree is hierarchy_fit.c. */
#include "mechanisms/hierarchy.h"

#include <math.h>
#include <string.h>

#include "accounting/gaussian.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/text.h"
#include "mechanisms/aggregate.h"
#include "numeric/rounding.h"
#include "random/rounded.h"

/* ---- The tree -------------------------------------------------------------------- */

static dusk_status check_size(size_t nodes, dusk_error *err)
{
    if (nodes >= 1 && nodes <= DUSK_HIERARCHY_NODES_MAX) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "give at least the root, and at most 2^26 nodes",
                     "the number of nodes must be between 1 and %u", DUSK_HIERARCHY_NODES_MAX);
}

/* The level of every node, and how many nodes each level has. */
static dusk_status find_levels(uint8_t *level, size_t *size, size_t *levels, const uint32_t *parents,
                               size_t nodes, dusk_error *err)
{
    memset(size, 0, DUSK_HIERARCHY_LEVELS_MAX * sizeof *size);
    *levels = 0;
    for (size_t i = 0; i < nodes; i++) {
        if (i > 0 && parents[i] >= i)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "number the nodes from the root, node 0, downwards",
                             "the parent of node %zu must have a smaller number", i);
        unsigned l = i == 0 ? 0 : level[parents[i]] + 1u;
        if (l >= DUSK_HIERARCHY_LEVELS_MAX)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out levels with a single child each",
                             "the tree has more than %d levels", DUSK_HIERARCHY_LEVELS_MAX);
        level[i] = (uint8_t)DUSK_MUTATE(HIERARCHY_DEEP_LEVELS_MERGED, l, l > 1 ? 1 : l);
        size[level[i]]++;
        if (level[i] >= *levels) *levels = level[i] + 1u;
    }
    return DUSK_OK;
}

static dusk_status copy_tree(dusk_hierarchy *h, const uint32_t *parents, size_t nodes, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(check_size(nodes, err));
    h->nodes = nodes;
    DUSK_NEW(h->parents, nodes);
    DUSK_NEW(h->level, nodes);
    DUSK_NEW(h->children, nodes);
    DUSK_NEW(h->below, nodes);
    DUSK_NEW(h->under, nodes);
    DUSK_NEW(h->fitted, nodes);
    DUSK_TRY(find_levels(h->level, h->size, &h->levels, parents, nodes, err));
    for (size_t i = 1; i < nodes; i++) {
        h->parents[i] = parents[i];
        h->children[parents[i]]++;
    }
done:
    return status;
}

/* ---- Balanced trees --------------------------------------------------------------- */

/* The sizes of the levels of a balanced tree, the last one first; how many there are. */
static size_t balanced_levels(size_t *size, size_t leaves, uint32_t branching)
{
    size_t levels = 0;
    for (size_t n = leaves;; n = (n + branching - 1) / branching) {
        size[levels++] = n;
        if (n == 1) return levels;
    }
}

dusk_status dusk_hierarchy_balanced(uint32_t *parents, size_t *nodes, size_t leaves, uint32_t branching,
                                    dusk_error *err)
{
    size_t size[DUSK_HIERARCHY_LEVELS_MAX], levels, total = 0, above = 0;
    if (branching < 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 2 for a binary tree", "branching must be at least 2");
    if (leaves < 1 || leaves > DUSK_HIERARCHY_NODES_MAX / 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give at least one bin and at most 2^25",
                         "the number of leaves must be between 1 and %u", DUSK_HIERARCHY_NODES_MAX / 2);
    levels = balanced_levels(size, leaves, branching);
    for (size_t l = levels; l-- > 0;) {
        size_t start = total;
        for (size_t i = 0; parents && i < size[l]; i++)
            parents[start + i] = (uint32_t)(above + i / branching);
        above = start;
        total += size[l];
    }
    *nodes = total;
    return DUSK_OK;
}

uint32_t dusk_hierarchy_branching(size_t leaves, unsigned dimensions)
{
    double least = INFINITY;
    uint32_t best = 2;
    if (leaves > DUSK_HIERARCHY_NODES_MAX) leaves = DUSK_HIERARCHY_NODES_MAX;
    for (uint32_t b = 2; b <= leaves && b <= 4096; b++) {
        double h = 0;
        for (size_t n = 1; n < leaves; n *= b) h++; /* ceil(log_b(leaves)) */
        double variance = dimensions == 2 ? b * h * h : (b - 1.0) * h * h * h - 2 * (b + 1.0) * h * h / 3;
        if (variance < least) best = b;
        if (variance < least) least = variance;
    }
    return best;
}

/* ---- Shares ---------------------------------------------------------------------- */

static dusk_status check_shares(const dusk_hierarchy *h, const double *shares, size_t levels, double *total,
                                dusk_error *err)
{
    *total = 0;
    if (levels != h->levels)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one share a level, the root first",
                         "there are %zu shares and %zu levels", levels, h->levels);
    for (size_t l = 0; l < levels; l++) {
        if (!(shares[l] >= 0) || !(shares[l] <= 0x1p500))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "only the proportions of shares matter",
                             "the share of level %zu must be at least 0 and finite", l);
        *total = dusk_add_up(*total, shares[l]);
    }
    for (size_t i = 0; i < h->nodes; i++)
        if (h->children[i] == 0 && !(shares[h->level[i]] > 0))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "every level that has a leaf needs a share above 0",
                             "the share of level %u is 0, and node %zu is a leaf of it", h->level[i], i);
    return DUSK_OK;
}

/* h->share: at most shares[l] / total. */
static dusk_status divide(dusk_hierarchy *h, const double *shares, size_t levels, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double equal[DUSK_HIERARCHY_LEVELS_MAX], total;
    for (size_t l = 0; l < DUSK_HIERARCHY_LEVELS_MAX; l++) equal[l] = 1;
    if (!shares) levels = h->levels;
    DUSK_TRY(check_shares(h, shares ? shares : equal, levels, &total, err));
    for (size_t l = 0; l < levels; l++) {
        h->share[l] = dusk_div_down(shares ? shares[l] : 1, total);
        if (h->share[l] > 0 && h->share[l] < 0x1p-30)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 0 for a level that shall not be counted",
                             "the share of level %zu is below 2^-30 of all", l);
    }
done:
    return status;
}

dusk_status dusk_hierarchy_optimal_shares(double *shares, size_t *levels, const uint32_t *parents,
                                          size_t nodes, double delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t size[DUSK_HIERARCHY_LEVELS_MAX], found;
    uint8_t *level = NULL;
    DUSK_TRY(check_size(nodes, err));
    DUSK_NEW(level, nodes);
    DUSK_TRY(find_levels(level, size, &found, parents, nodes, err));
    for (size_t l = 0; l < found; l++) shares[l] = delta > 0 ? sqrt((double)size[l]) : cbrt((double)size[l]);
    *levels = found;
done:
    dusk_deallocate(level);
    return status;
}

/* ---- Noise ----------------------------------------------------------------------- */

/* The noise of one level, `factor` >= 1 times what its share asks for; `ratio`: scale
 * over sensitivity that a Gaussian level alone would need. A unit's rows
 * are a vector of counts whose sum is at most m. Adding it: m in both norms.
 * Exchanging it: 2m in l1, m sqrt(2) in l2, and m where the level has one node. */
DUSK_PROVEN(make_noise)
static dusk_status make_noise(dusk_noise *out, const dusk_hierarchy *h, size_t level, double ratio,
                              double factor, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_aggregate *how = &h->how;
    double m = how->rows_per_unit, share = h->share[level], scale;
    bool pure = how->delta == 0;
    bool two_sided =
        DUSK_MUTATE(HIERARCHY_ONE_SIDED, how->neighbours == DUSK_REPLACE_ONE && h->size[level] > 1, false);
    double sensitivity = !two_sided ? m : pure ? 2 * m : dusk_mul_up(m, dusk_sqrt_up(2));
    double epsilon = pure ? dusk_mul_down(how->epsilon, share) : how->epsilon;
    dusk_noise noise;

    DUSK_TRY(dusk_noise_start(&noise, pure ? DUSK_DISCRETE_LAPLACE : DUSK_GAUSSIAN, (uint32_t)h->size[level],
                              sensitivity, epsilon, how->delta, err));
    noise.grid = 0;
    noise.grid_sensitivity = sensitivity; /* whole numbers stay as they are */
    scale = pure ? dusk_div_up(sensitivity, epsilon)
                 : dusk_div_up(dusk_mul_up(sensitivity, ratio), dusk_sqrt_down(share));
    DUSK_TRY(dusk_noise_settle(&noise, dusk_mul_up(scale, factor), err));
    *out = noise;
done:
    return status;
}

DUSK_PROVEN(dusk_hierarchy_event)
dusk_status dusk_hierarchy_event(const dusk_hierarchy *h, dusk_event *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event sum = { { 0 } }, event;
    bool any = false;

    for (size_t l = 0; l < h->levels; l++) {
        if (!(h->share[l] > 0)) continue;
        DUSK_TRY(dusk_noise_event(&h->noise[l], &event, err));
        if (!any)
            sum = event;
        else if (DUSK_MUTATE(HIERARCHY_LEVELS_NOT_SUMMED, true, false))
            DUSK_TRY(dusk_event_add(&sum, &sum, &event, err));
        any = true;
    }
    *out = sum; /* a level that has leaves is counted */
done:
    return status;
}

/* Raise all scales together until what the levels cost is not above the promise: an
 * accountant rounds up. */
DUSK_PROVEN(calibrate)
static dusk_status calibrate(dusk_hierarchy *h, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double excess = 0, ratio = h->how.delta > 0 ? dusk_gaussian_sigma_up(h->how.epsilon, h->how.delta) : 0;
    while (excess <= 0x1p-20) {
        dusk_event event;
        double epsilon;
        for (size_t l = 0; l < h->levels; l++)
            if (h->share[l] > 0) DUSK_TRY(make_noise(&h->noise[l], h, l, ratio, 1 + excess, err));
        DUSK_TRY(dusk_hierarchy_event(h, &event, err));
        DUSK_TRY(dusk_event_epsilon_up(&event, &epsilon, h->how.delta, err));
        if (epsilon <= h->how.epsilon) return DUSK_OK;
        excess = excess == 0 ? 0x1p-50 : 2 * excess;
    }
    status =
        dusk_fail(err, DUSK_ERR_INTERNAL, "", "no scales were found that keep epsilon %.17g, delta %.17g",
                  h->how.epsilon, h->how.delta);
done:
    return status;
}

/* ---- The handle ------------------------------------------------------------------ */

void dusk_hierarchy_free(dusk_hierarchy *h)
{
    if (!h) return;
    dusk_deallocate(h->parents);
    dusk_deallocate(h->level);
    dusk_deallocate(h->children);
    dusk_deallocate(h->below);
    dusk_deallocate(h->under);
    dusk_deallocate(h->fitted);
    dusk_deallocate(h);
}

dusk_status dusk_hierarchy_new(dusk_hierarchy **out, const dusk_aggregate *how, const uint32_t *parents,
                               size_t nodes, const double *shares, size_t levels, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_hierarchy *h = NULL;
    dusk_text text;

    *out = NULL;
    DUSK_TRY(dusk_aggregate_check(how, false, err));
    DUSK_NEW(h, 1);
    h->how = *how;
    dusk_text_init(&text, h->unit, sizeof h->unit);
    dusk_text_add(&text, "%s", how->unit ? how->unit : "unit");
    if (text.overflow) DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "shorten it", "unit is too long"));
    h->how.unit = h->unit;
    DUSK_TRY(copy_tree(h, parents, nodes, err));
    DUSK_TRY(divide(h, shares, levels, err));
    DUSK_TRY(calibrate(h, err));
    dusk_hierarchy_variances(h);
    *out = h;
    h = NULL;
done:
    dusk_hierarchy_free(h);
    return status;
}

dusk_status dusk_hierarchy_state(const dusk_hierarchy *h, dusk_statement *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_statement statement;
    dusk_event event;
    dusk_text text;
    char fact[96];

    DUSK_TRY(dusk_hierarchy_event(h, &event, err));
    DUSK_TRY(dusk_aggregate_state(&statement, &h->how, false, &event, err));
    dusk_text_init(&text, fact, sizeof fact);
    dusk_text_add(&text, "tree of %zu nodes in %zu levels declared", h->nodes, h->levels);
    DUSK_TRY(dusk_statement_assume(&statement, fact, err));
    *out = statement;
done:
    return status;
}

/* ---- Release --------------------------------------------------------------------- */

static dusk_status draw_levels(const dusk_hierarchy *h, dusk_pool *pools, unsigned width, dusk_generator *gen,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t l = 0; l < h->levels; l++)
        if (h->share[l] > 0) DUSK_TRY(dusk_pool_draw(&pools[l], &h->noise[l], h->size[l], width, gen, err));
done:
    return status;
}

/* Exact counts of all nodes: those of leaves, added up toward the root. */
static void add_up(dusk_int128 *total, const dusk_hierarchy *h, const uint64_t *exact)
{
    for (size_t i = h->nodes; i-- > 0;) {
        if (h->children[i] == 0) total[i] = exact[i];
        if (i > 0) total[h->parents[i]] += total[i];
    }
}

DUSK_PROVEN(dusk_hierarchy_release_width)
dusk_status dusk_hierarchy_release_width(const dusk_hierarchy *h, double *noisy, const uint64_t *exact,
                                         unsigned width, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pool pools[DUSK_HIERARCHY_LEVELS_MAX] = { { 0 } };
    size_t next[DUSK_HIERARCHY_LEVELS_MAX] = { 0 };
    dusk_int128 *total = NULL;

    DUSK_NEW(total, h->nodes);
    DUSK_TRY(draw_levels(h, pools, width, gen, err));
    add_up(total, h, exact);
    for (size_t i = 0; i < h->nodes; i++) {
        size_t l = h->level[i], place = next[l]++;
        place = DUSK_MUTATE(HIERARCHY_NOISE_SHARED, place, 0);
        noisy[i] = h->share[l] > 0 ? (double)dusk_pool_add(&pools[l], place, total[i]) : NAN;
        if (DUSK_MUTATE(HIERARCHY_TOTAL_EXACT, false, i == 0)) noisy[i] = (double)total[i];
    }
done:
    for (size_t l = 0; l < h->levels; l++) dusk_pool_clear(&pools[l]);
    if (total) dusk_wipe(total, h->nodes * sizeof *total);
    dusk_deallocate(total);
    return status;
}

dusk_status dusk_hierarchy_release(const dusk_hierarchy *h, double *noisy, const uint64_t *exact,
                                   dusk_generator *gen, dusk_error *err)
{
    return dusk_hierarchy_release_width(h, noisy, exact, DUSK_WIDTH_FULL, gen, err);
}
