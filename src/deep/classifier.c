/* SPDX-License-Identifier: Apache-2.0 */
/* Networks as learners: `net` of categories, `net_numbers` of a number. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "deep/classifier.h"
#include "deep/front.h"
#include "deep/state.h"
#include "mechanisms/totals.h"

#define STEPS_MOST 1e7

/* --- plan -------------------------------------------------------------------------------------------------------- */

static void forget(void *plan)
{
    deep_plan *p = plan;
    if (p) deep_net_clear(&p->net);
    if (p) deep_start_clear(&p->start);
    dusk_deallocate(p);
}

enum { RANGE_BOUNDS, RANGE_UNIT, RANGE_RAW };

/* Numbers to [0, 1] instead of [-1, 1]: the background of pictures is then 0. */
void deep_scale_to_unit(learn_job *job)
{
    for (size_t j = 0; j < job->features.width; j++) {
        const learn_feature *f = &job->features.feature[j];
        if (f->column == DUSK_NO_LINK || f->code >= 0) continue;
        const dusk_field *field = &job->fields->field[f->column];
        learn_features_rescale(&job->features, j, field->lower, 1 / (field->upper - field->lower));
    }
}

/* How often, and how many at a time: a chance and a number of steps, or a lot and epochs of so many rows. Where nobody declared how many rows there are, a
 * noisy count says what gradients are divided by, and nothing else depends on it. */
static dusk_status plan_samples(learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double rows = (double)job->rows, lot = learn_setting(job, "lot");
    double rate = learn_setting(job, "rate");
    p->steps = (uint64_t)learn_setting(job, "steps");
    if (lot > 0 && rate > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one of them",
                         "a lot and a rate are two ways to say how many rows a step takes");
    if (lot > 0 && !(rows > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --rows N if that is public, or --rate 0.01",
                         "a lot is a part of all rows, and how many there are is private");
    if (rate == 0) rate = lot > 0 ? lot / rows : 0.1;
    DUSK_TRY(learn_sampler_init(&p->sampler, (learn_sampling)learn_choice(job, "sampler"), rate, job->rows,
                                job->budget.neighbours, err));
    if (p->steps == 0) {
        const double steps = fmax(rint(learn_setting(job, "epochs") / p->sampler.rate), 1);
        if (!(steps <= STEPS_MOST))
            DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer epochs, or a larger rate or lot",
                               "so many epochs take %.3g steps, and %.0f are the most", steps, STEPS_MOST));
        p->steps = (uint64_t)steps;
    }
    DUSK_TRY(learn_plan_count(job, &p->count, job->budget.left * 0.01, err));
done:
    return status;
}

/* Only where every place is taken once an epoch, and always at the same step of it. */
static dusk_status plan_correlation(learn_job *job, deep_plan *p, dusk_error *err)
{
    const deep_correlating way = (deep_correlating)learn_choice(job, "correlation");
    if (way == DEEP_INDEPENDENT) return DUSK_OK;
    if (p->sampler.way != LEARN_SHUFFLED)
        return dusk_fail(
            err, DUSK_ERR_ARGUMENT,
            "give --set sampler=shuffled with --replace-one and --rows N, or leave correlation out",
            "correlated noise is for rows in a fixed order, not for samples");
    if (p->method == DEEP_ADAM_UNBIASED)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose optimiser=adam or sgd",
                         "what correlated noise adds to second moments is not taken off");
    p->sampler.once = true;
    deep_correlation_init(&p->correlation, way, learn_sampler_epoch(&p->sampler),
                          (size_t)learn_setting(job, "bands"));
    return DUSK_OK;
}

static void say_correlation(learn_job *job, const deep_plan *p)
{
    if (p->correlation.way == DEEP_TREE)
        learn_say(job, "of them sums of a binary tree over the steps of an epoch are released, one a step");
    else if (p->correlation.way == DEEP_BANDS)
        learn_say(job, "of them sums over the last %zu steps are released, older ones with smaller weights",
                  p->correlation.bands);
    if (p->correlation.way != DEEP_INDEPENDENT)
        learn_say(job, "the sum of all gradients then has noise of %.4g times the clip",
                  p->noise.deviation * deep_correlation_error(&p->correlation, p->steps));
}

