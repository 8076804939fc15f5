/* SPDX-License-Identifier: Apache-2.0 */
/* Bayesian logistic regression, weights normal about 0 beforehand: a few samples of what is likely afterwards, and predictions that are
 * means over them, so that they know how unsure they are.
 *
 *   langevin    gradients with noise, and steps that are shaken by as much more as a Langevin chain needs [Welling & Teh
 *               2011; Wang, Fienberg & Smola 2015; Li, Chen, Liu & Carin 2019]: the noise that hides rows is part of the shaking
 *   metropolis  a random walk whose steps are accepted by the log likelihood ratio with noise, corrected by half its variance,
 *               which keeps the law [Ceperley & Dewing 1999; Yildirim & Ermis 2019: the penalty method]
 *
 * Both start with half of the budget spent on descent. What is promised is the privacy of all releases, exactly; that samples have the law of
 * the posterior is promised by nobody: chains are short, steps are not infinitely small. Proof: bayes_logistic.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/classifier.h"
#include "learn/gradient.h"
#include "learn/learner.h"
#include "learn/normals.h"

enum { LANGEVIN, METROPOLIS };
enum { SAMPLES = 16 }; /* that a model keeps */
#define RATIO_BITS 24  /* of a row's log likelihood ratio */

typedef struct bayes_plan {
    int method;
    uint64_t descent, chain; /* steps */
    double prior;            /* deviation of a weight beforehand */
    double reach;            /* metropolis: how long a step is at most */
    double most;             /* of a row's log likelihood ratio, in steps: a whole number */
    learn_gradient warm, gradient;
    learn_noise ratio, count;
} bayes_plan;

/* --- plan --------------------------------------------------------------------------------------------------------------- */

/* Noise of deviation 1 on the ratio is what the penalty method likes best: so long a step may be. */
static double choose_reach(const learn_job *job, const bayes_plan *p, double share)
{
    const learn_budget *b = &job->budget;
    double each = b->delta > 0 ? b->mu * sqrt(share / (double)p->chain)
                               : b->epsilon * share / (double)p->chain / M_SQRT2;
    return fmin(fmax(each / (job->features.norm * b->factor), 0x1p-16), 4);
}

DUSK_PROVEN(plan_chain)
static dusk_status plan_chain(learn_job *job, bayes_plan *p, const learn_loss *loss, double clip,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double share = job->budget.left;
    if (p->method == LANGEVIN) {
        DUSK_TRY(learn_plan_gradient(job, &p->gradient, loss, 0, clip, share, NULL, p->chain, err));
        return DUSK_OK;
    }
    p->reach = choose_reach(job, p, share);
    p->most = ceil(job->features.norm * p->reach * 0x1p24 * (1 + 0x1p-20));
    DUSK_TRY(learn_budget_noise(&job->budget, &p->ratio, 1,
                                DUSK_MUTATE(BAYES_NOISE_IS_SMALL, p->most, ceil(p->most / 64)), -RATIO_BITS,
                                share, p->chain, err));
    learn_say(job, "%llu log likelihood ratios of steps of at most %.4g, with noise of deviation %.4g each",
              (unsigned long long)p->chain, p->reach, p->ratio.deviation);
done:
    return status;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_loss loss = learn_loss_of(LEARN_LOGISTIC, 1);
    bayes_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, true, err));
    DUSK_NEW(p, 1);
    job->plan = p;
    p->method = learn_choice(job, "method");
    p->descent = (uint64_t)learn_setting(job, "descent");
    p->chain = (uint64_t)learn_setting(job, "chain");
    p->prior = learn_setting(job, "prior");
    double clip = fmin(learn_setting(job, "clip") * job->features.norm, LEARN_NORM_MOST);
    DUSK_TRY(learn_plan_count(job, &p->count, job->budget.left * 0.02, err));
    DUSK_TRY(learn_plan_gradient(job, &p->warm, &loss, 0, clip, job->budget.left / 2, NULL, p->descent, err));
    DUSK_TRY(plan_chain(job, p, &loss, clip, err));
