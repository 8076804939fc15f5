/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models chosen from a public net of weights by the exponential mechanism [McSherry & Talwar 2007; Kasiviswanathan, Lee, Nissim,
 * Raskhodnikova & Smith 2008], for few columns. A candidate's score is minus the sum of the losses of all rows, each rounded to
 * whole steps and ended at a public `most`, so that nothing is asked of the loss but that it is 0 at least: not convex, not
 * smooth, and its slope does not matter. After the first choice the net is drawn together about the candidate that was chosen, `rounds` times
 * in all. Choices are by permute-and-flip [McKenna & Sheldon 2020], which is never worse, unless scaling is paid for with a delta.
 *
 * The net is random but public, the same for everybody. A net of n points leaves gaps of n^(-1/d): wide rows want other learners.
 * Proof: net.proof.md. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/mechanisms.h"
#include "learn/classifier.h"
#include "learn/learner.h"
#include "learn/points.h"
#include "learn/regression.h"
#include "learn/risk.h"

enum { WIDTH_MOST = 16, TOGETHER = 64 };

typedef struct net_plan {
    dusk_selection choice; /* of one round */
    size_t rounds, candidates;
    double radius, shrink;
    learn_risk risk;
    double *net; /* candidates * width numbers in the unit ball; the first is its centre */
} net_plan;

static void forget(void *plan)
{
    net_plan *p = plan;
    if (!p) return;
    learn_risk_clear(&p->risk);
    dusk_deallocate(p->net);
    dusk_deallocate(p);
}

/* --- plan ------------------------------------------------------------------------------------------------------- */

/* What one choice may cost: pure ones are by permute-and-flip, and of bounded range those that share a budget with others. */
static dusk_status take_epsilon(learn_job *job, size_t rounds, double *epsilon, bool *flips, dusk_error *err)
{
    *flips = job->budget.delta == 0 || job->budget.left == 1;
    if (*flips) return learn_budget_whole(&job->budget, epsilon, rounds, err);
    return learn_budget_pure(&job->budget, epsilon, true, job->budget.left, rounds, err);
}

/* What a row adds to a score is the same whatever happens to other rows: 0 to most. So rows that come lower all scores, and a row that
 * is exchanged moves one by most at the most. */
DUSK_PROVEN(plan_choice)
static dusk_status plan_choice(learn_job *job, net_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool one_way = job->budget.neighbours == DUSK_ADD_REMOVE;
    const double rows = one_way ? job->budget.factor : job->budget.factor / 2;
    const double moved = p->risk.most * DUSK_MUTATE(NET_UNIT_HAS_ONE_ROW, rows, 1);
    double epsilon;
    bool flips;
    DUSK_TRY(take_epsilon(job, p->rounds, &epsilon, &flips, err));
    DUSK_TRY(dusk_selection_init(&p->choice, flips ? DUSK_SELECT_PERMUTE_AND_FLIP : DUSK_SELECT_EXPONENTIAL,
                                 moved, DUSK_MUTATE(NET_EXCHANGE_IS_ONE_WAY, one_way, true), epsilon, err));
    learn_say(job, "%zu choices of one of %zu vectors of weights by their loss, epsilon %s each", p->rounds,
              p->candidates, dusk_shown_up(epsilon, 4).text);
done:
    return status;
}

