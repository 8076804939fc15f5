/* SPDX-License-Identifier: Apache-2.0 */
#include "accounting/meter.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accounting/accountants.h"
#include "accounting/parts.h"
#include "accounting/renyi.h"
#include "base/mutant.h"
#include "numeric/rounding.h"

/* Orders less one are 2^-20 to 2^40, with 20 binary digits: then 1 + a is exact. */
#define LEAST_LOG (-20)
#define MOST_LOG 40
#define ORDER_DIGITS 20

dusk_status dusk_meter_init(dusk_meter *meter, dusk_filter_kind kind, double delta,
                            dusk_neighbours neighbours, dusk_error *err)
{
    if (kind < DUSK_FILTER_BASIC || kind > DUSK_FILTER_GDP)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give DUSK_FILTER_RDP",
                         "kind is none of the kinds of filters");
    if (neighbours != DUSK_ADD_REMOVE && neighbours != DUSK_REPLACE_ONE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give DUSK_ADD_REMOVE or DUSK_REPLACE_ONE",
                         "neighbours is none of the two relations");
    if (!(delta >= 0 && delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                         "delta must be at least 0 and below 1");
    if (kind != DUSK_FILTER_BASIC && !(delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "give a small probability such as 1e-6, or DUSK_FILTER_BASIC",
                         "delta must be above 0 for this kind");
    memset(meter, 0, sizeof *meter);
    meter->kind = kind;
    meter->neighbours = neighbours;
    meter->slots = kind == DUSK_FILTER_GDP ? 1 : kind == DUSK_FILTER_RDP ? 0 : 2;
    return DUSK_OK;
}

/* Few digits, in range. */
static double tidy(double a)
{
    if (!(a > ldexp(1, LEAST_LOG))) return ldexp(1, LEAST_LOG);
    if (!(a < ldexp(1, MOST_LOG))) return ldexp(1, MOST_LOG);
    int exponent;
    double digits = frexp(a, &exponent);
    return ldexp(rint(ldexp(digits, ORDER_DIGITS)), exponent - ORDER_DIGITS);
}

/* The budget over alpha = 1 + a, about. */
static double worth(double epsilon, double log_inverse, double a)
{
    return (epsilon + log1p(1 / a) - (log_inverse - log1p(a)) / a) / (1 + a);
}

double dusk_meter_best_order(double epsilon, double delta)
{
    double log_inverse = -log(delta > DBL_TRUE_MIN ? delta : DBL_TRUE_MIN), best = LEAST_LOG,
           most = -INFINITY;
    for (double step = 0.5, from = LEAST_LOG, to = MOST_LOG; step > 0x1p-12; step /= 16) {
        for (double x = from; x <= to; x += step) {
            double value = worth(epsilon, log_inverse, exp2(x));
            if (value > most) {
                most = value;
                best = x;
            }
        }
        from = best - step;
        to = best + step;
    }
    return 1 + tidy(exp2(best));
}

/* With a = alpha - 1, (1 - e^-x)+ <= share e^(a (x + offset)) for all x:
 *   offset = ln(1 - 1/alpha) + (ln(1/share) - ln alpha)/a. */
DUSK_PROVEN(offset_up)
static double offset_up(double alpha, double log_inverse_up)
{
    double a = alpha - 1;
    double first = -dusk_log1p_down(dusk_div_down(1, a)); /* ln(a/(1 + a)) */
    double second = dusk_div_up(dusk_sub_up(log_inverse_up, dusk_log_down(alpha)), a);
    return dusk_add_up(first, second);
}

/* The share of delta of the order that is j from the middle. NEAR is good to
 * small orders: ln(1/share)/a counts most there, and sampled noise wants them. */
static double weight(dusk_orders orders, int j)
{
    double distance = abs(j);
    if (orders == DUSK_ORDERS_NEAR && j <= 0) return j == 0 ? 0.25 : 0.125;
    return j == 0 ? 0.5 : 0.25 / (distance * (distance + 1));
}

/* Where it is, in log2 of a over that in the middle. Of a budget about nothing is
 * left below half of the best a; what needs very large orders is not choosy. */
static double place(dusk_orders orders, int j)
{
    if (orders == DUSK_ORDERS_WIDE) return j / 2.0;
    return j < 0 ? j / 5.0 : j <= 8 ? j / 4.0 : j - 6.0;
}

DUSK_PROVEN(dusk_meter_set_orders)
void dusk_meter_set_orders(dusk_meter *meter, dusk_orders orders, double middle, double delta, double epsilon)
{
    int below = orders == DUSK_ORDERS_WIDE ? DUSK_METER_SIDE : orders == DUSK_ORDERS_NEAR ? 4 : 0;
    int above = orders == DUSK_ORDERS_ONE ? 0 : DUSK_METER_SIDE;
    double all = -dusk_log_down(delta), before = 1;
    meter->orders = 0;
    for (int j = -below; j <= above; j++) {
        double alpha = 1 + tidy((middle - 1) * exp2(place(orders, j)));
        double share = above == 0 ? 1 : DUSK_MUTATE(METER_ORDERS_FREE, weight(orders, j), 1.0);
        double offset = offset_up(alpha, dusk_sub_up(all, dusk_log_down(share)));
        if (!(alpha > before) || (j != 0 && orders == DUSK_ORDERS_NEAR && offset >= epsilon)) continue;
        before = alpha;
        meter->alpha[meter->orders] = alpha;
        meter->offset[meter->orders++] = offset;
    }
    if (meter->kind == DUSK_FILTER_RDP) meter->slots = meter->orders;
}

static bool is_same(const dusk_priced *before, const dusk_event *event, double delta)
{
    uint64_t nodes = event->opaque[0];
    if (!before->known || nodes != before->event.opaque[0] || delta != before->delta) return false;
    return memcmp(event, &before->event, (1 + 6 * nodes) * sizeof *event->opaque) == 0;
}

static dusk_status no_price(dusk_error *err, const char *what, const char *hint)
{
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, hint, "the event has no %s that is finite", what);
}

