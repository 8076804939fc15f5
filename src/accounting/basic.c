/* SPDX-License-Identifier: Apache-2.0 */
/* Basic composition [Dwork & Roth 2014, Theorem 3.16]: epsilons and deltas add
 * up. A single part that runs once is priced by its exact curve. Otherwise
 * parts with a largest loss pay that and their own delta; what is left of delta
 * is shared equally among the runs that claim a share, all Gaussian parts
 * together claiming one, and all parts with Renyi curves one. */
#include <math.h>

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/parts.h"
#include "base/mutant.h"

static bool is_single(const dusk_parts *parts)
{
    return parts->count == 1 && parts->part[0].times == 1 && parts->renyi.count == 0;
}

/* Every run that claims, at `share` each. */
static dusk_status claims_epsilon(double *epsilon_up, const dusk_parts *parts, double share, dusk_error *err)
{
    double sum = 0, guess = 1;
    for (size_t i = 0; i < parts->count; i++) {
        const dusk_part *part = &parts->part[i];
        double one;
        if (!part->claims) continue;
        dusk_status status = dusk_part_share(&one, parts, part, share, &guess, err);
        if (status != DUSK_OK) return status;
        if (one > 0) sum = dusk_add_up(sum, dusk_mul_up(dusk_bound_of_whole(part->times).upper, one));
    }
    if (parts->renyi.count > 0) {
        double curves;
        dusk_status status = dusk_parts_renyi_epsilon(&curves, parts, share, err);
        if (status != DUSK_OK) return status;
        sum = dusk_add_up(sum, curves);
    }
    *epsilon_up = sum;
    return DUSK_OK;
}

DUSK_PROVEN(price)
static dusk_status price(double *epsilon_up, const dusk_parts *parts, double delta, dusk_error *err)
{
    if (is_single(parts)) return dusk_part_epsilon(epsilon_up, parts, &parts->part[0], delta, err);
    double claims = dusk_parts_claims_up(parts), more = 0;
    dusk_budget own = dusk_parts_own_total(parts);
    if (own.delta > delta) {
        *epsilon_up = INFINITY;
        return DUSK_OK;
    }
    if (claims > 0) {
        double rest = dusk_sub_down(delta, own.delta);
        double share = DUSK_MUTATE(BASIC_DELTA_NOT_SHARED, dusk_div_down(rest, claims), rest);
        dusk_status status = share > 0 ? claims_epsilon(&more, parts, share, err) : DUSK_OK;
        if (status != DUSK_OK) return status;
        if (!(share > 0)) more = INFINITY;
    }
    *epsilon_up = dusk_add_up(own.epsilon, more);
    return DUSK_OK;
}

dusk_status dusk_basic_epsilon(dusk_bound *out, const dusk_composition *composition, double delta,
                               dusk_error *err)
{
    dusk_parts parts;
    double epsilon;
    dusk_status status = dusk_parts_make(&parts, composition, true, "basic", err);
    if (status != DUSK_OK) return status;
    status = price(&epsilon, &parts, delta, err);
    dusk_parts_free(&parts);
    if (status == DUSK_OK) *out = (dusk_bound){ 0, epsilon };
    return status;
}

DUSK_PROVEN(price_in_delta)
static dusk_status price_in_delta(double *delta_up, const dusk_parts *parts, double epsilon, dusk_error *err)
{
    if (is_single(parts)) return dusk_part_delta(delta_up, parts, &parts->part[0], epsilon, err);
    if (parts->count == 0 && parts->renyi.count > 0)
        return dusk_parts_renyi_delta(delta_up, parts, epsilon, err);
    dusk_budget own = dusk_parts_own_total(parts);
    if (dusk_parts_claims_up(parts) > 0)
        return dusk_parts_delta(delta_up, parts, price, own.delta, epsilon, err);
    *delta_up = own.epsilon <= epsilon && own.delta < 1 ? own.delta : 1;
    return DUSK_OK;
}

dusk_status dusk_basic_delta(dusk_bound *out, const dusk_composition *composition, double epsilon,
                             dusk_error *err)
{
    dusk_parts parts;
    double delta;
    dusk_status status = dusk_parts_make(&parts, composition, true, "basic", err);
    if (status != DUSK_OK) return status;
    status = price_in_delta(&delta, &parts, epsilon, err);
    dusk_parts_free(&parts);
    if (status == DUSK_OK) *out = (dusk_bound){ 0, delta };
    return status;
}

dusk_status dusk_basic_of_tree(double *epsilon_up, const dusk_event_node *tree, dusk_neighbours neighbours,
                               double delta, dusk_error *err)
{
    dusk_composition view = { .neighbours = neighbours,
                              .count = tree->span,
                              .node = (dusk_event_node *)tree }; /* only read */
    dusk_bound epsilon;
    dusk_status status = dusk_basic_epsilon(&epsilon, &view, delta, err);
    if (status == DUSK_OK) *epsilon_up = epsilon.upper;
    return status;
}
