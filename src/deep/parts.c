/* SPDX-License-Identifier: Apache-2.0 */
/* Plans for fewer numbers than a net has; see parts.h. */
#include "deep/parts.h"

#include <string.h>

#include "base/error.h"
#include "base/mutant.h"
#include "deep/front.h"
#include "deep/moments.h"

enum { TUNE_ALL, TUNE_BIAS, TUNE_LORA, TUNE_LAST };

/* Layers before the last one that has parameters. */
static size_t before_last(const deep_net *net)
{
    size_t l = net->layers;
    while (l > 0 && net->layer[l - 1].parameters == 0) l--;
    return l > 0 ? l - 1 : 0;
}

/* The first layers, which are not learned. */
static dusk_status plan_frozen(learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_net front = { .layers = 0 }, rest = { .layers = 0 };
    const size_t measured = deep_before_standard(&p->net);
    p->frozen = (size_t)learn_setting(job, "frozen");
    if (learn_choice(job, "tune") == TUNE_LAST) {
        if (p->frozen > 0)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one of them",
                             "tune=last and frozen are two ways to say which layers are not learned");
        p->frozen = before_last(&p->net);
    }
    if (measured != DUSK_NO_LINK) {
        DUSK_TRY(deep_check_standard(&p->net, p->frozen, err));
        p->frozen = measured + 1 > p->frozen ? measured + 1 : p->frozen;
    }
    DUSK_TRY(deep_front_split_at(&p->net, p->frozen, &front, &rest, err));
    p->frozen_parameters = p->net.parameters - rest.parameters;
    if (p->frozen > 0)
        learn_say(job, "the first %zu layers are not learned: %zu parameters of %zu are", p->frozen,
                  rest.parameters, p->net.parameters);
done:
    deep_net_clear(&front);
    deep_net_clear(&rest);
    return status;
}

/* What of layers that a start has is learned, where it is less than all. */
static dusk_status plan_tuning(learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const int tune = learn_choice(job, "tune");
    deep_tuning_wish wish = { .rank = (size_t)learn_setting(job, "rank"), .start = p->start.layers };
    wish.way = tune == TUNE_BIAS   ? DEEP_TUNE_CONSTANTS
               : tune == TUNE_LORA ? DEEP_TUNE_LOW_RANK
                                   : DEEP_TUNE_ALL;
    wish.frozen = p->frozen;
    wish.layers = learn_text(job, "tuned");
    if (wish.way == DEEP_TUNE_ALL && !strcmp(wish.layers, "all")) return DUSK_OK;
    if (p->start.count == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --set start=MODEL --set start_is=public, too",
                         "a part of a network can be tuned if the rest is public");
    DUSK_TRY(deep_tuning_open(&p->tuning, &p->net, &wish, err));
    if (tune == TUNE_LORA)
        learn_say(job, "matrices of layers that start so have updates of rank %zu", wish.rank);
    if (tune == TUNE_BIAS) learn_say(job, "of layers that start so constants and norms are learned");
    learn_say(job, "%zu numbers are learned, in place of %zu parameters", p->tuning.learned,
              p->net.parameters);
done:
    return status;
}

dusk_status deep_plan_start(learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char *path = learn_text(job, "start");
    const size_t most = (size_t)learn_setting(job, "start_layers");
    DUSK_TRY(plan_frozen(job, p, err));
    if (strcmp(path, "none") != 0) {
        if (DUSK_MUTATE(DEEP_START_NEED_NOT_BE_PUBLIC, learn_choice(job, "start_is") != 1, false))
            DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT,
                               "give --set start_is=public if it was trained without these rows",
                               "a model to start from must be public, and nobody can see that from it"));
        DUSK_TRY(deep_start_read(&p->start, &p->net, path, most > 0 ? most : p->net.layers, err));
        job->assumed = p->start.plain ? "the model to start from, trained with NO PRIVACY, is public"
                                      : "the model to start from is public";
        learn_say(job, "the first %zu of %zu layers start from %s, which is said to be public%s",
                  p->start.layers, p->net.layers, path,
                  p->start.plain ? " and was trained with NO PRIVACY: its rows must be of others" : "");
    }
    DUSK_TRY(plan_tuning(job, p, err));
done:
    return status;
}

