/* SPDX-License-Identifier: Apache-2.0 */
/* Networks as learners: `net` of categories, `net_numbers` of a number; and what autoencoder.c shares with them. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "deep/front.h"
#include "deep/memory.h"
#include "deep/moments.h"
#include "deep/net_learner.h"
#include "deep/parts.h"
#include "deep/price.h"
#include "deep/spent.h"
#include "deep/state.h"
#include "deep/whole.h"
#include "learn/scaling.h"
#include "mechanisms/totals.h"

/* --- plan -------------------------------------------------------------------------------------------------------- */

void deep_net_forget(void *plan)
{
    deep_plan *p = plan;
    if (p) deep_net_clear(&p->net);
    if (p) deep_start_clear(&p->start);
    if (p) deep_tuning_clear(&p->tuning);
    if (p) deep_tuning_clear(&p->carriers);
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

static void say_plan(learn_job *job, const deep_plan *p)
{
    learn_say(job, "%zu parameters in %zu layer%s: %s", p->net.parameters, p->net.layers,
              p->net.layers == 1 ? "" : "s", learn_text(job, "net"));
    deep_say_price(job, p);
    if (p->memory > 0)
        learn_say(job, "%.3g MB at most besides the rows: %zu thread%s, %zu row%s at a time", p->memory / 1e6,
                  p->threads, p->threads == 1 ? "" : "s", p->room, p->room == 1 ? "" : "s");
}

/* What is learned, and how many numbers say it. */
static size_t plan_loss(const learn_job *job, deep_plan *p)
{
    if (job->labels.count > 0) {
        p->loss = DEEP_MARKS;
        return job->labels.count;
    }
    if (!job->label_field) {
        p->loss = DEEP_INPUT;
        return job->features.width;
    }
    p->loss = job->label_field->kind == DUSK_FIELD_NUMERIC ? DEEP_SQUARED : DEEP_SOFTMAX;
    return p->loss == DEEP_SQUARED ? 1 : job->label_field->values;
}

/* Rows that are to come back as they were must still be there. */
static dusk_status check_input(const learn_job *job, const deep_plan *p, dusk_error *err)
{
    const size_t code = (size_t)learn_setting(job, "code");
    if (p->loss != DEEP_INPUT)
        return code == 0 ? DUSK_OK
                         : dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it out, or train an autoencoder",
                                     "a code is what an autoencoder has");
    if (code > 0 && deep_code_layer(&p->net, code) == DUSK_NO_LINK)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "count layers as they are written, input among them",
                         "the network has no layer %zu to take a code from", code);
    if (learn_choice(job, "range") == RANGE_RAW)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use range=bounds or unit",
                         "raw numbers are no errors that can be compared");
    if (deep_before_standard(&p->net) != DUSK_NO_LINK) return deep_refuse_standard(&p->net, err);
    if (p->frozen > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out frozen, and let it learn all layers from start",
                         "of frozen layers only what comes out is kept, and an autoencoder needs its input");
    return DUSK_OK;
}

/* The front, and what is learned. Raw numbers stay as they are: tokens would not survive rounding; and so do rows that are to come back: then there is no front. `own` is
 * the net of *rest where there is one, for the caller to clear. */
static dusk_status split(const learn_job *job, const deep_plan *p, deep_net *front, deep_net *own,
                         deep_plan *rest, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool raw = learn_choice(job, "range") == RANGE_RAW;
    *rest = *p;
    if ((raw || DUSK_MUTATE(DEEP_FRONT_COMES_BACK, p->loss == DEEP_INPUT, false)) && p->frozen == 0)
        return DUSK_OK;
    DUSK_TRY(deep_front_split_at(&p->net, p->frozen, front, own, err));
    rest->net = *own;
    if (p->tuning.part) rest->tuning.part += front->layers; /* of which nothing is learned */
    if (p->carriers.part) rest->carriers.part += front->layers;
done:
    return status;
}

