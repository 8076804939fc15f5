/* SPDX-License-Identifier: Apache-2.0 */
/* A forest of trees whose splits are drawn at random from public ones, each fitted to what those before it have left [Maddock,
 * Cormode, Wang, Maple & Jha 2022]. The structure costs nothing, since it looks at no row. Tree by tree the rows in each leaf are
 * counted, and their residuals (one for the class, less its chance so far) are added up, exactly; both get noise, and the leaves get scores by the
 * step that boosting takes (shape_step.c). Chances are the softmax of the sum of scores.
 *
 * Averaging the classes of random leaves instead, as other private forests do, says the most frequent class nearly everywhere.
 * Proof: forest.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/shape_step.h"
#include "learn/splits.h"
#include "random/sampling.h"

/* A score of a leaf is at most 16; with 1024 trees a margin is below 2^30 steps of 1 / LEARN_ONE. */
#define SCORE_MOST 16.0
enum { TREES_MOST = 1024 };
/* What the residuals of a row add up to at most, and how long they are at most: 2 and the root of 2, rounded up. */
#define RESIDUAL_L1 (2 * LEARN_ONE)
#define RESIDUAL_L2 46341.0

typedef struct forest_plan {
    learn_bins bins;
    learn_candidates candidates;
    learn_noise counts, sums;
    unsigned depth;
    size_t trees, classes;
    double rate;
} forest_plan;

static void forget(void *plan)
{
    forest_plan *p = plan;
    if (!p) return;
    learn_bins_clear(&p->bins);
    learn_candidates_clear(&p->candidates);
    dusk_deallocate(p);
}

/* --- plan -------------------------------------------------------------------------------------------------------------------- */

static dusk_status read_plan(learn_job *job, forest_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    p->depth = (unsigned)learn_setting(job, "depth");
    p->trees = (size_t)learn_setting(job, "trees");
    p->rate = learn_setting(job, "rate");
    p->classes = job->label_field->values;
    DUSK_TRY(learn_bins_init(&p->bins, job->fields, job->label, (size_t)learn_setting(job, "bins"), err));
    DUSK_TRY(learn_candidates_init(&p->candidates, &p->bins, job->fields, err));
    if (p->trees * (p->classes << p->depth) > (size_t)1 << 26)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use a smaller depth, or fewer trees",
                         "%zu trees of depth %u for %zu classes are too large", p->trees, p->depth,
                         p->classes);
done:
    return status;
}

DUSK_PROVEN(plan)
static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double share = learn_setting(job, "counts_share");
    const double steps =
        job->budget.delta > 0 ? DUSK_MUTATE(FOREST_RESIDUAL_IS_SHORT, RESIDUAL_L2, LEARN_ONE) : RESIDUAL_L1;
    forest_plan *p = NULL;
    DUSK_NEW(p, 1);
    job->plan = p;
    DUSK_TRY(read_plan(job, p, err));
    const uint32_t leaves = 1u << p->depth;
    DUSK_TRY(learn_budget_cells(&job->budget, &p->counts, leaves, 1, 0, share, p->trees, err));
    DUSK_TRY(learn_budget_cells(&job->budget, &p->sums, leaves * (uint32_t)p->classes, steps, -LEARN_BITS,
                                job->budget.left, p->trees, err));
    learn_say(job, "%zu trees of %u leaves, whose splits are drawn without looking at rows", p->trees,
              leaves);
    learn_say(job, "how many rows are in each leaf, with noise of deviation %.4g", p->counts.deviation);
    learn_say(job, "sums of residuals of %zu classes in each leaf, with noise of deviation %.4g", p->classes,
              p->sums.deviation);
done:
    return status;
}

/* --- one tree ------------------------------------------------------------------------------------------------------------------ */

/* Any column, and any of its splits. */
static dusk_status draw_split(const forest_plan *p, learn_split *out, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t k;
    size_t j, n;
    DUSK_TRY(dusk_uniform_below(gen, &k, p->bins.columns, err));
    j = (size_t)k;
    n = p->bins.first[j + 1] - p->bins.first[j];
    if (n > 1) { /* else a number of one bin: all rows stay on one side */
        DUSK_TRY(dusk_uniform_below(gen, &k, n - p->candidates.ordered[j], err));
        k += p->candidates.ordered[j];
    } else
        k = 0;
    *out = (learn_split){ (uint16_t)j, (uint16_t)k };
done:
    return status;
}

