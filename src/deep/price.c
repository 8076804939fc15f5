/* SPDX-License-Identifier: Apache-2.0 */
/* Samples, steps and noise of a plan; see price.h. Proof: price.proof.md. */
#include "deep/price.h"

#include <math.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/mutant.h"
#include "deep/learning_rate.h"
#include "deep/state.h"
#include "deep/whole.h"
#include "mechanisms/totals.h"

#define COUNT_SHARE 0.01 /* of the budget */

/* --- samples --------------------------------------------------------------------------------------------------- */

/* Samples of a lot of `rows` rows: by poisson, and as many steps as epochs take. */
static dusk_status sample_lot(learn_job *job, deep_plan *p, double rows, dusk_error *err)
{
    const double rate = fmin(p->counted / rows, 1), given = learn_setting(job, "steps");
    const double steps = given > 0 ? given : rint(learn_setting(job, "epochs") / rate);
    p->steps = (uint64_t)fmin(fmax(steps, 1), DEEP_STEPS_MOST);
    return learn_sampler_init(&p->sampler, LEARN_POISSON, rate, 0, job->budget.neighbours, err);
}

/* A lot of rows that nobody counted: what is planned is the count, and what is left beside it. */
static dusk_status plan_counted(learn_job *job, deep_plan *p, double lot, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (learn_choice(job, "sampler") != LEARN_POISSON)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "give --rows N if that is public, or --rate 0.01",
                           "a lot is a part of all rows, and how many there are is private"));
    if (job->plain || job->budget.multiplier > 0 || job->budget.any)
        DUSK_TRY(dusk_fail(
            err, DUSK_ERR_ARGUMENT, "give --rows N if that is public, or --rate 0.01",
            "a lot of rows that are counted on the way needs an epsilon of which nothing else is paid"));
    if (!(job->budget.delta > 0))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --delta 1e-6", "networks need a delta"));
    p->counted = lot;
    DUSK_TRY(learn_budget_counts(&job->budget, &p->count, 1, COUNT_SHARE, err));
    learn_say(job, "the number of rows, with noise of deviation %.4g", p->count.deviation);
done:
    return status;
}

/* How often, and how many at a time: a chance and a number of steps, or a lot and epochs of so many rows. Where nobody declared how many rows there are, a
 * noisy count says what gradients are divided by; and how many rows a lot is of. */
static dusk_status plan_samples(learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double rows = (double)job->rows, lot = learn_setting(job, "lot");
    double rate = learn_setting(job, "rate");
    p->steps = (uint64_t)learn_setting(job, "steps");
    if (lot > 0 && rate > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one of them",
                         "a lot and a rate are two ways to say how many rows a step takes");
    if (lot > 0 && !(rows > 0)) return plan_counted(job, p, lot, err);
    if (rate == 0) rate = lot > 0 ? lot / rows : 0.1;
    DUSK_TRY(learn_sampler_init(&p->sampler, (learn_sampling)learn_choice(job, "sampler"), rate, job->rows,
                                job->budget.neighbours, err));
    if (p->steps == 0) {
        const double steps = fmax(rint(learn_setting(job, "epochs") / p->sampler.rate), 1);
        if (!(steps <= DEEP_STEPS_MOST))
            DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer epochs, or a larger rate or lot",
                               "so many epochs take %.3g steps, and %.0f are the most", steps,
                               DEEP_STEPS_MOST));
        p->steps = (uint64_t)steps;
    }
    DUSK_TRY(learn_plan_count(job, &p->count, job->budget.left * COUNT_SHARE, err));
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
    if (deep_takes_noise_off(p->method))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose optimiser=adam or sgd",
                         "what correlated noise adds to second moments is not taken off");
    p->sampler.once = true;
    deep_correlation_init(&p->correlation, way, learn_sampler_epoch(&p->sampler),
                          (size_t)learn_setting(job, "bands"));
    return DUSK_OK;
}

dusk_status deep_plan_samples(learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(plan_samples(job, p, err));
    DUSK_TRY(plan_correlation(job, p, err));
    job->steps = p->steps;
done:
    return status;
}

/* --- noise ------------------------------------------------------------------------------------------------------- */

/* Draws of samples are numbered by 32 bits, and a step has two. */
_Static_assert(2 * (uint64_t)DEEP_STEPS_MOST <= UINT32_MAX, "no sample is drawn twice");

