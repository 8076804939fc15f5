/* SPDX-License-Identifier: Apache-2.0 */
/* Noise that falls in stages, over samples; see sampler.h. What several events cost together is asked of the accountant, and the noise of the first
 * stage is found by trying. Proof: stages.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "learn/sampler.h"
#include "mechanisms/noise.h"

#define ENOUGH 0.997 /* of epsilon that is used */
enum { TRIES = 14 };

typedef struct stages {
    const learn_sampler *sampler;
    size_t count;
    const double *factor;
    const uint64_t *times;
    uint32_t dimension;
    double steps;
    int grid;
} stages;

/* Noise of all stages, the first being `multiplier`, and their event: that of the noise as it will be drawn. */
DUSK_PROVEN(make_stages)
static dusk_status make_stages(learn_noise *out, dusk_event *event, const learn_budget *budget,
                               const stages *s, double multiplier, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event release, sampled, repeated;
    for (size_t k = 0; k < s->count; k++) {
        learn_noise noise = { .gaussian = true, .dimension = s->dimension, .grid = s->grid };
        DUSK_TRY(dusk_gaussian_multiplier_init(&noise.gauss, s->dimension, ldexp(s->steps, s->grid),
                                               multiplier * s->factor[k], s->grid, err));
        DUSK_TRY(dusk_noise_for_total(&noise.gauss, err));
        DUSK_TRY(dusk_noise_event(&noise.gauss, &release, err));
        noise.deviation = noise.gauss.scale;
        out[k] = noise;
        if (k == 0 || DUSK_MUTATE(STAGES_PRICED_AS_THE_FIRST, true, false))
            DUSK_TRY(learn_sampler_event(&sampled, budget, s->sampler, &release, err));
        DUSK_TRY(dusk_event_repeat(&repeated, &sampled, s->times[k], err));
        if (k == 0)
            *event = repeated;
        else
            DUSK_TRY(dusk_event_add(event, event, &repeated, err));
    }
done:
    return status;
}

/* What all that was given costs, and the stages with it. */
dusk_status learn_stages_price(double *epsilon, learn_budget *trial, const dusk_event *event, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_statement statement;
    DUSK_TRY(learn_sampler_join(trial, event, 1, err));
    DUSK_TRY(dusk_statement_init(&statement, &trial->event, trial->delta, trial->neighbours, "row", err));
    *epsilon = statement.epsilon;
done:
    return status;
}

/* The next multiplier to try, between one that is too small and one that is enough; epsilon is about a power of it. */
double learn_stages_next(double low, double low_epsilon, double high, double high_epsilon, double wanted)
{
    if (!(low > 0)) return high * fmax(fmin(high_epsilon / wanted, 0.97), 0.25);
    if (!(high > 0)) return low * fmin(fmax(low_epsilon / wanted, 1.03), 4);
    const double part = log(low_epsilon / wanted) / log(low_epsilon / high_epsilon);
    return low * pow(high / low, fmin(fmax(part, 0.02), 0.98));
}

/* All rows: shares of what is left, by what each stage costs. */
static dusk_status stages_of_all(learn_budget *budget, learn_noise *out, const stages *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double all = 0;
    const double left = budget->left * (1 - 0x1p-30);
    for (size_t k = 0; k < s->count; k++) all += (double)s->times[k] / (s->factor[k] * s->factor[k]);
    for (size_t k = 0; k < s->count; k++) {
        const double share = left * ((double)s->times[k] / (s->factor[k] * s->factor[k]) / all);
        DUSK_TRY(
            learn_budget_noise(budget, &out[k], s->dimension, s->steps, s->grid, share, s->times[k], err));
    }
done:
    return status;
}

static dusk_status find_stages(learn_budget *budget, learn_noise *out, const stages *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_budget before = *budget;
    const double wanted = budget->epsilon * (1 - (1 - ENOUGH) / 2);
    learn_noise noise[LEARN_STAGES_MOST];
    double low = 0, low_epsilon = 0, high = 0, high_epsilon = 0, multiplier = 1, epsilon;
    for (int turn = 0; turn < TRIES && !(high_epsilon > ENOUGH * budget->epsilon); turn++) {
        learn_budget trial = before;
        dusk_event event;
        DUSK_TRY(make_stages(noise, &event, &trial, s, multiplier, err));
        DUSK_TRY(learn_stages_price(&epsilon, &trial, &event, err));
        if (epsilon <= budget->epsilon) {
            high = multiplier;
            high_epsilon = epsilon;
            *budget = trial;
            for (size_t k = 0; k < s->count; k++) out[k] = noise[k];
        } else {
            low = multiplier;
            low_epsilon = epsilon;
        }
        multiplier = learn_stages_next(low, low_epsilon, high, high_epsilon, wanted);
    }
    if (!(high > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for a larger epsilon or delta, or take fewer steps",
                         "no noise was found that keeps the promise in all stages");
done:
    return status;
}

DUSK_PROVEN(learn_budget_stages)
dusk_status learn_budget_stages(learn_budget *budget, learn_noise *out, size_t count, const double *factor,
                                const uint64_t *times, uint32_t dimension, double steps, int grid,
                                const learn_sampler *sampler, dusk_error *err)
{
    const stages s = { sampler, count, factor, times, dimension, steps, grid };
    if (sampler->way == LEARN_SHUFFLED || sampler->way == LEARN_ALLOCATED || count < 1 ||
        count > LEARN_STAGES_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "sample by poisson, or let the noise be the same in all steps",
                         "noise that falls has no price for shuffled or allocated rows");
    uint64_t all = 0;
    for (size_t k = 0; k < count; k++) all += times[k] < UINT32_MAX ? times[k] : UINT32_MAX;
    if (all > UINT32_MAX) /* beyond, coins would come again: learn_draw_take */
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer steps, or a larger rate",
                         "so many samples are too many");
    if (!(budget->delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a delta", "noise in stages needs a delta");
    return sampler->way == LEARN_POISSON && sampler->rate >= 1 ? stages_of_all(budget, out, &s, err)
                                                               : find_stages(budget, out, &s, err);
}
