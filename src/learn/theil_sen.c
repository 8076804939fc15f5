/* SPDX-License-Identifier: Apache-2.0 */
/* Theil-Sen regression of one variable: the median of the slopes between pairs of rows, then the median of what is left
 * [Alabi, McMillan, Sarathy, Smith & Vadhan 2022, who match rows at random]. Here rows are put in a random order and every
 * row is paired with the next one, which uses all rows and lets a row come or go without moving other pairs: that is
 * done `pairs` times, in orders of their own. Medians are chosen by the exponential mechanism on ranks. A few odd rows move
 * ranks a little, and slopes not at all. Proof: theil_sen.proof.md. */
#include <math.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/learner.h"
#include "learn/regression.h"
#include "mechanisms/quantile.h"
#include "random/keyed.h"
#include "table/numbers.h"

typedef struct theil_plan {
    size_t pairs;
    double steepest;
    dusk_aggregate slope, level;
} theil_plan;

static dusk_status check_columns(const learn_job *job, dusk_error *err)
{
    if (job->features.width == 2 && job->features.feature[0].code < 0) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "name one number: --columns NAME, or use linear",
                     "theil_sen learns from one number");
}

/* A median whose rows are clamped to +-most; one change of the data moves `moved` rows of it, by coming or going. It has a share of
 * epsilon, with delta too: of two choices that is far more than what shares of a Gaussian budget allow. */
DUSK_PROVEN(plan_median)
static dusk_status plan_median(learn_job *job, dusk_aggregate *how, double most, double moved, double share,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double median = 0.5;
    dusk_statement unused;
    dusk_event event;
    dusk_aggregate_init(how);
    how->neighbours = DUSK_ADD_REMOVE;
    how->lower = -most;
    how->upper = most;
    if (moved > 1u << 30)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer pairs",
                         "a unit would be in more than 2^30 pairs");
    how->rows_per_unit = (uint32_t)moved;
    how->epsilon = job->budget.epsilon * (1 - 0x1p-30) * share;
    DUSK_TRY(dusk_event_exponential(&event, how->epsilon, err));
    DUSK_TRY(learn_budget_event(&job->budget, &event, share, 1, err));
    DUSK_TRY(dusk_quantiles_state(&unused, how, &median, 1, err));
done:
    return status;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    theil_plan *p = NULL;
    DUSK_TRY(learn_features_init(&job->features, job->fields, job->label, true, 0, err));
    DUSK_TRY(check_columns(job, err));
    DUSK_NEW(p, 1);
    job->plan = p;
    p->pairs = (size_t)learn_setting(job, "pairs");
    p->steepest = learn_setting(job, "steepest");
    double moved = DUSK_MUTATE(THEIL_SEN_MOVES_ONE_PAIR, 3, 1) * (double)p->pairs * job->budget.factor;
    DUSK_TRY(plan_median(job, &p->slope, p->steepest, moved, 0.7, err));
    DUSK_TRY(plan_median(job, &p->level, 1 + p->steepest, job->budget.factor, job->budget.left, err));
    learn_say(job, "the median slope between neighbours in %zu random orders, by ranks, epsilon %s", p->pairs,
              dusk_shown_up(p->slope.epsilon, 4).text);
    learn_say(job, "the median of what is left, by ranks, epsilon %s",
              dusk_shown_up(p->level.epsilon, 4).text);
done:
    return status;
}

/* --- fit -------------------------------------------------------------------------------------------------- */

/* Rows with a label, in [-1, 1]^2, and which row of the frame each was. */
typedef struct points {
    double *x, *y;
    uint64_t *row;
    size_t n;
} points;

static void points_clear(points *p)
{
    if (p->x) dusk_wipe(p->x, p->n * sizeof *p->x);
    if (p->y) dusk_wipe(p->y, p->n * sizeof *p->y);
    dusk_deallocate(p->x);
    dusk_deallocate(p->y);
    dusk_deallocate(p->row);
    *p = (points){ .x = NULL };
}