/* Steps that are looked at go straight down, by lengths of their own, along all that is learned. */
static dusk_status check_descent(const deep_plan *p, bool plain, dusk_error *err)
{
    const deep_schedule *s = &p->schedule;
    const struct {
        bool asked;
        const char *what;
    } others[] = {
        { p->method != DEEP_SGD, "another optimiser" },
        { p->weight_decay > 0, "decay" },
        { s->falling != DEEP_RATE_CONSTANT, "a schedule" },
        { s->warm_up > 0, "warm_up" },
        { s->cool_down > 0, "cool_down" },
        { p->clipping == DEEP_CLIP_ADAPTIVE, "clipping=adaptive" },
        { deep_is_whole(p), "smooth and bias_noise" },
        { p->directions > 0, "subspace" },
        { p->carriers.part != NULL, "carriers" },
        { p->tuning.part != NULL, "tune" },
    };
    if (p->allocates != DEEP_DESCENT) return DUSK_OK;
    if (plain)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out allocation, or --no-privacy",
                         "without privacy there is nothing to allocate, and steps are not looked at");
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k].asked)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it out, or allocation",
                             "allocation=descent finds each step by itself, without %s", others[k].what);
    if (p->counted > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --rows N if that is public, or --rate 0.01",
                         "allocation=descent needs to know beforehand what a lot is a part of");
    return DUSK_OK;
}

/* Noise that is found on the way, within an allowance. p->noise is the most that there can be, and its deviation what it is where steps are all alike. */
static dusk_status take_allowance(const learn_job *job, deep_plan *p, learn_budget *budget, uint32_t cells,
                                  double steps, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_filter *filter = NULL;
    double most, common;
    if (learn_setting(job, "noise_fall") != 1)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "leave one of them out",
                           "noise_fall and allocation=%s are two ways to say how noise falls",
                           p->allocates == DEEP_DESCENT ? "descent" : "adaptive"));
    if (p->correlation.way != DEEP_INDEPENDENT)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out correlation, or allocation",
                           "noise that later steps take back is the same in all steps"));
    DUSK_TRY(learn_budget_allow(budget, &p->allowance, cells, steps, DEEP_GRID, &p->sampler, p->steps, err));
    common = p->allowance.even;
    most = common * DEEP_ALLOCATED_RANGE;
    if (p->allocates == DEEP_DESCENT) {
        DUSK_TRY(deep_descent_plan(&p->measures, &p->allowance, p->steps, err));
        common = p->measures.first;
        most = deep_descent_most(&p->measures);
    }
    DUSK_TRY(learn_allowance_open(&p->allowance, &filter, err));
    DUSK_TRY(learn_allowance_take(&p->allowance, filter, &p->noise, most, 1, err));
    p->noise.deviation *= common / most;
done:
    dusk_filter_free(filter);
    return status;
}

/* Noise for all steps: the same in each, or falling in stages. */
static dusk_status take_noise(const learn_job *job, deep_plan *p, learn_budget *budget, uint32_t cells,
                              double steps, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double fall = learn_setting(job, "noise_fall");
    if (p->allocates) return take_allowance(job, p, budget, cells, steps, err);
    double factor[DEEP_STAGES];
    uint64_t times[DEEP_STAGES];
    if (fall == 1)
        return learn_budget_sampled(budget, &p->noise, cells, steps, DEEP_GRID, budget->left, &p->sampler,
                                    p->steps, err);
    if (budget->multiplier > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give an epsilon",
                         "noise that falls is found by what it may cost");
    p->stages = deep_stages(factor, times, fall, p->steps);
    DUSK_TRY(learn_budget_stages(budget, p->stage, p->stages, factor, times, cells, steps, DEEP_GRID,
                                 &p->sampler, err));
    p->noise = p->stage[0];
done:
    return status;
}

/* How many are released a step, besides votes. */
static size_t numbers_of(const deep_plan *p)
{
    const deep_tuning *part = deep_looked_at(p);
    if (p->directions > 0) return p->directions;
    return part ? part->learned : p->net.parameters - p->frozen_parameters;
}

/* What a row adds, and to how many numbers; the noise for that, out of a budget. */
DUSK_PROVEN(price)
static dusk_status price(const learn_job *job, deep_plan *p, learn_budget *budget, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool votes = p->clipping == DEEP_CLIP_ADAPTIVE;
    const uint32_t cells = (uint32_t)numbers_of(p) + votes;
    double steps = votes ? DEEP_VOTED_STEPS : DEEP_STEPS;
    if (DUSK_MUTATE(DEEP_CORRELATION_IS_FREE, p->correlation.way != DEEP_INDEPENDENT, false))
        steps = deep_correlation_steps(&p->correlation, steps, cells);
    steps *= DUSK_MUTATE(DEEP_NOISE_IS_DOUBLE, 1, 2);
    DUSK_TRY(
        take_noise(job, p, budget, cells, DUSK_MUTATE(DEEP_NOISE_OF_THE_MEAN, steps, DEEP_STEPS / 4), err));
    if (dusk_totals_check(&p->noise.gauss, NULL) != DUSK_OK)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for a larger epsilon or delta, or take fewer steps",
                         "noise of %.4g times the clip would drown every gradient", p->noise.gauss.scale);