/* Points spread evenly over the unit ball: normal directions, lengths by their volume. */
static dusk_status make_net(net_plan *p, size_t width, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t seed = 2008;
    DUSK_NEW(p->net, p->candidates * width);
    for (size_t c = 1; c < p->candidates; c++) {
        double *at = p->net + c * width, square = 0;
        for (size_t j = 0; j < width; j++) {
            double u = learn_points_uniform(&seed), v = learn_points_uniform(&seed);
            at[j] = sqrt(-2 * log(1 - u * (1 - 0x1p-20))) * cos(2 * M_PI * v);
            square += at[j] * at[j];
        }
        double length = pow(learn_points_uniform(&seed), 1 / (double)width) / sqrt(fmax(square, 1e-12));
        for (size_t j = 0; j < width; j++) at[j] *= length;
    }
done:
    return status;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool binary = job->learner->shown.task == DUSK_TASK_BINARY;
    net_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, true, err));
    if (job->features.width > WIDTH_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "name fewer columns, or use another learner",
                         "a net of weights is for %d columns at most, with the constant, and there are %zu",
                         WIDTH_MOST, job->features.width);
    DUSK_NEW(p, 1);
    job->plan = p;
    p->rounds = (size_t)learn_setting(job, "rounds");
    p->candidates = (size_t)learn_setting(job, "candidates");
    p->radius = learn_setting(job, "radius");
    p->shrink = learn_setting(job, "shrink");
    learn_loss loss =
        binary ? learn_loss_of(LEARN_LOGISTIC, 1) : learn_loss_of(LEARN_HUBER, learn_setting(job, "knee"));
    DUSK_TRY(learn_risk_init(&p->risk, &loss, learn_setting(job, "most") * LEARN_RISK_ONE, err));
    DUSK_TRY(make_net(p, job->features.width, err));
    DUSK_TRY(plan_choice(job, p, err));
done:
    return status;
}

/* --- scores ------------------------------------------------------------------------------------------------------ */

/* All candidates of a round in whole steps, in the ball about `centre`; none is longer than the radius. */
static void place_candidates(const net_plan *p, const double *centre, double reach, size_t width, double *out)
{
    for (size_t c = 0; c < p->candidates; c++) {
        double *at = out + c * width, square = 0;
        for (size_t j = 0; j < width; j++) {
            at[j] = centre[j] + reach * p->net[c * width + j];
            square += at[j] * at[j];
        }
        double factor = square > p->radius * p->radius ? p->radius / sqrt(square) : 1;
        for (size_t j = 0; j < width; j++) at[j] = rint(ldexp(at[j] * factor, LEARN_RISK_BITS));
    }
}

/* total[c] = the sum of the losses of all rows with candidate c; `product` has room for TOGETHER a row of a block. */
DUSK_PROVEN(add_losses)
static void add_losses(const net_plan *p, const learn_matrix *matrix, tensor_block *block,
                       const double *candidates, double *product, int64_t *total)
{
    const size_t width = matrix->rows.width;
    memset(total, 0, p->candidates * sizeof *total);
    while (tensor_block_next(block))
        for (size_t first = 0; first < p->candidates; first += TOGETHER) {
            size_t k = p->candidates - first < TOGETHER ? p->candidates - first : TOGETHER;
            tensor_block_multiply(block, product, candidates + first * width, k);
            for (size_t i = 0; i < block->rows; i++)
                for (size_t c = 0; c < k; c++)
                    total[first + c] += learn_risk_of(&p->risk, matrix, block->first + i, product[i * k + c]);
        }
}

/* --- fit ----------------------------------------------------------------------------------------------------------- */

typedef struct work {
    tensor_block block;
    double *candidates, *product, *score;
    int64_t *total;
} work;

static dusk_status work_init(work *w, const net_plan *p, const learn_matrix *matrix, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(tensor_block_open(&w->block, &matrix->rows, err));
    DUSK_NEW(w->candidates, p->candidates * matrix->rows.width);
    DUSK_NEW(w->product, w->block.room * TOGETHER);
    DUSK_NEW(w->score, p->candidates);
    DUSK_NEW(w->total, p->candidates);
done:
    return status;
}

static void work_clear(work *w, const net_plan *p)
{
    if (w->product) dusk_wipe(w->product, w->block.room * TOGETHER * sizeof *w->product);
    if (w->score) dusk_wipe(w->score, p->candidates * sizeof *w->score);
    if (w->total) dusk_wipe(w->total, p->candidates * sizeof *w->total);
    dusk_deallocate(w->candidates);
    dusk_deallocate(w->product);
    dusk_deallocate(w->score);
    dusk_deallocate(w->total);
    tensor_block_close(&w->block);
}

