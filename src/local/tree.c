/* SPDX-License-Identifier: Apache-2.0 */
/* Hierarchical histograms, the server's side [Kulkarni, Cormode & Srivastava 2019; Hay et al. 2010, "Boosting the accuracy of differentially private histograms through consistency"]. Counters: the signs that
 * came, added up by level and row. Estimates are least squares over the whole tree with the root known, so that nodes are the sum of their children and a range is the sum of its leaves; all of
 * them are linear in the reports, unbiased, and their variance is known exactly. Device: client_tree.c. Proof: tree.proof.md. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "local/counting.h"
#include "local/tree.h"

/* --- the shape ------------------------------------------------------------------------------------------------------------ */

static uint64_t children(const tree_shape *s, uint32_t level, uint64_t node)
{
    const uint64_t first = node << s->bits, all = s->nodes[level - 1];
    return all - first < (uint64_t)1 << s->bits ? all - first : (uint64_t)1 << s->bits;
}

static double spread_of(const tree_shape *s, uint32_t level, uint64_t node)
{
    return node + 1 < s->nodes[level] ? s->spread[level] : s->last[level];
}

/* The variance of what the children of a node say of it together. */
static double below(const tree_shape *s, uint32_t level, uint64_t node)
{
    const uint64_t n = children(s, level, node);
    return (double)(n - 1) * s->spread[level - 1] + spread_of(s, level - 1, (node << s->bits) + n - 1);
}

void local_tree_shape(tree_shape *out, const dusk_client_task *task)
{
    tree_shape s = { .levels = task->rows, .bits = client_fan_bits(task) };
    for (uint32_t l = 0; l <= s.levels; l++) {
        s.nodes[l] = l < s.levels ? ((task->domain - 1) >> (l * s.bits)) + (uint64_t)1 : 1;
        if (l < s.levels) s.width[l] = task->width >> (l * s.bits);
        if (l < s.levels) s.offset[l + 1] = s.offset[l] + s.width[l];
        s.spread[l] = s.last[l] = 1;
        if (l == 0) continue;
        const double full = ldexp(s.spread[l - 1], (int)s.bits), rest = below(&s, l, s.nodes[l] - 1);
        s.spread[l] = full / (1 + full);
        s.last[l] = DUSK_MUTATE(TREE_LAST_IS_FULL, rest / (1 + rest), s.spread[l]);
    }
    *out = s;
}

/* --- ranges ------------------------------------------------------------------------------------------------------------------ */

/* What of the range is under a node is a share of the node's count, and a rest that is independent of it: the variance of the rest. */
static double rest_of(const tree_shape *s, uint32_t level, uint64_t node, uint64_t from, uint64_t to,
                      double *share)
{
    const uint32_t shift = s->bits * level;
    const uint64_t first = node << shift, behind = (node + 1) << shift;
    const uint64_t last = (behind < s->nodes[0] ? behind : s->nodes[0]) - 1;
    double rest = 0, sum = 0, squares = 0;
    *share = from <= first && last <= to;
    if (*share > 0 || to < first || last < from) return 0;
    for (uint64_t c = node << s->bits; c < (node << s->bits) + children(s, level, node); c++) {
        double of_child;
        rest += rest_of(s, level - 1, c, from, to, &of_child);
        sum += of_child * spread_of(s, level - 1, c);
        squares += of_child * of_child * spread_of(s, level - 1, c);
    }
    *share = sum / below(s, level, node);
    return rest + fmax(squares - *share * sum, 0);
}

double local_tree_squares(const tree_shape *shape, uint64_t from, uint64_t to, double *fixed)
{
    return rest_of(shape, shape->levels, 0, from, to, fixed);
}

/* What a node's sign is worth. */
static double gain(const dusk_client_task *task) { return task->rows / (2 * local_chance(task->p) - 1); }

/* One report measures a node with the variance rows / (2p - 1)^2, less the square of what is right on average. */
static void variances(const dusk_client_task *task, const tree_shape *shape, uint64_t from, uint64_t to,
                      double *inside, double *outside)
{
    double fixed;
    const double squares = local_tree_squares(shape, from, to, &fixed);
    const double all = gain(task) * gain(task) / task->rows * squares;
    *inside = fmax(all - (1 - fixed) * (1 - fixed), 0);
    *outside = fmax(all - fixed * fixed, 0);
}

static void range(const dusk_client_task *task, uint64_t from, uint64_t to, double *inside, double *outside)
{
    tree_shape shape;
    local_tree_shape(&shape, task);
    variances(task, &shape, from, to, inside, outside);
}

/* --- plans -------------------------------------------------------------------------------------------------------------------- */

#define TRIED 64 /* ranges */

/* The mean variance of ranges from anywhere to anywhere, but for what all fan-outs have in common. */
static double cost(const dusk_client_task *task)
{
    tree_shape shape;
    double sum = 0, fixed;
    local_tree_shape(&shape, task);
    for (unsigned i = 0; i < TRIED; i++) {
        const double u = fmod(0.5 + i * 0.7548776662466927, 1), v = fmod(0.5 + i * 0.5698402909980532, 1);
        const uint64_t a = (uint64_t)(u * task->domain), b = (uint64_t)(v * task->domain);
        sum += local_tree_squares(&shape, a < b ? a : b, a < b ? b : a, &fixed);
    }
    return task->rows * sum;
}