done:
    return status;
}

/* The rest of a promise of which a count was paid. */
DUSK_PROVEN(take_rest)
static dusk_status take_rest(learn_budget *budget, dusk_budget *rest, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    *rest = (dusk_budget){ (budget->epsilon - budget->pure) * (1 - 0x1p-20), budget->delta };
    DUSK_TRY(dusk_event_approx(&event, rest->epsilon, rest->delta, err));
    DUSK_TRY(learn_budget_event(budget, &event, budget->left, 1, err));
done:
    return status;
}

/* Noise for the samples and steps of *p: what they cost is within the rest. */
DUSK_PROVEN(price_rest)
static dusk_status price_rest(const learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_neighbours neighbours = job->budget.neighbours;
    const double units = neighbours == DUSK_REPLACE_ONE ? job->budget.factor / 2 : job->budget.factor;
    const double epsilon = DUSK_MUTATE(DEEP_COUNT_IS_FREE, p->rest.epsilon, 1.5 * job->budget.epsilon);
    learn_budget budget;
    dusk_statement statement;
    DUSK_TRY(learn_budget_init(&budget, neighbours, epsilon, p->rest.delta, (uint32_t)units, err));
    DUSK_TRY(price(job, p, &budget, err));
    DUSK_TRY(learn_budget_state(&budget, &statement, "row", err));
done:
    return status;
}

/* One step over all rows. */
static dusk_status price_one(const learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    p->steps = 1;
    DUSK_TRY(learn_sampler_init(&p->sampler, LEARN_POISSON, 1, 0, job->budget.neighbours, err));
    DUSK_TRY(price_rest(job, p, err));
done:
    return status;
}

/* What is left of the budget beside the count. What can be refused is refused here, before anything is charged: by the least that a count may come to. */
static dusk_status plan_rest(learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(take_rest(&job->budget, &p->rest, err));
    deep_plan trial = *p;
    DUSK_TRY(price_one(job, &trial, err));
done:
    return status;
}

/* By a count: as many steps as were asked for, or half as many, and so on, where no noise for more keeps the promise and leaves something of gradients. There is a price whatever
 * the count is, and no error tells of it. */
DUSK_PROVEN(price_counted)
static dusk_status price_counted(learn_job *job, deep_plan *p, double rows, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(sample_lot(job, p, rows, err));
    while ((status = price_rest(job, p, err)) != DUSK_OK && status != DUSK_ERR_MEMORY && p->steps > 1)
        p->steps /= 2;
    if (status != DUSK_OK && status != DUSK_ERR_MEMORY) status = price_one(job, p, err);
    job->steps = p->steps;
done:
    return status;
}

/* What gradients are divided by, and a rate by that and the noise. */
static void set_lot(deep_plan *p, double rows)
{
    p->lot = fmax(p->sampler.rate * rows, 1);
    if (p->finds_rate) p->rate = deep_rate_found(p, numbers_of(p));
}

dusk_status deep_plan_noise(learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    p->before = job->budget;
    p->allocates = (deep_allocating)learn_choice(job, "allocation");
    if (p->allocates == DEEP_DESCENT) p->momentum = 0;
    if (!job->plain && !(job->budget.delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --delta 1e-6", "networks need a delta");
    DUSK_TRY(check_descent(p, job->plain, err));
    if (job->plain) p->allocates = DEEP_EVEN;
    if (!job->plain) DUSK_TRY(p->counted > 0 ? plan_rest(job, p, err) : price(job, p, &job->budget, err));
    if (job->rows > 0) set_lot(p, (double)job->rows); /* else when they are counted */
done:
    return status;
}

/* Anew, or as it was; it is kept before anything follows from it. */
static dusk_status count_rows(learn_job *job, deep_plan *p, size_t rows, const unsigned char *kept,
                              dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_int128 total = (dusk_int128)rows;
    if (DUSK_MUTATE(DEEP_COUNT_IS_NOT_KEPT, kept != NULL, false)) {
        p->rows = deep_state_rows(kept);
        return DUSK_OK;
    }
    if (p->counted > 0)
        DUSK_TRY(learn_counts_release(&p->count, &p->rows, &total, 1, gen, err));
    else
        DUSK_TRY(learn_fit_count(job, &p->count, &p->rows, rows, gen, err));
    p->rows = fmax(p->rows, 1);
    if (DUSK_MUTATE(DEEP_COUNT_TOLD_BEFORE_KEPT, job->checkpoint.open && p->count.dimension > 0, false))
        DUSK_TRY(deep_state_keep_rows(job, p->rows, err));
done:
    return status;
}

dusk_status deep_fit_samples(learn_job *job, deep_plan *p, size_t rows, const unsigned char *kept,
                             dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(count_rows(job, p, rows, kept, gen, err));
    if (p->counted > 0)
        DUSK_TRY(
            price_counted(job, p, DUSK_MUTATE(DEEP_LOT_OF_PRIVATE_ROWS, p->rows, (double)rows + 1), err));
    if (kept && deep_state_is_settled(kept) && !deep_state_is_planned(p, kept))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_CORRUPT, "train anew, with the release that it was begun with",
                           "the checkpoint has steps, or noise, that are not those of this plan"));
    set_lot(p, p->rows);
done:
    return status;
}