/* One round: `centre` becomes the candidate that was chosen. */
DUSK_PROVEN(choose)
static dusk_status choose(const net_plan *p, const learn_matrix *matrix, work *w, double *centre,
                          double reach, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t width = matrix->rows.width;
    const int64_t most = (int64_t)1 << 53;
    size_t chosen;
    place_candidates(p, centre, reach, width, w->candidates);
    add_losses(p, matrix, &w->block, w->candidates, w->product, w->total);
    for (size_t c = 0; c < p->candidates; c++)
        w->score[c] = -(double)(w->total[c] < most ? w->total[c] : most);
    DUSK_TRY(dusk_selection_release(&p->choice, &chosen, w->score, p->candidates, gen, err));
    for (size_t j = 0; j < width; j++) centre[j] = ldexp(w->candidates[chosen * width + j], -LEARN_RISK_BITS);
done:
    return status;
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const net_plan *p = job->plan;
    learn_matrix matrix = { .bound = 0 };
    work w = { .candidates = NULL };
    double centre[WIDTH_MOST] = { 0 }, reach = p->radius;

    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(work_init(&w, p, &matrix, err));
    for (size_t round = 0; round < p->rounds; round++, reach *= p->shrink) {
        DUSK_TRY(choose(p, &matrix, &w, centre, reach, gen, err));
        learn_progress(job, (double)(round + 1) / (double)p->rounds);
    }
    if (job->learner->shown.task == DUSK_TASK_BINARY)
        DUSK_TRY(learn_model_put(job->model, "weights", 1, job->features.width, centre, err));
    else
        DUSK_TRY(learn_put_linear(job, centre, NULL, 0, err));
done:
    work_clear(&w, p);
    learn_matrix_clear(&matrix);
    return status;
}

#define NET_SETTINGS(radius, most)                                                                           \
    { "candidates", "256", NULL, 2, 4096, true, "how many vectors of weights there are to choose from" },    \
        { "rounds", "4", NULL, 1, 16, true, "choices, each from a smaller net about the last" },             \
        { "shrink", "0.5", NULL, 0.05, 1, false, "how much smaller it is" },                                 \
        { "radius", radius, NULL, 0.01, 64, false, "weights are at most so long" },                          \
    {                                                                                                        \
        "most", most, NULL, 0.01, 16, false, "losses end there"                                              \
    }

static const dusk_setting logistic_settings[] = {
    NET_SETTINGS("4", "1.5"),
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

static const dusk_setting huber_settings[] = {
    { "knee", "0.25", NULL, 0.01, 4, false, "residuals beyond count by their size, not their square" },
    NET_SETTINGS("2", "0.25"),
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_net_logistic = {
    .shown = { "net_logistic", DUSK_TASK_BINARY, DUSK_NUMERICS_EXACT,
               "logistic regression chosen from a net of weights, for few columns",
               "McSherry & Talwar 2007; Kasiviswanathan, Lee, Nissim, Raskhodnikova & Smith 2008",
               logistic_settings },
    .plan = plan,
    .fit = fit,
    .forget = forget,
    .outputs = learn_classifier_outputs,
    .predict = learn_classifier_predict,
    .complete = learn_classifier_complete,
};

const learn_learner learn_net_huber = {
    .shown = { "net_huber", DUSK_TASK_NUMBER, DUSK_NUMERICS_EXACT,
               "robust regression chosen from a net of weights, for few columns",
               "McSherry & Talwar 2007; Kasiviswanathan, Lee, Nissim, Raskhodnikova & Smith 2008",
               huber_settings },
    .plan = plan,
    .fit = fit,
    .forget = forget,
    .outputs = learn_linear_outputs,
    .predict = learn_linear_predict,
    .complete = learn_linear_complete,
};