/* Noise for all steps: the same in each, or falling in stages. */
static dusk_status take_noise(learn_job *job, deep_plan *p, uint32_t cells, double steps, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double fall = learn_setting(job, "noise_fall");
    double factor[DEEP_STAGES];
    uint64_t times[DEEP_STAGES];
    if (fall == 1)
        return learn_budget_sampled(&job->budget, &p->noise, cells, steps, DEEP_GRID, job->budget.left,
                                    &p->sampler, p->steps, err);
    if (job->budget.multiplier > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give an epsilon",
                         "noise that falls is found by what it may cost");
    p->stages = deep_stages(factor, times, fall, p->steps);
    DUSK_TRY(learn_budget_stages(&job->budget, p->stage, p->stages, factor, times, cells, steps, DEEP_GRID,
                                 &p->sampler, err));
    p->noise = p->stage[0];
    learn_say(job, "noise falls in %zu stages to %.4g times the clip", p->stages,
              p->stage[p->stages - 1].deviation);
done:
    return status;
}

static dusk_status plan_noise(learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool votes = p->clipping == DEEP_CLIP_ADAPTIVE;
    const uint32_t cells = (uint32_t)(p->net.parameters - p->frozen_parameters) + votes;
    double steps = votes ? DEEP_VOTED_STEPS : DEEP_STEPS;
    if (job->plain) return DUSK_OK;
    if (!(job->budget.delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --delta 1e-6", "networks need a delta");
    if (p->correlation.way != DEEP_INDEPENDENT) steps = deep_correlation_steps(&p->correlation, steps, cells);
    DUSK_TRY(take_noise(job, p, cells, DUSK_MUTATE(DEEP_NOISE_OF_THE_MEAN, steps, DEEP_STEPS / 4), err));
    if (dusk_totals_check(&p->noise.gauss, NULL) != DUSK_OK)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for a larger epsilon or delta, or take fewer steps",
                         "noise of %.4g times the clip would drown every gradient", p->noise.deviation);
done:
    return status;
}

static void say_plan(learn_job *job, const deep_plan *p)
{
    learn_say(job, "%zu parameters in %zu layer%s: %s", p->net.parameters, p->net.layers,
              p->net.layers == 1 ? "" : "s", learn_text(job, "net"));
    if (p->plain)
        learn_say(job, "NO PRIVACY: %llu steps of gradients, neither clipped nor with noise",
                  (unsigned long long)p->steps);
    else
        learn_say(job, "%llu steps of gradients, rows clipped to %.4g, with noise of %.4g times that",
                  (unsigned long long)p->steps, p->clip, p->noise.deviation);
    if (!p->plain) say_correlation(job, p);
    if (!p->plain && p->clipping == DEEP_CLIP_ADAPTIVE)
        learn_say(
            job,
            "and how many of them were within the clip, in the same release; by that the next clip is found");
    learn_sampler_say(job, &p->sampler);
}

/* What the net begins with, and what of it is not learned. */
static dusk_status plan_start(learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char *path = learn_text(job, "start");
    deep_net front = { .layers = 0 }, rest = { .layers = 0 };
    p->frozen = (size_t)learn_setting(job, "frozen");
    DUSK_TRY(deep_front_split_at(&p->net, p->frozen, &front, &rest, err));
    p->frozen_parameters = p->net.parameters - rest.parameters;
    if (p->frozen > 0)
        learn_say(job, "the first %zu layers are not learned: %zu parameters of %zu are", p->frozen,
                  rest.parameters, p->net.parameters);
    if (strcmp(path, "none") != 0) {
        if (DUSK_MUTATE(DEEP_START_NEED_NOT_BE_PUBLIC, learn_choice(job, "start_is") != 1, false))
            DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT,
                               "give --set start_is=public if it was trained without these rows",
                               "a model to start from must be public, and nobody can see that from it"));
        DUSK_TRY(deep_start_read(&p->start, &p->net, path, err));
        learn_say(job, "the first %zu of %zu layers start from %s, which is said to be public",
                  p->start.layers, p->net.layers, path);
    }