/* Threads and rows at a time: as was asked for, or fewer where memory is limited. */
static dusk_status plan_memory(const learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_net front = { .layers = 0 }, own = { .layers = 0 };
    deep_plan rest;
    deep_needs needs;
    DUSK_TRY(split(job, p, &front, &own, &rest, err));
    p->room = rest.room = deep_training_room(&rest);
    if (job->memory > 0) {
        DUSK_TRY(deep_needs_of(&needs, &rest, &front, job, err));
        DUSK_TRY(deep_fit_memory(p, &needs, (double)job->memory, err));
        p->memory = deep_needs_bytes(&needs, p->threads, p->room);
    }
done:
    deep_net_clear(&front);
    deep_net_clear(&own);
    return status;
}

dusk_status deep_check_tokens(const deep_net *net, bool raw, const char *hint, dusk_error *err)
{
    for (size_t l = 0; l < net->layers; l++)
        if (net->layer[l].kind->tokens && !raw)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, hint,
                             "layer %zu (%s) takes tokens by their numbers, and numbers are scaled",
                             net->layer[l].place, net->layer[l].kind->name);
    return DUSK_OK;
}

DUSK_PROVEN(deep_net_plan)
dusk_status deep_net_plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_plan *p = NULL;
    size_t outputs;
    DUSK_TRY(learn_plan_features(job, false, err));
    if (learn_choice(job, "range") == RANGE_UNIT) deep_scale_to_unit(job);
    if (learn_choice(job, "range") == RANGE_RAW && job->scaling_is_paid)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out --set scaling=standard",
                           "raw numbers are not scaled"));
    DUSK_NEW(p, 1);
    job->plan = p;
    outputs = plan_loss(job, p);
    DUSK_TRY(deep_net_parse(&p->net, learn_text(job, "net"), job->features.width, outputs, err));
    DUSK_TRY(deep_check_tokens(&p->net, learn_choice(job, "range") == RANGE_RAW, DEEP_RAW_HINT, err));
    DUSK_TRY(learn_model_room((double)p->net.parameters, err));
    DUSK_TRY(deep_plan_start(job, p, err));
    DUSK_TRY(check_input(job, p, err));
    DUSK_TRY(deep_plan_moments(job, p, err));
    DUSK_TRY(deep_whole_plan(job, p, err));
    p->clipping = (deep_clipping)learn_choice(job, "clipping");
    p->clip = learn_setting(job, "clip");
    p->quantile = learn_setting(job, "quantile");
    p->clip_rate = learn_setting(job, "clip_rate");
    p->plain = job->plain;
    p->method = (deep_method)learn_choice(job, "optimiser");
    p->rate = learn_setting(job, "learning_rate");
    p->finds_rate = p->rate == 0;
    p->momentum = learn_setting(job, "momentum");
    p->weight_decay = learn_setting(job, "decay");
    p->schedule =
        (deep_schedule){ (deep_falling)learn_choice(job, "schedule"),
                         DUSK_MUTATE(DEEP_WARM_UP_IS_IGNORED, learn_setting(job, "warm_up"), 0),
                         DUSK_MUTATE(DEEP_COOL_DOWN_IS_IGNORED, learn_setting(job, "cool_down"), 0) };
    p->average = learn_setting(job, "average");
    p->threads = (size_t)learn_setting(job, "threads");
    DUSK_TRY(deep_plan_samples(job, p, err));
    DUSK_TRY(deep_plan_subspace(job, p, err));
    DUSK_TRY(deep_plan_carriers(job, p, err));
    DUSK_TRY(deep_plan_noise(job, p, err));
    p->settled_size = deep_settled_size(job, p);
    job->state_size = deep_state_size(job, p);
    job->numbers = p->net.parameters;
    DUSK_TRY(plan_memory(job, p, err));
    say_plan(job, p);
done:
    return status;
}

/* --- fit ----------------------------------------------------------------------------------------------------------- */

