/* SPDX-License-Identifier: Apache-2.0 */
#include "accounting/filter.h"

#include <math.h>

#include "accounting/gaussian.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/rounding.h"

/* mu^2 of the least Gaussian noise that keeps the promise. */
DUSK_PROVEN(gaussian_budget_down)
static double gaussian_budget_down(dusk_budget budget)
{
    double sigma = dusk_gaussian_sigma_up(budget.epsilon, budget.delta);
    if (!(sigma > 0) || isinf(sigma)) return 0;
    double mu = dusk_div_down(1, sigma);
    return isfinite(mu) ? dusk_mul_down(mu, mu) : 0;
}

DUSK_PROVEN(set_budget)
static void set_budget(dusk_filter *filter, dusk_budget budget)
{
    dusk_meter *meter = &filter->meter;
    if (meter->kind == DUSK_FILTER_BASIC) {
        filter->budget[0] = budget.epsilon;
        filter->budget[1] = budget.delta;
        return;
    }
    if (meter->kind == DUSK_FILTER_GDP) {
        filter->budget[0] = gaussian_budget_down(budget);
        return;
    }
    bool several = meter->kind == DUSK_FILTER_RDP;
    double middle = dusk_meter_best_order(budget.epsilon, several ? budget.delta / 4 : budget.delta);
    dusk_meter_set_orders(meter, several ? DUSK_ORDERS_NEAR : DUSK_ORDERS_ONE, middle, budget.delta,
                          budget.epsilon);
    for (size_t j = 0; j < meter->orders; j++) {
        double rest = DUSK_MUTATE(FILTER_ORDER_BUDGET_TOO_LARGE,
                                  dusk_sub_down(budget.epsilon, meter->offset[j]), budget.epsilon);
        filter->budget[j] = rest > 0 ? rest : 0;
    }
}