done:
    deep_net_clear(&front);
    deep_net_clear(&rest);
    return status;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_plan *p = NULL;
    const bool numbers = job->learner->shown.task == DUSK_TASK_NUMBER;
    DUSK_TRY(learn_plan_features(job, false, err));
    if (learn_choice(job, "range") == RANGE_UNIT) deep_scale_to_unit(job);
    if (learn_choice(job, "range") == RANGE_RAW && job->scaling_is_paid)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out --set scaling=standard",
                           "raw numbers are not scaled"));
    DUSK_NEW(p, 1);
    job->plan = p;
    p->loss = numbers ? DEEP_SQUARED : DEEP_SOFTMAX;
    DUSK_TRY(deep_net_parse(&p->net, learn_text(job, "net"), job->features.width,
                            numbers ? 1 : job->label_field->values, err));
    DUSK_TRY(learn_model_room((double)p->net.parameters, err));
    DUSK_TRY(plan_start(job, p, err));
    p->clipping = (deep_clipping)learn_choice(job, "clipping");
    p->clip = learn_setting(job, "clip");
    p->quantile = learn_setting(job, "quantile");
    p->clip_rate = learn_setting(job, "clip_rate");
    p->plain = job->plain;
    p->method = (deep_method)learn_choice(job, "optimiser");
    p->rate = learn_setting(job, "learning_rate");
    p->momentum = learn_setting(job, "momentum");
    p->weight_decay = learn_setting(job, "decay");
    p->schedule = (deep_schedule){ (deep_falling)learn_choice(job, "schedule"), learn_setting(job, "warm_up"),
                                   learn_setting(job, "cool_down") };
    p->average = learn_setting(job, "average");
    p->threads = (size_t)learn_setting(job, "threads");
    DUSK_TRY(plan_samples(job, p, err));
    DUSK_TRY(plan_correlation(job, p, err));
    DUSK_TRY(plan_noise(job, p, err));
    say_plan(job, p);
    job->state_size = deep_state_size(job, p);
done:
    return status;
}

/* --- fit ----------------------------------------------------------------------------------------------------------- */

/* The front of the net once for all rows, and steps on the rest of it. Raw numbers stay as they are: tokens would not survive rounding. */
static dusk_status train(learn_job *job, const deep_plan *p, deep_rows *rows, float *parameters,
                         const unsigned char *kept, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_net front = { .layers = 0 };
    deep_plan rest = *p;
    if (rows->raw && p->frozen == 0) return deep_train(job, p, rows, parameters, kept, gen, err);
    rest.net = (deep_net){ .layers = 0 };
    DUSK_TRY(deep_front_split_at(&p->net, p->frozen, &front, &rest.net, err));
    if (front.layers > 0) DUSK_TRY(deep_front_run_with(&front, parameters, rows, p->threads, err));
    DUSK_TRY(deep_train(job, &rest, rows, parameters + p->frozen_parameters, kept, gen, err));
done:
    deep_net_clear(&front);
    deep_net_clear(&rest.net);
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_plan *p = job->plan;
    deep_rows rows = { .rows = 0 };
    double count;
    learn_matrix scaled = { .bound = 0 };
    float *parameters = NULL;
    unsigned char *kept = NULL;
    bool going_on = false;
    DUSK_NEW(parameters, p->net.parameters);
    DUSK_NEW(kept, job->state_size + 1);
    if (job->checkpoint.open) DUSK_TRY(learn_checkpoint_load(&job->checkpoint, kept, &going_on, err));
    if (job->scaling_is_paid) DUSK_TRY(learn_fit_features(job, &scaled, frame, gen, err));
    learn_matrix_clear(&scaled);
    DUSK_TRY(learn_choice(job, "range") == RANGE_RAW
                 ? deep_rows_make_raw(&rows, &job->features, frame, true, err)
                 : deep_rows_make(&rows, &job->features, frame, err));
    if (going_on) {
        p->lot = deep_state_lot(kept);
    } else {
        DUSK_TRY(learn_fit_count(job, &p->count, &count, rows.rows, gen, err));
        p->lot = fmax(p->sampler.rate * count, 1);
        DUSK_TRY(deep_net_start(&p->net, parameters, gen, err));
    }
    if (p->start.count > 0) memcpy(parameters, p->start.parameters, p->start.count * sizeof *parameters);
    DUSK_TRY(train(job, p, &rows, parameters, going_on ? kept : NULL, gen, err));
    DUSK_TRY(deep_put_parameters(job, parameters, p->net.parameters, err));
done:
    deep_rows_clear(&rows);
    learn_matrix_clear(&scaled);
    dusk_deallocate(parameters);
    dusk_deallocate(kept);
    return status;
}