static dusk_status price_basic(dusk_price *out, const dusk_composition *event, double delta, dusk_error *err)
{
    if (delta > 0) {
        dusk_account account;
        dusk_status status = dusk_account_epsilon(&account, event, delta, DUSK_BEST, err);
        if (status != DUSK_OK) return status;
        if (account.approximation) return no_price(err, "certified price", "");
        out->slot[0] = account.bound.upper;
        out->slot[1] = delta;
        return DUSK_OK;
    }
    dusk_budget own;
    bool claims;
    dusk_status status = dusk_parts_own(&own, &claims, event, err);
    if (status != DUSK_OK) return status;
    if (claims)
        return no_price(err, "largest privacy loss",
                        "give it a delta (dusk_filter_charge_at), or use another filter");
    out->slot[0] = own.epsilon;
    out->slot[1] = own.delta;
    return DUSK_OK;
}

static dusk_status price_tree(dusk_price *out, const dusk_meter *meter, const dusk_event_node *tree,
                              dusk_error *err)
{
    if (meter->kind == DUSK_FILTER_GDP) return dusk_gdp_of_tree(&out->slot[0], tree, meter->neighbours, err);
    return dusk_zcdp_of_tree(&out->slot[0], &out->slot[1], tree, meter->neighbours, err);
}

/* The divergences of the whole event at the orders. */
static dusk_status price_orders(dusk_price *out, const dusk_meter *meter, const dusk_composition *event,
                                dusk_error *err)
{
    dusk_renyi renyi;
    dusk_status status = dusk_renyi_new(&renyi, event, "rdp", err);
    if (status != DUSK_OK) return status;
    for (size_t j = 0; j < meter->orders; j++)
        out->slot[j] = dusk_renyi_divergence_up(&renyi, meter->alpha[j]);
    dusk_renyi_free(&renyi);
    return DUSK_OK;
}