typedef struct planting {
    const forest_plan *plan;
    learn_codes codes;
    uint16_t *node;     /* of each row */
    int32_t *margin;    /* of each row and class, in steps */
    double *chance;     /* of each class: scratch */
    dusk_int128 *total; /* of a tree: leaf and class */
    double *released;
    learn_split *split; /* of all trees */
    double *score, *count;
    double *sums, *evidence, *variance, *zero; /* of each leaf: scratch */
    shape_step step;
} planting;

/* Chances by the margins so far, in whole steps; together at most LEARN_ONE, which is held in whole numbers. */
DUSK_PROVEN(find_chances)
static void find_chances(int32_t *out, double *scratch, const int32_t *margin, size_t classes)
{
    double all = 0;
    int32_t most = margin[0], left = (int32_t)LEARN_ONE;
    for (size_t c = 1; c < classes; c++) most = margin[c] > most ? margin[c] : most;
    for (size_t c = 0; c < classes; c++) all += scratch[c] = exp((margin[c] - most) / LEARN_ONE);
    for (size_t c = 0; c < classes; c++) {
        const int32_t own = (int32_t)(scratch[c] / all * LEARN_ONE);
        out[c] = own < left ? own : left;
        left -= out[c];
    }
}

/* Sums of residuals by leaf and class. */
DUSK_PROVEN(add_up)
static void add_up(const planting *g, int32_t *chances)
{
    const size_t classes = g->plan->classes;
    memset(g->total, 0, (classes << g->plan->depth) * sizeof *g->total);
    for (size_t i = 0; i < g->codes.rows; i++) {
        dusk_int128 *leaf = g->total + g->node[i] * classes;
        find_chances(chances, g->chance, g->margin + i * classes, classes);
        for (size_t c = 0; c < classes; c++) leaf[c] -= chances[c];
        leaf[g->codes.target[i]] += (int32_t)LEARN_ONE;
    }
}

static void count_up(const planting *g)
{
    memset(g->total, 0, ((size_t)1 << g->plan->depth) * sizeof *g->total);
    for (size_t i = 0; i < g->codes.rows; i++) g->total[g->node[i]]++;
}

/* Scores of leaves for class c; what all classes have in common is noise. */
static void fit_class(planting *g, double *score, const double *count, size_t c)
{
    const size_t classes = g->plan->classes, leaves = (size_t)1 << g->plan->depth;
    const shape_known known = { count, g->evidence, g->variance, leaves, false };
    for (size_t l = 0; l < leaves; l++) {
        double mean = 0;
        for (size_t k = 0; k < classes; k++) mean += g->released[l * classes + k] / (double)classes;
        g->sums[l] = g->released[l * classes + c] - mean;
        g->evidence[l] = 0;
        g->variance[l] = -1;
    }
    shape_step_solve(&g->step, &known, g->sums, g->zero);
    for (size_t l = 0; l < leaves; l++) {
        double to = fmin(fmax(g->plan->rate * g->step.answer[l], -SCORE_MOST), SCORE_MOST);
        score[l * classes + c] = rint(to * LEARN_ONE) / LEARN_ONE;
    }
}

static void move_rows(planting *g, const double *score)
{
    const size_t classes = g->plan->classes;
    for (size_t i = 0; i < g->codes.rows; i++)
        for (size_t c = 0; c < classes; c++)
            g->margin[i * classes + c] += (int32_t)(score[g->node[i] * classes + c] * LEARN_ONE);
}

DUSK_PROVEN(plant)
static dusk_status plant(planting *g, size_t t, int32_t *chances, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const forest_plan *p = g->plan;
    const size_t inner = learn_inner(p->depth), leaves = (size_t)1 << p->depth;
    learn_split *split = g->split + t * inner;
    double *score = g->score + t * leaves * p->classes, *count = g->count + t * leaves;
    for (size_t k = 0; k < inner; k++) DUSK_TRY(draw_split(p, &split[k], gen, err));
    memset(g->node, 0, g->codes.rows * sizeof *g->node);
    for (unsigned level = 0; level < p->depth; level++)
        learn_splits_descend(g->node, &g->codes, split + learn_inner(level), p->candidates.ordered);
    count_up(g);
    DUSK_TRY(learn_noise_release(&p->counts, count, g->total, gen, err));
    add_up(g, chances);
    DUSK_TRY(learn_noise_release(&p->sums, g->released, g->total, gen, err));
    for (size_t c = 0; c < p->classes; c++) fit_class(g, score, count, c);
    move_rows(g, score);
done:
    return status;
}