done:
    return status;
}

/* --- chains --------------------------------------------------------------------------------------------------------------- */

typedef struct chain {
    const bayes_plan *plan;
    const learn_matrix *matrix;
    learn_gradient_work work;
    size_t width;
    double rows, step; /* step: how long one of the walk is, about */
    double *weights, *gradient, *shake, *speed, *proposed, *samples;
} chain;

static void keep_in_reach(double *weights, size_t width)
{
    double square = 0;
    for (size_t j = 0; j < width; j++) square += weights[j] * weights[j];
    for (size_t j = 0; square > LEARN_WEIGHT_MOST * LEARN_WEIGHT_MOST / 4 && j < width; j++)
        weights[j] *= LEARN_WEIGHT_MOST / 2 / sqrt(square);
}

/* The steepest that the log posterior bends is about this. */
static double curvature_of(const chain *c, const learn_job *job)
{
    double r = job->features.norm;
    return c->rows * r * r / 4 + 1 / (c->plan->prior * c->plan->prior);
}

static dusk_status descend(learn_job *job, chain *c, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bayes_plan *p = c->plan;
    const double rate = 2 / curvature_of(c, job), inverse = 1 / (p->prior * p->prior);
    for (uint64_t t = 0; t < p->descent; t++) {
        DUSK_TRY(learn_gradient_release(&c->work, &p->warm, c->gradient, c->matrix, c->weights, gen, err));
        for (size_t j = 0; j < c->width; j++) {
            c->speed[j] = 0.9 * c->speed[j] + c->gradient[j] + inverse * c->weights[j];
            c->weights[j] -= rate * c->speed[j];
        }
        keep_in_reach(c->weights, c->width);
        learn_progress(job, (double)(t + 1) / (double)(p->descent + p->chain));
    }
done:
    return status;
}

/* Keep the state after step t when it is one of SAMPLES, evenly over the second half of the chain. */
static void keep_sample(chain *c, uint64_t t)
{
    const uint64_t half = c->plan->chain / 2, rest = c->plan->chain - half;
    if (t < half) return;
    for (uint64_t k = 0; k < SAMPLES; k++)
        if (half + (k + 1) * rest / SAMPLES == t + 1)
            memcpy(c->samples + k * c->width, c->weights, c->width * sizeof *c->weights);
}

static dusk_status run_langevin(learn_job *job, chain *c, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bayes_plan *p = c->plan;
    const double noise = p->gradient.noise.deviation, inverse = 1 / (p->prior * p->prior);
    const double rate =
        fmin(4 / (noise * noise), 2 / curvature_of(c, job)); /* no more noise than the chain wants */
    const double shake = sqrt(fmax(rate - rate * rate * noise * noise / 4, 0));
    for (uint64_t t = 0; t < p->chain; t++) {
        DUSK_TRY(
            learn_gradient_release(&c->work, &p->gradient, c->gradient, c->matrix, c->weights, gen, err));
        DUSK_TRY(learn_normals(c->shake, c->width, gen, err));
        for (size_t j = 0; j < c->width; j++)
            c->weights[j] += shake * c->shake[j] - rate / 2 * (c->gradient[j] + inverse * c->weights[j]);
        keep_in_reach(c->weights, c->width);
        keep_sample(c, t);
        learn_progress(job, (double)(p->descent + t + 1) / (double)(p->descent + p->chain));
    }
done:
    return status;
}

/* What a row says for `to` instead of `from`, margins of its label's side: in whole steps, at most `most`. */
DUSK_PROVEN(row_ratio)
static double row_ratio(const bayes_plan *p, const learn_loss *loss, double from, double to)
{
    double steps = trunc((learn_loss_value(loss, from) - learn_loss_value(loss, to)) * 0x1p24);
    return fmin(fmax(steps, -p->most), p->most);
}

