/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of descent by a noisy maximum; see descent.h. Proof: descent.proof.md. */
#include "deep/descent.h"

#include <math.h>

#include "accounting/filter.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "learn/model.h"

#define HAIR (1 + 0x1p-20) /* what was found fits by rounding that is not directed */
#define DEAREST 4.0        /* a gradient, over what one costs at first */
#define RATES 0x1p20       /* no longest step is further from the first than this */

/* --- plan ------------------------------------------------------------------------------------------------------------ */

static double level_of(const deep_measures *m, uint64_t level)
{
    return m->first * pow(1 + DEEP_RAISED, -(double)level / 2);
}

/* Of a measurement that is added to one of the level before: precision of the level, less that of the one before. */
static double added_of(const deep_measures *m, uint64_t level)
{
    return level_of(m, level - 1) / sqrt(DEEP_RAISED);
}

double deep_descent_most(const deep_measures *measures) { return added_of(measures, 1); }

/* What a gradient of a level costs, of an allowance of which nothing was taken; infinity where it does not fit. */
static dusk_status find_cost(double *out, const learn_allowance *a, double multiplier, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_filter *filter = NULL;
    learn_noise noise;
    *out = INFINITY;
    DUSK_TRY(learn_allowance_open(a, &filter, err));
    const double all = dusk_filter_left_down(filter);
    status = learn_allowance_take(a, filter, &noise, multiplier, 1, err);
    if (status == DUSK_OK) *out = all - dusk_filter_left_down(filter);
    if (status == DUSK_ERR_BUDGET) status = DUSK_OK;
done:
    dusk_filter_free(filter);
    return status;
}

/* At the last level a gradient costs DEAREST times what it does at first, at most: of samples that is sooner than its precision is so many times as high. */
static dusk_status find_levels(deep_measures *m, const learn_allowance *allowance, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double first, cost;
    DUSK_TRY(find_cost(&first, allowance, m->first, err));
    for (m->levels = 1; m->levels < DEEP_LEVELS; m->levels++) {
        DUSK_TRY(find_cost(&cost, allowance, level_of(m, m->levels), err));
        if (!(cost <= DEAREST * first)) break;
    }
done:
    return status;
}

dusk_status deep_descent_plan(deep_measures *out, const learn_allowance *allowance, uint64_t steps,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double factor[2] = { 1, sqrt((1 - DEEP_CHOICE_SHARE) / DEEP_CHOICE_SHARE) };
    const uint64_t times[2] = { steps, steps };
    deep_measures m = { .levels = 0 };
    dusk_filter *filter = NULL;
    DUSK_TRY(learn_allowance_open(allowance, &filter, err));
    DUSK_TRY(learn_allowance_fit(allowance, filter, &m.first, factor, times, 2, err));
    m.first *= HAIR;
    m.choosing = m.first * factor[1];
    DUSK_TRY(find_levels(&m, allowance, err));
    *out = m;
done:
    dusk_filter_free(filter);
    return status;
}

/* --- a training ------------------------------------------------------------------------------------------------------- */

dusk_status deep_descent_open(deep_descent *out, const learn_allowance *allowance,
                              const deep_measures *measures, double rate, size_t numbers, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = (deep_descent){
        .allowance = allowance, .gains = *allowance, .measures = *measures, .rate = rate, .numbers = numbers
    };
    out->gains.dimension = DEEP_LENGTHS;
    out->gains.steps = DEEP_GAIN_STEPS;
    out->gains.grid = DEEP_GAIN_GRID;
    out->kept.longest = 2 * rate;
    DUSK_NEW(out->gradient, numbers);
    DUSK_TRY(learn_allowance_open(allowance, &out->filter, err));
done:
    return status;
}

void deep_descent_close(deep_descent *d)
{
    dusk_filter_free(d->filter);
    dusk_deallocate(d->gradient);
    *d = (deep_descent){ .allowance = NULL };
}

/* Where it does not fit nothing is released any more: what was released is within the promise by the filter that let it. */
static dusk_status charge_again(deep_descent *d, const learn_allowance *a, double multiplier, uint64_t times,
                                dusk_error *err)
{
    learn_noise noise;
    if (times == 0) return DUSK_OK;
    const dusk_status status = learn_allowance_take(a, d->filter, &noise, multiplier, times, err);
    if (status != DUSK_ERR_BUDGET) return status;
    d->kept.ended = 1;
    return DUSK_OK;
}

DUSK_PROVEN(deep_descent_resume)
dusk_status deep_descent_resume(deep_descent *d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_descended *k = &d->kept;
    if (DUSK_MUTATE(DEEP_DESCENT_IS_FORGOTTEN, false, true)) return DUSK_OK;
    for (uint64_t l = 0; l < DEEP_LEVELS; l++) {
        DUSK_TRY(charge_again(d, d->allowance, level_of(&d->measures, l), k->alone[l], err));
        if (l > 0) DUSK_TRY(charge_again(d, d->allowance, added_of(&d->measures, l), k->added[l], err));
    }
    DUSK_TRY(charge_again(d, &d->gains, d->measures.choosing, k->choices, err));
done:
    return status;
}

static double next_multiplier(const deep_descent *d)
{
    return d->kept.adds ? added_of(&d->measures, d->kept.level) : level_of(&d->measures, d->kept.level);
}

/* The gradient of a step: as precise as it is to be, or less where that does not fit any more. */
static dusk_status charge_gradient(deep_descent *d, dusk_error *err)
{
    deep_descended *k = &d->kept;
    for (;;) {
        const dusk_status status =
            learn_allowance_take(d->allowance, d->filter, &d->noise, next_multiplier(d), 1, err);
        if (status != DUSK_ERR_BUDGET || (k->level == 0 && !k->adds)) return status;
        k->level -= !k->adds;
        k->adds = 0;
    }
}

