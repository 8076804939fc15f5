/* SPDX-License-Identifier: Apache-2.0 */
/* The Renyi accountant: the moment of the whole composition at one real order,
 * which is searched for; every order gives a bound, so the search need not be
 * right. Infinite losses (of approx, say) are paid for in delta. See rdp.proof.md. */
#include <float.h>

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/order_search.h"
#include "accounting/rdp_conversion.h"
#include "accounting/renyi.h"
#include "base/mutant.h"

typedef struct question {
    const dusk_renyi *renyi;
    double at;       /* delta that finite losses may have, or epsilon */
    double infinite; /* probability of an infinite loss */
    bool of_delta;
} question;

/* The bound that order s + 1 gives. */
static double price(double s, const void *context)
{
    const question *q = context;
    double k = dusk_renyi_moment_up(q->renyi, s);
    if (q->infinite > 0) { /* not a probability law: the plain conversion only */
        return q->of_delta ? dusk_moment_to_delta_up(s, k, q->at) : dusk_moment_to_epsilon_up(s, k, q->at);
    }
    double least = dusk_divergence_to_delta_up(dusk_div_up(fmax(k, 0), s));
    if (q->of_delta) return fmin(least, dusk_moment_to_delta_up(s, k, q->at));
    return least <= q->at ? 0 : dusk_moment_to_epsilon_up(s, k, q->at);
}

/* Orders where a curve that is given ends or bends. */
static double price_given_orders(const question *q, double best)
{
    unsigned tried = 0;
    for (size_t i = 0; i < q->renyi->count && tried < 256; i++) {
        const dusk_event_node *tree = q->renyi->part[i].tree;
        if (tree->kind == DUSK_EVENT_TCDP) {
            best = fmin(best, price(dusk_sub_down(tree->real[1] * (1 - 0x1p-52), 1), q));
            tried++;
        }
        if (tree->kind != DUSK_EVENT_RDP) continue;
        for (const dusk_event_node *p = tree + 1; p < tree + tree->span && tried < 256; p++, tried++)
            best = fmin(best, price(dusk_sub_down(p->real[0], 1), q));
    }
    return best;
}

static double search(const question *q)
{
    if (q->renyi->count <= 100) return price_given_orders(q, dusk_order_search(price, q, 40));
    /* as if the moment were a parabola: K(s) = a s (s + 1) */
    double a = dusk_renyi_moment_up(q->renyi, 1) / 2, start = 1;
    if (a > 0 && isfinite(a)) start = q->of_delta ? 0.5 * (q->at / a - 1) : sqrt(-log(q->at) / a);
    return price_given_orders(q, dusk_order_descend(price, q, start > 0 ? start : 1));
}

DUSK_PROVEN(dusk_renyi_epsilon_up)
double dusk_renyi_epsilon_up(const dusk_renyi *renyi, double delta)
{
    question q = { .renyi = renyi, .infinite = dusk_renyi_infinite_up(renyi) };
    q.at = DUSK_MUTATE(RDP_FREE_INFINITY, dusk_sub_down(delta, q.infinite), delta);
    double best = q.infinite > 0 ? INFINITY : dusk_renyi_divergence_up(renyi, INFINITY);
    return q.at > 0 ? fmin(best, search(&q)) : best;
}

DUSK_PROVEN(dusk_renyi_delta_up)
double dusk_renyi_delta_up(const dusk_renyi *renyi, double epsilon)
{
    question q = { .renyi = renyi, .at = epsilon, .of_delta = true };
    q.infinite = dusk_renyi_infinite_up(renyi);
    if (!(q.infinite > 0) && dusk_renyi_divergence_up(renyi, INFINITY) <= epsilon) return 0;
    return fmin(1, dusk_add_up(q.infinite, search(&q)));
}

dusk_status dusk_rdp_epsilon(dusk_bound *out, const dusk_composition *composition, double delta,
                             dusk_error *err)
{
    dusk_renyi renyi;
    dusk_status status = dusk_renyi_new(&renyi, composition, "rdp", err);
    if (status != DUSK_OK) return status;
    *out = (dusk_bound){ 0, dusk_renyi_epsilon_up(&renyi, delta) };
    dusk_renyi_free(&renyi);
    return DUSK_OK;
}

dusk_status dusk_rdp_delta(dusk_bound *out, const dusk_composition *composition, double epsilon,
                           dusk_error *err)
{
    dusk_renyi renyi;
    dusk_status status = dusk_renyi_new(&renyi, composition, "rdp", err);
    if (status != DUSK_OK) return status;
    *out = (dusk_bound){ 0, dusk_renyi_delta_up(&renyi, epsilon) };
    dusk_renyi_free(&renyi);
    return DUSK_OK;
}
