/* SPDX-License-Identifier: Apache-2.0 */
/* Noise that is chosen while steps are taken; see allowance.h. Proof: allowance.proof.md. */
#include "learn/allowance.h"

#include <math.h>

#include "accounting/filter.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"

#define LEAST 0x1p-10 /* multipliers */
#define MOST 0x1p20
enum { HALVINGS = 32, ORDERS = 24 };

/* --- noise ------------------------------------------------------------------------------------------------------- */

/* Noise of this multiplier, and the event of one release with it, to be read by the relation of the filter. */
DUSK_PROVEN(make_release)
static dusk_status make_release(const learn_allowance *a, learn_noise *out, dusk_event *event,
                                double multiplier, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_budget unit = { .neighbours = a->neighbours, .factor = a->factor };
    const double sensitivity = ldexp(a->all ? a->steps * a->factor : a->steps, a->grid);
    learn_noise noise = { .gaussian = true, .dimension = a->dimension, .grid = a->grid };
    DUSK_TRY(
        dusk_gaussian_multiplier_init(&noise.gauss, a->dimension, sensitivity, multiplier, a->grid, err));
    DUSK_TRY(dusk_noise_for_total(&noise.gauss, err));
    DUSK_TRY(dusk_noise_event(&noise.gauss, event, err));
    if (!a->all) DUSK_TRY(learn_sampler_event(event, &unit, &a->sampler, event, err));
    noise.deviation = noise.gauss.scale;
    *out = noise;
done:
    return status;
}

dusk_status learn_allowance_event(const learn_allowance *a, dusk_event *out, dusk_error *err)
{
    return a->all ? dusk_event_gdp(out, a->most, err) : dusk_event_rdp(out, &a->order, &a->most, 1, err);
}

DUSK_PROVEN(learn_allowance_open)
dusk_status learn_allowance_open(const learn_allowance *a, dusk_filter **out, dusk_error *err)
{
    const double most = DUSK_MUTATE(ALLOWANCE_IS_TWICE, a->most, 2 * a->most);
    if (a->all) return dusk_filter_new_gdp(out, most, DUSK_ADD_REMOVE, err);
    return dusk_filter_new_renyi(out, a->order, most, a->neighbours, err);
}

DUSK_PROVEN(learn_allowance_take)
dusk_status learn_allowance_take(const learn_allowance *a, dusk_filter *filter, learn_noise *out,
                                 double multiplier, uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_noise noise;
    dusk_event event;
    DUSK_TRY(make_release(a, &noise, &event, multiplier, err));
    DUSK_TRY(dusk_event_repeat(&event, &event, DUSK_MUTATE(ALLOWANCE_TAKES_ONE_STEP, times, 1), err));
    DUSK_TRY(dusk_filter_charge(filter, &event, err));
    *out = noise;
done:
    return status;
}

/* --- how much ------------------------------------------------------------------------------------------------------- */

/* Looking for a price may fail: that is an answer, but for want of memory. */
static dusk_status unless_memory(dusk_status status, dusk_error *err)
{
    return status == DUSK_ERR_MEMORY ? dusk_fail_memory(err) : DUSK_OK;
}

/* What releases cost, about: infinity where that has no price. */
static dusk_status price_of(double *out, const learn_allowance *a, dusk_filter *filter, double multiplier,
                            uint64_t times, dusk_error *err)
{
    learn_noise noise;
    dusk_event event;
    dusk_price price;
    *out = INFINITY;
    dusk_status status = make_release(a, &noise, &event, multiplier, NULL);
    if (status == DUSK_OK) status = dusk_filter_price(filter, &price, &event, 0, NULL);
    if (status == DUSK_OK) *out = price.slot[0] * (double)times;
    return unless_memory(status, err);
}

dusk_status learn_allowance_fit(const learn_allowance *a, dusk_filter *filter, double *out,
                                const double *factor, const uint64_t *times, size_t count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double left = dusk_filter_left_down(filter) * (1 - 0x1p-30);
    double low = LEAST, high = MOST;
    for (int turn = 0; turn < HALVINGS; turn++) {
        const double middle = sqrt(low * high);
        double cost = 0, one;
        for (size_t k = 0; k < count && cost <= left; k++) {
            DUSK_TRY(price_of(&one, a, filter, middle * factor[k], times[k], err));
            cost += one;
        }
        if (cost <= left)
            high = middle;
        else
            low = middle;
    }
    *out = high;
    if (high < MOST) return DUSK_OK;
    status = dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for a larger epsilon or delta, or take fewer steps",
                       "no noise was found that keeps the promise");
done:
    return status;
}

