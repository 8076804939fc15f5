/* SPDX-License-Identifier: Apache-2.0 */
/* The best of a random number of runs of a private mechanism [Liu & Talwar 2019;
 * Papernot & Steinke 2022]. Choosing the best of a fixed number of runs costs as
 * much as all of them; when their number is random and nobody learns it, it
 * costs about three runs, however many there were. Proof: candidates.proof.md.
 *
 * What a run does is the caller's, and its price is the event the caller says. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/candidates.h"
#include "mechanisms/request.h"
#include "numeric/rounding.h"
#include "random/noise_runs.h"
#include "random/rounded.h"
#include "random/sampling.h"

/* More runs than this on average would not end. */
static const double mean_max = 0x1p24;

static dusk_runs runs_of(const dusk_candidates *candidates)
{
    return (dusk_runs){ .kind = candidates->law == DUSK_RUNS_ARE_POISSON ? DUSK_RUNS_POISSON
                                                                         : DUSK_RUNS_NEGATIVE_BINOMIAL,
                        .eta = candidates->eta,
                        .gamma = candidates->gamma,
                        .mu = candidates->mean };
}

/* --- parameters ------------------------------------------------------------------- */

static dusk_status check(const dusk_candidates *candidates, dusk_error *err)
{
    bool poisson = candidates->law == DUSK_RUNS_ARE_POISSON;
    if (!poisson && candidates->law != DUSK_RUNS_ARE_NEGATIVE_BINOMIAL)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with dusk_candidates_init",
                         "the law of the number of runs is not known");
    if (!poisson && !(candidates->eta > -1 && candidates->eta <= 1000))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 1 for a geometric number of runs",
                         "eta must be above -1 and at most 1000");
    if (!poisson && !(candidates->gamma >= 0x1p-40 && candidates->gamma < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "with eta 1 there are 1/gamma runs on average",
                         "gamma must be below 1, and 2^-40 at least");
    if (!(candidates->mean > 0 && candidates->mean <= mean_max))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer runs",
                         "the mean number of runs must be above 0 and at most 2^24");
    return DUSK_OK;
}

dusk_status dusk_candidates_init(dusk_candidates *out, double eta, double gamma, dusk_error *err)
{
    dusk_candidates made = { .law = DUSK_RUNS_ARE_NEGATIVE_BINOMIAL, .eta = eta, .gamma = gamma, .mean = 1 };
    dusk_status status = check(&made, err);
    if (status != DUSK_OK) return status;
    dusk_runs runs = runs_of(&made);
    made.mean = dusk_runs_mean_up(&runs);
    status = check(&made, err);
    if (status == DUSK_OK) *out = made;
    return status;
}

dusk_status dusk_candidates_poisson_init(dusk_candidates *out, double mean, dusk_error *err)
{
    dusk_candidates made = { .law = DUSK_RUNS_ARE_POISSON, .mean = mean };
    dusk_status status = check(&made, err);
    if (status == DUSK_OK) *out = made;
    return status;
}

/* --- release ------------------------------------------------------------------------ */

/* What is kept of the runs so far. */
typedef struct best {
    bool any;
    double score;
    unsigned char *output, *trial; /* `size` bytes each */
    size_t size;
} best;

bool dusk_candidates_better(double score, double before)
{
    return isnan(before) ? !isnan(score) : score > before;
}

static void keep(best *b, double score)
{
    b->any = true;
    b->score = score;
    if (b->size) memcpy(b->output, b->trial, b->size);
}

static dusk_status make_runs(best *b, const dusk_candidates *candidates, uint64_t count,
                             dusk_candidates_run *run, void *context, dusk_generator *gen, dusk_error *err)
{
    uint64_t all = count > candidates->padding ? count : candidates->padding;
    for (uint64_t i = 0; i < all; i++) {
        double score = NAN;
        if (b->size) memset(b->trial, 0, b->size);
        dusk_status status = run(context, &score, b->trial, gen, err);
        if (status != DUSK_OK) return status;
        if (i < DUSK_MUTATE(CANDIDATES_KEEP_PADDING, count, all) &&
            (!b->any || dusk_candidates_better(score, b->score)))
            keep(b, score);
    }
    return DUSK_OK;
}