/* The parts of an event are composed: their prices add up. */
static dusk_status price_trees(dusk_price *out, const dusk_meter *meter, const dusk_composition *event,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (const dusk_event_node *tree = dusk_composition_first(event); tree && status == DUSK_OK;
         tree = dusk_composition_next(event, tree)) {
        dusk_price one = { { 0 } };
        status = price_tree(&one, meter, tree, err);
        for (size_t i = 0; i < meter->slots; i++) out->slot[i] = dusk_add_up(out->slot[i], one.slot[i]);
    }
    return status;
}

DUSK_PROVEN(price_sum)
static dusk_status price_sum(dusk_price *out, const dusk_meter *meter, const dusk_composition *event,
                             dusk_error *err)
{
    bool finite = false;
    dusk_status status = meter->kind == DUSK_FILTER_RDP ? price_orders(out, meter, event, err)
                                                        : price_trees(out, meter, event, err);
    if (status != DUSK_OK) return status;
    for (size_t i = 0; i < meter->slots; i++) {
        bool is_number = out->slot[i] >= 0 && isfinite(out->slot[i]);
        if (!is_number) out->slot[i] = INFINITY;
        finite = meter->kind == DUSK_FILTER_RDP ? finite || is_number : (i == 0 || finite) && is_number;
    }
    if (finite) return DUSK_OK;
    return no_price(err,
                    meter->kind == DUSK_FILTER_ZCDP  ? "zCDP parameter"
                    : meter->kind == DUSK_FILTER_GDP ? "GDP parameter"
                                                     : "Renyi divergence at these orders",
                    "charge it as approx(epsilon, delta) to a basic filter");
}

dusk_status dusk_meter_price(dusk_price *out, dusk_meter *meter, const dusk_event *event, double delta,
                             dusk_error *err)
{
    dusk_event_nodes nodes;
    dusk_price price = { { 0 } };
    for (size_t i = 0; i < DUSK_METER_PRICED; i++)
        if (is_same(&meter->priced[i], event, delta)) {
            *out = meter->priced[i].price;
            return DUSK_OK;
        }
    dusk_status status = dusk_event_read(&nodes, event, err);
    if (status != DUSK_OK) return status;
    dusk_composition view = { .neighbours = meter->neighbours, .count = nodes.count, .node = nodes.node };
    status = meter->kind == DUSK_FILTER_BASIC ? price_basic(&price, &view, delta, err)
                                              : price_sum(&price, meter, &view, err);
    if (status != DUSK_OK) return status;
    meter->priced[meter->pricings++ % DUSK_METER_PRICED] =
        (dusk_priced){ .known = true, .delta = delta, .price = price, .event = *event };
    *out = price;
    return DUSK_OK;
}

DUSK_PROVEN(dusk_meter_after)
dusk_price dusk_meter_after(const dusk_meter *meter, const dusk_price *price)
{
    dusk_price sum = meter->sum;
    for (size_t i = 0; i < meter->slots; i++)
        sum.slot[i] = DUSK_MUTATE(METER_TINY_CHARGES_VANISH, dusk_add_up(sum.slot[i], price->slot[i]),
                                  sum.slot[i] + price->slot[i]);
    return sum;
}

DUSK_PROVEN(dusk_meter_divergence_up)
double dusk_meter_divergence_up(const dusk_meter *meter, const dusk_price *sum, size_t j)
{
    double alpha = meter->alpha[j];
    switch (meter->kind) {
    case DUSK_FILTER_ZCDP: return dusk_add_up(sum->slot[0], dusk_mul_up(alpha, sum->slot[1]));
    case DUSK_FILTER_GDP: return dusk_mul_up(alpha / 2, sum->slot[0]);
    default: return sum->slot[j];
    }
}
