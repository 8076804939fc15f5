/* SPDX-License-Identifier: Apache-2.0 */
/* Noise that is chosen while steps are taken; see allowance.h. Proof: allowance.proof.md. */
#include "learn/allowance.h"

#include <math.h>

#include "accounting/filter.h"
#include "base/error.h"
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

/* What releases cost, about: infinity where that has no price. */
static double price_of(const learn_allowance *a, dusk_filter *filter, double multiplier, uint64_t times)
{
    learn_noise noise;
    dusk_event event;
    dusk_price price;
    if (make_release(a, &noise, &event, multiplier, NULL) != DUSK_OK) return INFINITY;
    if (dusk_filter_price(filter, &price, &event, 0, NULL) != DUSK_OK) return INFINITY;
    return price.slot[0] * (double)times;
}

dusk_status learn_allowance_fit(const learn_allowance *a, dusk_filter *filter, double *out,
                                const double *factor, const uint64_t *times, size_t count, dusk_error *err)
{
    const double left = dusk_filter_left_down(filter) * (1 - 0x1p-30);
    double low = LEAST, high = MOST;
    for (int turn = 0; turn < HALVINGS; turn++) {
        const double middle = sqrt(low * high);
        double cost = 0;
        for (size_t k = 0; k < count && cost <= left; k++)
            cost += price_of(a, filter, middle * factor[k], times[k]);
        if (cost <= left)
            high = middle;
        else
            low = middle;
    }
    *out = high;
    if (high < MOST) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for a larger epsilon or delta, or take fewer steps",
                     "no noise was found that keeps the promise");
}

/* The most that rdp(order: most) may be beside what was given before; 0: nothing. */
static double most_of(const learn_budget *budget, double order)
{
    double low = 0, high = 2 * budget->epsilon + 1;
    for (int turn = 0; turn < HALVINGS; turn++) {
        const double middle = (low + high) / 2;
        learn_budget trial = *budget;
        dusk_statement statement;
        dusk_event event;
        const bool fits = dusk_event_rdp(&event, &order, &middle, 1, NULL) == DUSK_OK &&
                          learn_budget_event(&trial, &event, trial.left, 1, NULL) == DUSK_OK &&
                          learn_budget_state(&trial, &statement, "row", NULL) == DUSK_OK;
        if (fits)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The same, about, and at once [Canonne, Kamath & Steinke 2020, Proposition 12]. */
static double about_most_of(const learn_budget *budget, double order)
{
    dusk_filter *filter = NULL;
    dusk_price before = { { 0 } };
    double most = budget->epsilon - log1p(-1 / order) - (-log(budget->delta) - log(order)) / (order - 1);
    if (budget->any && (dusk_filter_new_renyi(&filter, order, 1, DUSK_ADD_REMOVE, NULL) != DUSK_OK ||
                        dusk_filter_price(filter, &before, &budget->event, 0, NULL) != DUSK_OK))
        most = 0;
    dusk_filter_free(filter);
    return most - before.slot[0];
}

/* With this order and so much of it: the multiplier of `times` equal releases; infinity where there is none. */
static void try_order(learn_allowance *a, double order, double most, uint64_t times)
{
    const double one = 1;
    dusk_filter *filter = NULL;
    a->order = order;
    a->most = most;
    a->even = INFINITY;
    if (most > 0 && learn_allowance_open(a, &filter, NULL) == DUSK_OK &&
        learn_allowance_fit(a, filter, &a->even, &one, &times, 1, NULL) != DUSK_OK)
        a->even = INFINITY;
    dusk_filter_free(filter);
}

/* The best order: of many, then between the neighbours of that. */
static void find_order(learn_allowance *out, const learn_budget *budget, uint64_t times)
{
    double from = -2, to = 10, at = 0; /* log2 of order - 1 */
    learn_allowance trial = *out;
    out->even = INFINITY;
    for (double step = (to - from) / ORDERS; step > 0.02; step /= 4) {
        for (double x = from; x <= to; x += step) {
            try_order(&trial, 1 + exp2(x), about_most_of(budget, 1 + exp2(x)), times);
            if (!(trial.even < out->even)) continue;
            *out = trial;
            at = x;
        }
        from = at - step;
        to = at + step;
    }
    if (isfinite(out->even)) try_order(out, out->order, most_of(budget, out->order), times);
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
        find_order(&a, budget, times);
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