static const dusk_setting settings[] = {
    { "net", "dense 64; relu; output", "", 0, 0, false,
      "the network, layers with \";\" between them; docs/networks.md has all of them" },
    { "lot", "0", NULL, 0, 1e9, true,
      "how many rows a step takes, on average, if --rows is public; 0: by rate" },
    { "epochs", "10", NULL, 0.001, 1e6, false, "how often every row is taken, on average" },
    { "rate", "0", NULL, 0, 1, false, "the chance of a row to be in a step; 0: by the lot, else 0.1" },
    { "sampler", "poisson", "poisson|fixed|shuffled", 0, 0, false,
      "each row by a coin of its own, so many of --rows, or all of them in a random order" },
    { "correlation", "none", "none|tree|bands", 0, 0, false,
      "noise that later steps take back, for sampler=shuffled: by a binary tree, or a banded matrix" },
    { "bands", "32", NULL, 1, DEEP_BANDS_MOST, true, "how many steps a band is long, an epoch at most" },
    { "steps", "0", NULL, 0, STEPS_MOST, true, "how many; 0: by epochs" },
    { "clip", "1", NULL, 1e-6, 1e6, false, "how long the gradient of one row may be" },
    { "clipping", "flat", "flat|layers|automatic|adaptive", 0, 0, false,
      "the gradient as a whole, every layer, all gradients scaled to the same length, or to a quantile of "
      "lengths" },
    { "quantile", "0.5", NULL, 0, 1, false,
      "adaptive: the part of rows whose gradients are within the clip" },
    { "clip_rate", "0.2", NULL, 0, 10, false, "adaptive: how fast the clip follows" },
    { "optimiser", "sgd", "sgd|adam|adamw|adagrad|adam_unbiased", 0, 0, false,
      "what makes steps of gradients" },
    { "learning_rate", "0.5", NULL, 1e-9, 1e6, false, "how far a step goes" },
    { "momentum", "0.9", NULL, 0, 0.9999, false, "how much of the last step goes into the next" },
    { "decay", "0", NULL, 0, 1, false, "of weights" },
    { "schedule", "constant", "constant|root|cosine", 0, 0, false,
      "of the learning rate: as it is, over the root of the step, or half a cosine" },
    { "noise_fall", "1", NULL, 0.05, 1, false, "what part of the first steps' noise the last ones have" },
    { "warm_up", "0", NULL, 0, 1, false, "part of the steps in which the rate rises" },
    { "cool_down", "0", NULL, 0, 1, false, "part of the steps in which the rate falls" },
    { "average", "0", NULL, 0, 0.99999, false,
      "weights are averaged over steps, with this decay; 0: the last ones" },
    { "range", "bounds", "bounds|unit|raw", 0, 0, false,
      "numbers to [-1, 1] by their bounds, or to [0, 1], which suits pictures, or raw, as tokens are" },
    { "start", "none", "", 0, 0, false, "a model whose first layers the network starts with" },
    { "start_is", "unknown", "unknown|public", 0, 0, false, "public: start was trained without these rows" },
    { "frozen", "0", NULL, 0, 10000, true, "how many layers, from the first on, are not learned" },
    { "threads", "1", NULL, 1, 64, true, "how many" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner deep_net_learner = {
    .shown = { "net", DUSK_TASK_CLASS, DUSK_NUMERICS_EXACT,
               "a neural network by noisy gradient descent (DP-SGD)", "Abadi et al. 2016", settings },
    .plan = plan,
    .fit = fit,
    .forget = forget,
    .outputs = deep_outputs,
    .predict = deep_predict,
    .complete = deep_complete,
    .gradients = true,
};

const learn_learner deep_net_numbers = {
    .shown = { "net_numbers", DUSK_TASK_NUMBER, DUSK_NUMERICS_EXACT,
               "a neural network for a number, by noisy gradient descent (DP-SGD)", "Abadi et al. 2016",
               settings },
    .plan = plan,
    .fit = fit,
    .forget = forget,
    .outputs = deep_outputs,
    .predict = deep_predict,
    .complete = deep_complete,
    .gradients = true,
};
