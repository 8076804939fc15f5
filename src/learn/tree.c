/* SPDX-License-Identifier: Apache-2.0 */
/* A private decision tree, greedy from the root down [Blum, Dwork, McSherry & Nissim 2005; Friedman & Schuster 2010]. Each node
 * chooses one of all splits by the exponential mechanism (permute-and-flip without delta) on an exact score; in the end the classes
 * in leaves are counted with Laplace noise. Nodes of a level hold different rows, so that a level costs what one choice does.
 *
 * Scores: Gini impurity, of which a row moves every split's by 0 to 2 in the same direction, or the rows that the larger class of each side
 * has, by 0 or 1. Not here: pruning; depth is public. Proof: tree.proof.md. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/mechanisms.h"
#include "learn/splits.h"

typedef struct tree_plan {
    learn_bins bins;
    learn_candidates candidates;
    dusk_selection choice; /* of one node */
    learn_noise counts;
    bool gini;
    unsigned depth;
    size_t classes;
} tree_plan;

static void forget(void *plan)
{
    tree_plan *p = plan;
    if (!p) return;
    learn_bins_clear(&p->bins);
    learn_candidates_clear(&p->candidates);
    dusk_deallocate(p);
}

/* --- plan ------------------------------------------------------------------------------------------------------------------ */

/* A choice a node: `each` for a level. The rows that one change of the data moves, `factor` of them, may be in one node or in
 * several. */
DUSK_PROVEN(plan_choice)
static dusk_status plan_choice(learn_job *job, tree_plan *p, double share, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool flips = job->budget.delta == 0;
    const double each = job->budget.epsilon * (1 - 0x1p-30) * share / p->depth;
    const double row = p->gini ? DUSK_MUTATE(TREE_IMPURITY_MOVES_BY_ONE, 2, 1) * LEARN_IMPURITY_ONE : 1;
    const double sensitivity = row * DUSK_MUTATE(TREE_UNIT_IS_ONE_ROW, job->budget.factor, 1);
    dusk_event event;
    DUSK_TRY(flips ? dusk_event_pure(&event, each, err) : dusk_event_exponential(&event, each, err));
    DUSK_TRY(learn_budget_event(&job->budget, &event, job->budget.left, p->depth, err));
    DUSK_TRY(dusk_selection_init(&p->choice, flips ? DUSK_SELECT_PERMUTE_AND_FLIP : DUSK_SELECT_EXPONENTIAL,
                                 sensitivity, true, each, err));
    learn_say(job, "%u levels of splits, each node's one of %zu, for epsilon %s a level", p->depth,
              p->candidates.count, dusk_shown_up(each, 4).text);
done:
    return status;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double share = learn_setting(job, "leaves_share");
    tree_plan *p = NULL;
    DUSK_NEW(p, 1);
    job->plan = p;
    p->depth = (unsigned)learn_setting(job, "depth");
    p->gini = learn_choice(job, "score") == 0;
    p->classes = job->label_field->values;
    DUSK_TRY(learn_bins_init(&p->bins, job->fields, job->label, (size_t)learn_setting(job, "bins"), err));
    DUSK_TRY(learn_candidates_init(&p->candidates, &p->bins, job->fields, err));
    if ((p->bins.widest * p->classes) << p->depth > (size_t)1 << 27 ||
        p->candidates.count << p->depth > (size_t)1 << 26)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use a smaller depth, or fewer bins",
                         "a tree of depth %u over %zu bins and %zu classes is too large", p->depth,
                         p->bins.widest, p->classes);
    DUSK_TRY(learn_budget_counts(&job->budget, &p->counts, 1, share, err));
    DUSK_TRY(plan_choice(job, p, 1 - share, err));
    learn_say(job,
              "how many rows of each of %zu classes are in each of %zu leaves, with noise of deviation %.4g",
              p->classes, (size_t)1 << p->depth, p->counts.deviation);
done:
    return status;
}

/* --- scores ----------------------------------------------------------------------------------------------------------------- */

/* Rows of the class that has most of them. */
static int64_t largest(const int64_t *count, size_t classes)
{
    int64_t most = 0;
    for (size_t c = 0; c < classes; c++) most = count[c] > most ? count[c] : most;
    return most;
}

DUSK_PROVEN(score_of)
static double score_of(const tree_plan *p, const int64_t *first, const int64_t *second)
{
    if (p->gini) return -(double)(learn_impurity(first, p->classes) + learn_impurity(second, p->classes));
    return (double)(largest(first, p->classes) + largest(second, p->classes));
}

typedef struct growing {
    const tree_plan *plan;
    learn_codes codes;
    uint16_t *node;     /* of each row, within its level */
    int64_t *histogram; /* node, bin, class */
    double *scores;     /* node, candidate */
    int64_t *side;      /* 3 * classes: first, second, all */
    learn_split *split; /* of all inner nodes */
} growing;

/* Scores of the splits of one column in one node; returns how many. `h` has the classes of each bin. */
static size_t score_column(const growing *g, double *scores, const int64_t *h, size_t bins, bool ordered)
{
    const size_t classes = g->plan->classes;
    int64_t *first = g->side, *second = first + classes, *all = second + classes;
    size_t n = 0;
    memset(g->side, 0, 3 * classes * sizeof *g->side);
    for (size_t v = 0; v < bins; v++)
        for (size_t c = 0; c < classes; c++) all[c] += h[v * classes + c];
    for (size_t v = 0; v < bins; v++) {
        for (size_t c = 0; c < classes; c++) {
            second[c] = ordered ? all[c] - first[c] : h[v * classes + c];
            if (!ordered) first[c] = all[c] - second[c];
        }
        if (!ordered || v > 0) scores[n++] = score_of(g->plan, first, second);
        for (size_t c = 0; ordered && c < classes; c++) first[c] += h[v * classes + c];
    }
    return n;
}