static dusk_status take_points(const learn_job *job, points *out, const dusk_frame *frame, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_matrix matrix = { .bound = 0 };
    const dusk_frame_column *label = &frame->column[job->label];
    DUSK_NEW(out->x, frame->rows);
    DUSK_NEW(out->y, frame->rows);
    DUSK_NEW(out->row, frame->rows);
    DUSK_TRY(learn_matrix_make_all(&matrix, &job->features, frame, err));
    for (size_t i = 0; i < frame->rows; i++) {
        const double y = table_number(label, i);
        if (!isfinite(y)) continue;
        out->x[out->n] = (double)matrix.rows.x[2 * i] / LEARN_ONE;
        out->y[out->n] = learn_target_steps(job->label_field, y) / LEARN_ONE;
        out->row[out->n++] = i;
    }
done:
    learn_matrix_clear(&matrix);
    return status;
}

/* Slopes between rows that follow each other in a random order; pairs of the same x have none. */
DUSK_PROVEN(find_slopes)
static dusk_status find_slopes(const points *p, double *out, size_t *count, size_t orders,
                               dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_keyed_coins *coins = NULL;
    size_t *order = NULL, n = 0;

    DUSK_NEW(order, p->n);
    DUSK_TRY(dusk_keyed_new(&coins, gen, err));
    for (size_t k = 0; k < orders; k++) {
        DUSK_TRY(dusk_keyed_order(coins, (uint32_t)k, p->row, order, p->n, err));
        for (size_t i = 1; i < p->n; i++) {
            double run = p->x[order[i]] - p->x[order[i - 1]], rise = p->y[order[i]] - p->y[order[i - 1]];
            if (run != 0) out[n++] = rise / run;
        }
    }
    *count = n;
done:
    dusk_keyed_free(coins);
    dusk_deallocate(order);
    return status;
}

static dusk_status release_median(double *out, const dusk_aggregate *how, const double *values, size_t n,
                                  dusk_generator *gen, dusk_error *err)
{
    const double median = 0.5;
    double unused;
    dusk_statement statement;
    return dusk_quantiles_release(out, &unused, &statement, how, &median, 1, values, n, gen, err);
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const theil_plan *p = job->plan;
    points at = { .x = NULL };
    double *values = NULL, weights[2];
    size_t n = 0;

    if (frame->rows > SIZE_MAX / p->pairs) return dusk_fail_memory(err);
    DUSK_NEW(values, frame->rows * p->pairs);
    DUSK_TRY(take_points(job, &at, frame, err));
    DUSK_TRY(find_slopes(&at, values, &n, p->pairs, gen, err));
    DUSK_TRY(release_median(&weights[0], &p->slope, values, n, gen, err));
    for (size_t i = 0; i < at.n; i++) values[i] = at.y[i] - weights[0] * at.x[i];
    DUSK_TRY(release_median(&weights[1], &p->level, values, at.n, gen, err));
    DUSK_TRY(learn_put_linear(job, weights, NULL, 0, err));
done:
    if (values) dusk_wipe(values, frame->rows * p->pairs * sizeof *values);
    dusk_deallocate(values);
    points_clear(&at);
    return status;
}

static const dusk_setting settings[] = {
    { "pairs", "8", NULL, 1, 256, true, "random orders; a row is in two pairs of each" },
    { "steepest", "16", NULL, 0x1p-10, 0x1p20, false,
      "slopes end there, both columns being in [-1, 1] by their bounds" },
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_theil_sen = {
    .shown = { "theil_sen", DUSK_TASK_NUMBER, DUSK_NUMERICS_EXACT,
               "a line through one variable that odd rows hardly move: medians of slopes and of what is left",
               "Alabi, McMillan, Sarathy, Smith & Vadhan 2022", settings },
    .plan = plan,
    .fit = fit,
    .outputs = learn_linear_outputs,
    .predict = learn_linear_predict,
    .complete = learn_linear_complete,
};