dusk_status deep_put_found(learn_job *job, const deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double steps = (double)p->steps;
    double deviation[DEEP_STAGES] = { p->noise.deviation };
    if (p->finds_rate) DUSK_TRY(learn_model_put(job->model, "learning_rate", 1, 1, &p->rate, err));
    if (!(p->counted > 0)) return DUSK_OK;
    DUSK_TRY(learn_model_put(job->model, "rows", 1, 1, &p->rows, err));
    DUSK_TRY(learn_model_put(job->model, "steps", 1, 1, &steps, err));
    for (size_t k = 0; k < p->stages; k++) deviation[k] = p->stage[k].deviation;
    if (!p->allocates)
        DUSK_TRY(learn_model_put(job->model, "noise", 1, p->stages > 0 ? p->stages : 1, deviation, err));
done:
    return status;
}

/* --- in words ------------------------------------------------------------------------------------------------------- */

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

static void say_descent(learn_job *job, const deep_plan *p)
{
    learn_say(
        job,
        "steps have no momentum, and each is as long as another sample says: for %d lengths, at first up "
        "to twice learning_rate, totals of what rows gain, clipped, are released with noise of %.4g times "
        "that clip",
        DEEP_LENGTHS, learn_allowance_deviation(&p->allowance, p->measures.choosing));
    learn_say(job, "where no step is the best the gradient is measured again, with less noise in all, and "
                   "there may be fewer steps; the promise is for all that they may take");
}

void deep_say_price(learn_job *job, const deep_plan *p)
{
    static const char *const when[] = {
        [DEEP_EVEN] = "", [DEEP_ADAPTIVE] = ", if it were the same in all", [DEEP_DESCENT] = " at first"
    };
    if (p->counted > 0)
        learn_say(
            job,
            "gradients over samples of about %.6g rows, clipped to %.4g: how many steps there are, and how "
            "much noise, follows from that number and costs epsilon %s at delta %s at most",
            p->counted, p->clip, dusk_shown_up(p->rest.epsilon, 6).text,
            dusk_shown_up(p->rest.delta, 6).text);
    else if (p->plain)
        learn_say(job, "NO PRIVACY: %llu steps of gradients, neither clipped nor with noise",
                  (unsigned long long)p->steps);
    else
        learn_say(job, "%s%llu steps of gradients, rows clipped to %.4g, with noise of %.4g times that%s",
                  p->allocates == DEEP_DESCENT ? "at most " : "", (unsigned long long)p->steps, p->clip,
                  p->noise.deviation, when[p->allocates]);
    if (p->allocates == DEEP_DESCENT) say_descent(job, p);
    if (p->allocates == DEEP_ADAPTIVE)
        learn_say(job,
                  "in each of %d stages it is as large as gradients of those before ask for; the promise is "
                  "for all that they may take",
                  DEEP_ALLOCATIONS);
    if (p->stages > 0)
        learn_say(job, "noise falls in %zu stages to %.4g times the clip", p->stages,
                  p->stage[p->stages - 1].deviation);
    if (!p->plain) say_correlation(job, p);
    if (!p->plain && p->clipping == DEEP_CLIP_ADAPTIVE)
        learn_say(
            job,
            "and how many of them were within the clip, in the same release; by that the next clip is found");
    if (!(p->counted > 0)) learn_sampler_say(job, &p->sampler);
    if (p->finds_rate && p->lot > 0)
        learn_say(job, "learning_rate is %.3g, which follows from how large the noise is", p->rate);
    else if (p->finds_rate)
        learn_say(job, "learning_rate follows from that number, and from how large the noise is");
}