/* The exact sum of them over all rows, for weights that were rounded to whole steps. */
DUSK_PROVEN(sum_ratios)
static dusk_int128 sum_ratios(chain *c, const double *whole, double *margins)
{
    const learn_loss loss = learn_loss_of(LEARN_LOGISTIC, 1);
    tensor_block *block = &c->work.block;
    dusk_int128 sum = 0;
    while (tensor_block_next(block)) {
        tensor_block_multiply(block, margins, whole, 2);
        for (size_t i = 0; i < block->rows; i++) {
            double sign = c->matrix->code[block->first + i] == 1 ? 1 : -1;
            double from = sign * ldexp(margins[2 * i], -(LEARN_BITS + LEARN_WEIGHT_BITS));
            double to = sign * ldexp(margins[2 * i + 1], -(LEARN_BITS + LEARN_WEIGHT_BITS));
            sum += (int64_t)row_ratio(c->plan, &loss, from, to);
        }
    }
    return sum;
}

/* A step of a random direction, at most `reach` long; *more: how much likelier it is beforehand. */
static dusk_status propose(chain *c, double *more, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double d = (double)c->width, inverse = 1 / (c->plan->prior * c->plan->prior);
    double square = 0;
    DUSK_TRY(learn_normals(c->shake, c->width, gen, err));
    for (size_t j = 0; j < c->width; j++) square += c->shake[j] * c->shake[j];
    double scale = c->step / sqrt(d), length = scale * sqrt(square);
    if (length > c->plan->reach * 0.999) scale *= c->plan->reach * 0.999 / length;
    *more = 0;
    for (size_t j = 0; j < c->width; j++) {
        c->proposed[j] = c->weights[j] + scale * c->shake[j];
        *more += inverse / 2 * (c->weights[j] * c->weights[j] - c->proposed[j] * c->proposed[j]);
    }
done:
    return status;
}

static dusk_status run_metropolis(learn_job *job, chain *c, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bayes_plan *p = c->plan;
    const double penalty = p->ratio.deviation * p->ratio.deviation / 2;
    const double wanted =
        2.4 * sqrt((double)c->width / curvature_of(c, job)); /* about the width of the posterior */
    double *whole = NULL, *margins = NULL;
    DUSK_NEW(whole, 2 * c->width);
    DUSK_NEW(margins, 2 * c->work.block.room);
    c->step = fmin(0.9 * p->reach, wanted);
    for (uint64_t t = 0; t < p->chain; t++) {
        double more, noisy, coin;
        DUSK_TRY(propose(c, &more, gen, err));
        learn_gradient_round(whole, c->weights, 1, c->width);
        learn_gradient_round(whole + c->width, c->proposed, 1, c->width);
        dusk_int128 sum = sum_ratios(c, whole, margins);
        DUSK_TRY(learn_noise_release(&p->ratio, &noisy, &sum, gen, err));
        DUSK_TRY(learn_uniform(&coin, gen, err));
        if (log(coin) < noisy + more - penalty)
            memcpy(c->weights, c->proposed, c->width * sizeof *c->weights);
        keep_in_reach(c->weights, c->width);
        keep_sample(c, t);
        learn_progress(job, (double)(p->descent + t + 1) / (double)(p->descent + p->chain));
    }
done:
    if (margins) dusk_wipe(margins, 2 * c->work.block.room * sizeof *margins);
    dusk_deallocate(margins);
    dusk_deallocate(whole);
    return status;
}

/* --- fit ------------------------------------------------------------------------------------------------------------------- */