DUSK_PROVEN(dusk_candidates_release_width)
dusk_status dusk_candidates_release_width(const dusk_candidates *candidates, bool *any, double *score,
                                          void *output, size_t size, dusk_candidates_run *run, void *context,
                                          unsigned width, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    best b = { .size = size };
    dusk_runs runs;
    uint64_t count;

    DUSK_TRY(check(candidates, err));
    runs = runs_of(candidates);
    DUSK_NEW(b.output, size);
    DUSK_NEW(b.trial, size);
    DUSK_TRY(dusk_runs_draw(&runs, &count, width, gen, err));
    if (DUSK_MUTATE(CANDIDATES_FIXED_NUMBER, false, true)) count = (uint64_t)ceil(candidates->mean);
    DUSK_TRY(make_runs(&b, candidates, count, run, context, gen, err));
    *any = b.any;
    *score = b.any ? b.score : NAN;
    if (size && b.any) memcpy(output, b.output, size);
    if (size && !b.any) memset(output, 0, size);
done:
    if (b.output) dusk_wipe(b.output, size);
    if (b.trial) dusk_wipe(b.trial, size);
    dusk_wipe(&count, sizeof count);
    dusk_deallocate(b.output);
    dusk_deallocate(b.trial);
    return status;
}

dusk_status dusk_candidates_release(const dusk_candidates *candidates, bool *any, double *score, void *output,
                                    size_t size, dusk_candidates_run *run, void *context, dusk_generator *gen,
                                    dusk_error *err)
{
    return dusk_candidates_release_width(candidates, any, score, output, size, run, context, DUSK_WIDTH_FULL,
                                         gen, err);
}

/* --- candidates with scores --------------------------------------------------------------- */

typedef struct scored {
    const dusk_noise *noise;
    const double *scores;
    size_t n;
} scored;

/* Any of the candidates, and its score with noise. */
DUSK_PROVEN(run_scored)
static dusk_status run_scored(void *context, double *score, void *output, dusk_generator *gen,
                              dusk_error *err)
{
    const scored *s = context;
    uint64_t index;
    dusk_status status = DUSK_OK;

    DUSK_TRY(dusk_uniform_below(gen, &index, s->n, err));
    DUSK_TRY(dusk_noise_release(s->noise, score, s->scores[index], gen, err));
    memcpy(output, &index, sizeof index);
done:
    return status;
}

dusk_status dusk_candidates_release_scores(const dusk_candidates *candidates, bool *any, size_t *index,
                                           double *score, const dusk_noise *noise, const double *scores,
                                           size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    scored s = { noise, scores, n };
    dusk_event event;
    uint64_t chosen;
    double value;
    bool found;

    DUSK_TRY(check(candidates, err));
    DUSK_TRY(dusk_noise_event(noise, &event, err));
    if (n == 0 || noise->dimension != 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one candidate at least, and noise for a single number",
                         "candidates need n >= 1 and noise of dimension 1");
    DUSK_TRY(dusk_candidates_release(candidates, &found, &value, &chosen, sizeof chosen, run_scored, &s, gen,
                                     err));
    *any = found;
    *index = (size_t)chosen;
    *score = value;
done:
    return status;
}

/* --- what it says about itself ---------------------------------------------------------- */

DUSK_PROVEN(dusk_candidates_event)
dusk_status dusk_candidates_event(const dusk_candidates *candidates, dusk_event *out, const dusk_event *run,
                                  dusk_error *err)
{
    dusk_status status = check(candidates, err);
    if (status != DUSK_OK) return status;
    if (candidates->law == DUSK_RUNS_ARE_POISSON)
        return dusk_event_select_poisson(out, candidates->mean, run, err);
    return dusk_event_select_best(out, candidates->eta, candidates->gamma, run, err);
}

/* The least fraction, about: E[(1 - fraction)^runs] is at most 1 - confidence at `high`. */
DUSK_PROVEN(dusk_candidates_interval)
dusk_status dusk_candidates_interval(const dusk_candidates *candidates, double *fraction, double confidence,
                                     dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_runs runs;
    double low = 0, high = 1, beta = dusk_sub_down(1, confidence);

    DUSK_TRY(check(candidates, err));
    DUSK_TRY(dusk_request_confidence(confidence, err));
    runs = runs_of(candidates);
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        if (dusk_runs_power_up(&runs, dusk_sub_up(1, middle)) <= beta)
            high = middle;
        else
            low = middle;
    }
    *fraction = high;
done:
    return status;
}

DUSK_PROVEN(dusk_candidates_runs)
dusk_status dusk_candidates_runs(const dusk_candidates *candidates, uint64_t *most, double confidence,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_runs runs;

    DUSK_TRY(check(candidates, err));
    DUSK_TRY(dusk_request_confidence(confidence, err));
    runs = runs_of(candidates);
    *most = dusk_runs_at_most(&runs, dusk_sub_down(1, confidence));
done:
    return status;
}