static dusk_status charge(deep_descent *d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (DUSK_MUTATE(DEEP_CHOICE_IS_FREE, true, d->kept.choices == 0))
        DUSK_TRY(learn_allowance_take(&d->gains, d->filter, &d->choice, d->measures.choosing, 1, err));
    DUSK_TRY(charge_gradient(d, err));
done:
    return status;
}

DUSK_PROVEN(deep_descent_begin)
dusk_status deep_descent_begin(deep_descent *d, bool *goes_on, dusk_error *err)
{
    deep_descended *k = &d->kept;
    *goes_on = false;
    if (k->ended) return DUSK_OK;
    dusk_status status = charge(d, err);
    if (DUSK_MUTATE(DEEP_DESCENT_GOES_BEYOND, false, status == DUSK_ERR_BUDGET)) status = DUSK_OK;
    if (status == DUSK_ERR_BUDGET) {
        k->ended = 1;
        return DUSK_OK;
    }
    if (status != DUSK_OK) return status;
    const double multiplier = next_multiplier(d);
    d->precision = 1 / (multiplier * multiplier);
    (k->adds ? k->added : k->alone)[k->level]++;
    k->choices++;
    *goes_on = true;
    return DUSK_OK;
}

void deep_descent_take(deep_descent *d, const float *released, size_t first, size_t n)
{
    const double held = DUSK_MUTATE(DEEP_HELD_IS_FORGOTTEN, d->kept.held, 0);
    const float share = (float)(d->precision / (held + d->precision));
    float *gradient = d->gradient + first;
    for (size_t j = 0; j < n; j++)
        gradient[j] = held > 0 ? gradient[j] + share * (released[j] - gradient[j]) : released[j];
}

/* --- lengths ----------------------------------------------------------------------------------------------------------- */

double deep_descent_rate(const deep_descent *d, size_t k) { return ldexp(d->kept.longest, -(int)k); }

/* The length of the gradient without what noise adds to it, and not below what the error of that is; a row gains about the product of it and its own gradient. */
double deep_descent_clip(const deep_descent *d, double clip, double unit)
{
    const double one = learn_allowance_deviation(d->allowance, 1), n = (double)d->numbers;
    const double variance = one * one / (d->kept.held + d->precision);
    double square = 0;
    for (size_t j = 0; j < d->numbers; j++) square += (double)d->gradient[j] * (double)d->gradient[j];
    const double length = sqrt(fmax(square - n * variance, variance * sqrt(2 * n)));
    return DEEP_GAIN_CLIP * d->kept.longest * clip * unit * length;
}

/* DEEP_LENGTHS: none, where no gain is above that of no step. */
static size_t best_of(const double *gain)
{
    size_t best = DEEP_LENGTHS;
    double most = 0;
    for (size_t k = 0; k < DEEP_LENGTHS; k++) {
        if (!(gain[k] > most)) continue;
        most = gain[k];
        best = k;
    }
    return best;
}

/* The longest step is twice the one that was the best of late, all gains together, which say more than the choices of single steps do; or half as long as it was where none is. */
static void look_back(deep_descent *d, const double *gain, double clip)
{
    deep_descended *k = &d->kept;
    for (size_t l = 0; l < DEEP_LENGTHS; l++) k->sum[l] += gain[l] * clip;
    if (++k->looked_at < DEEP_LOOKBACK) return;
    const size_t best = best_of(k->sum);
    const double longest = best < DEEP_LENGTHS ? 2 * deep_descent_rate(d, best) : k->longest / 2;
    k->longest = fmin(fmax(longest, d->rate / RATES), d->rate * RATES);
    for (size_t l = 0; l < DEEP_LENGTHS; l++) k->sum[l] = 0;
    k->looked_at = 0;
}

/* The gradient is kept, and the next one is what the next level has more. At the last one it is measured once more as it was. */
static void keep_gradient(deep_descent *d)
{
    deep_descended *k = &d->kept;
    k->held = d->precision + k->held;
    k->adds = k->level + 1 < d->measures.levels;
    k->level += k->adds;
}

double deep_descent_choose(deep_descent *d, const double *gain, double clip)
{
    const size_t best = best_of(gain);
    const double rate = best < DEEP_LENGTHS ? deep_descent_rate(d, best) : 0;
    if (rate > 0) {
        d->kept.held = 0;
        d->kept.adds = 0;
    } else {
        keep_gradient(d);
    }
    look_back(d, gain, clip);
    return rate;
}

/* --- model ---------------------------------------------------------------------------------------------------------------- */

dusk_status deep_descent_put(const deep_descent *d, dusk_model *model, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_descended *k = &d->kept;
    const double steps = (double)k->choices;
    const double choice = learn_allowance_deviation(d->allowance, d->measures.choosing);
    double noise[2 * DEEP_LEVELS], times[2 * DEEP_LEVELS];
    size_t n = 0;
    for (uint64_t l = 0; l < DEEP_LEVELS; l++) {
        if (l > 0 && k->added[l] > 0) {
            noise[n] = learn_allowance_deviation(d->allowance, added_of(&d->measures, l));
            times[n++] = (double)k->added[l];
        }
        if (k->alone[l] == 0) continue;
        noise[n] = learn_allowance_deviation(d->allowance, level_of(&d->measures, l));
        times[n++] = (double)k->alone[l];
    }
    DUSK_TRY(learn_model_put(model, "steps", 1, 1, &steps, err));
    DUSK_TRY(learn_model_put(model, "noise", 1, n, noise, err));
    DUSK_TRY(learn_model_put(model, "gradients", 1, n, times, err));
    DUSK_TRY(learn_model_put(model, "choice_noise", 1, 1, &choice, err));
done:
    return status;
}