static dusk_status plan(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    dusk_client_task *task = &survey->task;
    double least = INFINITY;
    uint32_t best = options->hashes;
    if (best && (best < 2 || best > 256 || (best & (best - 1))))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it to the plan, or take 4, 8 or 16",
                         "the fan-out of a tree (hashes) is a power of 2, up to 256");
    if (task->domain > (uint32_t)1 << 24)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "put values together: the first bits of them are enough",
                         "tree has room for 2^24 categories at most");
    task->width = 2;
    while (task->width < task->domain) task->width *= 2;
    task->p = local_keep_down(options->epsilon, 1);
    for (uint32_t fan = 2; fan <= 256 && !options->hashes; fan *= 2) {
        task->hashes = fan;
        task->rows = client_levels(task);
        if ((uint64_t)task->rows * task->width > LOCAL_CELLS_MOST) continue; /* of reports, not of counters */
        const double here = cost(task);
        if (here < least * (1 - 1e-9)) best = fan;
        least = fmin(least, here);
    }
    task->hashes = best;
    task->rows = client_levels(task);
    return DUSK_OK;
}

DUSK_PROVEN(tree_epsilon)
static double tree_epsilon(const dusk_client_task *task) { return local_log_odds_up(task->p, 1, 1); }

/* --- reports ------------------------------------------------------------------------------------------------------------------ */

static uint64_t cells(const dusk_client_task *task)
{
    const uint32_t bits = client_fan_bits(task);
    uint64_t sum = 0;
    for (uint32_t l = 0; l < task->rows; l++) sum += task->width >> (l * bits);
    return sum;
}

/* A row of more than a level needs is as good as its last bits: nodes have no others. */
static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const uint32_t bytes = client_bytes_for(2 * task->rows * task->width), bits = client_fan_bits(task);
    const int top = __builtin_ctz(task->width);
    uint64_t dropped = 0, offset[TREE_LEVELS], mask[TREE_LEVELS], at = 0;
    for (uint32_t l = 0; l < task->rows; l++) {
        offset[l] = at;
        mask[l] = (task->width >> (l * bits)) - 1;
        at += mask[l] + 1;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = bytes == 2 ? reports[2 * i] | (uint64_t)reports[2 * i + 1] << 8
                                      : client_get(reports + i * bytes, bytes);
        const uint64_t row = x >> 1, level = row >> top;
        if (level < task->rows)
            cell[offset[level] + (row & mask[level])] += 1 - 2 * (int64_t)(x & 1);
        else
            dropped++;
    }
    return dropped;
}

/* --- estimates ---------------------------------------------------------------------------------------------------------------- */

/* node[offset + i]: what the reports of its own level say of each node. */
static dusk_status measure(const dusk_client_task *task, const tree_shape *s, double *node,
                           const int64_t *cell, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    int64_t *sum = NULL;
    DUSK_NEW(sum, s->width[0]);
    for (uint32_t l = 0; l < s->levels; l++) {
        memcpy(sum, cell + s->offset[l], s->width[l] * sizeof *sum);
        local_hadamard(sum, s->width[l]);
        for (uint64_t i = 0; i < s->nodes[l]; i++) node[s->offset[l] + i] = gain(task) * (double)sum[i];
    }
done:
    dusk_deallocate(sum);
    return status;
}

static double sum_of_children(const tree_shape *s, const double *node, uint32_t level, uint64_t i)
{
    const double *child = node + s->offset[level - 1] + (i << s->bits);
    double sum = 0;
    for (uint64_t c = 0; c < children(s, level, i); c++) sum += child[c];
    return sum;
}

/* Upwards: each node's own measurement and what is below it, by their variances. Downwards: what the children lack of their parent is shared out, to each as much as it is uncertain. */
static void make_consistent(const tree_shape *s, double *node, double total)
{
    for (uint32_t l = 1; l < s->levels; l++)
        for (uint64_t i = 0; i < s->nodes[l]; i++) {
            const double under = below(s, l, i), own = under / (1 + under);
            double *here = &node[s->offset[l] + i];
            *here = DUSK_MUTATE(TREE_PLAIN_MEAN, own, 0.5) * *here +
                    (1 - DUSK_MUTATE(TREE_PLAIN_MEAN, own, 0.5)) * sum_of_children(s, node, l, i);
        }
    for (uint32_t l = s->levels; l >= 1; l--)
        for (uint64_t i = 0; i < s->nodes[l]; i++) {
            const double parent = l == s->levels ? total : node[s->offset[l] + i];
            const double lacks = (parent - sum_of_children(s, node, l, i)) / below(s, l, i);
            for (uint64_t c = i << s->bits; c < (i << s->bits) + children(s, l, i); c++)
                node[s->offset[l - 1] + c] += lacks * spread_of(s, l - 1, c);
        }
}