/* Rows up to a layer `standard`, which is measured by them unless it is known, and on through the rest of the front: in two parts either way, so that rows are
 * rounded alike. */
static dusk_status run_and_measure(const deep_plan *p, const deep_net *front, deep_rows *rows, bool known,
                                   float *parameters, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t first = front->layer[p->measured].first;
    deep_net before = { .layers = 0 }, behind = { .layers = 0 };
    DUSK_TRY(deep_net_part(front, 0, p->measured, &before, err));
    DUSK_TRY(deep_net_part(front, p->measured, front->layers, &behind, err));
    if (before.layers > 0) DUSK_TRY(deep_front_run_with(&before, parameters, rows, p->threads, err));
    if (!known) DUSK_TRY(deep_fit_moments(p, rows, parameters, gen, err));
    DUSK_TRY(deep_front_run_with(&behind, parameters + first, rows, p->threads, err));
done:
    deep_net_clear(&before);
    deep_net_clear(&behind);
    return status;
}

/* The front of the net once for all rows, and steps on the rest of it. */
static dusk_status train(learn_job *job, deep_plan *p, deep_rows *rows, deep_rows *check, deep_rows *open,
                         float *parameters, const unsigned char *kept, unsigned char *settled,
                         dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_net front = { .layers = 0 }, own = { .layers = 0 };
    deep_plan rest;
    p->check = job->check_rows ? check : NULL;
    p->open = open;
    DUSK_TRY(split(job, p, &front, &own, &rest, err));
    const bool known = DUSK_MUTATE(DEEP_STANDARD_IS_MEASURED_AGAIN, kept != NULL, false);
    if (p->measured != DUSK_NO_LINK)
        DUSK_TRY(run_and_measure(p, &front, rows, known, parameters, gen, err));
    else if (front.layers > 0)
        DUSK_TRY(deep_front_run_with(&front, parameters, rows, p->threads, err));
    if (front.layers > 0 && p->check)
        DUSK_TRY(deep_front_run_with(&front, parameters, check, p->threads, err));
    if (front.layers > 0 && p->directions > 0)
        DUSK_TRY(deep_front_run_with(&front, parameters, open, p->threads, err));
    deep_settled_pack(job, p, parameters, settled);
    rest.settled = settled;
    DUSK_TRY(deep_train(job, &rest, rows, parameters + p->frozen_parameters, kept, gen, err));
done:
    deep_net_clear(&front);
    deep_net_clear(&own);
    return status;
}

static dusk_status make_rows(deep_rows *out, const learn_job *job, const dusk_frame *frame, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(learn_choice(job, "range") == RANGE_RAW
                 ? deep_rows_make_raw(out, &job->features, frame, true, err)
                 : deep_rows_make(out, &job->features, frame, err));
    DUSK_TRY(deep_rows_mark(out, &job->labels, frame, err));
done:
    return status;
}

static dusk_status make_open_rows(deep_rows *out, const learn_job *job, dusk_error *err)
{
    return learn_choice(job, "range") == RANGE_RAW
               ? deep_rows_make_raw(out, &job->features, job->open_rows, false, err)
               : deep_rows_make_all(out, &job->features, job->open_rows, err);
}