static void count_column(const growing *g, size_t j, size_t bins, size_t nodes)
{
    const size_t classes = g->plan->classes;
    const uint16_t *code = g->codes.code[j];
    memset(g->histogram, 0, nodes * bins * classes * sizeof *g->histogram);
    for (size_t i = 0; i < g->codes.rows; i++)
        g->histogram[(g->node[i] * bins + code[i]) * classes + (size_t)g->codes.target[i]]++;
}

/* Scores of all splits in all nodes of a level. */
static void score_level(const growing *g, size_t nodes)
{
    const tree_plan *p = g->plan;
    size_t at = 0;
    for (size_t j = 0; j < p->bins.columns; j++) {
        const size_t bins = p->bins.first[j + 1] - p->bins.first[j];
        size_t n = 0;
        count_column(g, j, bins, nodes);
        for (size_t k = 0; k < nodes; k++)
            n = score_column(g, g->scores + k * p->candidates.count + at,
                             g->histogram + k * bins * p->classes, bins, p->candidates.ordered[j]);
        at += n;
    }
}

/* --- fit ----------------------------------------------------------------------------------------------------------------------- */

static dusk_status open(growing *g, const dusk_frame *frame, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const tree_plan *p = g->plan;
    const size_t nodes = (size_t)1 << (p->depth - 1);
    DUSK_TRY(learn_codes_make(&g->codes, &p->bins, frame, err));
    DUSK_NEW(g->node, g->codes.rows);
    DUSK_NEW(g->histogram, nodes * p->bins.widest * p->classes);
    DUSK_NEW(g->scores, nodes * p->candidates.count);
    DUSK_NEW(g->side, 3 * p->classes);
    DUSK_NEW(g->split, learn_inner(p->depth));
done:
    return status;
}

static void close(growing *g)
{
    const tree_plan *p = g->plan;
    const size_t nodes = (size_t)1 << (p->depth - 1);
    if (g->histogram) dusk_wipe(g->histogram, nodes * p->bins.widest * p->classes * sizeof *g->histogram);
    if (g->scores) dusk_wipe(g->scores, nodes * p->candidates.count * sizeof *g->scores);
    learn_codes_clear(&g->codes);
    dusk_deallocate(g->node);
    dusk_deallocate(g->histogram);
    dusk_deallocate(g->scores);
    dusk_deallocate(g->side);
    dusk_deallocate(g->split);
}

DUSK_PROVEN(grow)
static dusk_status grow(growing *g, learn_job *job, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const tree_plan *p = g->plan;
    for (unsigned level = 0; level < p->depth; level++) {
        const size_t nodes = (size_t)1 << level;
        learn_split *split = g->split + learn_inner(level);
        score_level(g, nodes);
        for (size_t k = 0; k < nodes; k++) {
            const double *scores = g->scores + k * p->candidates.count;
            size_t chosen;
            DUSK_TRY(dusk_selection_release(&p->choice, &chosen, scores, p->candidates.count, gen, err));
            split[k] = p->candidates.split[chosen];
        }
        learn_splits_descend(g->node, &g->codes, split, p->candidates.ordered);
        learn_progress(job, (level + 1.0) / (p->depth + 1.0));
    }
done:
    return status;
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const tree_plan *p = job->plan;
    const size_t cells = p->classes << p->depth;
    growing g = { .plan = p };
    dusk_int128 *totals = NULL;
    double *leaves = NULL, *chances = NULL;

    DUSK_NEW(totals, cells);
    DUSK_NEW(leaves, cells);
    DUSK_NEW(chances, cells);
    DUSK_TRY(open(&g, frame, err));
    DUSK_TRY(grow(&g, job, gen, err));
    learn_leaves_count(totals, g.node, &g.codes, p->depth, p->classes);
    DUSK_TRY(learn_counts_release(&p->counts, leaves, totals, cells, gen, err));
    DUSK_TRY(learn_leaves_chances(chances, leaves, p->depth, p->classes, p->counts.deviation, err));
    for (size_t i = 0; i < cells; i++) chances[i] = log(chances[i]);
    DUSK_TRY(learn_trees_put(job->model, &p->bins, g.split, chances, 1, p->depth, p->classes, err));
    DUSK_TRY(learn_model_put(job->model, "leaves", (size_t)1 << p->depth, p->classes, leaves, err));
done:
    if (totals) dusk_wipe(totals, cells * sizeof *totals);
    dusk_deallocate(totals);
    dusk_deallocate(leaves);
    dusk_deallocate(chances);
    close(&g);
    return status;
}

static size_t outputs(const dusk_model *model) { return model->fields->field[model->label].values; }

static const dusk_setting settings[] = {
    { "depth", "5", NULL, 1, LEARN_DEPTH_MOST, true, "levels of splits" },
    { "bins", "32", NULL, 2, LEARN_BINS_MOST, true, "equal parts of the bounds of a number" },
    { "score", "accuracy", "gini|accuracy", 0, 0, false,
      "what a good split is: purer sides, or fewer rows in the minority" },
    { "leaves_share", "0.3", NULL, 0.01, 0.99, false, "of epsilon, for the classes in leaves" },
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_tree = {
    .shown = { "tree", DUSK_TASK_CLASS, DUSK_NUMERICS_EXACT,
               "a decision tree whose splits are chosen by the exponential mechanism",
               "Friedman & Schuster 2010", settings },
    .plan = plan,
    .fit = fit,
    .forget = forget,
    .outputs = outputs,
    .predict = learn_trees_predict,
    .complete = learn_trees_complete,
};