/* Leaves differ by the level from which on the node above them is the last. */
static uint32_t joins(const tree_shape *s, uint64_t leaf)
{
    uint32_t l = 0;
    while (l < s->levels && leaf >> (s->bits * l) != s->nodes[l] - 1) l++;
    return l;
}

static dusk_status counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *out,
                          double *deviations, const uint64_t *values, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double all = (double)reports;
    double *node = NULL, inside[TREE_LEVELS + 1], outside[TREE_LEVELS + 1];
    bool known[TREE_LEVELS + 1] = { false };
    tree_shape s;
    local_tree_shape(&s, task);
    DUSK_NEW(node, s.offset[s.levels]);
    DUSK_TRY(measure(task, &s, node, cell, err));
    make_consistent(&s, node, all);
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = values ? values[i] : i;
        if (value >= task->domain) {
            local_no_estimate(&out[i], deviations ? &deviations[i] : NULL);
            continue;
        }
        out[i] = node[value];
        if (!deviations) continue;
        const uint32_t j = joins(&s, value);
        if (!known[j]) variances(task, &s, value, value, &inside[j], &outside[j]);
        known[j] = true;
        const double holders = fmin(fmax(out[i], 0), all);
        deviations[i] = sqrt(holders * inside[j] + (all - holders) * outside[j]);
    }
done:
    dusk_deallocate(node);
    return status;
}

/* Of the first leaf; all of a full tree are alike. */
static double variance(const dusk_client_task *task, double share)
{
    double inside, outside;
    range(task, 0, 0, &inside, &outside);
    return share * inside + (1 - share) * outside;
}

/* --- liars -------------------------------------------------------------------------------------------------------------------- */

/* weight[l]: the sum of what the nodes of level l count for, in what is known of a node from those under it and itself. */
typedef struct weights {
    double full[TREE_LEVELS + 1][TREE_LEVELS], last[TREE_LEVELS + 1][TREE_LEVELS];
} weights;

static void weigh(weights *w, const tree_shape *s)
{
    memset(w, 0, sizeof *w);
    w->full[0][0] = w->last[0][0] = 1;
    for (uint32_t j = 1; j < s->levels; j++) {
        const uint64_t n = children(s, j, s->nodes[j] - 1);
        const double full = ldexp(s->spread[j - 1], (int)s->bits), rest = below(s, j, s->nodes[j] - 1);
        for (uint32_t l = 0; l < j; l++) {
            w->full[j][l] = ldexp(w->full[j - 1][l], (int)s->bits) / (1 + full);
            w->last[j][l] = ((double)(n - 1) * w->full[j - 1][l] + w->last[j - 1][l]) / (1 + rest);
        }
        w->full[j][j] = full / (1 + full);
        w->last[j][j] = rest / (1 + rest);
    }
}

/* At most, of the leaves that join the last nodes at a level: a leaf is what is known of it, less its part of what is known of it and its siblings, and its part of the parent, and so on. */
static double most_of(const weights *w, const tree_shape *s, uint32_t join, double *fixed)
{
    double weight[TREE_LEVELS] = { 0 }, part = 1, most = 0;
    for (uint32_t j = 0; j < s->levels; j++) {
        const bool last = j >= join, under_last = j + 1 >= join;
        const uint64_t parent = under_last ? s->nodes[j + 1] - 1 : 0;
        const uint64_t n = children(s, j + 1, parent);
        const double of_last = (double)(n - 1), own = last ? s->last[j] : s->spread[j];
        const double next = part * own / below(s, j + 1, parent);
        for (uint32_t l = 0; l <= j; l++) {
            const double *youngest = parent + 1 < s->nodes[j + 1] ? w->full[j] : w->last[j];
            weight[l] += part * (last ? w->last[j][l] : w->full[j][l]) +
                         next * (of_last * w->full[j][l] + youngest[l]);
        }
        part = next;
    }
    for (uint32_t l = 0; l < s->levels; l++) most = fmax(most, weight[l]);
    *fixed = part;
    return most;
}

/* Signs of all nodes of a level as they suit the liar: no row has them, so that it is a bound. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    tree_shape s;
    weights w;
    local_tree_shape(&s, task);
    weigh(&w, &s);
    *least = INFINITY;
    *most = 0;
    for (uint32_t join = 0; join <= s.levels; join++) {
        double fixed;
        const double far = fabs(gain(task)) * most_of(&w, &s, join, &fixed);
        *least = fmin(*least, fixed - far);
        *most = fmax(*most, fixed + far);
    }
    *least *= targets;
    *most *= targets;
}

const local_protocol local_tree = {
    .name = "tree",
    .about = "a hierarchical histogram: a level of a tree by lot, and one bit of the value's node in it",
    .mechanism = DUSK_TREE,
    .question = DUSK_ASKS_COUNTS,
    .plan = plan,
    .epsilon = tree_epsilon,
    .cells = cells,
    .absorb = absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .range = range,
};