DUSK_PROVEN(deep_net_fit)
dusk_status deep_net_fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_plan *p = job->plan;
    deep_rows rows = { .rows = 0 }, check = { .rows = 0 }, open = { .rows = 0 };
    float *parameters = NULL;
    unsigned char *kept = NULL, *settled = NULL;
    bool found = false, going_on = false;
    DUSK_NEW(parameters, p->net.parameters);
    DUSK_NEW(kept, job->checkpoint.open ? job->state_size : 1);
    DUSK_NEW(settled, p->settled_size + 1);
    if (job->checkpoint.open) DUSK_TRY(learn_checkpoint_load(&job->checkpoint, kept, &found, err));
    going_on = found && deep_state_is_settled(kept);
    if (going_on) deep_settled_unpack(job, p, parameters, kept);
    if (!DUSK_MUTATE(DEEP_SCALES_ARE_MEASURED_AGAIN, going_on, false))
        DUSK_TRY(learn_fit_scaling(job, frame, gen, err));
    DUSK_TRY(make_rows(&rows, job, frame, err));
    if (job->check_rows) DUSK_TRY(make_rows(&check, job, job->check_rows, err));
    if (p->directions > 0) DUSK_TRY(make_open_rows(&open, job, err));
    DUSK_TRY(deep_fit_samples(job, p, rows.rows, found ? kept : NULL, gen, err));
    learn_progress(job, 0);
    if (!going_on) DUSK_TRY(deep_net_start(&p->net, parameters, gen, err));
    if (p->start.count > 0) memcpy(parameters, p->start.parameters, p->start.count * sizeof *parameters);
    DUSK_TRY(train(job, p, &rows, &check, &open, parameters, going_on ? kept : NULL, settled, gen, err));
    DUSK_TRY(deep_put_parameters(job, parameters, p->net.parameters, err));
    DUSK_TRY(deep_put_found(job, p, err));
    const double seen = (double)rows.rows;
    if (DUSK_MUTATE(DEEP_ROWS_ARE_IN_THE_MODEL, false, true))
        DUSK_TRY(learn_model_put(job->model, "seen", 1, 1, &seen, err));
done:
    p->check = p->open = NULL;
    deep_rows_clear(&rows);
    deep_rows_clear(&check);
    deep_rows_clear(&open);
    dusk_deallocate(parameters);
    dusk_deallocate(kept);
    dusk_deallocate(settled);
    return status;
}