/* The most that rdp(order: most) may be beside what was given before; 0: nothing. */
static dusk_status most_of(double *out, const learn_budget *budget, double order, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double low = 0, high = 2 * budget->epsilon + 1;
    for (int turn = 0; turn < HALVINGS; turn++) {
        const double middle = (low + high) / 2;
        learn_budget trial = *budget;
        dusk_statement statement;
        dusk_event event;
        dusk_status tried = dusk_event_rdp(&event, &order, &middle, 1, NULL);
        if (tried == DUSK_OK) tried = learn_budget_event(&trial, &event, trial.left, 1, NULL);
        if (tried == DUSK_OK) tried = learn_budget_state(&trial, &statement, "row", NULL);
        DUSK_TRY(unless_memory(tried, err));
        if (tried == DUSK_OK)
            low = middle;
        else
            high = middle;
    }
    *out = low;
done:
    return status;
}

/* The same, about, and at once [Canonne, Kamath & Steinke 2020, Proposition 12]. */
static dusk_status about_most_of(double *out, const learn_budget *budget, double order, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_filter *filter = NULL;
    dusk_price before = { { 0 } };
    double most = budget->epsilon - log1p(-1 / order) - (-log(budget->delta) - log(order)) / (order - 1);
    if (budget->any) status = dusk_filter_new_renyi(&filter, order, 1, DUSK_ADD_REMOVE, NULL);
    if (filter) status = dusk_filter_price(filter, &before, &budget->event, 0, NULL);
    if (status != DUSK_OK) most = 0;
    dusk_filter_free(filter);
    *out = most - before.slot[0];
    return unless_memory(status, err);
}

/* With this order and so much of it: the multiplier of `times` equal releases; infinity where there is none. */
static dusk_status try_order(learn_allowance *a, double order, double most, uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double one = 1;
    dusk_filter *filter = NULL;
    a->order = order;
    a->most = most;
    a->even = INFINITY;
    if (most > 0) status = learn_allowance_open(a, &filter, NULL);
    if (filter) status = learn_allowance_fit(a, filter, &a->even, &one, &times, 1, NULL);
    if (status != DUSK_OK) a->even = INFINITY;
    dusk_filter_free(filter);
    return unless_memory(status, err);
}

/* The best order: of many, then between the neighbours of that. */
static dusk_status find_order(learn_allowance *out, const learn_budget *budget, uint64_t times,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double from = -2, to = 10, at = 0, most; /* log2 of order - 1 */
    learn_allowance trial = *out;
    out->even = INFINITY;
    for (double step = (to - from) / ORDERS; step > 0.02; step /= 4) {
        for (double x = from; x <= to; x += step) {
            DUSK_TRY(about_most_of(&most, budget, 1 + exp2(x), err));
            DUSK_TRY(try_order(&trial, 1 + exp2(x), most, times, err));
            if (!(trial.even < out->even)) continue;
            *out = trial;
            at = x;
        }
        from = at - step;
        to = at + step;
    }
    if (isfinite(out->even)) {
        DUSK_TRY(most_of(&most, budget, out->order, err));
        DUSK_TRY(try_order(out, out->order, most, times, err));
    }
done:
    return status;
}

DUSK_PROVEN(learn_budget_allow)
dusk_status learn_budget_allow(learn_budget *budget, learn_allowance *out, uint32_t dimension, double steps,
                               int grid, const learn_sampler *sampler, uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double one = 1;
    learn_allowance a = { .all = sampler->way == LEARN_POISSON && sampler->rate >= 1,
                          .neighbours = budget->neighbours,
                          .factor = budget->factor,
                          .sampler = *sampler,
                          .dimension = dimension,
                          .steps = steps,
                          .grid = grid };
    dusk_filter *filter = NULL;
    dusk_event event;

    if (sampler->way != LEARN_POISSON && sampler->way != LEARN_FIXED)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT,
                           "sample by poisson, or let the noise be the same in all steps",
                           "noise that is chosen on the way has a price for poisson and fixed samples only"));
    if (times > UINT32_MAX) /* beyond, coins would come again: learn_draw_take */
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer steps, or a larger rate",
                           "so many samples are too many"));
    if (!(budget->delta > 0) || !isfinite(budget->epsilon))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "give an epsilon and a delta",
                           "noise that is chosen on the way is found by what it may cost"));
    if (a.all) {
        a.most = budget->mu * sqrt(budget->left) * (1 - 0x1p-30);
        DUSK_TRY(learn_allowance_open(&a, &filter, err));
        DUSK_TRY(learn_allowance_fit(&a, filter, &a.even, &one, &times, 1, err));
    } else {
        DUSK_TRY(find_order(&a, budget, times, err));
        if (!isfinite(a.even))
            DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT,
                               "ask for a larger epsilon or delta, or take fewer steps",
                               "no noise was found that keeps the promise"));
    }
    DUSK_TRY(learn_allowance_event(&a, &event, err));
    DUSK_TRY(learn_budget_event(budget, &event, budget->left, 1, err));
    *out = a;
done:
    dusk_filter_free(filter);
    return status;
}