dusk_status dusk_filter_new(dusk_filter **out, dusk_filter_kind kind, dusk_budget budget,
                            dusk_neighbours neighbours, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_filter *filter = NULL;
    *out = NULL;
    if (!(budget.epsilon >= 0 && isfinite(budget.epsilon)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a budget such as 1",
                         "epsilon must be at least 0 and finite");
    DUSK_NEW(filter, 1);
    DUSK_TRY(dusk_meter_init(&filter->meter, kind, budget.delta, neighbours, err));
    set_budget(filter, budget);
    *out = filter;
    filter = NULL;
done:
    dusk_filter_free(filter);
    return status;
}

/* With one slot, and the most that may be in it. */
static dusk_status new_within(dusk_filter **out, dusk_filter_kind kind, double most,
                              dusk_neighbours neighbours, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_filter *filter = NULL;
    *out = NULL;
    if (!(most >= 0 && isfinite(most)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a promise such as 1",
                         "what charges may come to must be at least 0 and finite");
    DUSK_NEW(filter, 1);
    DUSK_TRY(dusk_meter_init(&filter->meter, kind, 0.5, neighbours, err)); /* no delta is used */
    filter->meter.slots = 1;
    filter->budget[0] = DUSK_MUTATE(FILTER_KEEPS_TWICE_THE_PROMISE, most, 2 * most);
    *out = filter;
    filter = NULL;
done:
    dusk_filter_free(filter);
    return status;
}

DUSK_PROVEN(dusk_filter_new_renyi)
dusk_status dusk_filter_new_renyi(dusk_filter **out, double alpha, double most, dusk_neighbours neighbours,
                                  dusk_error *err)
{
    *out = NULL;
    if (!(alpha > 1 && isfinite(alpha)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give an order such as 8",
                         "an order of divergences must be above 1 and finite");
    dusk_status status = new_within(out, DUSK_FILTER_RDP, most, neighbours, err);
    if (status != DUSK_OK) return status;
    (*out)->meter.orders = 1;
    (*out)->meter.alpha[0] = alpha;
    (*out)->meter.offset[0] = INFINITY;
    return DUSK_OK;
}

DUSK_PROVEN(dusk_filter_new_gdp)
dusk_status dusk_filter_new_gdp(dusk_filter **out, double mu, dusk_neighbours neighbours, dusk_error *err)
{
    return new_within(out, DUSK_FILTER_GDP, mu > 0 ? dusk_mul_down(mu, mu) : mu, neighbours, err);
}

double dusk_filter_left_down(const dusk_filter *filter)
{
    const double left = dusk_sub_down(filter->budget[0], filter->meter.sum.slot[0]);
    return left > 0 ? left : 0;
}

void dusk_filter_free(dusk_filter *filter) { dusk_deallocate(filter); }

DUSK_PROVEN(is_within)
static bool is_within(const dusk_filter *filter, const dusk_price *sum)
{
    const dusk_meter *meter = &filter->meter;
    switch (meter->kind) {
    case DUSK_FILTER_BASIC:
        return sum->slot[0] <= filter->budget[0] &&
               DUSK_MUTATE(FILTER_DELTA_NOT_COUNTED, sum->slot[1] <= filter->budget[1], true);
    case DUSK_FILTER_GDP: return sum->slot[0] <= filter->budget[0];
    default: break;
    }
    for (size_t j = 0; j < meter->orders; j++)
        if (dusk_meter_divergence_up(meter, sum, j) <= filter->budget[j]) return true;
    return false;
}

DUSK_PROVEN(charge)
static dusk_status charge(dusk_filter *filter, const dusk_event *event, double delta, dusk_error *err)
{
    dusk_price price;
    dusk_status status = dusk_meter_price(&price, &filter->meter, event, delta, err);
    if (status != DUSK_OK) return status;
    dusk_price sum = dusk_meter_after(&filter->meter, &price);
    bool within = is_within(filter, &sum);
    if (DUSK_MUTATE(FILTER_REFUSED_SPENDS, within, true)) filter->meter.sum = sum;
    if (within) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_BUDGET, "charge something smaller; nothing was spent",
                     "the charge does not fit into what is left of the budget");
}

dusk_status dusk_filter_charge(dusk_filter *filter, const dusk_event *event, dusk_error *err)
{
    return charge(filter, event, 0, err);
}

dusk_status dusk_filter_charge_at(dusk_filter *filter, const dusk_event *event, double delta, dusk_error *err)
{
    if (filter->meter.kind != DUSK_FILTER_BASIC)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use dusk_filter_charge",
                         "only a basic filter takes the delta of a charge");
    if (!(delta >= 0 && delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                         "delta must be at least 0 and below 1");
    return charge(filter, event, delta, err);
}

DUSK_PROVEN(dusk_filter_fits)
bool dusk_filter_fits(const dusk_filter *filter, const dusk_price *price)
{
    dusk_price sum = dusk_meter_after(&filter->meter, price);
    return is_within(filter, &sum);
}

static double share_up(double x, double y)
{
    if (!(x > 0)) return 0;
    return y > 0 ? dusk_div_up(x, y) : INFINITY;
}

double dusk_filter_share_up(const dusk_filter *filter)
{
    const dusk_meter *meter = &filter->meter;
    double first = share_up(meter->sum.slot[0], filter->budget[0]);
    if (meter->kind == DUSK_FILTER_GDP) return first;
    if (meter->kind == DUSK_FILTER_BASIC) {
        double second = share_up(meter->sum.slot[1], filter->budget[1]);
        return first > second ? first : second;
    }
    double least = INFINITY;
    for (size_t j = 0; j < meter->orders; j++) {
        double share = share_up(dusk_meter_divergence_up(meter, &meter->sum, j), filter->budget[j]);
        if (share < least) least = share;
    }
    return least;
}

double dusk_filter_spent(const dusk_filter *filter)
{
    double share = dusk_filter_share_up(filter);
    return share < 1 ? share : 1;
}