dusk_status deep_plan_subspace(learn_job *job, deep_plan *p, dusk_error *err)
{
    const double rows = job->open_rows ? (double)job->open_rows->rows : 0;
    p->directions = (size_t)learn_setting(job, "subspace");
    p->find_every = (uint64_t)learn_setting(job, "subspace_every");
    if (p->directions == 0 && job->open_rows)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --set subspace=50, or leave them out",
                         "public rows are for a subspace of gradients, and none is asked for");
    if (p->directions == 0) return DUSK_OK;
    if (!job->learner->may_open_rows)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave subspace out, or train net",
                         "%s takes no public rows, by which a subspace could be found",
                         job->learner->shown.name);
    if (rows < (double)p->directions)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give more of them by --public FILE; they need no labels",
                         "%zu directions of gradients need as many public rows", p->directions);
    if (p->tuning.part)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one of them",
                         "a subspace and tune are two ways to learn fewer numbers");
    if (deep_takes_noise_off(p->method) || p->correlation.way != DEEP_INDEPENDENT)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose optimiser=adam or sgd, and correlation=none",
                         "noise in a subspace that changes is not taken back or off");
    if (p->smooth > 0 || p->bias_noise > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out smooth and bias_noise, or subspace",
                         "gradients that are made whole are not looked at along directions");
    if (p->clipping == DEEP_CLIP_LAYERS)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose clipping=flat, automatic or adaptive",
                         "coordinates of a gradient are of all layers, which are not clipped one by one");
    const double all = (double)(p->net.parameters - p->frozen_parameters);
    const double kept = (double)(p->directions + deep_subspace_rows(p->directions, job->open_rows->rows));
    if (all * (kept + DEEP_COORDINATES_BLOCK) > DEEP_SUBSPACE_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer directions, or freeze layers",
                         "%zu directions of %.0f numbers are too many to keep", p->directions, all);
    if (p->start.plain)
        job->assumed =
            "the model to start from, trained with NO PRIVACY, and the rows of a subspace are public";
    else
        job->assumed = job->assumed ? "the model to start from and the rows of a subspace are public"
                                    : "the rows that a subspace is found by are public";
    learn_say(job, "gradients along %zu directions, found by %zu public rows every %llu steps", p->directions,
              deep_subspace_rows(p->directions, job->open_rows->rows), (unsigned long long)p->find_every);
    return DUSK_OK;
}

dusk_status deep_plan_carriers(learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_tuning_wish wish = { .way = DEEP_TUNE_CARRIED, .start = p->net.layers, .layers = "all" };
    wish.rank = (size_t)learn_setting(job, "carriers");
    wish.frozen = p->frozen;
    if (wish.rank == 0) return DUSK_OK;
    if (p->tuning.part || p->directions > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one of them",
                         "carriers are one way to release fewer numbers, tune and subspace are others");
    if (deep_takes_noise_off(p->method) || p->correlation.way != DEEP_INDEPENDENT)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose optimiser=adam or sgd, and correlation=none",
                         "noise along carriers that change is not taken back or off");
    if (p->smooth > 0 || p->bias_noise > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out smooth and bias_noise, or carriers",
                         "gradients that are made whole are not looked at by carriers");
    DUSK_TRY(deep_tuning_open(&p->carriers, &p->net, &wish, err));
    if (p->carriers.learned == p->net.parameters - p->frozen_parameters)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer, or leave carriers out",
                           "no layer has a matrix so large that %zu carriers are fewer numbers", wish.rank));
    learn_say(job, "gradients by %zu carriers of large matrices: %zu numbers a step, in place of %zu",
              wish.rank, p->carriers.learned, p->net.parameters - p->frozen_parameters);
done:
    return status;
}

size_t deep_learned(const deep_plan *plan)
{
    return plan->tuning.part ? plan->tuning.learned : plan->net.parameters;
}

size_t deep_released(const deep_plan *plan)
{
    if (plan->carriers.part) return plan->carriers.learned;
    return plan->directions > 0 ? plan->directions : deep_learned(plan);
}

const deep_tuning *deep_looked_at(const deep_plan *plan)
{
    if (plan->carriers.part) return &plan->carriers;
    return plan->tuning.part ? &plan->tuning : NULL;
}