const dusk_setting deep_net_settings[] = {
    { "net", "dense 64; relu; output", "", 0, 0, false, "the network, layers with \";\" between them" },
    { "lot", "0", NULL, 0, 1e9, true,
      "how many rows a step takes, on average; where --rows is not public, of a noisy count; 0: by rate" },
    { "epochs", "10", NULL, 0.001, 1e6, false, "how often every row is taken, on average" },
    { "rate", "0", NULL, 0, 1, false, "the chance of a row to be in a step; 0: by the lot, else 0.1" },
    { "sampler", "poisson", "poisson|fixed|shuffled|allocated|drawn", 0, 0, false,
      "each row by a coin of its own, so many of --rows, all of them in a random order, each in one step of "
      "an epoch, or so many draws of --rows, with replacement" },
    { "correlation", "none", "none|tree|bands", 0, 0, false,
      "noise that later steps take back, for sampler=shuffled: by a binary tree, or a banded matrix" },
    { "bands", "32", NULL, 1, DEEP_BANDS_MOST, true, "how many steps a band is long, an epoch at most" },
    { "steps", "0", NULL, 0, DEEP_STEPS_MOST, true, "how many; 0: by epochs" },
    { "clip", "1", NULL, 1e-6, 1e6, false, "how long the gradient of one row may be" },
    { "clipping", "flat", "flat|layers|automatic|adaptive", 0, 0, false,
      "the gradient as a whole, every layer, all gradients scaled to the same length, or to a quantile of "
      "lengths" },
    { "bias_noise", "0", NULL, 0, 1e6, false,
      "how long noise is that is added to each gradient before it is clipped, times the clip" },
    { "smooth", "0", NULL, 0, 64, true,
      "how many networks near to this one a gradient is the mean of; 0: none" },
    { "smooth_radius", "0.02", NULL, 0, 10, false, "how far their parameters are from it, on average" },
    { "quantile", "0.5", NULL, 0, 1, false,
      "adaptive: the part of rows whose gradients are within the clip" },
    { "clip_rate", "0.2", NULL, 0, 10, false, "adaptive: how fast the clip follows" },
    { "optimiser", "sgd", "sgd|adam|adamw|adagrad|adam_unbiased|adamw_unbiased", 0, 0, false,
      "what makes steps of gradients" },
    { "learning_rate", "0", NULL, 0, 1e6, false, "how far a step goes; 0: by how large the noise is" },
    { "momentum", "0.9", NULL, 0, 0.9999, false, "how much of the last step goes into the next" },
    { "decay", "0", NULL, 0, 1, false, "of weights" },
    { "schedule", "constant", "constant|root|cosine", 0, 0, false,
      "of the learning rate: as it is, over the root of the step, or half a cosine" },
    { "noise_fall", "1", NULL, 0.05, 1, false, "what part of the first steps' noise the last ones have" },
    { "allocation", "even", "even|adaptive|descent", 0, 0, false,
      "of the budget to steps: as planned, found on the way by how long gradients are, or by whether a step "
      "is better than none" },
    { "warm_up", "0", NULL, 0, 1, false, "part of the steps in which the rate rises" },
    { "cool_down", "0", NULL, 0, 1, false, "part of the steps in which the rate falls" },
    { "average", "0", NULL, 0, 0.99999, false,
      "weights are averaged over steps, with this decay; 0: the last ones" },
    { "range", "bounds", "bounds|unit|raw", 0, 0, false,
      "numbers to [-1, 1] by their bounds, or to [0, 1], which suits pictures, or raw, as tokens are" },
    { "start", "none", "", 0, 0, false, "a model whose first layers the network starts with" },
    { "start_is", "unknown", "unknown|public", 0, 0, false, "public: start was trained without these rows" },
    { "start_layers", "0", NULL, 0, 10000, true, "of how many layers at most; 0: of all that are the same" },
    { "tune", "all", "all|bias|lora|last", 0, 0, false,
      "what of layers of start is learned: all, constants and norms, low-rank updates of matrices; last: the "
      "last layer alone" },
    { "rank", "4", NULL, 1, 4096, true, "lora: of updates" },
    { "tuned", "all", "", 0, 0, false,
      "which layers of start are learned: all, or their numbers in the text, as 1,3" },
    { "frozen", "0", NULL, 0, 10000, true, "how many layers, from the first on, are not learned" },
    { "code", "0", NULL, 0, 10000, true,
      "of autoencoders: the layer whose numbers are the prediction; 0: the row as it comes back" },
    { "subspace", "0", NULL, 0, DEEP_DIRECTIONS_MOST, true,
      "of gradients only so many directions count, found by --public rows; 0: all of it" },
    { "subspace_every", "20", NULL, 1, 1e6, true, "steps, after which directions are found anew" },
    { "carriers", "0", NULL, 0, 4096, true,
      "of the gradient of a large matrix only what so many carriers on each side see of it; 0: all of it" },
    { "threads", "1", NULL, 1, 64, true, "how many" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner deep_net_learner = {
    .shown = { "net", DUSK_TASK_CLASS, DUSK_NUMERICS_EXACT,
               "a neural network by noisy gradient descent (DP-SGD)", "Abadi et al. 2016",
               deep_net_settings },
    .plan = deep_net_plan,
    .fit = deep_net_fit,
    .forget = deep_net_forget,
    .outputs = deep_outputs,
    .predict = deep_predict,
    .complete = deep_complete,
    .gradients = true,
    .may_open_rows = true,
    .spent = deep_spent,
};

const learn_learner deep_net_numbers = {
    .shown = { "net_numbers", DUSK_TASK_NUMBER, DUSK_NUMERICS_EXACT,
               "a neural network for a number, by noisy gradient descent (DP-SGD)", "Abadi et al. 2016",
               deep_net_settings },
    .plan = deep_net_plan,
    .fit = deep_net_fit,
    .forget = deep_net_forget,
    .outputs = deep_outputs,
    .predict = deep_predict,
    .complete = deep_complete,
    .gradients = true,
    .may_open_rows = true,
    .spent = deep_spent,
};