static dusk_status put_model(learn_job *job, const chain *c, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *mean = c->gradient, *deviation = c->shake;
    for (size_t j = 0; j < c->width; j++) {
        double sum = 0, squares = 0;
        for (size_t k = 0; k < SAMPLES; k++) sum += c->samples[k * c->width + j] / SAMPLES;
        for (size_t k = 0; k < SAMPLES; k++) {
            double off = c->samples[k * c->width + j] - sum;
            squares += off * off / (SAMPLES - 1);
        }
        mean[j] = sum;
        deviation[j] = sqrt(squares);
    }
    DUSK_TRY(learn_model_put(job->model, "samples", SAMPLES, c->width, c->samples, err));
    DUSK_TRY(learn_model_put(job->model, "weights", 1, c->width, mean, err));
    DUSK_TRY(learn_model_put(job->model, "deviations", 1, c->width, deviation, err));
done:
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = job->features.width;
    const bayes_plan *p = job->plan;
    learn_matrix matrix = { .bound = 0 };
    chain c = { .plan = p, .matrix = &matrix, .width = d };
    double *room = NULL;

    DUSK_NEW(room, (5 + SAMPLES) * d);
    c.weights = room;
    c.gradient = room + d;
    c.shake = room + 2 * d;
    c.speed = room + 3 * d;
    c.proposed = room + 4 * d;
    c.samples = room + 5 * d;
    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(learn_gradient_open(&c.work, &p->warm, &matrix, err));
    DUSK_TRY(learn_fit_count(job, &p->count, &c.rows, matrix.rows.rows, gen, err));
    DUSK_TRY(descend(job, &c, gen, err));
    DUSK_TRY(p->method == LANGEVIN ? run_langevin(job, &c, gen, err) : run_metropolis(job, &c, gen, err));
    DUSK_TRY(put_model(job, &c, err));
done:
    learn_gradient_close(&c.work);
    learn_matrix_clear(&matrix);
    dusk_deallocate(room);
    return status;
}

/* --- predict ---------------------------------------------------------------------------------------------------------------- */

/* The mean over samples of what each says. */
static dusk_status predict(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t k, d;
    const double *samples = dusk_model_array(model, "samples", &k, &d);
    learn_matrix matrix = { .bound = 0 };
    DUSK_TRY(learn_matrix_make_all(&matrix, &model->features, frame, err));
    for (size_t i = 0; i < matrix.rows.rows; i++) {
        double sum = 0;
        for (size_t s = 0; s < k; s++) {
            double score = 0;
            for (size_t j = 0; j < d; j++)
                score += (double)matrix.rows.x[i * d + j] / LEARN_ONE * samples[s * d + j];
            sum += learn_sigmoid(score) / (double)k;
        }
        out[2 * i + 1] = fmin(sum, 1);
        out[2 * i] = 1 - out[2 * i + 1];
    }
done:
    learn_matrix_clear(&matrix);
    return status;
}

static bool complete(const dusk_model *model)
{
    size_t k, d;
    const double *samples = dusk_model_array(model, "samples", &k, &d);
    if (!learn_classifier_complete(model) || !samples || k < 1 || d != model->features.width) return false;
    for (size_t i = 0; i < k * d; i++)
        if (!isfinite(samples[i])) return false;
    return true;
}

static const dusk_setting settings[] = {
    { "method", "langevin", "langevin|metropolis", 0, 0, false,
      "a chain that is shaken, or one whose steps are accepted or not" },
    { "prior", "3", NULL, 0.001, 1000, false, "deviation of a weight beforehand" },
    { "descent", "30", NULL, 1, 10000, true, "steps before the chain" },
    { "chain", "64", NULL, 32, 100000, true, "steps of the chain" },
    { "clip", "0.5", NULL, 0.01, 1, false, "of a row's gradient, of the longest that a row may be" },
    LEARN_FEATURE_SETTINGS_BY("standard", "0.05"),
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_bayes_logistic = {
    .shown = { "bayes_logistic", DUSK_TASK_BINARY, DUSK_NUMERICS_EXACT,
               "Bayesian logistic regression: samples by Langevin steps, or by noisy acceptance",
               "Wang, Fienberg & Smola 2015; Yildirim & Ermis 2019", settings },
    .plan = plan,
    .fit = fit,
    .outputs = learn_classifier_outputs,
    .predict = predict,
    .complete = complete,
};