/* --- fit ------------------------------------------------------------------------------------------------------------------------ */

static dusk_status open(planting *g, const dusk_frame *frame, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const forest_plan *p = g->plan;
    const size_t leaves = (size_t)1 << p->depth, cells = p->classes << p->depth;
    DUSK_TRY(learn_codes_make(&g->codes, &p->bins, frame, err));
    DUSK_NEW(g->node, g->codes.rows);
    if (g->codes.rows > SIZE_MAX / p->classes) return dusk_fail_memory(err);
    DUSK_NEW(g->margin, g->codes.rows * p->classes);
    DUSK_NEW(g->chance, p->classes);
    DUSK_NEW(g->total, cells);
    DUSK_NEW(g->released, cells);
    DUSK_NEW(g->split, p->trees * learn_inner(p->depth));
    DUSK_NEW(g->score, p->trees * cells);
    DUSK_NEW(g->count, p->trees * leaves);
    DUSK_NEW(g->sums, leaves);
    DUSK_NEW(g->evidence, leaves);
    DUSK_NEW(g->variance, leaves);
    DUSK_NEW(g->zero, leaves);
    DUSK_TRY(shape_step_open(&g->step, leaves, err));
    g->step.curvature = 0.16; /* of a chance of 0.2; half of the largest keeps steps from passing their aim */
    g->step.noise = p->sums.deviation * sqrt(1 - 1 / (double)p->classes);
done:
    return status;
}

static void close(planting *g)
{
    const forest_plan *p = g->plan;
    if (g->margin) dusk_wipe(g->margin, g->codes.rows * p->classes * sizeof *g->margin);
    if (g->total) dusk_wipe(g->total, (p->classes << p->depth) * sizeof *g->total);
    learn_codes_clear(&g->codes);
    dusk_deallocate(g->node);
    dusk_deallocate(g->margin);
    dusk_deallocate(g->chance);
    dusk_deallocate(g->total);
    dusk_deallocate(g->released);
    dusk_deallocate(g->split);
    dusk_deallocate(g->score);
    dusk_deallocate(g->count);
    dusk_deallocate(g->sums);
    dusk_deallocate(g->evidence);
    dusk_deallocate(g->variance);
    dusk_deallocate(g->zero);
    shape_step_close(&g->step);
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const forest_plan *p = job->plan;
    planting g = { .plan = p };
    int32_t *chances = NULL;
    DUSK_NEW(chances, p->classes);
    DUSK_TRY(open(&g, frame, err));
    for (size_t t = 0; t < p->trees; t++) {
        DUSK_TRY(plant(&g, t, chances, gen, err));
        learn_progress(job, (double)(t + 1) / (double)p->trees);
    }
    DUSK_TRY(learn_trees_put(job->model, &p->bins, g.split, g.score, p->trees, p->depth, p->classes, err));
    DUSK_TRY(learn_model_put(job->model, "leaves", p->trees << p->depth, 1, g.count, err));
done:
    dusk_deallocate(chances);
    close(&g);
    return status;
}

static size_t outputs(const dusk_model *model) { return model->fields->field[model->label].values; }

static const dusk_setting settings[] = {
    { "trees", "128", NULL, 1, TREES_MOST, true, "how many" },
    { "depth", "5", NULL, 1, LEARN_DEPTH_MOST, true, "levels of splits" },
    { "bins", "32", NULL, 2, LEARN_BINS_MOST, true, "equal parts of the bounds of a number" },
    { "rate", "0.2", NULL, 0.001, 1, false, "how much of what is left a tree takes up" },
    { "counts_share", "0.1", NULL, 0.001, 0.9, false, "of the budget, for how many rows are in a leaf" },
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_forest = {
    .shown = { "forest", DUSK_TASK_CLASS, DUSK_NUMERICS_EXACT,
               "random trees, each fitted to what those before it have left",
               "Maddock, Cormode, Wang, Maple & Jha 2022", settings },
    .plan = plan,
    .fit = fit,
    .forget = forget,
    .outputs = outputs,
    .predict = learn_trees_predict,
    .complete = learn_trees_complete,
};
